"""A checked request becomes the requests to make: exact paths, exact parameters, exact limits."""

from __future__ import annotations

from typing import Any

import pytest

from twitter_tool.backends.twitterapi.plan import (
    AccountPlan,
    ArticlePlan,
    BatchPlan,
    Plan,
    Reading,
    SpacePlan,
    TrendsPlan,
    WalkPlan,
)
from twitter_tool.errors import RequestError
from twitter_tool.modes.base import PlanContext
from twitter_tool.modes.request import parse
from twitter_tool.records import Post
from twitter_tool.settings import Settings

UTC = Settings().replaced("user", time_zone="UTC")


def planned(arguments: dict[str, Any], settings: Settings = UTC) -> Plan:
    request = parse({"query": "q", **arguments})
    return request.mode.plan(request.params, PlanContext(query=request.query, settings=settings))


def walk(arguments: dict[str, Any], settings: Settings = UTC) -> WalkPlan:
    plan = planned(arguments, settings)
    assert isinstance(plan, WalkPlan)
    return plan


def sent(plan: Any) -> dict[str, str]:
    """The parameters that are sent: empty ones are not."""
    return {name: value for name, value in plan.params if value}


WALKS = [
    ({}, "/twitter/tweet/advanced_search", {"query": "q", "queryType": "Latest"}),
    ({"queryType": "Top", "count": 3}, "/twitter/tweet/advanced_search", {"query": "q", "queryType": "Top"}),
    ({"mode": "users", "count": 5}, "/twitter/user/search", {"query": "q"}),
    ({"mode": "thread", "tweet": "7"}, "/twitter/tweet/thread_context", {"tweetId": "7"}),
    ({"mode": "user", "user": "@ann"}, "/twitter/user/last_tweets", {"userName": "ann"}),
    ({"mode": "user", "user": "@ann", "userId": "42"}, "/twitter/user/last_tweets", {"userId": "42"}),
    ({"mode": "user", "userId": " 42 ", "limit": 3}, "/twitter/user/last_tweets", {"userId": "42"}),
    (
        {"mode": "user", "user": "a", "includeReplies": True},
        "/twitter/user/last_tweets",
        {"userName": "a", "includeReplies": "true"},
    ),
    ({"mode": "user", "user": "a", "includeReplies": False}, "/twitter/user/last_tweets", {"userName": "a"}),
    ({"mode": "replies", "tweet": "7"}, "/twitter/tweet/replies/v2", {"tweetId": "7"}),
    (
        {"mode": "replies", "tweet": "7", "replySort": "Relevance"},
        "/twitter/tweet/replies/v2",
        {"tweetId": "7", "queryType": "Relevance"},
    ),
    (
        {"mode": "replies", "tweet": "7", "sinceTime": 0},
        "/twitter/tweet/replies",
        {"tweetId": "7", "sinceTime": "0"},
    ),
    (
        {"mode": "replies", "tweet": "7", "sinceTime": 1.0, "untilTime": 2, "replySort": "Latest"},
        "/twitter/tweet/replies",
        {"tweetId": "7", "sinceTime": "1", "untilTime": "2"},
    ),
    ({"mode": "quotes", "tweet": "7"}, "/twitter/tweet/quotes", {"tweetId": "7"}),
    (
        {"mode": "quotes", "tweet": "7", "sinceTime": 0, "untilTime": 0, "includeReplies": False},
        "/twitter/tweet/quotes",
        {"tweetId": "7", "sinceTime": "0", "untilTime": "0", "includeReplies": "false"},
    ),
    (
        {"mode": "quotes", "tweet": "7", "includeReplies": True},
        "/twitter/tweet/quotes",
        {"tweetId": "7", "includeReplies": "true"},
    ),
    (
        {"mode": "mentions", "user": "a", "untilTime": 9},
        "/twitter/user/mentions",
        {"userName": "a", "untilTime": "9"},
    ),
    ({"mode": "followers", "user": "@@a"}, "/twitter/user/followers", {"userName": "a"}),
    (
        {"mode": "followers", "user": "a", "pageSize": 20},
        "/twitter/user/followers",
        {"userName": "a", "pageSize": "20"},
    ),
    ({"mode": "followings", "user": "a"}, "/twitter/user/followings", {"userName": "a"}),
    ({"mode": "retweeters", "tweet": "7"}, "/twitter/tweet/retweeters", {"tweetId": "7"}),
    ({"mode": "community", "communityId": " 5 "}, "/twitter/community/tweets", {"community_id": "5"}),
    ({"mode": "list", "listId": "5", "limit": 1000}, "/twitter/list/tweets_timeline", {"listId": "5"}),
]


@pytest.mark.parametrize(("arguments", "path", "params"), WALKS)
def test_a_listing_asks_its_own_endpoint_with_its_own_spelling(
    arguments: dict[str, Any], path: str, params: dict[str, str]
) -> None:
    """Limits and the kind of output stay here; what was not given is not sent."""
    plan = walk({**arguments, "output": "posts"})
    assert plan.path == path
    assert sent(plan) == params


@pytest.mark.parametrize(
    ("arguments", "target"),
    [
        ({}, 10),
        ({"count": 50}, 50),
        ({"mode": "users"}, 20),
        ({"mode": "users", "count": 1}, 1),
        ({"mode": "thread", "tweet": "7"}, None),
        ({"mode": "replies", "tweet": "7"}, None),
        ({"mode": "replies", "tweet": "7", "sinceTime": 1, "limit": 3}, 3),
        ({"mode": "list", "listId": "5", "limit": 9}, 9),
    ],
)
def test_how_many_are_wanted(arguments: dict[str, Any], target: int | None) -> None:
    """Searches have a default, everything else is read until it ends."""
    assert walk(arguments).target == target


def test_single_look_ups() -> None:
    """One path, one parameter, in the endpoint's own spelling."""
    trends = planned({"mode": "trends", "woeid": 0})
    assert isinstance(trends, TrendsPlan)
    assert (trends.path, sent(trends)) == ("/twitter/trends", {"woeid": "0"})
    assert sent(planned({"mode": "trends", "woeid": 1, "count": 30})) == {"woeid": "1", "count": "30"}
    profile, about = planned({"mode": "profile", "user": "a"}), planned({"mode": "about", "user": "@a"})
    assert isinstance(profile, AccountPlan)
    assert isinstance(about, AccountPlan)
    assert (profile.path, sent(profile), profile.about) == ("/twitter/user/info", {"userName": "a"}, False)
    assert (about.path, sent(about), about.about) == ("/twitter/user_about", {"userName": "a"}, True)
    space = planned({"mode": "space", "spaceId": "1Ab"})
    assert isinstance(space, SpacePlan)
    assert (space.path, sent(space)) == ("/twitter/spaces/detail", {"space_id": "1Ab"})


def test_only_undated_and_dated_replies_carry_a_route() -> None:
    """Zero is a date."""
    assert walk({"mode": "replies", "tweet": "7"}).route == "replies-v2"
    assert walk({"mode": "replies", "tweet": "7", "untilTime": 1}).route == "replies-window"
    assert walk({"mode": "replies", "tweet": "7", "sinceTime": 0}).route == "replies-window"
    assert walk({"mode": "quotes", "tweet": "7", "sinceTime": 0}).route is None


COMPOSED = [
    ("cats OR dogs", {}, "cats OR dogs"),
    ("  cats ", {}, "cats"),
    ("cats OR dogs", {"allowed_x_handles": ["alice"]}, "(cats OR dogs) from:alice"),
    (
        "cats OR dogs",
        {"allowed_x_handles": ["@a", "b"], "from_date": "2026-09-01"},
        "(cats OR dogs) (from:a OR from:b) since:2026-08-31",
    ),
    ("q", {"excluded_x_handles": ["x", "y"]}, "(q) -from:x -from:y"),
    ("q", {"allowed_x_handles": []}, "q"),
    ("q", {"to_date": "2026-09-25"}, "(q) until:2026-09-25"),
    (
        "q",
        {"excluded_x_handles": ["x"], "from_date": "2026-01-01", "to_date": "2026-01-15"},
        "(q) -from:x since:2025-12-31 until:2026-01-15",
    ),
]


@pytest.mark.parametrize(("query", "own", "composed"), COMPOSED)
def test_the_search_expression(query: str, own: dict[str, Any], composed: str) -> None:
    """Untouched without constraints; with any, in parentheses before them."""
    assert sent(walk({"query": query, **own}))["query"] == composed


def test_an_expression_longer_than_the_upstream_answers_is_refused_with_the_length_of_its_parts() -> None:
    """The upstream would answer an empty success, which reads like a finding."""
    assert len(sent(walk({"query": "w" * 512}))["query"]) == 512
    with pytest.raises(RequestError) as caught:
        planned({"query": "w" * 513})
    assert caught.value.code == "invalid_request"
    own = {"allowed_x_handles": ["a", "b"], "from_date": "2026-09-01"}
    assert len(sent(walk({**own, "query": "w" * 400}))["query"]) == 438
    with pytest.raises(RequestError) as caught:
        planned({**own, "query": "w" * 480})
    for part in ("518", "512", "query 480", "handles 18", "dates 16"):
        assert part in caught.value.message
    assert "split the handle list" in str(caught.value.hint)


def test_length_counts_characters_not_bytes() -> None:
    """An emoji is one."""
    planned({"query": "\U0001f600" * 512})
    with pytest.raises(RequestError):
        planned({"query": "\U0001f600" * 513})


def test_an_account_search_is_no_longer_than_an_address_can_carry() -> None:
    """Refused before anything is sent."""
    planned({"mode": "users", "query": "w" * 4096})
    with pytest.raises(RequestError, match="4097"):
        planned({"mode": "users", "query": "w" * 4097})


def budget(**values: int) -> Settings:
    return UTC.replaced("user", **values)


def ids(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]


@pytest.mark.parametrize(("count", "sizes"), [(1, [1]), (50, [50]), (51, [50, 1]), (100, [50, 50])])
def test_posts_by_id_are_looked_up_in_batches_of_fifty_in_order(count: int, sizes: list[int]) -> None:
    """Nothing is lost between batches."""
    plan = planned({"mode": "tweets", "ids": ids(count)})
    assert isinstance(plan, BatchPlan)
    assert plan.path == "/twitter/tweets"
    assert [len(batch) for batch in plan.batches] == sizes
    assert list(plan.ids) == ids(count)


@pytest.mark.parametrize("values", [{"max_pages": 1}, {"max_pages": 5, "max_pages_ceiling": 1}])
def test_what_does_not_fit_the_page_budget_is_refused_before_anything_is_sent(values: dict[str, int]) -> None:
    """Two batches, and an article with its post, need two requests."""
    planned({"mode": "tweets", "ids": ids(50)}, budget(**values))
    for arguments in ({"mode": "tweets", "ids": ids(51)}, {"mode": "article", "tweet": "50"}):
        with pytest.raises(RequestError) as caught:
            planned(arguments, budget(**values))
        assert caught.value.code == "invalid_request"
        assert "max_pages" in caught.value.message


def test_an_article_is_read_with_the_post_that_carries_it() -> None:
    """Both look-ups use the id that was asked for."""
    plan = planned({"mode": "article", "tweet": "https://x.com/a/status/50"}, budget(max_pages=2))
    assert isinstance(plan, ArticlePlan)
    assert (plan.path, plan.provenance_path, plan.post_id) == ("/twitter/article", "/twitter/tweets", "50")


def hinted(arguments: dict[str, Any], **reading: Any) -> bool:
    plan = walk(arguments)
    read = Reading(**{"records": (), "stop": "exhausted", **reading})
    return any(entry.code == "search_hint" for entry in plan.finish(read))


def test_an_empty_account_search_of_several_words_gets_a_hint() -> None:
    """One word, or any result, does not."""
    assert hinted({"mode": "users", "query": "two words"})
    assert not hinted({"mode": "users", "query": "one"})
    assert not hinted({"mode": "users", "query": "two words"}, records=(Post(),))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("harbour wall repair cost", True),
        ("harbour wall repair", False),
        ('harbour "wall repair" cost now', False),
        ("harbour wall OR repair cost", False),
        ("harbour wall repair cost from:ann", False),
        ("harbour wall repair -cost", False),
        ("harbour wall (repair cost)", False),
        ("harbour wall repair #cost", False),
        ("why well-known harbour walls, or others, break", True),
    ],
)
def test_an_empty_post_search_of_many_plain_words_gets_a_hint(query: str, expected: bool) -> None:
    """All words must match, so four are many; someone who writes operators knows."""
    assert hinted({"query": query}) is expected
    assert not hinted({"query": query}, records=(Post(),))


def test_posts_that_were_only_outside_the_days_are_no_reason_for_a_hint() -> None:
    """The words did match."""
    own = {"query": "harbour wall repair cost", "from_date": "2026-09-01"}
    assert hinted(own)
    assert not hinted(own, older=1)
    assert not hinted(own, newer=1)


def test_dated_replies_always_say_that_the_root_was_not_checked() -> None:
    """Whatever came; undated replies say nothing."""
    dated = walk({"mode": "replies", "tweet": "7", "sinceTime": 0})
    for records in ((), (Post(),)):
        (entry,) = dated.finish(Reading(records=records, stop="exhausted"))
        assert (entry.code, dict(entry.figures)) == ("replies_root_unverified", {})
    assert walk({"mode": "replies", "tweet": "7"}).finish(Reading(records=(), stop="exhausted")) == ()
