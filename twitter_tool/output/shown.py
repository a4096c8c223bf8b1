"""What media work gave, post by post: words of videos, and the numbers of the images that belong to a post.

Posts are told apart by identity: two posts with the same words are still two, and nothing moves from one to the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from twitter_tool.media.assets import Place
from twitter_tool.media.found import Found
from twitter_tool.media.values import Picture, VideoText
from twitter_tool.output.manifest import entry, manifest
from twitter_tool.output.quoted import capped
from twitter_tool.output.render_media import METHOD_CAP, TRANSCRIPT_CAP, VISUAL_CAP
from twitter_tool.records import Post
from twitter_tool.text import line


@dataclass(frozen=True, slots=True)
class _OfPost:
    post: Post  # kept, so that nothing else can get its identity
    texts: tuple[VideoText, ...] = ()
    references: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shown:
    """The evidence from pictures and videos of one result.

    Attributes:
        images: in the order of their numbers, which begin at one.
        manifest: what each image is; empty without images.
    """

    images: tuple[Picture, ...] = ()
    manifest: str = ""
    _of: Mapping[int, _OfPost] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, post: Post) -> tuple[tuple[VideoText, ...], tuple[int, ...]]:
        """:meth:`texts` and :meth:`references` of a post."""
        found = self._of.get(id(post))
        return ((), ()) if found is None else (found.texts, found.references)

    def texts(self, post: Post) -> tuple[VideoText, ...]:
        """What the videos of this very post say and show, each text within its cap."""
        return self.of(post)[0]

    def references(self, post: Post) -> tuple[int, ...]:
        """The numbers of the images that belong to this very post."""
        return self.of(post)[1]

    def concerns(self, post: Post) -> bool:
        """Whether there is anything about the post, or what it quotes or reposts."""
        return bool(self._of) and any(id(one) in self._of for one in post.family())

    def without_images(self) -> Shown:
        """The words alone, for a reader that gets no images."""
        if not self.images:
            return self
        words = {key: replace(one, texts=_worded(one.texts), references=()) for key, one in self._of.items()}
        return Shown(_of={key: one for key, one in words.items() if one.texts})


NOTHING_SHOWN: Final = Shown()


def shown_of(found: Sequence[Found]) -> Shown:
    """Number the images and assign everything to its posts.

    Photos come first, then the pictures of each video. An image that stands for several videos has one number.

    Args:
        found: what media work gave, in order.
    """
    ordered = sorted(found, key=lambda one: one.asset.kind != "photo")
    texts: dict[int, list[VideoText]] = {}
    references: dict[int, list[int]] = {}
    posts: dict[int, Post] = {}
    numbers: dict[int, int] = {}
    images: list[Picture] = []
    shown_in: list[list[Place]] = []
    for one in ordered:
        places = {id(place.post): place for place in one.asset.places}
        posts.update((key, place.post) for key, place in places.items())
        if one.text is not None:
            text = _capped(one.text)
            for key in places:
                texts.setdefault(key, []).append(text)
        for picture in one.pictures:
            if id(picture) not in numbers:
                images.append(picture)
                shown_in.append([])
                numbers[id(picture)] = len(images)
            shown_in[numbers[id(picture)] - 1] += one.asset.places
            for key in places:
                references.setdefault(key, []).append(numbers[id(picture)])
    return Shown(
        images=tuple(images),
        manifest=manifest([entry(image, places) for image, places in zip(images, shown_in, strict=True)]),
        _of={
            key: _OfPost(post, tuple(texts.get(key, ())), tuple(sorted(set(references.get(key, ())))))
            for key, post in posts.items()
            if key in texts or key in references
        },
    )


def _capped(text: VideoText) -> VideoText:
    return VideoText(
        method=line(text.method, METHOD_CAP),
        transcript=capped(text.transcript, TRANSCRIPT_CAP) if text.transcript else None,
        visual=capped(text.visual, VISUAL_CAP) if text.visual else None,
    )


def _worded(texts: Iterable[VideoText]) -> tuple[VideoText, ...]:
    return tuple(text for text in texts if text.transcript or text.visual)
