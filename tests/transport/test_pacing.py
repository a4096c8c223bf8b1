"""One queue per key: who leaves when."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
import time
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_time import VirtualLoop, run

from twitter_tool.backends.twitterapi import pacing
from twitter_tool.backends.twitterapi.pacing import Pacer, key_digest
from twitter_tool.clock import SYSTEM_CLOCK, Clock

KEY = key_digest("some-key")


class Road:
    """Sends requests through one pacer and writes down when each left."""

    def __init__(self, loop: VirtualLoop, clock: Clock | None = None) -> None:
        self.pacer = Pacer()
        self.loop = loop
        self.clock = clock or loop.clock()
        self.left: dict[str, float] = {}

    async def send(self, name: str, interval: float, *, body: float = 0.0, key: str = KEY, at: float = 0.0) -> None:
        await asyncio.sleep(at)
        with self.pacer.active(key, interval) as lane:
            await lane.permit(self.clock)
            self.left[name] = round(self.loop.now, 4)
            if body:
                await asyncio.sleep(body)


async def _settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_three_calls_at_once_leave_one_interval_apart() -> None:
    """The first leaves at once, the others follow at the interval."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        await asyncio.gather(*(road.send(name, 20) for name in "abc"))
        assert road.left == {"a": 0, "b": 20, "c": 40}

    run(main)


def test_different_keys_do_not_wait_for_each_other() -> None:
    """Each key has a queue of its own."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        await asyncio.gather(road.send("a", 20, key="one"), road.send("b", 20, key="two"))
        assert road.left == {"a": 0, "b": 0}

    run(main)


def test_the_largest_interval_among_active_calls_rules_and_outlives_its_call_by_one_gap() -> None:
    """A call whose body is still being read slows the others down, and so does the gap it was dispatched in."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        await asyncio.gather(
            road.send("slow", 30, body=61),
            road.send("second", 5),
            road.send("third", 5),
            road.send("after", 5, at=62),
            road.send("last", 5, at=63),
        )
        assert road.left == {"slow": 0, "second": 30, "third": 60, "after": 90, "last": 95}

    run(main)


def test_bodies_are_read_side_by_side() -> None:
    """Only leaving is serialised: long bodies overlap."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        await asyncio.gather(*(road.send(name, 1, body=100) for name in "abc"))
        assert loop.now == pytest.approx(102)

    run(main)


def test_no_interval_does_not_pass_the_interval_of_the_previous_dispatch() -> None:
    """A call that asks for no gap still keeps the one in force before it, even when that call has ended."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        await road.send("paced", 20)
        await road.send("hasty", 0)
        await road.send("free", 0)
        assert road.left == {"paced": 0, "hasty": 20, "free": 20}

    run(main)


def test_no_interval_waits_for_another_active_call_s_interval() -> None:
    """The first call asks for nothing, but a paced one is active when the next wants to leave."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        await road.send("first", 0)
        await asyncio.gather(road.send("paced", 20), road.send("hasty", 0))
        assert road.left == {"first": 0, "paced": 20, "hasty": 40}

    run(main)


def test_a_clock_that_jumps_ahead_causes_no_burst() -> None:
    """Waking far too late, the queue still keeps the gap from there on."""

    async def main(loop: VirtualLoop) -> None:
        jumped = False

        async def oversleep(seconds: float) -> None:
            nonlocal jumped
            await asyncio.sleep(seconds if jumped or not seconds else 100)
            jumped = jumped or seconds > 0

        road = Road(loop, loop.clock(sleep=oversleep))
        await asyncio.gather(*(road.send(name, 20) for name in "abc"))
        assert road.left == {"a": 0, "b": 100, "c": 120}

    run(main)


def test_waking_too_early_waits_out_the_rest() -> None:
    """A sleep that returns before its time is followed by another look at the clock."""

    async def main(loop: VirtualLoop) -> None:
        async def doze(seconds: float) -> None:
            await asyncio.sleep(seconds / 2 if seconds > 0.1 else seconds)

        road = Road(loop, loop.clock(sleep=doze))
        await asyncio.gather(*(road.send(name, 20) for name in "abc"))
        assert road.left == {"a": 0, "b": 20, "c": 40}

    run(main)


def test_a_second_request_of_one_call_joins_the_tail() -> None:
    """A retry does not jump the queue of those already waiting."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        retried: list[float] = []

        async def twice() -> None:
            with road.pacer.active(KEY, 20) as lane:
                await lane.permit(road.clock)
                await asyncio.sleep(5)
                await lane.permit(road.clock)
                retried.append(loop.now)

        await asyncio.gather(twice(), road.send("b", 20), road.send("c", 20))
        assert road.left == {"b": 20, "c": 40}
        assert retried == [pytest.approx(60)]

    run(main)


def test_a_call_waiting_out_its_backoff_holds_nobody() -> None:
    """Active but not queued: the others leave at the interval, the waiting one later."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        left: list[float] = []

        async def refused() -> None:
            with road.pacer.active(KEY, 20) as lane:
                await lane.permit(road.clock)
                await asyncio.sleep(1000)
                await lane.permit(road.clock)
                left.append(loop.now)

        await asyncio.gather(refused(), road.send("b", 20))
        assert road.left == {"b": 20}
        assert left == [pytest.approx(1000)]

    run(main)


def test_a_cancelled_call_in_the_queue_gives_its_slot_to_the_next() -> None:
    """It ends at once and the third leaves when the second would have."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        first = asyncio.ensure_future(road.send("a", 20))
        second = asyncio.ensure_future(road.send("b", 20))
        third = asyncio.ensure_future(road.send("c", 20))
        await asyncio.sleep(3)
        second.cancel()
        await _settled()
        assert second.cancelled()
        assert loop.now == pytest.approx(3)
        await asyncio.gather(first, third)
        assert road.left == {"a": 0, "c": 20}

    run(main)


def test_a_cancelled_call_further_back_changes_nothing_for_the_others() -> None:
    """Those before and after it keep their times."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        calls = [asyncio.ensure_future(road.send(name, 20)) for name in "abcd"]
        await asyncio.sleep(3)
        calls[2].cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        assert road.left == {"a": 0, "b": 20, "d": 40}

    run(main)


def test_a_sleep_that_ignores_cancellation_does_not_hold_the_cancelled_call() -> None:
    """The caller is free at once; the stubborn sleep ends by itself."""

    async def main(loop: VirtualLoop) -> None:
        async def stubborn(seconds: float) -> None:
            until = loop.now + seconds
            while loop.now < until:
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.sleep(until - loop.now)

        road = Road(loop, loop.clock(sleep=stubborn))
        await road.send("a", 20)
        waiting = asyncio.ensure_future(road.send("b", 20))
        napping = asyncio.ensure_future(pacing.nap(road.clock, 50))
        await asyncio.sleep(3)
        waiting.cancel()
        napping.cancel()
        await asyncio.wait({waiting, napping})
        assert loop.now == pytest.approx(3)
        await asyncio.sleep(60)

    run(main)


def test_the_queue_moves_up_when_a_slower_call_goes_away() -> None:
    """The first in the queue is told that the gap has become shorter."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        await road.send("a", 5)

        async def slow() -> None:
            with road.pacer.active(KEY, 5000):
                await asyncio.sleep(8)

        await asyncio.gather(slow(), road.send("b", 5))
        assert road.left == {"a": 0, "b": 8}

    run(main)


def test_nobody_passes_a_first_in_the_queue_that_overslept() -> None:
    """The order holds even when the first wakes long after its time."""

    async def main(loop: VirtualLoop) -> None:
        async def oversleep(seconds: float) -> None:
            await asyncio.sleep(100 if seconds > 1 else seconds)

        road = Road(loop)
        await road.send("a", 20)
        late = Road(loop, loop.clock(sleep=oversleep))
        late.pacer, late.left = road.pacer, road.left
        await asyncio.gather(late.send("b", 20), road.send("c", 20, at=50))
        assert road.left == {"a": 0, "b": 100, "c": 120}

    run(main)


def test_a_failing_sleep_is_reported_and_frees_the_queue() -> None:
    """A fault of the clock is not swallowed, and the next call is not stuck behind it."""

    async def main(loop: VirtualLoop) -> None:
        async def broken(_seconds: float) -> None:
            raise OSError("no timers left")

        road = Road(loop)
        await road.send("a", 20)
        with road.pacer.active(KEY, 20) as lane, pytest.raises(OSError, match="no timers left"):
            await lane.permit(loop.clock(sleep=broken))
        await road.send("b", 20)
        assert road.left == {"a": 0, "b": 20}

    run(main)


@pytest.mark.parametrize("interval", [float("nan"), float("inf"), float("-inf"), -0.001])
def test_an_interval_that_is_no_length_of_time_is_refused_before_anything_leaves(interval: float) -> None:
    """It would break every comparison of the queue."""
    pacer = Pacer()
    with pytest.raises(ValueError, match="finite"), pacer.active(KEY, interval):
        pytest.fail("it became active")
    assert len(pacer) == 0


def test_a_key_is_forgotten_when_no_gap_can_reach_back_to_its_last_dispatch() -> None:
    """Nothing about a key outlives the time in which it matters, and until then every gap is kept."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        await road.send("hasty", 0)
        await road.send("paced", 20, at=1)
        assert road.left == {"hasty": 0, "paced": 20}
        await asyncio.sleep(pacing.COOL_DOWN_S - 1)
        assert len(road.pacer) == 1
        await asyncio.sleep(1)
        assert len(road.pacer) == 0

    run(main)


def test_an_empty_table_is_not_mistaken_for_none() -> None:
    """A caller may choose between a pacer and a default by its truth."""
    assert Pacer()


def test_a_queue_is_named_by_a_digest_of_the_key() -> None:
    """The table never holds the key itself."""
    assert "secret" not in key_digest("secret-key")
    assert key_digest("secret-key") == key_digest("secret-key") != key_digest("secret-kez")


def test_a_request_that_was_slow_to_leave_is_not_followed_too_closely() -> None:
    """Connecting took 4 s after the permit, so the next permit comes 20 s after that."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        with road.pacer.active(KEY, 20) as lane:
            await lane.permit(road.clock)
            await asyncio.sleep(4)
            lane.sent(road.clock)
        await road.send("b", 20)
        assert road.left["b"] == pytest.approx(24, abs=0.001)

    run(main)


def test_the_usual_way_to_the_wire_costs_no_pace() -> None:
    """What every request needs between permit and wire is not added to every gap."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        permits: list[float] = []
        for _ in range(10):
            with road.pacer.active(KEY, 0.05) as lane:
                await lane.permit(road.clock)
                permits.append(loop.now)
                await asyncio.sleep(0.0004)
                lane.sent(road.clock)
        gaps = [later - earlier for earlier, later in itertools.pairwise(permits)]
        assert gaps == [pytest.approx(0.05, abs=1e-9)] * 9

    run(main)


def test_the_expected_wait_is_told_with_the_gap_in_force() -> None:
    """Whoever queues hears how long it will take, counting those ahead."""

    async def main(loop: VirtualLoop) -> None:
        road = Road(loop)
        heard: dict[str, tuple[float, float]] = {}

        async def send(name: str) -> None:
            with road.pacer.active(KEY, 5) as lane:
                await lane.permit(road.clock, lambda wait, gap: heard.setdefault(name, (wait, gap)) and None)

        await asyncio.gather(*(send(name) for name in "abc"))
        assert heard == {"b": (5, 5), "c": (10, 5)}

    run(main)


def test_a_waiting_call_whose_loop_died_does_not_block_the_others() -> None:
    """A loop can be closed with a call still queued; the queue goes on without it."""
    pacer = Pacer()

    async def take() -> None:
        with pacer.active(KEY, 0.01) as lane:
            await lane.permit(SYSTEM_CLOCK)

    async def join_for_long() -> None:
        with pacer.active(KEY, 60) as lane:
            await lane.permit(SYSTEM_CLOCK)

    doomed = asyncio.new_event_loop()
    doomed.run_until_complete(take())
    left_behind = doomed.create_task(join_for_long())
    doomed.run_until_complete(asyncio.sleep(0))
    doomed.close()
    with pacer._lock:
        gate = pacer._gates[KEY]
        assert len(gate.queue) == 1
        gate.exit(60)  # its call is over as far as anyone can tell
    asyncio.run(asyncio.wait_for(take(), 5))
    left_behind._log_destroy_pending = False
    coroutine = left_behind.get_coro()
    with contextlib.suppress(KeyError, RuntimeError):
        coroutine.close()


def test_calls_on_three_loops_in_three_threads_keep_one_queue() -> None:
    """No two dispatches with one key are closer than the interval, whichever thread they come from."""
    pacer, interval = Pacer(), 0.004
    left: list[float] = []

    async def calls() -> None:
        async def one() -> None:
            with pacer.active(KEY, interval) as lane:
                await lane.permit(SYSTEM_CLOCK)
                left.append(time.monotonic())

        await asyncio.gather(*(one() for _ in range(20)))

    threads = [threading.Thread(target=lambda: asyncio.run(calls())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(left) == 60
    # The permit is stamped before the list is: a thread may lose the processor in between.
    left.sort()
    assert (left[-1] - left[0]) >= 59 * interval - 0.002


@pytest.mark.slow
def test_twenty_a_second_is_kept_on_a_real_clock() -> None:
    """Two hundred dispatches, and no gap under 50 ms by the clock that the gate looks at."""

    async def calls() -> list[float]:
        pacer, stamps = Pacer(), []
        clock = Clock(monotonic=lambda: stamped(time.monotonic()))
        last = 0.0

        def stamped(now: float) -> float:
            nonlocal last
            last = now
            return now

        for _ in range(200):
            with pacer.active(KEY, 0.05) as lane:
                await lane.permit(clock)
                stamps.append(last)
        return stamps

    stamps = asyncio.run(calls())
    assert len(stamps) == 200
    assert min(later - earlier for earlier, later in itertools.pairwise(stamps)) >= 0.05 - 1e-9


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 60),  # joins at
            st.sampled_from([0, 3, 5, 20, 30]),  # interval
            st.integers(0, 40),  # body
            st.one_of(st.none(), st.integers(0, 60)),  # cancelled after
        ),
        min_size=1,
        max_size=8,
    )
)
def test_any_mix_of_calls_keeps_the_order_and_every_gap(calls: list[tuple[int, int, int, int | None]]) -> None:
    """First come, first served; each gap at least the caller's own interval and the one before it; nothing is stuck."""

    async def main(loop: VirtualLoop) -> None:
        pacer, clock = Pacer(), loop.clock()
        joined: list[int] = []
        left: list[tuple[int, float]] = []

        async def call(number: int, at: int, interval: int, body: int) -> None:
            await asyncio.sleep(at)
            with pacer.active(KEY, interval) as lane:
                joined.append(number)
                await lane.permit(clock)
                left.append((number, loop.now))
                await asyncio.sleep(body)

        async def guarded(start: Callable[[], Awaitable[None]], limit: int | None) -> None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(limit):
                    await start()

        await asyncio.gather(
            *(
                guarded(lambda n=n, at=at, gap=gap, body=body: call(n, at, gap, body), limit)
                for n, (at, gap, body, limit) in enumerate(calls)
            )
        )
        order = [number for number, _ in left]
        assert order == [number for number in joined if number in order]
        for (before, earlier), (after, later) in itertools.pairwise(left):
            assert later - earlier >= max(calls[before][1], calls[after][1]) - 1e-9
        for number, (_, _, _, limit) in enumerate(calls):
            assert limit is not None or number in order
        await asyncio.sleep(pacing.COOL_DOWN_S)
        assert len(pacer) == 0

    run(main)
