"""What a model says about a clip: how it is split, what is refused, and that nothing it says can do harm."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from video_provider import completion, described, gemini

from twitter_tool.media.native.outcome import NoReply
from twitter_tool.media.native.reply import MAX_CHARS, gemini_text, openai_text, read_reply
from twitter_tool.text import block


def parts(raw: str) -> tuple[str | None, str | None, bool]:
    reply = read_reply(raw)
    return reply.visual, reply.transcript, reply.silent


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('{"visual":"v","transcript":"t"}', ("v", "t", False)),
        ('{"visual":"v","transcript":""}', ("v", None, True)),
        ('{"visual":"v","transcript":" \\n "}', ("v", None, True)),
        ('{"visual":"v"}', ("v", None, False)),
        ('{"visual":"v","transcript":null}', ("v", None, False)),
        ('{"visual":"v","transcript":["t"]}', ("v", None, False)),
        ('{"transcript":"t"}', (None, "t", False)),
        ('{"visual":7,"transcript":"t","more":1}', (None, "t", False)),
        ('  {"visual":"v","transcript":"t"}\n', ("v", "t", False)),
    ],
)
def test_a_json_object_is_split(raw: str, expected: object) -> None:
    """Into what is seen and what is said; only a stated empty transcript says that nobody speaks."""
    assert parts(raw) == expected


@pytest.mark.parametrize(
    "raw", ['{"visual":"","transcript":""}', '{"visual":" ","transcript":"\\n"}', '{"visual":""}', '{"transcript":""}']
)
def test_a_reply_that_tells_nothing_does_not_declare_silence(raw: str) -> None:
    """A model that saw nothing has not listened either, so pictures and speech are still looked for."""
    assert parts(raw) == (None, None, False)


@pytest.mark.parametrize(
    "raw",
    [
        "VISUAL: a\nTRANSCRIPT: b",
        '{"description":"v"}',
        '{"visual":1,"transcript":2}',
        '["visual","transcript"]',
        '{"result":{"visual":"v","transcript":"t"}}',
        '{"visual":"v","transcript":NaN}',
        '{"visual":"v","transcript":"t"',
        'Here it is: {"visual":"v","transcript":"t"}',
        '{"visual":"v","transcript":"t"} done',
        '"visual"',
        "7",
    ],
)
def test_anything_else_is_a_description_as_a_whole(raw: str) -> None:
    """Words that are not marked as speech never become a transcript, and say nothing about silence."""
    assert parts(raw) == (raw, None, False)


@pytest.mark.parametrize(
    "raw",
    [
        "```json\n{}\n```",
        "```\n{}\n```",
        "```JSON\r\n{}\r\n```",
        " ```json {}``` ",
        "```{}```",
        "```json\n{}",
        "```json5+x\n\n  {}  \n\n```\n",
    ],
)
def test_a_code_fence_around_the_whole_is_removed(raw: str) -> None:
    """Models put one there whatever they are told, and sometimes forget to close it."""
    assert parts(raw.replace("{}", '{"visual":"v","transcript":"t"}')) == ("v", "t", False)


def test_a_fence_inside_a_text_is_part_of_the_text() -> None:
    """It may stand on a screen that was filmed."""
    assert parts('```json\n{"visual":"shows ```x```","transcript":"t"}\n```') == ("shows ```x```", "t", False)
    two = "```\na\n```\nand\n```\nb\n```"
    assert parts(two) == (two, None, False)
    assert parts("```text\nplain words\n```") == ("plain words", None, False)


@pytest.mark.parametrize("raw", ["", "  \n", "``````", "```\n```", "```json\n\n```", "```"])
def test_an_empty_reply_is_none(raw: str) -> None:
    """There is nothing to keep."""
    with pytest.raises(NoReply, match="empty"):
        read_reply(raw)


def test_times_of_a_transcript_stay_with_their_lines() -> None:
    """A line for each passage, as it was asked for."""
    assert parts(described(transcript="[00:01] hi\r\n[01:10] bye")) == ("a cat", "[00:01] hi\n[01:10] bye", False)


def test_what_a_model_says_is_cleaned() -> None:
    """It may repeat what a video makes it repeat."""
    visual, transcript, _ = parts(described("a\x1b[31mb\u202ec\ud800", "\u200b[00:01]\x00 hi\u2028there"))
    assert (visual, transcript) == ("abc\ufffd", "[00:01] hi\nthere")
    assert parts("red\x1b[31m\u202e words\ud800") == ("red words\ufffd", None, False)


@pytest.mark.parametrize(
    "raw",
    [
        "[" * 100_000,
        '{"visual":' * 50_000,
        '{"visual":"v","transcript":' + "9" * 10_000 + "}",
        '{"a":' + "[" * 300 + "]" * 300 + ',"visual":"v"}',
        '{"visual":"v",' * 3 + "\x00",
    ],
)
def test_deep_and_odd_json_is_a_description(raw: str) -> None:
    """Not a crash; what is kept of it is bounded."""
    visual, transcript, silent = parts(raw)
    assert visual is not None
    assert (len(visual) <= MAX_CHARS, transcript, silent) == (True, None, False)


def test_a_very_long_reply_is_bounded() -> None:
    """Far more than is ever shown is not carried along."""
    visual, transcript, _ = parts(described("v" * 200_000, "t" * 200_000))
    assert (len(visual or ""), len(transcript or "")) == (MAX_CHARS, MAX_CHARS)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
objects = st.fixed_dictionaries({}, optional={"visual": json_values, "transcript": json_values, "x": json_values})
replies = st.text() | objects.map(json.dumps) | objects.map(lambda value: f"```json\n{json.dumps(value)}\n```")


@given(raw=replies)
@example(raw="```json")
@example(raw="````")
@example(raw='{"transcript":"\\ud800"}')
def test_any_reply_is_read_or_refused(raw: str) -> None:
    """Cleaned texts or none; silence only beside a description; no transcript unless the reply states one."""
    try:
        reply = read_reply(raw)
    except NoReply:
        return
    for text in (reply.visual, reply.transcript):
        assert text is None or (text and text == block(text))
    assert not reply.silent or (reply.visual and reply.transcript is None)
    if reply.transcript is not None:
        assert '"transcript"' in raw


@given(body=st.dictionaries(st.sampled_from(["candidates", "promptFeedback", "choices", "error"]), json_values))
@example(body={"candidates": [{"content": {"parts": [{"text": 7}]}}]})
@example(body={"candidates": [[]], "choices": [None]})
@example(body={"choices": [{"message": {"content": [{"type": "text", "text": "x"}]}}]})
def test_any_body_gives_a_text_or_a_reason(body: dict[str, Any]) -> None:
    """Whatever a service sends instead of what it documents."""
    for reader in (gemini_text, openai_text):
        try:
            told = reader(body)
        except NoReply as refused:
            told = refused.reason
        assert told.strip()


def test_the_parts_of_a_generated_answer_are_one_text() -> None:
    """Without what the model thought on the way, and without parts that hold no text."""
    body = gemini()
    body["candidates"][0]["content"]["parts"] = [
        {"text": "hm", "thought": True},
        {"text": '{"visual":'},
        {"inlineData": {}},
        {"text": '"v"}'},
    ]
    assert gemini_text(body) == '{"visual":"v"}'


@pytest.mark.parametrize("finish", ["STOP", "stop", None, "", "FINISH_REASON_UNSPECIFIED"])
def test_a_generated_answer_that_ended_counts(finish: str | None) -> None:
    """Also where the service does not say how it ended."""
    assert gemini_text(gemini("x", finish)) == "x"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (gemini("half a", "MAX_TOKENS"), "token limit (MAX_TOKENS)"),
        (gemini("part", "SAFETY"), "blocked (SAFETY)"),
        (gemini("part", "A_NEW_REASON"), "blocked (A_NEW_REASON)"),
        ({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, "blocked (PROHIBITED_CONTENT)"),
        (gemini("x", promptFeedback={"blockReason": "OTHER"}), "blocked (OTHER)"),
        (gemini("  ", "STOP"), "empty (STOP)"),
        ({}, "empty"),
        ({"candidates": []}, "empty"),
        (gemini(7), "not text"),
        (gemini(["v"]), "not text"),
        (gemini("x", "EVIL\x1b[31m\nREASON" + "y" * 500), "EVIL \u23ce REASON"),
    ],
)
def test_a_blocked_cut_or_empty_generated_answer_is_refused(body: dict[str, Any], told: str) -> None:
    """Half a description could mislead; the service's own reason is named, on one line."""
    with pytest.raises(NoReply) as refused:
        gemini_text(body)
    assert told in refused.value.reason
    assert len(refused.value.reason) < 200


@pytest.mark.parametrize("finish", ["stop", None, "eos", "end_turn"])
def test_a_completion_that_ended_counts(finish: str | None) -> None:
    """Services have names of their own for it."""
    assert openai_text(completion("x", finish)) == "x"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (completion("half a", "length"), "token limit (length)"),
        (completion("half a", "MAX_TOKENS"), "token limit (MAX_TOKENS)"),
        (completion("part", "content_filter"), "blocked (content_filter)"),
        (completion(""), "empty (stop)"),
        (completion(" \n"), "empty (stop)"),
        (completion("", refusal="I will not"), "refused (I will not)"),
        (completion([{"type": "text", "text": "x"}]), "not text"),
        (completion({"visual": "v"}), "not text"),
        (completion(7), "not text"),
        ({"choices": [{"message": None}]}, "empty"),
        ({"choices": []}, "empty"),
        ({}, "empty"),
    ],
)
def test_a_blocked_cut_or_odd_completion_is_refused(body: dict[str, Any], told: str) -> None:
    """Only a finished text counts, and the service's reason is named."""
    with pytest.raises(NoReply) as refused:
        openai_text(body)
    assert told in refused.value.reason
