"""One video while it is worked on, and what everything that was found makes of it. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from twitter_tool.media.assets import Asset
from twitter_tool.media.keeping import Recalled
from twitter_tool.media.moments import PACKET_S, keeps_within
from twitter_tool.media.timing import Deadline
from twitter_tool.media.values import Heard, Picture, VideoText, Watched
from twitter_tool.notes import Note, note
from twitter_tool.text import Block, line

NOTHING: Final = "it gave neither frames nor a transcript nor a description"
METHOD_CAP: Final = 100
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
class Work:
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
    recalled_watched: Recalled[Watched] | None = None
    recalled_heard: Recalled[Heard] | None = None

    @property
    def length(self) -> float | None:
        """Seconds of the whole video: as its file has them where it was measured, else as the upstream says."""
        return self.measured if self.measured is not None else self.asset.duration_s

    @property
    def has_words(self) -> bool:
        """Whether a service has told what is said, or that nothing is."""
        return self.watched is not None and (bool(self.watched.transcript) or self.watched.silent)

    @property
    def recalled(self) -> tuple[Recalled[Any], ...]:
        """What of the result comes from an earlier call."""
        parts = ((self.recalled_watched, self.watched), (self.recalled_heard, self.heard))
        return tuple(known for known, used in parts if known is not None and known.value is used)

    def failed(self, reason: str) -> None:
        """Say, once, what went wrong."""
        told = note("video_failed", reason=reason)
        if told not in self.notes:
            self.notes.append(told)


def seen_of(work: Work, *, limit: int, frames_gap: FramesGap | None) -> Seen:
    """What a video gave, and what is to be said about it.

    Args:
        limit: seconds of a video that may be used.
        frames_gap: why no frames are wanted; ``None`` when they are.
    """
    watched = work.watched if work.watched is not None and work.watched.is_evidence else None
    heard = work.heard.transcript if work.heard is not None else None
    notes = [*work.notes, *(work.heard.notes if work.heard is not None else ())]
    if work.watched is not None and work.watched.silent:
        notes.append(note("transcript_absent", reason="declared_silent"))
    if frames_gap in ("text_only", "bounds_missing") and watched is None:
        notes.append(note("frames_skipped", reason=frames_gap, transcript=heard is not None))
    method = _method(watched, heard, work.frames, frames_gap)
    if method is None:
        if not any(entry.code in ("video_failed", "video_skipped") for entry in notes):
            notes.append(note("video_failed", reason=NOTHING))
        return Seen(notes=tuple(notes))
    trimmed, seconds = extent(work, limit)
    if trimmed:
        notes.append(note("video_trimmed", seconds=seconds))
    url = work.asset.places[0].post.permalink
    by_speech = True if watched is not None and heard is not None else None
    notes.append(note("video_processed", method=method, seconds=seconds, url=url, bySpeech=by_speech))
    transcript, visual = (heard, None) if watched is None else (watched.transcript or heard, watched.visual)
    return Seen(
        text=VideoText(method=line(method, METHOD_CAP), transcript=transcript, visual=visual),
        frames=work.frames,
        notes=tuple(notes),
    )


def extent(work: Work, limit: int) -> tuple[bool, int | None]:
    """Whether only the beginning of a video counts, and how many seconds of it, rounded."""
    length = work.length
    seconds = None if length is None else round(min(length, limit))
    if work.trimmed or (length is not None and not is_short(length, limit)):
        return True, limit if seconds is None else seconds
    if seconds is None:
        seconds = next((known.seconds for known in work.recalled), None)
    return any(known.trimmed for known in work.recalled), seconds


def is_short(seconds: float, limit: int) -> bool:
    """Whether a clip as it came counts as no longer than the limit."""
    return keeps_within(seconds, limit, slack_s=PACKET_S)


def _method(
    watched: Watched | None, heard: Block | None, frames: tuple[Picture, ...], frames_gap: FramesGap | None
) -> str | None:
    """The name of what gave the evidence; ``None`` without any."""
    if watched is not None:
        return watched.method
    if heard is None:
        return "frames-only" if frames else None
    if frames:
        return "frames+stt"
    return "transcript-only" if frames_gap in ("text_only", "evidence_output") else "stt-only"
