"""Posts with pictures and videos, and what media work may have found about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evidence_samples import post

from twitter_tool import links, text
from twitter_tool.media.assets import Asset, assets_of
from twitter_tool.media.found import Found
from twitter_tool.media.values import Picture, VideoText
from twitter_tool.records import Media, Post, Variant

SPEECH = "[00:00] He was not an ill-disposed young man,\n[00:04] unless to be rather selfish is to be ill-disposed."


def photo(name: str = "a") -> Media:
    """A photo at the address of its name."""
    return Media(kind=text.line("photo", 100), url=links.link(f"https://pbs.twimg.com/media/{name}.jpg"))


def video(name: str = "v", *, kind: str = "video", poster: str | None = None) -> Media:
    """A video of 30 seconds at the address of its name."""
    return Media(
        kind=text.line(kind, 100),
        url=links.link(f"https://pbs.twimg.com/thumb/{poster or name}.jpg"),
        duration_ms=30_000,
        variants=(Variant(links.Link(f"https://video.twimg.com/{name}.mp4")),),
    )


def showing(number: int, *media: Media, **changes: Any) -> Post:
    """A post with these media."""
    return post(number, media=media, **changes)


def picture(kind: str = "photo", *, frame: tuple[int, int, float] | None = None, data: bytes = b"jpeg") -> Picture:
    """A picture that passed all checks."""
    return Picture(kind=kind, mime="image/jpeg", data=data, width=4, height=3, frame=frame)


def frames(count: int) -> tuple[Picture, ...]:
    """Frames of a video, four seconds apart."""
    return tuple(picture("frame", frame=(k, count, 4.0 * k - 2.2)) for k in range(1, count + 1))


def words(transcript: str | None = SPEECH, visual: str | None = None, method: str = "stt-only") -> VideoText:
    """What a video says and shows."""
    return VideoText(
        method=text.line(method, 10_000),
        transcript=None if transcript is None else text.block(transcript),
        visual=None if visual is None else text.block(visual),
    )


def assets(*posts: Post) -> tuple[Asset, ...]:
    """All media of these posts."""
    return assets_of(posts)


def found(asset: Asset, said: VideoText | None = None, pictures: Sequence[Picture] = ()) -> Found:
    """What media work gave for one asset."""
    return Found(asset=asset, text=said, pictures=tuple(pictures))
