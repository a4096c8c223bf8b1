"""A loopback server that sends exactly the bytes a test wants, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
import ssl
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from loopback_server import LoopbackServer, listening, while_connected, whole_response

KEPT_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """The body of a request: its length and SHA-256 digest, and itself unless it is large."""

    length: int
    digest: str
    data: bytes


Script = Callable[["RawServer", asyncio.StreamWriter], Coroutine[Any, Any, None]]


class RawServer(LoopbackServer):
    """What the scripts of a test write to, and what the test looks at afterwards.

    Attributes:
        heads: request line and headers of every request, as received.
        bodies: what came with it, as far as a length was told.
        asked: set when the first request has arrived.
        script: answers every request.
    """

    def __init__(self, script: Script) -> None:
        super().__init__()
        self.script = script
        self.heads: list[str] = []
        self.bodies: list[Received] = []
        self.asked = asyncio.Event()

    async def exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
        self.asked.set()
        self.bodies.append(await _received(reader, self.heads[-1]))
        return await while_connected(reader, self.script(self, writer))


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
    return whole_response(status, body, *headers)


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


def serving(script: Script, *, tls: ssl.SSLContext | None = None) -> contextlib.AbstractAsyncContextManager[RawServer]:
    """Run a script for every request on every connection."""
    return listening(RawServer(script), tls=tls)
