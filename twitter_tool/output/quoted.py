"""Untrusted text behind ``> ``, and how much of it a cap lets through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from twitter_tool.models.limits import RESERVED_BYTES_PER_CHAR
from twitter_tool.text import ELLIPSIS, Block, block

MARK: Final = "> "
_BREAK: Final = len("\n" + MARK)


def quoted_lines(text: Block) -> Iterator[str]:
    """Each line of untrusted text behind ``> ``."""
    return (f"{MARK}{line}" for line in text.split("\n"))


def capped(text: Block, cap: int) -> Block:
    """As much of a text as shows in ``cap`` characters, ``> `` and line breaks included; an ellipsis if it was cut.

    Nor does it take more bytes than are set aside for so many characters, whatever script it is written in.
    """
    chars, octets = cap - _BREAK, RESERVED_BYTES_PER_CHAR * cap - _BREAK
    for end, char in enumerate(text):
        chars -= _BREAK if char == "\n" else 1
        octets -= _BREAK if char == "\n" else len(char.encode("utf-8", "surrogatepass"))
        if chars < 0 or octets < 0:
            # Cleaned again: the cut may have left half of an emoji sequence.
            return Block(block(text[:end]) + ELLIPSIS)
    return text
