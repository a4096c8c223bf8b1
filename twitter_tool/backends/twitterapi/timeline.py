"""Posts and accounts gathered over pages: duplicates told apart, pins put in their place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from twitter_tool import links
from twitter_tool.backends.twitterapi.wire import posts as wire
from twitter_tool.backends.twitterapi.wire.values import string
from twitter_tool.notes import Note, note
from twitter_tool.records import Account, Post


@dataclass(slots=True)
class Accounts:
    """Accounts in upstream order, each once: equal id, or equal handle whatever its case."""

    records: list[Account] = field(default_factory=list)
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def add(self, account: Account) -> None:
        """Keep an account unless it was seen; remember every identity of every occurrence."""
        account_id, handle = account.identities
        keys = {("handle", handle)} | ({("id", account_id)} if account_id else set())
        if not keys & self._seen:
            self.records.append(account)
        self._seen |= keys


@dataclass(slots=True)
class Posts:
    """Posts in upstream order, each once: equal id, or equal link as sent.

    A full pin is marked and placed before the posts of its page; a pin of which only the id came is looked for
    among the posts at the end, and never fetched.
    """

    records: list[Post] = field(default_factory=list)
    _seen: set[tuple[str, str]] = field(default_factory=set)
    _pins: dict[str, None] = field(default_factory=dict)
    _full_pins: set[str] = field(default_factory=set)
    _unrecognised: int = 0
    _merged: int = 0

    def add(self, post: Post) -> None:
        """Keep a post unless it, or the pin it is a copy of, was seen."""
        post_id, url = post.identities
        keys = ({("id", post_id)} if post_id else set()) | ({("url", url)} if url else set())
        known = bool(keys & self._seen)
        self._seen |= keys
        if known:
            return
        identity = wire.post_identity(post)
        if identity is not None and identity in self._full_pins:
            self._merged += 1
            return
        self.records.append(post)

    def pin(self, raw: Any) -> None:
        """Take a page's pin: a whole post, an id, a link, or something not recognised."""
        if raw is None:
            return
        full = wire.post(raw) if wire.is_full(raw) else None
        if full is not None:
            self._full_pin(replace(full, pinned=True))
            return
        identity = _pin_identity(raw)
        if identity is None:
            self._unrecognised += 1
        else:
            self._pins[identity] = None

    def finish(self) -> tuple[Note, ...]:
        """Mark posts whose id was pinned; what is said about pins."""
        missing = [identity for identity in self._pins if not self._mark(identity)]
        notes = []
        if missing:
            notes.append(note("pin_not_returned", count=len(missing), ids=missing))
        if self._unrecognised:
            notes.append(note("pin_unrecognised", count=self._unrecognised))
        if self._merged:
            notes.append(note("pin_merged", count=self._merged))
        return tuple(notes)

    def _full_pin(self, pin: Post) -> None:
        identity = wire.post_identity(pin)
        post_id, url = pin.identities
        # A link alone must not make another post with an id of its own disappear behind the pin.
        self._seen |= {("id", post_id)} if post_id else ({("url", url)} if url else set())
        if identity is not None:
            self._full_pins.add(identity)
            places = self._places(identity)
        elif url is not None:
            places = [at for at, post in enumerate(self.records) if post.identities[1] == url]
        else:  # nothing tells it from others but what it says; a timeline repeats its pin on every page
            places = [at for at, post in enumerate(self.records) if post == pin]
        if places:
            self._merge(places, pin)
        else:
            self.records.append(pin)

    def _mark(self, identity: str) -> bool:
        places = self._places(identity)
        usable = [self.records[at] for at in places if _usable(self.records[at])]
        if not usable:
            return False
        self._merge(places, next((post for post in usable if post.identities[0]), usable[0]))
        return True

    def _merge(self, places: list[int], pin: Post) -> None:
        """Leave one pinned post in the first of these places: the whole post that stands there, else the pin."""
        first = self.records[places[0]]
        kept = first if first.identities[0] is not None and _usable(first) else pin
        self._merged += sum(_is_alias(self.records[at], pin) for at in places)
        self.records[places[0]] = replace(kept, pinned=True)
        for at in reversed(places[1:]):
            del self.records[at]

    def _places(self, identity: str) -> list[int]:
        return [at for at, post in enumerate(self.records) if wire.post_identity(post) == identity]


def _is_alias(post: Post, pin: Post) -> bool:
    """Whether one post came under two names: by id and by link, or by two links."""
    (post_id, url), (pin_id, pin_url) = post.identities, pin.identities
    return post_id != pin_id or (post_id is None and url != pin_url)


def _usable(post: Post) -> bool:
    return bool(post.text or post.text_replaced or post.media)


def _pin_identity(raw: Any) -> str | None:
    if isinstance(raw, str):
        return links.post_id(raw)
    if not isinstance(raw, dict):
        return None
    pin_id = string(raw.get("id"))
    if pin_id is not None and links.is_post_id(pin_id):
        return pin_id
    url = links.permalink(raw.get("url"))
    return links.permalink_id(url) if url else None
