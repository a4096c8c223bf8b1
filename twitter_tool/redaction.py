"""Takes known secrets out of text that is about to be shown or logged."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from urllib.parse import quote, quote_plus

REMOVED: Final = "[removed]"
MIN_SECRET: Final = 4
"""Shorter values are left alone: removing them would shred the text and protect nothing."""
MIN_LONG: Final = 8
"""From this length on a secret is also recognized in other letter case, and with blanks or breaks inside."""

# White space, the mark of a shown line break, and what shows nothing. A run is bounded to keep searching fast.
_GAP: Final = r"\s\u23ce\x00-\x1f\x7f-\x9f\xad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
_MAX_GAP: Final = 32
_IS_GAP: Final = re.compile(f"[{_GAP}]")
_NOTHING: Final = re.compile("(?!)")


def redact(text: str, secrets: Iterable[str]) -> str:
    """Replace every occurrence of each secret, also in its percent-encoded spellings, by ``[removed]``.

    A secret of eight characters or more is also found in other letter case and where breaks or blanks divide it.
    """
    return _pattern(frozenset(secrets)).sub(REMOVED, text)


class StreamRedactor:
    """Redacts a text that comes in pieces: what it gives adds up to the redacted whole.

    It holds back the longest end of the text that may be the beginning of a secret.

    Args:
        secrets: those shorter than eight characters are not looked for.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        long = long_secrets(secrets)
        self._pattern = _pattern(long)
        self._forms = tuple(_letters(form) for secret in long for form in _spellings(secret))
        self._longest = max(map(len, self._forms), default=1)
        self._held = ""

    def take(self, piece: str) -> str:
        """Take the next piece; returns what can be shown by now, possibly nothing."""
        text = self._held + piece
        shown: list[str] = []
        position, pending = 0, self._beginning(text, 0)
        for found in self._pattern.finditer(text):
            if found.start() >= pending:
                break  # may still become a longer secret
            shown += text[position : found.start()], REMOVED
            position = found.end()
            if position > pending:
                pending = self._beginning(text, position)
        self._held = text[pending:]
        return "".join((*shown, text[position:pending]))

    def finish(self) -> str:
        """The rest, when no further piece will come."""
        rest, self._held = self._pattern.sub(REMOVED, self._held), ""
        return rest

    def _beginning(self, text: str, start: int) -> int:
        """Where the longest end of ``text[start:]`` that begins a secret without being all of it starts."""
        places: list[int] = []
        gap = 0
        for place in range(len(text) - 1, start - 1, -1):
            gap = gap + 1 if _IS_GAP.match(text[place]) else 0
            if gap > _MAX_GAP or len(places) == self._longest - 1:
                break
            if not gap:
                places.append(place)
        places.reverse()
        letters = [text[place] for place in places]
        for index, letter in enumerate(letters):
            for form in self._forms:
                begins = _same(form[0], letter) and len(letters) - index < len(form)
                if begins and all(map(_same, form, letters[index:])):
                    return places[index]
        return len(text)


def long_secrets(secrets: Iterable[str]) -> frozenset[str]:
    """The secrets that are long enough to be no word that an answer has a reason to use."""
    return frozenset(secret.strip() for secret in secrets if len(_letters(secret)) >= MIN_LONG)


@lru_cache(maxsize=64)
def _pattern(secrets: frozenset[str]) -> re.Pattern[str]:
    spellings: set[str] = set()
    for secret in secrets:
        if len(secret.strip()) >= MIN_SECRET:
            spellings |= _spellings(secret.strip())
    # Longest first, so that a secret that begins another one leaves no tail of it behind.
    ordered = sorted(spellings, key=lambda form: (-len(_letters(form)), form))
    return re.compile("|".join(map(_expression, ordered))) if ordered else _NOTHING


def _expression(form: str) -> str:
    letters = _letters(form)
    if len(letters) < MIN_LONG:
        return re.escape(form)
    # Possessive: no letter is a gap, so that going back could find nothing.
    return "(?i:" + f"[{_GAP}]{{0,{_MAX_GAP}}}+".join(map(re.escape, letters)) + ")"


def _letters(form: str) -> str:
    return _IS_GAP.sub("", form)


@lru_cache(maxsize=4096)
def _same(wanted: str, char: str) -> bool:
    return re.fullmatch(re.escape(wanted), char, re.IGNORECASE) is not None


def _spellings(secret: str) -> set[str]:
    raw = secret.encode("utf-8", "replace")
    encoded = {quote(raw, safe=""), quote(raw), quote_plus(raw)}
    lower_hex = {re.sub("%[0-9A-F]{2}", lambda found: found.group().lower(), form) for form in encoded}
    return {secret} | encoded | lower_hex
