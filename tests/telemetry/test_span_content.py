"""What a span never holds, and what it holds where content is switched on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from traced_calls import (
    ANSWER,
    KEY,
    MODEL_KEY,
    POST_TEXT,
    QUESTION,
    SEARCH,
    Models,
    Spans,
    attributes,
    contents,
    model,
    page,
    reply,
    tool,
    upstream,
    with_models,
)

from twitter_tool.errors import TwitterToolError
from twitter_tool.models.reply import ModelFailure
from twitter_tool.telemetry import model_span

ASKED = {"query": QUESTION, "mode": "posts", "output": "answer"}
SHOWN = {"TWITTER_TOOL_TRACE_CONTENT": "true"}
SAID = ("zeppelin", "quagga", "axolotl", KEY, MODEL_KEY, "status/1")


async def _ask(home: Path, monkeypatch: pytest.MonkeyPatch, *outcomes: Any, **more: Any) -> dict[str, Any]:
    arguments = {**ASKED, **{name: more.pop(name) for name in ("query", "output") if name in more}}
    with_models(monkeypatch, Models(*(outcomes or (reply(),))), model())
    async with tool(upstream(page(1, cursor="c"), httpx.Response(503, text=POST_TEXT), page(2)), home, **more) as asker:
        return (await asker.call({**arguments, "count": 3})).details


async def test_nothing_that_was_asked_read_or_answered_is_in_a_span_nor_any_key(
    spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looked for in everything that an exporter gets: names, attributes, events, statuses, resources."""
    await _ask(home, monkeypatch)
    assert {span.name for span in spans.all} == {"twitter_tool.call", SEARCH, "chat small"}
    assert not [word for word in SAID if word in spans.everything]
    assert "?" not in spans.everything
    assert "cursor" not in spans.everything


@pytest.mark.parametrize("output", ["posts", "answer"])
async def test_a_failed_call_shows_nothing_either(
    spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    """Errors of the upstream and of models repeat what they were sent."""
    words = f"{QUESTION} {POST_TEXT} {KEY} {MODEL_KEY}"
    with_models(monkeypatch, Models(ModelFailure("server", words), ModelFailure("invalid-request", words)), model())
    answers = upstream(page(1), *(httpx.Response(400, json={"message": words}) for _ in range(2)))
    async with tool(answers, home) as asker:
        for arguments in ({"count": 1}, {"count": 1}, {"mode": KEY}, {KEY: QUESTION}):
            if output == "posts" and arguments == {"count": 1}:
                continue
            with pytest.raises(TwitterToolError):
                await asker.call({**ASKED, "output": output, **arguments})
    assert spans.named("twitter_tool.call")
    assert not [word for word in SAID if word in spans.everything]


async def test_a_server_s_own_finish_reason_is_no_attribute(
    spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could be any text."""
    await _ask(home, monkeypatch, reply(finish_reason=QUESTION))
    assert "gen_ai.response.finish_reasons" not in attributes(spans.one("chat small"))
    assert "zeppelin" not in spans.everything


async def test_what_is_asked_and_answered_is_shown_where_that_is_switched_on(
    spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question and the result on the call, the messages on each attempt of a model, and still no key."""
    details = await _ask(home, monkeypatch, ModelFailure("server", "down"), reply(), **SHOWN)
    assert "setting_ignored" not in [note["code"] for note in details["notes"]]
    call = attributes(spans.call)
    assert call["twitter_tool.query"] == QUESTION
    assert ANSWER in call["twitter_tool.content"]
    failed, answered = spans.named("chat small")
    for span in (failed, answered):
        [asked] = contents(attributes(span)["gen_ai.input.messages"])
        assert QUESTION in asked
        assert POST_TEXT in asked
        assert contents(attributes(span)["gen_ai.system_instructions"]) != [""]
    assert contents(attributes(answered)["gen_ai.output.messages"]) == [ANSWER]
    assert "gen_ai.output.messages" not in attributes(failed)
    assert KEY not in spans.everything
    assert MODEL_KEY not in spans.everything
    assert all("zeppelin" not in span.to_json() for span in spans.named(SEARCH))


async def test_evidence_is_shown_too(spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a model it is what the call answers."""
    await _ask(home, monkeypatch, output="posts", **SHOWN)
    assert POST_TEXT in attributes(spans.call)["twitter_tool.content"]


async def test_keys_in_a_question_are_taken_out_of_content(
    spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program may have mixed up its variables."""
    query = f"why {KEY} and {MODEL_KEY}"
    await _ask(home, monkeypatch, reply(f"It is {KEY} and {MODEL_KEY}."), query=query, **SHOWN)
    assert KEY not in spans.everything
    assert MODEL_KEY not in spans.one("chat small").to_json()
    assert "why [removed]" in attributes(spans.call)["twitter_tool.query"]


async def test_half_a_character_stops_no_exporter(spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exporters encode attributes as UTF-8, which has no lone surrogates."""
    await _ask(home, monkeypatch, reply("half \ud800 of one"), **SHOWN)
    for span in spans.all:
        for value in attributes(span).values():
            str(value).encode("utf-8")
    assert contents(attributes(spans.one("chat small"))["gen_ai.output.messages"]) == ["half \ufffd of one"]


async def test_content_of_one_call_does_not_show_in_another(
    spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool that shows it and one that does not, at the same time."""
    met = asyncio.Barrier(2)

    async def answered() -> Any:
        await met.wait()
        return reply()

    with_models(monkeypatch, Models(answered, answered), model())
    async with tool(upstream(page(1)), home, **SHOWN) as open_one, tool(upstream(page(1)), home) as closed_one:
        await asyncio.gather(open_one.call(ASKED), closed_one.call({**ASKED, "query": "closed"}))
    shown = {span.context.trace_id for span in spans.all if "zeppelin" in span.to_json()}
    hidden = {span.context.trace_id for span in spans.all} - shown
    assert len(shown) == len(hidden) == 1
    assert not [
        name
        for span in spans.all
        if span.context.trace_id in hidden
        for name in attributes(span)
        if name.endswith(("messages", "instructions", "query", "content"))
    ]


async def test_a_call_after_one_that_showed_content_does_not(
    spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within one task too."""
    await _ask(home, monkeypatch, **SHOWN)
    before = len(spans.all)
    await _ask(home, monkeypatch)
    assert not [word for word in SAID for span in spans.all[before:] if word in span.to_json()]


@pytest.mark.parametrize("value", ["false", "0", "maybe", ""])
async def test_only_a_plain_yes_switches_content_on(
    spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """Whatever else is written leaves it off."""
    await _ask(home, monkeypatch, TWITTER_TOOL_TRACE_CONTENT=value)
    assert "zeppelin" not in spans.everything


async def test_a_project_cannot_switch_content_on(spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would send what its user asks to wherever spans go."""
    (home / ".twitter-tool.toml").write_text("trace_content = true\n", "utf-8")
    details = await _ask(home, monkeypatch)
    assert "setting_ignored" in [note["code"] for note in details["notes"]]
    assert "zeppelin" not in spans.everything


async def test_what_is_traced_after_a_call_that_showed_content_is_as_before_it(
    spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The switch ends with the call, also for what its task does next."""
    await _ask(home, monkeypatch, **SHOWN)
    with model_span(
        provider="openai", call_name="openai/next", max_output_tokens=1, api_base=None, api_key=None
    ) as span:
        span.asked("be brief", QUESTION)
    assert "gen_ai.input.messages" not in attributes(spans.one("chat next"))
