"""Observers of progress: whatever they do, the call they watch is the same."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Any

import pytest
from loopback_calls import ARGUMENTS, Hands, assert_nothing_is_under_way, failure_of, new_key, tool_for
from served_sandbox import STALL, Served

from twitter_tool.sandbox import Fault

PAGES = [
    "page 1/4 · 0 accounts",
    "page 1/4 · 200 accounts",
    "page 2/4 · 200 accounts",
    "page 2/4 · 399 accounts",
    "page 3/4 · 399 accounts",
    "page 3/4 · 546 accounts",
]


class Seen(list[str]):
    """Observers that write down what they are told."""

    def plain(self, event: str) -> None:
        self.append(event)

    async def quick(self, event: str) -> None:
        self.append(event)

    def failing(self, event: str) -> None:
        self.append(event)
        raise ValueError(event)

    async def failing_later(self, event: str) -> None:
        self.append(event)
        await asyncio.sleep(0)
        raise ValueError(event)

    async def slow(self, event: str) -> None:
        self.append(event)
        await asyncio.sleep(STALL)

    def odd(self, event: str) -> object:
        self.append(event)
        return event


def _result(result: Any) -> tuple[Any, Any, Any]:
    return result.content.partition("\n[1]")[2], result.items, result.details["usage"]


@pytest.mark.parametrize("kind", ["plain", "quick", "failing", "failing_later", "slow", "odd"])
async def test_every_kind_of_observer_is_told_everything_and_changes_nothing(
    served: Served, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    """Plain or async, failing at once or later, or never done: the same events and result, no wait, no complaint."""
    seen = Seen()
    observer: Callable[[str], Any] = getattr(seen, kind)
    async with tool_for(served, new_key()) as tool:
        watched = await tool.read(mode="followers", output="posts", progress=observer, **ARGUMENTS["followers"])
        await asyncio.sleep(0)
        assert_nothing_is_under_way(tool)
        unwatched = await tool.read(mode="followers", output="posts", **ARGUMENTS["followers"])
    assert seen == PAGES
    assert _result(watched) == _result(unwatched)
    gc.collect()
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("kind", ["plain", "quick", "failing", "failing_later", "slow"])
async def test_a_cancelled_call_tells_its_observer_nothing_more(served: Served, kind: str) -> None:
    """Only what came before the cancellation."""
    seen = Seen()
    served.show(Fault("slow_body", after=1, value=STALL))
    async with tool_for(served, new_key()) as tool:
        task = asyncio.ensure_future(
            tool.read(mode="followers", output="posts", progress=getattr(seen, kind), **ARGUMENTS["followers"])
        )
        await asyncio.to_thread(served.wait_for_pauses, 1)
        task.cancel()
        await asyncio.wait({task})
        await asyncio.sleep(0)
        assert_nothing_is_under_way(tool)
    assert seen == PAGES[:3]
    gc.collect()


@pytest.mark.parametrize("kind", ["plain", "quick", "failing", "slow"])
async def test_a_failed_call_ends_its_observers(served: Served, kind: str) -> None:
    """The retries were announced; the failure itself is not an event."""
    seen = Seen()
    served.show(Fault("http_503", after=1))
    settings = {"retry_base_delay_ms": 4_000}
    async with tool_for(served, new_key(), clock=Hands().clock(), settings=settings) as tool:
        await failure_of(
            tool.read(mode="followers", output="posts", progress=getattr(seen, kind), **ARGUMENTS["followers"])
        )
        await asyncio.sleep(0)
        assert_nothing_is_under_way(tool)
    assert seen == [
        *PAGES[:3],
        "waiting 6 s until 15:00:06Z (temporarily unavailable, retry 1 of 3)",
        "waiting 10 s until 15:00:16Z (temporarily unavailable, retry 2 of 3)",
        "waiting 18 s until 15:00:34Z (temporarily unavailable, retry 3 of 3)",
    ]
    gc.collect()
