"""How much time pictures and videos of one call get, and what is said when it does not do. Time moves by hand."""

from __future__ import annotations

from collections.abc import Callable
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

from twitter_tool.clock import Clock

pytestmark = LITELLM


class Hours:
    """A clock that stands still but for what answers take."""

    def __init__(self, world: World) -> None:
        self.now = 0.0
        self.world = world
        self.further: dict[str, Any] = {"clock": Clock(monotonic=lambda: self.now)}

    def takes(self, seconds: float, words: str, *, fails: bool = False) -> None:
        """An answer of the media hosts comes after so many seconds, or is a refusal then."""
        usual: Callable[[httpx.Request], httpx.Response] = self.world.hosts.get(words, lambda _: httpx.Response(404))

        def answer(request: httpx.Request) -> httpx.Response:
            self.now += seconds
            return httpx.Response(404) if fails else usual(request)

        self.world.hosts[words] = answer


@pytest.fixture
def talking(clips: Any) -> bytes:
    """Two seconds with sound."""
    data: bytes = clips.counted(60, sounds=(2.0,)).read_bytes()
    return data


@pytest.mark.parametrize(("seconds", "attached"), [(59.0, 1), (60.0, 0)])
async def test_photos_have_a_minute_together(llm: Any, seconds: float, attached: int) -> None:
    """What comes later is not tried any more, and counted."""
    world = World(with_media(1, raw_photo("a"), raw_photo("b"))).shows("a", "b")
    hours = Hours(world)
    hours.takes(seconds, f"GET {photo_url('a')}", fails=True)
    settings = {**models(llm), **PHOTOS, "max_media_per_search": 1}
    result = await Seeing(world, settings, further=hours.further)(mode="posts", output="answer")
    assert len(parts_of(llm)[1]) == attached
    assert figures(result, "images_omitted") == ([] if attached else [(1, "unattempted")])


async def test_the_time_for_videos_begins_after_the_photos(llm: Any, speech: Any, talking: bytes) -> None:
    """However long those took."""
    world = World(with_media(1, raw_photo("a"), raw_video("v"))).shows("a").plays("v", talking)
    hours = Hours(world)
    hours.takes(50, f"GET {photo_url('a')}")
    settings = {**models(llm), **PHOTOS, **VIDEOS, **speech.settings, "video_budget_ms": 10_000, "max_frames": 1}
    result = await Seeing(world, settings, further=hours.further)(mode="posts", output="answer")
    assert note_of(result, "video_processed")["method"] == "frames+stt"


async def test_videos_that_come_too_late_are_counted_together(speech: Any, talking: bytes) -> None:
    """The one whose download used up the time, and those that were not begun."""
    names = ("u", "v", "w")
    world = World(*(with_media(n, raw_video(name)) for n, name in enumerate(names, 1)))
    for name in names:
        world.plays(name, talking)
    hours = Hours(world)
    hours.takes(11, f"GET {clip_url('u')}")
    settings = {**VIDEOS, **speech.settings, "video_budget_ms": 10_000, "max_videos_per_search": 3}
    result = await Seeing(world, settings, further=hours.further)(mode="posts", output="posts")
    assert figures(result, "video_skipped") == [(3, "deadline")]
    assert (world.downloads, speech.uploads) == ([clip_url("u")], 0)


@pytest.mark.parametrize(
    ("budget_ms", "until", "attached"), [(10_000, 74.0, 1), (10_000, 75.0, 0), (300_000, 314.0, 1), (300_000, 315.0, 0)]
)
async def test_a_poster_has_fifteen_seconds_after_everything_else(
    llm: Any, budget_ms: int, until: float, attached: int
) -> None:
    """After the minute of the photos or the time of the videos, whichever ends later."""
    world = World(with_media(1, raw_video("v"))).shows("v-poster")
    hours = Hours(world)
    hours.takes(until, f"GET {clip_url('v')}", fails=True)
    settings = {**models(llm), **VIDEOS, "video_budget_ms": budget_ms}
    result = await Seeing(world, settings, further=hours.further)(mode="posts", output="answer")
    assert len(parts_of(llm)[1]) == attached
    assert ("video_poster_used" in codes(result)) is bool(attached)


async def test_posters_alone_have_the_minute_of_the_photos(llm: Any) -> None:
    """Nothing is downloaded of videos that would take longer."""
    world = World(with_media(1, raw_video("v")), with_media(2, raw_video("w"))).shows("w-poster")
    hours = Hours(world)
    hours.takes(61, f"GET {photo_url('v-poster')}", fails=True)
    settings = {**models(llm), **POSTERS, "max_media_per_search": 1}
    result = await Seeing(world, settings, further=hours.further)(mode="posts", output="answer")
    assert parts_of(llm)[1] == []
    assert figures(result, "images_omitted") == [(1, "unattempted")]
