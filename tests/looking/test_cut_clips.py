"""Clips that last longer than may be used of them: what of them is sent, shown and said."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from looking_calls import VIDEOS, Seeing, World, codes, note_of, raw_video, with_media

KEYED = {"WATCH_KEY": "a-key-of-the-watching-service"}


async def watched(provider: Any, clip: bytes, seconds: float | None, **settings: Any) -> tuple[Any, bytes]:
    """The result of a call whose service watches, and the clip that the service got."""
    watching = {"video_endpoint": provider.origin, "video_model": "gemini-x", "video_api_key_env": "WATCH_KEY"}
    world = World(with_media(1, raw_video("v", seconds=seconds))).plays("v", clip)
    seeing = Seeing(world, {**VIDEOS, **watching, "max_video_seconds": 2, **settings}, environ=KEYED)
    result = await seeing(mode="posts", output="posts")
    parts = provider.of("generate").json["contents"][0]["parts"]
    return result, base64.b64decode(parts[0]["inline_data"]["data"])


@pytest.mark.parametrize("seconds", [None, 2.0, 600.0])
async def test_a_clip_that_is_too_long_is_cut_before_it_is_sent(
    provider: Any, clips: Any, seconds: float | None
) -> None:
    """Whatever the upstream says of its length, and be it by half a second only."""
    whole = clips.counted(72).read_bytes()
    result, sent = await watched(provider, whole, seconds)
    assert len(sent) < len(whole)
    assert note_of(result, "video_trimmed")["seconds"] == 2


@pytest.mark.parametrize("seconds", [None, 2.0])
async def test_a_clip_that_outlasts_the_limit_by_a_packet_is_sent_as_it_is(
    provider: Any, clips: Any, seconds: float | None
) -> None:
    """What is said to last two seconds often does."""
    whole = clips.counted(62).read_bytes()
    result, sent = await watched(provider, whole, seconds)
    assert sent == whole
    assert "video_trimmed" not in codes(result)
    assert note_of(result, "video_processed")["seconds"] == 2
