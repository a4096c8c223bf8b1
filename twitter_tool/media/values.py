"""What media work takes and gives: plain values without any file, process or connection behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from twitter_tool.notes import Note
from twitter_tool.text import Block, Line

PictureKind = Literal["photo", "poster", "frame"]
PictureType = Literal["image/png", "image/jpeg"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What every image must keep to: pixels, and bytes of the encoded image before base64."""

    max_width: int
    max_height: int
    max_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An image that a model may be given.

    Attributes:
        data: the encoded image; its header agrees with ``mime``, and it keeps to the bounds of the call.
        width, height: in pixels.
        frame: for a frame, ``(number from 1, how many were obtained, asked-for second of the clip)``.
    """

    kind: PictureKind
    mime: PictureType
    data: bytes
    width: int
    height: int
    frame: tuple[int, int, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of recognised speech.

    Attributes:
        start, end: seconds from the beginning of the clip.
        text: as it was recognised; untrusted.
        no_speech_prob, avg_logprob: how sure the recogniser was; ``None`` when it did not say.
    """

    start: float
    end: float
    text: str
    no_speech_prob: float | None = None
    avg_logprob: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What speech recognition gave.

    Attributes:
        transcript: a line for each passage, ``[mm:ss] text`` where its second is known; ``None`` without usable speech.
        notes: what was left out, or why there is nothing.
    """

    transcript: Block | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What a model that takes video said about a clip.

    Attributes:
        visual: what it saw; untrusted.
        transcript: what it heard; untrusted.
        silent: it stated that there is no speech, so speech recognition would find nothing.
        method: ``gemini-native``, ``openai-compatible`` or ``litellm-native``.
        notes: who processed the clip, what failed, what may remain there.
    """

    method: str
    visual: Block | None = None
    transcript: Block | None = None
    silent: bool = False
    notes: tuple[Note, ...] = ()

    @property
    def is_evidence(self) -> bool:
        """Whether it told anything."""
        return bool(self.visual or self.transcript)


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoText:
    """What a video says and shows, in words; printed under the post that it belongs to.

    Attributes:
        method: how it was made, for example ``frames+stt``.
        transcript: lines of ``[mm:ss] text``, or plain text; untrusted.
        visual: a description; untrusted.
    """

    method: Line
    transcript: Block | None = None
    visual: Block | None = None
