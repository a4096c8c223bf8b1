"""Room for what pictures and videos may add to the delivered posts, set aside before any of them is looked at.

A post comes first, then the words of its videos, then its images: what has no room is not looked at, and no post is
given up for it. What is set aside is the most that could be written, so that evidence never has to be cut for room.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from twitter_tool.media.assets import Asset, Place, assets_of, repeats
from twitter_tool.output.delivery import Retrieved
from twitter_tool.output.manifest import HEADING, longest_entry
from twitter_tool.output.render_media import longest_references, longest_text
from twitter_tool.output.room import Room
from twitter_tool.records import Post

_RELATIONS: Final = (None, "quoted", "reposted")
_HEADING: Final = len("\n\n" + HEADING)


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaWish:
    """What is wanted, before it is known what there is room for.

    Attributes:
        photos: photos are to be attached.
        posters: posters may be attached for videos that give nothing else.
        videos: the most videos to process.
        frames: the most frames of each.
        attachments: the most photos and posters together; frames are apart.
        max_images: the most images of one request.
    """

    photos: bool = False
    posters: bool = False
    videos: int = 0
    frames: int = 0
    attachments: int = 0
    max_images: int = 0

    @property
    def attaches(self) -> bool:
        """Whether photos or posters can be attached at all."""
        return self.attachments > 0 and self.max_images > 0 and (self.photos or self.posters)


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaReserve:
    """The media of everything that was read, and what is wanted of it."""

    assets: tuple[Asset, ...]
    wish: MediaWish


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaPlan:
    """The media of the delivered posts that there is room for. Every asset has just the places that have room.

    Attributes:
        assets: all of them, in the order of their first delivered place.
        photos: candidates, more than may be attached: the next one stands in for one that fails.
        videos: to process.
        posters: videos whose poster may be attached, those of ``videos`` included.
        slots: images that may be attached, frames included; any image may take any of them.
        over_cap, no_space: videos that are not processed, by cause.
        images_no_space: photos, and posters of videos that are not processed, that would have been tried but had no
            room.
        frames_no_space: frames that had none.
        repeated: how many places show again what another one shows.
    """

    assets: tuple[Asset, ...] = ()
    photos: tuple[Asset, ...] = ()
    videos: tuple[Asset, ...] = ()
    posters: tuple[Asset, ...] = ()
    slots: int = 0
    over_cap: int = 0
    no_space: int = 0
    images_no_space: int = 0
    frames_no_space: int = 0
    repeated: int = 0


def reserve_for(retrieved: Retrieved, wish: MediaWish) -> MediaReserve:
    """What is wanted of the media of these posts; the parent's, and what is no post, have none."""
    return MediaReserve(
        assets=assets_of([record for record in retrieved.records if isinstance(record, Post)]), wish=wish
    )


@dataclass(slots=True, eq=False)
class _Held:
    """An asset of a delivered post: the places with room for it, and what becomes of a video."""

    asset: Asset
    places: list[Place] = field(default_factory=list)
    video: Literal["reserved", "cap", "space"] | None = None


class Reserving:
    """Sets room aside for the media of one post after another.

    Args:
        room: claims are made on it.
        reserve: positions of its places are those of the candidate posts.
    """

    def __init__(self, room: Room, reserve: MediaReserve) -> None:
        self._room = room
        self._wish = reserve.wish
        self._places: dict[int, list[tuple[Asset, Place]]] = defaultdict(list)
        for asset in reserve.assets:
            for place in asset.places:
                self._places[place.unit].append((asset, place))
        self._held: dict[Asset, _Held] = {}
        self._videos = 0
        self._attached = 0
        self._slots = 0
        self._images_no_space = 0
        self._frames_no_space = 0

    def admit(self, unit: int) -> None:
        """Set aside what the media of a post may add, as far as there is room; the post itself has its room already."""
        if unit not in self._places:
            return
        new: list[_Held] = []
        here: dict[Asset, list[Place]] = defaultdict(list)
        for asset, place in sorted(self._places[unit], key=lambda pair: _position(pair[1])):
            here[asset].append(place)
        for asset, places in here.items():
            held = self._held.get(asset)
            if held is None:
                held = self._held[asset] = _Held(asset)
                new.append(held)
                self._begin(held, places)
            else:
                self._extend(held, places)
        for held in new:
            self._attach(held)
        for held in new:
            self._frame(held)

    def plan(self) -> MediaPlan:
        """What there is room for."""
        made = [(replace(held.asset, places=tuple(held.places)), held.video) for held in self._held.values()]
        wish = self._wish
        photos = tuple(asset for asset, _ in made if asset.kind == "photo") if wish.photos and wish.attaches else ()
        videos = tuple(asset for asset, video in made if video == "reserved")
        posters: tuple[Asset, ...] = ()
        if wish.posters and wish.attaches:
            posters = tuple(asset for asset, _ in made if asset.kind != "photo" and asset.poster is not None)
        return MediaPlan(
            assets=tuple(asset for asset, _ in made),
            photos=photos,
            videos=videos,
            posters=posters,
            slots=self._slots,
            over_cap=sum(video == "cap" for _, video in made),
            no_space=sum(video == "space" for _, video in made),
            images_no_space=self._images_no_space,
            frames_no_space=self._frames_no_space,
            repeated=repeats(dict.fromkeys((*photos, *videos, *posters))),
        )

    def _begin(self, held: _Held, places: list[Place]) -> None:
        """Take an asset up at its first delivered post; the references at its first place are paid with its images."""
        first, *further = places
        if held.asset.kind != "photo" and self._wish.videos:
            if self._videos >= self._wish.videos:
                held.video = "cap"
            elif self._room.take("", chars=len(places) * longest_text() + len(further) * self._references(True)):
                self._videos += 1
                held.video = "reserved"
                held.places += places
                return
            else:
                held.video = "space"
        held.places.append(first)
        self._extend(held, further)

    def _extend(self, held: _Held, places: Iterable[Place]) -> None:
        """Further places of an asset: what it gives is printed there too."""
        reserved = held.video == "reserved"
        chars = (longest_text() if reserved else 0) + (
            self._references(reserved) if reserved or self._attachable(held.asset) else 0
        )
        for place in places:
            if not chars or self._room.take("", chars=chars):
                held.places.append(place)

    def _references(self, reserved: bool) -> int:
        """Room for the references of an asset at a place of its own."""
        if not self._wish.max_images:
            return 0
        return longest_references(max(1, self._wish.frames) if reserved else 1)

    def _attachable(self, asset: Asset) -> bool:
        wanted = self._wish.photos if asset.kind == "photo" else self._wish.posters
        return self._wish.attaches and wanted and asset.poster is not None

    def _attach(self, held: _Held) -> None:
        """A slot for a photo, or for a poster unless frames of the same video will do for it."""
        stands_by = held.video == "reserved" and self._wish.frames > 0
        if not self._attachable(held.asset) or stands_by or self._attached >= self._wish.attachments:
            return
        if self._slots >= self._wish.max_images:
            return
        if self._slot():
            self._attached += 1
        elif held.video != "reserved":
            self._images_no_space += 1

    def _frame(self, held: _Held) -> None:
        if held.video != "reserved":
            return
        wanted = min(self._wish.frames, self._wish.max_images - self._slots)
        for done in range(wanted):
            if not self._slot():
                self._frames_no_space += wanted - done
                return

    def _slot(self) -> bool:
        heading = 0 if self._slots else _HEADING
        if not self._room.take("", chars=heading + longest_entry() + longest_references(1), images=1):
            return False
        self._slots += 1
        return True


def _position(place: Place) -> tuple[int, int]:
    """Own media first, then the quoted post's, then the reposted post's, each in the order in which they were sent."""
    return _RELATIONS.index(place.relation), _index(place)


def _index(place: Place) -> int:
    media: Iterator[int] = (number for number, one in enumerate(place.post.media) if one is place.media)
    return next(media, 0)
