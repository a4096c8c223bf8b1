"""The sandbox behind a real loopback port, in a thread of its own, and what a test wants to know about it."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest

from twitter_tool.sandbox import Fault, Sandbox
from twitter_tool.sandbox.serve import running

PATIENCE_S = 20.0
"""How long a test waits for something that should come at once."""
STALL = 3600.0
"""Seconds for the slow faults: until the test is over."""


class Served:
    """A served sandbox.

    Attributes:
        url: where it listens.
        sandbox: its faults may be changed at any time.
        on_request: called, in the server's thread, for every request that arrives.
    """

    def __init__(self, *, gzip: bool = False) -> None:
        self.sandbox = Sandbox(sleep=self._pause, gzip=gzip)
        self.url = ""
        self._changed = threading.Condition()
        self._pauses = 0
        self._paused: WeakSet[Any] = WeakSet()
        self._freed: WeakSet[Any] = WeakSet()
        self._ready = threading.Event()
        self.on_request: Callable[[], None] = _nothing
        self.sandbox.log = _Log(self._arrived)

    @property
    def paths(self) -> list[str]:
        """The paths asked for, in order."""
        return [entry["path"] for entry in self.sandbox.log]

    @property
    def queries(self) -> list[str]:
        """The query strings asked for, in order."""
        return [entry["query"] for entry in self.sandbox.log]

    def show(self, *faults: Fault) -> None:
        """Switch these faults on, and no others."""
        self.sandbox.faults = list(faults)

    def wait_for_requests(self, count: int) -> None:
        """Block until so many requests have arrived."""
        self._wait(lambda: len(self.sandbox.log) >= count)

    def wait_for_pauses(self, count: int) -> None:
        """Block until the slow faults have paused so often: before the headers, or after a piece of a body."""
        self._wait(lambda: self._pauses >= count)

    def start_over(self) -> None:
        """Let everything that is slow go on, and forget faults and requests."""
        self.let_go()
        self.show()
        self.on_request = _nothing
        self.sandbox.log.clear()
        self._pauses = 0

    def let_go(self) -> None:
        """Let everything that is slow go on."""
        self._loop.call_soon_threadsafe(self._let_go)

    def _let_go(self) -> None:
        self._freed |= self._paused  # a slow body would only come to its next pause
        self._released.set()
        self._released = asyncio.Event()

    def _wait(self, happened: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(happened, PATIENCE_S), f"it did not happen; the server saw {self.paths}"

    def _arrived(self) -> None:
        self.on_request()
        self._tell()

    def _tell(self) -> None:
        with self._changed:
            self._changed.notify_all()

    async def _pause(self, seconds: float) -> None:
        answering = asyncio.current_task()
        if answering in self._freed:
            return
        self._pauses += 1
        self._tell()
        released = self._released
        self._paused.add(answering)
        try:
            async with asyncio.timeout(seconds):
                await released.wait()
        except TimeoutError:
            return
        finally:
            self._paused.discard(answering)

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        self._released = asyncio.Event()
        async with running(self.sandbox) as url:
            self.url = url
            self._ready.set()
            await self._stopping.wait()
            self._let_go()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)


@contextmanager
def serving(*, gzip: bool = False) -> Iterator[Served]:
    """A served sandbox for the length of a block."""
    served = Served(gzip=gzip)
    thread = threading.Thread(target=lambda: asyncio.run(served._main()), name="served-sandbox")
    thread.start()
    try:
        assert served._ready.wait(PATIENCE_S), "the server did not start"
        yield served
    finally:
        served._stop()
        thread.join()


def _nothing() -> None:
    """What happens at a request when nobody asked for more."""


class _Log(deque[dict[str, Any]]):
    """Tells when an entry comes."""

    def __init__(self, tell: Callable[[], None]) -> None:
        super().__init__(maxlen=1_000)
        self._tell = tell

    def append(self, entry: dict[str, Any]) -> None:
        super().append(entry)
        self._tell()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder is the home, and both are empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def server() -> Iterator[Served]:
    """One served sandbox for all tests."""
    with serving() as served:
        yield served


@pytest.fixture
def served(server: Served) -> Iterator[Served]:
    """The served sandbox without faults and with an empty log."""
    server.start_over()
    yield server
    server.start_over()
