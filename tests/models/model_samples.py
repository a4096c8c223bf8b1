"""Models, settings and a client without LiteLLM, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from twitter_tool.clock import Clock
from twitter_tool.config.values import frozen
from twitter_tool.models.catalogue import Catalogue
from twitter_tool.models.declared import ImageBounds
from twitter_tool.models.facts import ModelFacts
from twitter_tool.models.reply import ModelFailure, OnText, Prompt, Reply, TextEvent
from twitter_tool.settings import Settings

PROMPT = Prompt(system="Answer from the evidence.", user="Question: why?")


def model(name: str = "openai/a", **changes: Any) -> ModelFacts:
    """A model with room to spare."""
    facts: dict[str, Any] = {
        "name": name,
        "provider": name.partition("/")[0],
        "call_name": name,
        "context_window": 128_000,
        "max_output_tokens": 8_192,
        "api_key": "no-key",
    }
    return ModelFacts(**{**facts, **changes})


def bounds(**changes: int) -> ImageBounds:
    """Bounds of images that hardly anything exceeds."""
    limits = {"tokens_per_image": 1, "max_width": 2_000, "max_height": 2_000, "max_images": 100, "max_bytes": 1_000_000}
    return ImageBounds(**{**limits, **changes})


def settings(first: str | None = None, *others: str, models: Mapping[str, Any] | None = None) -> Settings:
    """Settings that name these models."""
    return Settings().replaced(
        "user", synthesis_model=first, fallback_models=tuple(others), models=frozen(dict(models or {}))
    )


def catalogue() -> Catalogue:
    """A small map in LiteLLM's spelling."""
    limits = {"mode": "chat", "max_input_tokens": 100_000, "max_output_tokens": 8_000}
    return Catalogue(
        {
            "gpt-sample": {**limits, "litellm_provider": "openai", "supports_vision": True},
            "claude-sample": {**limits, "litellm_provider": "anthropic", "max_input_tokens": "200000"},
            "xai/grok-sample": {**limits, "litellm_provider": "xai"},
            "gemini/flash-sample": {**limits, "litellm_provider": "gemini"},
            "ollama/llama-sample": {**limits, "litellm_provider": "ollama", "max_input_tokens": 8_192},
            "us.anthropic.sample-v1": {**limits, "litellm_provider": "bedrock_converse"},
            "perplexity/old-sample": {
                "mode": "chat",
                "litellm_provider": "perplexity",
                "max_input_tokens": 4_000,
                "max_tokens": 900,
            },
            "groq/open-ended": {"mode": "chat", "litellm_provider": "groq", "max_input_tokens": 32_000},
            "github_copilot/gpt-sample": {**limits, "litellm_provider": "github_copilot"},
            "text-embedding-sample": {"mode": "embedding", "litellm_provider": "openai", "max_input_tokens": 8_000},
        },
        frozenset(("hosted_vllm", "custom_openai")),
        {"scaleway": "SCW_SECRET_KEY"},
    )


@dataclass
class Call:
    """What the client was asked for."""

    model: str
    effort: str | None
    max_output_tokens: int
    prompt: Prompt


@dataclass
class ScriptedClient:
    """Gives these outcomes in order: a text, a failure, or a function that gets the ``on_text`` of the call."""

    outcomes: list[Any]
    calls: list[Call] = field(default_factory=list)

    async def complete(
        self,
        model: ModelFacts,
        prompt: Prompt,
        *,
        max_output_tokens: int,
        reasoning_effort: str | None = None,
        on_text: OnText | None = None,
    ) -> Reply:
        self.calls.append(Call(model.name, reasoning_effort, max_output_tokens, prompt))
        outcome = self.outcomes.pop(0)
        if callable(outcome):
            outcome = outcome(lambda text: on_text and on_text(TextEvent(kind="text", text=text, model=model.name)))
        if isinstance(outcome, BaseException):
            raise outcome
        if isinstance(outcome, Reply):
            return outcome
        return Reply(text=outcome, finish_reason="stop", usage=None)

    @property
    def asked(self) -> list[str]:
        return [call.model for call in self.calls]


def failure(kind: Any, message: str = "it did not work", **figures: Any) -> ModelFailure:
    """A failed call."""
    return ModelFailure(kind, message, **figures)


def waiting_clock(waits: list[float], meanwhile: Callable[[], None] = lambda: None) -> Clock:
    """A clock that writes down how long it was asked to sleep, and does not."""

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        meanwhile()

    return Clock(sleep=sleep)
