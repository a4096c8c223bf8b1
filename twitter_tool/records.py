"""What was read, independent of the wire: frozen values that hold guarded text and checked links only.

``Line`` and ``Block`` are cleaned text, ``Permalink`` is citable, ``Link`` is a destination that was not fetched.
``None`` means the upstream did not send a usable value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from twitter_tool.links import Link, Permalink
from twitter_tool.text import Block, Line

SourceKind = Literal["post", "profile", "search", "space"]
ItemKind = Literal["post", "account", "trend", "document", "article"]
AssetKind = Literal["photo", "video", "gif"]
Number = int | float
Scalar = Block | Number | bool


@dataclass(frozen=True, slots=True)
class Source:
    """A citable, fetched address."""

    url: Permalink
    kind: SourceKind


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as sent: ``iso`` (UTC, whole seconds) when it could be read, else ``text`` as it came."""

    iso: Line | None = None
    text: Line | None = None
    instant: datetime | None = None


NO_MOMENT = Moment()


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who wrote a post. ``handle`` comes without ``@``."""

    id: Line | None = None
    handle: Line | None = None
    name: Block | None = None
    followers: Number | None = None
    following: Number | None = None
    posts: Number | None = None
    media: Number | None = None


NO_AUTHOR = Author()


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Counters as sent; zero is a value, ``None`` is not sent."""

    likes: Number | None = None
    reposts: Number | None = None
    replies: Number | None = None
    views: Number | None = None
    quotes: Number | None = None


@dataclass(frozen=True, slots=True)
class Expansion:
    """A ``t.co`` short link and the destination the upstream gave for it; the destination was not fetched."""

    short: Link
    url: Link


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A link preview's own words."""

    name: Block | None = None
    title: Block | None = None
    description: Block | None = None
    domain: Block | None = None
    url: Link | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticlePreview:
    """The preview of an X article on a post; never its body."""

    title: Block | None = None
    preview: Block | None = None
    cover_url: Link | None = None


@dataclass(frozen=True, slots=True)
class Variant:
    """One MP4 rendition; ``bitrate`` in bits per second."""

    url: Link
    bitrate: Number | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A picture, GIF or video of a post.

    Attributes:
        kind: ``photo``, ``video``, ``animated_gif`` or what else was sent.
        id: the media id, 1-20 digits.
        url: the picture, or the poster frame of a moving one.
        alt: the author's accessibility text; not a visual analysis.
        duration_ms: length in milliseconds.
        variants: MP4 renditions, lowest bitrate first.
    """

    kind: Line | None = None
    id: Line | None = None
    url: Link | None = None
    alt: Block | None = None
    duration_ms: Number | None = None
    variants: tuple[Variant, ...] = ()

    @property
    def asset_kind(self) -> AssetKind | None:
        """What can be looked at; ``None`` when there is nothing. An unknown kind with MP4 renditions is a video."""
        if self.kind == "photo" and self.url is not None:
            return "photo"
        if self.kind == "animated_gif" and (self.url is not None or self.variants):
            return "gif"
        return "video" if self.variants or (self.kind == "video" and self.url is not None) else None

    @property
    def asset_keys(self) -> frozenset[tuple[object, ...]]:
        """Identities of the asset; two media are the same asset when any of them agrees.

        A photo is its exact address. A moving picture is its poster, its set of renditions and its length together;
        with an id, the same without the query strings, which differ between endpoints.
        """
        kind = self.asset_kind
        if kind is None or kind == "photo":
            return frozenset({(kind or self.kind, self.url)})
        urls = sorted({variant.url for variant in self.variants})
        keys: set[tuple[object, ...]] = {(kind, self.url, *urls, self.duration_ms)}
        if self.id is not None:
            bare = sorted({_without_query(url) for url in urls})
            poster = _without_query(self.url) if self.url else None
            keys.add((kind, "id", self.id, poster, *bare, self.duration_ms))
        return frozenset(keys)


def _without_query(url: str) -> str:
    return url.partition("#")[0].partition("?")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A post with at most one level of quoted and reposted context (a bundle).

    Attributes:
        id: as sent; only ever a JSON string.
        permalink: the fetched link when it may be cited.
        link_invalid: a link was sent that may not be cited.
        text: the post's text as shown; ``None`` when a cut repost copy gave way to the original in ``reposted``.
        text_replaced: the outer text was such a copy.
        reply_to: handle of the post answered, ``None`` when unknown.
        links: short links with their destinations, at most 20; the renderer shows four.
        media: every item kept; a wrapper's copy of a fetched original's media has no ``alt``.
        identities: the raw id and link, for telling duplicates.
    """

    id: Line | None = None
    permalink: Permalink | None = None
    link_invalid: bool = False
    text: Block | None = None
    text_replaced: bool = False
    created: Moment = NO_MOMENT
    lang: Line | None = None
    pinned: bool = False
    is_reply: bool = False
    reply_to: Line | None = None
    author: Author = NO_AUTHOR
    metrics: Metrics = Metrics()
    links: tuple[Expansion, ...] = ()
    card: Card | None = None
    article: ArticlePreview | None = None
    media: tuple[Media, ...] = ()
    quoted: Post | None = None
    reposted: Post | None = None
    identities: tuple[str | None, str | None] = (None, None)

    def family(self) -> Iterator[Post]:
        """The post itself, then what it quotes, then what it reposts."""
        yield self
        if self.quoted is not None:
            yield self.quoted
        if self.reposted is not None:
            yield self.reposted


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An account as listed or looked up. ``profile`` is its citable address, built from a plain handle only."""

    handle: Line
    id: Line | None = None
    name: Block | None = None
    profile: Permalink | None = None
    bio: Block | None = None
    bio_shortened: bool = False
    location: Block | None = None
    created: Moment = NO_MOMENT
    verified: bool = False
    website: Link | None = None
    pinned_ids: tuple[Line, ...] = ()
    followers: Number | None = None
    following: Number | None = None
    posts: Number | None = None
    media: Number | None = None
    identities: tuple[str | None, str] = (None, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """A trending topic; ``search`` is the X search of its expression."""

    name: Block
    rank: Number | None = None
    description: Block | None = None
    query: Block | None = None
    search: Permalink | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """One ``key: value`` of a document. ``value`` is text, a number or a boolean."""

    key: Line
    value: Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Metadata read as one record: the ``about`` page of an account, or a Space.

    Attributes:
        asked: the handle (without ``@``) or id that was asked for.
        fields: in the order they were read.
        total_fields: how many there were before the cap.
        source: the citable address, when there is one.
    """

    mode: Literal["about", "space"]
    asked: Line
    fields: tuple[Field, ...]
    total_fields: int
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class ArticleBlock:
    """A block of an article's body in reading order; ``divider`` has no text."""

    type: Line
    text: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """An X article's text.

    Attributes:
        asked: the id of the post that carries it.
        blocks: text blocks, at most 1,000.
        unsupported, empty, malformed, media_omitted: blocks that were left out, by cause.
        over_limit: blocks beyond the 1,000 that were read.
        permalink: the carrying post's fetched link, when its provenance was confirmed.
    """

    asked: Line
    title: Block | None = None
    preview: Block | None = None
    created: Moment = NO_MOMENT
    author: Author = NO_AUTHOR
    metrics: Metrics = Metrics()
    blocks: tuple[ArticleBlock, ...] = ()
    unsupported: int = 0
    empty: int = 0
    malformed: int = 0
    media_omitted: int = 0
    over_limit: int = 0
    permalink: Permalink | None = None


Record = Post | Account | Trend | Document | Article
