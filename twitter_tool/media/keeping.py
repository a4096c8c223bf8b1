"""Words of videos from earlier calls: what is looked up in the private cache before work, and kept after it."""

from __future__ import annotations

from dataclasses import dataclass

from twitter_tool.media.assets import Asset
from twitter_tool.media.cache import EvidenceCache, Kept, cache_key
from twitter_tool.media.values import Heard, Watched
from twitter_tool.notes import Note, note


@dataclass(slots=True, kw_only=True)
class Keeping:
    """The cache as one call uses it.

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

    async def recall(self, asset: Asset) -> tuple[Watched | None, Heard | None]:
        """What is known of a video; at most one of both."""
        if self.cache is None:
            return None, None
        for route in (self.watches, self.hears):
            kept = await self.cache.get(self._key(asset, route)) if route else None
            if kept is None:
                continue
            self.hits += 1
            if route == self.watches:
                return Watched(
                    method=kept.method, visual=kept.visual, transcript=kept.transcript, silent=kept.silent
                ), None
            return None, Heard(transcript=kept.transcript)
        return None, None

    async def keep(self, asset: Asset, watched: Watched | None, heard: Heard | None) -> None:
        """Keep what was made of a video in this call."""
        if self.cache is None:
            return
        if self.watches and watched is not None and watched.is_evidence:
            kept = Kept(
                method=watched.method, visual=watched.visual, transcript=watched.transcript, silent=watched.silent
            )
            await self.cache.put(self._key(asset, self.watches), kept)
        elif self.hears and heard is not None and heard.transcript:
            await self.cache.put(self._key(asset, self.hears), Kept(method="stt", transcript=heard.transcript))

    def notes(self) -> tuple[Note, ...]:
        """Whose words came from an earlier call."""
        return (note("evidence_cache_hit", count=self.hits),) if self.hits else ()

    def set_up_notes(self) -> tuple[Note, ...]:
        """What was wrong with the cache."""
        if self.cache is None or self.cache.trouble is None:
            return ()
        return (note("setting_ignored", keys=["evidence_cache"], reason="unusable", detail=self.cache.trouble),)

    def _key(self, asset: Asset, route: str) -> str:
        return cache_key(asset, window_s=self.window_s, route=route, source=self.source)
