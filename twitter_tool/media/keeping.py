"""Words of videos from earlier calls: what is looked up in the private cache before work, and kept after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from twitter_tool.media.assets import Asset
from twitter_tool.media.cache import EvidenceCache, Kept, cache_key
from twitter_tool.media.values import Heard, Watched
from twitter_tool.notes import Note, note

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled(Generic[T]):
    """What an earlier call made of a video.

    Attributes:
        seconds: of the video that were used, where that was known.
        trimmed: whether they are its beginning only.
    """

    value: T
    seconds: int | None
    trimmed: bool


@dataclass(slots=True, kw_only=True)
class Keeping:
    """The cache as one call uses it; what a service said and what was recognised are kept apart.

    Attributes:
        cache: ``None`` when nothing is kept.
        window_s: seconds of a video that are used.
        watches: the service that watches clips, as an identity of its work; blank when there is none.
        hears: what transcribes, likewise.
        source: where the videos come from when it is not X itself.
        hits: videos whose words came from an earlier call.
    """

    cache: EvidenceCache | None = None
    window_s: int = 0
    watches: str = ""
    hears: str = ""
    source: str = ""
    hits: int = 0

    async def recall_watched(self, asset: Asset) -> Recalled[Watched] | None:
        """What the service said of a video."""
        kept = await self._get(asset, self.watches)
        if kept is None:
            return None
        watched = Watched(method=kept.method, visual=kept.visual, transcript=kept.transcript, silent=kept.silent)
        return Recalled(value=watched, seconds=kept.seconds, trimmed=kept.trimmed)

    async def recall_heard(self, asset: Asset) -> Recalled[Heard] | None:
        """What was recognised of a video's speech, with the note about what the transcript lacks."""
        kept = await self._get(asset, self.hears)
        if kept is None or kept.transcript is None:
            return None
        notes = (note("transcript_partial", count=kept.dropped),) if kept.dropped else ()
        heard = Heard(transcript=kept.transcript, notes=notes)
        return Recalled(value=heard, seconds=kept.seconds, trimmed=kept.trimmed)

    async def keep(
        self,
        asset: Asset,
        *,
        watched: Watched | None = None,
        heard: Heard | None = None,
        seconds: int | None,
        trimmed: bool,
    ) -> None:
        """Keep what was made of a video in this call, as far as it tells anything.

        Args:
            seconds: of the video that were used, where that is known.
            trimmed: whether they are its beginning only.
        """
        if watched is not None and watched.is_evidence:
            kept = Kept(
                method=watched.method,
                visual=watched.visual,
                transcript=watched.transcript,
                silent=watched.silent,
                seconds=seconds,
                trimmed=trimmed,
            )
            await self._put(asset, self.watches, kept)
        if heard is not None and heard.transcript:
            dropped = sum(entry.figures.get("count", 0) for entry in heard.notes if entry.code == "transcript_partial")
            kept = Kept(method="stt", transcript=heard.transcript, dropped=dropped, seconds=seconds, trimmed=trimmed)
            await self._put(asset, self.hears, kept)

    def used(self) -> None:
        """Words of one more video came from an earlier call."""
        self.hits += 1

    def notes(self) -> tuple[Note, ...]:
        """Whose words came from an earlier call."""
        return (note("evidence_cache_hit", count=self.hits),) if self.hits else ()

    def set_up_notes(self) -> tuple[Note, ...]:
        """What was wrong with the cache."""
        if self.cache is None or self.cache.trouble is None:
            return ()
        reason = "replaced" if self.cache.usable else "unusable"
        return (note("setting_ignored", keys=["evidence_cache"], reason=reason, detail=self.cache.trouble),)

    async def _get(self, asset: Asset, route: str) -> Kept | None:
        return None if self.cache is None or not route else await self.cache.get(self._key(asset, route))

    async def _put(self, asset: Asset, route: str, kept: Kept) -> None:
        if self.cache is not None and route:
            await self.cache.put(self._key(asset, route), kept)

    def _key(self, asset: Asset, route: str) -> str:
        return cache_key(asset, window_s=self.window_s, route=route, source=self.source)
