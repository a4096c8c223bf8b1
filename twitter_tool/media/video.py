"""One video, start to end: download, the part that may be used, what it shows, what is said in it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from twitter_tool.clock import Clock
from twitter_tool.http import Http
from twitter_tool.media.admission import admit
from twitter_tool.media.assets import Asset
from twitter_tool.media.clip import Clip, fetch_clip
from twitter_tool.media.ffmpeg import Ffmpeg, frame_times
from twitter_tool.media.hearing import Hearing
from twitter_tool.media.keeping import Keeping
from twitter_tool.media.moments import keeps_within
from twitter_tool.media.native import Ask, NativeFailure, NativeRoute, watch
from twitter_tool.media.save import MediaSaver
from twitter_tool.media.timing import Deadline, Pace
from twitter_tool.media.values import Bounds, Heard, Picture, VideoText, Watched
from twitter_tool.notes import Note, note
from twitter_tool.redaction import redact
from twitter_tool.text import Block, line
from twitter_tool.usage import Usage

INLINE_BYTES: Final = 12 * 1024 * 1024
"""A clip of at most so many bytes goes to a video model inside the request; a rendition of that size is preferred."""
FRAME_WIDTH: Final = 768
NOTHING: Final = "it gave neither frames nor a transcript nor a description"
REASON_CAP: Final = 200
FramesGap = Literal["text_only", "bounds_missing", "space", "evidence_output"]
Stage = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoLimits:
    """What one video may take: seconds of it, bytes of its file, frames; whether the larger inline size matters."""

    seconds: int
    max_bytes: int
    frames: int
    prefers_inline: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a video gave: words, frames, and every disclosure about it."""

    text: VideoText | None = None
    frames: tuple[Picture, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def is_evidence(self) -> bool:
        """Whether there is anything to show."""
        return self.text is not None


@dataclass(slots=True)
class _Work:
    """A video being worked on."""

    asset: Asset
    folder: Path
    deadline: Deadline
    stage: Stage
    frames_wanted: int
    notes: list[Note] = field(default_factory=list)
    watched: Watched | None = None
    heard: Heard | None = None
    frames: tuple[Picture, ...] = ()
    trimmed: bool = False
    measured: float | None = None
    recalled: bool = False

    @property
    def length(self) -> float | None:
        """Seconds of the whole video: as the upstream says, else as its file has them."""
        return self.asset.duration_s if self.asset.duration_s is not None else self.measured

    def failed(self, reason: str) -> None:
        """Say, once, what went wrong."""
        told = note("video_failed", reason=reason)
        if told not in self.notes:
            self.notes.append(told)


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
        method_without_frames: what a transcript alone is called.
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
        with tempfile.TemporaryDirectory(prefix="twitter-tool-", ignore_cleanup_errors=True) as folder:
            work = _Work(asset, Path(folder), deadline, stage, frames if self.bounds is not None else 0)
            try:
                await self._work(work)
            except Exception as error:
                # Whatever a damaged clip or a tool brings up: what was made and disclosed before it is kept.
                work.failed(redact(line(f"{type(error).__name__}: {error}", REASON_CAP), self.secrets))
            return self._result(work)

    async def _work(self, work: _Work) -> None:
        kept = await self._recall(work)
        if kept and not self._wants_frames(work):
            return
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
        if work.heard is None and not self._has_words(work):
            await self._hear(work, bounded or clip.path)
        await self._remember(work)

    def _wants_frames(self, work: _Work) -> bool:
        native_gave = work.watched is not None and work.watched.is_evidence
        return bool(work.frames_wanted) and not native_gave

    @staticmethod
    def _has_words(work: _Work) -> bool:
        return work.watched is not None and (bool(work.watched.transcript) or work.watched.silent)

    async def _recall(self, work: _Work) -> bool:
        """Whether everything that words can tell is known from an earlier call."""
        work.watched, work.heard = await self.keeping.recall(work.asset)
        work.recalled = (work.watched is not None and work.watched.is_evidence) or work.heard is not None
        return work.recalled

    async def _remember(self, work: _Work) -> None:
        if not work.recalled:  # what was kept grows old from the day on which it was made
            await self.keeping.keep(work.asset, work.watched, work.heard)

    async def _download(self, work: _Work) -> Clip | None:
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

    async def _bounded(self, work: _Work, clip: Clip) -> Path | None:
        """The clip, cut to the allowed length where it is longer or its length is not known; ``None`` if not cut."""
        known = work.asset.duration_s
        if known is None or (self.native is not None and known <= self.limits.seconds):
            # What the upstream says of the length is no proof; nothing longer than allowed may be sent anywhere.
            work.measured = await self._measured(work, clip.path)
        told_so = known is None or known <= self.limits.seconds
        found_so = work.measured is None or keeps_within(work.measured, self.limits.seconds)
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

    async def _measured(self, work: _Work, clip: Path) -> float | None:
        if self.ffmpeg is None:
            return None
        facts = await self.ffmpeg.probe(clip, timeout_s=work.deadline.left)
        return None if facts is None else facts.duration_s

    async def _watch(self, work: _Work, clip: Path | None) -> None:
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

    async def _take_frames(self, work: _Work, clip: Path) -> None:
        if self.ffmpeg is None:
            work.failed(self.no_ffmpeg)
            return
        assert self.bounds is not None
        duration = work.length
        if duration is None and work.trimmed:
            duration = self.limits.seconds
        if duration is None:
            return
        times = frame_times(duration, max_frames=self.limits.frames, max_seconds=self.limits.seconds)
        work.stage(f"taking {len(times)} frames · at most {work.deadline.left:.0f} s left")
        encoded = await self.ffmpeg.frames(
            clip,
            at=times,
            folder=work.folder / "frames",
            timeout_s=work.deadline.left,
            max_width=min(FRAME_WIDTH, self.bounds.max_width),
            max_height=self.bounds.max_height,
        )
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

    async def _hear(self, work: _Work, clip: Path) -> None:
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

    def _sound(self, work: _Work) -> str:
        seconds = work.length
        return "" if seconds is None else f" {min(seconds, self.limits.seconds):.0f} s of sound"

    def _result(self, work: _Work) -> Seen:
        watched = work.watched
        native = watched is not None and watched.is_evidence
        heard = work.heard.transcript if work.heard is not None else None
        text = self._text(watched if native else None, heard, work.frames)
        notes = [*work.notes, *(work.heard.notes if work.heard is not None else ())]
        if watched is not None and watched.silent:
            notes.append(note("transcript_absent", reason="declared_silent"))
        if self.frames_gap in ("text_only", "bounds_missing") and not native and work.heard is not None:
            notes.append(note("frames_skipped", reason=self.frames_gap, transcript=heard is not None))
        if text is None:
            if not any(entry.code in ("video_failed", "video_skipped") for entry in notes):
                notes.append(note("video_failed", reason=NOTHING))
            return Seen(notes=tuple(notes))
        length, limit = work.length, self.limits.seconds
        longer = work.trimmed or (length is not None and length > limit)
        if longer:
            notes.append(note("video_trimmed", seconds=limit))
        seconds = limit if longer else None if length is None else round(length)
        url = work.asset.places[0].post.permalink
        return Seen(
            text=text,
            frames=work.frames,
            notes=(*notes, note("video_processed", method=text.method, seconds=seconds, url=url)),
        )

    def _text(self, watched: Watched | None, heard: Block | None, frames: tuple[Picture, ...]) -> VideoText | None:
        if watched is not None:
            method = watched.method if heard is None else f"{watched.method}+stt"
            return VideoText(method=line(method, 100), transcript=watched.transcript or heard, visual=watched.visual)
        if heard is None and not frames:
            return None
        return VideoText(method=line(self._method(heard, frames), 100), transcript=heard)

    def _method(self, heard: Block | None, frames: tuple[Picture, ...]) -> str:
        if heard is None:
            return "frames-only"
        if frames:
            return "frames+stt"
        return "transcript-only" if self.frames_gap in ("text_only", "evidence_output") else "stt-only"


def spread(pictures: list[Picture], most: int) -> list[Picture]:
    """At most so many of these, evenly over them and in their order."""
    count = len(pictures)
    if count <= most:
        return pictures
    return [pictures[(2 * place + 1) * count // (2 * most)] for place in range(most)]
