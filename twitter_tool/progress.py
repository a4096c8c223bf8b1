"""Progress events of one call: display only, never part of a result."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Callable
from typing import Any

Observer = Callable[[str], Any]


class Progress:
    """Hands progress strings to an observer whose failures change nothing.

    The observer may be a plain or an ``async`` function. After :meth:`close` (the call ended or was
    cancelled) nothing more is emitted, and pending ``async`` observers are cancelled.
    """

    __slots__ = ("_observer", "_tasks")

    def __init__(self, observer: Observer | None = None) -> None:
        self._observer = observer
        self._tasks: set[asyncio.Future[Any]] = set()

    def emit(self, event: str) -> None:
        """Give one event to the observer; never raises an ``Exception``."""
        if self._observer is None:
            return
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            return
        # An observer is display only: whatever it raises must not change the call it watches.
        with contextlib.suppress(Exception):
            outcome = self._observer(event)
            if inspect.isawaitable(outcome):
                pending = asyncio.ensure_future(outcome)
                self._tasks.add(pending)
                pending.add_done_callback(self._forget)

    async def settle(self) -> None:
        """Let ``async`` observers begin on everything emitted so far; called when the call has its result."""
        if self._tasks:
            await asyncio.sleep(0)

    def close(self) -> None:
        """Stop emitting; called when the call ends."""
        self._observer = None
        for task in tuple(self._tasks):
            task.cancel()

    def _forget(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, or the loop would complain about it
