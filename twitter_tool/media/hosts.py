"""Which addresses media may be fetched from: X's own media hosts over https, and nothing that merely looks like one."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from twitter_tool.links import MAX_URL

_VISIBLE = re.compile(r"[!-\[\]-~]+")  # no backslash: browsers and parsers disagree about where it leads
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_AUTHORITY = re.compile(rf"(?:{_LABEL}\.)*twimg\.com(?::443)?", re.ASCII | re.IGNORECASE)


def is_media_address(url: str) -> bool:
    """Whether media may be fetched from an address; looks at its text only.

    It must be ``https``, on ``twimg.com`` or a subdomain, without credentials or another port than 443. What parsers
    may read in different ways (blanks, controls, backslashes, letters outside ASCII, a host ending in a dot) is
    refused.
    """
    if len(url) > MAX_URL or not _VISIBLE.fullmatch(url):
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme == "https" and _AUTHORITY.fullmatch(parts.netloc) is not None
