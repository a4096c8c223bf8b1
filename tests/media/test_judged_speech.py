"""What of recognised speech is believed, and how it is written down."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.media.speech import judge, judge_text
from twitter_tool.media.speech.judged import MADE_UP
from twitter_tool.media.values import Heard, Segment
from twitter_tool.notes import note
from twitter_tool.text import block

NOTHING_SAID = Heard(notes=(note("transcript_absent", reason="nothing_said"),))


def said(text: str, start: float = 0.0, silence: float | None = None, certainty: float | None = None) -> Segment:
    return Segment(start=start, end=start + 1, text=text, no_speech_prob=silence, avg_logprob=certainty)


def discarded(phrase: str) -> Heard:
    return Heard(notes=(note("transcript_discarded", phrase=phrase),))


def partial(transcript: str | None, count: int) -> tuple[str | None, tuple[object, ...]]:
    return transcript, (note("transcript_partial", count=count),)


def parts(heard: Heard) -> tuple[str | None, tuple[object, ...]]:
    return heard.transcript, heard.notes


@pytest.mark.parametrize(
    ("silence", "certainty", "kept"),
    [
        (0.9, -1.5, False),
        (0.95, -0.2, True),
        (0.6, -1.5, True),
        (0.7, -1.0, True),
        (0.61, -1.01, False),
        (None, -5.0, True),
        (1.0, None, True),
        (None, None, True),
        (math.nan, -5.0, True),
    ],
)
def test_a_passage_falls_only_when_it_is_probably_silence_and_its_words_are_a_guess(
    silence: float | None, certainty: float | None, kept: bool
) -> None:
    """More than 0.6 and less than -1, both strictly; what the recogniser did not say speaks for the passage."""
    heard = judge([said("The first.", 0), said("A second.", 2, silence, certainty)])
    if kept:
        assert parts(heard) == ("[00:00] The first.\n[00:02] A second.", ())
    else:
        assert parts(heard) == partial("[00:00] The first.", 1)


@pytest.mark.parametrize("text", ["你好，世界", "こんにちは", "مرحبا", "7", "٣", "Ω"])
def test_letters_and_digits_of_every_script_are_words(text: str) -> None:
    """A passage in any language stays."""
    assert judge([said(text)]).transcript == f"[00:00] {text}"
    assert judge_text(text).transcript == text


@pytest.mark.parametrize("text", [" .", "...", "♪♪", "- !", "（）", "\u3164.", "👍"])
def test_a_passage_without_a_letter_or_digit_falls(text: str) -> None:
    """Punctuation, notes and what shows nothing are no speech, alone or beside real words."""
    assert judge([said(text)]) == NOTHING_SAID
    assert parts(judge([said("Real words."), said(text, 3)])) == partial("[00:00] Real words.", 1)
    assert judge_text(text) == NOTHING_SAID


@pytest.mark.parametrize("text", ["", "  ", "\n", "\u200b", "\x1b[0m"])
def test_blank_passages_are_not_missed(text: str) -> None:
    """They leave no line and no note that something was left out."""
    assert parts(judge([said("Real words."), said(text, 3)])) == ("[00:00] Real words.", ())
    assert judge([said(text)]) == NOTHING_SAID
    assert judge_text(text) == NOTHING_SAID


def test_nothing_recognised_is_nothing_said() -> None:
    """No passage at all, none that can be believed, and none that could be read give the same note."""
    assert judge([]) == NOTHING_SAID
    assert judge([said("Hm hm.", 0, 0.9, -2.0)]) == NOTHING_SAID
    assert judge([], lost=2) == NOTHING_SAID


def test_unreadable_passages_are_counted_with_those_left_out() -> None:
    """Whatever the reason, the transcript may have gaps."""
    heard = judge([said("One."), said("Two.", 1, 0.9, -2.0)], lost=2)
    assert parts(heard) == partial("[00:00] One.", 3)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("thank you.", "thank you"),
        ("Thank you", "thank you"),
        ("THANK YOU!", "thank you"),
        ("Thanks for watching!", "thanks for watching"),
        ("thanks for watching.", "thanks for watching"),
        ("Thank you for watching.", "thank you for watching"),
        ("Please subscribe.", "please subscribe"),
        ("Subscribe", "subscribe"),
        ("Bye.", "bye"),
        ("you", "you"),
        ("You.", "you"),
        ("Thank you. Thank you.", "thank you"),
        ("Thank you.Thank you", "thank you"),
        ("  Bye bye  BYE. \n", "bye"),
        ("Thanks  for\nwatching", "thanks for watching"),
        ("Thank you ... thank you!!", "thank you"),
    ],
)
def test_a_transcript_of_nothing_but_a_made_up_phrase_is_discarded(text: str, phrase: str) -> None:
    """In any case, with or without its stop, once or repeated; as passages and as plain text alike."""
    assert judge([said(text)]) == discarded(phrase)
    assert judge_text(text) == discarded(phrase)
    assert judge([said(text), said(text, 4)]) == discarded(phrase)


def test_a_phrase_in_pieces_is_still_only_that_phrase() -> None:
    """All kept passages together are looked at, so neither a cut nor a passage that falls hides it."""
    assert judge([said("Thanks for"), said("watching!", 2)]) == discarded("thanks for watching")
    assert judge([said(" ."), said("Thank you.", 2), said("Hm.", 4, 0.9, -3.0)]) == discarded("thank you")


@pytest.mark.parametrize(
    "text",
    [
        "The tram is late. Thank you.",
        "Thank you. Bye.",
        "Thank you all.",
        "You?",
        "youyou",
        "Thank you for watching the tram.",
        "Goodbye.",
        "Thankyou",
        "¿you",
    ],
)
def test_real_speech_that_holds_such_a_phrase_stays_whole(text: str) -> None:
    """Only a transcript that is nothing else is doubted."""
    assert parts(judge([said(text)])) == (f"[00:00] {text}", ())
    assert parts(judge_text(text)) == (text, ())


def test_speech_followed_by_thanks_keeps_both() -> None:
    """People do say it."""
    heard = judge([said("We open on Monday.", 1), said("thank you.", 5)])
    assert parts(heard) == ("[00:01] We open on Monday.\n[00:05] thank you.", ())


@pytest.mark.parametrize(
    ("start", "label"),
    [
        (0, "[00:00] "),
        (12.5, "[00:12] "),
        (59.999, "[00:59] "),
        (60, "[01:00] "),
        (3_600, "[60:00] "),
        (6_045.2, "[100:45] "),
        (-1, ""),
        (math.nan, ""),
        (math.inf, ""),
        (1e300, ""),
    ],
)
def test_a_line_begins_with_the_second_at_which_it_is_said(start: float, label: str) -> None:
    """Seconds are cut, not rounded; minutes go on after 59; an unreadable time is left out."""
    assert judge([said("Words.", start)]).transcript == f"{label}Words."


@pytest.mark.parametrize("gap", ["\n", "\r\n", "\x0b", "\x85", "\u2028", "\n\n\n"])
def test_a_passage_is_one_line_so_that_none_can_be_forged(gap: str) -> None:
    """A break inside it is a blank, whatever character makes it."""
    heard = judge([said(f"one{gap}[00:09] two", 3)])
    assert heard.transcript == "[00:03] one [00:09] two"


def test_text_is_cleaned_once_and_plain_text_keeps_its_lines() -> None:
    """Escape sequences and direction marks go; what was a line stays one."""
    assert judge([said("\x1b[31mred\u202e text")]).transcript == "[00:00] red text"
    assert judge_text("first\r\nsec\u200bond\n").transcript == "first\nsecond"


LABEL = re.compile(r"\[\d{2,}:[0-5]\d\] ")
SEGMENTS = st.lists(
    st.builds(
        said,
        st.text(max_size=30),
        st.floats(0, 9_999),
        st.none() | st.floats(0, 1),
        st.none() | st.floats(-4, 0),
    ),
    max_size=8,
)


@given(SEGMENTS)
def test_every_line_is_a_passage_and_everything_missing_is_told(segments: list[Segment]) -> None:
    """As many lines as passages kept, each with its second; at most one note, and always one for what is missing."""
    heard = judge(segments)
    assert len(heard.notes) <= 1
    if heard.transcript is None:
        assert [entry.code for entry in heard.notes] in (["transcript_absent"], ["transcript_discarded"])
        return
    lines = heard.transcript.split("\n")
    assert all(LABEL.match(line) for line in lines)
    visible = [segment for segment in segments if judge_text(segment.text) != NOTHING_SAID]
    assert len(lines) <= len(visible)
    dropped = heard.notes[0].figures["count"] if heard.notes else 0
    assert len(lines) + dropped <= len(segments)
    if len(lines) < len(visible):
        assert dropped >= len(visible) - len(lines)


@given(st.sampled_from(MADE_UP), st.lists(st.sampled_from(["", ".", "!", "...", "。"]), min_size=1, max_size=6))
def test_no_way_to_repeat_a_phrase_gets_through(phrase: str, stops: list[str]) -> None:
    """Whatever stops follow it and however often."""
    text = " ".join(phrase.upper() + stop for stop in stops)
    assert judge_text(text) == discarded(phrase)
    assert judge([said(phrase + stop, place) for place, stop in enumerate(stops)]) == discarded(phrase)


@given(st.text(alphabet="you .!?\nabcthanks", max_size=200))
def test_plain_text_is_kept_as_it_is_or_not_at_all(text: str) -> None:
    """Nothing in between, and a reason when it is not kept."""
    heard = judge_text(text)
    if heard.transcript is None:
        assert len(heard.notes) == 1
    else:
        assert parts(heard) == (block(text), ())


def test_a_long_repetition_is_judged_in_one_look() -> None:
    """A megabyte of the same phrase with an ending that is none of it does not go through all ways to divide it."""
    many = "thank you. " * 90_000
    assert judge_text(many) == discarded("thank you")
    assert judge_text(many + "x").transcript is not None
    assert judge_text("you" + " " * 900_000 + "x").transcript is not None
