"""Which model of a chain gets images, and what is said when the one that answers got none."""

from __future__ import annotations

from typing import Any

import pytest
from model_samples import ScriptedClient, bounds, failure, model, waiting_clock

from twitter_tool.models.chain import Answer, answer
from twitter_tool.models.facts import Chain, ModelFacts
from twitter_tool.models.reply import Prompt, PromptImage
from twitter_tool.progress import Progress
from twitter_tool.usage import Usage

IMAGE = PromptImage("image/png", b"\x89PNG")
WITH = Prompt(system="Rules.", user="Question. image references: 1", images=(IMAGE,), plain="Question.")
WITHOUT = Prompt(system="Rules.", user="Question.")
SEEING = {"a": model("openai/a", images=bounds()), "b": model("openai/b", images=bounds())}
BLIND = {
    "c": model("openai/c"),
    "d": model("openai/d", supports_vision=False, images=bounds()),
    "e": model("openai/e", supports_vision=True),
}


async def ask(
    names: str, *outcomes: Any, prompt: Prompt = WITH, extractive: bool = False
) -> tuple[Answer, list[Prompt], list[Prompt]]:
    """The answer, the prompts that were sent, and those that were checked before."""
    known: dict[str, ModelFacts] = {**SEEING, **BLIND}
    client = ScriptedClient(list(outcomes))
    checked: list[Prompt] = []
    result = await answer(
        Chain(models=tuple(known[name] for name in names), extractive=extractive),
        prompt,
        client=client,
        usage=Usage(),
        progress=Progress(None),
        clock=waiting_clock([]),
        check=checked.append,
        extractive=lambda: "> quoted",
    )
    return result, [call.prompt for call in client.calls], checked


def codes(result: Answer) -> list[str]:
    return [note.code for note in result.notes]


async def test_a_model_that_takes_images_gets_them_with_the_text_that_refers_to_them() -> None:
    """And nothing has to be said."""
    result, sent, _ = await ask("ac", "Yes.")
    assert sent == [WITH]
    assert codes(result) == []


@pytest.mark.parametrize("blind", sorted(BLIND))
async def test_a_fallback_that_takes_no_images_gets_the_plain_text(blind: str) -> None:
    """None without image input, none without bounds of its own; a note says so once, after the fallback's."""
    result, sent, _ = await ask("a" + blind, failure("server"), failure("server"), "Yes.")
    assert sent == [WITH, WITHOUT, WITHOUT]
    assert codes(result) == ["model_fallback", "images_dropped_for_fallback"]


async def test_images_that_only_a_failed_model_did_not_get_were_not_left_out() -> None:
    """Only the model that answers counts."""
    result, sent, _ = await ask("acb", failure("server"), failure("server"), "Yes.")
    assert sent == [WITH, WITHOUT, WITH]
    assert codes(result) == ["model_fallback", "model_fallback"]


async def test_nothing_is_left_out_where_there_were_no_images() -> None:
    """The plain text is the whole text then."""
    result, sent, _ = await ask("ac", failure("server"), "Yes.", prompt=WITHOUT)
    assert sent == [WITHOUT, WITHOUT]
    assert codes(result) == ["model_fallback"]


async def test_the_quoting_answer_uses_no_images_either() -> None:
    """They were fetched for the model that failed, so their loss is told."""
    result, _, _ = await ask("a", failure("server"), extractive=True)
    assert codes(result) == ["model_fallback", "images_dropped_for_fallback"]


async def test_each_call_is_checked_with_just_what_it_sends() -> None:
    """First call, repair, fallback and retry alike."""
    refused = failure("invalid-request", "reasoning_effort 'none' is not supported. Supported values: [low]")
    _, sent, checked = await ask("ac", refused, failure("server"), failure("server"), "Yes.")
    assert checked == sent == [WITH, WITH, WITHOUT, WITHOUT]


def test_the_plain_prompt_keeps_everything_else() -> None:
    """Without a plain text of its own it is the same text, and without images it is the same prompt."""
    assert WITH.without_images() == WITHOUT
    assert Prompt(system="s", user="u", images=(IMAGE,)).without_images() == Prompt(system="s", user="u")
    assert WITHOUT.without_images() is WITHOUT


def test_an_image_is_not_printed_with_its_prompt() -> None:
    """A traceback would be megabytes long."""
    assert "PNG" not in repr(WITH)
