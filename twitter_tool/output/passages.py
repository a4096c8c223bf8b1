"""Passages of an answer that claim to be somebody's words, and the paragraphs in which they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from twitter_tool.output.scripts import UNSPACED, unspaced_count

LEAST_WORDS: Final = 4
LEAST_CHARACTERS: Final = 12
LONGEST: Final = 4000
_MARKS_LOOKED_AT: Final = 100

_FENCE = re.compile(r"^(?:```|~~~)[^\n]*\n.*?(?:^(?:```|~~~)[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(?<!`)`(?!`)[^`\n]{0,1000}(?<!`)`(?!`)|``[^\n]{0,1000}?``")
_QUOTE_LINE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?((?:>[ \t]?)+)(.*)")
_NEW_BLOCK = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]|#{1,6}[ \t]")
_NEVER_QUOTED = re.compile(r"!?\[[^\]\n]{0,300}\]\(https?://[^\s)]{0,2000}\)|<?https?://[^\s>]+>?")
_NAMED_BEFORE = re.compile(r"^\W{0,4}@\w{1,15}\W{0,4}?[^:\n]{0,60}:\s+")
_NAMED_AFTER = re.compile(
    r"[\s*_]{0,4}(?:[\u2012-\u2015(\[\"\u201d\xbb\u300d]|--?)[\s*_(\[]{0,4}@\w{1,15}\b[^\n]{0,80}$"
)
_PAIRS: Final = {
    '"': '"',
    "'": "'",
    "\u201c": "\u201d",
    "\u2018": "\u2019",
    "\u201e": "\u201c\u201d",
    "\u201a": "\u2018\u2019",
    "\xab": "\xbb",
    "\u2039": "\u203a",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    "\ufe41": "\ufe42",
    "\ufe43": "\ufe44",
}
_ANY_MARK = re.compile("[" + "".join(_PAIRS) + "".join(_PAIRS.values()) + "]")


@dataclass(frozen=True, slots=True)
class Claim:
    """A passage given as a quotation.

    Attributes:
        text: its words.
        ends: where links that follow it begin: behind its marks; for a quoted line both at its start and behind it,
            since a link on the line may tell its origin or be one of its words.
        paragraph: where its paragraph stands.
    """

    text: str
    ends: tuple[int, ...]
    paragraph: tuple[int, int]


def claims(answer: str) -> Iterator[Claim]:
    """Every passage in quotation marks or on a quoted line that is long enough to be checked, in order."""
    text = _FENCE.sub(_blank, answer)
    text = _CODE.sub(_gap, text)
    for paragraph in _paragraphs(text):
        yield from _of_paragraph(text, paragraph)


def long_enough(passage: str) -> bool:
    """Four words, or twelve characters of a script that is written without spaces."""
    if unspaced_count(passage) >= LEAST_CHARACTERS:
        return True
    return sum(any(map(str.isalnum, word)) for word in UNSPACED.sub("", passage).split()) >= LEAST_WORDS


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def _gap(match: re.Match[str]) -> str:
    """Code inside a passage is a gap in it."""
    return "\u2026".ljust(len(match.group()))


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Blocks between blank lines; a list item or heading begins one, except right below quoted lines."""
    start, position, quoting = 0, 0, False
    for line in text.split("\n"):
        end = position + len(line)
        if not line.strip() or (_NEW_BLOCK.match(line) and not quoting):
            if position > start:
                yield start, position
            start = position
        quoting = _QUOTE_LINE.fullmatch(line) is not None
        position = end + 1
    if len(text) > start:
        yield start, len(text)


def _of_paragraph(text: str, paragraph: tuple[int, int]) -> Iterator[Claim]:
    start, end = paragraph
    running: list[tuple[int, int]] = []
    position = start
    for line in text[start:end].split("\n"):
        quoted = _QUOTE_LINE.fullmatch(line)
        if quoted is None:
            if running and running[-1][1] == position:
                running[-1] = (running[-1][0], position + len(line) + 1)
            else:
                running.append((position, position + len(line) + 1))
        else:
            words = _only_quoted(quoted.group(2)) if len(line) <= LONGEST else ""
            if long_enough(words):
                yield Claim(words, (position, position + len(line)), paragraph)
        position += len(line) + 1
    for first, last in running:
        for opening, closing in _marked(text, first, min(last, end)):
            words = text[opening + 1 : closing]
            if long_enough(words):
                yield Claim(words, (closing + 1,), paragraph)


def _only_quoted(line: str) -> str:
    """A quoted line without the names that tell whose words it holds; links, its own or the author's, are gaps."""
    words = _NEVER_QUOTED.sub(" \u2026 ", line)
    return _NAMED_AFTER.sub("", _NAMED_BEFORE.sub("", words.rstrip(" ()[]<>\u2026"))).strip()


def _marked(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Positions of opening and closing marks, outermost pairs only."""
    marks = [match.start() for match in _ANY_MARK.finditer(text, start, end)]
    index = 0
    while index < len(marks):
        opening = marks[index]
        index += 1
        if not _opens(text, opening, start):
            continue
        closers = _PAIRS[text[opening]]
        for later in range(index, min(index + _MARKS_LOOKED_AT, len(marks))):
            closing = marks[later]
            if closing - opening > LONGEST:
                break
            if text[closing] in closers and _ends(text, closing, end):
                yield opening, closing
                index = later + 1
                break


def _opens(text: str, at: int, start: int) -> bool:
    mark = text[at]
    if mark not in _PAIRS or at + 1 >= len(text) or (text[at + 1].isspace() and mark not in "\xab\u2039"):
        return False
    before = text[at - 1] if at > start else " "
    if mark == "'":
        return not text[at + 1].isdigit() and (before.isspace() or before in "([{-\u2013\u2014:*_")
    return mark != '"' or not before.isalnum() or UNSPACED.match(before) is not None


def _ends(text: str, at: int, end: int) -> bool:
    mark = text[at]
    if mark not in "\"'\u2019":
        return True
    after = text[at + 1] if at + 1 < end else " "
    return not text[at - 1].isspace() and (not after.isalnum() or UNSPACED.match(after) is not None)
