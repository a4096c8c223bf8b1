"""Which hits are quoted: no two that say nearly the same, not one author only, neighbours together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from twitter_tool.output.extract.candidates import addressed
from twitter_tool.output.extract.ranking import Hit
from twitter_tool.output.extract.stopwords import SMALL_WORDS
from twitter_tool.output.extract.words import index_words
from twitter_tool.output.voices import MOMENT, OF_VIDEOS, Part, PartKind, Voice

MOST_QUOTED: Final = 6
MOST_BY_ONE: Final = 2
MOST_SPOKEN: Final = 12
"""Lines of a transcript are shorter than sentences of posts."""
WHOLE_LINE: Final = 140
_LOOKED_AT: Final = 300
_ALIKE: Final = 0.6
_AGAIN: Final = 0.8  # what a further sentence by the same author is worth


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words of one voice, word for word.

    Attributes:
        whole: it says nothing else, and so does no other video of it when the words are from a video.
        kind: of what they are a part.
    """

    voice: Voice
    text: str
    whole: bool
    kind: PartKind = "text"


def chosen(
    hits: Sequence[Hit],
    voices: Sequence[Voice],
    *,
    by_one: int = MOST_BY_ONE,
    most: int = MOST_QUOTED,
    gapless: bool = False,
) -> list[Quotation]:
    """At most six sentences as quotations, the best first; neighbours in a text are one quotation.

    Args:
        by_one: the most sentences of one author.
        most: the most sentences.
        gapless: quote also what says nearly the same as another sentence.
    """
    left = list(hits[:_LOOKED_AT])
    authors: Counter[str] = Counter()
    taken: list[Hit] = []
    told: list[frozenset[str]] = []
    while left and len(taken) < most:
        best = max(left, key=lambda hit: hit.score * _AGAIN ** authors[_author(hit, voices)])
        left.remove(best)
        author = _author(best, voices)
        line = MOMENT.sub("", _quotation([best], voices).text)
        words = frozenset(index_words(line, "other").split()) - SMALL_WORDS
        if authors[author] >= by_one or (not gapless and any(_alike(words, other) for other in told)):
            continue
        authors[author] += 1
        taken.append(best)
        told.append(words)
    return [_quotation(group, voices) for group in _neighbours(taken, voices)]


def _author(hit: Hit, voices: Sequence[Voice]) -> str:
    voice = voices[hit.sentence.voice]
    return (voice.handle or voice.url or str(hit.sentence.voice)).lower()


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE * len(one | other)


def _neighbours(hits: Sequence[Hit], voices: Sequence[Voice]) -> list[list[Hit]]:
    groups: list[list[Hit]] = []
    for hit in hits:
        home = next((group for group in groups if any(_adjoin(hit, other, voices) for other in group)), None)
        if home is None:
            groups.append([hit])
        else:
            home.append(hit)
    return groups


def _adjoin(one: Hit, other: Hit, voices: Sequence[Voice]) -> bool:
    first, second = sorted((one.sentence, other.sentence), key=lambda sentence: sentence.start)
    if (first.voice, first.part) != (second.voice, second.part):
        return False
    return not voices[first.voice].said[first.part].text[first.end : second.start].strip()


def _quotation(hits: Sequence[Hit], voices: Sequence[Voice]) -> Quotation:
    """The words from the first to the last hit; in a short text the whole line, which a cut could turn around."""
    sentences = [hit.sentence for hit in hits]
    first = sentences[0]
    voice = voices[first.voice]
    part = voice.said[first.part]
    text = part.text
    start, end = min(s.start for s in sentences), max(s.end for s in sentences)
    opened, closed = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    opened, closed = addressed(text, opened), closed if closed >= 0 else len(text)
    if closed - opened <= WHOLE_LINE:
        start, end = opened, closed
    whole = start <= addressed(text, 0) and end == len(text) and len(_of_a_kind(voice, part)) == 1
    return Quotation(voice, text[start:end].strip(), whole, part.kind)


def _of_a_kind(voice: Voice, part: Part) -> list[Part]:
    """What the voice says in the same way: by itself, or in transcripts or notes of its videos."""
    if part.kind in OF_VIDEOS:
        return [other for other in voice.said if other.kind == part.kind]
    return [other for other in voice.said if other.kind not in OF_VIDEOS]
