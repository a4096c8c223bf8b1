"""Where sentences end in posts of many languages; addresses, numbers and abbreviations stay whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from twitter_tool.output.scripts import UNSPACED

LONGEST: Final = 500
"""Characters; a longer sentence is cut between words."""

_CLOSERS: Final = "\"')\\]\u201d\u2019\xbb\u203a\u300d\u300f\uff09"
_EMOJI: Final = "\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d"
_END = re.compile(
    f"(?P<wide>[\u3002\uff01\uff1f\uff0e\uff61]+[{_CLOSERS}\u3002\uff01\uff1f]*)"
    f"|(?P<plain>[.!?\u2026\u061f\u06d4\u0964\u203c\u2047-\u2049]+[{_CLOSERS}]*)(?=\\s|\\Z|[{_EMOJI}]|{UNSPACED.pattern})"
)
_TAIL = re.compile(f"[ ]?[{_EMOJI}]+")
_NEVER_LAST: Final = (
    "mr mrs ms dr prof st sr sra srta jr no vs e.g i.e approx fig vol ed gen sen rep gov inc ltd co corp dept est"
    " ud uds núm pág págs aprox ej p.ej av avda d dña art tel bzw z.b nr ca m mme"
)
_ABBREVIATIONS: Final = frozenset(_NEVER_LAST.split())
_MAYBE_LAST: Final = frozenset(("etc", "a.m", "p.m", "am", "pm", "u.s", "u.k", "ee.uu"))
_WORD_BEFORE = re.compile(r"(?:\w|\w\.)+\Z")


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence, without the blanks around it; a line break always ends one."""
    position = 0
    for line in text.split("\n"):
        for start, end in _of_line(line):
            yield position + start, position + end
        position += len(line) + 1


def _of_line(line: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _END.finditer(line):
        if match.end() <= start or not _is_end(line, match, start):
            continue
        tail = _TAIL.match(line, match.end())
        end = tail.end() if tail else match.end()
        yield from _pieces(line, start, end)
        start = end
    yield from _pieces(line, start, len(line))


def _is_end(line: str, match: re.Match[str], start: int) -> bool:
    after = line[match.end() : match.end() + 4].lstrip()[:1]
    touching = line[match.end() : match.end() + 1]
    if match.group("wide"):
        # A closed quotation inside a sentence: the sentence goes on behind its bracket.
        return not (match.group()[-1] in "\u300d\u300f\u201d" and UNSPACED.match(touching))
    mark = match.group()
    if touching and not touching.isspace() and UNSPACED.match(touching):
        before = line[match.start() - 1 : match.start()]
        return mark[0] in "!?" and UNSPACED.match(before) is not None
    if mark[0] == "\u2026" or mark.startswith("..."):
        return not after.islower()
    if mark[0] != "." or len(mark.rstrip(_CLOSERS)) > 1:
        return True
    found = _WORD_BEFORE.search(line[max(start, match.start() - 24) : match.start()])
    word = found.group().lower() if found else ""
    if word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha()):
        return False
    if word in _MAYBE_LAST:
        return not after.islower()
    return not line[start : match.start()].strip().isdigit()


def _pieces(line: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and line[start].isspace():
        start += 1
    while end > start and line[end - 1].isspace():
        end -= 1
    while end - start > LONGEST:
        cut = line.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = cut if cut > 0 else start + LONGEST
        yield start, cut
        start = cut + (cut < end and line[cut] == " ")
    if end > start:
        yield start, end
