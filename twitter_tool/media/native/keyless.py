"""Taking keys out of what a service says, before anything of it is cut, kept or told."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from twitter_tool.media.replies import shown_body
from twitter_tool.redaction import redact
from twitter_tool.text import Block, Line, block

_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_BLANKS: Final = frozenset("bfnrt")
_LEVELS: Final = 3
"""How often a text is unescaped in search of a key: JSON is quoted inside JSON, and that inside an error."""


def without_keys(raw: str, secrets: Iterable[str]) -> Block:
    """A cleaned text without secrets, also where only cleaning or the escapes of JSON would bring one out.

    Escapes stay as they are unless they hide a secret.
    """
    known = tuple(secrets)
    text = shown = redact(block(raw), known)
    for _ in range(_LEVELS):
        plain = block(_ESCAPE.sub(_meant, text))
        if plain == text:
            break
        text = redact(plain, known)
        if text != plain:
            shown = text
    return block(shown)


def shown_reason(raw: str, secrets: Iterable[str]) -> Line | None:
    """Words about a failure as they may be shown, or ``None`` where they say nothing to people."""
    known = tuple(secrets)
    return shown_body(without_keys(raw, known), known)


def _meant(escape: re.Match[str]) -> str:
    code, char = escape.groups()
    if code is not None:
        return chr(int(code, 16))
    return "\n" if char in _BLANKS else char
