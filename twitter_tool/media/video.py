"""One video, start to end: download, the part that may be used, what it shows, what is said in it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from twitter_tool.clock import Clock
from twitter_tool.http import Http
from twitter_tool.media.admission import admit
from twitter_tool.media.assets import Asset
from twitter_tool.media.clip import Clip, fetch_clip
from twitter_tool.media.ffmpeg import MAX_WIDTH, Ffmpeg, frame_times
from twitter_tool.media.hearing import Hearing
from twitter_tool.media.keeping import Keeping
from twitter_tool.media.leftovers import NoFolder, clip_folder
from twitter_tool.media.native import INLINE_BYTES, Ask, NativeFailure, NativeRoute, watch
from twitter_tool.media.save import MediaSaver
from twitter_tool.media.timing import Deadline, Pace
from twitter_tool.media.values import Bounds, Heard, Picture
from twitter_tool.media.video_work import FramesGap, Seen, Stage, VideoLimits, Work, extent, is_short, seen_of
from twitter_tool.notes import note
from twitter_tool.redaction import redact
from twitter_tool.text import line
from twitter_tool.usage import Usage

REASON_CAP: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoWorker:
    """Processes the videos of one call.

    Attributes:
        media, endpoints: connections to X's media hosts and to configured services; made when they are first used.
        ffmpeg: ``None`` when there is none; ``no_ffmpeg`` says why then.
        native: the service that watches clips, when one is configured.
        ask: carries a clip through LiteLLM, for that route.
        bounds: of frames; ``None`` when no frames are wanted.
        frames_gap: why no frames are wanted; ``None`` when they are.
    """

    media: Callable[[], Http]
    endpoints: Callable[[], Http]
    ffmpeg: Ffmpeg | None
    hearing: Hearing
    native: NativeRoute | None
    ask: Ask | None
    limits: VideoLimits
    bounds: Bounds | None
    frames_gap: FramesGap | None
    usage: Usage
    clock: Clock
    keeping: Keeping
    saver: MediaSaver | None
    secrets: tuple[str, ...] = field(default=(), repr=False)
    no_ffmpeg: str = "there is no ffmpeg"

    async def process(self, asset: Asset, *, deadline: Deadline, frames: int, stage: Stage) -> Seen:
        """Make evidence of one video; what goes wrong on the way becomes a note.

        Args:
            deadline: of all videos of the call together.
            frames: the most frames that can be used.
            stage: told what is being done.
        """
        with contextlib.ExitStack() as stack:
            try:
                folder = stack.enter_context(clip_folder())
            except NoFolder as error:
                return Seen(notes=(note("video_failed", reason=str(error)),))
            work = Work(asset, folder, deadline, stage, frames if self.bounds is not None else 0)
            try:
                await self._work(work)
            except Exception as error:
                # Whatever a damaged clip or a tool brings up: what was made and disclosed before it is kept.
                work.failed(redact(line(f"{type(error).__name__}: {error}", REASON_CAP), self.secrets))
            return self._result(work)

    async def _work(self, work: Work) -> None:
        await self._recall(work)
        if self._is_known(work):
            self._say_why_unheard(work)
            return
        self._warm(work)
        clip = await self._download(work)
        if clip is None:
            return
        if not work.deadline.left:
            work.notes.append(note("video_skipped", count=1, reason="deadline"))
            return
        bounded = await self._bounded(work, clip)
        if self.native is not None and work.watched is None:
            await self._watch(work, bounded)
        if self._wants_frames(work):
            await self._take_frames(work, bounded or clip.path)
        if not work.has_words and work.recalled_heard is None:
            await self._hear(work, bounded or clip.path)
        await self._remember(work)

    def _wants_frames(self, work: Work) -> bool:
        native_gave = work.watched is not None and work.watched.is_evidence
        return bool(work.frames_wanted) and not native_gave

    async def _recall(self, work: Work) -> None:
        """Look up what earlier calls made of the video; what a service said of it counts at once."""
        work.recalled_watched = await self.keeping.recall_watched(work.asset)
        if work.recalled_watched is not None:
            work.watched = work.recalled_watched.value
        if not work.has_words:
            work.recalled_heard = await self.keeping.recall_heard(work.asset)

    def _is_known(self, work: Work) -> bool:
        """Whether earlier calls have told everything that this one could find out."""
        if (work.watched is None and self.native is not None) or self._wants_frames(work):
            return False
        if work.recalled_heard is not None:
            return True
        return work.watched is not None and (work.has_words or work.asset.kind == "gif" or not self.hearing.route)

    def _say_why_unheard(self, work: Work) -> None:
        """The notes that a call without an earlier one would give, too."""
        if work.has_words or work.recalled_heard is not None:
            return
        if work.asset.kind == "gif":
            work.heard = Heard(notes=(note("transcript_absent", reason="no_audio"),))
        elif self.hearing.gap is not None:
            work.notes.append(self.hearing.gap)

    def _warm(self, work: Work) -> None:
        """Begin to load what will listen to the video, if it is sure to be needed."""
        speaks = work.asset.kind != "gif" and work.recalled_heard is None
        if speaks and self.native is None and self.ffmpeg is not None:
            self.hearing.warm()

    async def _remember(self, work: Work) -> None:
        """Keep what was made in this call; what was kept before grows old from the day on which it was made."""
        made_watched = work.watched if work.recalled_watched is None else None
        made_heard = work.heard if work.recalled_heard is None else None
        trimmed, seconds = extent(work, self.limits.seconds)
        await self.keeping.keep(work.asset, watched=made_watched, heard=made_heard, seconds=seconds, trimmed=trimmed)

    async def _download(self, work: Work) -> Clip | None:
        work.stage("downloading video")
        pace = Pace(self.clock, lambda words: work.stage(f"downloading video · {words}"), unit="bytes")
        clip = await fetch_clip(
            work.asset.media,
            into=work.folder / "clip.mp4",
            http=self.media(),
            usage=self.usage,
            clock=self.clock,
            deadline=work.deadline.at,
            preferred_bytes=INLINE_BYTES if self.limits.prefers_inline else None,
            max_bytes=self.limits.max_bytes,
            on_bytes=pace,
        )
        if isinstance(clip, Clip):
            if self.saver is not None:
                saved = await asyncio.to_thread(self.saver.clip, work.asset.places[0].post.id, clip.path)
                if saved is not None:
                    work.stage(f"saved as {saved.name}")
            return clip
        if clip == "failed":
            work.failed("the video could not be downloaded")
        else:
            work.notes.append(note("video_skipped", count=1, reason=clip))
        return None

    async def _bounded(self, work: Work, clip: Clip) -> Path | None:
        """The clip, cut to the allowed length where it is longer or its length is not known; ``None`` if not cut."""
        known = work.asset.duration_s
        if known is None or (self.native is not None and known <= self.limits.seconds):
            # What the upstream says of the length is no proof; nothing longer than allowed may be sent anywhere.
            work.measured = await self._measured(work, clip.path)
        limit, measured = self.limits.seconds, work.measured
        told_so = known is None or known <= limit
        found_so = measured is None or is_short(measured, limit)
        if work.length is not None and told_so and found_so:
            return clip.path
        work.trimmed = True
        into = work.folder / "trimmed.mp4"
        if self.ffmpeg is not None and await self.ffmpeg.trim(
            clip.path, seconds=self.limits.seconds, into=into, timeout_s=work.deadline.left
        ):
            return into
        if self.native is not None:
            work.notes.append(note("video_skipped", count=1, reason="unbounded"))
        return None

    async def _measured(self, work: Work, clip: Path) -> float | None:
        if self.ffmpeg is None:
            return None
        facts = await self.ffmpeg.probe(clip, timeout_s=work.deadline.left)
        return None if facts is None else facts.duration_s

    async def _watch(self, work: Work, clip: Path | None) -> None:
        """Have a service watch the clip; a clip that may be longer than allowed is never sent."""
        assert self.native is not None
        if clip is None:
            return
        work.stage("native video analysis")
        outcome = await watch(
            self.native,
            clip,
            http=self.endpoints(),
            usage=self.usage,
            clock=self.clock,
            timeout_s=work.deadline.left,
            ask=self.ask,
            secrets=self.secrets,
        )
        work.notes.extend(outcome.notes)
        if not isinstance(outcome, NativeFailure):
            work.watched = outcome

    async def _take_frames(self, work: Work, clip: Path) -> None:
        if self.ffmpeg is None:
            work.failed(self.no_ffmpeg)
            return
        assert self.bounds is not None
        duration = work.length
        if duration is None and work.trimmed:
            duration = self.limits.seconds
        if duration is None:
            return
        times, encoded = await self._encoded(work, clip, duration, self.bounds)
        if not encoded and work.measured is None:
            # The upstream's length may be wrong by so much that every moment lies behind the end.
            work.measured = await self._measured(work, clip)
            if work.measured is not None and work.measured < duration:
                times, encoded = await self._encoded(work, clip, work.measured, self.bounds)
        if len(encoded) < len(times):
            work.notes.append(note("frames_partial", obtained=len(encoded), requested=len(times)))
        fitting = [
            Picture(
                kind="frame",
                mime=admitted.mime,
                data=data,
                width=admitted.width,
                height=admitted.height,
                frame=(number, len(encoded), at),
            )
            for number, (data, at) in enumerate(zip(encoded, times, strict=False), 1)
            if (admitted := admit(data, "image/jpeg", self.bounds)) is not None
        ]
        if len(fitting) < len(encoded):
            work.notes.append(note("images_rejected", count=len(encoded) - len(fitting)))
        if len(fitting) > work.frames_wanted:
            work.notes.append(note("images_omitted", count=len(fitting) - work.frames_wanted, reason="cap"))
        work.frames = tuple(spread(fitting, work.frames_wanted))

    async def _encoded(
        self, work: Work, clip: Path, duration_s: float, bounds: Bounds
    ) -> tuple[tuple[float, ...], tuple[bytes, ...]]:
        """The moments of the frames, and as many of them as could be taken."""
        assert self.ffmpeg is not None
        times = frame_times(duration_s, max_frames=self.limits.frames, max_seconds=self.limits.seconds)
        work.stage(f"taking {len(times)} frames · at most {work.deadline.left:.0f} s left")
        encoded = await self.ffmpeg.frames(
            clip,
            at=times,
            folder=work.folder / "frames",
            timeout_s=work.deadline.left,
            max_width=min(MAX_WIDTH, bounds.max_width),
            max_height=bounds.max_height,
        )
        return times, encoded

    async def _hear(self, work: Work, clip: Path) -> None:
        if work.asset.kind == "gif":
            work.heard = Heard(notes=(note("transcript_absent", reason="no_audio"),))
            return
        if self.ffmpeg is None:
            work.failed(self.no_ffmpeg)
            if self.hearing.gap is not None:
                work.notes.append(self.hearing.gap)
            return
        if self.hearing.route:
            work.stage(f"transcribing{self._sound(work)} · at most {work.deadline.left:.0f} s left")
        pace = Pace(self.clock, lambda words: work.stage(f"transcribing · {words}"), unit="seconds")
        work.heard = await self.hearing.hear(
            clip,
            ffmpeg=self.ffmpeg,
            duration_s=work.length,
            folder=work.folder,
            deadline=work.deadline,
            on_progress=pace,
        )

    def _sound(self, work: Work) -> str:
        seconds = work.length
        return "" if seconds is None else f" {min(seconds, self.limits.seconds):.0f} s of sound"

    def _result(self, work: Work) -> Seen:
        if work.recalled_heard is not None and not work.has_words:
            work.heard = work.recalled_heard.value
        seen = seen_of(work, limit=self.limits.seconds, frames_gap=self.frames_gap)
        if seen.is_evidence and work.recalled:
            self.keeping.used()
        return seen


def spread(pictures: list[Picture], most: int) -> list[Picture]:
    """At most so many of these, evenly over them and in their order."""
    count = len(pictures)
    if count <= most:
        return pictures
    return [pictures[(2 * place + 1) * count // (2 * most)] for place in range(most)]
