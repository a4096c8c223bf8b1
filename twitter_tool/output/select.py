"""Selection under a ceiling: whole units, greedily in order; what does not fit is skipped, never cut.

Every unit is rendered once, at the number it would get, and costs its text plus the Sources lines it newly adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from twitter_tool.output.delivery import Delivery, Excerpt, Retrieved, Unit
from twitter_tool.output.fields import article_fields, document_fields
from twitter_tool.output.render import block, body_block, excerpt_opening, field_line
from twitter_tool.output.render_post import parent_block
from twitter_tool.output.reserve import MediaPlan, MediaReserve, Reserving
from twitter_tool.output.room import Room
from twitter_tool.output.shown import Shown
from twitter_tool.output.sources import unit_sources
from twitter_tool.records import Account, Article, ArticleBlock, Document, Field, ItemKind, Post, Record, Source, Trend

GAP: Final = "\n\n"
Render = Callable[[Unit, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What was taken, with its rendered blocks, and how much was left out whole.

    Attributes:
        delivery: the taken units and parent; without notes.
        blocks: their text, the parent first.
        omitted: posts, accounts or trends (the parent included) that did not fit.
        fields_omitted: metadata fields of the document or article that did not fit.
        blocks_omitted: body blocks of the article that did not fit.
        media: what there is room for of the media of the taken posts; ``None`` when none was wanted.
    """

    delivery: Delivery
    blocks: tuple[str, ...] = ()
    omitted: int = 0
    fields_omitted: int = 0
    blocks_omitted: int = 0
    media: MediaPlan | None = None


@dataclass(slots=True)
class _Shelf:
    room: Room
    lists_sources: bool = True
    blocks: list[str] = field(default_factory=list)
    listed: set[str] = field(default_factory=set)

    def put(self, text: str, cited: Iterable[Source]) -> bool:
        if not self.lists_sources:
            cited = ()
        fresh = [url for url in dict.fromkeys(source.url for source in cited) if url not in self.listed]
        lines = "".join(source_line(number, url) for number, url in enumerate(fresh, len(self.listed) + 1))
        if not self.room.take(GAP + text + lines):
            return False
        self.blocks.append(text)
        self.listed.update(fresh)
        return True


def source_line(number: int, url: str) -> str:
    """One line of the Sources section, its line break first."""
    return f"\n{number}. {url}"


def usable(retrieved: Retrieved) -> bool:
    """Whether anything was read that could be delivered; a document or article without any content is nothing."""
    return any(_has_content(record) for record in retrieved.records)


def kind_of(retrieved: Retrieved) -> ItemKind:
    """The kind of the items, told by the first record, else by the mode."""
    match retrieved.records[:1]:
        case (Post(),):
            return "post"
        case (Account(),):
            return "account"
        case (Trend(),):
            return "trend"
        case (Document(),):
            return "document"
        case (Article(),):
            return "article"
        case _:
            return retrieved.kind


def candidates(retrieved: Retrieved) -> tuple[Unit, ...]:
    """Everything that was read as units, documents and articles with all their fields and blocks."""
    return tuple(_unit(record) for record in retrieved.records if _has_content(record))


def choose(
    retrieved: Retrieved,
    room: Room,
    *,
    render: Render = block,
    lists_sources: bool = True,
    media: MediaReserve | None = None,
) -> Selection:
    """Take the parent, then units in order, as long as each whole one fits.

    Args:
        retrieved: what a mode read.
        room: what is left for items and their Sources lines; claims are made on it.
        render: renders a unit at a number; called once for each unit.
        lists_sources: whether a unit also costs the Sources lines it newly adds.
        media: what is wanted of the media of the records. Right after a post was taken, room is set aside for what its
            media may add.

    Returns:
        The selection; ``delivery.units`` is empty when nothing was read or nothing fits.
    """
    kind = kind_of(retrieved)
    shelf = _Shelf(room, lists_sources)
    units = candidates(retrieved)
    if len(units) == 1 and isinstance(units[0], Excerpt):
        return replace(_choose_parts(units[0], shelf, kind), media=None if media is None else MediaPlan())
    parent = retrieved.parent
    if parent is not None and not shelf.put(parent_block(parent), unit_sources(parent)):
        parent = None
    reserving = None if media is None else Reserving(room, media)
    taken: list[Unit] = []
    for position, unit in enumerate(units):
        if shelf.put(render(unit, len(taken) + 1), unit_sources(unit)):
            taken.append(unit)
            if reserving is not None:
                reserving.admit(position)
    return Selection(
        delivery=Delivery(kind=kind, units=tuple(taken), parent=parent),
        blocks=tuple(shelf.blocks),
        omitted=len(units) - len(taken) + (retrieved.parent is not None and parent is None),
        media=None if reserving is None else reserving.plan(),
    )


def drawn(selection: Selection, shown: Shown) -> tuple[str, ...]:
    """The blocks of a selection with what its media gave; only posts that it concerns are rendered again."""
    units = selection.delivery.units
    before = len(selection.blocks) - len(units)
    return selection.blocks[:before] + tuple(
        block(unit, number, shown) if isinstance(unit, Post) and shown.concerns(unit) else text
        for number, (unit, text) in enumerate(zip(units, selection.blocks[before:], strict=True), 1)
    )


def _choose_parts(whole: Excerpt, shelf: _Shelf, kind: ItemKind) -> Selection:
    opening = excerpt_opening(whole)
    fields: list[Field] = []
    body: list[ArticleBlock] = []
    lines = [opening]
    if shelf.put(opening, unit_sources(whole)):
        for item in whole.fields:
            if shelf.room.take("\n" + (line := field_line(item))):
                fields.append(item)
                lines.append(line)
        for part in whole.blocks:
            if shelf.room.take("\n" + (line := body_block(part))):
                body.append(part)
                lines.append(line)
    taken = (Excerpt(record=whole.record, fields=tuple(fields), blocks=tuple(body)),) if fields or body else ()
    return Selection(
        delivery=Delivery(kind=kind, units=taken),
        blocks=("\n".join(lines),) if taken else (),
        fields_omitted=len(whole.fields) - len(fields),
        blocks_omitted=len(whole.blocks) - len(body),
    )


def _unit(record: Record) -> Unit:
    match record:
        case Document():
            return Excerpt(record=record, fields=document_fields(record))
        case Article():
            return Excerpt(record=record, fields=article_fields(record), blocks=record.blocks)
        case _:
            return record


def _has_content(record: Record) -> bool:
    match record:
        case Document():
            return bool(record.fields)
        case Article():
            return bool(record.blocks or article_fields(record))
        case _:
            return True
