"""Downloading photos and posters: from X's media hosts only, each address once, with a cap on attempts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from twitter_tool.clock import Clock
from twitter_tool.http import Http
from twitter_tool.media.admission import Admitted, admit, media_type
from twitter_tool.media.counted import counted
from twitter_tool.media.hosts import is_media_address
from twitter_tool.media.values import Bounds, Picture, PictureKind
from twitter_tool.usage import Usage

MAX_PICTURE_BYTES: Final = 8 * 1024 * 1024
PICTURE_S: Final = 20.0
ATTEMPTS_EACH: Final = 3
_HEADERS: Final[Mapping[str, str]] = {"Accept": "image/jpeg, image/png"}

Missing = Literal["failed", "rejected", "unattempted"]


@dataclass(frozen=True, slots=True)
class _Kept:
    data: bytes
    header: Admitted


def attempts_for(max_media: int) -> int:
    """How many downloads one call may attempt, successful or not, for its limit on attached pictures."""
    return ATTEMPTS_EACH * max(1, max_media)


class PictureLoader:
    """Downloads the pictures of one call; what went wrong with an address is final.

    May be asked for several pictures at once.

    Args:
        http: connections to the media hosts.
        bounds: what every picture must keep to.
        usage: where requests are counted.
        attempts: most downloads; see :func:`attempts_for`.
    """

    def __init__(self, http: Http, *, bounds: Bounds, usage: Usage, clock: Clock, attempts: int) -> None:
        self._http = http
        self._bounds = bounds
        self._usage = usage
        self._clock = clock
        self._attempts_left = attempts
        self._known: dict[str, _Kept | Missing] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    @property
    def failed(self) -> int:
        """How many addresses were refused or could not be downloaded."""
        return sum(outcome == "failed" for outcome in self._known.values())

    @property
    def rejected(self) -> int:
        """How many downloaded pictures are not what a model may be given."""
        return sum(outcome == "rejected" for outcome in self._known.values())

    async def load(self, url: str, kind: PictureKind, deadline: float) -> Picture | Missing:
        """The picture behind an address.

        Args:
            kind: what the asker takes it for; the same address may be a photo here and a poster there.
            deadline: of the phase, in seconds of the clock's monotonic time.

        Returns:
            The picture; ``failed`` when it could not be had or its host is refused; ``rejected`` when what came is not
            admitted; ``unattempted`` when attempts or time are used up, which a later deadline may change.
        """
        async with self._locks.setdefault(url, asyncio.Lock()):
            outcome = self._known.get(url)
            if outcome is None:
                outcome = await self._look_up(url, deadline)
                if outcome != "unattempted":
                    self._known[url] = outcome
        if not isinstance(outcome, _Kept):
            return outcome
        header = outcome.header
        return Picture(kind=kind, mime=header.mime, data=outcome.data, width=header.width, height=header.height)

    async def _look_up(self, url: str, deadline: float) -> _Kept | Missing:
        if not is_media_address(url):
            return "failed"
        timeout_s = min(PICTURE_S, deadline - self._clock.monotonic())
        if timeout_s <= 0 or self._attempts_left <= 0:
            return "unattempted"
        self._attempts_left -= 1
        request = self._http.get(url, headers=_HEADERS, max_bytes=MAX_PICTURE_BYTES, timeout_s=timeout_s)
        response = await counted(self._usage, request)
        if isinstance(response, str) or not response.body:
            return "failed"
        label = response.headers.get("content-type")
        if not media_type(label).startswith("image/"):
            return "failed"
        header = admit(response.body, label, self._bounds)
        return "rejected" if header is None else _Kept(response.body, header)
