"""What one call promises whatever the upstream and the caller do."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from twitter_tool import TwitterTool
from twitter_tool.errors import TwitterToolError

KEY = "0123456789abcdef0123456789abcdef"


def called(
    arguments: dict[str, Any], cwd: Path, answer: httpx.Response, *, key: str = KEY, **environ: str
) -> dict[str, Any]:
    """The document of one call that every request of is answered alike."""

    async def call() -> dict[str, Any]:
        async with TwitterTool(
            api_key=key,
            cwd=cwd,
            environ={"TWITTER_TOOL_CONFIG": "/dev/null", "TWITTER_TOOL_MIN_REQUEST_INTERVAL_MS": "0", **environ},
            transport=httpx.MockTransport(lambda request: answer),
        ) as tool:
            try:
                return (await tool.call({"query": "q", "output": "posts", **arguments})).to_dict()
            except TwitterToolError as error:
                return {**error.to_dict(), "text": str(error)}

    return asyncio.run(call())


@pytest.mark.parametrize(
    "arguments",
    [
        {"mode": KEY},
        {"mode": "profile", "user": KEY},
        {"mode": "space", "spaceId": KEY},
        {"mode": "thread", "tweet": KEY},
        {"mode": "tweets", "ids": ["1", KEY]},
        {KEY: 1},
        {"output": KEY},
        {"replySort": KEY, "mode": "replies", "tweet": "1"},
    ],
    ids=str,
)
def test_an_error_never_repeats_the_key_wherever_the_caller_put_it(arguments: dict[str, Any], tmp_path: Path) -> None:
    """A program may have mixed up its variables."""
    document = called(arguments, tmp_path, httpx.Response(404))
    assert "[removed]" in document["error"]["message"]
    assert KEY not in json.dumps(document)


def test_a_key_that_is_a_word_shreds_no_message(tmp_path: Path) -> None:
    """Only what cannot be a word of ours is taken out of our own sentences."""
    document = called({"mode": "nope"}, tmp_path, httpx.Response(404), key="posts")
    assert "the modes are posts, users" in document["error"]["message"]


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        ("http://127.0.0.1:9", "http://127.0.0.1:9"),
        ("http://127.0.0.1:9/", "http://127.0.0.1:9"),
        ("HTTP://LocalHost:9", "http://localhost:9"),
        ("http://[::1]:9/", "http://[::1]:9"),
    ],
)
def test_a_result_names_the_origin_that_it_was_routed_to(given: str, origin: str, tmp_path: Path) -> None:
    """However it was spelt in the settings."""
    answer = httpx.Response(200, json={"tweets": [], "has_next_page": False})
    document = called({}, tmp_path, answer, TWITTER_TOOL_ROUTE_TO=given)
    assert document["details"]["routedTo"] == origin
    assert f"(routed to {origin.removeprefix('http://')})\n" in document["content"]


async def test_the_sandbox_needs_no_transport_and_reaches_no_network(tmp_path: Path) -> None:
    """One argument is enough to read the invented world in this process."""
    async with TwitterTool(sandbox=True, cwd=tmp_path, environ={"TWITTER_TOOL_CONFIG": "/dev/null"}) as tool:
        result = await tool.read("tram", "posts", output="posts", count=2)
    assert result.details["backend"] == "sandbox"
    assert len(result.items) == 2


def test_an_application_in_place_of_a_transport_is_refused_with_what_to_do() -> None:
    """The mistake is seen at once, not in the first call."""
    with pytest.raises(TypeError, match="in_process"):
        TwitterTool(transport=object())


async def test_a_route_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    """A forgotten route is the likeliest cause, so the hint speaks of it and not of the network."""

    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    environ = {
        "TWITTER_TOOL_CONFIG": "/dev/null",
        "TWITTER_TOOL_ROUTE_TO": "http://127.0.0.1:9",
        "TWITTER_TOOL_MIN_REQUEST_INTERVAL_MS": "0",
        "TWITTER_TOOL_RETRY_BASE_DELAY_MS": "0",
    }
    transport = httpx.MockTransport(refuse)
    async with TwitterTool(api_key=KEY, cwd=tmp_path, environ=environ, transport=transport) as tool:
        with pytest.raises(TwitterToolError) as caught:
            await tool.read("q", "profile", user="ann", output="posts")
    assert caught.value.code == "upstream_unavailable"
    assert "http://127.0.0.1:9" in (caught.value.hint or "")
