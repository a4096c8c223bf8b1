"""The connections of one tool, a pool for each event loop and way out, and the calls that are using them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple

from twitter_tool.http import Http

if TYPE_CHECKING:
    import httpx

    from twitter_tool.settings import Settings


class _Way(NamedTuple):
    loop: asyncio.AbstractEventLoop
    to: Literal["upstream", "media", "endpoints"]
    route: str | None
    proxied: bool


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
        """The pool for the upstream with these settings on the running loop."""
        return self._pool("upstream", settings["route_to"], settings)

    def media(self, settings: Settings) -> Http:
        """The pool for X's media hosts: the upstream's transport or route, else the network, to public hosts only."""
        return self._pool("media", settings["route_to"], settings)

    def endpoints(self, settings: Settings) -> Http:
        """The pool for the services that settings name: always the network, neither routed nor replaced."""
        return self._pool("endpoints", None, settings)

    def _pool(self, to: Literal["upstream", "media", "endpoints"], route: str | None, settings: Settings) -> Http:
        """The pool of one way out, made when first asked for; idle pools of finished loops are forgotten."""
        way = _Way(asyncio.get_running_loop(), to, route, bool(settings["use_proxy_env"]))
        with self._lock:
            for stale in [known for known in self._pools if known.loop.is_closed()]:
                del self._pools[stale]
            if way not in self._pools:
                self._pools[way] = Http(
                    transport=None if to == "endpoints" else self._transport,
                    route_to=way.route,
                    use_proxy_env=way.proxied,
                    public_only=to == "media",
                )
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
            gone = [way for way in self._pools if way.loop is loop or way.loop.is_closed()]
            pools = [(way, self._pools.pop(way)) for way in gone]
            calls = {ended: task for ended, task in self._calls.items() if ended.get_loop() is loop and task is not own}
        for task in calls.values():
            task.cancel()
        if calls:
            await asyncio.wait(calls)
        for way, pool in pools:
            if way.loop is loop:
                await pool.aclose()
