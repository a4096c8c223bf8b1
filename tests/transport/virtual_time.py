"""Time that passes only when everything waits: hours of pacing and backoff are tested in milliseconds."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from twitter_tool.clock import Clock

T = TypeVar("T")
START = datetime(2026, 11, 30, 15, 0, 0, tzinfo=UTC)


class _Jumping(selectors.SelectSelector):
    """Never waits: when no socket is ready, the loop's time jumps to its next timer."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise RuntimeError("every task waits and no timer is set")
            self.loop.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock starts at 0 and jumps."""

    def __init__(self) -> None:
        self.now = 0.0
        selector = _Jumping()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.now

    def clock(self, *, jitter: float = 0.0, sleep: Any = asyncio.sleep) -> Clock:
        """The loop's time as the clock of a call."""
        return Clock(
            now=lambda: START + timedelta(seconds=self.now),
            monotonic=self.time,
            sleep=sleep,
            jitter=lambda: jitter,
        )


def run(main: Callable[[VirtualLoop], Coroutine[Any, Any, T]]) -> T:
    """Run a test body on a new virtual loop; it must leave no task behind."""
    loop = VirtualLoop()

    async def checked() -> T:
        outcome = await main(loop)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"tasks left behind: {left}"
        return outcome

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(checked())
