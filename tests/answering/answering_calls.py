"""One call for an answer: a scripted upstream, a scripted model, and the settings that lead to them."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from twitter_tool import TwitterTool
from twitter_tool.clock import Clock
from twitter_tool.errors import TwitterToolError
from twitter_tool.result import Result


def _module(name: str, path: str) -> ModuleType:
    """A module of the other tests."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parent.parent / path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


scripted = _module("llm_server", "models/llm_server.py")
LlmServer = scripted.LlmServer
answers, completion, refuses, serving, stalls = (
    scripted.answers,
    scripted.completion,
    scripted.refuses,
    scripted.serving,
    scripted.stalls,
)
bodies = _module("wire_bodies", "backend/wire_bodies.py")
raw_post, last = bodies.raw_post, bodies.last

LITELLM = [
    pytest.mark.xdist_group("litellm"),  # its import alone takes a process several seconds
    pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="needs the extra answer"),
    pytest.mark.timeout(120),
    # LiteLLM silences it itself, with a filter that the test run replaces by its own.
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier.*"),
]
KEY = "0123456789abcdef0123456789abcdef"
NOW = datetime(2026, 10, 6, 16, 23, 11, tzinfo=UTC)
LOCAL = "openai/local-model"
ANN = "https://x.com/ann/status/"
WIDE = {"context_window": 128_000, "max_output_tokens": 8_192}


class Upstream:
    """Answers every request with the same body, or with what a function makes of it.

    Attributes:
        requests: the requests that arrived, in order.
    """

    def __init__(self, body: Any, then: Callable[[], Any] | None = None) -> None:
        self.requests: list[httpx.Request] = []
        self._body = body
        self._then = then

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if self._then is not None:
            made = self._then()
            if asyncio.iscoroutine(made):
                await made
        body = self._body(request) if callable(self._body) else self._body
        return body if isinstance(body, httpx.Response) else httpx.Response(200, content=json.dumps(body))


def posts(*rows: Mapping[str, Any] | str, first: int = 1) -> dict[str, Any]:
    """The last page of a search: posts by ann, numbered from ``first``, given as whole rows or as their texts."""
    made = [raw_post(number, text=row) if isinstance(row, str) else row for number, row in enumerate(rows, first)]
    return dict(last(made))


class Model:
    """Settings that name models behind one server."""

    def __init__(self, server: LlmServer) -> None:
        self.server = server

    def declared(self, **facts: Any) -> dict[str, Any]:
        """One entry of ``[models]``."""
        return {**WIDE, "api_base": self.server.base, **facts}

    def settings(self, *names: str, **further: Any) -> dict[str, Any]:
        """A chain of these models; one local model when none is named."""
        first, *others = names or (LOCAL,)
        declared = {name: self.declared() for name in (first, *others) if name != "extractive"}
        models = {**declared, **{name: self.declared(**facts) for name, facts in further.pop("facts", {}).items()}}
        return {"synthesis_model": first, "fallback_models": others, "models": models, **further}


@dataclass
class Asking:
    """Everything one call needs besides its arguments.

    Attributes:
        seen: the progress events of the last call.
    """

    upstream: Upstream
    settings: Mapping[str, Any] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict)
    key: str | None = KEY
    clock: Clock = field(default_factory=lambda: Clock(now=lambda: NOW, sleep=_at_once))
    seen: list[str] = field(default_factory=list)

    def tool(self, **further: Any) -> TwitterTool:
        """A tool that reads from the upstream without pauses."""
        return TwitterTool(
            **{
                "api_key": self.key,
                "cwd": Path.cwd(),
                "environ": {"TWITTER_TOOL_CONFIG": "/dev/null", **self.environ},
                "settings": {"min_request_interval_ms": 0, "retry_base_delay_ms": 0, **self.settings},
                "transport": httpx.MockTransport(self.upstream),
                "clock": self.clock,
                **further,
            }
        )

    async def __call__(self, query: str = "What is argued?", **arguments: Any) -> Result:
        self.seen.clear()
        async with self.tool() as tool:
            return await tool.call({"query": query, **arguments}, progress=self.seen.append)

    async def refused(self, query: str = "What is argued?", **arguments: Any) -> TwitterToolError:
        """The error that the call ends with."""
        with pytest.raises(TwitterToolError) as caught:
            await self(query, **arguments)
        return caught.value


async def _at_once(seconds: float) -> None:
    await asyncio.sleep(0)


def notes_of(result: Result) -> list[str]:
    """The codes of the notes in their order."""
    return [entry["code"] for entry in result.notes]


def note_of(result: Result, code: str) -> dict[str, Any]:
    """The only note of this code."""
    (found,) = [entry for entry in result.notes if entry["code"] == code]
    return found


def urls(result: Result) -> list[str]:
    """The sources, in order."""
    return [source["url"] for source in result.details["sources"]]


def system_of(server: LlmServer, call: int = -1) -> str:
    """The rules that a model was given."""
    return str(server.asked[call].body["messages"][0]["content"])


def prompt_of(server: LlmServer, call: int = -1) -> str:
    """The question and the evidence that a model was given."""
    return str(server.asked[call].body["messages"][1]["content"])


def sections(content: str) -> tuple[dict[str, str], str, list[str], list[str]]:
    """The head, the answer, the source lines and the note lines of an answer's text, told by its last headings."""
    head, _, rest = content.partition("\n\n## Answer\n\n")
    rest, _, notes = rest.rpartition("\n\n## Notes\n") if "\n\n## Notes\n" in rest else (rest, "", "")
    text, _, sources = rest.rpartition("\n\n## Sources\n") if "\n\n## Sources\n" in rest else (rest, "", "")
    fields = dict(line.split(": ", 1) for line in head.split("\n"))
    return fields, text, sources.split("\n") if sources else [], notes.split("\n") if notes else []


@contextmanager
def background_server(*scripts: Any) -> Iterator[LlmServer]:
    """A scripted model in a thread with a loop of its own."""
    ready, ended = threading.Event(), threading.Event()
    found: list[Any] = []

    async def serve() -> None:
        async with serving(*scripts) as server:
            loop, done = asyncio.get_running_loop(), asyncio.Event()
            found.extend((server, lambda: loop.call_soon_threadsafe(done.set)))
            ready.set()
            await done.wait()

    def run() -> None:
        asyncio.run(serve())
        ended.set()

    thread = threading.Thread(target=run, name="scripted-model")
    thread.start()
    assert ready.wait(10)
    server, stop = found
    try:
        yield server
    finally:
        stop()
        thread.join(10)
        assert ended.is_set()


def numbered(rows: Sequence[str]) -> list[str]:
    """Source lines as they are printed."""
    return [f"{at}. {url}" for at, url in enumerate(rows, 1)]
