"""What to read: the requests of one call as plain values, and what comes back.

A mode makes one plan; :mod:`twitter_tool.backends.twitterapi.read` carries it out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from twitter_tool.notes import Note
from twitter_tool.records import Post, Record

StopReason = Literal["exhausted", "target", "page_cap", "cursor_cycle", "cursor_missing", "single"]
TRUNCATING: frozenset[StopReason] = frozenset({"page_cap", "cursor_cycle", "cursor_missing"})
Query = tuple[tuple[str, str], ...]
"""Request parameters; empty values are not sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a plan brought.

    Attributes:
        records: posts, accounts or trends in upstream order, or one document or article.
        stop: why reading ended.
        pages: accepted pages, free ones included.
        parent: the asked post, when a reply listing carried it.
        notes: disclosures made while reading.
        newer, older: posts dropped after the end or before the start of a local-day window.
    """

    records: tuple[Record, ...]
    stop: StopReason
    pages: int = 1
    parent: Post | None = None
    notes: tuple[Note, ...] = ()
    newer: int = 0
    older: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFrom:
    """What a result was read from: a post, list or community id, or a handle."""

    what: str
    id: str | None = None
    handle: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trim:
    """A window in time: ``start`` inclusive, ``end`` exclusive, either open.

    ``free_pages``: the upstream's day runs past the window's end, so pages that only lead there cost no budget.
    """

    start: datetime | None
    end: datetime | None
    free_pages: bool


def _nothing(reading: Reading) -> tuple[Note, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkPlan:
    """A listing read page by page.

    Attributes:
        path, params: the request; every page repeats the parameters.
        what: what is read, for errors.
        kind: what the rows are.
        items: where the rows may stand, the live place first.
        null_is_missing: a key whose ``null`` means that the account is gone.
        remaining: the kind of item that a truncated walk leaves behind.
        target: stop at this many records.
        empty_page_ends: an empty page is the end, whatever the pager says.
        pins: the page may carry a pinned post.
        parent_id: a row with this id is the asked post itself.
        trim: drop posts outside this window.
        window: figures of the window for ``details``.
        route: marker of the route taken, for ``details``.
        finish: further notes, from what was read.
    """

    path: str
    params: Query
    what: str
    kind: Literal["posts", "accounts"]
    remaining: str
    items: tuple[tuple[str, ...], ...] = (("tweets",),)
    null_is_missing: tuple[str, ...] = ()
    target: int | None = None
    empty_page_ends: bool = False
    pins: bool = False
    parent_id: str | None = None
    trim: Trim | None = None
    window: dict[str, str] | None = None
    route: str | None = None
    read_from: ReadFrom | None = None
    finish: Callable[[Reading], tuple[Note, ...]] = _nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendsPlan:
    """Trending topics, one request."""

    path: str
    params: Query
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPlan:
    """One account's profile or about page, one request."""

    path: str
    params: Query
    what: str
    handle: str
    about: bool
    read_from: ReadFrom


@dataclass(frozen=True, slots=True, kw_only=True)
class SpacePlan:
    """One Space's detail, one request."""

    path: str
    params: Query
    what: str
    space_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPlan:
    """Posts by id, in sequential look-ups of one batch each."""

    path: str
    batches: tuple[tuple[str, ...], ...]
    what: str

    @property
    def ids(self) -> tuple[str, ...]:
        """Every id asked for, in order."""
        return tuple(post for batch in self.batches for post in batch)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticlePlan:
    """An article, then the post that carries it."""

    path: str
    provenance_path: str
    post_id: str
    what: str


Plan = WalkPlan | TrendsPlan | AccountPlan | SpacePlan | BatchPlan | ArticlePlan
Json = dict[str, Any]
