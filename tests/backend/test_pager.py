"""When a listing goes on and why it stops, without any listing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.backends.twitterapi.pager import Continue, PageFacts, PagerState, Stop, step
from twitter_tool.backends.twitterapi.plan import TRUNCATING


def walked(pages: list[PageFacts], *, budget: int = 5, ceiling: int = 20) -> tuple[PagerState, Continue | Stop]:
    """Feed pages until the pager stops or they run out."""
    state = PagerState(budget=budget, ceiling=ceiling)
    decision: Continue | Stop = Stop("single")
    for facts in pages:
        state, decision = step(state, facts)
        if isinstance(decision, Stop):
            break
    return state, decision


def more(cursor: Any, **facts: Any) -> PageFacts:
    return PageFacts(has_next=True, cursor=cursor, **facts)


@pytest.mark.parametrize("flag", [False, None, "true", "false", 1, 0, [], {}])
def test_only_true_announces_another_page(flag: Any) -> None:
    """Not a string, not a number, and a cursor left over does not count."""
    assert walked([PageFacts(has_next=flag, cursor="c1")])[1] == Stop("exhausted")


@pytest.mark.parametrize("cursor", ["", None, 5, 0, True, ["c"], {"c": 1}, "c" * 4097])
def test_another_page_without_a_usable_cursor_is_a_missing_cursor(cursor: Any) -> None:
    """More is announced, but nobody says where."""
    assert walked([more(cursor)])[1] == Stop("cursor_missing")


def test_a_fresh_cursor_is_followed() -> None:
    """Whatever it looks like."""
    assert walked([more(" odd / cursor ")])[1] == Continue(" odd / cursor ")
    assert walked([more("c" * 4096)])[1] == Continue("c" * 4096)


@pytest.mark.parametrize("cursors", [["same", "same"], ["c1", "c2", "c1"], ["c1", "c2", "c3", "c2"]])
def test_coming_back_to_any_earlier_cursor_is_a_cycle(cursors: list[str]) -> None:
    """Not only to the last one."""
    state, decision = walked([more(cursor) for cursor in cursors])
    assert decision == Stop("cursor_cycle")
    assert state.read == len(cursors)


def test_the_budget_ends_an_endless_listing() -> None:
    """Exactly at its last page."""
    state, decision = walked([more(f"c{number}") for number in range(9)], budget=3)
    assert decision == Stop("page_cap")
    assert state.read == 3


def test_a_last_page_at_the_budget_is_the_end_and_not_a_cap() -> None:
    """The listing was read whole."""
    pages = [more("c1"), more("c2"), PageFacts(has_next=False, cursor="")]
    assert walked(pages, budget=3)[1] == Stop("exhausted")


def test_free_pages_cost_no_budget_but_count_against_the_ceiling() -> None:
    """The ceiling always wins."""
    free = [more(f"c{number}", free=True) for number in range(9)]
    state, decision = walked(free, budget=2, ceiling=4)
    assert decision == Stop("page_cap")
    assert (state.read, state.charged) == (4, 0)
    state, decision = walked([free[0], free[1], more("d1"), more("d2"), more("d3")], budget=2, ceiling=9)
    assert decision == Stop("page_cap")
    assert (state.read, state.charged) == (4, 2)


@pytest.mark.parametrize(
    "facts",
    [
        PageFacts(has_next=True, cursor=None, target_met=True),
        PageFacts(has_next=False, cursor=None, target_met=True),
        PageFacts(has_next=True, cursor="c", target_met=True, ends_listing=True),
    ],
)
def test_a_target_that_is_met_overrides_every_other_reason(facts: PageFacts) -> None:
    """What was asked for is there."""
    assert walked([facts], budget=1, ceiling=1)[1] == Stop("target")


def test_a_page_that_ends_its_listing_ends_it_whatever_its_pager_says() -> None:
    """As an empty page of a thread does."""
    assert walked([more("c1", ends_listing=True)])[1] == Stop("exhausted")


def test_reasons_are_looked_at_in_order() -> None:
    """A repeated cursor on the last page of the budget is a cycle, a missing one is missing."""
    assert walked([more("c"), more("c")], budget=2)[1] == Stop("cursor_cycle")
    assert walked([more("c"), more("")], budget=2)[1] == Stop("cursor_missing")


page_facts = st.builds(
    PageFacts,
    has_next=st.sampled_from([True, True, True, False, None, "true", 1]),
    cursor=st.sampled_from(["a", "b", "c", "d", "e", "", None, 7]),
    target_met=st.sampled_from([False, False, False, True]),
    ends_listing=st.sampled_from([False, False, False, True]),
    free=st.booleans(),
)


@given(st.lists(page_facts, max_size=30), st.integers(1, 6), st.integers(1, 8))
def test_whatever_the_pages_say_the_walk_stays_within_its_limits(
    pages: list[PageFacts], budget: int, ceiling: int
) -> None:
    """And the reason it gives is the one that holds."""
    state, decision = walked(pages, budget=budget, ceiling=ceiling)
    assert state.read <= ceiling
    assert state.charged <= budget
    assert state.charged <= state.read
    if not pages:
        return
    facts = pages[state.read - 1]
    assert sum(not page.free for page in pages[: state.read]) == state.charged
    if isinstance(decision, Continue):
        assert decision.cursor == facts.cursor
        assert state.read == len(pages)
        return
    met = {
        "target": facts.target_met,
        "exhausted": facts.ends_listing or facts.has_next is not True,
        "cursor_missing": facts.cursor in ("", None, 7),
        "cursor_cycle": facts.cursor in [page.cursor for page in pages[: state.read - 1]],
        "page_cap": state.charged == budget or state.read == ceiling,
    }
    assert met[decision.reason]
    order = list(met)
    assert not any(met[reason] for reason in order[: order.index(decision.reason)])
    assert (decision.reason in TRUNCATING) is (decision.reason not in ("target", "exhausted"))
