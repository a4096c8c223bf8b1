"""Links that people copy from X, given where an account, a list, a community or a Space is named."""

from __future__ import annotations

from typing import Any

import pytest

from twitter_tool.errors import RequestError
from twitter_tool.modes.base import PlanContext
from twitter_tool.modes.request import parse
from twitter_tool.settings import Settings


def sent(arguments: dict[str, Any]) -> dict[str, str]:
    """The upstream parameters of a call."""
    request = parse({"query": "q", **arguments})
    plan = request.mode.plan(request.params, PlanContext(query=request.query, settings=Settings()))
    return {name: value for name, value in plan.params if value}


@pytest.mark.parametrize(
    ("arguments", "params"),
    [
        ({"mode": "profile", "user": "https://x.com/nasa"}, {"userName": "nasa"}),
        ({"mode": "user", "user": "https://twitter.com/nasa/?s=20"}, {"userName": "nasa"}),
        ({"mode": "followers", "user": " https://mobile.x.com/Nasa "}, {"userName": "Nasa"}),
        ({"mode": "list", "listId": "https://x.com/i/lists/42"}, {"listId": "42"}),
        ({"mode": "community", "communityId": "https://x.com/i/communities/42/about"}, {"community_id": "42"}),
        ({"mode": "space", "spaceId": "https://x.com/i/spaces/1AbC?s=20"}, {"space_id": "1AbC"}),
    ],
)
def test_a_link_stands_for_the_id_in_it(arguments: dict[str, Any], params: dict[str, str]) -> None:
    """Only the id is sent."""
    assert sent(arguments) == params


@pytest.mark.parametrize(
    "arguments",
    [
        {"mode": "profile", "user": "https://x.com/nasa/status/5"},
        {"mode": "profile", "user": "https://x.com/search"},
        {"mode": "profile", "user": "https://nasa.test/nasa"},
        {"mode": "user", "user": "https://x.com.evil.test/nasa"},
        {"mode": "list", "listId": "https://x.com/i/communities/42"},
        {"mode": "community", "communityId": "https://example.org/i/communities/42"},
        {"mode": "space", "spaceId": "https://x.com/i/spaces/"},
    ],
)
def test_a_link_to_something_else_is_refused_before_it_costs_a_request(arguments: dict[str, Any]) -> None:
    """It could only bring an empty answer that looks like a silent account."""
    with pytest.raises(RequestError) as caught:
        parse({"query": "q", **arguments})
    assert caught.value.code == "invalid_request"
    assert "leads to no" in caught.value.message


def test_a_number_in_place_of_a_post_id_is_told_to_be_quoted() -> None:
    """Models often write ids as numbers."""
    with pytest.raises(RequestError, match='in quotes, "2117157262773450634"'):
        parse({"query": "q", "mode": "thread", "tweet": 2117157262773450634})
