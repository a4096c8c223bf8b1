"""What every stand-in server of the tests shares: a loopback port, its open connections, and reading a request."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar


class LoopbackServer:
    """Carries out :meth:`exchange` again and again on each connection.

    Attributes:
        connections: how many there have been.
        released: set when the server closes; what stalls waits for it.
    """

    def __init__(self) -> None:
        self.port = 0
        self.connections = 0
        self.released = asyncio.Event()
        self._open: set[asyncio.StreamWriter] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def open_connections(self) -> int:
        return len(self._open)

    async def exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read one request and answer it; says whether the connection stays."""
        raise NotImplementedError

    async def all_closed(self) -> None:
        """Wait until the client has closed every connection."""
        async with asyncio.timeout(5):
            await self._idle.wait()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection; a client that hangs up is what some tests are about."""
        self.connections += 1
        self._open.add(writer)
        self._idle.clear()
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while not writer.is_closing() and await self.exchange(reader, writer):
                    pass
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            self._open.discard(writer)
            if not self._open:
                self._idle.set()

    async def close(self) -> None:
        """Let go what stalls, and drop the connections that are left."""
        self.released.set()
        for writer in tuple(self._open):
            writer.transport.abort()
        await self.all_closed()


Server = TypeVar("Server", bound=LoopbackServer)


@contextlib.asynccontextmanager
async def listening(server: Server, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """A server on a free port for the length of a block."""
    listener = await asyncio.start_server(server.connected, "127.0.0.1", 0, ssl=tls)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        await server.close()
        await listener.wait_closed()


async def while_connected(reader: asyncio.StreamReader, telling: Coroutine[Any, Any, None]) -> bool:
    """Answer, but stop when the client hangs up; says whether the answer was given whole."""
    gone = asyncio.ensure_future(_hung_up(reader))
    told = asyncio.ensure_future(telling)
    await asyncio.wait({gone, told}, return_when=asyncio.FIRST_COMPLETED)
    whole = told.done()
    (gone if whole else told).cancel()
    await asyncio.wait({gone, told})
    if whole:
        told.result()
    return whole


async def _hung_up(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        await reader.read(1)


async def read_head(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str]]:
    """Method, target and headers of a request; header names in lower case."""
    rows = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = rows[0].split(" ")
    return method, target, {name.lower(): value.strip() for name, _, value in (row.partition(":") for row in rows[1:])}


def whole_response(status: str, body: bytes, *headers: str, length: int | None = None) -> bytes:
    """The bytes of one response, with its length unless another one is claimed."""
    rows = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers]
    return "\r\n".join(rows).encode() + b"\r\n\r\n" + body
