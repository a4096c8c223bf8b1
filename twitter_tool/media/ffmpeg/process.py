"""Runs the program: a process group of its own that never outlives the call.

Nothing comes from a shell or from standard input, the environment holds no secret, output is read in pieces and never
kept whole, and the group is killed and reaped at the deadline and when the caller is cancelled.
"""

from __future__ import annotations

import asyncio
import math
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from twitter_tool.text import BREAK_MARK, Line, line

WORDS_KEPT: Final = 4096
"""Bytes of the program's own messages, from their end."""
WORDS_SHOWN: Final = 300
ENVIRONMENT: Final = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "SYSTEMROOT")
"""What a program needs to find its own libraries. Keys of services stay here."""
MEMORY: Final = 4 * 1024**3
FILE_SIZE: Final = 256 * 1024**2
CPU_GRACE_S: Final = 5

_SILENCE: Final = Line("")

Take = Callable[[bytes], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run ended.

    Attributes:
        ok: it ended by itself and reported success.
        late: it was killed at the deadline.
        words: the last of what it said, cleaned; untrusted.
    """

    ok: bool
    late: bool = False
    words: Line = _SILENCE


async def run(command: Sequence[str], *, timeout_s: float, take: Take | None = None) -> Ended:
    """Run a program to its end.

    Args:
        command: the absolute path of the program and its arguments.
        timeout_s: after which it is killed; nothing is started when there is no time left.
        take: receives what it writes to standard output, piece by piece; must not raise.
    """
    if not timeout_s > 0:
        return Ended(ok=False, late=True)
    loop = asyncio.get_running_loop()
    try:
        transport, watch = await loop.subprocess_exec(
            lambda: _Watch(loop, take),
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL if take is None else asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
            start_new_session=True,
        )
    except (OSError, ValueError, NotImplementedError) as error:  # the last: an event loop that has no processes
        return Ended(ok=False, words=line(f"{type(error).__name__}: {error}", WORDS_SHOWN))
    _limit(transport.get_pid(), cpu_seconds=math.ceil(timeout_s * (os.cpu_count() or 1)) + CPU_GRACE_S)
    late = False
    try:
        async with asyncio.timeout(timeout_s):
            await asyncio.shield(watch.over)
    except TimeoutError:
        late = True
    finally:
        await _finish(transport, watch)
    return Ended(ok=not late and transport.get_returncode() == 0, late=late, words=watch.words())


class _Watch(asyncio.SubprocessProtocol):
    """Follows one process.

    Attributes:
        gone: the process itself has ended.
        over: so has everybody who could write to its pipes.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, take: Take | None) -> None:
        self.gone: asyncio.Future[None] = loop.create_future()
        self.over: asyncio.Future[None] = loop.create_future()
        self._take = take
        self._end = bytearray()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1 and self._take is not None:
            self._take(data)
        else:
            self._end += data
            del self._end[:-WORDS_KEPT]

    def process_exited(self) -> None:
        self.gone.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self.over.set_result(None)

    def words(self) -> Line:
        """The last of its messages."""
        said = line(self._end.decode("utf-8", "replace"), WORDS_KEPT * len(BREAK_MARK))
        return Line(said[-WORDS_SHOWN:].strip(BREAK_MARK))


async def _finish(transport: asyncio.SubprocessTransport, watch: _Watch) -> None:
    """Leave neither a process nor an open pipe, however often the caller is cancelled meanwhile."""
    cancelled: asyncio.CancelledError | None = None
    if not watch.over.done():
        _kill(transport)
    for step in (watch.gone, watch.over):
        while not step.done():
            try:
                await asyncio.shield(step)
            except asyncio.CancelledError as error:
                cancelled = error
        transport.close()
    if cancelled is not None:
        raise cancelled


def _kill(transport: asyncio.SubprocessTransport) -> None:
    with suppress(ProcessLookupError, PermissionError):  # it ended in this moment
        if sys.platform == "win32":
            transport.kill()
        else:
            os.killpg(transport.get_pid(), signal.SIGKILL)


def _limit(pid: int, *, cpu_seconds: int) -> None:
    """Bound what a hostile clip can make the program take; on systems without such bounds the deadline must do.

    Args:
        cpu_seconds: more than it can use before its deadline; ends a process whose parent was killed.
    """
    if sys.platform == "linux":
        import resource

        bounds = (
            (resource.RLIMIT_DATA, MEMORY),
            (resource.RLIMIT_FSIZE, FILE_SIZE),
            (resource.RLIMIT_CPU, cpu_seconds),
            (resource.RLIMIT_CORE, 0),
        )
        with suppress(OSError, ValueError):  # ended already, or stricter bounds are in force
            for bound, most in bounds:
                resource.prlimit(pid, bound, (most, most))
