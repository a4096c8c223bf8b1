"""What either kind of output makes of what was read; the result is put together from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from twitter_tool.notes import Note
from twitter_tool.output.evidence import Evidence
from twitter_tool.records import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The finished text of a call, and everything its details are made of.

    Attributes:
        content: the text for a model or a person.
        closing: the end of ``content`` that lists sources and notes, when an answer stands before it.
        retained: delivered ``posts``, ``accounts`` and ``trends``.
        model: who wrote the answer; ``none`` when nobody did.
        synthesis_calls: 1 when a model wrote it.
        synthesis_s: seconds spent on it.
        video_s: seconds spent on videos.
        tokens: as the models' providers reported them.
        quotes: ``checked``, ``verified`` and ``unverified`` quotations of the answer.
    """

    content: str
    sources: tuple[Source, ...]
    notes: tuple[Note, ...]
    items: list[dict[str, Any]]
    parent: dict[str, Any] | None
    retained: dict[str, int]
    closing: str = ""
    model: str = "none"
    synthesis_calls: int = 0
    synthesis_s: float = 0.0
    video_s: float = 0.0
    tokens: dict[str, int] | None = None
    quotes: dict[str, int] | None = field(default=None)


def of_evidence(found: Evidence, *, video_s: float = 0.0) -> Outcome:
    """Evidence as an outcome; no model that answers has seen it."""
    return Outcome(
        content=found.content,
        sources=found.sources,
        notes=found.notes,
        items=found.items,
        parent=found.parent,
        retained=found.retained,
        video_s=video_s,
    )
