"""Puts accounts and posts together; used once, while the world is built."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from .clock import NOW, Dice, code, digest, snowflake, unix
from .records import Account, Link, Media, MediaKind, Post
from .wire import repost_text

_MENTION: Final = re.compile(r"(?<![\w@])@([A-Za-z0-9_]{1,15})\b")
_SIZES: Final = {
    "chart.png": (960, 540),
    "timetable.png": (800, 600),
    "tram.jpg": (960, 640),
    "river.jpg": (960, 640),
    "hive.jpg": (960, 640),
    "clip.mp4": (480, 270),
    "loop.mp4": (480, 270),
}
CLIP_MILLIS: Final = 8_590
_SOURCES: Final = ("Twitter Web App", "Twitter for iPhone", "Twitter for Android", "Twitter Web App")


def link_to(url: str) -> Link:
    """A shortlink to an address."""
    shown = url.split("://", 1)[-1].rstrip("/")
    display = shown if len(shown) <= 32 else shown[:31] + "…"
    return Link(short=f"https://t.co/{code(10, 'link', url)}", expanded=url, display=display)


class Builder:
    """Collects what is made and keeps every id unique."""

    def __init__(self) -> None:
        self.accounts: dict[str, Account] = {}
        self.posts: list[Post] = []
        self.texts: set[str] = set()
        self._uses: dict[str, int] = {}
        self._ids: set[int] = set()

    def account(self, handle: str, name: str, joined: int, **rest: Any) -> Account:
        account = Account(
            id=self._id(joined, digest("account", handle)),
            handle=handle,
            name=name,
            joined=joined,
            likes_given=digest("likes", handle) % 9_000,
            **rest,
        )
        self.accounts[handle.lower()] = account
        return account

    def who(self, handle: str) -> Account:
        """An account by its handle without the common ending."""
        return self.accounts[f"{handle}_sbx".lower()]

    def media(self, asset: str, *, about: str, kind: MediaKind = "photo", alt: str | None = None) -> Media:
        """A picture or clip; `about` tells one use of an asset from another."""
        width, height = _SIZES[asset]
        key = "Sbx" + code(12, "media", asset, about)
        made = digest("media", asset, about) % (200 * 86_400)
        return Media(
            kind=kind,
            id=snowflake((NOW - made) * 1000, digest(about) % 4096),
            key=key,
            asset=asset,
            short=f"https://t.co/{code(10, 'pic', asset, about)}",
            width=width,
            height=height,
            alt=alt,
            millis=CLIP_MILLIS if kind == "video" else None,
        )

    def post(
        self,
        author: Account | str,
        at: int | str,
        text: str,
        *,
        reply_to: Post | None = None,
        media: Sequence[Media] = (),
        link: Link | None = None,
        likes: int = 0,
        **rest: Any,
    ) -> Post:
        """A post; a reply gets its leading mentions, links and media get their shortlinks."""
        if isinstance(author, str):
            author = self.who(author)
        if isinstance(at, str):
            at = unix(at)
        if reply_to is not None and reply_to.author is not author:
            text = f"@{reply_to.author.handle} {text}"
        for short in [link.short] if link else []:
            if short not in text:
                text = f"{text} {short}".strip()
        if media:
            text = f"{text} {media[0].short}".strip()
        number = self._id(at, digest("post", author.handle, text))
        mentioned = [self.accounts.get(name.lower()) for name in _MENTION.findall(text)]
        views = likes * 31 + digest("views", number) % 300 + 20
        source = author.name if author.automated_by else _SOURCES[digest("client", author.handle) % 4]
        found = Post(
            id=number,
            at=at,
            author=author,
            text=text,
            source=rest.pop("source", source),
            reply_to=reply_to,
            media=tuple(media),
            links=(link,) if link else (),
            likes=likes,
            # Posts from before 2023 have no view count upstream.
            views=views if at >= 1_672_531_200 else None,
            bookmarks=likes // 9,
            mentions=tuple(account for account in mentioned if account is not None),
            **rest,
        )
        self.posts.append(found)
        self.texts.add(text)
        return found

    def fresh(self, options: Sequence[str], dice: Dice) -> str:
        """One of the options, rather one that was seldom used before."""
        chosen = min((dice.pick(options) for _ in range(5)), key=lambda option: self._uses.get(option, 0))
        self._uses[chosen] = self._uses.get(chosen, 0) + 1
        return chosen

    def repost(self, author: Account, at: int, original: Post) -> Post:
        """A native repost: its own id and time, the original's cut text."""
        text = repost_text(original)
        found = Post(
            id=self._id(at, digest("repost", author.handle, original.id)),
            at=at,
            author=author,
            text=text,
            lang=original.lang,
            topic=original.topic,
            source=_SOURCES[digest("client", author.handle) % 4],
            repost_of=original,
            mentions=(original.author,),
        )
        self.posts.append(found)
        return found

    def _id(self, at: int, salt: int) -> int:
        number = snowflake(at * 1000 + salt % 1000, salt // 1000)
        while number in self._ids:
            salt += 7_001
            number = snowflake(at * 1000 + salt % 1000, salt // 1000)
        self._ids.add(number)
        return number


def daytime(dice: Dice, days: int) -> int:
    """A moment within the last days, more likely a late one, between six and half past ten at night."""
    day = NOW // 86_400 - (dice.below(days) * dice.between(5, 100)) // 100
    at = day * 86_400 + dice.between(6 * 3600, 22 * 3600 + 1800)
    return at if at < NOW - 60 else at - 86_400
