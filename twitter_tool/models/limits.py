"""Whether a question and its evidence fit every model of a chain. Pure arithmetic, exact at the edges.

Tokens are estimated by UTF-8 bytes, which never underestimates: no tokenizer makes more tokens than bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from twitter_tool.models.declared import ImageBounds
from twitter_tool.models.facts import ModelFacts
from twitter_tool.models.reply import Prompt

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


def base64_length(count: int) -> int:
    """Characters that so many bytes take as base64."""
    return -(-count // 3) * 4


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


ImageAbility = Literal["images", "text_only", "bounds_missing"]
"""Whether a chain takes images, or why it does not."""


def image_ability(members: Sequence[ModelFacts]) -> ImageAbility:
    """Whether images are attached: the member that is asked first decides.

    ``text_only``: it takes none, nobody says that it does, or there is no member; ``bounds_missing``: it takes images,
    but no bounds are declared for it.
    """
    if not members:
        return "text_only"
    first = members[0]
    if first.image_input is not None:
        return "images"
    return "bounds_missing" if first.supports_vision else "text_only"


def image_bounds(members: Sequence[ModelFacts]) -> ImageBounds | None:
    """What every image must keep to, so that each member that takes images can be given it.

    Returns:
        The smallest width, height, number and bytes of those members, with the token cost of the first one (in the
        arithmetic each pays its own); ``None`` when the member that is asked first takes no images.
    """
    return _tightest(members) if image_ability(members) == "images" else None


def _tightest(members: Iterable[ModelFacts]) -> ImageBounds | None:
    declared = [bounds for model in members if (bounds := model.image_input) is not None]
    if not declared:
        return None
    return ImageBounds(
        tokens_per_image=declared[0].tokens_per_image,
        max_width=min(bounds.max_width for bounds in declared),
        max_height=min(bounds.max_height for bounds in declared),
        max_images=min(bounds.max_images for bounds in declared),
        max_bytes=min(bounds.max_bytes for bounds in declared),
    )


@dataclass(frozen=True, slots=True)
class _Load:
    """What is measured against the members: those that take images get ``text`` and them, the others ``plain``."""

    text: Size
    plain: Size
    images: int = 0
    base64: int = 0


class ChainRoom:
    """The room that is left in the smallest member of a chain, taken piece by piece.

    A member that takes no images pays nothing for them.

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
        self._images = 0
        bounds = _tightest(self._members)
        self._image_base64 = 0 if bounds is None else base64_length(bounds.max_bytes)
        self.reserved = reserved_output(self._members)

    @property
    def used(self) -> Size:
        """The text that has been taken so far, written or not, system prompt excluded."""
        return self._used

    def take(self, text: str | Size, *, chars: int = 0, images: int = 0) -> bool:
        """Take the room of a text if there is enough of it; otherwise change nothing and return ``False``.

        Args:
            chars: room for so many characters besides, which are not written yet; counted at their worst.
            images: room for so many images besides, each as large as the bounds allow.
        """
        written = size_of(text) if isinstance(text, str) else text
        used, slots = self._used + written + reserve_of(chars), self._images + images
        if not self._holds(self._system, _Load(used, used, slots, slots * self._image_base64)):
            return False
        self._used, self._images = used, slots
        return True

    def holds(self, prompt: str | Prompt) -> bool:
        """Whether a whole user message, or a whole prompt with its images, fits every member, whatever was taken.

        Of a prompt each member is measured with what it would get: its images, within the bounds of that member, or
        its plain text.
        """
        if isinstance(prompt, str):
            size = size_of(prompt)
            return self._holds(self._system, _Load(size, size))
        if not all(_within(model.image_input, prompt) for model in self._members):
            return False
        load = _Load(
            size_of(prompt.user),
            size_of(prompt.without_images().user),
            len(prompt.images),
            sum(base64_length(len(image.data)) for image in prompt.images),
        )
        return self._holds(size_of(prompt.system), load)

    def _holds(self, system: Size, load: _Load) -> bool:
        if not self._members:
            return system.chars + 1 + load.plain.chars <= self._max_chars
        return all(self._fits(model, system, load) for model in self._members)

    def _fits(self, model: ModelFacts, system: Size, load: _Load) -> bool:
        bounds = model.image_input
        if bounds is None:
            return fits(model, system=system, prompt=load.plain, max_chars=self._max_chars, reserved=self.reserved)
        return fits(
            model,
            system=system,
            prompt=load.text,
            max_chars=self._max_chars,
            reserved=self.reserved,
            images=load.images,
            tokens_per_image=bounds.tokens_per_image,
            image_base64_bytes=load.base64,
        )


def _within(bounds: ImageBounds | None, prompt: Prompt) -> bool:
    if bounds is None:
        return True
    return len(prompt.images) <= bounds.max_images and all(
        len(image.data) <= bounds.max_bytes for image in prompt.images
    )
