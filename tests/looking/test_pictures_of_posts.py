"""Photos and posters: which are downloaded and attached, under which limits, and what is said of the others."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest
from looking_calls import (
    BLIND,
    LITELLM,
    PHOTOS,
    PICTURE,
    POSTERS,
    SEEING,
    Seeing,
    World,
    codes,
    completion,
    figures,
    llm_answers,
    models,
    note_of,
    parts_of,
    photo_url,
    png,
    raw_photo,
    raw_post,
    raw_video,
    reply,
    with_media,
)

pytestmark = LITELLM


async def test_a_photo_goes_to_a_model_that_takes_images_with_its_reference_and_its_origin(llm: Any) -> None:
    """The picture itself is attached; the post names its number, and a list at the end says where it comes from."""
    world = World(with_media(1, raw_photo("a"))).shows("a")
    await Seeing(world, {**models(llm), **PHOTOS})(mode="posts", output="answer")
    text, images = parts_of(llm)
    assert images == ["data:image/png;base64," + base64.b64encode(PICTURE).decode()]
    assert "\nimage references: 1" in text
    assert text.rstrip().split("\n")[-1] == "1. https://x.com/ann/status/1 - photo"


async def test_nothing_is_looked_at_unless_that_is_asked_for(llm: Any) -> None:
    """Without the settings no media host is contacted, and no note speaks of pictures."""
    world = World(with_media(1, raw_photo("a"), raw_video("v"))).shows("a")
    result = await Seeing(world, models(llm))(mode="posts", output="answer")
    assert world.asked == []
    assert not [code for code in codes(result) if code.startswith(("image", "video", "media"))]


async def test_evidence_output_downloads_no_picture_and_says_so() -> None:
    """It is text only, whatever the settings are."""
    world = World(with_media(1, raw_photo("a"))).shows("a")
    result = await Seeing(world, {**PHOTOS, **POSTERS})(mode="posts", output="posts")
    assert world.asked == []
    assert figures(result, "images_omitted") == [(1, "evidence_output")]


async def test_dead_photos_cost_three_attempts_for_each_that_may_be_attached(llm: Any) -> None:
    """Of 200 photos that are not there 12 are tried when 4 may be attached; the others are counted."""
    rows = [with_media(number, *(raw_photo(f"p{number}x{k}") for k in range(4))) for number in range(1, 51)]
    world = World(*rows)
    settings = {**models(llm, max_images=100), **PHOTOS, "max_synthesis_chars": 120_000}
    result = await Seeing(world, settings)(mode="posts", output="answer", count=50)
    assert len(world.asked) == 12
    assert note_of(result, "images_failed")["count"] == 12
    assert figures(result, "images_omitted") == [(188, "unattempted")]
    assert result.details["usage"]["mediaAttempts"] == result.details["usage"]["mediaHttpFailures"] == 12


async def test_no_more_photos_are_downloaded_than_may_be_attached(llm: Any) -> None:
    """Five photos, at most four of them attached: four downloads, and the fifth is counted."""
    world = World(with_media(1, *(raw_photo(name) for name in "abcde"))).shows(*"abcde")
    result = await Seeing(world, {**models(llm), **PHOTOS})(mode="posts", output="answer")
    assert world.downloads == [photo_url(name) for name in "abcd"]
    assert figures(result, "images_omitted") == [(1, "cap")]


async def test_a_photo_that_fails_makes_room_for_the_next_one(llm: Any) -> None:
    """The limit counts what is attached, not what was tried."""
    world = World(with_media(1, *(raw_photo(name) for name in "abc"))).shows("b", "c")
    result = await Seeing(world, {**models(llm), **PHOTOS, "max_media_per_search": 2})(mode="posts", output="answer")
    assert len(parts_of(llm)[1]) == 2
    assert note_of(result, "images_failed")["count"] == 1
    assert "images_omitted" not in codes(result)


async def test_no_photos_at_all_can_be_asked_for(llm: Any) -> None:
    """A limit of zero downloads nothing and says what was left out."""
    world = World(with_media(1, raw_photo("a"))).shows("a")
    result = await Seeing(world, {**models(llm), **PHOTOS, "max_media_per_search": 0})(mode="posts", output="answer")
    assert world.asked == []
    assert figures(result, "images_omitted") == [(1, "cap")]


@pytest.mark.parametrize(
    "address",
    [
        "http://pbs.twimg.com/x.png",
        "https://127.0.0.1/x",
        "https://pbs.twimg.com.evil.test/x",
        "https://eviltwimg.com/x",
    ],
)
async def test_only_the_media_hosts_of_x_are_asked(llm: Any, address: str) -> None:
    """Any other address is refused before a request, and counts as one that could not be had."""
    world = World(with_media(1, {"type": "photo", "media_url_https": address}))
    result = await Seeing(world, {**models(llm), **PHOTOS})(mode="posts", output="answer")
    assert world.asked == []
    assert note_of(result, "images_failed")["count"] == 1
    assert result.details["usage"]["mediaAttempts"] == 0


async def test_a_redirect_of_a_media_host_is_not_followed(llm: Any) -> None:
    """It is a failure like any other."""
    world = World(with_media(1, raw_photo("a")))
    world.hosts[f"GET {photo_url('a')}"] = reply(b"", None, 302, location="https://pbs.twimg.com/media/b.png")
    result = await Seeing(world, {**models(llm), **PHOTOS})(mode="posts", output="answer")
    assert len(world.asked) == 1
    assert note_of(result, "images_failed")["count"] == 1


async def test_what_does_not_keep_to_the_limits_is_rejected_and_not_called_a_failed_download(llm: Any) -> None:
    """A picture that is too wide, a GIF and a mislabelled one are left out, without reference or list."""
    world = World(with_media(1, *(raw_photo(name) for name in ("wide", "gif", "label"))))
    world.shows("wide", data=png(30, 2)).shows("gif", data=b"GIF89a" + b"\0" * 40, kind="image/gif")
    world.shows("label", kind="image/jpeg")
    result = await Seeing(world, {**models(llm, max_width=20), **PHOTOS})(mode="posts", output="answer")
    text, images = parts_of(llm)
    assert images == []
    assert "image references" not in text
    assert note_of(result, "images_rejected")["count"] == 3
    assert "images_failed" not in codes(result)


async def test_a_model_without_image_limits_gets_none_and_nothing_is_downloaded(llm: Any) -> None:
    """Images are only attached within declared limits."""
    world = World(with_media(1, raw_photo("a"))).shows("a")
    settings = models(llm)
    del settings["models"][SEEING]["images"]
    result = await Seeing(world, {**settings, **PHOTOS})(mode="posts", output="answer")
    assert world.asked == []
    assert figures(result, "images_omitted") == [(1, "bounds_missing")]


async def test_a_text_only_model_gets_none_and_the_note_names_it(llm: Any) -> None:
    """The note counts the posts whose media was not looked at."""
    world = World(with_media(1, raw_photo("a"), raw_photo("b")), with_media(2, raw_photo("c")), raw_post(3))
    result = await Seeing(world, {**models(llm, BLIND), **PHOTOS})(mode="posts", output="answer")
    assert world.asked == []
    assert (note_of(result, "media_not_supported")["model"], note_of(result, "media_not_supported")["count"]) == (
        BLIND,
        2,
    )


async def test_the_same_photo_of_two_posts_is_one_download_with_a_reference_in_each(llm: Any) -> None:
    """Every post keeps its own reference line."""
    world = World(with_media(1, raw_photo("a")), with_media(2, raw_photo("a"))).shows("a")
    result = await Seeing(world, {**models(llm), **PHOTOS})(mode="posts", output="answer")
    text, images = parts_of(llm)
    assert len(images) == len(world.downloads) == 1
    assert text.count("\nimage references: 1") == 2
    assert note_of(result, "media_repeated")["count"] == 1


async def test_a_photo_that_a_quote_repeats_belongs_to_the_quoted_post(llm: Any) -> None:
    """Its reference stands under the quoted heading alone, and its origin is the quoted post."""
    quoted = with_media(7, raw_photo("a"))
    world = World(with_media(1, raw_photo("a"), quoted_tweet=quoted)).shows("a")
    await Seeing(world, {**models(llm), **PHOTOS})(mode="posts", output="answer")
    text, _ = parts_of(llm)
    assert "\nquoted image references: 1" in text
    assert "\nimage references" not in text
    assert "1. https://x.com/ann/status/7 - photo" in text


async def test_a_fallback_that_takes_no_images_gets_the_same_question_without_a_trace_of_them(llm: Any) -> None:
    """No picture, no reference line, no list; lines of the question that look like them stay."""
    llm.scripts[:] = [llm_answers({"error": {"message": "no"}}, "500 Internal Server Error"), llm_answers(completion())]
    world = World(with_media(1, raw_photo("a"))).shows("a")
    question = "What is shown?\nimage references: 9"
    result = await Seeing(world, {**models(llm, SEEING, BLIND), **PHOTOS})(question, mode="posts", output="answer")
    text, images = parts_of(llm)
    assert images == []
    assert text.count("image references") == 1
    assert f"Question: {question}" in text
    assert "images_dropped_for_fallback" in codes(result)


async def test_an_observer_that_gives_the_call_up_at_the_first_picture_prevents_its_download(llm: Any) -> None:
    """The event comes before the request, and a cancelled call makes none."""
    world = World(with_media(1, raw_photo("a"))).shows("a")
    seeing = Seeing(world, {**models(llm), **PHOTOS})

    async def call() -> None:
        task = asyncio.current_task()
        assert task is not None
        async with seeing.tool() as tool:
            await tool.call(
                {"query": "q", "mode": "posts", "output": "answer"},
                progress=lambda event: task.cancel() if event.startswith("media") else None,
            )

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(call())
    assert world.asked == []


async def test_a_video_that_is_not_processed_is_represented_by_its_poster(llm: Any) -> None:
    """And the note says that what moves and is said in it was not analysed."""
    world = World(with_media(1, raw_video("v"))).shows("v-poster")
    result = await Seeing(world, {**models(llm), **POSTERS})(mode="posts", output="answer")
    text, images = parts_of(llm)
    assert len(images) == 1
    assert world.asked == [f"GET {photo_url('v-poster')}"]
    assert "poster" in text.rstrip().split("\n")[-1]
    assert note_of(result, "video_poster_used")["count"] == 1


async def test_pictures_are_counted_in_the_progress_and_in_the_timings(llm: Any) -> None:
    """One event for each asset in the order of attempts; downloads are preprocessing."""
    world = World(with_media(1, raw_photo("a"), raw_photo("b"))).shows("a", "b")
    seeing = Seeing(world, {**models(llm), **PHOTOS})
    result = await seeing(mode="posts", output="answer")
    assert [event for event in seeing.seen if event.startswith("media")] == ["media 1/2", "media 2/2"]
    timings = result.details["timings"]
    assert timings["totalMs"] == timings["retrievalMs"] + timings["preprocessingMs"] + timings["synthesisMs"]
    assert timings["videoMs"] == 0
