"""Which delivered addresses may be cited, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Iterator

from twitter_tool.output.delivery import Delivery, Excerpt, Unit
from twitter_tool.records import Account, Article, Document, Post, Source, Trend


def sources(delivery: Delivery) -> tuple[Source, ...]:
    """Every citable address that is rendered: the parent's first, then each unit's, every one once."""
    found: dict[str, Source] = {}
    for source in _all(delivery):
        found.setdefault(source.url, source)
    return tuple(found.values())


def unit_sources(unit: Unit) -> Iterator[Source]:
    """The citable addresses of one unit: a post's own, then the quoted one's, then the reposted one's."""
    match unit:
        case Post():
            for post in unit.family():
                if post.permalink is not None:
                    yield Source(post.permalink, "post")
        case Account():
            if unit.profile is not None:
                yield Source(unit.profile, "profile")
        case Trend():
            if unit.search is not None:
                yield Source(unit.search, "search")
        case Excerpt():
            source = source_of(unit.record)
            if source is not None:
                yield source


def source_of(record: Document | Article) -> Source | None:
    """The one citable address of a document or an article."""
    if isinstance(record, Document):
        return record.source
    return None if record.permalink is None else Source(record.permalink, "post")


def _all(delivery: Delivery) -> Iterator[Source]:
    if delivery.parent is not None:
        yield from unit_sources(delivery.parent)
    for unit in delivery.units:
        yield from unit_sources(unit)
