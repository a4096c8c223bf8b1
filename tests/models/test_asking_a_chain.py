"""Asking models in turn: order, retry, repair, counting, disclosure, cancellation."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from model_samples import PROMPT, ScriptedClient, failure, model, waiting_clock

from twitter_tool.errors import AnswerError
from twitter_tool.models.chain import Answer, answer
from twitter_tool.models.facts import Chain, Skipped
from twitter_tool.models.reply import ModelFailure, Prompt, Reply, TextEvent, TokenUsage
from twitter_tool.progress import Progress
from twitter_tool.usage import Usage

REFUSED_EFFORT = "reasoning_effort 'none' is not supported. Supported values: [low, high]"


class Asking:
    """One run of a chain and everything it did."""

    def __init__(self, *outcomes: Any, names: str = "a", extractive: bool = False, **chain: Any) -> None:
        self.client = ScriptedClient(list(outcomes))
        self.chain = Chain(models=tuple(model(f"openai/{name}") for name in names), extractive=extractive, **chain)
        self.usage = Usage()
        self.events: list[str] = []
        self.waits: list[float] = []
        self.checked: list[Prompt] = []
        self.seen: list[TextEvent] | None = None

    def check(self, sent: Prompt) -> None:
        self.checked.append(sent)

    async def run(self, **changes: Any) -> Answer:
        arguments: dict[str, Any] = {
            "client": self.client,
            "usage": self.usage,
            "progress": Progress(self.events.append),
            "clock": waiting_clock(self.waits),
            "check": self.check,
            "extractive": lambda: "> quoted",
            "on_text": None if self.seen is None else self.seen.append,
        }
        return await answer(self.chain, PROMPT, **{**arguments, **changes})

    async def fails(self) -> AnswerError:
        with pytest.raises(AnswerError) as caught:
            await self.run()
        return caught.value

    @property
    def asked(self) -> str:
        return "".join(name.removeprefix("openai/") for name in self.client.asked)


async def test_the_first_model_that_answers_ends_the_chain() -> None:
    """One call, one answer, nothing to disclose."""
    asking = Asking("Because.", names="ab")
    result = await asking.run()
    assert (result.text, result.model, result.notes, result.tokens) == ("Because.", "openai/a", (), None)
    assert (asking.asked, result.synthesis_calls) == ("a", 1)
    assert (asking.usage.synthesis_attempts, asking.usage.synthesis_failures) == (1, 0)


@pytest.mark.parametrize("kind", ["rate-limit", "server", "transport", "empty"])
async def test_the_last_model_is_asked_a_second_time_after_a_fault_that_may_pass(kind: Any) -> None:
    """After half a second, and no third time."""
    asking = Asking(failure(kind), "Then.", names="a")
    assert (await asking.run()).text == "Then."
    assert (asking.asked, asking.waits) == ("aa", [0.5])
    asking = Asking(failure("auth"), failure(kind), failure(kind), names="ab")
    await asking.fails()
    assert (asking.asked, asking.waits) == ("abb", [0.5])


@pytest.mark.parametrize("kind", ["quota", "auth", "unknown-model", "invalid-request", "unknown"])
async def test_a_fault_that_stays_is_not_tried_again(kind: Any) -> None:
    """It would only cost."""
    asking = Asking(failure(kind))
    error = await asking.fails()
    assert (asking.asked, asking.waits, error.retryable, error.attempts) == ("a", [], False, 1)


@pytest.mark.parametrize("kind", ["server", "auth", "empty", "unknown"])
async def test_a_model_that_is_not_the_last_is_asked_once(kind: Any) -> None:
    """The next one answers, and a note says who was meant to."""
    asking = Asking(failure(kind), "B says.", names="ab")
    result = await asking.run()
    assert (asking.asked, asking.waits, result.model) == ("ab", [], "openai/b")
    assert [(note.code, dict(note.figures)) for note in result.notes] == [
        ("model_fallback", {"failed": "openai/a", "answered": "openai/b", "reason": kind})
    ]


async def test_a_retry_that_helps_is_not_a_fallback() -> None:
    """All calls were made to the model that was to be asked."""
    asking = Asking(failure("server"), "Then.")
    result = await asking.run()
    assert result.notes == ()
    assert (asking.usage.synthesis_attempts, asking.usage.synthesis_failures) == (2, 1)
    assert [item.kind for item in result.failures] == ["server"]


async def test_models_that_cannot_run_are_disclosed_when_another_answers() -> None:
    """Even when it is the first that could."""
    skipped = (Skipped(name="anthropic/x", reason="key_missing", missing="ANTHROPIC_API_KEY"),)
    result = await Asking("Yes.", skipped=skipped).run()
    assert [dict(note.figures) for note in result.notes] == [
        {"failed": "anthropic/x", "answered": "openai/a", "reason": "key_missing"}
    ]


@pytest.mark.parametrize(
    ("outcomes", "named"),
    [
        (["A."], ["x0"]),
        ([failure("auth"), "B."], ["x0", "openai/a", "x1"]),
        ([failure("auth"), failure("auth")], ["x0", "openai/a", "x1", "openai/b", "x2"]),
    ],
)
async def test_only_models_that_stand_before_the_answering_one_are_disclosed(
    outcomes: list[Any], named: list[str]
) -> None:
    """In the order of the settings, whether they failed or cannot run; nobody would have asked those behind it."""
    skipped = tuple(Skipped(name=f"x{n}", reason="key_missing", missing="KEY", after=n) for n in (0, 1, 2))
    result = await Asking(*outcomes, names="ab", extractive=True, skipped=skipped).run()
    assert [note.figures["failed"] for note in result.notes] == named


async def test_the_quoting_answer_stands_in_when_every_model_failed() -> None:
    """No model before it is asked twice, and it is no model call."""
    asking = Asking(failure("server"), failure("auth"), names="ab", extractive=True)
    result = await asking.run()
    assert (asking.asked, result.text, result.model, result.synthesis_calls) == ("ab", "> quoted", "extractive", 0)
    assert [note.figures["failed"] for note in result.notes] == ["openai/a", "openai/b"]


async def test_an_empty_chain_quotes_without_asking_anybody() -> None:
    """No call, no progress, no counter."""
    asking = Asking(names="", extractive=True)
    result = await asking.run()
    assert (result.model, result.notes, asking.usage.synthesis_attempts, asking.events) == ("extractive", (), 0, [])


async def test_total_failure_lists_every_attempt_in_order() -> None:
    """Model, class and cause; it may be tried again when the last cause may pass."""
    asking = Asking(failure("auth", "bad key"), failure("server", "one"), failure("rate-limit", "two"), names="ab")
    error = await asking.fails()
    assert error.code == "answer_failed"
    first, second, third = (
        error.message.index(part)
        for part in ("openai/a: auth (bad key)", "openai/b: server (one)", "openai/b: rate-limit (two)")
    )
    assert first < second < third
    assert "\n" not in error.message
    assert (error.retryable, error.attempts) == (True, 3)
    assert error.hint is not None
    assert '"posts"' in error.hint
    assert "extractive" in error.hint


async def test_an_empty_answer_at_the_end_is_not_called_retryable() -> None:
    """Only faults of rate, service and connection are."""
    assert (await Asking(failure("server"), failure("empty")).fails()).retryable is False


async def test_a_refused_effort_is_repaired_at_once() -> None:
    """Same model, the first value it lists, no wait, no fallback note; both calls count."""
    asking = Asking(failure("invalid-request", REFUSED_EFFORT), "With low.", names="ab")
    result = await asking.run()
    assert [(call.model, call.effort) for call in asking.client.calls] == [("openai/a", None), ("openai/a", "low")]
    assert (result.notes, asking.waits, asking.usage.synthesis_attempts) == ((), [], 2)
    assert asking.events == ["synthesizing with openai/a"] * 2


async def test_an_effort_is_repaired_once() -> None:
    """A second refusal goes on to the next model."""
    refused = failure("invalid-request", REFUSED_EFFORT)
    asking = Asking(refused, refused, "B says.", names="ab")
    await asking.run()
    assert asking.asked == "aab"


async def test_the_repair_reads_the_whole_message_not_the_shown_line() -> None:
    """What is shown is cut at 200 characters."""
    asking = Asking(ModelFailure("invalid-request", "cut off", detail="x" * 300 + ". " + REFUSED_EFFORT), "Yes.")
    assert (await asking.run()).text == "Yes."


async def test_a_repaired_last_model_keeps_its_second_try_and_its_effort() -> None:
    """The repair is outside the count."""
    asking = Asking(failure("invalid-request", REFUSED_EFFORT), failure("server"), "At last.")
    await asking.run()
    assert [call.effort for call in asking.client.calls] == [None, "low", "low"]


async def test_every_physical_call_is_checked_announced_and_given_the_same_output_limit() -> None:
    """First call, repair, fallback and retry alike."""
    asking = Asking(failure("invalid-request", REFUSED_EFFORT), failure("server"), failure("server"), "B.", names="ab")
    asking.chain = Chain(models=(model("openai/a"), model("openai/b", max_output_tokens=700)))
    await asking.run()
    assert asking.checked == [call.prompt for call in asking.client.calls] == [PROMPT] * 4
    assert [event.removeprefix("synthesizing with openai/") for event in asking.events] == ["a", "a", "b", "b"]
    assert {call.max_output_tokens for call in asking.client.calls} == {700}


async def test_a_check_that_refuses_stops_everything() -> None:
    """What must not be sent is not sent to the next model either."""
    asking = Asking("never", names="ab")

    def refuse(_sent: Prompt) -> None:
        raise RuntimeError("over the budget")

    with pytest.raises(RuntimeError, match="budget"):
        await asking.run(check=refuse)
    assert (asking.asked, asking.events, asking.usage.synthesis_attempts) == ("", [], 0)


async def test_tokens_of_failed_calls_count_too() -> None:
    """Whoever reported them was paid."""
    told = TokenUsage(input=5, output=0, total_tokens=5)
    reply = Reply(text="Yes.", finish_reason="stop", usage=TokenUsage(input=5, output=2, total_tokens=7))
    result = await Asking(failure("empty", usage=told), failure("server"), reply, names="ab").run()
    assert result.tokens == {"input": 10, "output": 2, "totalTokens": 12, "reportedCalls": 2}


async def test_cancelling_during_a_call_stops_the_chain() -> None:
    """No other model is asked, no quoting answer made."""
    asking = Asking(asyncio.CancelledError(), names="ab", extractive=True)
    with pytest.raises(asyncio.CancelledError):
        await asking.run()
    assert asking.asked == "a"


async def test_cancelling_during_the_wait_stops_the_chain() -> None:
    """The second try is not made."""
    asking = Asking(failure("server"), "never")

    async def cancelled(_seconds: float) -> None:
        raise asyncio.CancelledError

    clock = waiting_clock([])
    object.__setattr__(clock, "sleep", cancelled)
    with pytest.raises(asyncio.CancelledError):
        await asking.run(clock=clock)
    assert asking.asked == "a"


def streamed(*pieces: str, then: Any) -> Any:
    """An outcome that shows these pieces first."""

    def outcome(show: Any) -> Any:
        for piece in pieces:
            show(piece)
        return then

    return outcome


def shown(events: list[TextEvent]) -> str:
    """What a reader has before them in the end."""
    text = ""
    for event in events:
        text = text + event.text if event.kind == "text" else ""
    return text


async def test_a_stream_that_breaks_off_starts_again_with_the_next_model() -> None:
    """What was shown is thrown away by one restart, and the text after it is the answer."""
    asking = Asking(streamed("Half", then=failure("transport")), streamed("Wh", "ole", then="Whole"), names="ab")
    asking.seen = []
    result = await asking.run()
    assert [(event.kind, event.text, event.model) for event in asking.seen] == [
        ("text", "Half", "openai/a"),
        ("restart", "", "openai/b"),
        ("text", "Wh", "openai/b"),
        ("text", "ole", "openai/b"),
    ]
    assert shown(asking.seen) == result.text


async def test_nothing_is_restarted_when_nothing_was_shown() -> None:
    """A refusal leaves no trace on the screen."""
    asking = Asking(failure("server"), streamed("Yes", then="Yes"), names="ab")
    asking.seen = []
    await asking.run()
    assert [event.kind for event in asking.seen] == ["text"]


async def test_the_quoting_answer_throws_away_what_a_model_began() -> None:
    """It is not streamed itself."""
    asking = Asking(streamed("Half", then=failure("transport")), extractive=True)
    asking.seen = []
    await asking.run()
    assert [(event.kind, event.model) for event in asking.seen] == [("text", "openai/a"), ("restart", "extractive")]


async def test_a_receiver_that_raises_changes_nothing() -> None:
    """It is display only."""

    def broken(_event: TextEvent) -> None:
        raise ValueError("no screen")

    result = await Asking(streamed("Yes", then="Yes")).run(on_text=broken)
    assert result.text == "Yes"
