"""Many calls at once: they share a key's pace and the connections, and nothing else."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from loopback_calls import (
    ARGUMENTS,
    HINTS,
    PROFILE,
    Hands,
    assert_nothing_is_under_way,
    connections,
    failure_of,
    new_key,
    tool_for,
)
from served_sandbox import STALL, Served

from twitter_tool.connections import Connections
from twitter_tool.errors import TwitterToolError
from twitter_tool.http import in_process
from twitter_tool.sandbox import Fault, Sandbox
from twitter_tool.settings import Settings
from twitter_tool.tool import TwitterTool

GAP_S = 0.01


async def _read(tool: TwitterTool, mode: str, **further: Any) -> Any:
    return await tool.read(mode=mode, output="posts", **ARGUMENTS[mode], **further)


async def test_twenty_calls_keep_their_own_counters_and_share_one_pace(served: Served) -> None:
    """Each result counts its own requests; together the requests leave one after another."""
    hands = Hands()
    modes = ["profile", "posts", "followers", "article"] * 5
    settings = {"min_request_interval_ms": GAP_S * 1000}
    async with tool_for(served, new_key(), clock=hands.clock(), settings=settings) as tool:
        results = await asyncio.gather(*(_read(tool, mode) for mode in modes))
        assert_nothing_is_under_way(tool)
    expected = {"profile": (1, 1), "posts": (2, 38), "followers": (3, 546), "article": (2, 1)}
    for mode, result in zip(modes, results, strict=True):
        usage = result.details["usage"]
        assert (usage["upstreamAttempts"], len(result.items)) == expected[mode]
        assert (result.details["mode"], usage["successfulPages"]) == (mode, usage["upstreamAttempts"])
    assert len(served.paths) == 5 * (1 + 2 + 3 + 2)
    assert hands.time >= (len(served.paths) - 1) * GAP_S - 0.001


async def test_failures_and_retries_belong_to_the_call_that_had_them(served: Served) -> None:
    """Three of ten requests are refused once; a call that fails for good changes no other."""
    served.show(Fault("http_503", path=PROFILE, times=3))
    async with tool_for(served, new_key()) as tool:
        calls = [_read(tool, "profile") for _ in range(10)]
        missing = failure_of(tool.read("who", "profile", user=HINTS["unknown account"], output="posts"))
        *results, error = await asyncio.gather(*calls, missing)
    usages = [result.details["usage"] for result in results]
    counted = error.attempts + sum(usage["upstreamAttempts"] for usage in usages)
    assert error.code == "not_found"
    assert counted == len(served.paths) == 11 + 3
    assert sum(usage["upstreamHttpFailures"] for usage in usages) + error.attempts - 1 == 3
    assert all(usage["upstreamAttempts"] == usage["upstreamHttpFailures"] + 1 for usage in usages)


async def test_calls_with_different_keys_do_not_wait_for_each_other(served: Served) -> None:
    """Two tools with a minute between requests, one after another, and no time passes."""
    hands, settings = Hands(), {"min_request_interval_ms": 60_000}
    clock = hands.clock()
    for _ in range(2):
        async with tool_for(served, new_key(), clock=clock, settings=settings) as tool:
            await _read(tool, "profile")
    assert hands.slept == []
    assert len(served.paths) == 2


async def test_two_tools_with_one_key_wait_for_each_other(served: Served) -> None:
    """The pace belongs to the key, not to the tool."""
    hands, key, settings = Hands(), new_key(), {"min_request_interval_ms": 60_000}
    clock = hands.clock()
    async with tool_for(served, key, clock=clock, settings=settings) as one, tool_for(served, key, clock=clock) as two:
        await asyncio.gather(_read(one, "profile"), _read(two, "profile"), _read(one, "profile"))
    assert hands.time >= 120 - 0.02


def _in_threads(count: int, work: Callable[[int], None]) -> None:
    """Run work in so many threads at once; the first exception is raised here."""
    faults: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    if faults:
        raise faults[0]


def test_three_event_loops_share_a_tool_and_its_pace(served: Served) -> None:
    """Each loop has connections of its own and closes them; the distance holds across all."""
    hands = Hands()
    tool = tool_for(served, new_key(), clock=hands.clock(), settings={"min_request_interval_ms": 20})
    counts: list[int] = []

    def work(number: int) -> None:
        async def main() -> None:
            async with tool:
                for result in await asyncio.gather(*(_read(tool, "profile") for _ in range(4))):
                    counts.append(result.details["usage"]["upstreamAttempts"])

        asyncio.run(main())

    _in_threads(3, work)
    assert hands.time >= 11 * 0.02 - 0.001
    assert counts == [1] * 12
    assert len(served.paths) == 12
    assert connections(tool) == []
    gc.collect()


def test_loops_that_come_and_go_at_the_same_moment_do_not_disturb_each_other() -> None:
    """Threads that change places at every chance, each opening and closing what it needs."""
    shared = Connections(in_process(None))
    settings = Settings()

    def work(number: int) -> None:
        async def main() -> None:
            for _ in range(60):
                with shared.in_use():
                    pool = shared.pool(settings)
                    assert shared.pool(settings) is pool
                await shared.aclose()

        asyncio.run(main())

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        _in_threads(8, work)
    finally:
        sys.setswitchinterval(before)


def test_a_loop_that_ended_without_closing_the_tool_is_forgotten() -> None:
    """A tool that serves one short loop after another does not keep them all."""
    tool = TwitterTool(transport=in_process(Sandbox()), sandbox=True)
    for _ in range(3):
        asyncio.run(_read(tool, "profile"))
    assert len(tool._connections._pools) == 1


def test_one_tool_serves_one_event_loop_after_another(served: Served) -> None:
    """Connections of a finished loop are not taken up again."""
    tool = tool_for(served, new_key())

    async def main() -> int:
        async with tool:
            return len((await _read(tool, "profile")).items)

    assert [asyncio.run(main()), asyncio.run(main())] == [1, 1]
    gc.collect()


async def test_a_call_keeps_the_settings_it_started_with(served: Served, home: Path) -> None:
    """The file is read at the start of every call: an edit changes the next one, not the one under way."""
    config = home / "config.toml"
    config.write_text("max_pages = 2\n")
    served.show(Fault("slow_body", times=1, value=STALL))
    environ = {"TWITTER_TOOL_ROUTE_TO": served.url, "TWITTER_TOOL_MIN_REQUEST_INTERVAL_MS": "0"}
    async with TwitterTool(api_key=new_key(), environ=environ, config_path=config) as tool:
        first = asyncio.ensure_future(_read(tool, "followers"))
        await asyncio.to_thread(served.wait_for_pauses, 1)
        config.write_text("max_pages = 1\n")
        second = await _read(tool, "followers")
        config.write_text("max_pages = [broken")
        served.let_go()
        results = [await first, second]
        third = await _read(tool, "followers")
    assert [result.details["usage"]["successfulPages"] for result in results] == [2, 1]
    assert [result.details["stopReason"] for result in results] == ["page_cap", "page_cap"]
    assert "settings_unreadable" in {note["code"] for note in third.details["notes"]}


async def test_a_tool_reads_its_key_and_route_at_every_call(
    served: Served, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long-lived program may be given another key without being started again."""
    monkeypatch.setenv("TWITTER_TOOL_ROUTE_TO", served.url)
    async with TwitterTool() as tool:
        error = await failure_of(_read(tool, "profile"))
        assert (error.code, served.paths) == ("missing_credentials", [])
        monkeypatch.setenv("TWITTERAPI_IO_API_KEY", new_key())
        assert len((await _read(tool, "profile")).items) == 1
        monkeypatch.setenv("TWITTER_TOOL_ROUTE_TO", "http://example.org:80")
        with pytest.raises(TwitterToolError, match="route_to"):
            await _read(tool, "profile")
    assert len(served.paths) == 1
