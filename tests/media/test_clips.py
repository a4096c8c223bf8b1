"""Downloading a video: which rendition is asked for, what is refused, and what the file holds."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from picture_samples import video
from scripted_host import LATE, Body, HandClock, Reply, ScriptedHost, media_host, reply

from twitter_tool.http import Http, HttpFailure, HttpResponse, PublicHosts
from twitter_tool.links import Link
from twitter_tool.media.clip import Clip, fetch_clip
from twitter_tool.records import Media, Variant
from twitter_tool.sandbox.media import asset
from twitter_tool.usage import Usage

HOST = "https://video.twimg.com"
CLIP = video("low.mp4", "high.mp4", milliseconds=None)
ASKED_SIZES = [f"HEAD {HOST}/low.mp4", f"HEAD {HOST}/high.mp4"]
CAP = 1_000


@dataclass
class Fetch:
    """One way of asking, and everything that a test looks at afterwards."""

    http: Http
    host: ScriptedHost
    into: Path
    usage: Usage = field(default_factory=Usage)
    clock: HandClock = field(default_factory=HandClock)
    told: list[tuple[int, int | None]] = field(default_factory=list)

    async def __call__(self, media: Media = CLIP, **changes: Any) -> Clip | str:
        asked: dict[str, Any] = {
            "into": self.into,
            "http": self.http,
            "usage": self.usage,
            "clock": self.clock.clock,
            "deadline": LATE,
            "preferred_bytes": None,
            "max_bytes": CAP,
            "on_bytes": lambda done, total: self.told.append((done, total)),
        }
        return await fetch_clip(media, **(asked | changes))

    @property
    def downloads(self) -> list[str]:
        """What was asked for after the sizes, by name of file."""
        return [words.removeprefix(f"GET {HOST}/") for words in self.host.asked if words.startswith("GET")]


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@contextlib.asynccontextmanager
async def fetching(folder: Path, script: Mapping[str, Reply]) -> AsyncIterator[Fetch]:
    """Scripted by ``HEAD name`` and ``GET name``."""
    by_address = {
        f"{words.partition(' ')[0]} {HOST}/{words.partition(' ')[2]}": found for words, found in script.items()
    }
    async with media_host(by_address) as (http, host):
        yield Fetch(http, host, folder / "clip.mp4")
    assert names(folder) in ([], ["clip.mp4"]), "nothing but the clip is left"


def mp4(body: bytes | Body = b"moov", **more: Any) -> Reply:
    return reply(body, "video/mp4", **more)


def sizes(**by_name: int) -> Iterator[tuple[str, Reply]]:
    for name, size in by_name.items():
        yield f"HEAD {name}.mp4", mp4(content_length=str(size))


async def test_the_first_rendition_in_rank_is_downloaded_into_the_file(tmp_path: Path) -> None:
    """Sizes first, then one download; both kinds of request are counted."""
    script = {**dict(sizes(low=300, high=700)), "GET high.mp4": mp4(b"sharp")}
    async with fetching(tmp_path, script) as fetch:
        found = await fetch()
    assert found == Clip(path=fetch.into, size=5, url=Link(f"{HOST}/high.mp4"))
    assert fetch.into.read_bytes() == b"sharp"
    assert sorted(fetch.host.asked[:2]) == sorted(ASKED_SIZES)
    assert fetch.downloads == ["high.mp4"]
    usage = fetch.usage
    assert (usage.media_attempts, usage.media_head_attempts, usage.media_http_failures) == (3, 2, 0)


async def test_a_rendition_that_fits_a_request_is_preferred_when_asked_for(tmp_path: Path) -> None:
    """The same sizes, another order."""
    script = {**dict(sizes(low=300, high=700)), "GET low.mp4": mp4(b"small")}
    async with fetching(tmp_path, script) as fetch:
        found = await fetch(preferred_bytes=500)
    assert isinstance(found, Clip)
    assert (found.url, fetch.downloads) == (f"{HOST}/low.mp4", ["low.mp4"])


async def test_estimates_use_the_length_that_was_sent(tmp_path: Path) -> None:
    """Two hundred thousand bits a second for a tenth of a second fit; for ten seconds they do not."""
    script = {"GET high.mp4": mp4(), "GET low.mp4": mp4()}
    async with fetching(tmp_path, script) as fetch:
        short = await fetch(replace(CLIP, duration_ms=100), max_bytes=3_000)
        long = await fetch(replace(CLIP, duration_ms=10_000), max_bytes=3_000)
    assert isinstance(short, Clip)
    assert isinstance(long, Clip)
    assert [short.url, long.url] == [f"{HOST}/high.mp4", f"{HOST}/low.mp4"]


@pytest.mark.parametrize("label", ["video/mp4", "VIDEO/MP4; codecs=avc1", None, ""])
async def test_a_clip_is_labelled_as_mp4_or_not_at_all(tmp_path: Path, label: str | None) -> None:
    """Parameters and case do not matter."""
    async with fetching(tmp_path, {"GET low.mp4": reply(b"moov", label)}) as fetch:
        assert isinstance(await fetch(video("low.mp4")), Clip)


@pytest.mark.parametrize("label", ["video/webm", "application/octet-stream", "text/html", "video/mp42"])
async def test_another_label_is_refused_before_reading(tmp_path: Path, label: str) -> None:
    """The body is not taken, and the failure is not one of HTTP."""
    body = Body([b"moov"])
    async with fetching(tmp_path, {"HEAD low.mp4": mp4(), "GET low.mp4": reply(body, label)}) as fetch:
        assert await fetch(video("low.mp4")) == "type"
    assert (body.taken, body.closed) == (0, True)
    assert fetch.usage.media_http_failures == 0


@pytest.mark.parametrize(
    "answer",
    [
        mp4(status=404),
        mp4(status=302, location=f"{HOST}/low.mp4"),
        mp4(b""),
        mp4(content_encoding="gzip"),
        mp4(Body([b"mo"]), content_length="4"),
        httpx.ConnectError("no"),
        reply(b"moov", "video/webm"),
        mp4(content_length=str(CAP + 1)),
        mp4(Body([bytes(600)] * 2)),
    ],
    ids=["404", "redirect", "empty", "packed", "cut", "no connection", "webm", "declared too large", "too large"],
)
async def test_after_a_failure_the_next_rendition_is_tried(tmp_path: Path, answer: Reply) -> None:
    """Whatever the failure; nothing of the failed one is left in the file."""
    script = {**dict(sizes(low=300, high=700)), "GET high.mp4": answer, "GET low.mp4": mp4(b"small")}
    async with fetching(tmp_path, script) as fetch:
        found = await fetch()
    assert isinstance(found, Clip)
    assert fetch.downloads == ["high.mp4", "low.mp4"]
    assert fetch.into.read_bytes() == b"small"


async def test_a_rendition_known_to_be_too_large_is_not_asked_for(tmp_path: Path) -> None:
    """When its size was stated; an estimate is not knowledge."""
    async with fetching(tmp_path, dict(sizes(low=CAP + 1, high=CAP + 2))) as fetch:
        assert await fetch() == "size"
        assert fetch.downloads == []
    async with fetching(tmp_path, {"GET low.mp4": mp4(b"small")}) as fetch:
        assert isinstance(await fetch(video("low.mp4", milliseconds=10_000)), Clip)


async def test_a_file_of_exactly_the_limit_is_taken(tmp_path: Path) -> None:
    """The limit belongs to what is allowed."""
    script = {"HEAD low.mp4": mp4(content_length=str(CAP)), "GET low.mp4": mp4(bytes(CAP))}
    async with fetching(tmp_path, script) as fetch:
        found = await fetch(video("low.mp4"))
    assert isinstance(found, Clip)
    assert found.size == CAP


async def test_a_lying_length_is_cut_off_while_streaming(tmp_path: Path) -> None:
    """The stream is closed when the limit is passed, not read to its end."""
    body = Body([bytes(400)] * 50)
    async with fetching(tmp_path, {"GET low.mp4": mp4(body, content_length="5")}) as fetch:
        assert await fetch(video("low.mp4")) == "size"
    assert (body.taken, body.closed) == (3, True)


async def test_refused_hosts_are_never_asked(tmp_path: Path) -> None:
    """Neither for a size nor for a body; they are only the reason when there is no other rendition."""
    evil = tuple(Variant(Link(url)) for url in ("https://evil.test/a.mp4", "http://video.twimg.com/a.mp4"))
    async with fetching(tmp_path, {"GET low.mp4": mp4()}) as fetch:
        assert await fetch(replace(CLIP, variants=evil)) == "host"
        assert fetch.host.asked == []
        assert fetch.usage == Usage()
        assert isinstance(await fetch(replace(CLIP, variants=(*evil, *CLIP.variants))), Clip)
        assert not [words for words in fetch.host.asked if HOST not in words]


async def test_a_host_that_leads_into_the_private_network_is_a_refused_host(tmp_path: Path) -> None:
    """A look-up decides before anything is sent."""

    async def inward(_host: str, _port: int) -> list[str]:
        return ["10.0.0.1"]

    http = Http(public_only=True, public_hosts=PublicHosts(resolve=inward))
    try:
        fetch = Fetch(http, ScriptedHost({}), tmp_path / "clip.mp4")
        assert await fetch(video("low.mp4")) == "host"
    finally:
        await http.aclose()


async def test_a_video_without_any_rendition_has_the_wrong_type(tmp_path: Path) -> None:
    """All it has are playlists, which are no candidates."""
    async with fetching(tmp_path, {}) as fetch:
        assert await fetch(video()) == "type"
    assert fetch.host.asked == []


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ({"GET low.mp4": mp4(status=500)}, "failed"),
        ({"GET low.mp4": mp4(b""), "GET high.mp4": mp4(b"")}, "failed"),
        ({"GET low.mp4": reply(b"x", "a/b"), "GET high.mp4": reply(b"x", "a/b")}, "type"),
        ({"GET low.mp4": mp4(bytes(CAP + 1)), "GET high.mp4": mp4(bytes(CAP + 1))}, "size"),
        ({"GET low.mp4": mp4(bytes(CAP + 1)), "GET high.mp4": reply(b"x", "a/b")}, "failed"),
        ({"GET low.mp4": mp4(bytes(CAP + 1)), **dict(sizes(high=CAP + 1))}, "size"),
        ({"GET low.mp4": reply(b"x", "a/b"), **dict(sizes(high=CAP + 1))}, "failed"),
    ],
    ids=["not there", "empty", "type", "size", "size and type", "size known and found", "size known and type"],
)
async def test_the_reason_is_the_one_that_all_renditions_share(
    tmp_path: Path, script: dict[str, Reply], reason: str
) -> None:
    """When they differ, the download has failed."""
    async with fetching(tmp_path, script) as fetch:
        assert await fetch() == reason
        assert not fetch.into.exists() or fetch.into.stat().st_size == 0


async def test_nothing_is_asked_after_the_deadline(tmp_path: Path) -> None:
    """Not even a size."""
    async with fetching(tmp_path, {"GET low.mp4": mp4()}) as fetch:
        fetch.clock.now = LATE
        assert await fetch() == "deadline"
    assert fetch.host.asked == []


async def test_no_further_rendition_is_tried_after_the_deadline(tmp_path: Path) -> None:
    """Time that passes during a download counts."""

    def late(request: httpx.Request) -> httpx.Response:
        fetch.clock.now = LATE
        return httpx.Response(500, stream=Body([]))

    script: dict[str, Reply] = {**dict(sizes(low=300, high=700)), "GET high.mp4": late, "GET low.mp4": mp4()}
    async with fetching(tmp_path, script) as fetch:
        assert await fetch() == "deadline"
    assert fetch.downloads == ["high.mp4"]


async def test_a_stalling_download_ends_with_the_deadline(tmp_path: Path) -> None:
    """Its stream is closed and nothing of it is left."""
    body = Body([b"mo"], then_hang=True)
    script = {**dict(sizes(low=300, high=700)), "GET high.mp4": mp4(body), "GET low.mp4": mp4()}
    async with fetching(tmp_path, script) as fetch:
        assert await fetch(deadline=0.05) == "deadline"
    assert body.closed
    assert not fetch.into.exists()


class _Late(Http):
    """Never answers in time, and notes how long each download may take."""

    def __init__(self) -> None:
        self.given: list[float] = []

    async def request(self, method: Any, url: str, **more: Any) -> HttpResponse:
        raise HttpFailure("timeout", "late")

    async def download(self, url: str, **more: Any) -> HttpResponse:
        self.given.append(more["timeout_s"])
        raise HttpFailure("timeout", "late")


async def test_a_download_is_given_all_the_time_that_is_left(tmp_path: Path) -> None:
    """When it runs out, so has the deadline; a size that came too late only costs its statement."""
    http = _Late()
    fetch = Fetch(http, ScriptedHost({}), tmp_path / "clip.mp4")
    fetch.clock.now = 100.0
    assert await fetch(deadline=130.0) == "deadline"
    assert http.given == [30.0]
    assert fetch.usage.media_attempts == fetch.usage.media_http_failures == 3


async def test_progress_tells_bytes_and_the_length_that_was_told(tmp_path: Path) -> None:
    """Without a told length only the bytes."""
    async with fetching(tmp_path, {"GET low.mp4": mp4(Body([b"mo", b"ov"]), content_length="4")}) as fetch:
        await fetch(video("low.mp4"))
    assert fetch.told == [(2, 4), (4, 4)]
    async with fetching(tmp_path, {"GET low.mp4": mp4(Body([b"mo", b"ov"]))}) as fetch:
        await fetch(video("low.mp4"))
        assert fetch.told == [(2, None), (4, None)]
        assert isinstance(await fetch(video("low.mp4"), on_bytes=None), Clip)


async def test_a_cancelled_download_leaves_no_file_and_no_stream(tmp_path: Path) -> None:
    """Also when most of it had arrived."""
    body = Body([b"mo"], then_hang=True)
    async with fetching(tmp_path, {"GET low.mp4": mp4(body)}) as fetch:
        task = asyncio.create_task(fetch(video("low.mp4")))
        await body.hanging.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert body.closed
    assert names(tmp_path) == []


async def test_a_clip_of_the_sandbox_arrives_whole(tmp_path: Path) -> None:
    """A real file, byte for byte."""
    data = asset("clip.mp4")
    script = {"HEAD low.mp4": mp4(data), "GET low.mp4": mp4(data)}
    async with fetching(tmp_path, script) as fetch:
        found = await fetch(video("low.mp4"), max_bytes=33_554_432, preferred_bytes=12_582_912)
    assert isinstance(found, Clip)
    assert found.size == len(data)
    assert fetch.into.read_bytes() == data
