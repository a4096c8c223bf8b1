"""What the model client promises, kept by the real LiteLLM against a server on loopback that misbehaves."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
import os
import resource
from typing import Any

import pytest
from llm_server import (
    DONE,
    OWN_SHAPES,
    STREAM_HEAD,
    LlmServer,
    Script,
    answers,
    breaks_off,
    chunk,
    completion,
    event,
    refuses,
    rows,
    sends,
    serving,
    stalls,
    streams,
    typed,
    usage_event,
)
from loopback_server import whole_response
from model_samples import PROMPT, model

from twitter_tool.models.litellm_client import LiteLLMClient
from twitter_tool.models.reply import ModelFailure, Reply, TextEvent, TokenUsage
from twitter_tool.models.routes import HANDLER, SDK

pytestmark = [
    pytest.mark.xdist_group("litellm"),  # its import alone takes a process several seconds
    pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="needs the extra answer"),
    pytest.mark.timeout(120),
    # LiteLLM silences these itself, with filters that the test run replaces by its own.
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier.*"),
    pytest.mark.filterwarnings("ignore:Accessing the .* attribute on the instance is deprecated.*"),
]
SECRET = "sk-test-0123456789abcdef"
COUNTED = TokenUsage(input=11, output=5, total_tokens=16)
LOCAL = "openai/local-model"


async def ask(client: LiteLLMClient, server: LlmServer, name: str = LOCAL, **options: Any) -> Reply:
    base = server.origin if name.startswith(("ollama", "anthropic")) else server.base
    facts = model(name, api_base=base, api_key=options.pop("api_key", "no-key"))
    return await client.complete(facts, PROMPT, max_output_tokens=options.pop("max_output_tokens", 50), **options)


async def fails(client: LiteLLMClient, *scripts: Script, name: str = LOCAL, **options: Any) -> ModelFailure:
    """The failure of a call; whatever the server does, it was asked exactly once."""
    async with serving(*scripts) as server:
        with pytest.raises(ModelFailure) as caught:
            await ask(client, server, name, **options)
        assert len(server.asked) == 1
    return caught.value


async def test_one_request_carries_prompt_limit_and_placeholder_key(client: LiteLLMClient) -> None:
    """System prompt and question as two plain messages, and nothing about this machine."""
    async with serving(answers(completion("  An answer.\n"))) as server:
        reply = await ask(client, server, max_output_tokens=77)
    assert reply == Reply(text="An answer.", finish_reason="stop", usage=COUNTED)
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
    assert asked.body == {
        "model": "local-model",
        "messages": [{"role": "system", "content": PROMPT.system}, {"role": "user", "content": PROMPT.user}],
        "max_tokens": 77,
    }
    assert asked.headers["authorization"] == "Bearer no-key"
    assert asked.headers["accept-encoding"] == "identity"
    assert not [name for name in asked.headers if name.startswith("x-stainless")]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("400 Bad Request", "invalid-request"),
        ("401 Unauthorized", "auth"),
        ("402 Payment Required", "quota"),
        ("403 Forbidden", "auth"),
        ("404 Not Found", "unknown-model"),
        ("408 Request Timeout", "transport"),
        ("409 Conflict", "unknown"),
        ("413 Content Too Large", "invalid-request"),
        ("422 Unprocessable Content", "invalid-request"),
        ("429 Too Many Requests", "rate-limit"),
        ("500 Internal Server Error", "server"),
        ("502 Bad Gateway", "server"),
        ("503 Service Unavailable", "server"),
        ("504 Gateway Timeout", "server"),
        ("529 Overloaded", "server"),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_refusal_is_one_request_with_its_class_status_and_words(
    client: LiteLLMClient, status: str, kind: str, streamed: bool
) -> None:
    """Nothing is retried behind our back."""
    error = await fails(client, refuses(status, "words of the server"), on_text=_ignore if streamed else None)
    assert (error.kind, error.message, error.status) == (kind, "words of the server", int(status[:3]))


def _ignore(_event: TextEvent) -> None:
    """Watch a stream without looking."""


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        (refuses("429 T", "You exceeded your current quota", code="insufficient_quota"), "quota"),
        (refuses("400 B", "maximum context length is 9 tokens", code="context_length_exceeded"), "invalid-request"),
        (refuses("400 B", "flagged", code="content_policy_violation"), "invalid-request"),
        (answers({"detail": [{"loc": ["body", "max_tokens"], "msg": "no"}]}, "422 U"), "invalid-request"),
        (answers({"error": "model 'm' not found"}, "404 N"), "unknown-model"),
        (answers({"error": {"code": 429, "message": "Rate limit exceeded"}}), "rate-limit"),
        (sends(whole_response("503 S", b"<html><body>down</body></html>", "Content-Type: text/html")), "server"),
        (sends(whole_response("500 S", b"")), "server"),
        (refuses("500 S", "the request was cancelled by an operator"), "server"),
        (answers({"error": {"message": "operation was aborted, request cancelled"}}), "transport"),
    ],
)
async def test_error_bodies_of_every_make_are_understood(client: LiteLLMClient, script: Script, kind: str) -> None:
    """Codes, plain texts, lists, pages, and errors inside a 200."""
    error = await fails(client, script)
    assert error.kind == kind
    assert "<" not in error.message
    assert "litellm" not in error.message.lower()


@pytest.mark.parametrize(
    ("script", "kind", "word"),
    [
        (
            sends(whole_response("200 OK", b"<html>log in</html>", "Content-Type: text/html")),
            "server",
            "read",
        ),
        (sends(whole_response("200 OK", b"{", "Content-Type: application/json")), "server", "read"),
        (answers([]), "server", "read"),
        (answers(completion(choices=[])), "empty", "no text"),
        (answers(completion(None)), "empty", "no text"),
        (answers(completion("  ")), "empty", "no text"),
        (answers(completion("", finish_reason="length")), "empty", "output limit"),
        (answers(completion(None, finish_reason="content_filter")), "empty", "filter"),
        (answers(completion(None, reasoning_content="thinking about it")), "empty", "no text"),
        (
            answers(
                completion(
                    None, tool_calls=[{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
                )
            ),
            "invalid-request",
            "tool",
        ),
    ],
)
async def test_a_200_without_an_answer_is_a_failure(
    client: LiteLLMClient, script: Script, kind: str, word: str
) -> None:
    """LiteLLM lets most of these through."""
    error = await fails(client, script)
    assert error.kind == kind
    assert word in error.message


@pytest.mark.parametrize(
    "script",
    [
        breaks_off(b""),
        breaks_off(b"HTTP/1.1 200 OK\r\nContent-"),
        breaks_off(whole_response("200 OK", b'{"id": "c1", ', "Content-Type: application/json", length=500)),
    ],
)
async def test_a_broken_connection_is_a_fault_of_the_transport(client: LiteLLMClient, script: Script) -> None:
    """Not a status 500, which is what LiteLLM calls it."""
    assert (await fails(client, script)).kind == "transport"


async def test_a_port_where_nobody_listens_is_a_fault_of_the_transport(client: LiteLLMClient) -> None:
    """With no status at all."""
    async with serving(stalls) as server:
        pass
    with pytest.raises(ModelFailure) as caught:
        await ask(client, server)
    assert (caught.value.kind, caught.value.status) == ("transport", None)


async def test_a_redirect_is_not_followed(client: LiteLLMClient) -> None:
    """The prompt is not sent to wherever it points."""
    async with serving(answers(completion("stolen"))) as other:
        for status in ("301 M", "302 F", "303 S", "307 T", "308 P"):
            error = await fails(client, answers({}, status, f"Location: {other.base}/chat/completions"))
            assert (error.kind, error.status) == ("unknown", int(status[:3]))
            assert "redirect" in error.message
        assert other.asked == []


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_huge_body_is_given_up_early(client: LiteLLMClient, streamed: bool) -> None:
    """Long before it fills the memory."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 209715200\r\n\r\n"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    script = sends(STREAM_HEAD if streamed else head, *[b" " * 2**20] * 200)
    error = await fails(client, script, on_text=_ignore if streamed else None)
    assert "larger than allowed" in error.message
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024


async def test_a_huge_error_body_still_has_its_status(client: LiteLLMClient) -> None:
    """Only its beginning is read."""
    error = await fails(client, sends(whole_response("503 S", b"x" * 2**21)))
    assert (error.kind, error.status) == ("server", 503)


async def test_a_compressed_body_is_not_unpacked(client: LiteLLMClient) -> None:
    """It was not asked for, and could grow without bound."""
    error = await fails(client, answers(completion(), "200 OK", "Content-Encoding: gzip"))
    assert "encoding" in error.message


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.usefixtures("client")
async def test_the_time_limit_covers_the_whole_call(streamed: bool) -> None:
    """A server that drips a little at a time does not stretch it."""
    drips = asyncio.Event()

    async def drip(server: LlmServer, writer: asyncio.StreamWriter) -> None:
        writer.write(STREAM_HEAD if streamed else b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n")
        while not server.released.is_set():
            writer.write(chunk("a ") if streamed else b" ")
            await writer.drain()
            drips.set()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(server.released.wait(), 0.02)

    hasty = LiteLLMClient(timeout_s=0.7)
    error = await fails(hasty, drip, on_text=_ignore if streamed else None)
    await hasty.aclose()
    assert drips.is_set()
    assert error.kind == "transport"
    assert "in time" in error.message


@pytest.mark.usefixtures("client")
async def test_silence_ends_with_the_time_limit() -> None:
    """The same failure."""
    hasty = LiteLLMClient(timeout_s=0.7)
    assert (await fails(hasty, stalls)).kind == "transport"
    await hasty.aclose()


@pytest.mark.parametrize("streamed", [False, True])
async def test_cancelling_closes_the_connection_at_once(client: LiteLLMClient, streamed: bool) -> None:
    """The caller's own cancellation is passed on as it is."""
    async with serving(sends(STREAM_HEAD, chunk("a ")) if streamed else stalls) as server:
        if streamed:
            server.scripts = [_begins_and_stalls]
        task = asyncio.ensure_future(ask(client, server, on_text=_ignore if streamed else None))
        await server.arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.all_closed()


async def _begins_and_stalls(server: LlmServer, writer: asyncio.StreamWriter) -> None:
    writer.write(STREAM_HEAD + chunk("a "))
    await server.released.wait()


async def test_a_stream_is_shown_as_it_comes_and_counts_its_tokens(client: LiteLLMClient) -> None:
    """What is shown adds up to the answer."""
    events: list[TextEvent] = []
    async with serving(
        streams(chunk("An "), chunk("answer."), chunk(finish="stop"), usage_event(3, 4), DONE)
    ) as server:
        reply = await ask(client, server, on_text=events.append)
    assert reply == Reply(text="An answer.", finish_reason="stop", usage=TokenUsage(input=3, output=4, total_tokens=7))
    assert [(item.kind, item.text, item.model) for item in events] == [
        ("text", "An ", LOCAL),
        ("text", "answer.", LOCAL),
    ]
    assert server.asked[0].body["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        (
            breaks_off(
                STREAM_HEAD.replace(b"Connection: close", b"Transfer-Encoding: chunked") + b"ff\r\n" + chunk("a ")
            ),
            "transport",
        ),
        (streams(chunk("a ")), "transport"),
        (streams(chunk("a "), event({"error": {"message": "overloaded", "code": 529}})), "server"),
        (streams(chunk("a "), b"data: {broken\n\n"), "transport"),
        (streams(), "server"),
        (streams(chunk(finish="stop"), DONE), "empty"),
        (sends(whole_response("200 OK", b"<html>log in</html>", "Content-Type: text/html")), "server"),
    ],
)
async def test_a_stream_that_does_not_end_well_is_a_failure(client: LiteLLMClient, script: Script, kind: str) -> None:
    """LiteLLM takes a stream that just stops for a finished one."""
    error = await fails(client, script, on_text=_ignore)
    assert error.kind == kind


@pytest.mark.parametrize(
    "usage", [{}, {"usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}}, {"usage": None}]
)
async def test_tokens_that_were_not_reported_are_unknown(client: LiteLLMClient, usage: dict[str, Any]) -> None:
    """LiteLLM makes zeros or estimates of them."""
    body = {name: value for name, value in completion('says "usage": {').items() if name != "usage"} | usage
    async with serving(answers(body)) as server:
        assert (await ask(client, server)).usage is None
    async with serving(streams(chunk("An answer."), chunk(finish="stop"), DONE)) as server:
        assert (await ask(client, server, on_text=_ignore)).usage is None


async def test_broken_token_counts_do_not_cost_an_answer(client: LiteLLMClient) -> None:
    """The text is what was asked for."""
    body = completion(usage={"prompt_tokens": -5, "completion_tokens": 2, "total_tokens": 7})
    async with serving(answers(body)) as server:
        reply = await ask(client, server)
    assert reply.usage == TokenUsage(output=2, total_tokens=7)


async def test_a_key_that_the_server_repeats_is_not_shown(client: LiteLLMClient) -> None:
    """Neither the model's nor any other known secret, in no part of the failure."""
    careful = LiteLLMClient(timeout_s=30, secrets=("another-secret",))
    script = refuses("401 U", f"Incorrect API key provided: {SECRET} (another-secret)")
    error = await fails(careful, script, api_key=SECRET)
    await careful.aclose()
    assert error.kind == "auth"
    assert "Incorrect API key" in error.message
    assert SECRET not in f"{error} {error.message} {error.detail} {error.args} {error.__cause__}"
    assert "another-secret" not in f"{error.message} {error.detail}"


@pytest.mark.parametrize("divider", ["\u200b", "\x1b[0m", "\n", " ", "\r\n\t"])
async def test_a_key_that_comes_divided_is_not_shown(client: LiteLLMClient, divider: str) -> None:
    """Cleaning would put it together again."""
    divided = f"{SECRET[:9]}{divider}{SECRET[9:]}"
    error = await fails(client, refuses("401 U", f"Incorrect API key: {divided}."), api_key=SECRET)
    assert error.message == error.detail == "Incorrect API key: [removed]."


@pytest.mark.parametrize("echoed", [SECRET, SECRET.upper(), f"{SECRET[:9]}\x1b[0m{SECRET[9:]}", "another-secret"])
async def test_a_key_in_an_answer_is_not_shown(client: LiteLLMClient, echoed: str) -> None:
    """Neither the model's nor another known one, while a short one may be a word of the answer."""
    careful = LiteLLMClient(timeout_s=30, secrets=("another-secret", "word"))
    async with serving(answers(completion(f"A word: {echoed}!"))) as server:
        reply = await ask(careful, server, api_key=SECRET)
    await careful.aclose()
    assert reply.text == "A word: [removed]!"


async def test_a_key_in_a_streamed_answer_is_not_shown(client: LiteLLMClient) -> None:
    """Even when no single piece holds it; what only begins like it is shown in the end."""
    events: list[TextEvent] = []
    pieces = ("The key ", SECRET[:5], SECRET[5:12], SECRET[12:] + ", or ", SECRET[:7])
    async with serving(streams(*map(chunk, pieces), chunk(finish="stop"), DONE)) as server:
        reply = await ask(client, server, api_key=SECRET, on_text=events.append)
    assert reply.text == "".join(item.text for item in events) == f"The key [removed], or {SECRET[:7]}"


async def test_headers_in_the_environment_go_to_nobody(client: LiteLLMClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client library would send an organization to any address."""
    monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-private")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Private: private\nAuthorization: private\nx-api-key: private")
    async with serving(answers(completion())) as server:
        await ask(client, server, api_key=SECRET)
    assert "private" not in repr(server.asked[0].headers)
    assert server.asked[0].headers["authorization"] == f"Bearer {SECRET}"


async def test_the_end_of_a_stream_is_not_taken_from_the_models_words(client: LiteLLMClient) -> None:
    """Only a line of its own ends it."""
    error = await fails(client, streams(chunk("it says data: [DONE] and")), on_text=_ignore)
    assert (error.kind, error.message) == ("transport", "the answer ended in the middle")


async def test_a_key_in_the_environment_is_not_sent_unless_it_is_named(
    client: LiteLLMClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LiteLLM looks for one everywhere when it gets none."""
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OLLAMA_API_KEY", "HOSTED_VLLM_API_KEY"):
        monkeypatch.setenv(variable, SECRET)
    for name in (LOCAL, "anthropic/m", "gemini/m", "ollama_chat/m", "hosted_vllm/m"):
        async with serving(refuses("503 S", "down")) as server:
            with pytest.raises(ModelFailure):
                await ask(client, server, name)
        assert len(server.asked) == 1
        assert SECRET not in repr(server.asked)


async def test_addresses_in_the_environment_do_not_divert_a_configured_one(
    client: LiteLLMClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor do proxies."""
    async with serving(answers(completion("stolen"))) as other, serving(answers(completion())) as server:
        for variable in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
            monkeypatch.setenv(variable, other.base)
        for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(variable, other.origin)
        assert (await ask(client, server)).text == "An answer."
        assert other.asked == []


async def test_plain_http_to_another_machine_is_not_sent(
    client: LiteLLMClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even when the environment diverts a provider's usual address there."""
    monkeypatch.setenv("XAI_API_BASE", "http://192.0.2.1:9/v1")
    with pytest.raises(ModelFailure) as caught:
        await client.complete(model("xai/m"), PROMPT, max_output_tokens=5)
    assert "not sent" in caught.value.message
    with pytest.raises(ModelFailure) as caught:
        await client.complete(model("openai/m", api_base="http://192.0.2.2/v1"), PROMPT, max_output_tokens=5)
    assert (caught.value.kind, caught.value.status) == ("unknown", None)
    assert "neither https" in caught.value.message


@pytest.mark.parametrize("provider", ["openai", "hosted_vllm", "lm_studio", "mistral", "xai"])
async def test_a_reasoning_effort_reaches_a_model_that_nobody_knows(client: LiteLLMClient, provider: str) -> None:
    """LiteLLM would refuse it otherwise."""
    message = "reasoning_effort 'none' is not supported. Supported values: [low, high]"
    error = await fails(client, refuses("400 B", message), name=f"{provider}/m")
    assert error.detail == message
    async with serving(answers(completion())) as server:
        await ask(client, server, f"{provider}/m", reasoning_effort="low")
    assert server.asked[0].body["reasoning_effort"] == "low"


async def test_what_litellm_refuses_itself_is_told_in_its_words(client: LiteLLMClient) -> None:
    """Nothing was sent, so no provider has said anything."""
    with pytest.raises(ModelFailure) as caught:
        await client.complete(model("no-such-provider/m"), PROMPT, max_output_tokens=5)
    assert "provider" in caught.value.message.lower()
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("provider", sorted(SDK | HANDLER))
async def test_every_guarded_provider_answers_through_the_guard(client: LiteLLMClient, provider: str) -> None:
    """One request, found on the wire by its plain headers, with the provider's own token counts."""
    async with serving(answers(OWN_SHAPES.get(provider, completion()))) as server:
        reply = await ask(client, server, f"{provider}/m")
    assert reply.text == "An answer."
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.output, reply.usage.total_tokens) == (11, 5, 16)
    (asked,) = server.asked
    assert asked.headers["accept-encoding"] == "identity"


OWN_STREAMS: dict[str, tuple[bytes, ...]] = {
    "anthropic": (
        typed("message_start", message={**OWN_SHAPES["anthropic"], "content": [], "stop_reason": None}),
        typed("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        typed("content_block_delta", index=0, delta={"type": "text_delta", "text": "An "}),
        typed("content_block_delta", index=0, delta={"type": "text_delta", "text": "answer."}),
        typed("content_block_stop", index=0),
        typed("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 5}),
        typed("message_stop"),
    ),
    "gemini": (
        event({"candidates": [{"content": {"parts": [{"text": "An "}], "role": "model"}}]}),
        event(
            {
                "candidates": [{"content": {"parts": [{"text": "answer."}], "role": "model"}, "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 5, "totalTokenCount": 16},
            }
        ),
    ),
    "ollama": rows(
        {"model": "m", "response": "An ", "done": False},
        {"model": "m", "response": "answer.", "done": False},
        {"model": "m", "response": "", "done": True, "prompt_eval_count": 11, "eval_count": 5},
    ),
    "ollama_chat": rows(
        {"model": "m", "message": {"role": "assistant", "content": "An "}, "done": False},
        {"model": "m", "message": {"role": "assistant", "content": "answer."}, "done": False},
        {
            "model": "m",
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "prompt_eval_count": 11,
            "eval_count": 5,
        },
    ),
}
PLAIN_STREAM = (chunk("An "), chunk("answer."), chunk(finish="stop"), usage_event(11, 5), DONE)


@pytest.mark.parametrize("provider", sorted(SDK | HANDLER))
async def test_every_guarded_provider_streams_through_the_guard(client: LiteLLMClient, provider: str) -> None:
    """Whole, it is an answer; broken off after the first words, it is none."""
    events: list[TextEvent] = []
    parts = OWN_STREAMS.get(provider, PLAIN_STREAM)
    async with serving(streams(*parts)) as server:
        reply = await ask(client, server, f"{provider}/m", on_text=events.append)
        assert len(server.asked) == 1
    assert reply.text == "An answer." == "".join(item.text for item in events)
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.output, reply.usage.total_tokens) == (11, 5, 16)
    begun = parts[:3] if provider == "anthropic" else parts[:1]
    error = await fails(client, streams(*begun), name=f"{provider}/m", on_text=_ignore)
    assert (error.kind, error.message) == ("transport", "the answer ended in the middle")


@pytest.mark.parametrize("provider", sorted(SDK | HANDLER))
async def test_no_guarded_provider_retries_or_follows(client: LiteLLMClient, provider: str) -> None:
    """Some retry whatever they are told."""
    error = await fails(client, refuses("503 S", "down"), name=f"{provider}/m")
    assert (error.kind, error.message, error.status) == ("server", "down", 503)
    async with serving(answers(completion("stolen"))) as other:
        error = await fails(client, answers({}, "307 T", f"Location: {other.base}/x"), name=f"{provider}/m")
        assert other.asked == []
    assert "redirect" in error.message


async def test_nothing_is_logged_or_printed(
    client: LiteLLMClient, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """At any level it could hold the prompt."""
    caplog.set_level(logging.DEBUG)
    async with serving(answers(completion())) as server:
        await ask(client, server)
    async with serving(streams(chunk("An answer."), chunk(finish="stop"), DONE)) as server:
        await ask(client, server, on_text=_ignore)
    await fails(client, refuses("500 S", "down"))
    await fails(client, refuses("500 S", "down"), name="gemini/m")
    noise = [record for record in caplog.records if record.name.startswith(("LiteLLM", "httpx", "httpcore", "openai"))]
    assert noise == []
    assert tuple(capfd.readouterr()) == ("", "")


async def test_calls_may_run_side_by_side(client: LiteLLMClient) -> None:
    """Each has its own facts."""
    async with serving(answers(completion())) as good, serving(refuses("429 T", "slow down")) as bad:
        outcomes = await asyncio.gather(*(ask(client, server) for server in (good, bad) * 5), return_exceptions=True)
    assert [outcome.text for outcome in outcomes[::2] if isinstance(outcome, Reply)] == ["An answer."] * 5
    assert [outcome.kind for outcome in outcomes[1::2] if isinstance(outcome, ModelFailure)] == ["rate-limit"] * 5


async def test_a_cancellation_from_inside_is_a_broken_connection(
    client: LiteLLMClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the caller's own stops a chain."""
    litellm = await client.ready()

    async def cancelled(**_arguments: Any) -> None:
        raise asyncio.CancelledError("request was cancelled")

    monkeypatch.setattr(litellm, "acompletion", cancelled)
    with pytest.raises(ModelFailure) as caught:
        await client.complete(model(api_base="http://127.0.0.1:9/v1"), PROMPT, max_output_tokens=5)
    assert caught.value.kind == "transport"


def test_the_environment_is_as_it_was_before_the_import() -> None:
    """The host's other code and its child processes see nothing of it."""
    assert not [name for name in os.environ if name.startswith("LITELLM_")]
