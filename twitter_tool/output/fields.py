"""Metadata of documents and articles as flat ``key: value`` pairs with printable, unique keys."""

from __future__ import annotations

import re
from collections.abc import Iterable

from twitter_tool.records import Article, Author, Document, Field, Metrics, Moment, Number, Scalar
from twitter_tool.text import Block, Line

MAX_KEY = 200
_NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9_.\[\]-]")

AUTHOR_COUNTS = ("followers", "following", "posts", "media")
METRICS = ("likes", "reposts", "replies", "views", "quotes")


def document_fields(document: Document) -> tuple[Field, ...]:
    """The fields under keys fit to be printed: letters, digits, ``_ . [ ] -``; an equal key gets a number."""
    used: set[str] = set()
    return tuple(
        Field(_unique(_NOT_IN_KEYS.sub("", field.key)[:MAX_KEY], used), field.value) for field in document.fields
    )


def article_fields(article: Article) -> tuple[Field, ...]:
    """What is known about an article besides its body, keys as in its item (``author.handle``, ``metrics.likes``)."""
    author = article.author
    found: list[tuple[str, Scalar | None]] = [
        ("title", article.title),
        ("preview", article.preview),
        ("createdAt", _as_block(moment_text(article.created))),
        ("author.id", _as_block(author.id)),
        ("author.handle", _as_block(author.handle)),
        ("author.name", author.name),
        *((f"author.{name}", value) for name, value in author_counts(author)),
        *((f"metrics.{name}", value) for name, value in metric_counts(article.metrics)),
    ]
    return tuple(Field(Line(key), value) for key, value in found if value is not None)


def moment_text(moment: Moment) -> Line | None:
    """A time as it is given to programs: ISO when it could be read, else as it was sent."""
    return moment.iso or moment.text


def author_counts(author: Author) -> Iterable[tuple[str, Number]]:
    """The author's counters that were sent, in printing order."""
    return _present((name, getattr(author, name)) for name in AUTHOR_COUNTS)


def metric_counts(metrics: Metrics) -> Iterable[tuple[str, Number]]:
    """The counters of a post that were sent, in printing order."""
    return _present((name, getattr(metrics, name)) for name in METRICS)


def _present(pairs: Iterable[tuple[str, Number | None]]) -> Iterable[tuple[str, Number]]:
    return ((name, value) for name, value in pairs if value is not None)


def _as_block(value: Line | None) -> Block | None:
    return None if value is None else Block(value)


def _unique(key: str, used: set[str]) -> Line:
    name = key or "field"
    count = 1
    while name in used:
        count += 1
        name = f"{key or 'field'}-{count}"
    used.add(name)
    return Line(name)
