"""Too little room, for images or inside a request: what goes, and which cause is told."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from looking_calls import (
    LITELLM,
    PHOTOS,
    POSTERS,
    VIDEOS,
    Seeing,
    World,
    clip_url,
    figures,
    models,
    note_of,
    parts_of,
    raw_photo,
    raw_video,
    with_media,
)

pytestmark = LITELLM
INLINE = 12 * 1024 * 1024


async def answered(llm: Any, world: World, *settings: dict[str, Any]) -> Any:
    """The result of a call whose model takes images."""
    merged = {name: value for table in (models(llm), *settings) for name, value in table.items()}
    return await Seeing(world, merged)(mode="posts", output="answer")


async def test_photos_that_the_evidence_leaves_no_room_for_are_told_apart_from_a_limit(llm: Any) -> None:
    """Each is counted once: those within the limit as short of room, the others as over it."""
    names = "abcdef"
    world = World(with_media(1, *(raw_photo(name) for name in names))).shows(*names)
    result = await answered(llm, world, PHOTOS, {"max_synthesis_chars": 5_000, "max_media_per_search": 6})
    attached = len(parts_of(llm)[1])
    assert 0 < attached < 3
    assert figures(result, "images_omitted") == [(6 - attached, "space")]


async def test_posters_that_the_evidence_leaves_no_room_for_are_told_once(llm: Any) -> None:
    """After the photos, which come first."""
    videos = [raw_video(name) for name in "vwx"]
    world = World(with_media(1, *videos, raw_photo("a"))).shows("a", "v-poster", "w-poster", "x-poster")
    result = await answered(llm, world, PHOTOS, POSTERS, {"max_synthesis_chars": 5_000})
    attached = len(parts_of(llm)[1])
    assert 0 < attached < 3
    assert figures(result, "images_omitted") == [(4 - attached, "space")]


async def test_frames_that_the_evidence_leaves_no_room_for_are_told_apart_from_a_limit(llm: Any, clips: Any) -> None:
    """The model would take more of them."""
    world = World(with_media(1, raw_video("v"))).plays("v", clips.counted(60).read_bytes())
    result = await answered(llm, world, VIDEOS, {"max_synthesis_chars": 12_000})
    attached = len(parts_of(llm)[1])
    assert 0 < attached < 8
    assert figures(result, "images_omitted") == [(8 - attached, "space")]


@pytest.mark.parametrize(("size", "chosen"), [(INLINE, "sharp"), (INLINE + 1, "small")])
async def test_the_sharpest_rendition_that_fits_a_request_is_chosen(clips: Any, size: int, chosen: str) -> None:
    """Twelve mebibytes fit; a byte more does not."""
    mute = clips.counted(60).read_bytes()
    video = raw_video("small")
    sharp = {"content_type": "video/mp4", "url": clip_url("sharp"), "bitrate": 900_000}
    video["video_info"]["variants"].append(sharp)
    world = World(with_media(1, video)).plays("small", mute).plays("sharp", mute)
    headers = {"content-length": str(size), "content-type": "video/mp4"}
    world.hosts[f"HEAD {clip_url('sharp')}"] = lambda _: httpx.Response(200, headers=headers)
    await Seeing(world, {**VIDEOS, "video_endpoint_type": "gemini-files"})(mode="posts", output="posts")
    assert world.downloads == [clip_url(chosen)]


async def test_a_clip_that_was_cut_has_frames_although_nobody_knows_its_length(
    llm: Any, clips: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are spread over the seconds that it was cut to."""

    async def unreadable(*_: Any, **__: Any) -> None:
        return None

    monkeypatch.setattr("twitter_tool.media.ffmpeg.Ffmpeg.probe", unreadable)
    world = World(with_media(1, raw_video("v", seconds=None))).plays("v", clips.counted(150).read_bytes())
    result = await answered(llm, world, VIDEOS, {"max_video_seconds": 3, "max_frames": 3})
    rows = parts_of(llm)[0].rstrip().split("\n")[-3:]
    assert [row.partition(" - ")[2] for row in rows] == [f"video frame {n}/3 @ 00:0{n - 1}" for n in (1, 2, 3)]
    assert note_of(result, "video_trimmed")["seconds"] == 3
