"""Running one asynchronous call so that Ctrl-C, a polite kill and a closed terminal end it cleanly."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, TypeVar

from twitter_tool.cli.invocation import Interrupted

T = TypeVar("T")
_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP")
_SIGNALS: Final = tuple(signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__)
"""A terminal that is closed sends the last one, where there is such a signal."""


def run_call(operation: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a call to its end, cancelling it at the first signal.

    The call's own clean-up runs before this returns. A second signal does not wait for it.

    Raises:
        Interrupted: a signal, or a cancellation from inside, ended the call.
    """
    # Taken before asyncio puts its own handler there, which would answer a second Ctrl-C as if it were the first.
    outer = {number: signal.getsignal(number) for number in _SIGNALS}
    results = asyncio.run(_watched(operation, outer))
    if not results:
        raise Interrupted
    return results[0]


async def _watched(
    operation: Callable[[], Coroutine[Any, Any, T]], outer: Mapping[signal.Signals, Any]
) -> tuple[T] | tuple[()]:
    """The result, or nothing when the call was interrupted.

    An exception would be reported with a traceback if a second signal came while the loop is being closed.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    if task is None:  # pragma: no cover - asyncio.run always makes one
        raise RuntimeError("there is no task to watch")
    watched: list[signal.Signals] = []
    received = False

    def stop() -> None:
        nonlocal received
        received = True
        release()
        task.cancel()

    def release() -> None:
        while watched:
            number = watched.pop()
            loop.remove_signal_handler(number)
            signal.signal(number, outer[number] if outer[number] is not None else signal.SIG_DFL)

    for number, handler in outer.items():
        if handler == signal.SIG_IGN:  # started with the signal ignored, as nohup does
            continue
        try:
            loop.add_signal_handler(number, stop)
        except (NotImplementedError, ValueError, RuntimeError):  # no such thing on this platform or in this thread
            continue
        watched.append(number)
    try:
        return (await operation(),)
    except asyncio.CancelledError:
        return ()
    except Exception:
        if received:  # the cancellation surfaced as a fault of something that was being torn down
            return ()
        raise
    finally:
        release()
