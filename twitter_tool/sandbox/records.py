"""What the invented world consists of, before it is put into the upstream's shapes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

AccountState = Literal["open", "protected", "suspended", "unavailable"]
AuthorForm = Literal["full", "missing", "null"]
CardForm = Literal["plain", "opaque", "map"]
MediaKind = Literal["photo", "animated_gif", "video"]
Block = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A shortlink in a text and where it leads."""

    short: str
    expanded: str
    display: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A picture, a looping clip or a video; `asset` is the file whose bytes its addresses serve."""

    kind: MediaKind
    id: int
    key: str
    asset: str
    short: str
    width: int
    height: int
    alt: str | None = None
    millis: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A link card. `form` says how it is sent: as usual, opaque in a batch, or with an object map."""

    name: str
    link: Link
    title: str
    description: str
    domain: str
    form: CardForm = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """A poll with two to four choices and their counts."""

    number: int
    choices: tuple[tuple[str, int], ...]
    ends: int
    minutes: int
    final: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """A long article carried by a post; `number` is the one in its `x.com/i/article/` address."""

    number: int
    title: str
    preview: str
    cover: Media
    blocks: tuple[Block, ...]
    media: tuple[Media, ...] = ()


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Account:
    """A person, a group or a bot."""

    id: int
    handle: str
    name: str
    joined: int
    bio: str = ""
    location: str = ""
    website: Link | None = None
    topics: tuple[str, ...] = ()
    lang: str = "en"
    state: AccountState = "open"
    crowd: bool = False
    org: bool = False
    blue: bool = False
    verified_type: str | None = None
    automated_by: str | None = None
    affiliate: Account | None = None
    renames: int = 0
    likes_given: int = 0
    pinned: Post | None = None
    posts: list[Post] = field(default_factory=list)
    followers: list[Account] = field(default_factory=list)
    followings: list[Account] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<Account @{self.handle}>"

    @property
    def media_count(self) -> int:
        return sum(len(post.media) for post in self.posts)


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Post:
    """A post. `quoted_gone` is the id of a quoted post that no longer exists."""

    id: int
    at: int
    author: Account
    text: str
    lang: str = "en"
    topic: str = ""
    source: str = "Twitter Web App"
    reply_to: Post | None = None
    quoted: Post | None = None
    quoted_gone: int | None = None
    repost_of: Post | None = None
    media: tuple[Media, ...] = ()
    links: tuple[Link, ...] = ()
    card: Card | None = None
    poll: Poll | None = None
    article: Article | None = None
    author_form: AuthorForm = "full"
    limited: bool = False
    likes: int = 0
    views: int | None = 0
    bookmarks: int = 0
    replies: list[Post] = field(default_factory=list)
    quotes: list[Post] = field(default_factory=list)
    reposts: list[Post] = field(default_factory=list)
    mentions: tuple[Account, ...] = ()
    words: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"<Post {self.id} @{self.author.handle}>"

    @property
    def root(self) -> Post:
        post = self
        while post.reply_to is not None:
            post = post.reply_to
        return post

    @property
    def visible(self) -> bool:
        return self.author.state == "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """An audio room. `epoch` sends its times as epoch milliseconds in strings, with nulls."""

    id: str
    title: str
    state: str
    created: int
    scheduled: int
    updated: int
    media_id: int
    host: Account
    speakers: tuple[Account, ...]
    listeners: tuple[Account, ...]
    live: int
    replays: int
    epoch: bool = False
