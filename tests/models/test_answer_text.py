"""Reading an answer out of messages and deltas."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.models.answer_text import MAX_ANSWER_CHARS, AnswerReader, usage_of
from twitter_tool.models.reply import ModelFailure, TokenCount, TokenUsage


def read(*contents: Any, finish: str | None = "stop", **fields: Any) -> str:
    """The text of an answer that came in these pieces."""
    reader = AnswerReader()
    for content in contents:
        reader.take(SimpleNamespace(finish_reason=finish), SimpleNamespace(content=content, **fields))
    return reader.finish(None).text


def test_text_parts_are_joined_by_line_breaks_and_thoughts_are_left_out() -> None:
    """Only parts of type text are the answer."""
    parts = [{"type": "thinking", "text": "hm"}, {"type": "text", "text": " a"}, {"type": "text", "text": "b\n"}]
    assert read(parts) == "a\nb"


def test_text_cut_at_the_output_limit_is_an_answer() -> None:
    """Half an answer beats none."""
    assert read("half an", finish="length") == "half an"


@pytest.mark.parametrize(
    ("contents", "finish", "fields", "kind", "word"),
    [
        ([None], "stop", {}, "empty", "no text"),
        ([" \n"], "stop", {}, "empty", "no text"),
        ([], None, {}, "empty", "no text"),
        ([""], "length", {}, "empty", "output limit"),
        ([None], "content_filter", {}, "empty", "filter"),
        ([None], "tool_calls", {"tool_calls": [object()]}, "invalid-request", "tool"),
        (["<think>only a thought"], "length", {}, "empty", "output limit"),
        ([7], "stop", {}, "empty", "no text"),
    ],
)
def test_an_answer_without_text_says_why(
    contents: list[Any], finish: str | None, fields: dict[str, Any], kind: str, word: str
) -> None:
    """Nothing, too little room, a filter, or a tool call."""
    with pytest.raises(ModelFailure, match=word) as caught:
        read(*contents, finish=finish, **fields)
    assert caught.value.kind == kind


def test_text_beside_a_tool_call_is_an_answer() -> None:
    """What was asked for is there."""
    assert read("yes", tool_calls=[object()]) == "yes"


def test_a_text_longer_than_any_answer_is_refused() -> None:
    """However slowly it comes."""
    with pytest.raises(ModelFailure, match="longer"):
        read(*["x" * 1_000] * (MAX_ANSWER_CHARS // 1_000 + 1))


@given(
    st.sampled_from(["", "<think>", "<think></think>", "<think>a<b></think>\n\n", "\n <think>\nlong\n</think>"]),
    st.sampled_from(["Yes.", "a < b", "<thing>", "<", "Yes <think>x</think>", "</think> no"]),
    st.integers(1, 7),
)
def test_a_thought_before_the_answer_is_left_out_wherever_the_pieces_end(thought: str, said: str, step: int) -> None:
    """Streamed in pieces of any length, the answer is the same, and so is what was shown on the way."""
    whole = thought + said
    reader = AnswerReader()
    shown = "".join(
        reader.take(None, SimpleNamespace(content=whole[start : start + step])) for start in range(0, len(whole), step)
    )
    closed = not thought.strip() or "</think>" in thought
    if closed or "</think>" in said:
        expected = said.strip() if closed else said.partition("</think>")[2].strip()
        try:
            text = reader.finish(None).text
        except ModelFailure:
            assert not expected
        else:
            assert text == expected
            assert text.startswith(shown.strip())
    else:
        assert not shown


def counts(**fields: Any) -> Any:
    return SimpleNamespace(**fields)


def test_token_counts_are_read_as_reported() -> None:
    """Input, output, total, and what came from or went into a cache."""
    raw = counts(
        prompt_tokens=6,
        completion_tokens=4,
        total_tokens=10,
        prompt_tokens_details=counts(cached_tokens=2, cache_creation_tokens=1),
    )
    assert usage_of(raw) == TokenUsage(input=6, output=4, cache_read=2, cache_write=1, total_tokens=10)


@pytest.mark.parametrize(
    "raw",
    [
        None,
        counts(),
        counts(prompt_tokens=0, completion_tokens=0, total_tokens=0),
        counts(prompt_tokens="5", completion_tokens=-1, total_tokens=float("nan")),
        counts(prompt_tokens=True, completion_tokens=float("inf")),
    ],
)
def test_zeros_alone_and_broken_counts_are_no_report(raw: Any) -> None:
    """They neither count nor fail."""
    assert usage_of(raw) is None


def test_tokens_are_summed_over_the_calls_that_reported_any() -> None:
    """A field that nobody reported stays absent, and so does everything when nobody reported anything."""
    count = TokenCount()
    assert count.to_dict() is None
    count.add(None)
    count.add(TokenUsage(input=3, output=0))
    count.add(TokenUsage(input=4, total_tokens=9))
    assert count.to_dict() == {"input": 7, "output": 0, "totalTokens": 9, "reportedCalls": 2}
