"""Ids, handles and links: the one place that decides what may be cited, shown or sent.

A citable link is used exactly as it was fetched or not at all, so every check here is made on the raw
string and none of them changes it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal, NewType
from urllib.parse import SplitResult, quote, urlsplit

Permalink = NewType("Permalink", str)
"""A citable address on X: a post, a profile, a search or a Space."""
Link = NewType("Link", str)
"""A well-formed http(s) destination that was read but never fetched; never a source."""

MAX_URL: Final = 2048
X_HOSTS: Final = ("x.com", "twitter.com")
_POST_ID = re.compile(r"[0-9]{1,25}")
_STATUS_PATH = re.compile(r"/status(?:es)?/([0-9]+)(?=/|\Z)")
_HANDLE = re.compile(r"[A-Za-z0-9_]{1,15}")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")
_URL_SAFE_ASCII = re.compile(r"[!-~]+")
# The two shapes nearly every address has; what they match passes the full checks too, which are much slower.
_PLAIN_PERMALINK = re.compile(r"https://x\.com/[A-Za-z0-9_]{1,15}/status/[0-9]{1,25}")
_PLAIN_LINK = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*(?:/[!-\[\]-~]*)?")
_FORBIDDEN_CATEGORIES: Final = frozenset(("Cc", "Cf", "Cn", "Co", "Cs", "Zs", "Zl", "Zp"))


def is_x_host(host: str | None) -> bool:
    """Whether a parsed host is X's own: equal to ``x.com`` or ``twitter.com``, or a subdomain of one."""
    if host is None or not host.isascii() or not _HOST.fullmatch(host.lower()):
        return False
    host = host.lower()
    return host in X_HOSTS or host.endswith((".x.com", ".twitter.com"))


def post_id(raw: str) -> str | None:
    """The id in a caller's post reference: 1-25 digits, or a link to a post on X; ``None`` when it is neither."""
    text = raw.strip()
    if _POST_ID.fullmatch(text):
        return text
    if not _plain(text):
        return None
    parts = _split(text)
    if parts is None or not parts.scheme or not is_x_host(parts.hostname):
        return None
    return status_id(parts.path)


def linked_handle(raw: str) -> str | None:
    """The handle in a caller's link to an account on X, such as ``https://x.com/nasa``."""
    path = _x_path(raw)
    found = re.fullmatch(r"/([A-Za-z0-9_]{1,15})/?", path) if path else None
    return found.group(1) if found and found.group(1).lower() not in ("search", "home", "explore", "i") else None


def linked_place(raw: str, place: Literal["lists", "communities", "spaces"]) -> str | None:
    """The id in a caller's link to a list, a community or a Space, such as ``https://x.com/i/lists/123``."""
    path = _x_path(raw)
    found = re.fullmatch(rf"/i/{place}/([A-Za-z0-9_-]{{1,100}})(?:/.*)?", path) if path else None
    return found.group(1) if found else None


def _x_path(raw: str) -> str | None:
    parts = _checked(raw)
    return parts.path if parts is not None and is_x_host(parts.hostname) else None


def is_post_id(raw: str) -> bool:
    """Whether this is a bare post id: 1-25 ASCII digits."""
    return _POST_ID.fullmatch(raw) is not None


def status_id(path: str) -> str | None:
    """The id in a URL path that has ``/status/<digits>`` as whole segments."""
    found = _STATUS_PATH.search(path)
    return found.group(1) if found else None


def link(raw: object) -> Link | None:
    """A destination fit to be shown: http(s), no blanks, controls or credentials, at most 2,048 characters."""
    if not isinstance(raw, str):
        return None
    if len(raw) <= MAX_URL and _PLAIN_LINK.fullmatch(raw):
        return Link(raw)
    return Link(raw) if _checked(raw) is not None else None


def permalink(raw: object) -> Permalink | None:
    """A post's fetched permalink, verbatim, or ``None`` when it may not be cited."""
    if not isinstance(raw, str):
        return None
    if _PLAIN_PERMALINK.fullmatch(raw):
        return Permalink(raw)
    parts = _checked(raw)
    if parts is None or not is_x_host(parts.hostname) or status_id(parts.path) is None:
        return None
    return Permalink(raw)


def permalink_id(url: str) -> str | None:
    """The post id in a permalink that :func:`permalink` accepted."""
    return status_id(urlsplit(url).path)


def article_permalink_handle(url: Permalink) -> str | None:
    """The handle of a permalink whose path is exactly ``/handle/status/id`` (a trailing slash allowed)."""
    found = re.fullmatch(r"/([A-Za-z0-9_]{1,15})/status/[0-9]+/?", urlsplit(url).path)
    return found.group(1) if found else None


def is_handle(raw: str) -> bool:
    """Whether this is a handle as X allows them: 1-15 ASCII letters, digits or underscores."""
    return _HANDLE.fullmatch(raw) is not None


def profile_url(handle: str) -> Permalink | None:
    """The profile address of a handle, or ``None`` when the handle cannot make one."""
    if not is_handle(handle) or handle.lower() == "search":
        return None
    return Permalink(f"https://x.com/{handle}")


def search_url(expression: str) -> Permalink:
    """The X search address of a trend's expression; ``!'()*~`` stay as they are, a space is ``%20``."""
    encoded = quote(expression.encode("utf-8", "replace"), safe="!'()*~")
    return Permalink(f"https://x.com/search?q={encoded}")


def space_url(space: str) -> Permalink | None:
    """The address of a Space, or ``None`` when its id is not a plain token."""
    return Permalink(f"https://x.com/i/spaces/{space}") if re.fullmatch(r"[A-Za-z0-9_-]{1,100}", space) else None


def _checked(raw: str) -> SplitResult | None:
    if not raw or len(raw) > MAX_URL or not _plain(raw):
        return None
    parts = _split(raw)
    if parts is None or parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        return None
    if "@" in parts.netloc:
        return None
    return parts


def _plain(raw: str) -> bool:
    # A backslash is a path separator to browsers and a host character to parsers: nobody agrees where it leads.
    if "\\" in raw:
        return False
    if _URL_SAFE_ASCII.fullmatch(raw):
        return True
    return not any(unicodedata.category(char) in _FORBIDDEN_CATEGORIES for char in raw)


def _split(raw: str) -> SplitResult | None:
    try:
        parts = urlsplit(raw)
        _ = parts.port
    except ValueError:
        return None
    return parts
