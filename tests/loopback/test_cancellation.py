"""A cancelled call ends at once wherever it waits, sends nothing more, and leaves the tool as good as new."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
from loopback_calls import (
    ARGUMENTS,
    Hands,
    assert_nothing_is_under_way,
    cancelled,
    connections,
    is_reading_a_body,
    new_key,
    tool_for,
)
from served_sandbox import STALL, Served

from twitter_tool.sandbox import Fault
from twitter_tool.tool import TwitterTool

SLOW = {"min_request_interval_ms": 60_000, "retry_base_delay_ms": 60_000}
"""Whoever sits out one of these waits runs into the time limit of the test."""


class Events(list[str]):
    """An observer that can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self._news = asyncio.Event()

    def __call__(self, event: str) -> None:
        self.append(event)
        self._news.set()

    async def first(self, start: str) -> None:
        """Wait for an event that begins so."""
        async with asyncio.timeout(10):
            while not any(event.startswith(start) for event in self):
                self._news.clear()
                await self._news.wait()


class HeldHands(Hands):
    """A clock on which nobody's wait ends before it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.held = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        if seconds > 0:
            await self.held.wait()
        await super().sleep(seconds)


Stage = Callable[[Served, TwitterTool, Events], Coroutine[Any, Any, None]]


def _profile(tool: TwitterTool, events: Events | None = None) -> Coroutine[Any, Any, Any]:
    return tool.read(mode="profile", output="posts", progress=events, **ARGUMENTS["profile"])


async def _not_started(served: Served, tool: TwitterTool, events: Events) -> None:
    """Before the loop has given the call its first turn."""


async def _next_in_the_queue(served: Served, tool: TwitterTool, events: Events) -> None:
    """A request has left; this one waits out the distance."""
    await events.first("waiting 60 s")


async def _deep_in_the_queue(served: Served, tool: TwitterTool, events: Events) -> None:
    """Another one waits before it."""
    await events.first("waiting 120 s")


async def _in_backoff(served: Served, tool: TwitterTool, events: Events) -> None:
    await events.first("waiting 6")


async def _without_an_answer(served: Served, tool: TwitterTool, events: Events) -> None:
    await asyncio.to_thread(served.wait_for_pauses, 1)


async def _in_the_body(served: Served, tool: TwitterTool, events: Events) -> None:
    await asyncio.to_thread(served.wait_for_pauses, 1)
    async with asyncio.timeout(10):
        while not is_reading_a_body(tool):  # noqa: ASYNC110 - the library tells nobody
            await asyncio.sleep(0.001)


class Ahead:
    """Calls with the same key that left or queued earlier."""

    def __init__(self, tool: TwitterTool) -> None:
        self._tool = tool
        self.waiting: list[asyncio.Task[Any]] = []

    async def one_left(self) -> None:
        await _profile(self._tool)

    async def one_waits(self) -> None:
        events = Events()
        self.waiting.append(asyncio.ensure_future(_profile(self._tool, events)))
        await events.first("waiting")


@pytest.mark.parametrize(
    ("fault", "ahead", "stage", "sent"),
    [
        (None, 0, _not_started, 0),
        (None, 1, _next_in_the_queue, 0),
        (None, 2, _deep_in_the_queue, 0),
        (Fault("http_503"), 0, _in_backoff, 1),
        (Fault("rate_limit_retry_after", value=60), 0, _in_backoff, 1),
        (Fault("slow_headers", value=STALL), 0, _without_an_answer, 1),
        (Fault("slow_body", value=STALL), 0, _in_the_body, 1),
    ],
    ids=["not started", "next", "queued", "backoff", "retry after", "no answer", "body"],
)
async def test_a_cancelled_call_ends_at_once(
    served: Served, fault: Fault | None, ahead: int, stage: Stage, sent: int
) -> None:
    """No further request, no further event, no task, no busy connection; the same tool reads on with another key."""
    events, key = Events(), new_key()
    async with tool_for(served, key, settings=SLOW) as tool:
        before = Ahead(tool)
        for step in (before.one_left, before.one_waits)[:ahead]:
            await step()
        served.show(*([fault] if fault else []))
        requests = len(served.paths)
        task = asyncio.ensure_future(_profile(tool, events))
        await stage(served, tool, events)
        shown = list(events)
        await cancelled(task)
        for other in before.waiting:
            await cancelled(other)
        await asyncio.sleep(0)
        assert events == shown
        assert_nothing_is_under_way(tool)
        assert len(served.paths) == requests + sent
        served.start_over()
        async with tool_for(served, new_key(), settings=SLOW) as another:
            assert len((await _profile(another)).items) == 1
    gc.collect()


async def test_a_cancelled_call_gives_its_place_to_the_next(served: Served) -> None:
    """The one behind it does not wait twice the distance: time that passes for it is the distance, once."""
    hands = HeldHands()
    async with tool_for(served, new_key(), clock=hands.clock(), settings={"min_request_interval_ms": 60_000}) as tool:
        await _profile(tool)
        events = [Events(), Events()]
        first = asyncio.ensure_future(_profile(tool, events[0]))
        await events[0].first("waiting 60 s")
        second = asyncio.ensure_future(_profile(tool, events[1]))
        await events[1].first("waiting 120 s")
        await cancelled(first)
        hands.held.set()
        await second
    assert hands.time == pytest.approx(60, abs=0.02)
    assert len(served.paths) == 2


async def test_a_time_limit_around_a_call_is_a_cancellation(served: Served) -> None:
    """The caller's own limit is reported as the caller's, never as a fault of upstream, and never retried."""
    served.show(Fault("slow_headers", value=STALL))
    async with tool_for(served, new_key()) as tool:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await _profile(tool)
        assert_nothing_is_under_way(tool)
    assert len(served.paths) == 1


async def test_the_first_failure_of_a_group_cancels_the_other_calls(served: Served) -> None:
    """As any other task of a group."""
    served.show(Fault("slow_body", value=STALL, path="/twitter/user/info"), Fault("http_402", path="/twitter/trends"))
    async with tool_for(served, new_key()) as tool:
        tasks: list[asyncio.Task[Any]] = []

        async def both() -> None:
            async with asyncio.TaskGroup() as group:
                tasks.append(group.create_task(_profile(tool)))
                await asyncio.to_thread(served.wait_for_pauses, 1)
                tasks.append(group.create_task(tool.read("what", "trends", woeid=1, output="posts")))

        with pytest.raises(ExceptionGroup) as raised:
            await both()
        assert [getattr(error, "code", error) for error in raised.value.exceptions] == ["credits_exhausted"]
        assert [task.cancelled() for task in tasks] == [True, False]
        assert_nothing_is_under_way(tool)


@pytest.fixture
async def busy(served: Served) -> AsyncIterator[tuple[TwitterTool, asyncio.Task[Any]]]:
    """A tool with a call in the middle of a body."""
    served.show(Fault("slow_body", value=STALL))
    tool = tool_for(served, new_key())
    task = asyncio.ensure_future(_profile(tool))
    await asyncio.to_thread(served.wait_for_pauses, 1)
    yield tool, task
    await tool.aclose()


async def test_closing_the_tool_cancels_what_it_is_reading(
    served: Served, busy: tuple[TwitterTool, asyncio.Task[Any]]
) -> None:
    """Not a puzzling fault of upstream, and no wait for an answer that nobody reads."""
    tool, task = busy
    await tool.aclose()
    await asyncio.sleep(0)
    assert task.cancelled()
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert connections(tool) == []
    assert len(served.paths) == 1


async def _leave_by_error(tool: TwitterTool) -> None:
    async with tool:
        await _profile(tool)
        raise ZeroDivisionError


async def test_a_block_that_is_left_by_an_error_closes_the_tool_too(served: Served) -> None:
    """The error goes on unchanged."""
    tool = tool_for(served, new_key())
    with pytest.raises(ZeroDivisionError):
        await _leave_by_error(tool)
    assert connections(tool) == []
    gc.collect()


async def test_a_tool_may_be_closed_twice_and_used_again(served: Served) -> None:
    """Closing before any use is nothing; the next call after it opens new connections."""
    tool = tool_for(served, new_key())
    await tool.aclose()
    for _ in range(2):
        assert len((await _profile(tool)).items) == 1
        assert len(connections(tool)) == 1
        await tool.aclose()
        await tool.aclose()
        assert connections(tool) == []
    assert len(served.paths) == 2
