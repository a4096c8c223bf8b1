"""The connections of one tool, a pool for each event loop and way out, and the calls that are using them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from twitter_tool.http import Http

if TYPE_CHECKING:
    import httpx

    from twitter_tool.settings import Settings

_Way = tuple[asyncio.AbstractEventLoop, str | None, bool]


class Connections:
    """Usable from several event loops and threads at once.

    Args:
        transport: replaces the network.

    Raises:
        TypeError: ``transport`` cannot carry requests.
    """

    def __init__(self, transport: httpx.AsyncBaseTransport | None) -> None:
        if transport is not None and not hasattr(transport, "handle_async_request"):
            raise TypeError(
                f"transport must be an asynchronous httpx transport, not {type(transport).__name__};"
                " wrap an ASGI application with twitter_tool.http.in_process"
            )
        self._transport = transport
        self._lock = threading.Lock()
        self._pools: dict[_Way, Http] = {}
        self._calls: dict[asyncio.Future[None], asyncio.Task[object]] = {}

    def pool(self, settings: Settings) -> Http:
        """The pool for these settings on the running loop; an idle pool of a finished loop is forgotten."""
        way = (asyncio.get_running_loop(), settings["route_to"], bool(settings["use_proxy_env"]))
        with self._lock:
            for stale in [key for key in self._pools if key[0].is_closed()]:
                del self._pools[stale]
            if way not in self._pools:
                self._pools[way] = Http(transport=self._transport, route_to=way[1], use_proxy_env=way[2])
            return self._pools[way]

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Count the current task as a call under way, to be ended by :meth:`aclose`."""
        task = asyncio.current_task()
        assert task is not None
        ended = asyncio.get_running_loop().create_future()
        with self._lock:
            self._calls[ended] = task
        try:
            yield
        finally:
            with self._lock:
                del self._calls[ended]
            ended.set_result(None)

    async def aclose(self) -> None:
        """Close the pools of the running loop, after cancelling the calls under way there."""
        loop, own = asyncio.get_running_loop(), asyncio.current_task()
        with self._lock:
            gone = [way for way in self._pools if way[0] is loop or way[0].is_closed()]
            pools = [(way, self._pools.pop(way)) for way in gone]
            calls = {ended: task for ended, task in self._calls.items() if ended.get_loop() is loop and task is not own}
        for task in calls.values():
            task.cancel()
        if calls:
            await asyncio.wait(calls)
        for way, pool in pools:
            if way[0] is loop:
                await pool.aclose()
