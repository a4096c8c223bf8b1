"""Downloading pictures: each address once, from allowed hosts, within time, bytes and attempts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import httpx
import pytest
from picture_samples import ROOMY, jpeg, png
from scripted_host import LATE, Body, HandClock, Reply, ScriptedHost, media_host, reply

from twitter_tool.http import Http, HttpResponse
from twitter_tool.media.pictures import MAX_PICTURE_BYTES, PICTURE_S, PictureLoader, attempts_for
from twitter_tool.media.values import Bounds, Picture
from twitter_tool.usage import Usage

URL = "https://pbs.twimg.com/media/a.png"
ASKED = f"GET {URL}"


@dataclass
class Desk:
    """A loader with everything that a test looks at."""

    loader: PictureLoader
    host: ScriptedHost
    usage: Usage
    clock: HandClock


@contextlib.asynccontextmanager
async def desk(script: Mapping[str, Reply], *, attempts: int = 12, bounds: Bounds = ROOMY) -> AsyncIterator[Desk]:
    async with media_host(script) as (http, host):
        usage, clock = Usage(), HandClock()
        loader = PictureLoader(http, bounds=bounds, usage=usage, clock=clock.clock, attempts=attempts)
        yield Desk(loader, host, usage, clock)


def counts(usage: Usage) -> tuple[int, int, int]:
    return usage.media_attempts, usage.media_head_attempts, usage.media_http_failures


async def test_a_picture_comes_with_its_bytes_type_and_size() -> None:
    """As the asker calls it: a photo or a poster."""
    data = png(4, 3)
    async with desk({ASKED: reply(data, "image/png; charset=binary")}) as it:
        found = await it.loader.load(URL, "photo", LATE)
    assert found == Picture(kind="photo", mime="image/png", data=data, width=4, height=3)
    assert counts(it.usage) == (1, 0, 0)
    assert (it.loader.failed, it.loader.rejected) == (0, 0)


async def test_an_address_is_downloaded_once_whoever_asks() -> None:
    """A photo and a poster may share it; also when both ask before it is there."""
    async with desk({ASKED: reply(png())}) as it:
        it.host.gate = asyncio.Event()
        both = asyncio.gather(it.loader.load(URL, "photo", LATE), it.loader.load(URL, "poster", LATE))
        await it.host.arrived(1)
        it.host.gate.set()
        photo, poster = await both
        again = await it.loader.load(URL, "poster", LATE)
    assert isinstance(photo, Picture)
    assert (photo.kind, poster, again) == ("photo", replace(photo, kind="poster"), poster)
    assert it.host.asked == [ASKED]


async def test_different_addresses_are_downloaded_side_by_side() -> None:
    """One slow picture does not hold up the others."""
    urls = [f"https://pbs.twimg.com/{number}.png" for number in range(3)]
    async with desk({f"GET {url}": reply(png()) for url in urls}) as it:
        it.host.gate = asyncio.Event()
        all_of_them = asyncio.gather(*(it.loader.load(url, "photo", LATE) for url in urls))
        await it.host.arrived(3)
        it.host.gate.set()
        assert all(isinstance(found, Picture) for found in await all_of_them)


@pytest.mark.parametrize(
    "url",
    [
        "http://pbs.twimg.com/x.png",
        "https://127.0.0.1/x",
        "https://pbs.twimg.com.evil.test/x",
        "https://eviltwimg.com/x",
    ],
)
async def test_a_refused_host_is_never_asked(url: str) -> None:
    """It counts as a failed picture, once, and costs no attempt."""
    async with desk({}, attempts=1) as it:
        assert await it.loader.load(url, "photo", LATE) == "failed"
        assert await it.loader.load(url, "poster", LATE) == "failed"
        assert it.host.asked == []
        assert counts(it.usage) == (0, 0, 0)
        assert (it.loader.failed, it.loader.rejected) == (1, 0)
        await it.loader.load(URL, "photo", LATE)
        assert it.host.asked == [ASKED]


@pytest.mark.parametrize(
    ("answer", "http_failure"),
    [
        (reply(png(), status=404), True),
        (reply(png(), status=500), True),
        (reply(png(), status=302, location="https://pbs.twimg.com/b.png"), True),
        (reply(png(), status=304), True),
        (httpx.ConnectError("no"), True),
        (reply(png(), "text/html"), False),
        (reply(png(), "application/image/png"), False),
        (reply(png(), None), False),
        (reply(png(), content_encoding="br"), False),
    ],
    ids=["404", "500", "redirect", "304", "no connection", "html", "other type", "no type", "encoding"],
)
async def test_what_cannot_be_had_is_failed_and_not_asked_for_again(answer: Reply, http_failure: bool) -> None:
    """Redirects are not followed; only what came back without a 2xx counts as a failure of HTTP."""
    async with desk({ASKED: answer, "GET https://pbs.twimg.com/b.png": reply(png())}) as it:
        assert await it.loader.load(URL, "photo", LATE) == "failed"
        assert await it.loader.load(URL, "photo", LATE) == "failed"
    assert it.host.asked == [ASKED]
    assert counts(it.usage) == (1, 0, int(http_failure))
    assert (it.loader.failed, it.loader.rejected) == (1, 0)


@pytest.mark.parametrize(
    ("data", "label"),
    [
        (b"GIF89a" + bytes(20), "image/gif"),
        (jpeg(), "image/jpg"),
        (png(), "image/jpeg"),
        (png()[:-1], "image/png"),
        (jpeg() + b"\0", "image/jpeg"),
        (png(5, 1), "image/png"),
    ],
    ids=["gif", "label", "other label", "cut", "too much", "too wide"],
)
async def test_what_is_not_admitted_is_rejected_and_not_failed(data: bytes, label: str) -> None:
    """It was downloaded all right, so neither counter of failures moves."""
    async with desk({ASKED: reply(data, label)}, bounds=replace(ROOMY, max_width=4)) as it:
        assert await it.loader.load(URL, "photo", LATE) == "rejected"
        assert await it.loader.load(URL, "poster", LATE) == "rejected"
    assert it.host.asked == [ASKED]
    assert counts(it.usage) == (1, 0, 0)
    assert (it.loader.failed, it.loader.rejected) == (0, 1)


async def test_a_picture_over_the_models_bytes_is_rejected() -> None:
    """The download has a limit of its own; the bounds are about what is attached."""
    data = png(40, 40)
    async with desk({ASKED: reply(data)}, bounds=replace(ROOMY, max_bytes=len(data) - 1)) as it:
        assert await it.loader.load(URL, "photo", LATE) == "rejected"


async def test_a_declared_length_over_the_limit_is_refused_before_reading() -> None:
    """Eight MiB are allowed, one byte more is not."""
    body = Body([b"x"])
    async with desk({ASKED: reply(body, content_length=str(MAX_PICTURE_BYTES + 1))}) as it:
        assert await it.loader.load(URL, "photo", LATE) == "failed"
    assert MAX_PICTURE_BYTES == 8 * 1024 * 1024
    assert (body.taken, body.closed) == (0, True)


async def test_a_lying_length_is_cut_off_while_streaming() -> None:
    """The stream is closed as soon as the limit is passed, not read to its end."""
    body = Body([bytes(1024 * 1024)] * 50)
    async with desk({ASKED: reply(body, content_length="100")}) as it:
        assert await it.loader.load(URL, "photo", LATE) == "failed"
    assert (body.taken, body.closed) == (9, True)


async def test_a_body_that_stalls_is_given_up_at_the_deadline() -> None:
    """And its connection is closed."""
    body = Body([png()[:20]], then_hang=True)
    async with desk({ASKED: reply(body)}) as it:
        assert await it.loader.load(URL, "photo", 0.01) == "failed"
    assert body.closed


class _Watching(Http):
    """Notes the limits of every request and answers nothing."""

    def __init__(self) -> None:
        self.limits: list[tuple[int, float]] = []

    async def get(self, url: str, **more: Any) -> HttpResponse:
        self.limits.append((more["max_bytes"], more["timeout_s"]))
        return HttpResponse(status=404, headers={}, body=b"")


async def test_a_download_gets_twenty_seconds_or_what_the_phase_has_left() -> None:
    """Whichever is less; nothing is asked when nothing is left, and a later phase may still ask."""
    http, usage, clock = _Watching(), Usage(), HandClock()
    loader = PictureLoader(http, bounds=ROOMY, usage=usage, clock=clock.clock, attempts=9)
    clock.now = 100.0
    urls = [f"https://pbs.twimg.com/{number}.png" for number in range(4)]
    outcomes = [await loader.load(url, "photo", at) for url, at in zip(urls, (160, 107.5, 100, 99), strict=True)]
    assert outcomes == ["failed", "failed", "unattempted", "unattempted"]
    assert http.limits == [(MAX_PICTURE_BYTES, PICTURE_S), (MAX_PICTURE_BYTES, 7.5)]
    assert PICTURE_S == 20
    assert loader.failed == usage.media_attempts == 2
    assert await loader.load(urls[2], "poster", 115) == "failed"
    assert http.limits[2:] == [(MAX_PICTURE_BYTES, 15)]


async def test_attempts_are_capped_whether_they_succeed_or_not() -> None:
    """Two hundred dead photos under a limit of four cost twelve requests, also when all are asked for at once."""
    urls = [f"https://pbs.twimg.com/{number}.png" for number in range(200)]
    async with desk({}, attempts=attempts_for(4)) as it:
        outcomes = await asyncio.gather(*(it.loader.load(url, "photo", LATE) for url in urls))
    assert outcomes == ["failed"] * 12 + ["unattempted"] * 188
    assert counts(it.usage) == (12, 0, 12)
    assert it.loader.failed == 12
    async with desk({f"GET {url}": reply(png()) for url in urls}, attempts=2) as it:
        found = [await it.loader.load(url, "photo", LATE) for url in urls[:3]]
        assert [isinstance(item, Picture) for item in found] == [True, True, False]
        assert isinstance(await it.loader.load(urls[0], "poster", LATE), Picture)


@pytest.mark.parametrize(("limit", "attempts"), [(0, 3), (1, 3), (4, 12), (20, 60)])
def test_three_attempts_are_allowed_for_each_picture_wanted(limit: int, attempts: int) -> None:
    """And three when none may be attached, since the cap never falls below one picture's."""
    assert attempts_for(limit) == attempts


async def test_a_cancelled_download_leaves_nothing_open() -> None:
    """The address may be asked for again."""
    body = Body([png()], then_hang=True)
    async with desk({ASKED: reply(body)}) as it:
        task = asyncio.create_task(it.loader.load(URL, "photo", LATE))
        await body.hanging.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert body.closed
        assert it.loader.failed == 0


async def test_no_cookie_key_or_other_secret_is_sent() -> None:
    """A media host learns our name and what it is asked for."""
    async with desk({ASKED: reply(png(), set_cookie="a=b"), f"{ASKED}?again": reply(png())}) as it:
        await it.loader.load(URL, "photo", LATE)
        await it.loader.load(f"{URL}?again", "photo", LATE)
    assert set(it.host.headers[f"{ASKED}?again"]) == {"host", "accept", "accept-encoding", "user-agent"}
