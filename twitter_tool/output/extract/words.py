"""Texts as index words, and a question as the terms that its answer should hold.

A text of a script with spaces gives one word each; Arabic words lose article, particles and endings, others (not
English, which the index stems itself) lose plural and gender endings. Japanese, Chinese, Thai and Korean give
overlapping pairs of characters, so that a term is found whatever stands around it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from twitter_tool.output.extract.clips import CLIP_WORDS, Sought, sought_in_clips
from twitter_tool.output.extract.stopwords import CONTAINERS, COUNTING, STOPWORDS, UNSPACED_STOPS, Tongue
from twitter_tool.output.scripts import HIRAGANA, IDEOGRAPHS, KATAKANA, SOUTH_EAST_ASIAN, UNSPACED

LONGEST_QUESTION: Final = 2000
MOST_TERMS: Final = 32
MOST_KEYS: Final = 24
_HANGUL: Final = "\uac00-\ud7a3"
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]"
)
_RUNS = re.compile(
    f"(?P<pairs>[{IDEOGRAPHS}{HIRAGANA}{KATAKANA}{SOUTH_EAST_ASIAN}{_HANGUL}]+)|(?P<word>[^\\s{IDEOGRAPHS}{HIRAGANA}"
    f"{KATAKANA}{SOUTH_EAST_ASIAN}{_HANGUL}]+)"
)
_CHUNK = re.compile(f"[{IDEOGRAPHS}]+|[{HIRAGANA}]+|[{KATAKANA}]+|[{SOUTH_EAST_ASIAN}]+|[{_HANGUL}]+")
_IS_HIRAGANA = re.compile(f"[{HIRAGANA}]+")
_IS_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
_STOP_STRINGS = re.compile("|".join(map(re.escape, UNSPACED_STOPS)))
_ARABIC = re.compile("[\u0621-\u064a\u0671-\u06d3]{2,}")
_ARABIC_HEADS: Final = (*("وال", "بال", "كال", "فال", "ولل", "ال", "لل"), "و")
_ARABIC_TAILS: Final = (*("ها", "ان", "ات", "ون", "ين", "يه", "تها"), "ه", "ي")
_LIGHT_TAILS: Final = ("es", "os", "as", "is", "a", "o", "e", "s", "i")
_HANDLE = re.compile(r"(?<![\w@])@([A-Za-z0-9_]{1,15})\b")


@dataclass(frozen=True, slots=True)
class Term:
    """One thing a question asks about.

    Attributes:
        folded: without case and accents.
        keys: its index words; one for a word, several overlapping ones for a run of characters.
        written: as the question has it.
    """

    folded: str
    keys: tuple[str, ...]
    written: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    Attributes:
        tongue: the language whose small words were left out and whose endings are dropped.
        terms: what it asks about, in order; none for a question about everything.
        handles: the accounts it names, in lower case.
        counts: it asks for a number.
        clips: where in videos to look for the answer first, when it asks for what is said or shown in one.
    """

    tongue: Tongue
    terms: tuple[Term, ...]
    handles: frozenset[str]
    counts: bool
    clips: Sought = ()

    def of_clips(self) -> Question:
        """The same question put to the words of videos: they are not about videos."""
        return replace(self, terms=tuple(term for term in self.terms if term.folded not in CLIP_WORDS))


def understood(question: str) -> Question:
    """The terms of a question, at most 32 from its first 2,000 characters."""
    asked = _ADDRESS.sub(" ", question[:LONGEST_QUESTION])
    handles = frozenset(name.lower() for name in _HANDLE.findall(asked))
    asked = _HANDLE.sub(" ", asked)
    tongue = _tongue(asked)
    written = {fold(word): word for word in re.findall(r"\w+", asked)}
    terms: dict[tuple[str, ...], Term] = {}
    for term in _terms(asked, tongue):
        terms.setdefault(term.keys, term)
    found = tuple(terms.values())
    # "What does the article say about bees?" is about bees; "How long is the article?" has nothing else to go by.
    found = tuple(term for term in found if term.folded not in CONTAINERS) or found
    found = tuple(Term(term.folded, term.keys, written.get(term.folded, term.folded)) for term in found[:MOST_TERMS])
    folded = fold(asked)
    understanding = Question(tongue, found, handles, COUNTING.search(folded) is not None)
    return replace(understanding, clips=sought_in_clips(folded, understanding.of_clips().terms))


def index_words(text: str, tongue: Tongue) -> str:
    """A text as index words separated by blanks; fields and hashtags are taken apart at their humps."""
    found: list[str] = []
    for match in _RUNS.finditer(_prepared(text)):
        if match.lastgroup == "pairs":
            found += _keys(match.group(), singles=True)
        else:
            found.append(_stem(match.group(), tongue))
    return " ".join(found)


def fold(text: str) -> str:
    """A text without case, accents, vowel signs of Arabic and Hebrew, and differences of width."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    if plain.isascii():
        return plain
    plain = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", plain)))
    return plain.replace("\u0649", "\u064a").replace("\u0629", "\u0647")


def _prepared(text: str) -> str:
    return fold(_HUMP.sub(" ", _ADDRESS.sub(" ", text))).translate(_APART)


def _terms(asked: str, tongue: Tongue) -> Iterator[Term]:
    stops = STOPWORDS[tongue]
    for match in _RUNS.finditer(_prepared(asked)):
        run = match.group()
        if match.lastgroup == "word":
            if run not in stops and (len(run) > 1 or run.isdigit() or not run.isascii()):
                yield Term(run, (_stem(run, tongue),))
            continue
        for part in _STOP_STRINGS.split(run):
            yield from _chunks(part)


def _chunks(run: str) -> Iterator[Term]:
    """Runs of one script; an ideograph on its own takes the syllable behind it along, small syllables say nothing."""
    chunks = list(_CHUNK.finditer(run))
    for position, match in enumerate(chunks):
        chunk = match.group()
        if _IS_HIRAGANA.fullmatch(chunk):
            # Between ideographs these are endings and particles; on their own they may be a word.
            if len(chunk) >= 3 and position == 0:
                yield Term(chunk, tuple(_keys(chunk)[:MOST_KEYS]))
        elif len(chunk) == 1 and _IS_IDEOGRAPH.match(chunk):
            follows = run[match.end() : match.end() + 1]
            if _IS_HIRAGANA.match(follows) and follows not in "はがをにでとのもへや":
                yield Term(chunk + follows, (chunk + follows,))
            else:
                yield Term(chunk, (chunk,))
        else:
            yield Term(chunk, tuple(_keys(chunk)[:MOST_KEYS]))


def _keys(run: str, *, singles: bool = False) -> list[str]:
    """Overlapping pairs of a run; for the index also its single ideographs."""
    if len(run) == 1:
        return [run]
    pairs = [run[index : index + 2] for index in range(len(run) - 1)]
    return pairs + [char for char in run if _IS_IDEOGRAPH.match(char)] if singles else pairs


def _stem(word: str, tongue: Tongue) -> str:
    if _ARABIC.fullmatch(word):
        return _arabic_stem(word)
    if tongue == "en" or not word.isalpha() or len(word) < 5 or UNSPACED.match(word):
        return word
    tail = next((tail for tail in _LIGHT_TAILS if word.endswith(tail) and len(word) - len(tail) >= 3), "")
    return word[: len(word) - len(tail)]


def _arabic_stem(word: str) -> str:
    for head in _ARABIC_HEADS:
        if word.startswith(head) and len(word) - len(head) >= (3 if head == "و" else 2):
            word = word[len(head) :]
            break
    for tail in _ARABIC_TAILS:
        if word.endswith(tail) and len(word) - len(tail) >= 3:
            return word[: -len(tail)]
    return word


def _tongue(asked: str) -> Tongue:
    """The language with the most small words in a question, English in doubt."""
    words = _prepared(asked).split()
    if any(_ARABIC.fullmatch(word) for word in words):
        return "ar"
    if not any(word.isalpha() and word[0] < "\u0250" for word in words):
        return "other"
    tongues: tuple[Tongue, ...] = ("en", "es", "pt", "fr", "de")
    counts = {tongue: sum(word in STOPWORDS[tongue] for word in words) for tongue in tongues}
    return max(tongues, key=lambda tongue: counts[tongue])


class _Apart(dict[int, str | int]):
    """Translation of everything that is no letter, number or mark into a blank."""

    def __missing__(self, code: int) -> str | int:
        value: str | int = code if unicodedata.category(chr(code))[0] in "LNM" else " "
        self[code] = value
        return value


_APART: Final = _Apart()
