"""Whether the quotations of an answer are words that were fetched, from the post they are given to."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from twitter_tool.links import Permalink, permalink_id
from twitter_tool.notes import Note, note
from twitter_tool.output.cited_links import CitedLink, SourceIndex, folded
from twitter_tool.output.delivery import Delivery
from twitter_tool.output.passages import Claim, claims
from twitter_tool.output.scripts import UNSPACED
from twitter_tool.output.shown import NOTHING_SHOWN, Shown
from twitter_tool.output.sources import sources
from twitter_tool.output.voices import voices
from twitter_tool.text import line

MOST_CHECKED: Final = 500
MOST_NAMED: Final = 20
SHOWN: Final = 80
_APART: Final = "\x1f"
_TRIES: Final = 50
_MARKS = re.compile(
    "[\"'`*_~\\\\\xb4\xab\xbb\u2018-\u201f\u2032\u2033\u2039\u203a\u300c-\u300f\u301d-\u301f\ufe41-\ufe44]"
)
_DASHES = re.compile("[\u2010-\u2015\u2212\uff0d]")
_BLANK = re.compile(r"[^\S\x1f]+")
_BLANK_UNSPACED = re.compile(f"(?<={UNSPACED.pattern}) | (?={UNSPACED.pattern})")
_GAP = re.compile(r"[\[(]?(?:\.{3,}|\. \. \.)[\])]?")
_INSERTION = re.compile(r"\[[^\[\]]{0,60}\]")
_EDGES: Final = " .,;:!?-()[]{}/|>#\u3001\u3002\u30fb\u060c\u061b\u061f\u06d4\u0964\xa1\xbf"

Readings = Sequence[Sequence[str]]
"""The pieces of a passage between its gaps, in each way in which it may be meant."""
Verdict = Literal["verified", "elsewhere", "unverified"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A checked quotation.

    Attributes:
        text: as the answer has it, on one line, shortened.
        url: the delivered source it is attributed to, if any.
        verdict: found where it is attributed to, only ``elsewhere``, or nowhere.
        found_in: where it was found.
    """

    text: str
    url: Permalink | None
    verdict: Verdict
    found_in: Permalink | None = None


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """What became of the quotations of an answer; ``checked`` is the sum of the other two counts."""

    checked: int
    verified: int
    unverified: int
    passages: tuple[Passage, ...]
    notes: tuple[Note, ...]


def check(answer: str, delivery: Delivery, question: str, shown: Shown = NOTHING_SHOWN) -> QuoteCheck:
    """Look for every quotation of an answer in the text of the source it is attributed to.

    Checked are passages of four or more words (twelve or more characters in scripts without spaces) inside quotation
    marks or on quoted lines, the first 500 of them. Code and words of the question are exempt. A passage belongs to
    the first link to a delivered source after it in its paragraph, else to the last one before it there, else to none:
    then any delivered text will do.

    Args:
        answer: the text of the answer.
        delivery: what it was written from.
        question: the caller's question.
        shown: what the videos of the delivery say and show; words of a post's video count as words of the post.
    """
    shelf = _Shelf(delivery, shown)
    asked = fold(question)
    links = [link for link in SourceIndex(sources(delivery)).links(answer) if link.source is not None]
    found: list[Passage] = []
    for claim in claims(answer):
        readings = _readings(fold(claim.text))
        if readings and not _holds(asked, readings):
            found.append(_judged(claim, readings, links, shelf))
        if len(found) == MOST_CHECKED:
            break
    verified = sum(passage.verdict == "verified" for passage in found)
    missed = [passage for passage in found if passage.verdict != "verified"]
    notes = (note("quotes_unverified", passages=_named(missed), count=len(missed)),) if missed else ()
    return QuoteCheck(len(found), verified, len(missed), tuple(found), notes)


def fold(text: str) -> str:
    """A text without case, quotation marks, emphasis and differences of blanks, dashes, width and entities."""
    plain = unicodedata.normalize("NFKC", html.unescape(text)).casefold()
    plain = _DASHES.sub("-", _MARKS.sub("", plain))
    plain = _BLANK.sub(" ", plain).strip()
    return plain if plain.isascii() else _BLANK_UNSPACED.sub("", plain)


class _Shelf:
    """The folded delivered texts by source; a separator keeps passages from running across texts."""

    def __init__(self, delivery: Delivery, shown: Shown) -> None:
        texts: dict[str, dict[str, None]] = {}
        urls: dict[str, Permalink] = {}
        everything: dict[str, None] = {}
        for voice in voices(delivery, shown):
            said = dict.fromkeys((*(part.text for part in voice.said), *voice.beside))
            everything |= said
            for url in (voice.url, voice.outer):
                if url is not None:
                    texts.setdefault(_place(url), {}).update(said)
                    urls.setdefault(_place(url), url)
        self._texts = {place: _joined(said) for place, said in texts.items()}
        self._urls = urls
        self._everything = _joined(everything)

    def in_source(self, url: Permalink, readings: Readings) -> bool:
        """Whether the text of this source holds the passage."""
        return _holds(self._texts.get(_place(url), ""), readings)

    def anywhere(self, readings: Readings) -> tuple[bool, Permalink | None]:
        """Whether any delivered text holds the passage, and the address of the first that does."""
        for place, text in self._texts.items():
            if _holds(text, readings):
                return True, self._urls[place]
        return _holds(self._everything, readings), None


def _place(url: Permalink) -> str:
    """What links to one source have in common, however it was spelled where it was fetched."""
    return permalink_id(url) or folded(url)


def _joined(texts: Iterable[str]) -> str:
    return _APART.join(filter(None, map(fold, texts)))


def _judged(claim: Claim, readings: Readings, links: Sequence[CitedLink], shelf: _Shelf) -> Passage:
    shown = line(claim.text, SHOWN)
    urls = [url for end in claim.ends if (url := _attributed(claim, end, links)) is not None]
    for url in urls:
        if shelf.in_source(url, readings):
            return Passage(shown, url, "verified", url)
    url = urls[0] if urls else None
    found, place = shelf.anywhere(readings)
    if not found:
        return Passage(shown, url, "unverified")
    return Passage(shown, url, "verified" if url is None else "elsewhere", place)


def _attributed(claim: Claim, claimed: int, links: Sequence[CitedLink]) -> Permalink | None:
    start, end = claim.paragraph
    before: Permalink | None = None
    for link in links:
        if link.source is None or link.start < start or link.start >= end:
            continue
        if link.start >= claimed:
            return link.source.url
        before = link.source.url
    return before


def _readings(passage: str) -> Readings:
    """A folded passage as it stands; and, words between square brackets being the answer's own, without those."""
    found = [_pieces(passage)]
    if "[" in passage:
        found.append(_pieces(_INSERTION.sub("...", passage)))
    return [pieces for pieces in found if pieces]


def _pieces(passage: str) -> list[str]:
    """What stands between the gaps of a folded passage, without the punctuation at the edges."""
    parts = (part.strip(_EDGES) for part in _GAP.split(passage))
    return [part for part in parts if any(map(str.isalnum, part))]


def _holds(text: str, readings: Readings) -> bool:
    return any(_in_order(text, pieces) for pieces in readings)


def _in_order(text: str, pieces: Sequence[str]) -> bool:
    position = 0
    for piece in pieces:
        at = _find(text, piece, position)
        if at < 0:
            return False
        position = at + len(piece)
    return True


def _find(text: str, piece: str, position: int) -> int:
    """Where a piece stands as whole words: ``like it`` is not in ``dislike it``."""
    for _ in range(_TRIES):
        at = text.find(piece, position)
        if at < 0 or (_bounded(text, at - 1, piece[0]) and _bounded(text, at + len(piece), piece[-1])):
            return at
        position = at + 1
    return -1


def _bounded(text: str, neighbour: int, edge: str) -> bool:
    if not 0 <= neighbour < len(text) or not edge.isalnum() or UNSPACED.match(edge):
        return True
    return not text[neighbour].isalnum() or UNSPACED.match(text[neighbour]) is not None


def _named(missed: Sequence[Passage]) -> list[str]:
    shown = []
    for passage in missed[:MOST_NAMED]:
        place = f" (found in {passage.found_in} instead)" if passage.found_in else ""
        if passage.verdict == "elsewhere" and not place:
            place = " (found in another fetched text)"
        shown.append(f"\u201c{passage.text}\u201d{place}")
    return shown
