"""Clips watched by a model that takes video: which service, asking it, reading what it says."""

from twitter_tool.media.native.gemini import INLINE_BYTES
from twitter_tool.media.native.outcome import NativeFailure
from twitter_tool.media.native.prompt import PROMPT
from twitter_tool.media.native.route import NativeRoute, NoRoute, native_route
from twitter_tool.media.native.watching import Ask, watch

__all__ = ["INLINE_BYTES", "PROMPT", "Ask", "NativeFailure", "NativeRoute", "NoRoute", "native_route", "watch"]
