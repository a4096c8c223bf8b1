"""Forty labelled questions in four languages over invented posts: how often the answer that quotes is right.

The posts and labels were written before the ranking. Questions of the half ``seen`` were looked at while it was made,
those of the half ``held`` were not. A quoted sentence is right when a reader who asked this would want to see it. The
floors are what was reached; a change may only raise them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import pytest
from answer_samples import post, posts

from twitter_tool.output.extract.sentences import sentences
from twitter_tool.output.extractive import extract

CORPUS = Path(__file__).parent / "corpus"
LANGUAGES = ("en", "es", "ja", "ar")


@dataclass
class Figures:
    """Right and all quoted sentences; answered and all answerable questions; abstentions and all unanswerable ones."""

    right: int = 0
    quoted: int = 0
    answered: int = 0
    answerable: int = 0
    abstained: int = 0
    unanswerable: int = 0

    def __add__(self, other: Figures) -> Figures:
        return Figures(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    @property
    def precision(self) -> float:
        return self.right / self.quoted

    def __str__(self) -> str:
        return (
            f"precision {self.right}/{self.quoted} = {self.precision:.2f}, answered {self.answered}/{self.answerable}, "
            f"abstained {self.abstained}/{self.unanswerable}"
        )


def read(language: str) -> dict[str, Any]:
    return json.loads((CORPUS / f"{language}.json").read_text(encoding="utf-8"))


def measured(language: str, half: str) -> Figures:
    corpus = read(language)
    fetched = posts(*(post(n, said, handle=handle) for n, (handle, said) in enumerate(corpus["posts"], 1)))
    total = Figures()
    for question in corpus["questions"]:
        if question["half"] == half:
            found = extract(question["ask"], fetched)
            told = list(quoted(found.text))
            right = sum(any(label in sentence for label in question["right"]) for sentence in told)
            wanted = bool(question["right"])
            total += Figures(
                right,
                len(told),
                wanted and not found.abstained,
                wanted,
                not wanted and found.abstained,
                not wanted,
            )
    return total


def quoted(answer: str) -> Iterator[str]:
    for line in answer.split("\n"):
        if line.startswith("> "):
            yield from (line[2:][start:end] for start, end in sentences(line[2:]))


def test_the_labelled_set_is_whole() -> None:
    """Ten questions a language, a quarter of all without an answer, half of them held out, every label in a post."""
    questions = [(language, question) for language in LANGUAGES for question in read(language)["questions"]]
    assert len(questions) == 40
    assert sum(not question["right"] for _, question in questions) == 10
    assert sum(question["half"] == "held" for _, question in questions) == 20
    for language, question in questions:
        told = [said for _, said in read(language)["posts"]]
        assert all(any(label in said for said in told) for label in question["right"])


def test_quotations_are_right_as_often_as_was_reached(capsys: pytest.CaptureFixture[str]) -> None:
    """Overall, and in the half that was held out."""
    halves = {half: {language: measured(language, half) for language in LANGUAGES} for half in ("seen", "held")}
    overall = {language: halves["seen"][language] + halves["held"][language] for language in LANGUAGES}
    seen, unseen = (sum(halves[half].values(), Figures()) for half in ("seen", "held"))
    with capsys.disabled():
        for name, figures in (*overall.items(), ("seen", seen), ("held out", unseen), ("all", seen + unseen)):
            print(f"\n{name}: {figures}", end="")
    every = seen + unseen
    assert every.precision >= 0.84
    assert every.abstained >= 9
    assert every.answered >= 21
    assert unseen.precision >= 0.66
    assert unseen.abstained >= 5
    for language, precision in {"en": 0.66, "es": 1, "ja": 1, "ar": 0.86}.items():
        assert overall[language].precision >= precision
