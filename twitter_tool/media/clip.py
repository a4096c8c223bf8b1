"""Downloading a video: the best rendition that can be had, into a file, within limits of time and size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from twitter_tool.clock import Clock
from twitter_tool.http import Http
from twitter_tool.links import Link
from twitter_tool.media.admission import media_type
from twitter_tool.media.assets import duration_of
from twitter_tool.media.counted import Unanswered, counted
from twitter_tool.media.variants import ranked, sized
from twitter_tool.records import Media
from twitter_tool.usage import Usage

MAX_ATTEMPTS: Final = 16
"""Renditions of one video that are tried at most; X has about four."""
ClipGap = Literal["host", "size", "type", "deadline", "failed"]
_HEADERS: Final[Mapping[str, str]] = {"Accept": "video/mp4"}
_TYPES: Final = ("", "video/mp4")
"""What a rendition may be labelled; many servers do not label at all."""
_GAPS: Final[Mapping[Unanswered, ClipGap]] = {
    "forbidden": "host",
    "oversize": "size",
    "timeout": "deadline",
    "stalled": "deadline",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """A downloaded rendition: its file, that file's bytes, and where it came from."""

    path: Path
    size: int
    url: Link


async def fetch_clip(
    media: Media,
    *,
    into: Path,
    http: Http,
    usage: Usage,
    clock: Clock,
    deadline: float,
    preferred_bytes: int | None,
    max_bytes: int,
    on_bytes: Callable[[int, int | None], None] | None = None,
) -> Clip | ClipGap:
    """Download the first rendition that can be had, in the order of :func:`ranked`.

    Args:
        into: the file to write.
        deadline: in seconds of the clock's monotonic time, for sizes and downloads together.
        on_bytes: told how many bytes are there, and of how many if that is known.

    Returns:
        The clip, or why there is none: ``host`` when every rendition is on a refused host, ``size`` when every other
        one is too large, ``type`` when every other one is no MP4 (or there are none at all), ``deadline`` when time ran
        out, else ``failed``.
    """

    async def attempt(url: Link, timeout_s: float) -> ClipGap | None:
        request = http.download(
            url,
            headers=_HEADERS,
            into=into,
            accepts=_is_clip,
            max_bytes=max_bytes,
            timeout_s=timeout_s,
            on_bytes=on_bytes,
        )
        response = await counted(usage, request)
        if isinstance(response, str):
            return _GAPS.get(response, "failed")
        if response.failure is not None:
            return _GAPS.get(response.failure.kind, "failed")
        if response.body is None:
            return "type"
        return None if _size(into) else "failed"

    duration_s = duration_of(media)
    found = await sized(media.variants, http=http, usage=usage, clock=clock, deadline=deadline, duration_s=duration_s)
    if not found:
        return "host" if media.variants else "type"
    gaps: set[ClipGap] = set()
    attempts = 0
    for item in ranked(found, preferred_bytes=preferred_bytes, max_bytes=max_bytes):
        if item.measured and item.size is not None and item.size > max_bytes:
            gaps.add("size")
            continue
        left = deadline - clock.monotonic()
        if left <= 0:
            return "deadline"
        if attempts == MAX_ATTEMPTS:
            return "failed"
        attempts += 1
        gap = await attempt(item.variant.url, left)
        if gap is None:
            return Clip(path=into, size=_size(into), url=item.variant.url)
        if gap == "deadline":  # each download is given all the time that is left
            return gap
        gaps.add(gap)
    return gaps.pop() if len(gaps) == 1 else "failed"


def _is_clip(_status: int, headers: Mapping[str, str]) -> bool:
    return media_type(headers.get("content-type")) in _TYPES


def _size(path: Path) -> int:
    return path.stat().st_size
