"""Which images a model gets when there are more than it takes, and what stands for videos that give too little."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

import httpx
import pytest
from looking_calls import (
    BLIND,
    LITELLM,
    PHOTOS,
    POSTERS,
    VIDEOS,
    Seeing,
    World,
    clip_url,
    codes,
    completion,
    figures,
    jpeg_size,
    llm_answers,
    models,
    note_of,
    parts_of,
    raw_photo,
    raw_video,
    with_media,
)

pytestmark = LITELLM
KEYED = {"WATCH_KEY": "a-key-of-the-watching-service"}
WIDE = ("-f", "lavfi", "-i", "testsrc=size=1280x720:rate=10:duration=2", "-c:v", "libx264", "-pix_fmt", "yuv420p")


@pytest.fixture
def mute(clips: Any) -> bytes:
    """Two seconds without sound."""
    data: bytes = clips.counted(60).read_bytes()
    return data


def labels(llm: Any) -> list[str]:
    """What is said of each image, after its number and link."""
    rows = parts_of(llm)[0].rstrip().split("\n\n")[-1].split("\n")[1:]
    return [row.partition(" - ")[2] for row in rows]


async def answered(llm: Any, world: World, *settings: dict[str, Any], **more: Any) -> Any:
    """The result of a call whose model takes images."""
    merged = {name: value for table in (models(llm), *settings) for name, value in table.items()}
    return await Seeing(world, merged, **more)(mode="posts", output="answer")


async def test_photos_and_posters_share_their_limit(llm: Any) -> None:
    """Photos come first."""
    world = World(with_media(1, raw_video("v")), with_media(2, raw_photo("a"))).shows("a", "v-poster")
    result = await answered(llm, world, PHOTOS, POSTERS, {"max_media_per_search": 1})
    assert labels(llm) == ["photo"]
    assert figures(result, "images_omitted") == [(1, "cap")]


async def test_places_of_frames_that_were_not_taken_are_none_for_posters(llm: Any) -> None:
    """The limit on photos and posters holds whatever became of the videos."""
    world = World(with_media(1, raw_photo("a")), with_media(2, raw_video("v"))).shows("a", "v-poster")
    result = await answered(llm, world, PHOTOS, VIDEOS, {"max_media_per_search": 1})
    assert labels(llm) == ["photo"]
    assert figures(result, "images_omitted") == [(1, "cap")]


async def test_frames_leave_fewer_places_for_posters(llm: Any, mute: bytes) -> None:
    """The second video has none left."""
    world = World(with_media(1, raw_video("v")), with_media(2, raw_video("w"))).plays("v", mute).shows("w-poster")
    settings = {**models(llm, max_images=8), **VIDEOS}
    result = await Seeing(world, settings)(mode="posts", output="answer")
    assert [label.partition(" @")[0] for label in labels(llm)] == [f"video frame {n}/8" for n in range(1, 9)]
    assert figures(result, "images_omitted") == [(1, "cap")]


async def test_fewer_places_than_frames_are_spread_over_the_clip(llm: Any, mute: bytes) -> None:
    """The first two of eight would show its beginning only."""
    world = World(with_media(1, raw_video("v"))).plays("v", mute)
    await Seeing(world, {**models(llm, max_images=2), **VIDEOS})(mode="posts", output="answer")
    assert [label.partition(" @")[0] for label in labels(llm)] == ["video frame 3/8", "video frame 7/8"]


async def test_frames_are_at_most_768_pixels_wide(llm: Any, clips: Any) -> None:
    """However much the model would take."""
    world = World(with_media(1, raw_video("v"))).plays("v", clips.other("wide", *WIDE).read_bytes())
    await answered(llm, world, VIDEOS, {"max_frames": 1})
    (image,) = parts_of(llm)[1]
    assert jpeg_size(base64.b64decode(image.partition(",")[2])) == (768, 432)


async def test_frames_are_numbered_among_those_that_could_be_taken(llm: Any, clips: Any) -> None:
    """A clip that ends before the upstream says gives the first of them."""
    world = World(with_media(1, raw_video("v", seconds=10))).plays("v", clips.counted(150).read_bytes())
    result = await answered(llm, world, VIDEOS)
    assert [label.partition(" @")[0] for label in labels(llm)] == [f"video frame {n}/4" for n in range(1, 5)]
    assert (note_of(result, "frames_partial")["obtained"], note_of(result, "frames_partial")["requested"]) == (4, 8)


async def test_a_length_that_is_far_too_long_costs_no_frames(llm: Any, mute: bytes) -> None:
    """When every moment lies behind the end, the clip itself is asked."""
    world = World(with_media(1, raw_video("v", seconds=600))).plays("v", mute)
    result = await answered(llm, world, VIDEOS)
    assert len(parts_of(llm)[1]) == 8
    assert "frames_partial" not in codes(result)
    assert note_of(result, "video_processed")["seconds"] == 2


async def test_frames_that_the_model_does_not_take_are_counted(llm: Any, mute: bytes) -> None:
    """And the poster stands for the video, if it fits."""
    world = World(with_media(1, raw_video("v"))).plays("v", mute)
    result = await Seeing(world, {**models(llm, max_bytes=150), **VIDEOS})(mode="posts", output="answer")
    assert note_of(result, "images_rejected")["count"] == 8
    assert labels(llm) == ["video poster"]
    assert {"video_failed", "video_poster_used"} <= set(codes(result))


@pytest.mark.parametrize("playable", [True, False])
async def test_without_frames_and_words_a_text_only_model_is_told_that_neither_can_be_had(
    llm: Any, mute: bytes, playable: bool
) -> None:
    """Whether the clip is silent or could not be downloaded; no poster is claimed."""
    world = World(with_media(1, raw_video("v")))
    if playable:
        world.plays("v", mute)
    result = await Seeing(world, {**models(llm, BLIND), **VIDEOS})(mode="posts", output="answer")
    assert note_of(result, "frames_skipped")["transcript"] is False
    assert "no poster can be shown" in result.content
    assert "video_poster_used" not in codes(result)


async def test_after_a_service_has_watched_nobody_asks_for_frames(llm: Any, provider: Any, mute: bytes) -> None:
    """Also not of a model that takes text only."""
    watching = {"video_endpoint": provider.origin, "video_model": "gemini-x", "video_api_key_env": "WATCH_KEY"}
    world = World(with_media(1, raw_video("v"))).plays("v", mute)
    seeing = Seeing(world, {**models(llm, BLIND), **VIDEOS, **watching}, environ=KEYED)
    assert "frames_skipped" not in codes(await seeing(mode="posts", output="answer"))


@pytest.mark.parametrize("place", ["media.video.fetch_clip", "media.ffmpeg.Ffmpeg.frames", "media.video.seen_of"])
async def test_a_fault_of_a_tool_is_told_and_the_poster_stands_for_the_video(
    llm: Any, mute: bytes, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Whatever it is, the call goes on."""

    def breaks(*_: Any, **__: Any) -> Any:
        raise RuntimeError("it broke")

    monkeypatch.setattr(f"twitter_tool.{place}", breaks)
    world = World(with_media(1, raw_video("v"))).plays("v", mute)
    result = await answered(llm, world, VIDEOS)
    assert note_of(result, "video_failed")["reason"] == "RuntimeError: it broke"
    assert labels(llm) == ["video poster"]


async def test_failures_of_several_videos_are_added_up_or_told_apart(llm: Any, mute: bytes) -> None:
    """Two that lie elsewhere are two; another fault is named with its post."""
    elsewhere = raw_video("x")
    elsewhere["video_info"]["variants"][0]["url"] = "https://elsewhere.example.org/x.mp4"
    posts = [with_media(n, {**elsewhere, "media_url_https": f"https://pbs.twimg.com/{n}.png"}) for n in (1, 2)]
    world = World(*posts, with_media(4, raw_video("v")))
    settings = {**models(llm, BLIND), **VIDEOS, "max_videos_per_search": 3}
    result = await Seeing(world, settings)(mode="posts", output="posts")
    assert figures(result, "video_skipped") == [(2, "host")]
    told = [entry["url"] for entry in result.notes if entry["code"] == "video_failed"]
    assert told == ["https://x.com/ann/status/4"]


async def test_what_could_not_be_saved_is_told(mute: bytes, tmp_path: Path) -> None:
    """The call has its result."""
    (tmp_path / "file").touch()
    world = World(with_media(1, raw_video("v"))).plays("v", mute)
    seeing = Seeing(world, VIDEOS, further={"save_media": tmp_path / "file"})
    found = note_of(await seeing(mode="posts", output="posts"), "setting_ignored")
    assert found["keys"] == ["save_media"]
    assert found["detail"]


async def test_a_model_that_litellm_cannot_give_clips_is_told(mute: bytes) -> None:
    """With the variable that its key was looked for in."""
    world = World(with_media(1, raw_video("v"))).plays("v", mute)
    settings = {**VIDEOS, "video_endpoint_type": "litellm", "video_model": "gemini/gemini-2.5-flash"}
    found = note_of(await Seeing(world, settings)(mode="posts", output="posts"), "video_skipped")
    assert (found["reason"], found["variable"]) == ("key_missing", "GEMINI_API_KEY")


@pytest.mark.parametrize(("kind", "chosen"), [("gemini-files", "small"), ("litellm", "small"), ("unknown", "sharp")])
async def test_a_rendition_that_fits_a_request_is_preferred_where_a_kind_of_service_is_named(
    mute: bytes, kind: str, chosen: str
) -> None:
    """Whether it can be reached or not; a kind that nobody knows is none."""
    video = raw_video("small")
    sharp = {"content_type": "video/mp4", "url": clip_url("sharp"), "bitrate": 900_000}
    video["video_info"]["variants"].append(sharp)
    world = World(with_media(1, video)).plays("small", mute).plays("sharp", mute)
    world.hosts[f"HEAD {clip_url('sharp')}"] = sized(12 * 1024 * 1024 + 1)
    await Seeing(world, {**VIDEOS, "video_endpoint_type": kind})(mode="posts", output="posts")
    assert world.downloads[0] == clip_url(chosen)


def sized(length: int) -> Any:
    """An answer to a question about a size."""
    return lambda _: httpx.Response(200, headers={"content-length": str(length), "content-type": "video/mp4"})


async def test_whoever_watches_the_progress_can_give_up_before_anything_is_asked_for(mute: bytes) -> None:
    """The first word about a video comes before its download."""
    world = World(with_media(1, raw_video("v"))).plays("v", mute)
    async with Seeing(world, VIDEOS).tool() as tool:
        task = asyncio.ensure_future(
            tool.call(
                {"query": "q", "mode": "posts", "output": "posts"},
                progress=lambda event: task.cancel() if event.startswith("media") else None,
            )
        )
        with pytest.raises(asyncio.CancelledError):
            await task
    assert world.asked == []


async def test_the_key_that_litellm_was_given_is_in_nothing_that_comes_back(llm: Any, mute: bytes) -> None:
    """However the service spells it, and although no setting names its variable."""
    key = "sk-verysecretkey-0123456789"
    spelt = key.replace("-", "\\u002d")
    llm.scripts = [llm_answers(completion(f'{{"visual": "a sign {spelt}", "transcript": "{spelt}"}}'))]
    world = World(with_media(1, raw_video("v"))).plays("v", mute)
    settings = {**VIDEOS, "video_endpoint_type": "litellm", "video_model": "openai/m"}
    seeing = Seeing(world, settings, environ={"OPENAI_API_KEY": key, "OPENAI_BASE_URL": llm.base})
    result = await seeing(mode="posts", output="posts")
    assert note_of(result, "video_processed")["method"] == "litellm-native"
    assert result.items[0]["video"][0]["visual"] == "a sign [removed]"
    assert key not in repr(result.to_dict())


async def test_of_one_video_sixteen_renditions_are_tried(mute: bytes) -> None:
    """A post may list thousands, and each costs a request and time of the others."""
    video = raw_video("v0")
    video["video_info"]["variants"] = [
        {"content_type": "video/mp4", "url": clip_url(f"v{n}"), "bitrate": 1_000 + n} for n in range(40)
    ]
    world = World(with_media(1, video))
    result = await Seeing(world, VIDEOS)(mode="posts", output="posts")
    assert len(world.downloads) == 16
    assert "could not be downloaded" in note_of(result, "video_failed")["reason"]
