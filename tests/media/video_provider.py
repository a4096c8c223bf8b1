"""A loopback server that stands in for services that watch clips, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopback_server import LoopbackServer, listening, read_head, whole_response

from twitter_tool.clock import Clock
from twitter_tool.http import Http
from twitter_tool.media.native import NativeFailure, NativeRoute, watch
from twitter_tool.media.values import Watched
from twitter_tool.usage import Usage

KEY = "key-of-the-video-service"
NAME = "files/abc-123"
INLINE = 12 * 1024 * 1024
STALL = "stall"
DROP = "drop"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived; header names in lower case."""

    step: str
    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a step answers: a status, a body (JSON, or bytes as they are) and headers."""

    body: Any = field(default_factory=dict)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def described(visual: Any = "a cat", transcript: Any = "[00:01] hello", **more: Any) -> str:
    """A reply as it was asked for."""
    return json.dumps({"visual": visual, "transcript": transcript, **more})


def gemini(text: Any = None, finish: str | None = "STOP", **more: Any) -> dict[str, Any]:
    """The body of a generated answer; ``more`` are members of the body."""
    parts = [{"text": described() if text is None else text}]
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": finish}], **more}


def completion(content: Any = None, finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    """The body of a chat completion."""
    said = {"role": "assistant", "content": described() if content is None else content, **message}
    return {"choices": [{"index": 0, "message": said, "finish_reason": finish}]}


class VideoProvider(LoopbackServer):
    """Answers each step of an analysis as a test wants; a list of answers is used up, its last one stays.

    ``hung_up`` is set when the client has closed a connection on which it was kept waiting.

    Steps: ``start``, ``upload``, ``poll``, ``generate`` and ``delete`` of Gemini, ``chat`` of the others. Without an
    answer of its own a step does what a service in good order does.
    """

    def __init__(self, **answers: Any) -> None:
        super().__init__()
        self.answers = {step: list(given) if isinstance(given, list) else [given] for step, given in answers.items()}
        self.asked: list[Asked] = []
        self.arrived: dict[str, asyncio.Event] = {}
        self.held: dict[str, asyncio.Event] = {}
        self.hung_up = asyncio.Event()

    @property
    def steps(self) -> list[str]:
        return [asked.step for asked in self.asked]

    def of(self, step: str) -> Asked:
        """The only request of a step."""
        (found,) = [asked for asked in self.asked if asked.step == step]
        return found

    def hold(self, step: str) -> asyncio.Event:
        """Answer a step only once the event that is returned is set."""
        return self.held.setdefault(step, asyncio.Event())

    async def reached(self, step: str) -> None:
        """Wait until a step has been asked for."""
        await self.arrived.setdefault(step, asyncio.Event()).wait()

    def _answer(self, step: str) -> Any:
        given = self.answers.get(step)
        if given:
            return given.pop(0) if len(given) > 1 else given[0]
        match step:
            case "start":
                return Answer(headers={"X-Goog-Upload-URL": f"{self.origin}/session/1?upload_id=u1&x=2"})
            case "upload":
                return Answer({"file": {"name": NAME, "state": "PROCESSING"}})
            case "poll":
                return Answer({"name": NAME, "uri": f"{self.origin}/v1beta/{NAME}", "state": "ACTIVE"})
            case "generate":
                return Answer(gemini())
            case "chat":
                return Answer(completion())
            case _:
                return Answer({})

    async def exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        asked = await _read(reader)
        self.asked.append(asked)
        self.arrived.setdefault(asked.step, asyncio.Event()).set()
        answer = self._answer(asked.step)
        if asked.step in self.held:
            await self.held[asked.step].wait()
        if answer is STALL:
            await reader.read(1)
            self.hung_up.set()
            return False
        if answer is DROP:
            writer.transport.abort()
            return False
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        headers = [f"{name}: {text}" for name, text in answer.headers.items() if name != "Content-Length"]
        claimed = answer.headers.get("Content-Length")
        length = None if claimed is None else int(claimed)
        writer.write(whole_response(f"{answer.status} Whatever", body, *headers, length=length))
        await writer.drain()
        return claimed is None


async def _read(reader: asyncio.StreamReader) -> Asked:
    method, target, headers = await read_head(reader)
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(_step(method, target), method, target, headers, body)


def _step(method: str, target: str) -> str:
    if target.endswith("/chat/completions"):
        return "chat"
    if ":generateContent" in target:
        return "generate"
    if target.startswith("/upload/"):
        return "start"
    return {"GET": "poll", "DELETE": "delete", "POST": "upload"}[method]


def providing(**answers: Any) -> contextlib.AbstractAsyncContextManager[VideoProvider]:
    """A server for the length of a block."""
    return listening(VideoProvider(**answers))


class PollClock:
    """A clock that moves by what is slept, at once; or a sleep that never ends by itself."""

    def __init__(self, *, endless: bool = False) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self.asleep = asyncio.Event()
        self._endless = endless

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.asleep.set()
        if self._endless:
            await asyncio.Event().wait()
        self.now += seconds
        await asyncio.sleep(0)

    @property
    def clock(self) -> Clock:
        return Clock(monotonic=lambda: self.now, sleep=self._sleep)


def a_clip(folder: Path, size: int = 2_000) -> Path:
    """A file of so many bytes; what a clip holds is nobody's business here."""
    path = folder / "clip.mp4"
    with path.open("wb") as file:
        file.write(b"\x00\x01\xfe"[: min(3, size)])
        file.truncate(size)
    return path


def gemini_route(provider: VideoProvider, **changes: Any) -> NativeRoute:
    """A route to the stand-in as Gemini."""
    given = {"kind": "gemini-files", "endpoint": provider.origin, "model": "gemini-x", "key": KEY, **changes}
    return NativeRoute(**given)


def openai_route(provider: VideoProvider, **changes: Any) -> NativeRoute:
    """A route to the stand-in as an OpenAI-compatible service."""
    given = {"kind": "openai-compatible", "endpoint": f"{provider.origin}/v1", "model": "vl", "key": KEY, **changes}
    return NativeRoute(**given)


async def watched(
    route: NativeRoute, clip: Path, *, usage: Usage | None = None, timeout_s: float = 30.0, **more: Any
) -> Watched | NativeFailure:
    """Have a clip watched with connections of its own."""
    http = Http()
    try:
        given = {"clock": PollClock().clock, **more}
        return await watch(route, clip, http=http, usage=usage or Usage(), timeout_s=timeout_s, **given)
    finally:
        await http.aclose()


def codes(outcome: Watched | NativeFailure) -> list[str]:
    """The codes of the notes, in order."""
    return [note.code for note in outcome.notes]


def failure(outcome: Watched | NativeFailure) -> str:
    """The reason of a failure, which its first note tells."""
    assert isinstance(outcome, NativeFailure), outcome
    assert outcome.notes[0].code == "video_failed"
    assert outcome.notes[0].figures["reason"] == outcome.reason
    return outcome.reason
