"""Delivered units as plain JSON values: what a program reads instead of parsing the text."""

from __future__ import annotations

from typing import Any

from twitter_tool.media.values import VideoText
from twitter_tool.output.delivery import Delivery, Excerpt, Unit
from twitter_tool.output.fields import author_counts, metric_counts, moment_text
from twitter_tool.output.shown import NOTHING_SHOWN, Shown
from twitter_tool.output.sources import source_of
from twitter_tool.records import Account, Article, ArticlePreview, Author, Card, Media, Post, Trend

Item = dict[str, Any]


def items(delivery: Delivery, shown: Shown = NOTHING_SHOWN) -> list[Item]:
    """The delivered units in the order of their numbers; unknown values are absent."""
    return [item(unit, shown) for unit in delivery.units]


def parent_item(delivery: Delivery) -> Item | None:
    """The post whose replies or quotes were read, shaped like a quoted post, when it was delivered."""
    return None if delivery.parent is None else _bundle(delivery.parent, NOTHING_SHOWN)


def item(unit: Unit, shown: Shown = NOTHING_SHOWN) -> Item:
    """One unit; every string in it is untrusted text or a checked address."""
    match unit:
        case Post():
            return {"kind": "post", **_bundle(unit, shown)}
        case Account():
            return _account(unit)
        case Trend():
            return _trend(unit)
        case Excerpt():
            return _excerpt(unit)


def _bundle(post: Post, shown: Shown) -> Item:
    if post.quoted is None and post.reposted is None:
        return _post(post, shown)
    quoted = None if post.quoted is None else _post(post.quoted, shown)
    reposted = None if post.reposted is None else _post(post.reposted, shown)
    return _post(post, shown) | _known(quoted=quoted, reposted=reposted)


def _post(post: Post, shown: Shown) -> Item:
    return _known(
        id=post.id,
        url=post.permalink,
        text=post.text,
        createdAt=moment_text(post.created),
        lang=post.lang,
        pinned=post.pinned or None,
        isReply=post.is_reply or None,
        replyTo=post.reply_to,
        author=_author(post.author),
        metrics=dict(metric_counts(post.metrics)) or None,
        links=[{"shortUrl": pair.short, "url": pair.url} for pair in post.links] or None,
        card=_card(post.card),
        article=_article_preview(post.article),
        media=[_media(media) for media in post.media] or None,
        video=[_video(text) for text in shown.texts(post)] or None,
    )


def _author(author: Author) -> Item | None:
    return _known(id=author.id, handle=author.handle, name=author.name, **dict(author_counts(author))) or None


def _card(card: Card | None) -> Item | None:
    if card is None:
        return None
    shown = _known(name=card.name, title=card.title, description=card.description, domain=card.domain, url=card.url)
    return shown or None


def _article_preview(article: ArticlePreview | None) -> Item | None:
    if article is None:
        return None
    return _known(title=article.title, preview=article.preview, coverUrl=article.cover_url) or None


def _media(media: Media) -> Item:
    return _known(kind=media.kind, id=media.id, url=media.url, alt=media.alt, durationMs=media.duration_ms)


def _video(text: VideoText) -> Item:
    return _known(method=text.method, transcript=text.transcript, visual=text.visual)


def _account(account: Account) -> Item:
    counts = _known(followers=account.followers, following=account.following, posts=account.posts, media=account.media)
    return _known(
        kind="account",
        id=account.id,
        handle=account.handle,
        name=account.name,
        url=account.profile,
        bio=account.bio,
        location=account.location,
        createdAt=moment_text(account.created),
        verified=account.verified or None,
        website=account.website,
        pinnedIds=list(account.pinned_ids) or None,
        metrics=counts or None,
    )


def _trend(trend: Trend) -> Item:
    return _known(
        kind="trend",
        name=trend.name,
        rank=trend.rank,
        description=trend.description,
        query=trend.query,
        url=trend.search,
    )


def _excerpt(excerpt: Excerpt) -> Item:
    record = excerpt.record
    source = source_of(record)
    shared = _known(id=record.asked, url=None if source is None else source.url)
    fields: Item = {field.key: field.value for field in excerpt.fields}
    if not isinstance(record, Article):
        return {"kind": "document", **shared, "fields": fields}
    return {
        "kind": "article",
        **shared,
        **_nested(fields),
        "blocks": [{"type": block.type, "text": block.text} for block in excerpt.blocks],
    }


def _nested(fields: Item) -> Item:
    """``author.handle`` becomes ``{"author": {"handle": ...}}``; an article's keys have at most one dot."""
    found: Item = {}
    for key, value in fields.items():
        outer, _, inner = key.partition(".")
        if inner:
            found.setdefault(outer, {})[inner] = value
        else:
            found[outer] = value
    return found


def _known(**values: Any) -> Item:
    return {key: value for key, value in values.items() if value is not None}
