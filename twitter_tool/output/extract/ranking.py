"""How well each sentence answers a question: which of its terms it holds, how near to each other, and in which post.

An index in memory finds the words. In a small delivery a word's rarity tells little, so that the share of the
question's terms decides, and the index's own measure only orders what is equal.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Final

from twitter_tool.output.extract.candidates import Sentence
from twitter_tool.output.extract.stopwords import SMALL_WORDS
from twitter_tool.output.extract.words import Question, Term, index_words
from twitter_tool.output.voices import Voice

LEAST: Final = 0.5
"""The share of a question's terms, by weight, below which a sentence says nothing about it."""
NEAR_BEST: Final = 0.5
"""A sentence is quoted beside the best one from this part of its score on."""
_COMMON: Final = 0.65  # how much less a term counts that every post has
_AROUND: Final = 0.5  # what a term counts that only a sentence near by in the same text has
_REACH: Final = 2
_ASKING: Final = 0.8
_PARENT: Final = 0.9  # the post that the others answer
_COUNTING: Final = 0.85  # a sentence without a number, when one is asked for
_COUNTING_FIELD: Final = 0.4
_NEAR: Final = 6
_FEWEST: Final = 5  # words of a sentence that stands for many
_CATEGORIES: Final = "categories 'L* N* Co Mn Mc'"


@dataclass(frozen=True, slots=True)
class Hit:
    """A sentence that answers, the better the higher its score."""

    sentence: Sentence
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits with the best first, and the terms of the question that no delivered text has."""

    hits: tuple[Hit, ...]
    missing: tuple[str, ...] = ()


def rank(question: Question, sentences: Sequence[Sentence], voices: Sequence[Voice]) -> Ranking:
    """The sentences worth quoting: about the question's terms, or, when it names none, the most typical ones."""
    words = [index_words(sentence.sought, question.tongue) for sentence in sentences]
    if not question.terms:
        return Ranking(_typical(sentences, words))
    with closing(sqlite3.connect(":memory:")) as database:
        index = _Index(database, words, english=question.tongue == "en")
        return _matching(question, sentences, voices, index)


def in_order(sentences: Sequence[Sentence]) -> tuple[Hit, ...]:
    """All of these sentences, one as good as the other, in the order in which they were said."""
    return tuple(Hit(sentence, 1.0) for sentence in sentences)


class _Index:
    """Index words of numbered sentences, searched word by word."""

    def __init__(self, database: sqlite3.Connection, words: Iterable[str], *, english: bool) -> None:
        self._run = database.execute
        tokenizer = f"{'porter ' if english else ''}unicode61 remove_diacritics 2 {_CATEGORIES}".replace("'", "''")
        self._run(f"CREATE VIRTUAL TABLE said USING fts5(words, tokenize = '{tokenizer}')")
        database.executemany("INSERT INTO said(rowid, words) VALUES (?, ?)", enumerate(words))

    def having(self, key: str) -> frozenset[int]:
        """The numbers of the sentences with this index word."""
        return frozenset(row for (row,) in self._run("SELECT rowid FROM said WHERE said MATCH ?", (_quoted(key),)))

    def together(self, one: str, other: str) -> frozenset[int]:
        """The numbers of the sentences with both words near each other."""
        query = f"NEAR({_quoted(one)} {_quoted(other)}, {_NEAR})"
        return frozenset(row for (row,) in self._run("SELECT rowid FROM said WHERE said MATCH ?", (query,)))

    def measures(self, keys: Sequence[str]) -> dict[int, float]:
        """The index's own measure of each sentence that has any of these words, between 0 and 1."""
        query = " OR ".join(map(_quoted, keys))
        rows = list(self._run("SELECT rowid, bm25(said) FROM said WHERE said MATCH ?", (query,)))
        best = min((value for _, value in rows), default=0.0) or -1.0
        return {row: value / best for row, value in rows}


def _matching(question: Question, sentences: Sequence[Sentence], voices: Sequence[Voice], index: _Index) -> Ranking:
    places: dict[int, list[int]] = {}
    for number, sentence in enumerate(sentences):
        places.setdefault(sentence.voice, []).append(number)
    degrees = [_degrees(term, index) for term in question.terms]
    weights = [_weight(found, sentences, len(places)) for found in degrees]
    missing = tuple(term.written for term, found in zip(question.terms, degrees, strict=True) if not found)
    measures = index.measures([key for term in question.terms for key in term.keys])
    near = _nearness(question.terms, index)
    scores: dict[int, float] = {}
    for numbers in places.values():
        for place, number in enumerate(numbers):
            own = _coverage((found.get(number, 0.0) for found in degrees), weights)
            if own == 0:
                continue
            around = numbers[max(0, place - _REACH) : place + _REACH + 1]
            whole = _coverage((max(found.get(n, 0.0) for n in around) for found in degrees), weights)
            if own + _AROUND * (whole - own) < LEAST:
                continue
            score = own + _AROUND * (whole - own) + 0.1 * measures.get(number, 0.0) + 0.1 * near.get(number, 0.0)
            scores[number] = score * _worth(question, sentences[number], voices)
    best = max(scores.values(), default=0.0)
    order = sorted(
        (number for number in scores if scores[number] >= NEAR_BEST * best > 0), key=lambda n: (-scores[n], n)
    )
    return Ranking(tuple(Hit(sentences[n], scores[n]) for n in order), missing)


def _worth(question: Question, sentence: Sentence, voices: Sequence[Voice]) -> float:
    """Questions answer less than statements, and one that is answered by the posts read not at all."""
    voice = voices[sentence.voice]
    if sentence.asks:
        return 0 if voice.parent else _ASKING
    worth = _PARENT if voice.parent else 1
    if not question.counts:
        return worth
    if voice.said[sentence.part].kind == "field":
        return worth if any(map(str.isdigit, sentence.text.partition(": ")[2])) else worth * _COUNTING_FIELD
    return worth if any(map(str.isdigit, sentence.sought)) else worth * _COUNTING


def _degrees(term: Term, index: _Index) -> dict[int, float]:
    """How much of a term each sentence has; less than half of it is nothing."""
    counts: Counter[int] = Counter()
    for key in term.keys:
        counts.update(index.having(key))
    return {number: count / len(term.keys) for number, count in counts.items() if 2 * count >= len(term.keys)}


def _weight(found: dict[int, float], sentences: Sequence[Sentence], voices: int) -> float:
    share = len({sentences[number].voice for number in found}) / max(1, voices)
    return 1 - _COMMON * share


def _coverage(degrees: Iterable[float], weights: Sequence[float]) -> float:
    return sum(degree * weight for degree, weight in zip(degrees, weights, strict=True)) / sum(weights)


def _nearness(terms: Sequence[Term], index: _Index) -> dict[int, float]:
    pairs = [(one.keys[-1], other.keys[0]) for one, other in pairwise(terms)]
    counts: Counter[int] = Counter()
    for one, other in pairs:
        counts.update(index.together(one, other))
    return {number: count / len(pairs) for number, count in counts.items()}


def _typical(sentences: Sequence[Sentence], words: Sequence[str]) -> tuple[Hit, ...]:
    """Sentences by how much their words are those of other posts too."""
    told = [frozenset(word for word in text.split() if len(word) > 1 and word not in SMALL_WORDS) for text in words]
    place = {sentence: number for number, sentence in enumerate(sentences)}
    voices: dict[str, set[int]] = {}
    for sentence, own in zip(sentences, told, strict=True):
        for word in own:
            voices.setdefault(word, set()).add(sentence.voice)
    hits = [
        Hit(sentence, sum(len(voices[word]) - 1 for word in own) / sqrt(len(own) + 4))
        for sentence, own in zip(sentences, told, strict=True)
        if own and not sentence.asks
    ]
    telling = [hit for hit in hits if len(told[place[hit.sentence]]) >= _FEWEST]
    return tuple(sorted(telling or hits, key=lambda hit: -hit.score))


def _quoted(key: str) -> str:
    return '"' + key.replace('"', '""') + '"'
