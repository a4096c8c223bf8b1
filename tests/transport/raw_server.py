"""A loopback server that sends exactly the bytes a test wants, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

KEPT_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """The body of a request: its length and SHA-256 digest, and itself unless it is large."""

    length: int
    digest: str
    data: bytes


class RawServer:
    """What the scripts of a test write to, and what the test looks at afterwards.

    Attributes:
        heads: request line and headers of every request, as received.
        bodies: what came with it, as far as a length was told.
        asked: set when the first request has arrived.
        released: set when the server closes; a script that stalls waits for it.
    """

    def __init__(self) -> None:
        self.heads: list[str] = []
        self.bodies: list[Received] = []
        self.connections = 0
        self.released = asyncio.Event()
        self.asked = asyncio.Event()
        self.port = 0
        self._open: set[asyncio.StreamWriter] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def open_connections(self) -> int:
        return len(self._open)

    async def all_closed(self) -> None:
        """Wait until every client connection has been closed by the client."""
        async with asyncio.timeout(5):
            await self._idle.wait()


Script = Callable[[RawServer, asyncio.StreamWriter], Awaitable[None]]


def fixed(*parts: bytes, close: bool = False) -> Script:
    """Answer every request with these bytes, then keep the connection or close it."""

    async def script(_server: RawServer, writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()
        if close:
            writer.close()

    return script


def stalling(*parts: bytes) -> Script:
    """Write these bytes and then nothing more."""

    async def script(server: RawServer, writer: asyncio.StreamWriter) -> None:
        await fixed(*parts)(server, writer)
        await server.released.wait()

    return script


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """One whole answer with its length."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def _received(reader: asyncio.StreamReader, head: str) -> Received:
    told = re.search(r"\r\ncontent-length: (\d+)\r\n", head, re.IGNORECASE)
    length = left = int(told[1]) if told else 0
    digest, kept = hashlib.sha256(), bytearray()
    while left:
        piece = await reader.readexactly(min(left, 64 * 1024))
        left -= len(piece)
        digest.update(piece)
        if length <= KEPT_BYTES:
            kept += piece
    return Received(length=length, digest=digest.hexdigest(), data=bytes(kept))


async def _more(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        await reader.read(1)


@contextlib.asynccontextmanager
async def serving(script: Script, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[RawServer]:
    """Run a script for every request on every connection."""
    server = RawServer()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        server._open.add(writer)
        server._idle.clear()
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                server.heads.append(head.decode("latin-1"))
                server.asked.set()
                server.bodies.append(await _received(reader, server.heads[-1]))
                gone = asyncio.ensure_future(_more(reader))
                told = asyncio.ensure_future(script(server, writer))
                await asyncio.wait({gone, told}, return_when=asyncio.FIRST_COMPLETED)
                if not told.done():
                    told.cancel()
                    break
                gone.cancel()
                await asyncio.wait({gone})
                told.result()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
        server._open.discard(writer)
        if not server._open:
            server._idle.set()

    listener = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        server.released.set()
        listener.close()
        await listener.wait_closed()
        for writer in tuple(server._open):
            writer.transport.abort()
        await server.all_closed()
