"""Disclosures: what a result did not fetch, left out or changed, as a code with figures.

A note is made where the fact is known; its sentence is written once, by :mod:`twitter_tool.output.wording`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

NoteCode = Literal[
    "truncated",
    "window_shortfall",
    "window_trimmed_newer",
    "window_trimmed_older",
    "nothing_found",
    "search_hint",
    "read_from",
    "replies_root_unverified",
    "pin_not_returned",
    "pin_unrecognised",
    "pin_merged",
    "pins_not_fetched",
    "ids_missing",
    "article_source",
    "article_partial",
    "article_blocks_skipped",
    "bio_shortened",
    "fields_cut",
    "sources_invalid",
    "items_omitted",
    "notes_shortened",
    "citations_invented",
    "citations_none_inline",
    "quotes_unverified",
    "images_omitted",
    "images_rejected",
    "images_failed",
    "media_repeated",
    "media_not_supported",
    "video_processed",
    "video_skipped",
    "video_trimmed",
    "video_failed",
    "video_poster_used",
    "frames_partial",
    "frames_skipped",
    "transcript_partial",
    "transcript_discarded",
    "transcript_absent",
    "stt_skipped",
    "evidence_cache_hit",
    "third_party_processing",
    "upload_may_remain",
    "model_fallback",
    "images_dropped_for_fallback",
    "extractive_answer",
    "sandbox_data",
    "setting_adjusted",
    "setting_ignored",
    "settings_unreadable",
]
NOTE_CODES: Final[tuple[str, ...]] = get_args(NoteCode)


@dataclass(frozen=True, slots=True)
class Note:
    """One disclosure.

    Attributes:
        code: which kind.
        figures: plain JSON values with camelCase keys, already cleaned for printing.
    """

    code: NoteCode
    figures: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


def note(code: NoteCode, **figures: Any) -> Note:
    """A note from keyword figures; ``None`` figures are left out."""
    return Note(code, MappingProxyType({key: value for key, value in figures.items() if value is not None}))
