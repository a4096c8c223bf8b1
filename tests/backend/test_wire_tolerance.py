"""Nothing that the upstream may send instead of a value makes a reading fail in an unknown way."""

from __future__ import annotations

import asyncio
import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wire_bodies import SAMPLES, Body, Run, sample_cases

from twitter_tool.backends.twitterapi.plan import Reading
from twitter_tool.backends.twitterapi.wire.accounts import about, account
from twitter_tool.backends.twitterapi.wire.articles import article, provenance
from twitter_tool.backends.twitterapi.wire.posts import post
from twitter_tool.backends.twitterapi.wire.spaces import space
from twitter_tool.backends.twitterapi.wire.trends import trends
from twitter_tool.errors import TwitterToolError
from twitter_tool.records import Post

ARGUMENTS: dict[str, dict[str, Any]] = {
    "posts": {"from_date": "2026-09-01", "to_date": "2026-09-21"},
    "users": {"mode": "users"},
    "thread": {"mode": "thread", "tweet": "7"},
    "user": {"mode": "user", "user": "ann"},
    "trends": {"mode": "trends", "woeid": 1},
    "replies": {"mode": "replies", "tweet": "2097656261641236494"},
    "quotes": {"mode": "quotes", "tweet": "7"},
    "mentions": {"mode": "mentions", "user": "ann"},
    "followers": {"mode": "followers", "user": "ann"},
    "followings": {"mode": "followings", "user": "ann"},
    "profile": {"mode": "profile", "user": "ann"},
    "about": {"mode": "about", "user": "ann"},
    "tweets": {"mode": "tweets", "ids": ["7", "2097656261641236494"]},
    "retweeters": {"mode": "retweeters", "tweet": "7"},
    "community": {"mode": "community", "communityId": "1"},
    "list": {"mode": "list", "listId": "1"},
    "space": {"mode": "space", "spaceId": "1Ab"},
    "article": {"mode": "article", "tweet": "2096538899055636500"},
}
BODIES = {name: [case["body"] for case in sample_cases(name) if isinstance(case["body"], dict)] for name in ARGUMENTS}
STRANGE: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    2**63,
    10**40,
    1.5,
    1e308,
    "",
    " ",
    "x",
    "0",
    "-5",
    "9" * 5000,
    "\ud800",
    "\u202e\u0000\n",
    "https://x.com/a/status/7",
    "https://[::1",
    "https://x.com:99999/a/status/7",
    "http://\u2100.com/",
    "Mon Sep 21 10:00:00 +0000 2026",
    "0000-00-00",
    "9999-12-31T23:59:59-14:00",
    [],
    {},
    [None],
    [[]],
    [{}],
    {"": None},
    {"media": [{}]},
    {"urls": [{}]},
    {"string_value": "x"},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a body, the whole of it left out."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, member in members for place in ((*path, key), *places(member, (*path, key)))]


@st.composite
def damaged(draw: st.DrawFn, name: str) -> Body:
    """A recorded body with some of its members replaced or removed."""
    body: Body = copy.deepcopy(draw(st.sampled_from(BODIES[name])))
    for _ in range(draw(st.integers(1, 4))):
        known = places(body)
        if not known:
            break
        *path, key = draw(st.sampled_from(known))
        holder: Any = body
        for part in path:
            holder = holder[part]
        if draw(st.booleans()) and draw(st.booleans()):
            del holder[key]
        else:
            holder[key] = copy.deepcopy(draw(st.sampled_from(STRANGE)))
    return body


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_a_damaged_answer_gives_a_reading_or_an_error_of_ours(name: str, data: st.DataObject) -> None:
    """Whatever is replaced or missing in it, on every page of a read."""
    body = data.draw(damaged(name))
    second = data.draw(damaged("tweets" if name == "article" else name))
    run = Run({**ARGUMENTS[name]}, [body, second, *([{}] * 5)], secrets=("secret-key",))
    found = asyncio.run(outcome(run))
    if isinstance(found, TwitterToolError):
        assert found.code in ("upstream_malformed", "not_found", "account_unavailable")
        assert found.http_status == 200
        assert found.retryable is False
        return
    assert found.pages <= 5
    assert run.usage.posts_returned >= sum(isinstance(record, Post) for record in found.records)


async def outcome(run: Run) -> Reading | TwitterToolError:
    """What a run ends with; any other exception goes through."""
    try:
        return await run()
    except TwitterToolError as error:
        return error


def readers(raw: Any) -> None:
    """Give one value to every reader that takes it."""
    post(raw)
    account(raw)
    post({"text": "t", "quoted_tweet": raw, "retweeted_tweet": raw, "author": raw, "card": raw, "article": raw})
    post({"text": "t", "entities": raw, "extendedEntities": raw})
    trends(raw if isinstance(raw, list) else [raw])
    if isinstance(raw, dict):
        about(raw, "ann")
        space(raw, "1Ab")
        article(raw, "50")
        provenance(raw, raw, "50")
        provenance({"tweets": [raw]}, {"author": raw}, "50")


@pytest.mark.parametrize("value", STRANGE, ids=[f"{type(value).__name__}{at}" for at, value in enumerate(STRANGE)])
def test_each_reader_takes_each_strange_value(value: Any) -> None:
    """At its top and in every member that it knows."""
    readers(value)
    for name in ("posts", "tweets", "profile", "about", "trends", "space", "article"):
        for body in BODIES[name]:
            for key, rows in body.items():
                readers({**body, key: value})
                for row in [rows, *(rows if isinstance(rows, list) else [])]:
                    if isinstance(row, dict):
                        for member in row:
                            readers({**row, member: value})


NAMES = (  # what readers look for
    *("id", "text", "url", "author", "userName", "screen_name", "createdAt", "quoted_tweet", "retweeted_tweet"),
    *("entities", "urls", "expanded_url", "card", "legacy", "binding_values", "key", "value", "string_value"),
    *("article", "title", "contents", "type", "extendedEntities", "media", "video_info", "variants", "bitrate"),
    *("trend", "name", "target", "query", "data", "tweets"),
)
json_values = st.recursive(
    st.sampled_from(STRANGE) | st.text(max_size=6) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(NAMES),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(json_values)
def test_each_reader_takes_any_value_at_all(value: Any) -> None:
    """Built from the names that readers look for."""
    readers(value)


def test_the_samples_are_all_there() -> None:
    """So that the tests above mean something."""
    assert {path.stem for path in Path(SAMPLES).glob("*.json")} == {*ARGUMENTS, "errors"}
    assert sum(len(sample_cases(name)) for name in (*ARGUMENTS, "errors")) == 125
