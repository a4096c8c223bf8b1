"""What a question is taken to ask about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.output.extract.words import MOST_TERMS, fold, index_words, understood


def terms(question: str) -> list[str]:
    return [term.written for term in understood(question).terms]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do people say about the new tram line?", ["new", "tram", "line"]),
        ("¿Qué dice la gente de la nueva línea de tranvía?", ["nueva", "línea", "tranvía"]),
        ("Que pensent les gens du nouveau tramway ?", ["nouveau", "tramway"]),
        ("Was sagen die Leute über die neue Bahn?", ["neue", "Bahn"]),
        ("O que as pessoas dizem sobre o bonde?", ["bonde"]),
        ("ماذا يقول الناس عن حديقة الواحة؟", ["حديقة", "الواحة"]),
        ("新しい図書館について人々は何と言っていますか？", ["新し", "図書館"]),
        ("人们对新电车有什么看法？", ["新电车"]),
        ("What about Line 7?", ["Line", "7"]),
        ("What does the article say about bees?", ["bees"]),
        ("What is the article?", ["article"]),
        ("See https://e.org/tram about it", []),
        ("Summarise the main points", []),
        ("", []),
        ("?!… 🎉", []),
    ],
)
def test_only_what_a_question_is_about_is_looked_for(question: str, expected: list[str]) -> None:
    """Small words, words of asking and addresses say nothing about it."""
    assert terms(question) == expected


def test_named_accounts_are_no_terms() -> None:
    """They tell whose words are asked for."""
    asked = understood("What does @Ann_1 think of @bob's tram? Mail me@e.org")
    assert asked.handles == {"ann_1", "bob"}
    assert "tram" in terms("What does @Ann_1 think of @bob's tram?")
    assert "Ann_1" not in terms("What does @Ann_1 think of @bob's tram?")


@pytest.mark.parametrize(
    "question", ["How many trams?", "¿Cuánto cuesta?", "いくらですか", "何人いますか", "كم السعر؟", "多少钱"]
)
def test_a_question_for_a_number_is_recognised(question: str) -> None:
    """In several languages."""
    assert understood(question).counts
    assert not understood("Who is it?").counts


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        ("TRANVÍA", "tranvia", "¿tranvía?"),
        ("concierto", "conciertos", "¿Qué concierto?"),
        ("الحديقة", "حديقة", "حديقة"),
        ("للدخول", "الدخول", "الدخول"),
        ("كُتُب", "كتب", "كتب"),
        ("ＡＢＣ", "abc", "abc"),
        ("#TramTalk", "tram talk", "tram"),
        ("accountBasedIn", "account based in", "where"),
    ],
)
def test_spellings_of_one_word_are_one_index_word(one: str, other: str, question: str) -> None:
    """Case, accents, articles, endings and humps do not matter."""
    tongue = understood(question).tongue
    assert index_words(one, tongue) == index_words(other, tongue)


def test_a_run_of_characters_is_found_whatever_stands_around_it() -> None:
    """As overlapping pairs, and single ideographs."""
    found = index_words("自習室の席", "other").split()
    assert {"自習", "習室", "席"} <= set(found)


@given(st.text(), st.text())
def test_any_text_can_be_taken_apart(question: str, text: str) -> None:
    """Bounded, and with index words of letters, numbers and marks only."""
    asked = understood(question)
    assert len(asked.terms) <= MOST_TERMS
    words = index_words(text, asked.tongue)
    assert all(not word.isspace() and '"' not in word for word in words.split())
    assert fold(fold(text)) == fold(fold(fold(text)))
