"""Media hosts in this process: scripted answers, and a list of everything that was asked."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping

import httpx

from twitter_tool.clock import Clock
from twitter_tool.http import Http

LATE = 1_000.0
"""A deadline that is far away from the start of :class:`HandClock`."""


class HandClock:
    """A clock that stands still unless a test moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    @property
    def clock(self) -> Clock:
        return Clock(monotonic=lambda: self.now)


class Body(httpx.AsyncByteStream):
    """A body in pieces that remembers how many were taken and whether it was closed; ``hanging`` is set at its stop."""

    def __init__(self, pieces: Iterable[bytes], *, then_hang: bool = False) -> None:
        self._pieces = list(pieces)
        self._then_hang = then_hang
        self.taken = 0
        self.closed = False
        self.hanging = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            self.taken += 1
            yield piece
        if self._then_hang:
            self.hanging.set()
            await asyncio.Event().wait()

    async def aclose(self) -> None:
        self.closed = True


Reply = Callable[[httpx.Request], httpx.Response] | httpx.Response | Exception


def reply(
    body: bytes | Body = b"", content_type: str | None = "image/png", status: int = 200, **headers: str
) -> Callable[[httpx.Request], httpx.Response]:
    """An answer with the length of its body; header names are written with ``_`` for ``-``."""

    def answer(request: httpx.Request) -> httpx.Response:
        fields: dict[str, str] = {name.replace("_", "-"): value for name, value in headers.items()}
        if content_type is not None:
            fields["content-type"] = content_type
        if isinstance(body, bytes):
            fields.setdefault("content-length", str(len(body)))
        stream = Body([body]) if isinstance(body, bytes) else body
        raw = [(name.encode(), value.encode("latin-1")) for name, value in fields.items()]
        return httpx.Response(status, headers=raw, stream=stream if request.method != "HEAD" else Body([]))

    return answer


class ScriptedHost(httpx.AsyncBaseTransport):
    """Answers by method and address; what is not scripted is a 404.

    Attributes:
        asked: ``METHOD address`` of every request in order.
        headers: of every request, by the same words.
        gate: when set, requests wait for it.
    """

    def __init__(self, script: Mapping[str, Reply]) -> None:
        self._script = script
        self.asked: list[str] = []
        self.headers: dict[str, httpx.Headers] = {}
        self.gate: asyncio.Event | None = None
        self._arrivals: asyncio.Queue[str] = asyncio.Queue()

    async def arrived(self, count: int) -> None:
        """Wait until so many requests wait at the gate at once."""
        for _ in range(count):
            await self._arrivals.get()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        words = f"{request.method} {request.url}"
        self.asked.append(words)
        self.headers[words] = request.headers
        if self.gate is not None:
            self._arrivals.put_nowait(words)
            await self.gate.wait()
        found = self._script.get(words)
        if found is None:
            return httpx.Response(404, stream=Body([]))
        if isinstance(found, Exception):
            raise found
        return found if isinstance(found, httpx.Response) else found(request)


@contextlib.asynccontextmanager
async def media_host(script: Mapping[str, Reply]) -> AsyncIterator[tuple[Http, ScriptedHost]]:
    """A client whose every request goes to a scripted host; closed at the end."""
    host = ScriptedHost(script)
    http = Http(transport=host)
    try:
        yield http, host
    finally:
        await http.aclose()
