"""Frames of videos in the prompt of a model, and what stands for a video that gives nothing."""

from __future__ import annotations

from typing import Any

from looking_calls import (
    BLIND,
    LITELLM,
    PHOTOS,
    VIDEOS,
    ProviderAnswer,
    Seeing,
    World,
    codes,
    figures,
    models,
    note_of,
    parts_of,
    photo_url,
    raw_photo,
    raw_video,
    with_media,
)

pytestmark = LITELLM


def manifest(text: str) -> list[str]:
    """The lines at the end that say what each image is."""
    return text.rstrip().split("\n\n")[-1].split("\n")[1:]


async def test_frames_and_words_of_a_video_reach_the_model_together(llm: Any, speech: Any, clips: Any) -> None:
    """Eight frames from the middles of eight parts, each with its moment, and the transcript under the post."""
    world = World(with_media(1, raw_video("v"))).plays("v", clips.counted(60, sounds=(2.0,)).read_bytes())
    result = await Seeing(world, {**models(llm), **VIDEOS, **speech.settings})(mode="posts", output="answer")
    text, images = parts_of(llm)
    assert len(images) == 8
    assert all(image.startswith("data:image/jpeg;base64,") for image in images)
    assert manifest(text)[0] == "1. https://x.com/ann/status/1 - video frame 1/8 @ 00:00"
    assert manifest(text)[7] == "8. https://x.com/ann/status/1 - video frame 8/8 @ 00:01"
    assert "image references: 1, 2, 3, 4, 5, 6, 7, 8" in text
    assert "> [00:01] The tram was early." in text
    assert note_of(result, "video_processed")["method"] == "frames+stt"
    assert photo_url("v-poster") not in world.downloads


async def test_photos_and_frames_share_the_images_that_a_model_takes(llm: Any, clips: Any) -> None:
    """One photo, eight frames, three images at most: three are attached and the others are counted."""
    world = World(with_media(1, raw_photo("a"), raw_video("v"))).shows("a")
    world.plays("v", clips.counted(60).read_bytes())
    settings = {**models(llm, max_images=3), **PHOTOS, **VIDEOS}
    result = await Seeing(world, settings)(mode="posts", output="answer")
    text, images = parts_of(llm)
    assert len(images) == len(manifest(text)) == 3
    assert "image references: 1, 2, 3" in text
    assert manifest(text)[0].endswith(" - photo")
    assert figures(result, "images_omitted") == [(6, "cap")]


async def test_frames_alone_are_named_so(llm: Any, clips: Any) -> None:
    """A video without sound still shows something."""
    world = World(with_media(1, raw_video("v"))).plays("v", clips.counted(60).read_bytes())
    result = await Seeing(world, {**models(llm), **VIDEOS})(mode="posts", output="answer")
    assert note_of(result, "video_processed")["method"] == "frames-only"
    assert "video evidence" in parts_of(llm)[0]


async def test_a_text_only_model_gets_words_and_no_frames_are_taken(llm: Any, speech: Any, clips: Any) -> None:
    """The note says so, and that a transcript stands instead."""
    world = World(with_media(1, raw_video("v"))).plays("v", clips.counted(60, sounds=(2.0,)).read_bytes())
    result = await Seeing(world, {**models(llm, BLIND), **VIDEOS, **speech.settings})(mode="posts", output="answer")
    assert note_of(result, "frames_skipped")["reason"] == "text_only"
    assert note_of(result, "video_processed")["method"] == "transcript-only"
    assert parts_of(llm)[1] == []
    assert "media_not_supported" not in codes(result)


async def test_a_model_without_image_limits_gets_the_words_of_a_video(llm: Any, speech: Any, clips: Any) -> None:
    """Images need declared limits; words do not."""
    settings = {**models(llm), **VIDEOS, **speech.settings}
    del settings["models"]["openai/seeing-model"]["images"]
    world = World(with_media(1, raw_video("v"))).plays("v", clips.counted(60, sounds=(2.0,)).read_bytes())
    result = await Seeing(world, settings)(mode="posts", output="answer")
    assert note_of(result, "video_processed")["method"] == "stt-only"
    assert (note_of(result, "frames_skipped")["reason"], note_of(result, "frames_skipped")["transcript"]) == (
        "bounds_missing",
        True,
    )
    assert "> [00:01] The tram was early." in parts_of(llm)[0]


async def test_a_service_that_watches_makes_frames_superfluous(llm: Any, provider: Any, clips: Any) -> None:
    """Its words are the evidence; no image is attached for the video."""
    world = World(with_media(1, raw_video("v"))).plays("v", clips.counted(60).read_bytes())
    settings = {
        **models(llm),
        **VIDEOS,
        "video_endpoint": provider.origin,
        "video_model": "gemini-x",
        "video_api_key_env": "WATCH_KEY",
    }
    await Seeing(world, settings, environ={"WATCH_KEY": "a-key-of-a-service"})(mode="posts", output="answer")
    text, images = parts_of(llm)
    assert images == []
    assert "visual:\n> a cat" in text


async def test_the_poster_stands_for_a_video_that_gives_nothing(llm: Any) -> None:
    """It is downloaded last, and the note says what that leaves out."""
    world = World(with_media(1, raw_video("v"))).plays("v", b"no video at all" * 100)
    seeing = Seeing(world, {**models(llm), **VIDEOS})
    result = await seeing(mode="posts", output="answer")
    assert len(parts_of(llm)[1]) == 1
    assert world.downloads[-1] == photo_url("v-poster")
    assert note_of(result, "video_poster_used")["count"] == 1
    assert "video_processed" not in codes(result)
    assert [event for event in seeing.seen if " · " not in event and event.startswith("media")] == ["media 1/1"] * 2


async def test_the_poster_stands_for_a_video_over_the_limit(llm: Any, clips: Any) -> None:
    """Of two videos one is processed; the other one is there as its poster."""
    clip = clips.counted(60).read_bytes()
    world = World(with_media(1, raw_video("v")), with_media(2, raw_video("w"))).plays("v", clip).plays("w", clip)
    result = await Seeing(world, {**models(llm), **VIDEOS})(mode="posts", output="answer")
    text, images = parts_of(llm)
    assert len(images) == 9
    assert "poster" in manifest(text)[-1]
    assert figures(result, "video_skipped") == [(1, "cap")]


async def test_the_end_of_a_clip_that_is_missing_leaves_the_frames_before_it(llm: Any, clips: Any) -> None:
    """The length that the upstream names is longer than the file: what was obtained is counted."""
    world = World(with_media(1, raw_video("v", seconds=6))).plays("v", clips.counted(60).read_bytes())
    result = await Seeing(world, {**models(llm), **VIDEOS})(mode="posts", output="answer")
    partial = note_of(result, "frames_partial")
    assert partial["obtained"] == len(parts_of(llm)[1]) < partial["requested"] == 8


async def test_the_quality_of_a_service_s_failure_is_told_and_frames_are_taken(
    llm: Any, provider: Any, clips: Any
) -> None:
    """A reply that was cut off is refused although it has text."""
    provider.answers["chat"] = [
        ProviderAnswer({"choices": [{"message": {"content": "A ca"}, "finish_reason": "length"}]})
    ]
    world = World(with_media(1, raw_video("v"))).plays("v", clips.counted(60).read_bytes())
    settings = {
        **models(llm),
        **VIDEOS,
        "video_endpoint_type": "openai-compatible",
        "video_endpoint": f"{provider.origin}/v1",
        "video_model": "vl",
    }
    result = await Seeing(world, settings)(mode="posts", output="answer")
    assert len(parts_of(llm)[1]) == 8
    assert note_of(result, "video_failed")["reason"]


async def test_frames_are_small_enough_for_the_model(llm: Any, clips: Any) -> None:
    """They are made to fit the limits of the model, upright ones too."""
    world = World(with_media(1, raw_video("v"))).plays("v", clips.counted(60).read_bytes())
    result = await Seeing(world, {**models(llm, max_width=100, max_height=30), **VIDEOS})(mode="posts", output="answer")
    assert len(parts_of(llm)[1]) == 8
    assert "images_rejected" not in codes(result)
