"""An event loop in a thread of its own, for callers that have none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError as FutureCancelled
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")


class Background:
    """One loop, started when first needed; usable from any thread, and again after :meth:`stop`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work on the loop; an interruption of the caller cancels it.

        Raises:
            CancelledError: the loop was stopped before the work was done.
            RuntimeError: called on the loop itself, which would wait for itself.
        """
        handover = _Handover()
        owned = _owned(work, handover)
        try:
            return self._submit(owned, handover).result()
        except FutureCancelled:
            raise asyncio.CancelledError from None
        except BaseException:
            # An interruption can come at any point of the hand-over: the work is given up wherever it stands.
            handover.abandoned = True
            if not handover.submitted:
                owned.close()
                work.close()
            elif handover.cancel is not None:
                handover.cancel()
            raise

    def stop(self, closing: Callable[[], Awaitable[None]]) -> None:
        """Await ``closing`` on the loop, which ends the work there; then cancel whatever is left and close the loop.

        Raises:
            RuntimeError: called on the loop itself.
        """
        with self._lock:
            self._refuse_own_thread()
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        try:
            asyncio.run_coroutine_threadsafe(_shut_down(closing), loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _submit(self, work: Coroutine[Any, Any, T], handover: _Handover) -> Future[T]:
        # Under the lock: work that is handed over at all has begun before a stop looks at what there is to end.
        with self._lock:
            self._refuse_own_thread()
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="twitter-tool", daemon=True)
                self._thread.start()
            handover.submitted = True
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _refuse_own_thread(self) -> None:
        if self._thread is threading.current_thread():
            raise RuntimeError("the synchronous methods cannot be called from a progress observer")


@dataclass(slots=True)
class _Handover:
    """How far a piece of work has come on its way to the loop."""

    submitted: bool = False
    abandoned: bool = False
    cancel: Callable[[], object] | None = None


async def _owned(work: Coroutine[Any, Any, T], handover: _Handover) -> T:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    handover.cancel = lambda: None if task.done() else loop.call_soon_threadsafe(task.cancel)
    if handover.abandoned:
        work.close()
        raise asyncio.CancelledError
    return await work


async def _shut_down(closing: Callable[[], Awaitable[None]]) -> None:
    await closing()
    own = asyncio.current_task()
    tasks = [task for task in asyncio.all_tasks() if task is not own]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
