"""Calls over loopback, and what must hold after each of them."""

from __future__ import annotations

import asyncio
import itertools
import traceback
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import h11
from served_sandbox import Served

from twitter_tool.backends.twitterapi.pacing import PACER
from twitter_tool.clock import Clock
from twitter_tool.errors import TwitterToolError
from twitter_tool.sandbox import hints
from twitter_tool.tool import TwitterTool

T = TypeVar("T")
HINTS = dict(hints())
START = datetime(2026, 11, 30, 15, 0, 0, tzinfo=UTC)
POSTS = "/twitter/tweet/advanced_search"
FOLLOWERS = "/twitter/user/followers"
PROFILE = "/twitter/user/info"
ARTICLE = "/twitter/article"
ARGUMENTS: dict[str, dict[str, Any]] = {
    "posts": {"query": "from:tramwatch_sbx", "count": 50},
    "followers": {"query": "who", "user": HINTS["account with many followers"]},
    "profile": {"query": "who", "user": HINTS["account with many followers"]},
    "article": {"query": "what", "tweet": HINTS["post with an article"]},
}
"""One call of two listings and two single reads; an article takes two requests."""
_NUMBERS = itertools.count(1)


def new_key() -> str:
    """A key that no other test paces."""
    return f"secret-key-{next(_NUMBERS)}-of-a-test"


class Hands:
    """A clock that only its own sleeps move."""

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    def clock(self) -> Clock:
        """As the clock of a call; chance always gives a half."""
        return Clock(
            now=lambda: START + timedelta(seconds=self.time),
            monotonic=lambda: self.time,
            sleep=self.sleep,
            jitter=lambda: 0.5,
        )

    async def sleep(self, seconds: float) -> None:
        """Let so much of this time pass."""
        if seconds > 0:
            self.slept.append(round(seconds, 3))
            self.time += seconds
        await asyncio.sleep(0)


def tool_for(served: Served, key: str, *, settings: Mapping[str, Any] | None = None, **further: Any) -> TwitterTool:
    """A tool that reads from the served sandbox without waiting between requests or before retries."""
    quick = {"min_request_interval_ms": 0, "retry_base_delay_ms": 0, "max_pages": 4, "max_synthesis_chars": 120_000}
    environ = {"TWITTER_TOOL_ROUTE_TO": served.url}
    return TwitterTool(api_key=key, environ=environ, settings=quick | dict(settings or {}), **further)


async def failure_of(call: Awaitable[Any]) -> TwitterToolError:
    """The error that a call ends with."""
    try:
        result = await call
    except TwitterToolError as error:
        return error
    raise AssertionError(f"the call gave a result: {result}")


def shown(error: TwitterToolError) -> str:
    """Everything that an error can show to anyone."""
    return f"{error!r} {error} {error.to_dict()} {''.join(traceback.format_exception(error))}"


def connections(tool: TwitterTool) -> list[Any]:
    """The pooled connections of a tool, of all its loops."""
    return [connection for pool in _pools(tool) for connection in pool.connections]


def is_reading_a_body(tool: TwitterTool) -> bool:
    """Whether a connection has seen the headers of an answer, and not its end."""
    states = [connection._connection._h11_state.their_state for connection in connections(tool)]
    return h11.SEND_BODY in states


def assert_nothing_is_under_way(tool: TwitterTool) -> None:
    """No task but the test's own, and no connection that is in use."""
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert [request for pool in _pools(tool) for request in pool._requests] == []
    assert [connection for connection in connections(tool) if not connection.is_idle()] == []


def _pools(tool: TwitterTool) -> list[Any]:
    return [http._client._transport._direct._pool for http in tool._connections._pools.values()]


def assert_keys_are_forgotten(hands: Hands, known_before: int) -> None:
    """Ten minutes later the pacing table holds no key of this test."""
    hands.time += 600
    assert len(PACER) <= known_before


async def cancelled(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait for its end, which must be the cancellation."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()
