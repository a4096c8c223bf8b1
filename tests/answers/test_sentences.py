"""Where sentences end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.output.extract.sentences import LONGEST, sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is late. It is full! Is it red?", ["It is late.", "It is full!", "Is it red?"]),
        ("it is late. and full", ["it is late.", "and full"]),
        ("Really?! Yes... no doubt", ["Really?!", "Yes... no doubt"]),
        ("Wait… what? Well… No.", ["Wait… what?", "Well…", "No."]),
        ("¿Qué pasa? ¡Nada! Todo bien.", ["¿Qué pasa?", "¡Nada!", "Todo bien."]),
        ("静かです。また行く！本当？はい", ["静かです。", "また行く！", "本当？", "はい"]),
        ("「静かだ。」と言った。次", ["「静かだ。」と言った。", "次"]),
        ("マジ?これ!すごい", ["マジ?", "これ!", "すごい"]),
        ("全然足りない…。朝から並んだ", ["全然足りない…。", "朝から並んだ"]),
        ("هل هو جديد؟ نعم. جميل جداً!", ["هل هو جديد؟", "نعم.", "جميل جداً!"]),
        ("यह नया है। बहुत अच्छा।", ["यह नया है।", "बहुत अच्छा।"]),
        ('She said "it is late." Then she left.', ['She said "it is late."', "Then she left."]),
        ("Great! 🎉 Thanks all 🚋", ["Great! 🎉", "Thanks all 🚋"]),
        ("first line\nsecond line. third\n\nfourth", ["first line", "second line.", "third", "fourth"]),
        ("  spaces   around .  here ", ["spaces   around .", "here"]),
        ("", []),
        ("\n \n", []),
    ],
)
def test_a_sentence_ends_with_its_mark_or_its_line(text: str, expected: list[str]) -> None:
    """In English, Spanish, Japanese, Arabic and Hindi."""
    assert split(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "See https://e.org/a.b?c=d!e.f/ for it",
        "It cost 1.9 million, or 2,000.50 each",
        "Dr. Smith and Mrs. Jones met St. Mary",
        "Trams, buses, etc. are late",
        "It closes at 5 p.m. on Fridays",
        "Written by J. R. Smith himself",
        "La Sra. Gil y el Dr. Soto, p. ej. aquí",
        "3. the third point",
        "Node.js is fine",
        "v2.0 is out",
    ],
)
def test_marks_inside_addresses_numbers_and_abbreviations_end_nothing(text: str) -> None:
    """They stay whole."""
    assert split(text) == [text]


def test_an_overlong_sentence_is_cut_between_words() -> None:
    """No word is broken unless it is longer than that itself."""
    parts = split("word " * 300 + "end")
    assert all(len(part) <= LONGEST for part in parts)
    assert " ".join(parts) == "word " * 300 + "end"
    assert "".join(split("x" * 1200)) == "x" * 1200


parts = st.sampled_from(["a", "B", " ", "\n", ".", "!", "?", "…", "。", "」", "؟", "🎉", '"', "7", "mr"])


@given(st.lists(parts).map("".join))
def test_sentences_are_whole_ordered_parts_of_the_text(text: str) -> None:
    """They lose nothing but blanks."""
    spans = list(sentences(text))
    joined = "".join(text[start:end] for start, end in spans)
    assert "".join(joined.split()) == "".join(text.split())
    assert all(start < end for start, end in spans)
    assert spans == sorted(spans)


HOSTILE = [
    "a. " * 100_000,
    "ab. " * 70_000,
    "." * 200_000,
    "。" * 200_000,
    "x" * 200_000,
    "mr. " * 50_000,
    "a." * 99_999,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_takes_no_long_time(text: str) -> None:
    """Linear in its length; a step that is quadratic in it would run into the time limit of the test."""
    assert sum(end - start for start, end in sentences(text)) <= len(text)
