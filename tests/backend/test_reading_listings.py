"""Listings read page by page, up to the records, the reason they end and what is said about it."""

from __future__ import annotations

from typing import Any

import pytest
from wire_bodies import Body, Run, figures, ids, last, page, raw_account, raw_post, timeline

from twitter_tool.errors import TwitterToolError, UpstreamError
from twitter_tool.records import Account, Post

REPLIES = {"mode": "replies", "tweet": "7"}
THREAD = {"mode": "thread", "tweet": "7"}
USER = {"mode": "user", "user": "ann"}
QUOTES = {"mode": "quotes", "tweet": "7"}


def at(time: str, number: int) -> Body:
    """A post of the 25th or 26th of September 2026, such as ``25T23:00``."""
    return raw_post(number, createdAt=f"2026-09-{time}:00Z")


async def failed(run: Run) -> TwitterToolError:
    with pytest.raises(TwitterToolError) as caught:
        await run()
    return caught.value


async def test_pages_are_read_until_the_listing_ends_and_repeat_every_parameter() -> None:
    """Only the cursor is added, and the order is upstream's."""
    run = Run(
        {"mode": "replies", "tweet": "7", "sinceTime": 10, "untilTime": 20},
        [page([raw_post(3), raw_post(9)], "c1"), last([raw_post(1)])],
    )
    reading = await run()
    assert run.script.sent == [
        {"tweetId": "7", "sinceTime": "10", "untilTime": "20"},
        {"tweetId": "7", "sinceTime": "10", "untilTime": "20", "cursor": "c1"},
    ]
    assert ids(reading) == ["3", "9", "1"]
    assert (reading.stop, reading.pages) == ("exhausted", 2)


async def test_dated_replies_are_not_filtered_by_their_own_time() -> None:
    """The dates go upstream, and what comes back is shown."""
    run = Run({**REPLIES, "sinceTime": 10, "untilTime": 20}, [last([raw_post(1, createdAt="2026-09-21T10:00:00Z")])])
    assert ids(await run()) == ["1"]


async def test_a_target_that_is_met_is_complete_even_without_a_cursor() -> None:
    """One post was wanted and one is there."""
    answer = {"tweets": [raw_post(1)], "has_next_page": True}
    reading = await Run({"count": 1}, [answer])()
    assert (ids(reading), reading.stop, figures(reading)) == (["1"], "target", {})


async def test_a_missing_cursor_leaves_a_target_unmet_and_is_disclosed() -> None:
    """Two were wanted, more was announced, and nobody said where."""
    reading = await Run({"count": 2}, [{"tweets": [raw_post(1)], "has_next_page": True}])()
    assert reading.stop == "cursor_missing"
    assert figures(reading) == {"truncated": {"reason": "cursor_missing", "pages": 1, "kind": "posts"}}


async def test_a_limit_cuts_a_page_and_what_was_cut_still_counts_as_returned() -> None:
    """Duplicates, stubs and posts beyond the target were all sent."""
    run = Run({**QUOTES, "limit": 2}, [page([raw_post(1), raw_post(2), raw_post(3)], "c1")])
    reading = await run()
    assert (ids(reading), reading.stop) == (["1", "2"], "target")
    assert "truncated" not in figures(reading)
    assert run.usage.posts_returned == 3
    run = Run({"count": 1}, [last([raw_post(1), raw_post(1), {}, raw_post(2)])])
    assert ids(await run()) == ["1"]
    assert run.usage.posts_returned == 4


@pytest.mark.parametrize("first", [[], [{}], [None, "x", {"id": "1"}]])
async def test_a_page_without_usable_posts_is_not_the_end(first: list[Any]) -> None:
    """A fresh cursor is followed."""
    run = Run(QUOTES, [page(first, "c1"), last([raw_post(1)])])
    reading = await run()
    assert (ids(reading), reading.pages) == (["1"], 2)


async def test_such_pages_are_charged_to_the_budget() -> None:
    """Empty ones and repeated ones alike."""
    run = Run(QUOTES, [page([], f"c{number}") for number in range(3)], settings={"max_pages": 3})
    reading = await run()
    assert (reading.stop, reading.pages) == ("page_cap", 3)
    again = [raw_post(1)]
    run = Run(QUOTES, [page(again, "a"), page(again, "b"), page(again, "c")], settings={"max_pages": 3})
    assert (ids(await run()), run.script.left) == (["1"], 0)


async def test_an_empty_page_ends_a_thread_whatever_its_pager_says() -> None:
    """And is not a truncation; it has no second progress event."""
    run = Run(THREAD, [page([raw_post(1)], "c1"), page([], "c2")])
    reading = await run()
    assert (ids(reading), reading.stop) == (["1"], "exhausted")
    assert "truncated" not in figures(reading)
    assert run.events == ["page 1/5 · 0 posts", "page 1/5 · 1 posts", "page 2/5 · 1 posts"]


async def test_repeated_or_unusable_rows_do_not_end_a_thread() -> None:
    """Only a page with no rows at all does."""
    pages = [page([raw_post(1)], "c1"), page([raw_post(1)], "c2"), page([{}], "c3"), last([raw_post(2)])]
    reading = await Run(THREAD, pages)()
    assert (ids(reading), reading.pages) == (["1", "2"], 4)


@pytest.mark.parametrize(("cursors", "pages"), [(["same", "same"], 2), (["c1", "c2", "c1"], 3)])
async def test_a_cycle_of_cursors_ends_the_walk_with_what_was_read(cursors: list[str], pages: int) -> None:
    """And is disclosed."""
    answers = [page([raw_post(number)], cursor) for number, cursor in enumerate(cursors, 1)]
    reading = await Run(QUOTES, answers)()
    assert len(reading.records) == pages
    assert figures(reading)["truncated"] == {"reason": "cursor_cycle", "pages": pages, "kind": "quotes"}


REMAINING = [
    ({"mode": "posts"}, "tweets", "posts"),
    ({"mode": "users"}, "users", "accounts"),
    (THREAD, "tweets", "posts of the thread"),
    (USER, "tweets", "timeline posts"),
    (REPLIES, "tweets", "replies"),
    (QUOTES, "tweets", "quotes"),
    ({"mode": "mentions", "user": "a"}, "tweets", "mentions"),
    ({"mode": "followers", "user": "a"}, "followers", "followers"),
    ({"mode": "followings", "user": "a"}, "followings", "followings"),
    ({"mode": "retweeters", "tweet": "7"}, "users", "reposting accounts"),
    ({"mode": "community", "communityId": "1"}, "tweets", "community posts"),
    ({"mode": "list", "listId": "1"}, "tweets", "list posts"),
]


@pytest.mark.parametrize(("arguments", "key", "remaining"), REMAINING)
async def test_every_listing_stops_at_the_page_limit_and_says_what_may_remain(
    arguments: dict[str, Any], key: str, remaining: str
) -> None:
    """In its own words, once."""
    row = raw_post(1) if key == "tweets" else raw_account("bob")
    run = Run(arguments, [page([row], "c1", key=key)], settings={"max_pages": 1})
    reading = await run()
    assert reading.stop == "page_cap"
    assert figures(reading)["truncated"] == {"reason": "page_cap", "pages": 1, "kind": remaining}


async def test_the_smaller_of_budget_and_ceiling_counts() -> None:
    """One page with a ceiling of one; twenty-one with both at twenty-one."""
    run = Run(QUOTES, [page([], "c1")], settings={"max_pages": 5, "max_pages_ceiling": 1})
    assert (await run()).pages == 1
    many = {"max_pages": 21, "max_pages_ceiling": 21}
    run = Run({"mode": "users"}, [page([], f"c{number}", key="users") for number in range(21)], settings=many)
    assert (await run()).pages == 21


@pytest.mark.parametrize(("arguments", "key", "remaining"), REMAINING)
async def test_a_page_without_its_rows_is_malformed(arguments: dict[str, Any], key: str, remaining: str) -> None:
    """Not an empty result; the missing member is named."""
    other = "users" if key != "users" else "accounts"
    for body in ({}, {other: []}, {key: {}}, {key: "x"}, {key: None, "has_next_page": True, "next_cursor": "c"}):
        error = await failed(Run(arguments, [body]))
        assert (error.code, error.http_status, error.retryable) == ("upstream_malformed", 200, False)
        assert key in error.message
        assert error.pages_accepted is None


@pytest.mark.parametrize(("arguments", "key", "remaining"), REMAINING)
async def test_null_rows_are_an_empty_last_page_when_nothing_follows(
    arguments: dict[str, Any], key: str, remaining: str
) -> None:
    """As the upstream ends some listings."""
    for body in ({key: None, "has_next_page": None, "next_cursor": None}, {key: None}):
        reading = await Run(arguments, [body])()
        assert (reading.records, reading.stop) == ((), "exhausted")


async def test_replies_and_threads_are_read_at_the_documented_place_too() -> None:
    """The live one first."""
    for arguments in (REPLIES, THREAD):
        assert ids(await Run(arguments, [last([raw_post(1)], key="replies")])()) == ["1"]
        both = {**last([raw_post(1)]), "replies": [raw_post(2)]}
        assert ids(await Run(arguments, [both])()) == ["1"]
        assert ids(await Run(arguments, [{"tweets": None, **last([raw_post(2)], key="replies")}])()) == ["2"]
    error = await failed(Run(QUOTES, [last([raw_post(1)], key="replies")]))
    assert error.code == "upstream_malformed"


async def test_a_timeline_is_read_inside_data_or_at_the_top() -> None:
    """Null data means that the account is gone."""
    assert ids(await Run(USER, [timeline([raw_post(1)])])()) == ["1"]
    assert ids(await Run(USER, [last([raw_post(1)])])()) == ["1"]
    assert ids(await Run(USER, [{"data": {"tweets": None, "pin_tweet": None}, "has_next_page": False}])()) == []
    for body in (
        {"data": {}},
        {"data": {"tweets": {}}},
        {"data": []},
        {"data": {"tweets": None}, "has_next_page": True},
    ):
        assert (await failed(Run(USER, [body]))).code == "upstream_malformed"
    for body in ({"data": None, "has_next_page": False}, {"data": None, "tweets": []}):
        error = await failed(Run(USER, [body]))
        assert (error.code, error.http_status) == ("not_found", 200)
        assert "@ann" in error.message


async def test_null_data_in_another_listing_means_nothing_special() -> None:
    """It is a timeline's way of saying that."""
    assert ids(await Run(QUOTES, [{"data": None, **last([raw_post(1)])}])()) == ["1"]


async def test_a_failure_on_a_later_page_discards_the_earlier_ones_and_counts_them() -> None:
    """They may be billed again."""
    for second in (UpstreamError("upstream_rejected", "down", http_status=500), {"tweets": 5}):
        error = await failed(Run(QUOTES, [page([raw_post(1)], "c1"), page([], "c2"), second]))
        assert error.pages_accepted == 2
        assert "billed again" in str(error.hint)
    first = await failed(Run(QUOTES, [UpstreamError("upstream_rejected", "down", hint="h")]))
    assert (first.pages_accepted, first.hint) == (None, "h")


async def test_attempts_of_a_wrongly_shaped_answer_include_its_retries() -> None:
    """It took three requests to get it."""
    run = Run(QUOTES, [{}])
    run.usage.upstream_attempts = 7
    fetch = run.script.fetch

    async def retried(request: Any) -> Body:
        run.usage.upstream_attempts += 2
        return await fetch(request)

    run.script.fetch = retried
    error = await failed(run)
    assert error.attempts == 3


DAY = {"from_date": "2026-09-25", "to_date": "2026-09-25"}
EAST = {"time_zone": "Etc/GMT-2"}
WEST = {"time_zone": "Etc/GMT+6"}


async def test_pages_that_only_lead_into_the_day_cost_no_budget() -> None:
    """The upstream's day runs six hours past a day at two hours east."""
    times = ["25T23:00", "26T01:00", "25T22:30", "25T12:00"]
    pages = [page([at(time, number)], f"c{number}") for number, time in enumerate(times)]
    run = Run({**DAY, "count": 1}, pages, settings={**EAST, "max_pages": 2, "max_pages_ceiling": 6})
    reading = await run()
    assert (ids(reading), reading.stop, reading.pages) == (["3"], "target", 4)
    assert figures(reading) == {"window_trimmed_newer": {"count": 3, "bandHours": 6}}
    assert run.events[0] == "page 1/6 · 0 posts"
    assert run.events[-1] == "page 4/6 · 1 posts"


async def test_the_ceiling_ends_free_pages() -> None:
    """The page count of the disclosure includes them."""
    pages = [page([at("25T23:59", number)], f"c{number}") for number in range(9)]
    run = Run({**DAY, "count": 5}, pages, settings={**EAST, "max_pages": 2, "max_pages_ceiling": 4})
    reading = await run()
    assert (reading.records, reading.stop, reading.pages) == ((), "page_cap", 4)
    assert figures(reading)["truncated"]["pages"] == 4


async def test_without_a_band_no_page_is_free() -> None:
    """Far in the west the upstream's day ends before the caller's."""
    pages = [page([at("26T07:00", number)], f"c{number}") for number in range(9)]
    run = Run({**DAY}, pages, settings={**WEST, "max_pages": 2, "max_pages_ceiling": 10})
    reading = await run()
    assert (reading.pages, reading.newer) == (2, 2)
    assert figures(reading)["window_shortfall"] == {"hours": 2}
    assert "bandHours" not in figures(reading)["window_trimmed_newer"]
    assert run.events[0] == "page 1/2 · 0 posts"


async def test_a_page_of_older_posts_only_is_charged() -> None:
    """It does not lead into the day."""
    pages = [page([at("24T12:00", number)], f"c{number}") for number in range(9)]
    run = Run({**DAY}, pages, settings={**EAST, "max_pages": 2, "max_pages_ceiling": 10})
    reading = await run()
    assert (reading.pages, reading.older) == (2, 2)
    assert figures(reading)["window_trimmed_older"] == {"count": 2}


async def test_a_mixed_page_is_free_too() -> None:
    """One post after the day is enough."""
    mixed = [at("25T23:00", 1), at("25T12:00", 2)]
    pages = [page(mixed, "a"), page([at("25T11:00", 3)], "b"), page([at("25T10:00", 4)], "c")]
    run = Run({**DAY}, pages, settings={**EAST, "max_pages": 2, "max_pages_ceiling": 10})
    assert (await run()).pages == 3


async def test_the_start_of_a_window_is_in_it_and_its_end_is_not() -> None:
    """A post without a readable time stays."""
    rows = [
        at("25T06:00", 1),
        raw_post(2, createdAt="2026-09-26T05:59:59Z"),
        raw_post(3, createdAt="garbage"),
        raw_post(4, createdAt=None),
        at("26T06:00", 5),
        at("25T05:00", 6),
        raw_post(7, createdAt="Fri Sep 25 05:59:59 +0000 2026"),
        raw_post(8, createdAt="Fri Sep 25 00:30:00 -0600 2026"),
    ]
    reading = await Run({**DAY}, [last(rows)], settings=WEST)()
    assert ids(reading) == ["1", "2", "3", "4", "8"]
    assert (reading.newer, reading.older) == (1, 2)


async def test_a_dropped_post_that_comes_again_is_counted_again_and_one_beyond_the_target_is_not() -> None:
    """Dropping comes before telling duplicates apart; a full result is not looked at further."""
    rows = [at("25T23:00", 1), at("25T23:00", 1), at("25T12:00", 2), at("25T23:00", 3), at("24T12:00", 4)]
    reading = await Run({**DAY, "count": 1}, [page(rows, "c")], settings=EAST)()
    assert (ids(reading), reading.newer, reading.older) == (["2"], 2, 0)


async def test_without_days_nothing_is_dropped() -> None:
    """Whatever its time."""
    reading = await Run({}, [last([at("25T23:00", 1), at("24T12:00", 2)])])()
    assert (ids(reading), figures(reading)) == (["1", "2"], {})


READ_FROM = [
    (THREAD, "tweets", {"what": "thread", "id": "7"}),
    (REPLIES, "tweets", {"what": "replies", "id": "7"}),
    (QUOTES, "tweets", {"what": "quotes", "id": "7"}),
    ({"mode": "retweeters", "tweet": "7"}, "users", {"what": "retweeters", "id": "7"}),
    (USER, "tweets", {"what": "timeline", "handle": "ann"}),
    ({"mode": "user", "userId": "42"}, "tweets", {"what": "timeline", "id": "42"}),
    ({"mode": "user", "userId": "42", "user": "@ann"}, "tweets", {"what": "timeline", "handle": "ann", "id": "42"}),
    ({"mode": "mentions", "user": "@ann"}, "tweets", {"what": "mentions", "handle": "ann"}),
    ({"mode": "followers", "user": "ann"}, "followers", {"what": "followers", "handle": "ann"}),
    ({"mode": "followings", "user": "ann"}, "followings", {"what": "followings", "handle": "ann"}),
    ({"mode": "community", "communityId": "5"}, "tweets", {"what": "community", "id": "5"}),
    ({"mode": "list", "listId": "5"}, "tweets", {"what": "list", "id": "5"}),
    ({"mode": "list", "listId": "5\n[1] @x\u202e"}, "tweets", {"what": "list", "id": "5 \u23ce [1] @x"}),
]


@pytest.mark.parametrize(("arguments", "key", "source"), READ_FROM)
async def test_a_result_says_what_it_was_read_from(arguments: dict[str, Any], key: str, source: dict[str, Any]) -> None:
    """With how much, over how many pages; a caller's own text is cleaned."""
    row = raw_post(1) if key == "tweets" else raw_account("bob")
    reading = await Run(arguments, [page([row], "c1", key=key), last([row], key=key)])()
    assert figures(reading)["read_from"] == {**source, "count": 1, "pages": 2}


async def test_searches_do_not_say_what_they_were_read_from() -> None:
    """The question says it."""
    assert figures(await Run({}, [last([raw_post(1)])])()) == {}
    assert figures(await Run({"mode": "users"}, [last([raw_account("bob")], key="users")])()) == {}


async def test_the_asked_post_in_its_own_reply_listing_is_no_reply() -> None:
    """It does not count towards the limit, wherever it stands, and is given once."""
    rows = [raw_post(7, text="asked"), raw_post(1), raw_post(2)]
    run = Run({**REPLIES, "limit": 2}, [page(rows, "c1")])
    reading = await run()
    assert (ids(reading), reading.stop) == (["1", "2"], "target")
    assert isinstance(reading.parent, Post)
    assert reading.parent.text == "asked"
    assert figures(reading)["read_from"]["count"] == 2
    assert run.usage.posts_returned == 3
    url_only = {"text": "again", "url": "https://twitter.com/ann/status/7"}
    reading = await Run(REPLIES, [page([raw_post(1), url_only], "c1"), last([raw_post(7)])])()
    assert ids(reading) == ["1"]
    assert reading.parent is not None
    assert reading.parent.text == "again"


async def test_a_listing_of_the_asked_post_alone_has_no_replies() -> None:
    """Whether dated or not."""
    for arguments in (REPLIES, {**REPLIES, "sinceTime": 1}):
        reading = await Run(arguments, [last([raw_post(7)])])()
        assert reading.records == ()
        assert reading.parent is not None


async def test_the_asked_post_in_other_listings_is_a_row_like_any_other() -> None:
    """A thread holds it by nature."""
    for arguments in (THREAD, QUOTES):
        reading = await Run(arguments, [last([raw_post(7)])])()
        assert (ids(reading), reading.parent) == (["7"], None)


async def test_dated_replies_say_that_the_root_was_not_checked() -> None:
    """Whether replies came or not."""
    for rows in ([], [raw_post(1)]):
        reading = await Run({**REPLIES, "sinceTime": 1}, [last(rows)])()
        assert "replies_root_unverified" in figures(reading)
    assert "replies_root_unverified" not in figures(await Run(REPLIES, [last([])])())


async def test_pins_of_a_timeline() -> None:
    """Placed, marked, counted and told apart through the whole reading."""
    run = Run({**USER, "limit": 2}, [timeline([raw_post(1), raw_post(3)], raw_post(2), cursor="c1")])
    reading = await run()
    assert (ids(reading), reading.stop) == (["2", "1"], "target")
    assert run.usage.posts_returned == 3
    run = Run(USER, [timeline([raw_post(200), raw_post(1)], cursor="c1"), timeline([], "200")])
    reading = await run()
    assert [post.pinned for post in reading.records if isinstance(post, Post)] == [True, False]
    assert run.usage.posts_returned == 2
    run = Run(USER, [timeline([raw_post(1)], "200")])
    assert figures(await run())["pin_not_returned"] == {"count": 1, "ids": ["200"]}
    assert run.script.left == 0


async def test_a_pin_beside_top_level_rows_is_seen() -> None:
    """In the documented shape."""
    reading = await Run(USER, [{**last([raw_post(1)]), "pin_tweet": raw_post(2)}])()
    assert ids(reading) == ["2", "1"]


async def test_pins_are_a_matter_of_timelines_only() -> None:
    """Elsewhere the member is ignored."""
    reading = await Run(QUOTES, [{**last([raw_post(1)]), "pin_tweet": raw_post(2)}])()
    assert ids(reading) == ["1"]


async def test_accounts_are_gathered_over_pages_and_counted_as_sent() -> None:
    """Duplicates and rows without a handle count as returned."""
    rows = [raw_account("ann"), raw_account("ANN"), {"screen_name": None}]
    run = Run({"mode": "users", "count": 2}, [page(rows, "c1", key="users"), last([raw_account("bob")], key="users")])
    reading = await run()
    assert [account.handle for account in reading.records if isinstance(account, Account)] == ["ann", "bob"]
    assert run.usage.accounts_returned == 4
    assert run.usage.posts_returned == 0


async def test_an_empty_account_search_of_two_words_gets_a_hint() -> None:
    """Through the whole reading."""
    reading = await Run({"mode": "users", "query": "two words"}, [last([], key="users")])()
    assert figures(reading) == {"search_hint": {"mode": "users"}}


async def test_progress_comes_before_each_request_and_after_each_page() -> None:
    """With the pages of the budget and what is kept so far."""
    run = Run({"count": 2}, [page([raw_post(1)], "c1"), page([raw_post(2)], "c2")], settings={"max_pages": 2})
    await run()
    assert run.events == ["page 1/2 · 0 posts", "page 1/2 · 1 posts", "page 2/2 · 1 posts", "page 2/2 · 2 posts"]
    run = Run({"mode": "users", "count": 1}, [last([raw_account("a")], key="users")])
    await run()
    assert run.events == ["page 1/5 · 0 accounts", "page 1/5 · 1 accounts"]


async def test_nothing_is_said_after_a_request_that_failed() -> None:
    """Only what was true before it."""
    run = Run(QUOTES, [UpstreamError("upstream_rejected", "down")])
    await failed(run)
    assert run.events == ["page 1/5 · 0 posts"]
