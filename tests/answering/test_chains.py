"""Several models in turn, seen from outside: who is asked how often, and what the caller is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from answering_calls import (
    ANN,
    LITELLM,
    LOCAL,
    Asking,
    LlmServer,
    Model,
    Upstream,
    answers,
    completion,
    note_of,
    notes_of,
    posts,
    prompt_of,
    refuses,
    sections,
    urls,
)

from twitter_tool.clock import Clock

pytestmark = LITELLM
SECOND = "openai/second-model"
TOOL_CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
BUSY = refuses("503 Service Unavailable", "overloaded")
FINE = answers(completion(f"Fine ({ANN}1)."))


def names(server: LlmServer) -> list[str]:
    """The models that were asked, in order."""
    return [asked.body["model"] for asked in server.asked]


async def test_the_next_model_answers_and_header_and_note_name_it(llm: LlmServer, model: Model) -> None:
    """One answer, two attempts, one of them failed."""
    llm.scripts[:] = [BUSY, FINE]
    result = await Asking(Upstream(posts("one")), model.settings(LOCAL, SECOND))()
    assert sections(result.content)[0]["Model"] == SECOND
    assert result.details["model"] == SECOND
    assert result.details["synthesisCalls"] == 1
    assert result.details["usage"]["synthesisAttempts"] == 2
    assert result.details["usage"]["synthesisFailures"] == 1
    found = note_of(result, "model_fallback")
    assert (found["failed"], found["answered"]) == (LOCAL, SECOND)
    assert names(llm) == ["local-model", "second-model"]


async def test_all_models_get_the_same_question_and_evidence(llm: LlmServer, model: Model) -> None:
    """And the same output limit, that of the smallest."""
    llm.scripts[:] = [BUSY, FINE]
    settings = model.settings(LOCAL, SECOND, facts={SECOND: {"max_output_tokens": 512}})
    await Asking(Upstream(posts("one")), settings)()
    assert prompt_of(llm, 0) == prompt_of(llm, 1)
    assert [asked.body["max_tokens"] for asked in llm.asked] == [512, 512]


async def test_the_last_model_is_asked_once_more_after_half_a_second(llm: LlmServer, model: Model) -> None:
    """A retry that helps is no fallback; its wait counts as part of writing."""
    llm.scripts[:] = [BUSY, FINE]
    time = [0.0]

    async def sleep(seconds: float) -> None:
        time[0] += seconds
        await asyncio.sleep(0)

    clock = Clock(sleep=sleep, monotonic=lambda: time[0])
    asking = Asking(Upstream(posts("one")), model.settings(), clock=clock)
    result = await asking()
    assert result.details["timings"]["synthesisMs"] == 500
    assert notes_of(result) == []
    assert result.details["usage"]["synthesisAttempts"] == 2
    assert asking.seen[-2:] == [f"synthesizing with {LOCAL}"] * 2


async def test_quoting_at_the_end_of_the_chain_answers_when_every_model_failed(llm: LlmServer, model: Model) -> None:
    """No model wrote that, and the note says which one did not."""
    llm.scripts[:] = [BUSY]
    asking = Asking(Upstream(posts("Trams are loud at night.")), model.settings(LOCAL, "extractive"))
    result = await asking("Are trams loud?")
    assert result.details["model"] == "extractive"
    assert result.details["synthesisCalls"] == 0
    assert result.details["usage"]["synthesisAttempts"] == 1
    assert notes_of(result) == ["extractive_answer", "model_fallback"]
    assert "> Trams are loud at night." in result.content
    assert urls(result) == [f"{ANN}1"]
    assert names(llm) == ["local-model"], "what is not the last member is asked once"


async def test_quoting_is_the_default_and_says_so(llm: LlmServer) -> None:
    """Nothing is sent to any model; the quotations are word for word and checked."""
    result = await Asking(Upstream(posts("Trams are loud at night.")))("Are trams loud?")
    assert sections(result.content)[0] == {
        "Query": "Are trams loud?",
        "Model": "extractive",
        "Synthesis Calls": "0",
        "Citations": "1",
    }
    assert notes_of(result) == ["extractive_answer"]
    assert result.details["quotes"] == {"checked": 1, "verified": 1, "unverified": 0}
    assert result.details["usage"]["synthesisAttempts"] == 0
    assert "synthesisTokens" not in result.details["usage"]
    assert llm.asked == []


async def test_quoting_by_name_is_the_same(llm: LlmServer) -> None:
    """With the same note."""
    named = await Asking(Upstream(posts("Trams are loud.")), {"synthesis_model": "extractive"})("Are trams loud?")
    default = await Asking(Upstream(posts("Trams are loud.")))("Are trams loud?")
    assert named.content == default.content


async def test_quoting_never_complains_about_missing_links(llm: LlmServer) -> None:
    """When nothing answers the question it lists what was read and says what it did not find."""
    result = await Asking(Upstream(posts("Bread is cheap.")))("How many zeppelins?")
    assert "citations_none_inline" not in notes_of(result)
    assert "zeppelins" in sections(result.content)[1]


async def test_when_no_model_answers_the_error_lists_every_attempt(llm: LlmServer, model: Model) -> None:
    """No half of an answer; exit code, hint and whether a later try makes sense."""
    llm.scripts[:] = [refuses("401 Unauthorized", "bad key"), BUSY, refuses("500 Internal Server Error", "boom")]
    error = await Asking(Upstream(posts("one")), model.settings(LOCAL, SECOND)).refused()
    assert (error.code, error.exit_code, error.retryable, error.attempts) == ("answer_failed", 6, True, 3)
    at = [error.message.index(word) for word in (f"{LOCAL}: auth", f"{SECOND}: server (overloaded)", "boom")]
    assert at == sorted(at)
    assert "posts" in (error.hint or "")
    assert "extractive" in (error.hint or "")


@pytest.mark.parametrize(("status", "asked"), [("401 Unauthorized", 1), ("429 Too Many Requests", 2)])
async def test_only_what_may_pass_is_tried_again(status: str, asked: int, llm: LlmServer, model: Model) -> None:
    """A refused key stays refused."""
    llm.scripts[:] = [refuses(status, "no")]
    error = await Asking(Upstream(posts("one")), model.settings()).refused()
    assert len(llm.asked) == asked
    assert error.retryable is (asked == 2)


async def test_a_provider_that_speaks_of_cancelling_does_not_stop_the_chain(llm: LlmServer, model: Model) -> None:
    """Only the caller can."""
    llm.scripts[:] = [refuses("500 Internal Server Error", "the operation was cancelled"), FINE]
    result = await Asking(Upstream(posts("one")), model.settings(LOCAL, SECOND))()
    assert result.details["model"] == SECOND


async def test_a_refused_reasoning_effort_is_mended_without_a_note(llm: LlmServer, model: Model) -> None:
    """The same model, at once."""
    refusal = "reasoning_effort 'none' is not supported. Supported values: [low, high]"
    llm.scripts[:] = [refuses("400 Bad Request", refusal), FINE]
    result = await Asking(Upstream(posts("one")), model.settings(LOCAL, SECOND))()
    assert names(llm) == ["local-model"] * 2
    assert llm.asked[1].body["reasoning_effort"] == "low"
    assert notes_of(result) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"content": ""},
        {
            "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"content": "  \n"},
        {"content": "", "finish_reason": "length"},
    ],
    ids=["empty", "tool call", "blank", "cut before it began"],
)
async def test_what_is_no_answer_goes_on_to_the_next_model(
    changes: dict[str, Any], llm: LlmServer, model: Model
) -> None:
    """As any failure."""
    llm.scripts[:] = [answers(completion(**changes)), FINE]
    result = await Asking(Upstream(posts("one")), model.settings(LOCAL, SECOND))()
    assert result.details["model"] == SECOND


async def test_an_answer_cut_at_the_output_limit_is_an_answer(llm: LlmServer, model: Model) -> None:
    """Without a note."""
    llm.scripts[:] = [answers(completion(f"Half ({ANN}1) of a sen", finish_reason="length"))]
    result = await Asking(Upstream(posts("one")), model.settings())()
    assert "of a sen" in result.content
    assert notes_of(result) == []


async def test_a_model_that_cannot_run_here_is_passed_over_with_a_note(llm: LlmServer, model: Model) -> None:
    """It has no key; the next one needs none."""
    llm.scripts[:] = [FINE]
    settings = model.settings(LOCAL)
    settings |= {"synthesis_model": "anthropic/claude-haiku-4-5", "fallback_models": [LOCAL]}
    result = await Asking(Upstream(posts("one")), settings)()
    found = note_of(result, "model_fallback")
    assert (found["failed"], found["answered"]) == ("anthropic/claude-haiku-4-5", LOCAL)
    assert result.details["usage"]["synthesisAttempts"] == 1


async def test_tokens_of_several_calls_are_added(llm: LlmServer, model: Model) -> None:
    """Those of a call without text as well: it was charged for."""
    llm.scripts[:] = [answers(completion("")), FINE]
    result = await Asking(Upstream(posts("one")), model.settings(LOCAL, SECOND))()
    assert result.details["usage"]["synthesisTokens"] == {
        "input": 22,
        "output": 10,
        "totalTokens": 32,
        "reportedCalls": 2,
    }


async def test_cancelling_during_the_wait_asks_nobody_again(llm: LlmServer, model: Model) -> None:
    """The wait is cut short."""
    llm.scripts[:] = [BUSY]
    waiting = asyncio.Event()

    async def sleep(seconds: float) -> None:
        if seconds:
            waiting.set()
            await asyncio.Event().wait()

    async with Asking(Upstream(posts("one")), model.settings(), clock=Clock(sleep=sleep)).tool() as tool:
        task = asyncio.create_task(tool.call({"query": "q"}))
        async with asyncio.timeout(30):
            await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert len(llm.asked) == 1


async def test_an_answer_that_repeats_a_key_is_shown_without_it(
    llm: LlmServer, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the model's key nor the one of the upstream stands in an error."""
    secret = "sk-secret-of-the-model-0123456789"
    llm.scripts[:] = [refuses("401 Unauthorized", f"no such key: {secret}")]
    settings = model.settings(facts={LOCAL: {"api_key_env": "LOCAL_KEY"}})
    error = await Asking(Upstream(posts("one")), settings, {"LOCAL_KEY": secret}).refused()
    assert llm.asked[0].headers["authorization"] == f"Bearer {secret}"
    assert secret not in f"{error} {error.to_dict()}"
