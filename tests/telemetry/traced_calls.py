"""Calls that are traced, with an upstream and models that do as they are told, and the spans that come of them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from twitter_tool import TwitterTool
from twitter_tool.models.facts import Chain, ModelFacts
from twitter_tool.models.reply import OnText, Prompt, Reply, TokenUsage

KEY = "0123456789abcdef0123456789abcdef"
MODEL_KEY = "fedcba9876543210"
QUESTION = "why is the zeppelin late?"
POST_TEXT = "The quagga ate the timetable."
ANSWER = "Nobody knows about the axolotl."
SEARCH = "GET /twitter/tweet/advanced_search"


class Spans:
    """The finished spans, in the order in which they ended."""

    def __init__(self, exporter: InMemorySpanExporter) -> None:
        self._exporter = exporter

    @property
    def all(self) -> Sequence[ReadableSpan]:
        return self._exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.all if span.name == name]

    def one(self, name: str) -> ReadableSpan:
        [span] = self.named(name)
        return span

    @property
    def call(self) -> ReadableSpan:
        return self.one("twitter_tool.call")

    def children(self, parent: ReadableSpan) -> list[ReadableSpan]:
        """By the time they began."""
        found = [span for span in self.all if span.parent and span.parent.span_id == parent.context.span_id]
        return sorted(found, key=lambda span: span.start_time or 0)

    @property
    def everything(self) -> str:
        """All that would leave the process, as text."""
        return "\n".join(span.to_json() for span in self.all)


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def failed_with(span: ReadableSpan) -> tuple[str, str | None, Any]:
    """The status, its description, and ``error.type``."""
    return span.status.status_code.name, span.status.description, attributes(span).get("error.type")


def page(*ids: int, cursor: str = "", text: str = POST_TEXT) -> httpx.Response:
    """One page of posts."""
    posts = [
        {
            "id": str(number),
            "text": text,
            "url": f"https://x.com/ann/status/{number}",
            "createdAt": "Tue Jun 03 10:00:00 +0000 2025",
            "author": {"id": "7", "userName": "ann", "name": "Ann"},
        }
        for number in ids
    ]
    return httpx.Response(200, json={"tweets": posts, "has_next_page": bool(cursor), "next_cursor": cursor})


def upstream(*answers: httpx.Response) -> httpx.MockTransport:
    """Gives these answers in order."""
    waiting = list(answers)
    return httpx.MockTransport(lambda request: waiting.pop(0))


def tool(transport: httpx.AsyncBaseTransport, home: Path, *, key: str = KEY, **environ: str) -> TwitterTool:
    """A tool without pauses that reads no settings of the machine."""
    return TwitterTool(
        api_key=key,
        cwd=home,
        environ={
            "TWITTER_TOOL_CONFIG": "/dev/null",
            "TWITTER_TOOL_MIN_REQUEST_INTERVAL_MS": "0",
            "TWITTER_TOOL_RETRY_BASE_DELAY_MS": "0",
            **environ,
        },
        transport=transport,
    )


class Models:
    """Stands in for the client of the models: gives these outcomes in order."""

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes = list(outcomes)

    def start_import(self) -> None:
        """There is nothing to import."""

    async def aclose(self) -> None:
        """There is nothing to close."""

    async def complete(
        self,
        model: ModelFacts,
        prompt: Prompt,
        *,
        max_output_tokens: int,
        reasoning_effort: str | None = None,
        on_text: OnText | None = None,
    ) -> Reply:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, BaseException):
            raise outcome
        if isinstance(outcome, Reply):
            return outcome
        waited: Awaitable[Reply] = outcome()
        return await waited


def reply(text: str = ANSWER, finish_reason: str | None = "stop", **tokens: int) -> Reply:
    return Reply(text=text, finish_reason=finish_reason, usage=TokenUsage(**tokens) if tokens else None)


def model(name: str = "openai/small", **changes: Any) -> ModelFacts:
    facts: dict[str, Any] = {
        "name": name,
        "provider": name.partition("/")[0],
        "call_name": name,
        "context_window": 128_000,
        "max_output_tokens": 2_000,
        "api_base": "http://127.0.0.1:8080/v1",
        "api_key": MODEL_KEY,
    }
    return ModelFacts(**{**facts, **changes})


def with_models(monkeypatch: pytest.MonkeyPatch, client: Models, *models: ModelFacts) -> None:
    """Let calls ask these models."""
    make: Callable[..., Models] = lambda **settings: client  # noqa: E731
    chain: Callable[..., Chain] = lambda *settings: Chain(models=models)  # noqa: E731
    monkeypatch.setattr("twitter_tool.tool.LiteLLMClient", make)
    monkeypatch.setattr("twitter_tool.tool.resolve_chain", chain)


def contents(value: Any) -> list[str]:
    """The texts of a messages attribute."""
    entries = json.loads(value)
    parts = [part for entry in entries for part in (entry.get("parts") or [entry])]
    return [part["content"] for part in parts if isinstance(part, Mapping)]
