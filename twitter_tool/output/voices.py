"""Who said what in a delivery: the text of every delivered post, account, trend and document with its address.

What a post's videos say and show belongs to the post.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from twitter_tool.links import Permalink
from twitter_tool.output.delivery import Delivery, Excerpt, Unit
from twitter_tool.output.fields import moment_text
from twitter_tool.output.render import field_line
from twitter_tool.output.shown import NOTHING_SHOWN, Shown
from twitter_tool.output.sources import source_of
from twitter_tool.records import Account, Article, Author, Moment, Post, Trend

PartKind = Literal["text", "field", "heading", "transcript", "visual"]
OF_VIDEOS: Final[frozenset[PartKind]] = frozenset(("transcript", "visual"))
"""Words that machines made of a clip; they are not the author's own."""
MOMENT: Final = re.compile(r"\[\d{2,}:\d\d\] ?")
"""The second at which a line of a transcript begins."""


@dataclass(frozen=True, slots=True)
class Part:
    """One delivered text.

    Attributes:
        text: as it is shown, a field with its label.
        kind: running ``text``, a ``field`` with a label, a ``heading``, or the ``transcript`` or ``visual`` notes of a
            video.
    """

    text: str
    kind: PartKind = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """One post, account, trend, document or article.

    Attributes:
        url: its citable address.
        outer: the address of the unit that it is part of; the same as ``url`` except for quoted and reposted posts.
        handle: whose words these are, without ``@``.
        date: the day it was written, or the time as it was sent.
        said: what it says, in reading order.
        beside: what is shown with it: link cards, previews, alternative texts, names.
        parent: part of the post whose replies or quotes were read.
    """

    url: Permalink | None
    outer: Permalink | None
    handle: str | None = None
    date: str | None = None
    said: tuple[Part, ...] = ()
    beside: tuple[str, ...] = ()
    parent: bool = False


def voices(delivery: Delivery, shown: Shown = NOTHING_SHOWN) -> Iterator[Voice]:
    """The parent's posts, then every unit's: the own one, the quoted one, the reposted one.

    Args:
        shown: what the videos of the units say and show.
    """
    if delivery.parent is not None:
        yield from _posts(delivery.parent, NOTHING_SHOWN, parent=True)
    for unit in delivery.units:
        yield from _unit(unit, shown)


def _unit(unit: Unit, shown: Shown) -> Iterator[Voice]:
    match unit:
        case Post():
            yield from _posts(unit, shown, parent=False)
        case Account():
            said = [] if not unit.bio else [Part(unit.bio)]
            said += [] if not unit.location else [Part(f"location: {unit.location}", "field")]
            beside = (*_kept(unit.name, unit.website), f"@{unit.handle}")
            yield Voice(url=unit.profile, outer=unit.profile, handle=unit.handle, said=tuple(said), beside=beside)
        case Trend():
            said = [Part(unit.name, "heading")]
            said += [] if not unit.description else [Part(unit.description)]
            yield Voice(url=unit.search, outer=unit.search, said=tuple(said), beside=_kept(unit.query))
        case Excerpt():
            yield _excerpt(unit)


def _posts(root: Post, shown: Shown, *, parent: bool) -> Iterator[Voice]:
    for post in root.family():
        told = tuple(_told(shown, post))
        yield Voice(
            url=post.permalink,
            outer=root.permalink,
            handle=post.author.handle,
            date=_day(post.created),
            said=((Part(post.text), *told) if post.text else told),
            beside=(*_beside(post), *(_running(part.text) for part in told)),
            parent=parent,
        )


def _told(shown: Shown, post: Post) -> Iterator[Part]:
    for text in shown.texts(post):
        if text.transcript:
            yield Part(text.transcript, "transcript")
        if text.visual:
            yield Part(text.visual, "visual")


def _running(text: str) -> str:
    """A transcript as it was spoken, without the seconds: a sentence may go on in the next line."""
    return " ".join(MOMENT.sub("", line, 1) if MOMENT.match(line) else line for line in text.split("\n"))


def _excerpt(excerpt: Excerpt) -> Voice:
    record = excerpt.record
    source = source_of(record)
    url = None if source is None else source.url
    fields = [field_line(field).removeprefix("- ") for field in excerpt.fields]
    if not isinstance(record, Article):
        said = tuple(Part(line, "field") for line in fields)
        return Voice(url=url, outer=url, handle=record.asked if record.mode == "about" else None, said=said)
    parts = [] if not record.title else [Part(record.title, "heading")]
    parts += [
        Part(block.text, "heading" if block.type.startswith("header-") else "text")
        for block in excerpt.blocks
        if block.text
    ]
    author: Author = record.author
    body = "\n".join(block.text for block in excerpt.blocks)
    return Voice(
        url=url,
        outer=url,
        handle=author.handle,
        date=_day(record.created),
        said=tuple(parts),
        beside=(body, *fields, *_kept(record.preview, author.name)),
    )


def _beside(post: Post) -> tuple[str, ...]:
    found: list[str | None] = [post.author.name]
    if post.card is not None:
        found += [post.card.title, post.card.description, post.card.name, post.card.domain]
    if post.article is not None:
        found += [post.article.title, post.article.preview]
    found += [media.alt for media in post.media]
    return _kept(*found)


def _kept(*texts: str | None) -> tuple[str, ...]:
    return tuple(text for text in texts if text)


def _day(moment: Moment) -> str | None:
    return moment.iso[:10] if moment.iso is not None else moment_text(moment)
