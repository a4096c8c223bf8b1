"""Which rendition of a video to download: their sizes, asked for or estimated, and the order in which to try them."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from twitter_tool.clock import Clock
from twitter_tool.http import Http
from twitter_tool.media.counted import counted
from twitter_tool.media.hosts import is_media_address
from twitter_tool.records import Variant
from twitter_tool.usage import Usage

PROBE_S: Final = 5.0
"""All are asked at once, so that this is also what they take together."""
MAX_PROBES: Final = 16
"""Renditions beyond these are not asked for their size; X lists three or four."""
OVERHEAD: Final = 1.1
"""Sound and container on top of what the bit rate, which is that of the picture, gives."""
_HEADERS: Final[Mapping[str, str]] = {"Accept": "video/mp4", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class Sized:
    """A rendition on an allowed host.

    Attributes:
        size: bytes; ``None`` when it can be neither asked for nor estimated.
        measured: the server stated the size.
    """

    variant: Variant
    size: int | None = None
    measured: bool = False


async def sized(
    variants: Iterable[Variant], *, http: Http, usage: Usage, clock: Clock, deadline: float, duration_s: float | None
) -> tuple[Sized, ...]:
    """Ask for the size of every rendition at once, for 5 s at most; refused hosts are left out unasked.

    Args:
        deadline: in seconds of the clock's monotonic time; nothing is asked after it.
        duration_s: for the estimate of a size that the server does not state.

    Returns:
        In the given order, an address listed twice once.
    """
    allowed = tuple({item.url: item for item in variants if is_media_address(item.url)}.values())
    timeout_s = min(PROBE_S, deadline - clock.monotonic())
    stated: dict[str, int | None] = {}
    if timeout_s > 0:
        urls = [item.url for item in allowed[:MAX_PROBES]]
        async with asyncio.TaskGroup() as group:
            probes = [group.create_task(_stated(url, http, usage, timeout_s)) for url in urls]
        stated = {url: probe.result() for url, probe in zip(urls, probes, strict=True)}
    return tuple(_sized(item, stated.get(item.url), duration_s) for item in allowed)


def ranked(found: Sequence[Sized], *, preferred_bytes: int | None, max_bytes: int) -> tuple[Sized, ...]:
    """The order in which to try renditions.

    First those of at most ``preferred_bytes``, then those of at most ``max_bytes``, both the sharpest first; then those
    of unknown size as they came (the lowest bit rate first), then those that are too large, the smallest first.

    Args:
        preferred_bytes: ``None`` when small files are not preferred.
        max_bytes: most bytes that may be downloaded.
    """

    def order(item: Sized) -> tuple[float, ...]:
        if item.size is None:
            return (2,)
        if item.size > max_bytes:
            return (3, item.size)
        preferred = preferred_bytes is not None and item.size <= preferred_bytes
        return (0 if preferred else 1, -(item.variant.bitrate or 0), -item.size)

    return tuple(sorted(found, key=order))


def estimate(bitrate: float | None, duration_s: float | None) -> int | None:
    """Bytes that so many seconds at a bit rate (bits per second) take; ``None`` when either is not known."""
    if not bitrate or bitrate < 0 or not duration_s:
        return None
    size = bitrate / 8 * duration_s * OVERHEAD
    return round(size) if math.isfinite(size) else None


def _sized(variant: Variant, stated: int | None, duration_s: float | None) -> Sized:
    if stated is not None:
        return Sized(variant, stated, measured=True)
    return Sized(variant, estimate(variant.bitrate, duration_s))


async def _stated(url: str, http: Http, usage: Usage, timeout_s: float) -> int | None:
    usage.media_head_attempts += 1
    request = http.request("HEAD", url, headers=_HEADERS, max_bytes=0, timeout_s=timeout_s)
    response = await counted(usage, request)
    length = "" if isinstance(response, str) else response.headers.get("content-length", "")
    return (int(length) or None) if length.isascii() and length.isdigit() and len(length) <= 15 else None
