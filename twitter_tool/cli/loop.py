"""Running one asynchronous call so that Ctrl-C and a polite kill end it cleanly."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from twitter_tool.cli.invocation import Interrupted

T = TypeVar("T")
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def run_call(operation: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a call to its end, cancelling it at the first signal.

    The call's own clean-up runs before this returns. A second signal does not wait for it.

    Raises:
        Interrupted: a signal, or a cancellation from inside, ended the call.
    """
    return asyncio.run(_watched(operation))


async def _watched(operation: Callable[[], Coroutine[Any, Any, T]]) -> T:
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    if task is None:  # pragma: no cover - asyncio.run always makes one
        raise RuntimeError("there is no task to watch")
    before: dict[signal.Signals, Any] = {}
    received = False

    def stop() -> None:
        nonlocal received
        received = True
        release()
        task.cancel()

    def release() -> None:
        while before:
            number, handler = before.popitem()
            loop.remove_signal_handler(number)
            signal.signal(number, handler)

    for number in _SIGNALS:
        handler = signal.getsignal(number)
        if handler == signal.SIG_IGN:  # started with the signal ignored, as nohup does
            continue
        try:
            loop.add_signal_handler(number, stop)
        except (NotImplementedError, ValueError, RuntimeError):  # no such thing on this platform or in this thread
            continue
        before[number] = handler
    try:
        return await operation()
    except asyncio.CancelledError:
        raise Interrupted from None
    except Exception:
        if received:  # the cancellation surfaced as a fault of something that was being torn down
            raise Interrupted from None
        raise
    finally:
        release()
