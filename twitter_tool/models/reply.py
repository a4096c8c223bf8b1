"""What is asked of a model, and what can come back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal

from twitter_tool.settings import camel

FailureKind = Literal[
    "quota",
    "auth",
    "unknown-model",
    "invalid-request",
    "rate-limit",
    "server",
    "transport",
    "empty",
    "unknown",
]
"""Why one physical call gave no answer. Cancellation is none of these: it is ``asyncio.CancelledError``."""

TRANSIENT: Final[frozenset[FailureKind]] = frozenset(("rate-limit", "server", "transport"))
"""The same call may succeed later without any change."""
RETRIED: Final[frozenset[FailureKind]] = TRANSIENT | {"empty"}
"""The last model of a chain is asked once more after these."""


@dataclass(frozen=True, slots=True)
class PromptImage:
    """An image that goes with a question.

    Attributes:
        mime: ``image/png`` or ``image/jpeg``.
        data: the encoded image.
    """

    mime: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One system prompt and one user message.

    Attributes:
        images: in the order in which the user message numbers them.
        plain: the user message for a model that gets no images; ``None`` when it is the same one.
    """

    system: str
    user: str
    images: tuple[PromptImage, ...] = ()
    plain: str | None = None

    def without_images(self) -> Prompt:
        """The same question for a model that gets no images."""
        if not self.images and self.plain is None:
            return self
        return Prompt(system=self.system, user=self.user if self.plain is None else self.plain)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage:
    """Tokens of one call as the provider reported them; ``None`` is unknown, which is not zero."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    total_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer that has text.

    Attributes:
        text: not blank, without surrounding white space; untrusted.
        finish_reason: as the provider put it, ``length`` when the output limit cut the text.
        usage: ``None`` when nothing was reported.
    """

    text: str
    finish_reason: str | None
    usage: TokenUsage | None


class ModelFailure(Exception):
    """One physical call that gave no answer.

    Attributes:
        kind: what sort of failure it is, and with that whether another try makes sense.
        message: one cleaned line without secrets.
        status: the HTTP status, when one arrived.
        usage: what the provider charged all the same, when it said so.
        detail: the provider's whole words, cleaned, without secrets; never shown.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        status: int | None = None,
        usage: TokenUsage | None = None,
        detail: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.message = message
        self.status = status
        self.usage = usage
        self.detail = message if detail is None else detail


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEvent:
    """A piece of an answer on its way.

    ``text`` adds to what came before; ``restart`` throws everything before it away, because the model that wrote it
    failed and the question is being asked again. Display only: what counts is the finished answer.
    """

    kind: Literal["text", "restart"]
    text: str
    model: str


OnText = Callable[[TextEvent], Any]


@dataclass(slots=True, kw_only=True)
class TokenCount:
    """The tokens of all calls of an answer that reported any, failed ones too."""

    reported_calls: int = 0
    _sums: TokenUsage = TokenUsage()

    def add(self, usage: TokenUsage | None) -> None:
        """Count one call; one that reported nothing changes nothing."""
        if usage is None:
            return
        self.reported_calls += 1
        self._sums = TokenUsage(
            **{name: _sum(getattr(self._sums, name), getattr(usage, name)) for name in _TOKEN_FIELDS}
        )

    def to_dict(self) -> dict[str, int] | None:
        """The sums with camelCase names and ``reportedCalls``; ``None`` when no call reported anything."""
        if not self.reported_calls:
            return None
        known = {camel(name): getattr(self._sums, name) for name in _TOKEN_FIELDS}
        return {
            **{name: value for name, value in known.items() if value is not None},
            "reportedCalls": self.reported_calls,
        }


_TOKEN_FIELDS: Final = tuple(field.name for field in fields(TokenUsage))


def _sum(left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return right if left is None else left
    return left + right
