"""What media work found about one asset."""

from __future__ import annotations

from dataclasses import dataclass

from twitter_tool.media.assets import Asset
from twitter_tool.media.values import Picture, VideoText


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A photo with its picture, or a video with words, frames or its poster.

    Attributes:
        asset: its places are those where the evidence is printed.
        pictures: in the order in which they are numbered.
    """

    asset: Asset
    text: VideoText | None = None
    pictures: tuple[Picture, ...] = ()
