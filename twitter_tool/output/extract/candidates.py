"""The sentences of a delivery that may be quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from twitter_tool.output.extract.sentences import LONGEST, sentences
from twitter_tool.output.voices import MOMENT, Part, Voice

MOST_SENTENCES: Final = 20_000
_ADDRESSED: Final = re.compile(r"(?:@\w{1,15}\s+)+")  # the accounts a reply begins with
_NUMBERED: Final = re.compile(r"[^:]*: (?:\d{9,}|https?://\S*)")  # fields that only name something


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, field or heading, word for word: ``voices[voice].said[part].text[start:end]``."""

    voice: int
    part: int
    start: int
    end: int
    text: str

    @property
    def asks(self) -> bool:
        """Whether it is a question itself."""
        return self.text.rstrip("\"')]\u201d\u2019\xbb\u300d\u300f ").endswith(("?", "\uff1f", "\u061f"))

    @property
    def sought(self) -> str:
        """What of it a question is compared with; the second at which words were spoken says nothing about them."""
        return self.text[moment.end() :] if (moment := MOMENT.match(self.text)) else self.text


def candidates(voices: Sequence[Voice]) -> list[Sentence]:
    """All sentences in reading order, the same text once, at most 20,000."""
    found: dict[str, Sentence] = {}
    for number, voice in enumerate(voices):
        for place, part in enumerate(voice.said):
            for start, end in _spans(part):
                words = part.text[start:end]
                if any(map(str.isalnum, words)):
                    found.setdefault(words, Sentence(number, place, start, end, words))
            if len(found) >= MOST_SENTENCES:
                return list(found.values())[:MOST_SENTENCES]
    return list(found.values())


def addressed(text: str, position: int) -> int:
    """Where the words begin, behind the accounts that a reply names first."""
    found = _ADDRESSED.match(text, position)
    return found.end() if found else position


def _spans(part: Part) -> list[tuple[int, int]]:
    if part.kind == "transcript":
        return list(_spoken(part.text))
    if part.kind != "text":
        return [] if part.kind == "field" and _NUMBERED.fullmatch(part.text) else [(0, len(part.text))]
    begin = addressed(part.text, 0)
    return [(begin + start, begin + end) for start, end in islice(sentences(part.text[begin:]), MOST_SENTENCES)]


def _spoken(text: str) -> Iterator[tuple[int, int]]:
    """Lines of a transcript: one with its second stays whole, so that whoever reads it finds the place in the clip."""
    position = 0
    for line in text.split("\n"):
        if MOMENT.match(line) and len(line) <= LONGEST:
            yield position, position + len(line)
        else:
            yield from ((position + start, position + end) for start, end in sentences(line))
        position += len(line) + 1
