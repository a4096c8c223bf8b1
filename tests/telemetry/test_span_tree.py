"""Which spans a call makes, what is above what, and what they say."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry import trace
from opentelemetry.trace import SpanKind
from traced_calls import SEARCH, Models, Spans, attributes, failed_with, model, page, reply, tool, upstream, with_models

from twitter_tool.errors import TwitterToolError
from twitter_tool.models.reply import ModelFailure, TokenUsage

POSTS = {"query": "q", "mode": "posts", "output": "posts"}
ASKED = {"query": "q", "mode": "posts", "output": "answer"}


async def test_a_call_has_a_span_with_one_below_it_for_each_physical_request(spans: Spans, home: Path) -> None:
    """Two pages, the second after a retry, are three requests."""
    answers = upstream(page(1, 2, cursor="c"), httpx.Response(503), page(3, 4))
    async with tool(answers, home) as reader:
        await reader.call({**POSTS, "count": 4})
    first, failed, repeated = spans.children(spans.call)
    assert len(spans.all) == 4
    assert {span.name for span in (first, failed, repeated)} == {SEARCH}
    assert {span.kind for span in (first, failed, repeated)} == {SpanKind.CLIENT}
    same = {
        "http.request.method": "GET",
        "url.template": "/twitter/tweet/advanced_search",
        "url.full": "https://api.twitterapi.io/twitter/tweet/advanced_search",
        "server.address": "api.twitterapi.io",
        "server.port": 443,
    }
    assert attributes(first) == {**same, "http.response.status_code": 200}
    assert attributes(failed) == {**same, "http.response.status_code": 503, "error.type": "503"}
    assert attributes(repeated) == {**same, "http.response.status_code": 200, "http.request.resend_count": 1}
    assert [failed_with(span)[0] for span in (first, failed, repeated)] == ["UNSET", "ERROR", "UNSET"]


async def test_the_span_of_a_call_tells_what_was_read_and_how_it_ended(spans: Spans, home: Path) -> None:
    """Figures and codes; nothing is made up for a call that no model was asked in."""
    async with tool(upstream(page(1, 2, cursor="c"), page(3)), home) as reader:
        result = await reader.call({**POSTS, "count": 4})
    assert spans.call.kind is SpanKind.INTERNAL
    assert spans.call.status.status_code.name == "UNSET"
    assert attributes(spans.call) == {
        "twitter_tool.mode": "posts",
        "twitter_tool.output": "posts",
        "twitter_tool.backend": "twitterapi.io",
        "twitter_tool.model": "none",
        "twitter_tool.complete": True,
        "twitter_tool.stop_reason": result.details["stopReason"],
        "twitter_tool.pages": 2,
        "twitter_tool.requests": 2,
        "twitter_tool.model_calls": 0,
        "twitter_tool.posts_retained": 3,
        "twitter_tool.accounts_retained": 0,
        "twitter_tool.trends_retained": 0,
        "twitter_tool.notes": tuple(note["code"] for note in result.details["notes"]),
    }


async def test_each_attempt_of_a_model_has_a_span_below_the_call(
    spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The failed one with the tokens that it cost, the good one with those it reported."""
    limited = ModelFailure("rate-limit", "too much", status=429, usage=TokenUsage(input=5))
    answered = reply(input=30, output=4)
    with_models(monkeypatch, Models(limited, answered), model("openai/small"), model("xai/large", api_base=None))
    async with tool(upstream(page(1)), home) as reader:
        await reader.call(ASKED)
    request, first, second = spans.children(spans.call)
    assert [span.name for span in (request, first, second)] == [SEARCH, "chat small", "chat large"]
    assert {first.kind, second.kind} == {SpanKind.CLIENT}
    assert attributes(first) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "small",
        "gen_ai.request.max_tokens": attributes(second)["gen_ai.request.max_tokens"],
        "gen_ai.usage.input_tokens": 5,
        "server.address": "127.0.0.1",
        "server.port": 8080,
        "http.response.status_code": 429,
        "error.type": "rate-limit",
    }
    assert failed_with(first) == ("ERROR", "rate-limit", "rate-limit")
    assert attributes(second) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "x_ai",
        "gen_ai.request.model": "large",
        "gen_ai.request.max_tokens": 2_000,
        "gen_ai.usage.input_tokens": 30,
        "gen_ai.usage.output_tokens": 4,
        "gen_ai.response.finish_reasons": ("stop",),
    }
    assert attributes(spans.call)["twitter_tool.model"] == "xai/large"
    assert attributes(spans.call)["twitter_tool.model_calls"] == 2


@pytest.mark.parametrize(
    ("arguments", "answer", "code"),
    [
        ({"mode": "nonsense"}, None, "invalid_request"),
        ({}, httpx.Response(401), "credentials_refused"),
        ({}, httpx.Response(200, text="<html>"), "upstream_malformed"),
        ({}, httpx.Response(200, json={"status": "error", "msg": "secret words"}), "upstream_rejected"),
    ],
)
async def test_a_failed_call_has_its_error_code_and_no_words(
    spans: Spans, home: Path, arguments: dict[str, Any], answer: httpx.Response | None, code: str
) -> None:
    """The message, the stack and upstream's own words stay out; no span records an exception."""
    async with tool(upstream(*([answer] if answer else [])), home) as reader:
        with pytest.raises(TwitterToolError):
            await reader.call({**POSTS, **arguments})
    assert failed_with(spans.call) == ("ERROR", code, code)
    assert len(spans.children(spans.call)) == (answer is not None)
    assert not any(span.events for span in spans.all)
    assert "secret words" not in spans.everything


async def test_a_failure_after_paid_pages_tells_how_many(spans: Spans, home: Path) -> None:
    """They were paid for all the same."""
    async with tool(upstream(page(1, cursor="c"), httpx.Response(402)), home) as reader:
        with pytest.raises(TwitterToolError):
            await reader.call({**POSTS, "count": 4})
    assert attributes(spans.call)["twitter_tool.pages"] == 1
    assert failed_with(spans.call)[2] == "credits_exhausted"


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(httpx.ConnectError("no route to 10.0.0.1"), "connect"), (httpx.ReadTimeout("slow"), "timeout")],
    ids=["connect", "timeout"],
)
async def test_a_request_without_an_answer_says_of_which_kind(
    spans: Spans, home: Path, fault: Exception, kind: str
) -> None:
    """In one word, without the words of the library."""

    def refuse(request: httpx.Request) -> httpx.Response:
        raise fault

    async with tool(httpx.MockTransport(refuse), home) as reader:
        with pytest.raises(TwitterToolError):
            await reader.call(POSTS)
    requests = spans.children(spans.call)
    assert len(requests) > 1
    assert {failed_with(span) for span in requests} == {("ERROR", kind, kind)}
    assert [attributes(span).get("http.request.resend_count") for span in requests] == [
        None,
        *range(1, len(requests)),
    ]
    assert str(fault) not in spans.everything


async def test_a_body_that_cannot_be_read_is_a_failed_request_with_its_status(spans: Spans, home: Path) -> None:
    """Headers alone are no answer."""
    damaged = httpx.Response(200, headers={"content-encoding": "br"}, stream=httpx.ByteStream(b"x"))
    async with tool(upstream(damaged), home) as reader:
        with pytest.raises(TwitterToolError):
            await reader.call(POSTS)
    [request] = spans.children(spans.call)
    assert attributes(request)["http.response.status_code"] == 200
    assert failed_with(request) == ("ERROR", "encoding", "encoding")


async def test_a_cancelled_call_is_recorded_as_cancelled_with_the_request_it_was_in(spans: Spans, home: Path) -> None:
    """As its error code has it."""
    begun = asyncio.Event()

    async def hang(request: httpx.Request) -> httpx.Response:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with tool(httpx.MockTransport(hang), home) as reader:
        task = asyncio.create_task(reader.call(POSTS))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert failed_with(spans.call) == ("ERROR", "cancelled", "cancelled")
    assert failed_with(spans.one(SEARCH)) == ("ERROR", "cancelled", "cancelled")


async def test_a_cancelled_model_is_recorded_as_cancelled(
    spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so is the call above it."""
    begun = asyncio.Event()

    async def hang() -> Any:
        begun.set()
        await asyncio.Event().wait()

    with_models(monkeypatch, Models(hang), model())
    async with tool(upstream(page(1)), home) as reader:
        task = asyncio.create_task(reader.call(ASKED))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert failed_with(spans.one("chat small")) == ("ERROR", "cancelled", "cancelled")
    assert failed_with(spans.call)[2] == "cancelled"


async def test_a_fault_of_ours_is_internal(spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever exception it was, and without its words."""
    with_models(monkeypatch, Models(RuntimeError("words of a fault")), model())
    async with tool(upstream(page(1)), home) as reader:
        with pytest.raises(RuntimeError):
            await reader.call(ASKED)
    assert failed_with(spans.call) == ("ERROR", "internal", "internal")
    assert "words of a fault" not in spans.everything


async def test_calls_at_the_same_time_keep_their_own_spans_and_the_span_they_were_made_in(
    spans: Spans, home: Path
) -> None:
    """Requests of ten calls, in flight together, each below the call that made it."""
    met = asyncio.Barrier(10)

    async def answer(request: httpx.Request) -> httpx.Response:
        await met.wait()
        number = int(request.url.params["query"].split()[0].removeprefix("number"))
        last = "cursor" in request.url.params and request.url.params["cursor"]
        return page(*range(number + 1), cursor="" if last else "c")

    async def traced(reader: Any, number: int) -> int:
        with trace.get_tracer("host").start_as_current_span(f"host {number}"):
            result = await reader.call({**POSTS, "query": f"number{number}", "count": 50})
            assert trace.get_current_span() is not trace.INVALID_SPAN
            return int(result.details["usage"]["postsRetained"])

    async with tool(httpx.MockTransport(answer), home) as reader:
        retained = await asyncio.gather(*(traced(reader, number) for number in range(10)))
    assert len(set(retained)) == 10
    for number in range(10):
        [call] = spans.children(spans.one(f"host {number}"))
        assert call.name == "twitter_tool.call"
        assert attributes(call)["twitter_tool.posts_retained"] == retained[number]
        assert [span.name for span in spans.children(call)] == [SEARCH] * 2
    assert len({span.context.trace_id for span in spans.all}) == 10


def test_a_synchronous_call_stands_below_the_span_of_the_thread_it_was_made_in(spans: Spans, home: Path) -> None:
    """Though the work is done in another thread."""
    with tool(upstream(page(1)), home) as reader, trace.get_tracer("host").start_as_current_span("host"):
        reader.call_sync(POSTS)
    [call] = spans.children(spans.one("host"))
    assert call.name == "twitter_tool.call"
    assert [span.name for span in spans.children(call)] == [SEARCH]


async def test_no_span_is_left_open_or_current_after_a_call(spans: Spans, home: Path) -> None:
    """The caller's context is as it was."""
    async with tool(upstream(page(1), httpx.Response(401)), home) as reader:
        await reader.call(POSTS)
        assert trace.get_current_span() is trace.INVALID_SPAN
        with pytest.raises(TwitterToolError):
            await reader.call(POSTS)
    assert trace.get_current_span() is trace.INVALID_SPAN
    assert all(span.end_time is not None for span in spans.all)


async def test_no_trace_header_is_sent_upstream(spans: Spans, home: Path) -> None:
    """Whom the host traces is nobody else's business."""
    sent: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.extend(request.headers)
        return page(1)

    async with tool(httpx.MockTransport(answer), home) as reader:
        await reader.call(POSTS)
    assert sent
    assert not {"traceparent", "tracestate", "baggage", "b3"} & set(sent)


async def test_a_streamed_answer_makes_the_same_spans_and_holds_none_while_the_caller_reads(
    spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two pieces the caller's own span is the current one."""
    with_models(monkeypatch, Models(reply()), model())
    with trace.get_tracer("host").start_as_current_span("host") as host:
        async with tool(upstream(page(1)), home) as reader:
            async for _ in reader.stream("q", output="answer"):
                assert trace.get_current_span() is host
    [call] = spans.children(spans.one("host"))
    assert [span.name for span in spans.children(call)] == [SEARCH, "chat small"]
