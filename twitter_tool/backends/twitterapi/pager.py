"""When a listing goes on, and why it stops: a pure state machine.

It knows pages and budgets only; its caller turns windows, duplicates, pins and the asked post itself into facts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from twitter_tool.backends.twitterapi.plan import StopReason

MAX_CURSOR: Final = 4096
"""A longer one is no cursor: no address could carry it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagerState:
    """Where a walk stands.

    Attributes:
        budget: pages that may be charged.
        ceiling: pages that may be read in all.
        charged, read: pages so far.
        cursors: every cursor followed.
    """

    budget: int
    ceiling: int
    charged: int = 0
    read: int = 0
    cursors: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """What one accepted page said.

    Attributes:
        has_next: the raw ``has_next_page``.
        cursor: the raw ``next_cursor``.
        target_met: enough records are retained.
        ends_listing: this page is the end whatever its pager says.
        free: the page costs no budget.
    """

    has_next: Any
    cursor: Any
    target_met: bool = False
    ends_listing: bool = False
    free: bool = False


@dataclass(frozen=True, slots=True)
class Continue:
    """Read the page behind ``cursor`` next."""

    cursor: str


@dataclass(frozen=True, slots=True)
class Stop:
    """End the walk."""

    reason: StopReason


def step(state: PagerState, facts: PageFacts) -> tuple[PagerState, Continue | Stop]:
    """Take one page into account and decide what follows."""
    cursor = facts.cursor
    state = replace(state, read=state.read + 1, charged=state.charged + (not facts.free))
    if facts.target_met:
        return state, Stop("target")
    if facts.ends_listing or facts.has_next is not True:
        return state, Stop("exhausted")
    if not isinstance(cursor, str) or not 0 < len(cursor) <= MAX_CURSOR:
        return state, Stop("cursor_missing")
    if cursor in state.cursors:
        return state, Stop("cursor_cycle")
    if state.charged >= state.budget or state.read >= state.ceiling:
        return state, Stop("page_cap")
    return replace(state, cursors=state.cursors | {cursor}), Continue(cursor)
