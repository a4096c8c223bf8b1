"""What is known about a model before it is asked anything."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

from twitter_tool.models.declared import ImageBounds
from twitter_tool.notes import Note


class Target(Protocol):
    """Where a call goes, and with which key; the meaning of each is that of :class:`ModelFacts`."""

    @property
    def name(self) -> str: ...
    @property
    def provider(self) -> str: ...
    @property
    def call_name(self) -> str: ...
    @property
    def api_base(self) -> str | None: ...
    @property
    def api_key(self) -> str | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """A model that can be asked.

    Attributes:
        name: as the settings spell it; what people are shown.
        provider: as LiteLLM calls it.
        call_name: ``provider/model``, what LiteLLM is asked for.
        context_window: tokens of question and answer together.
        max_output_tokens: tokens of an answer.
        supports_vision: ``None`` when nobody says so.
        max_request_bytes: of a request body, when it has a limit.
        images: bounds of images; without them none are attached.
        api_base: where it is asked, when not at its provider's usual address.
        api_key_env: the variable its key came from.
        api_key: never shown. ``None`` leaves the provider's own credentials to LiteLLM.
    """

    name: str
    provider: str
    call_name: str
    context_window: int
    max_output_tokens: int
    supports_vision: bool | None = None
    max_request_bytes: int | None = None
    images: ImageBounds | None = None
    api_base: str | None = None
    api_key_env: str | None = None
    api_key: str | None = field(default=None, repr=False)

    @property
    def image_input(self) -> ImageBounds | None:
        """Bounds of the images that it can be given; ``None`` when it can be given none.

        Declared bounds say that a model takes images, unless the declaration or the map denies it outright.
        """
        return None if self.supports_vision is False else self.images


SkipReason = Literal["not_installed", "key_missing", "key_unusable", "sign_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A configured model that cannot run here.

    Attributes:
        missing: the environment variable, or the command, that would change it.
        after: how many models of the chain that can run come before it.
    """

    name: str
    reason: SkipReason
    missing: str
    after: int = 0

    @property
    def why(self) -> str:
        """The reason in words."""
        match self.reason:
            case "key_missing":
                return f"{self.missing} is not set"
            case "key_unusable":
                return f"{self.missing} holds no usable key"
            case "sign_in":
                return "it asks a person to sign in"
            case "not_installed":
                return "LiteLLM is not installed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The models of a call, in the order in which they are asked.

    Attributes:
        models: those that can run.
        extractive: whether the built-in quoting answer stands at the end; then nothing is left to fail.
        skipped: those that are named too, but cannot run.
        notes: about settings that were not used as written.
    """

    models: tuple[ModelFacts, ...] = ()
    extractive: bool = False
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[Note, ...] = ()
