"""One queue per API key for the whole process: when the next request may leave.

The gap between two dispatches with one key is at least the largest interval among the calls active with that key, and
at least the interval that was in force at the previous dispatch. Only leaving is serialised; answers are read side
by side. Callers may live on different event loops and threads, so no asyncio object is shared: a plain lock
guards the table, and only the first in the queue sleeps, on its own loop.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from twitter_tool.clock import SYSTEM_CLOCK, Clock

SETTLE_S: Final = 0.001
"""Timers of an event loop ring up to a millisecond late; the last one is passed in yields instead."""
COOL_DOWN_S: Final = 600.0
"""The longest interval that can be set: after it no gap can reach back to the last dispatch of a key."""
LEAST_NAP_S: Final = 1e-6
USUAL_LAG_S: Final = 0.0005
"""Most that is allowed for between a permit and the wire; what a request needs beyond it pushes the next one back."""

WaitObserver = Callable[[float, float], None]
"""Told how long a permit will take and the gap in force, both in seconds, each time that is worked out."""


def key_digest(key: str) -> str:
    """The name of a key's queue; the key cannot be read from it."""
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


async def nap(clock: Clock, seconds: float) -> None:
    """Wait, ending at once when cancelled even if the clock's own sleep does not."""
    await _Alarm().wait(clock, seconds)


class Pacer:
    """The table of queues; :data:`PACER` is the one of the process, tests make their own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._gates: dict[str, _Gate] = {}

    def __bool__(self) -> bool:
        return True  # an empty table is a table: `pacer or PACER` must not take another

    def __len__(self) -> int:
        """How many keys are remembered: those in use or still cooling down."""
        with self._lock:
            self._forget_cold()
            return len(self._gates)

    @contextmanager
    def active(self, digest: str, interval_s: float) -> Iterator[Lane]:
        """Count a request as active with a key: from before it queues to the end of its body, backoff included.

        Raises:
            ValueError: the interval is negative or not a finite number.
        """
        if not math.isfinite(interval_s) or interval_s < 0:
            raise ValueError(f"the request interval must be a finite number of seconds from 0 up, not {interval_s!r}")
        with self._lock:
            self._forget_cold()
            gate = self._gates.setdefault(digest, _Gate())
            gate.enter(interval_s)
        try:
            yield Lane(self._lock, gate)
        finally:
            with self._lock:
                gate.exit(interval_s)
                self._forget_cold()

    def _forget_cold(self) -> None:
        for digest in [digest for digest, gate in self._gates.items() if gate.is_cold()]:
            del self._gates[digest]


class Lane:
    """One active request's access to its key's queue."""

    __slots__ = ("_gate", "_lock", "_permitted")

    def __init__(self, lock: threading.Lock, gate: _Gate) -> None:
        self._lock = lock
        self._gate = gate
        self._permitted = 0.0

    async def permit(self, clock: Clock, on_wait: WaitObserver | None = None) -> None:
        """Queue at the tail and return at the instant of dispatch.

        A cancelled caller leaves the queue at once and delays nobody.
        """
        ticket = _Alarm()
        with self._lock:
            self._gate.queue.append(ticket)
        try:
            while (wait := self._take(ticket, clock, on_wait)) is not None:
                if wait > 2 * SETTLE_S:
                    await ticket.wait(clock, wait - SETTLE_S)
                elif wait > 0:
                    await _settle(ticket, clock, wait)
                else:
                    await ticket.wait(clock, None)
        finally:
            with self._lock:
                self._gate.leave(ticket)

    def sent(self, clock: Clock) -> None:
        """Say that the permitted request has left only now, after connecting perhaps: the next gap counts from here.

        The upstream measures at its own door, so a request that was slow to leave must not be followed too closely.
        """
        with self._lock:
            self._gate.sent(clock.monotonic(), self._permitted)

    def _take(self, ticket: _Alarm, clock: Clock, on_wait: WaitObserver | None) -> float | None:
        """``None``: go. More than zero: come back after so many seconds. Zero: wait to be woken."""
        with self._lock:
            gate = self._gate
            gate.drop_dead_heads()
            wait = gate.wait(clock)
            first = gate.queue[0] is ticket
            if first and wait <= 0:
                self._permitted = gate.dispatch(clock)
                return None
            ahead = gate.queue.index(ticket)
            gap = gate.gap()
        if on_wait is not None:
            on_wait(max(wait, 0) + ahead * gap, gap)
        return wait if first else 0


class _Alarm:
    """A place in a queue: sleeps on its own loop, can be woken from any thread."""

    __slots__ = ("_bell", "loop")

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._bell: asyncio.Future[None] | None = None

    async def wait(self, clock: Clock, seconds: float | None) -> None:
        """Sleep until rung, or for so many seconds; may end early."""
        self._bell = self.loop.create_future()
        # The sleep is a task of its own: a clock that ignores cancellation must not hold the caller.
        sleeper = None if seconds is None else asyncio.ensure_future(clock.sleep(seconds))
        if sleeper is not None:
            sleeper.add_done_callback(self._ring)
        try:
            await self._bell
        finally:
            if sleeper is not None:
                sleeper.remove_done_callback(self._ring)  # its end must not ring the next bell
                sleeper.cancel()
        if sleeper is not None and sleeper.done() and not sleeper.cancelled():
            sleeper.result()

    def ring_soon(self) -> bool:
        """Wake the sleeper from whatever thread; false when its loop is gone."""
        try:
            self.loop.call_soon_threadsafe(self._ring)
        except RuntimeError:
            return False
        return True

    def _ring(self, _sleeper: object = None) -> None:
        if self._bell is not None and not self._bell.done():
            self._bell.set_result(None)


async def _settle(ticket: _Alarm, clock: Clock, seconds: float) -> None:
    before = clock.monotonic()
    await clock.sleep(0)
    if clock.monotonic() == before:  # a clock that only moves when slept on, and perhaps not for a rounding error
        await ticket.wait(clock, max(seconds, LEAST_NAP_S))


@dataclass(slots=True)
class _Gate:
    """The state of one key. Every use is under the table's lock.

    Attributes:
        active: how many calls are active with each interval.
        last: when the previous request left.
        in_force: the largest active interval at that moment.
        lag: the shortest way from a permit to the wire seen so far.
    """

    active: dict[float, int] = field(default_factory=dict)
    queue: deque[_Alarm] = field(default_factory=deque)
    last: float | None = None
    in_force: float = 0.0
    lag: float = USUAL_LAG_S
    monotonic: Callable[[], float] = SYSTEM_CLOCK.monotonic

    def enter(self, interval_s: float) -> None:
        self.active[interval_s] = self.active.get(interval_s, 0) + 1

    def exit(self, interval_s: float) -> None:
        self.active[interval_s] -= 1
        if not self.active[interval_s]:
            del self.active[interval_s]
            self.wake_first()  # the gap may have become shorter

    def gap(self) -> float:
        return max(self.in_force, *self.active, 0.0)

    def wait(self, clock: Clock) -> float:
        if self.monotonic != clock.monotonic:  # another clock, in tests: its readings cannot be compared with ours
            self.monotonic, self.last, self.in_force = clock.monotonic, None, 0.0
        return 0.0 if self.last is None else self.last + self.gap() - clock.monotonic()

    def dispatch(self, clock: Clock) -> float:
        self.queue.popleft()
        self.last = now = clock.monotonic()
        self.in_force = max(self.active, default=0.0)
        self.wake_first()
        return now

    def sent(self, now: float, permitted: float) -> None:
        self.lag = min(self.lag, max(now - permitted, 0.0))
        # The next request needs at least as long from its permit to the wire.
        self.last = now - self.lag if self.last is None else max(self.last, now - self.lag)

    def leave(self, ticket: _Alarm) -> None:
        if ticket in self.queue:
            first = self.queue[0] is ticket
            self.queue.remove(ticket)
            if first:
                self.wake_first()

    def wake_first(self) -> None:
        while self.queue and not self.queue[0].ring_soon():
            self.queue.popleft()

    def drop_dead_heads(self) -> None:
        while self.queue[0].loop.is_closed():
            self.queue.popleft()

    def is_cold(self) -> bool:
        return not self.active and (self.last is None or self.monotonic() >= self.last + COOL_DOWN_S)


PACER: Final = Pacer()
