"""The one renderer: delivered units as the text blocks of a result and of the answer prompt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from twitter_tool.output.delivery import Delivery, Excerpt, Unit
from twitter_tool.output.fields import moment_text
from twitter_tool.output.quoted import quoted_lines
from twitter_tool.output.render_post import counts_text, number_text, parent_block, post_block
from twitter_tool.output.shown import NOTHING_SHOWN, Shown
from twitter_tool.output.sources import source_of
from twitter_tool.records import (
    Account,
    Article,
    ArticleBlock,
    Field,
    ItemKind,
    Number,
    Post,
    Scalar,
    SourceKind,
    Trend,
)
from twitter_tool.text import Block, as_line

SOURCE_LABELS: Final[dict[SourceKind, str]] = {
    "post": "permalink",
    "profile": "profile",
    "search": "search",
    "space": "space",
}
BLOCK_LABELS: Final = {
    "header-one": "heading 1",
    "header-two": "heading 2",
    "header-three": "heading 3",
    "blockquote": "quotation",
    "unordered-list-item": "list item",
    "ordered-list-item": "numbered list item",
    "markdown": "markdown",
    "divider": "divider",
}


def blocks(delivery: Delivery, shown: Shown = NOTHING_SHOWN) -> list[str]:
    """The parent, if any, then every unit under its number; joined by a blank line they are the body."""
    found = [] if delivery.parent is None else [parent_block(delivery.parent)]
    return found + [block(unit, number, shown) for number, unit in enumerate(delivery.units, 1)]


def block(unit: Unit, number: int, shown: Shown = NOTHING_SHOWN) -> str:
    """One unit under its number; no untrusted character begins a line except after ``> ``.

    Args:
        shown: what pictures and videos of posts gave.
    """
    match unit:
        case Post():
            return post_block(unit, number, shown)
        case Account():
            return "\n".join(_account(unit, number))
        case Trend():
            return "\n".join(_trend(unit, number))
        case Excerpt():
            parts = [excerpt_opening(unit)]
            parts += [field_line(field) for field in unit.fields]
            parts += [body_block(item) for item in unit.blocks]
            return "\n".join(parts)


def counted(kind: ItemKind, count: int) -> str:
    """``2 posts``, ``0 accounts``; the only item of its kind is ``1 document`` or ``1 article``."""
    return f"{count} {kind}" if kind in ("document", "article") and count == 1 else f"{count} {kind}s"


def excerpt_opening(excerpt: Excerpt) -> str:
    """The heading of a document or article and its citable address."""
    record = excerpt.record
    mode = "article" if isinstance(record, Article) else record.mode
    heading = f"[1] {mode} {'@' if mode == 'about' else ''}{record.asked}"
    source = source_of(record)
    return heading if source is None else f"{heading}\n{SOURCE_LABELS[source.kind]}: {source.url}"


def field_line(field: Field) -> str:
    """One metadata field of a document or article."""
    return f"- {field.key}: {_scalar(field.value)}"


def body_block(item: ArticleBlock) -> str:
    """A block of an article: a label of ours, then its text word for word."""
    label = BLOCK_LABELS.get(item.type, "text")
    return "\n".join((f"{label}:", *quoted_lines(item.text))) if item.text else f"{label}:"


def _scalar(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return as_line(value) if isinstance(value, str) else number_text(value)


def _account(account: Account, number: int) -> Iterator[str]:
    counts = _counts((("followers", account.followers), ("following", account.following)))
    facts = [part for part in (counts, "verified" if account.verified else "") if part]
    yield f"[{number}] @{account.handle}" + (f" - {', '.join(facts)}" if facts else "")
    joined = moment_text(account.created)
    yield from _fields(
        ("name", account.name),
        ("bio", account.bio),
        ("location", account.location),
        ("joined", None if joined is None else Block(joined)),
    )
    if account.posts is not None:
        yield f"posts: {number_text(account.posts)}"
    if account.media is not None:
        yield f"media: {number_text(account.media)}"
    if account.website is not None:
        yield f"website (not fetched): {account.website}"
    if account.pinned_ids:
        yield f"pinned ids (not fetched): {', '.join(account.pinned_ids)}"
    if account.profile is not None:
        yield f"profile: {account.profile}"


def _trend(trend: Trend, number: int) -> Iterator[str]:
    yield f"[{number}] rank {'unknown' if trend.rank is None else number_text(trend.rank)}"
    yield from _fields(("name", trend.name), ("description", trend.description), ("query", trend.query))
    if trend.search is not None:
        yield f"search: {trend.search}"


def _fields(*pairs: tuple[str, Block | None]) -> Iterator[str]:
    return (f"{label}: {as_line(value)}" for label, value in pairs if value)


def _counts(pairs: Iterable[tuple[str, Number | None]]) -> str:
    return counts_text((name, value) for name, value in pairs if value is not None)
