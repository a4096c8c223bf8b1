"""Pictures and videos of posts: which of them are the same, whose they are, and in which order they are looked at."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from twitter_tool.links import Link
from twitter_tool.records import AssetKind, Media, Post

__all__ = ["Asset", "AssetKind", "Place", "Relation", "assets_of", "distinct", "duration_of", "repeats"]

Relation = Literal["quoted", "reposted"] | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Place:
    """Where an asset is shown.

    Attributes:
        unit: position of the delivered post.
        root: the delivered post.
        post: the post that the asset belongs to: ``root`` itself, or what it quotes or reposts.
        relation: of ``post`` to ``root``; ``None`` for the post itself.
        media: the post's own copy.
    """

    unit: int
    root: Post
    post: Post
    relation: Relation
    media: Media


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asset:
    """One picture or video with every place where it is shown, at least one; the first place's addresses are used."""

    kind: AssetKind
    places: tuple[Place, ...]

    @property
    def media(self) -> Media:
        """The copy that is looked at."""
        return self.places[0].media

    @property
    def poster(self) -> Link | None:
        """Address of the photo, or of the still picture that stands for a moving one."""
        return self.media.url

    @property
    def duration_s(self) -> float | None:
        """Length in seconds as sent with any copy; never zero, negative or endless."""
        return next((seconds for place in self.places if (seconds := duration_of(place.media)) is not None), None)

    def within(self, units: Collection[int]) -> Asset | None:
        """The asset as far as it is shown in these delivered posts; ``None`` when it is not."""
        places = tuple(place for place in self.places if place.unit in units)
        return replace(self, places=places) if places else None


def duration_of(media: Media) -> float | None:
    """A usable length in seconds, if one was sent."""
    sent = media.duration_ms
    return sent / 1000 if sent is not None and 0 < sent <= sys.float_info.max else None


def assets_of(posts: Sequence[Post]) -> tuple[Asset, ...]:
    """Every picture and video of delivered posts and of what they quote and repost, each once, in order.

    What a post repeats of the post that it quotes or reposts belongs to that one only.

    Args:
        posts: their positions become :attr:`Place.unit`.
    """
    found = [place for unit, post in enumerate(posts) for place in _places(unit, post)]
    grouped = list(zip(_groups(place.media for place in found), found, strict=True))
    nested = {(group, place.unit) for group, place in grouped if place.relation is not None}
    shown: dict[int, list[Place]] = {}
    seen: set[tuple[int, int, Relation]] = set()
    for group, place in grouped:
        where = group, place.unit, place.relation
        is_copy = place.relation is None and (group, place.unit) in nested
        if not is_copy and where not in seen:  # one post may list the same picture twice
            seen.add(where)
            shown.setdefault(group, []).append(place)
    return tuple(_asset(places) for places in shown.values())


def repeats(assets: Iterable[Asset]) -> int:
    """How many times a picture or video is shown again after its first place."""
    return sum(len(asset.places) - 1 for asset in assets)


def distinct(media: Iterable[Media]) -> int:
    """How many different pictures and videos these are; one that agrees with two others makes all three the same."""
    return len(set(_groups(item for item in media if item.asset_kind is not None)))


def _places(unit: int, root: Post) -> Iterator[Place]:
    family: tuple[tuple[Relation, Post | None], ...]
    family = ((None, root), ("quoted", root.quoted), ("reposted", root.reposted))
    for relation, post in family:
        if post is None:
            continue
        for media in post.media:
            if media.asset_kind is not None:
                yield Place(unit=unit, root=root, post=post, relation=relation, media=media)


def _asset(places: Sequence[Place]) -> Asset:
    kind = places[0].media.asset_kind
    assert kind is not None
    return Asset(kind=kind, places=tuple(places))


def _groups(media: Iterable[Media]) -> list[int]:
    """A group number for each; members of a group agree in an identity, if need be through others of the group."""
    merged: list[int] = []
    group_of: dict[tuple[object, ...], int] = {}

    def root(group: int) -> int:
        while merged[group] != group:
            merged[group] = group = merged[merged[group]]
        return group

    for item in media:
        mine = len(merged)
        merged.append(mine)
        for key in item.asset_keys:
            merged[root(group_of.setdefault(key, mine))] = root(mine)
    return [root(group) for group in range(len(merged))]
