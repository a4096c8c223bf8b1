"""The synchronous methods: from one thread or several, interrupted, closed, and closed under a call."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from loopback_calls import ARGUMENTS, connections, new_key, tool_for
from served_sandbox import PATIENCE_S, STALL, Served

from twitter_tool.sandbox import Fault
from twitter_tool.tool import TwitterTool


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before
    gc.collect()


def _read(tool: TwitterTool, mode: str = "profile", **further: Any) -> Any:
    return tool.read_sync(mode=mode, output="posts", **ARGUMENTS[mode], **further)


def test_both_synchronous_methods_read_and_a_block_closes_the_tool(served: Served) -> None:
    """The same results as the asynchronous ones, over connections that are kept between calls."""
    with tool_for(served, new_key()) as tool:
        read = _read(tool, "followers")
        called = tool.call_sync({"mode": "followers", "output": "posts", **ARGUMENTS["followers"]})
        assert read.items == called.items
        assert len(connections(tool)) == 1
    assert connections(tool) == []


def test_a_tool_may_be_closed_twice_and_used_again(served: Served) -> None:
    """Closing before any use is nothing; the next call after it starts anew."""
    tool = tool_for(served, new_key())
    tool.close()
    for _ in range(2):
        assert len(_read(tool).items) == 1
        tool.close()
        tool.close()
    assert connections(tool) == []


def test_several_threads_read_at_once(served: Served) -> None:
    """One loop behind them all; each gets its own result."""
    counts: dict[str, list[int]] = {mode: [] for mode in ARGUMENTS}
    with tool_for(served, new_key()) as tool:

        def work(mode: str) -> None:
            for _ in range(3):
                counts[mode].append(len(_read(tool, mode).items))

        threads = [threading.Thread(target=work, args=(mode,)) for mode in ARGUMENTS]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
    assert counts == {"posts": [38] * 3, "followers": [546] * 3, "profile": [1] * 3, "article": [1] * 3}


@pytest.fixture
def _interruptible() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
@pytest.mark.parametrize(
    "fault", [Fault("slow_body", value=STALL), Fault("slow_headers", value=STALL)], ids=lambda fault: fault.name
)
def test_an_interruption_ends_the_call_and_not_only_the_waiting(served: Served, fault: Fault) -> None:
    """Ctrl-C in a script: the request is given up too, and the tool reads on afterwards."""
    served.show(fault)
    events: list[str] = []

    def interrupt() -> None:
        served.wait_for_pauses(1)
        os.kill(os.getpid(), signal.SIGINT)

    with tool_for(served, new_key()) as tool:
        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            _read(tool, progress=events.append)
        thread.join()
        _wait_until_idle(tool)
        served.start_over()
        assert len(_read(tool).items) == 1
        assert events == ["reading the profile of @sallowtram_sbx"]
        assert [connection for connection in connections(tool) if not connection.is_idle()] == []
    assert len(served.paths) == 1


def _wait_until_idle(tool: TwitterTool) -> None:
    while not all(connection.is_idle() for connection in connections(tool)):
        time.sleep(0.005)


def test_closing_ends_calls_of_other_threads(served: Served) -> None:
    """They end with the cancellation instead of waiting for ever."""
    served.show(Fault("slow_body", value=STALL))
    tool = tool_for(served, new_key())
    ends: list[BaseException] = []

    def work() -> None:
        try:
            _read(tool)
        except BaseException as end:
            ends.append(end)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    served.wait_for_pauses(3)
    tool.close()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert [type(end) for end in ends] == [asyncio.CancelledError] * 3


def test_calls_and_closing_may_meet_at_any_moment(served: Served) -> None:
    """Whoever comes first, every call ends, with a result or with the cancellation."""
    tool = tool_for(served, new_key())
    ends: list[str] = []

    def work() -> None:
        for _ in range(15):
            try:
                ends.append(str(len(_read(tool).items)))
            except asyncio.CancelledError:
                ends.append("cancelled")

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        tool.close()
    for thread in threads:
        thread.join(PATIENCE_S)
    tool.close()
    assert len(ends) == 45
    assert set(ends) <= {"1", "cancelled"}


def test_a_call_that_is_being_handed_over_is_not_lost_to_closing(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closing waits for that moment, and then ends the call like any other."""
    tool = tool_for(served, new_key())
    hand_over = asyncio.run_coroutine_threadsafe
    closing = threading.Thread(target=tool.close)

    def slowly(work: Any, loop: Any) -> Any:
        if not closing.ident:
            closing.start()
            closing.join(0.1)
            assert closing.is_alive()
        return hand_over(work, loop)

    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", slowly)
    served.show(Fault("slow_body", value=STALL))
    with pytest.raises(asyncio.CancelledError):
        _read(tool)
    closing.join(PATIENCE_S)


@pytest.mark.parametrize("misuse", ["read_sync", "close"])
def test_an_observer_that_calls_back_into_the_tool_does_not_hang_it(served: Served, misuse: str) -> None:
    """It runs on the loop that would have to do the work; it is refused, and the call it watches goes on."""
    refusals: list[str] = []
    with tool_for(served, new_key()) as tool:

        def observer(event: str) -> None:
            try:
                tool.close() if misuse == "close" else _read(tool)
            except RuntimeError as error:
                refusals.append(str(error))
                raise

        assert len(_read(tool, progress=observer).items) == 1
    assert refusals == ["the synchronous methods cannot be called from a progress observer"]
    assert len(served.paths) == 1


def test_an_error_of_a_call_comes_through_unchanged(served: Served) -> None:
    """With its fields, and once."""
    served.show(Fault("http_402"))
    with tool_for(served, new_key()) as tool, pytest.raises(Exception, match="payment required") as raised:
        _read(tool)
    assert getattr(raised.value, "code", None) == "credits_exhausted"
