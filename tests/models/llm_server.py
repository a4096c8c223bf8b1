"""An OpenAI-compatible server on loopback that answers exactly as a test wants, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


Script = Callable[["LlmServer", asyncio.StreamWriter], Awaitable[None]]


class LlmServer:
    """What a test scripts and looks at.

    Attributes:
        asked: every request, in order.
        scripts: one per request, in order; the last one stays.
    """

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.asked: list[Asked] = []
        self.port = 0
        self.arrived = asyncio.Event()
        self.released = asyncio.Event()
        self._open: set[asyncio.StreamWriter] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def base(self) -> str:
        return f"{self.origin}/v1"

    async def all_closed(self) -> None:
        """Wait until the client has closed every connection."""
        async with asyncio.timeout(5):
            await self._idle.wait()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        self._idle.clear()
        try:
            while not writer.is_closing():
                self.asked.append(await _read_request(reader))
                self.arrived.set()
                script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
                gone = asyncio.ensure_future(reader.read(1))
                told = asyncio.ensure_future(script(self, writer))
                await asyncio.wait({gone, told}, return_when=asyncio.FIRST_COMPLETED)
                if not told.done():
                    told.cancel()
                    break
                gone.cancel()
                await asyncio.wait({gone})
                told.result()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client hung up, which is what some tests are about
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            self._open.discard(writer)
            if not self._open:
                self._idle.set()

    async def close(self) -> None:
        self.released.set()
        for writer in tuple(self._open):
            writer.transport.abort()
        await self.all_closed()


@contextlib.asynccontextmanager
async def serving(*scripts: Script) -> AsyncIterator[LlmServer]:
    """A server for the length of a block."""
    server = LlmServer(*scripts)
    listener = await asyncio.start_server(server.connected, "127.0.0.1", 0)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        await server.close()
        await listener.wait_closed()


async def _read_request(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (row.partition(":") for row in head[1:] if row)}
    if headers.get("transfer-encoding") == "chunked":
        raw = b""
        while size := int((await reader.readuntil(b"\r\n")).strip(), 16):
            raw += (await reader.readexactly(size + 2))[:-2]
        await reader.readexactly(2)
    else:
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, json.loads(raw) if raw else None)


def raw(status: str, body: bytes, *headers: str, length: int | None = None) -> bytes:
    """The bytes of one response."""
    rows = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers]
    return "\r\n".join(rows).encode() + b"\r\n\r\n" + body


def sends(*parts: bytes, close: bool = False) -> Script:
    """Send these bytes."""

    async def script(_server: LlmServer, writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()
        if close:
            writer.close()

    return script


def answers(body: Any, status: str = "200 OK", *headers: str) -> Script:
    """Send a JSON body."""
    return sends(raw(status, json.dumps(body).encode(), "Content-Type: application/json", *headers))


def completion(content: Any = "An answer.", **changes: Any) -> dict[str, Any]:
    """The body of a chat completion; ``changes`` replace keys of the choice, of the message or of the body."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": "stop"}
    body: dict[str, Any] = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": "local-model",
        "choices": [choice],
        "usage": {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16},
    }
    for name, value in changes.items():
        place = body if name in body else message if name in ("tool_calls", "reasoning_content") else choice
        place[name] = value
    return body


OWN_SHAPES: dict[str, Any] = {
    "anthropic": {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": "An answer."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 11, "output_tokens": 5},
    },
    "gemini": {
        "candidates": [{"content": {"parts": [{"text": "An answer."}], "role": "model"}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 5, "totalTokenCount": 16},
    },
    "ollama": {"model": "m", "response": "An answer.", "done": True, "prompt_eval_count": 11, "eval_count": 5},
    "ollama_chat": {
        "model": "m",
        "message": {"role": "assistant", "content": "An answer."},
        "done": True,
        "prompt_eval_count": 11,
        "eval_count": 5,
    },
    "groq": {**completion(), "service_tier": "on_demand"},
}
"""Bodies of providers that answer otherwise than OpenAI does."""


def refuses(status: str, message: str, **fields: Any) -> Script:
    """Send an error the way OpenAI does."""
    return answers({"error": {"message": message, "type": "error", "param": None, "code": None, **fields}}, status)


def chunk(text: str | None = None, *, finish: str | None = None, **fields: Any) -> bytes:
    """One event of a streamed answer."""
    delta = {} if text is None else {"role": "assistant", "content": text}
    body = {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1_790_000_000,
        "model": "local-model",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        **fields,
    }
    return event(body)


def event(body: Any) -> bytes:
    """One server-sent event."""
    return b"data: " + json.dumps(body).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def streams(*events: bytes) -> Script:
    """Stream these events and end the connection in order."""
    return sends(STREAM_HEAD, *events, close=True)


def typed(kind: str, **fields: Any) -> bytes:
    """One event of a stream whose events have types."""
    return f"event: {kind}\n".encode() + event({"type": kind, **fields})


def rows(*bodies: Any) -> tuple[bytes, ...]:
    """A stream of one JSON object per line."""
    return tuple(json.dumps(body).encode() + b"\n" for body in bodies)


def usage_event(prompt: int, output: int) -> bytes:
    """The last event of a stream that reports its tokens."""
    counts = {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}
    return event(
        {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": counts}
    )


async def stalls(server: LlmServer, writer: asyncio.StreamWriter) -> None:
    """Say nothing until the server closes."""
    await server.released.wait()


def breaks_off(sent: bytes) -> Script:
    """Send these bytes and drop the connection without ceremony."""

    async def script(_server: LlmServer, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        await writer.drain()
        writer.transport.abort()

    return script
