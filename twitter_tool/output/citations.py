"""The sources of a written answer: what it links to and was fetched, in the order of first use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from twitter_tool.notes import Note, note
from twitter_tool.output.cited_links import SourceIndex
from twitter_tool.output.delivery import Delivery
from twitter_tool.output.sources import sources
from twitter_tool.records import Source

MOST_LISTED: Final = 20
_LISTS_WITHOUT_LINKS: Final = ("trend", "document")


@dataclass(frozen=True, slots=True)
class Citations:
    """The sources of an answer, every one of them delivered, and what must be said about its links."""

    sources: tuple[Source, ...] = ()
    notes: tuple[Note, ...] = ()


def cite(answer: str, delivery: Delivery, *, expects_links: bool = True) -> Citations:
    """Match the links of an answer with what was delivered.

    A link to X that names no delivered source is never listed; every distinct one is counted. When no link names a
    source, the first 20 delivered sources are listed and the answer is said to cite nothing itself.

    Args:
        answer: the text of the answer.
        delivery: what the answer was written from.
        expects_links: whether an answer without links is worth a note.
    """
    fetched = sources(delivery)
    cited: dict[Source, None] = {}
    invented: set[str] = set()
    for link in SourceIndex(fetched).links(answer):
        if link.source is not None:
            cited.setdefault(link.source)
        elif link.invention is not None:
            invented.add(link.invention)
    notes = list(_none_inline(len(fetched), delivery, expects_links)) if not cited else []
    if invented:
        notes.append(note("citations_invented", count=len(invented)))
    return Citations(tuple(cited) or fetched[:MOST_LISTED], tuple(notes))


def _none_inline(fetched: int, delivery: Delivery, expects_links: bool) -> Iterator[Note]:
    left_out = max(0, fetched - MOST_LISTED)
    wanted = expects_links and delivery.kind not in _LISTS_WITHOUT_LINKS
    if fetched and (wanted or left_out):
        yield note("citations_none_inline", listed=min(fetched, MOST_LISTED), leftOut=left_out or None)
