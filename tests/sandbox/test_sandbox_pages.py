"""How listings are cut into pages, and how they end."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.sandbox.paging import Cursors, Mark, UnknownCursor, turn

SEARCH = "/twitter/tweet/advanced_search"


def ids(body, key="tweets"):
    return [row["id"] for row in body[key]]


async def test_each_page_repeats_the_last_row_of_the_one_before(api):
    """A walk meets one double for each further page, and no other."""
    pages = await api.walk(SEARCH, query="tram")
    assert len(pages) > 4
    for before, after in pairwise(pages):
        assert ids(before)[-1] == ids(after)[0]
    everything = [number for page in pages for number in ids(page)]
    assert len(everything) - len(set(everything)) == len(pages) - 1


async def test_an_empty_cursor_is_the_first_page(api):
    """Sending the parameter without a value is the same as not sending it."""
    assert await api.body(SEARCH, query="tram", cursor="") == await api.body(SEARCH, query="tram")


async def test_a_search_ends_with_false_and_an_empty_cursor(api):
    """Both signs of the end agree on its last page."""
    last = (await api.walk(SEARCH, query="tram"))[-1]
    assert (last["has_next_page"], last["next_cursor"]) == (False, "")


async def test_a_timeline_ends_with_false_and_a_cursor_left_over(api):
    """Only the flag says that it is over; the cursor looks as if there were more."""
    last = (await api.walk("/twitter/user/last_tweets", userName="tramwatch_sbx", includeReplies="true"))[-1]
    assert last["has_next_page"] is False
    assert last["next_cursor"]


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/twitter/user/mentions", {"userName": "sallowtram_sbx"}),
        ("/twitter/community/tweets", {"community_id": "community"}),
    ],
)
async def test_mentions_and_communities_end_with_a_null_cursor(api, hint, path, params):
    """The flag is false and the cursor is no text at all."""
    last = (await api.walk(path, **{name: hint.get(value, value) for name, value in params.items()}))[-1]
    assert (last["has_next_page"], last["next_cursor"]) == (False, None)
    assert last.get("has_next", False) is False


@pytest.mark.parametrize(
    ("path", "name", "key"),
    [
        ("/twitter/tweet/quotes", "post with quotes", "tweets"),
        ("/twitter/tweet/retweeters", "post with reposts", "users"),
    ],
)
async def test_quotes_and_retweeters_announce_one_page_too_many(api, hint, path, name, key):
    """The last full page promises more, and the next one is empty."""
    pages = await api.walk(path, tweetId=hint[name])
    assert pages[-2]["has_next_page"] is True
    assert pages[-2][key]
    assert pages[-1][key] == []


async def test_a_thread_goes_on_announcing_after_its_empty_page(api, hint):
    """An empty page with a cursor and a promise is what its end looks like."""
    pages = await api.walk("/twitter/tweet/thread_context", tweetId=hint["post with a thread"])
    empty = next(page for page in pages if page["tweets"] == [])
    assert empty["has_next_page"] is True
    assert empty["next_cursor"]


async def test_followers_have_numeric_cursors_and_end_with_a_zero(api):
    """Cursors are nineteen digits, two full pages have 200 rows, and the last cursor is ``0``."""
    pages = await api.walk("/twitter/user/followers", userName="sallowtram_sbx")
    assert [len(page["followers"]) for page in pages[:2]] == [200, 200]
    assert all(re.fullmatch(r"\d{19}", page["next_cursor"]) for page in pages[:-1])
    assert (pages[-1]["has_next_page"], pages[-1]["next_cursor"]) == (False, "0")


@pytest.mark.parametrize(
    ("asked", "given"), [("1", 20), ("20", 20), ("57", 57), ("200", 200), ("5000", 200), ("", 200)]
)
async def test_the_page_size_of_followers_is_clamped(api, asked, given):
    """Whatever size is asked for, a page has from 20 to 200 rows, and 200 when none is given."""
    body = await api.body("/twitter/user/followers", userName="sallowtram_sbx", pageSize=asked)
    assert len(body["followers"]) == given


async def test_the_page_size_may_change_between_pages(api):
    """A cursor names a place and not a page, so the next page begins where the last one ended."""
    first = await api.body("/twitter/user/followers", userName="sallowtram_sbx", pageSize=20)
    second = await api.body(
        "/twitter/user/followers", userName="sallowtram_sbx", pageSize=200, cursor=first["next_cursor"]
    )
    assert first["followers"][-1] == second["followers"][0]


@pytest.mark.parametrize("cursor", ["x", "DAAF", "DAAFAAAA", "é", "0", "1" * 19, "🚋", "DAAF" + "A" * 44, "\x00"])
@pytest.mark.parametrize("path", [SEARCH, "/twitter/user/followers"])
async def test_a_cursor_that_was_never_issued_is_refused(api, path, cursor):
    """Invented, cut or foreign cursors are a 400, never the first page again."""
    answer = await api.get(path, query="tram", userName="sallowtram_sbx", cursor=cursor)
    assert (answer.status_code, answer.json()) == (400, {"detail": "invalid cursor"})


async def test_a_cursor_belongs_to_its_listing(api):
    """The cursor of one query is refused by another query."""
    cursor = (await api.body(SEARCH, query="tram"))["next_cursor"]
    assert (await api.get(SEARCH, query="bees", cursor=cursor)).status_code == 400


@given(st.text(max_size=80), st.booleans())
def test_reading_any_text_as_a_cursor_never_fails_otherwise(text, numeric):
    """Every text that was not issued is an unknown cursor, whatever characters it has."""
    with pytest.raises(UnknownCursor):
        Cursors(scope="a", numeric=numeric).read(text)


@given(st.integers(0, 9_999_999), st.sampled_from(Mark), st.booleans())
def test_a_cursor_says_what_it_was_issued_for(offset, mark, numeric):
    """It carries offset and mark there and back, and only within its own listing."""
    cursors = Cursors(scope="a", numeric=numeric)
    assert cursors.read(cursors.issue(offset, mark)) == (offset, mark)
    with pytest.raises(UnknownCursor):
        Cursors(scope="b", numeric=numeric).read(cursors.issue(offset, mark))


ENDINGS = ["plain", "stale", "null", "zero", "announced", "announced_twice"]


@given(st.integers(0, 130), st.integers(2, 40), st.sampled_from(ENDINGS), st.booleans())
def test_a_walk_returns_every_row_in_order_and_ends(total, size, ending, gaps):
    """For every length, page size and way of ending, no row is lost, and there is a last page."""
    rows, seen, cursor = list(range(total)), [], ""
    cursors = Cursors(scope="walk")
    for _ in range(300):
        page = turn(
            rows,
            cursors=cursors,
            size=size,
            cursor=cursor,
            ending=ending,
            faults=frozenset({"empty_then_more"} if gaps else ()),
        )
        seen += [row for row in page.rows or () if row not in seen]
        if not page.more:
            break
        cursor = page.cursor
    assert seen == rows
    assert page.more is False


async def test_null_pager_ends_with_three_nulls(api):
    """The page after the last rows has null for rows, flag and cursor."""
    pages = await api.walk(SEARCH, fault="null_pager", query="from:crustandco_sbx")
    assert pages[-1] == {"tweets": None, "has_next_page": None, "next_cursor": None}
    assert pages[-2]["tweets"]


async def test_empty_then_more_puts_an_empty_page_between_full_ones(api):
    """A page without rows is not the end as long as more is announced."""
    pages = await api.walk(SEARCH, fault="empty_then_more", query="tram")
    assert pages[0]["tweets"]
    assert pages[1]["tweets"] == []
    assert pages[1]["has_next_page"] is True
    assert pages[2]["tweets"]


async def test_true_without_cursor_announces_more_and_gives_no_cursor(api):
    """More is promised, and there is no way to get it."""
    body = await api.body(SEARCH, fault="true_without_cursor", query="tram")
    assert (body["has_next_page"], body["next_cursor"]) == (True, "")


async def test_cursor_loop_gives_the_same_cursor_for_ever(api):
    """A client that only follows cursors reads the same page again and again."""
    pages = await api.walk(SEARCH, fault="cursor_loop", limit=5, query="from:crustandco_sbx")
    assert len(pages) == 5
    assert len({page["next_cursor"] for page in pages}) == 1
    assert ids(pages[2]) == ids(pages[3])


async def test_cursor_cycle_alternates_between_two_cursors(api):
    """Comparing a cursor with the one before does not reveal this circle."""
    pages = await api.walk(SEARCH, fault="cursor_cycle", limit=6, query="tram")
    cursors = [page["next_cursor"] for page in pages]
    assert len(set(cursors)) == 2
    assert cursors[:4] == [cursors[0], cursors[1]] * 2


async def test_duplicate_pages_are_the_same_page_under_new_cursors(api):
    """Every cursor is new, and no row is."""
    pages = await api.walk(SEARCH, fault="duplicate_pages", limit=5, query="tram")
    assert len({page["next_cursor"] for page in pages}) == 5
    assert len({tuple(ids(page)) for page in pages}) == 1


async def test_overlapping_pages_repeat_half_a_page(api):
    """The second half of a page comes again as the first half of the next one."""
    first, second = (await api.walk(SEARCH, fault="overlapping_pages", limit=2, query="tram"))[:2]
    assert ids(first)[10:] == ids(second)[:10]


@pytest.mark.parametrize("fault", ["cursor_loop", "cursor_cycle", "null_pager", "empty_then_more", "duplicate_pages"])
async def test_paging_faults_work_on_numeric_cursors_too(api, fault):
    """The cursors that a fault invents look like the other cursors of their listing."""
    pages = await api.walk("/twitter/user/followers", fault=fault, limit=4, userName="sallowtram_sbx")
    assert len(pages) == 4
    assert all(page["next_cursor"] is None or page["next_cursor"].isdigit() for page in pages)
