"""Whether a question and its evidence fit every model of a chain. Pure arithmetic, exact at the edges.

Tokens are estimated by UTF-8 bytes, which never underestimates: no tokenizer makes more tokens than bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from twitter_tool.models.facts import ModelFacts

MAX_OUTPUT: Final = 4_096
FRAMING_TOKENS: Final = 1_024
FRAMING_BYTES: Final = 1_024
IMAGE_FRAMING_BYTES: Final = 256
RESERVED_BYTES_PER_CHAR: Final = 3
RESERVED_JSON_BYTES_PER_CHAR: Final = 6

_EMPTY_OBJECT: Final = len('{"system":"","prompt":""}')
_SHORT_ESCAPES: Final = re.compile('["\\\\\b\t\n\f\r]')
_LONG_ESCAPES: Final = re.compile("[\x00-\x07\x0b\x0e-\x1f]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def reserved_output(members: Iterable[ModelFacts]) -> int:
    """Output tokens asked of every member of a chain: what the smallest of them can give.

    At most 4,096, a member's output limit, and a quarter of its context window (but at least one).
    """
    offers = (min(model.max_output_tokens, max(1, model.context_window // 4)) for model in members)
    return min((MAX_OUTPUT, *offers))


@dataclass(frozen=True, slots=True)
class Size:
    """How long a text is in the three measures that are limited. Sizes of joined texts add up.

    Attributes:
        chars: code points.
        utf8: UTF-8 bytes; a lone surrogate counts three.
        json: bytes between the quotes of a JSON string that escapes only what it must.
    """

    chars: int = 0
    utf8: int = 0
    json: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.chars + other.chars, self.utf8 + other.utf8, self.json + other.json)


def size_of(text: str) -> Size:
    """Measure a text."""
    chars = len(text)
    utf8 = chars if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    if text.isascii() and text.isprintable():
        return Size(chars, utf8, utf8 + text.count('"') + text.count("\\"))
    short, long = len(_SHORT_ESCAPES.findall(text)), len(_LONG_ESCAPES.findall(text))
    lone = 0 if text.isascii() else len(_SURROGATE.findall(text))
    return Size(chars, utf8, utf8 + short + 5 * long + 3 * lone)


def reserve_of(chars: int) -> Size:
    """Room for text that is not written yet, at its worst: three bytes a character, six in JSON."""
    return Size(chars, chars * RESERVED_BYTES_PER_CHAR, chars * RESERVED_JSON_BYTES_PER_CHAR)


def fits(
    model: ModelFacts,
    *,
    system: Size,
    prompt: Size,
    max_chars: int,
    reserved: int,
    images: int = 0,
    tokens_per_image: int = 0,
    image_base64_bytes: int = 0,
) -> bool:
    """Whether one model can take a request.

    Args:
        max_chars: ceiling of the whole text, system prompt and the break after it included.
        reserved: output tokens, from :func:`reserved_output`.
    """
    if system.chars + 1 + prompt.chars > max_chars:
        return False
    tokens = system.utf8 + 1 + prompt.utf8 + FRAMING_TOKENS + images * tokens_per_image + reserved
    if tokens > model.context_window:
        return False
    if model.max_request_bytes is None:
        return True
    body = _EMPTY_OBJECT + system.json + prompt.json + image_base64_bytes + FRAMING_BYTES + IMAGE_FRAMING_BYTES * images
    return body <= model.max_request_bytes


class ChainRoom:
    """The room that is left in the smallest member of a chain, taken piece by piece.

    Args:
        members: the models that may be asked; none of them means that only the character ceiling counts.
        system: the system prompt.
        max_chars: ceiling of the whole text, in code points.
    """

    def __init__(self, members: Sequence[ModelFacts], *, system: str, max_chars: int) -> None:
        self._members = tuple(members)
        self._system = size_of(system)
        self._max_chars = max_chars
        self._used = Size()
        self.reserved = reserved_output(self._members)

    @property
    def used(self) -> Size:
        """What has been taken so far, system prompt excluded."""
        return self._used

    def admits(self, size: Size) -> bool:
        """Whether so much more of the user message would fit every member."""
        return self._fits_all(self._used + size)

    def take(self, text: str | Size) -> bool:
        """Take the room of a text if there is enough of it; otherwise change nothing and return ``False``."""
        size = size_of(text) if isinstance(text, str) else text
        if not self.admits(size):
            return False
        self._used += size
        return True

    def holds(self, prompt: str) -> bool:
        """Whether a whole user message fits every member, whatever has been taken."""
        return self._fits_all(size_of(prompt))

    def _fits_all(self, prompt: Size) -> bool:
        if not self._members:
            return self._system.chars + 1 + prompt.chars <= self._max_chars
        return all(
            fits(model, system=self._system, prompt=prompt, max_chars=self._max_chars, reserved=self.reserved)
            for model in self._members
        )
