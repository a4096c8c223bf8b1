"""An OpenAI-compatible server on loopback that answers exactly as a test wants, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from loopback_server import LoopbackServer, listening, read_head, while_connected, whole_response


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


Script = Callable[["LlmServer", asyncio.StreamWriter], Coroutine[Any, Any, None]]


class LlmServer(LoopbackServer):
    """What a test scripts and looks at.

    Attributes:
        asked: every request, in order.
        scripts: one per request, in order; the last one stays.
    """

    def __init__(self, *scripts: Script) -> None:
        super().__init__()
        self.scripts = list(scripts)
        self.asked: list[Asked] = []
        self.arrived = asyncio.Event()

    @property
    def base(self) -> str:
        return f"{self.origin}/v1"

    async def exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        self.asked.append(await _read_request(reader))
        self.arrived.set()
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        return await while_connected(reader, script(self, writer))


def serving(*scripts: Script) -> contextlib.AbstractAsyncContextManager[LlmServer]:
    """A server for the length of a block."""
    return listening(LlmServer(*scripts))


async def _read_request(reader: asyncio.StreamReader) -> Asked:
    method, path, headers = await read_head(reader)
    if headers.get("transfer-encoding") == "chunked":
        raw = b""
        while size := int((await reader.readuntil(b"\r\n")).strip(), 16):
            raw += (await reader.readexactly(size + 2))[:-2]
        await reader.readexactly(2)
    else:
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, json.loads(raw) if raw else None)


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
    return sends(whole_response(status, json.dumps(body).encode(), "Content-Type: application/json", *headers))


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
