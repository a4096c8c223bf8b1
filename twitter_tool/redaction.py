"""Takes known secrets out of text that is about to be shown or logged."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, quote_plus

REMOVED: Final = "[removed]"
MIN_SECRET: Final = 4
"""Shorter values are left alone: removing them would shred the text and protect nothing."""


def redact(text: str, secrets: Iterable[str]) -> str:
    """Replace every occurrence of each secret, also in its percent-encoded spellings, by ``[removed]``."""
    spellings: set[str] = set()
    for secret in secrets:
        if len(secret.strip()) >= MIN_SECRET:
            spellings |= _spellings(secret.strip())
    if not spellings:
        return text
    # Longest first, so that a secret that begins another one leaves no tail of it behind.
    ordered = sorted(spellings, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, ordered)), REMOVED, text)


def _spellings(secret: str) -> set[str]:
    raw = secret.encode("utf-8", "replace")
    encoded = {quote(raw, safe=""), quote(raw), quote_plus(raw)}
    lower_hex = {re.sub("%[0-9A-F]{2}", lambda found: found.group().lower(), form) for form in encoded}
    return {secret} | encoded | lower_hex
