"""Clips that were made once serve every test of media."""

from __future__ import annotations

from clip_maker import binary, clips, ffmpeg

__all__ = ["binary", "clips", "ffmpeg"]
