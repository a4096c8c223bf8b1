"""Clips in files: their length, a part of them, pictures and sound out of them, by the program ``ffmpeg``."""

from __future__ import annotations

from twitter_tool.media.ffmpeg.binary import builder_installed, ffmpeg_gap, find_ffmpeg
from twitter_tool.media.ffmpeg.jobs import MAX_WIDTH, Ffmpeg, sound_seconds
from twitter_tool.media.ffmpeg.packets import ClipFacts
from twitter_tool.media.moments import frame_times

__all__ = [
    "MAX_WIDTH",
    "ClipFacts",
    "Ffmpeg",
    "builder_installed",
    "ffmpeg_gap",
    "find_ffmpeg",
    "frame_times",
    "sound_seconds",
]
