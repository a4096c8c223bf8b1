"""A post as labelled lines: our words begin every line, the author's text follows ``> ``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from twitter_tool.output.fields import author_counts, metric_counts
from twitter_tool.output.quoted import quoted_lines
from twitter_tool.output.render_media import media_lines
from twitter_tool.output.shown import NOTHING_SHOWN, Shown
from twitter_tool.records import ArticlePreview, Card, Media, Number, Post
from twitter_tool.text import as_line

ALT_MEDIA: Final = 8
SHOWN_LINKS: Final = 4
PARENT_OPENING: Final = "the post itself: "
REPLACED: Final = "(the repost's cut copy is left out; the original follows in full as reposted text)"
NO_TEXT: Final = "(none)"


def post_block(post: Post, number: int, shown: Shown = NOTHING_SHOWN) -> str:
    """A delivered post with its quoted and reposted context, and what their media gave, under its number."""
    return "\n".join(_bundle(post, f"[{number}] ", "", shown))


def parent_block(post: Post) -> str:
    """The post whose replies or quotes were read, not numbered; its media are never looked at."""
    return "\n".join(_bundle(post, PARENT_OPENING, "parent ", NOTHING_SHOWN))


def number_text(value: Number) -> str:
    """A count without grouping; a whole float reads as the integer it is."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return str(value)


def counts_text(counts: Iterable[tuple[str, Number]]) -> str:
    """``3 likes, 0 replies``: labels are always plural."""
    return ", ".join(f"{number_text(value)} {name}" for name, value in counts)


def _bundle(post: Post, opening: str, prefix: str, shown: Shown) -> Iterator[str]:
    yield from _post(post, opening, prefix, shown)
    for relation, nested in (("quoted", post.quoted), ("reposted", post.reposted)):
        if nested is not None:
            yield from _post(nested, f"{prefix}{relation} source: ", f"{prefix}{relation} ", shown)


def _post(post: Post, opening: str, prefix: str, shown: Shown) -> Iterator[str]:
    yield opening + _headline(post)
    if post.created.iso is None and post.created.text:
        yield f"{prefix}date: {post.created.text}"
    if post.permalink is not None:
        yield f"{prefix}permalink: {post.permalink}"
    elif prefix:
        yield f"{prefix}permalink: unavailable"
    if post.lang:
        yield f"{prefix}lang: {post.lang}"
    if post.is_reply:
        yield f"{prefix}reply to: {f'@{post.reply_to}' if post.reply_to else 'unknown'}"
    yield from _media(post.media, prefix)
    if post.pinned:
        yield f"{prefix}pinned: yes"
    counts = counts_text(author_counts(post.author))
    if counts:
        yield f"{prefix}author counts: {counts}"
    yield from _text(post, prefix)
    for expansion in post.links[:SHOWN_LINKS]:
        yield f"{prefix}link destination (not fetched): {expansion.url}"
    if len(post.links) > SHOWN_LINKS:
        yield f"{prefix}link destinations omitted: {len(post.links) - SHOWN_LINKS}"
    if post.card is not None:
        yield from _card(post.card, prefix)
    if post.article is not None:
        yield from _article(post.article, prefix)
    texts, references = shown.of(post)
    if texts or references:
        yield from media_lines(texts, references, prefix)


def _headline(post: Post) -> str:
    parts = [f"@{post.author.handle or 'unknown'}"]
    if post.created.iso is not None:
        parts.append(post.created.iso)
    elif not post.created.text:
        parts.append("unknown time")
    counts = counts_text(metric_counts(post.metrics))
    if counts:
        parts.append(counts)
    return " - ".join(parts)


def _media(media: tuple[Media, ...], prefix: str) -> Iterator[str]:
    if not media:
        return
    yield f"{prefix}media: {', '.join(item.kind or 'unknown' for item in media)}"
    for position, item in enumerate(media[:ALT_MEDIA], 1):
        if item.alt:
            yield f"{prefix}alt text {position} (accessibility text, not a visual analysis): {as_line(item.alt)}"
    omitted = sum(1 for item in media[ALT_MEDIA:] if item.alt)
    if omitted:
        yield f"{prefix}alt texts omitted: {omitted}"


def _text(post: Post, prefix: str) -> Iterator[str]:
    if post.text:
        yield f"{prefix}text:"
        yield from quoted_lines(post.text)
    else:
        yield f"{prefix}text: {REPLACED if post.text_replaced else NO_TEXT}"


def _card(card: Card, prefix: str) -> Iterator[str]:
    for label, value in (
        ("name", card.name),
        ("title", card.title),
        ("description", card.description),
        ("domain", card.domain),
    ):
        if value:
            yield f"{prefix}card {label}: {as_line(value)}"
    if card.url is not None:
        yield f"{prefix}card link (not fetched): {card.url}"


def _article(article: ArticlePreview, prefix: str) -> Iterator[str]:
    if article.title:
        yield f"{prefix}article title (preview, not the body): {as_line(article.title)}"
    if article.preview:
        yield f"{prefix}article preview (not the body): {as_line(article.preview)}"
    if article.cover_url is not None:
        yield f"{prefix}article cover (not fetched): {article.cover_url}"
