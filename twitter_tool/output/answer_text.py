"""A written answer as text: what was asked and by what it was answered, the answer, its sources, its notes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from itertools import pairwise
from typing import Final
from unicodedata import normalize

from twitter_tool.notes import Note
from twitter_tool.output.select import source_line
from twitter_tool.output.wording import message
from twitter_tool.records import Source
from twitter_tool.text import Block, as_line, block

NO_TEXT: Final = "(There is no answer text.)"
_FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})([^\n]*)$", re.MULTILINE)
_CONTAINER = re.compile(r"(?:\s*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)))*\s*")
_MARKED = re.compile(r"#|<h[1-6]\b", re.IGNORECASE)
_UNDERLINE = re.compile(r"(?:=+|-+)\s*")
_TAG = re.compile(r"<[^<>]*>")
_ASIDE = re.compile(r"\([^()]*\)")
_NO_LETTER = re.compile(r"[\W\d_]+")
_SECTIONS: Final = frozenset(("answer", "sources", "notes"))
_LONGEST_HEADING: Final = 200


def model_text(raw: str) -> Block:
    """A model's words, cleaned, their line breaks kept.

    A line that would read as one of this text's own headings gets a backslash before it, so that nothing a model
    writes can stand in for what was fetched.
    """
    lines = block(raw).split("\n")
    text = "\n".join(guarded(line, before) for before, line in pairwise(("", *lines)))
    return Block(text + fence_end(text))


def fence_end(text: str) -> str:
    """What closes a code fence that a text leaves open, so that nothing after it is taken for code."""
    fence = ""
    for found in _FENCE.finditer(text):
        mark = found.group(1)
        if not fence:
            fence = mark
        elif mark.startswith(fence) and not found.group(2).strip():
            fence = ""
    return f"\n{fence}" if fence else ""


def guarded(line: str, before: str) -> str:
    """A cleaned line of an answer; marked when it, or with it the line before it, would read as a heading of ours."""
    bare = bare_line(line)
    heading = _MARKED.match(bare) and _names_a_section(bare)
    underline = _UNDERLINE.fullmatch(bare) and _names_a_section(bare_line(before))
    return "\\" + line if heading or underline else line


def bare_line(line: str) -> str:
    """A line without the quotation and list marks that it may stand behind."""
    found = _CONTAINER.match(line)
    return line[found.end() :] if found else line


def _names_a_section(bare: str) -> bool:
    """Whether a line says no more than the name of one of our sections, however it is decorated."""
    if len(bare) > _LONGEST_HEADING:
        return False
    plain = _ASIDE.sub("", _TAG.sub("", unescape(bare)))
    return _NO_LETTER.sub("", normalize("NFKC", plain).casefold()) in _SECTIONS


def answer_text(
    *, query: str, model: str, calls: int, text: Block, sources: Sequence[Source], notes: Sequence[Note]
) -> str:
    """The whole result; sections without content are left out."""
    head = (
        f"Query: {as_line(block(query))}",
        f"Model: {as_line(block(model))}",
        f"Synthesis Calls: {calls}",
        f"Citations: {len(sources)}",
    )
    return "\n".join(head) + f"\n\n## Answer\n\n{text or NO_TEXT}" + closing(sources, notes)


def closing(sources: Sequence[Source], notes: Sequence[Note]) -> str:
    """What follows the answer itself, its blank lines first: the Sources and the Notes."""
    text = ""
    if sources:
        text += "\n\n## Sources" + "".join(source_line(at, source.url) for at, source in enumerate(sources, 1))
    if notes:
        text += "\n\n## Notes" + "".join(f"\n- {message(note)}" for note in notes)
    return text
