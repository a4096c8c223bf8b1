"""Asking the models of a chain, one after the other, until one answers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from twitter_tool.clock import Clock
from twitter_tool.errors import AnswerError
from twitter_tool.models.classify import supported_effort
from twitter_tool.models.facts import Chain, ModelFacts
from twitter_tool.models.limits import reserved_output
from twitter_tool.models.reply import (
    RETRIED,
    TRANSIENT,
    FailureKind,
    ModelFailure,
    OnText,
    Prompt,
    Reply,
    TextEvent,
    TokenCount,
    TokenUsage,
)
from twitter_tool.notes import Note, note
from twitter_tool.progress import Progress
from twitter_tool.settings import EXTRACTIVE
from twitter_tool.telemetry import ModelSpan, model_span
from twitter_tool.usage import Usage

BACKOFF_S: Final = 0.5


class ModelClient(Protocol):
    """What makes the physical calls."""

    async def complete(
        self,
        model: ModelFacts,
        prompt: Prompt,
        *,
        max_output_tokens: int,
        reasoning_effort: str | None = None,
        on_text: OnText | None = None,
    ) -> Reply:
        """Ask a model once.

        Raises:
            ModelFailure: there is no answer.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A physical call that gave no answer."""

    model: str
    kind: FailureKind
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the chain gave.

    Attributes:
        text: untrusted; a model's, or the quoting answer's.
        model: who wrote it, ``extractive`` for the quoting answer.
        notes: the models that were to be asked first and did not answer, in their order; then whether the model that
            answered did without the images.
        tokens: sums over the calls that reported any, ``None`` when none did.
        failures: the calls before it that gave no answer.
    """

    text: str
    model: str
    notes: tuple[Note, ...] = ()
    tokens: dict[str, int] | None = None
    failures: tuple[Attempt, ...] = ()

    @property
    def synthesis_calls(self) -> int:
        """1 when a model wrote it, however many calls that took."""
        return 0 if self.model == EXTRACTIVE else 1


async def answer(
    chain: Chain,
    prompt: Prompt,
    *,
    client: ModelClient,
    usage: Usage,
    progress: Progress,
    clock: Clock,
    check: Callable[[Prompt], None],
    extractive: Callable[[], str],
    on_text: OnText | None = None,
) -> Answer:
    """Ask the models in order: each once, the last one a second time after a fault that may pass.

    A model that refuses the reasoning effort and lists those it takes is asked again at once, outside that count. One
    that takes no images gets the plain text of the prompt and none of them.

    Args:
        check: looks once more, before every physical call, whether this may be sent: it is given the prompt just as
            the model will get it, and raises when not.
        extractive: makes the quoting answer, when the chain ends with it.
        on_text: receives the answer while it is being written. When a model fails in the middle, a ``restart`` comes
            before the first text of the next one.

    Raises:
        AnswerError: ``answer_failed``, when no model answered.
        asyncio.CancelledError: the caller gave up; nothing more is asked.
    """
    run = _Run(chain, prompt, client, usage, progress, clock, check, _Display(on_text))
    for model in chain.models:
        is_last = not chain.extractive and model is chain.models[-1]
        reply = await run.ask(model, tries=2 if is_last else 1)
        if reply is not None:
            return run.answered(model, reply.text)
    if not chain.extractive:
        raise _all_failed(run.failures)
    run.display.restart(EXTRACTIVE)
    return run.answered(None, extractive())


@dataclass(slots=True)
class _Display:
    """Hands text events on; whatever the receiver raises changes nothing."""

    receiver: OnText | None
    shown: bool = False

    def take(self, event: TextEvent) -> None:
        self.shown = True
        self._hand_on(event)

    def restart(self, model: str) -> None:
        if self.shown:
            self.shown = False
            self._hand_on(TextEvent(kind="restart", text="", model=model))

    def _hand_on(self, event: TextEvent) -> None:
        if self.receiver is not None:
            with contextlib.suppress(Exception):
                self.receiver(event)


@dataclass(slots=True)
class _Run:
    """One question to a chain: what it was given, and what has happened so far."""

    chain: Chain
    prompt: Prompt
    client: ModelClient
    usage: Usage
    progress: Progress
    clock: Clock
    check: Callable[[Prompt], None]
    display: _Display
    tokens: TokenCount = field(default_factory=TokenCount)
    failures: list[Attempt] = field(default_factory=list)

    @property
    def reserved(self) -> int:
        """Tokens of output that every call may take."""
        return reserved_output(self.chain.models)

    async def ask(self, model: ModelFacts, *, tries: int) -> Reply | None:
        """Ask one model up to so many times; ``None`` when it gave no answer."""
        effort: str | None = None
        while tries:
            try:
                return await self._call(model, effort)
            except ModelFailure as failure:
                repaired = supported_effort(failure.detail) if effort is None else None
                if repaired is not None:
                    effort = repaired
                    continue
                tries -= 1
                if failure.kind not in RETRIED:
                    return None
                if tries:
                    await self.clock.sleep(BACKOFF_S)
        return None

    async def _call(self, model: ModelFacts, effort: str | None) -> Reply:
        sent = self.prompt.without_images() if model.image_input is None else self.prompt
        self.check(sent)
        self.display.restart(model.name)
        self.progress.emit(f"synthesizing with {model.name}")
        self.usage.synthesis_attempts += 1
        with model_span(
            provider=model.provider,
            call_name=model.call_name,
            max_output_tokens=self.reserved,
            api_base=model.api_base,
            api_key=model.api_key,
        ) as span:
            return await self._traced(model, sent, effort, span)

    async def _traced(self, model: ModelFacts, sent: Prompt, effort: str | None, span: ModelSpan) -> Reply:
        span.asked(sent.system, sent.user)
        try:
            reply = await self.client.complete(
                model,
                sent,
                max_output_tokens=self.reserved,
                reasoning_effort=effort,
                on_text=None if self.display.receiver is None else self.display.take,
            )
        except BaseException as error:
            self.usage.synthesis_failures += 1
            if isinstance(error, ModelFailure):
                self.tokens.add(error.usage)
                self.failures.append(Attempt(model=model.name, kind=error.kind, message=error.message))
                _trace_tokens(span, error.usage)
                span.refused(error.kind, error.status)
            raise
        self.tokens.add(reply.usage)
        _trace_tokens(span, reply.usage)
        span.replied(reply.text, reply.finish_reason)
        return reply

    def answered(self, model: ModelFacts | None, text: str) -> Answer:
        """The result of a model, or of the quoting answer, with a note for every model that was to be asked before."""
        name = EXTRACTIVE if model is None else model.name
        before = self.chain.models if model is None else self.chain.models[: self.chain.models.index(model)]
        notes = [note("model_fallback", failed=who, answered=name, reason=why) for who, why in self._absent(before)]
        if self.prompt.images and (model is None or model.image_input is None):
            notes.append(note("images_dropped_for_fallback"))
        return Answer(
            text=text,
            model=name,
            notes=tuple(notes),
            tokens=self.tokens.to_dict(),
            failures=tuple(self.failures),
        )

    def _absent(self, before: Sequence[ModelFacts]) -> Iterator[tuple[str, str]]:
        """Name and cause of the models that stand before the one that answered, in the order of the settings."""
        last = {item.model: item.kind for item in self.failures}
        for place in range(len(before) + 1):
            yield from ((item.name, item.reason) for item in self.chain.skipped if item.after == place)
            if place < len(before):
                yield before[place].name, last[before[place].name]


def _trace_tokens(span: ModelSpan, usage: TokenUsage | None) -> None:
    if usage is not None:
        span.spent(usage.input, usage.output)


def _all_failed(failures: list[Attempt]) -> AnswerError:
    causes = "; ".join(f"{item.model}: {item.kind} ({item.message})" for item in failures)
    return AnswerError(
        "answer_failed",
        f"no model answered: {causes}",
        hint='Ask for output "posts", or end fallback_models with "extractive".',
        retryable=bool(failures) and failures[-1].kind in TRANSIENT,
        attempts=len(failures) or None,
    )
