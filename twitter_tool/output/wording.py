"""Disclosures in words: one sentence and one short form for each note code, and the order in which they stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from twitter_tool.notes import NOTE_CODES, Note
from twitter_tool.output.figures import Figures
from twitter_tool.output.phrase import Phrase
from twitter_tool.output.wording_answer import ANSWER
from twitter_tool.output.wording_media import MEDIA
from twitter_tool.output.wording_retrieval import RETRIEVAL
from twitter_tool.text import ELLIPSIS, Line, line

MAX_SHORT: Final = 60
MAX_SENTENCE: Final = 4000
PHRASES: Final[dict[str, Phrase]] = {**RETRIEVAL, **MEDIA, **ANSWER}

_FIRST: Final = ("nothing_found",)
_SELECTION: Final = (
    "items_omitted",
    "article_partial",
    "article_blocks_skipped",
    "fields_cut",
    "bio_shortened",
    "pins_not_fetched",
)
_CHECKED: Final = (
    "sources_invalid",
    "article_source",
    "citations_none_inline",
    "citations_invented",
    "quotes_unverified",
)
_LAST: Final = (
    "extractive_answer",
    "model_fallback",
    "images_dropped_for_fallback",
    "sandbox_data",
    "setting_adjusted",
    "setting_ignored",
    "settings_unreadable",
    "notes_shortened",
)
_RETRIEVAL: Final = tuple(code for code in RETRIEVAL if code not in {*_FIRST, *_SELECTION, *_CHECKED, *_LAST})
ORDER: Final = {
    code: place for place, code in enumerate((*_FIRST, *_SELECTION, *MEDIA, *_CHECKED, *_RETRIEVAL, *_LAST))
}
"""Where a note stands: selection, media, sources and citations, retrieval, models, settings."""

_WEIGHTY: Final = (
    "nothing_found",
    "sandbox_data",
    "truncated",
    "items_omitted",
    "article_partial",
    "ids_missing",
    "replies_root_unverified",
    "extractive_answer",
    "article_source",
    "window_shortfall",
    "fields_cut",
    "third_party_processing",
    "upload_may_remain",
    "citations_invented",
    "quotes_unverified",
    "sources_invalid",
)
_WEIGHT: Final = {
    code: place for place, code in enumerate((*_WEIGHTY, *(code for code in ORDER if code not in _WEIGHTY)))
}


def message(note: Note) -> Line:
    """The sentence of a note: one guarded line, its figures included."""
    return line(PHRASES[note.code].sentence(Figures(note.figures)), MAX_SENTENCE)


def short(note: Note) -> Line:
    """The short form of a note, at most 60 characters."""
    words = PHRASES[note.code].short.replace("{count}", Figures(note.figures).count())
    return Line(words if len(words) <= MAX_SHORT else words[: MAX_SHORT - 1] + ELLIPSIS)


def note_dict(note: Note) -> dict[str, Any]:
    """The note as plain JSON values: code, sentence, figures."""
    figures = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in note.figures.items()
        if key not in ("code", "message")
    }
    return {"code": note.code, "message": message(note), **figures}


def ordered(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Notes in their order, equal ones once."""
    found: list[Note] = []
    for note in sorted(notes, key=lambda note: ORDER[note.code]):
        if note not in found:
            found.append(note)
    return tuple(found)


def weight(note: Note) -> int:
    """Where a note stands among those that a reader can least do without, the weightiest first."""
    return _WEIGHT[note.code]


assert set(PHRASES) == set(NOTE_CODES) == set(ORDER)  # a code without words must not get past the import
