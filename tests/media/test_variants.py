"""Sizes of renditions and the order in which they are tried."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_host import LATE, HandClock, Reply, media_host, reply

from twitter_tool.http import Http, HttpFailure, HttpResponse
from twitter_tool.links import Link
from twitter_tool.media.variants import MAX_PROBES, PROBE_S, Sized, estimate, ranked, sized
from twitter_tool.records import Variant
from twitter_tool.usage import Usage

CAP = 33_554_432
INLINE = 12_582_912


def rendition(name: str, bitrate: float | None = None) -> Variant:
    return Variant(Link(f"https://video.twimg.com/{name}.mp4"), bitrate)


LOW, MID, HIGH = rendition("low", 500_000), rendition("mid", 1_000_000), rendition("high", 8_000_000)


def size_of(size: int | None, **more: str) -> Reply:
    """The answer to a question for the size."""
    if size is None:
        return reply(status=405)
    return reply(content_type="video/mp4", content_length=str(size), **more)


async def sizes(
    script: dict[Variant, Reply], *variants: Variant, seconds: float | None = 10.0
) -> tuple[tuple[Sized, ...], list[str], Usage]:
    usage = Usage()
    async with media_host({f"HEAD {item.url}": answer for item, answer in script.items()}) as (http, host):
        found = await sized(
            variants, http=http, usage=usage, clock=HandClock().clock, deadline=LATE, duration_s=seconds
        )
    return found, host.asked, usage


def order(*found: Sized, preferred: int | None = INLINE, cap: int = CAP) -> list[str]:
    names = [item.variant.url for item in ranked(found, preferred_bytes=preferred, max_bytes=cap)]
    return [name.rpartition("/")[2].removesuffix(".mp4") for name in names]


async def test_every_rendition_is_asked_for_its_size() -> None:
    """With a request that brings no body; all of them count, also apart."""
    script = {LOW: size_of(5_000), MID: size_of(13_000), HIGH: size_of(40_000)}
    found, asked, usage = await sizes(script, LOW, MID, HIGH)
    assert found == (Sized(LOW, 5_000, True), Sized(MID, 13_000, True), Sized(HIGH, 40_000, True))
    assert sorted(asked) == sorted(f"HEAD {item.url}" for item in (LOW, MID, HIGH))
    assert (usage.media_attempts, usage.media_head_attempts, usage.media_http_failures) == (3, 3, 0)


@pytest.mark.parametrize(
    ("answer", "http_failure"),
    [
        (size_of(0), False),
        (reply(content_type="video/mp4", content_length="many"), False),
        (reply(content_type="video/mp4", content_length="-5"), False),
        (reply(content_type="video/mp4", content_length="²"), False),
        (reply(content_type="video/mp4", content_length="9" * 40), False),
        (size_of(None), True),
        (reply(status=302, location=HIGH.url, content_length="77"), True),
        (reply(status=500, content_length="77"), True),
        (httpx.ReadTimeout("late"), True),
    ],
    ids=["zero", "words", "negative", "digits of another script", "absurd", "405", "redirect", "500", "late"],
)
async def test_a_size_that_is_not_stated_is_estimated(answer: Reply, http_failure: bool) -> None:
    """From bit rate and length; redirects are not followed, and their length is that of something else."""
    found, asked, usage = await sizes({MID: answer, HIGH: size_of(99)}, MID)
    assert found == (Sized(MID, 1_375_000, False),)
    assert asked == [f"HEAD {MID.url}"]
    assert usage.media_http_failures == int(http_failure)


@pytest.mark.parametrize(
    ("bitrate", "seconds", "size"),
    [
        (1_000_000, 10.0, 1_375_000),
        (8_000_000, 10.0, 11_000_000),
        (0, 10.0, None),
        (None, 10.0, None),
        (-1, 10.0, None),
        (1_000_000, None, None),
        (1e308, 1e308, None),
        (math.inf, 1.0, None),
    ],
)
def test_an_estimate_is_a_tenth_more_than_bit_rate_times_length(
    bitrate: float | None, seconds: float | None, size: int | None
) -> None:
    """Without one of them there is none."""
    assert estimate(bitrate, seconds) == size


async def test_refused_hosts_are_left_out_unasked() -> None:
    """A rendition elsewhere is neither asked for its size nor a candidate."""
    elsewhere = Variant(Link("https://video.twimg.com.evil.test/a.mp4"), 1)
    plain = Variant(Link("http://video.twimg.com/a.mp4"), 1)
    found, asked, usage = await sizes({LOW: size_of(7)}, elsewhere, LOW, plain)
    assert [item.variant for item in found] == [LOW]
    assert asked == [f"HEAD {LOW.url}"]
    assert usage.media_attempts == 1


async def test_an_address_listed_twice_is_asked_once() -> None:
    """One file is one candidate."""
    found, asked, _ = await sizes({LOW: size_of(7)}, LOW, LOW)
    assert len(found) == len(asked) == 1


async def test_no_more_than_a_handful_are_asked_for_their_size() -> None:
    """The rest of an absurd list stays a candidate with an estimate."""
    many = [rendition(str(number), 1_000_000) for number in range(MAX_PROBES + 5)]
    found, asked, _ = await sizes({item: size_of(7) for item in many}, *many)
    assert len(asked) == MAX_PROBES
    assert [item.size for item in found] == [7] * MAX_PROBES + [1_375_000] * 5


class _Asked(Http):
    """Notes how long each request may take."""

    def __init__(self) -> None:
        self.given: list[float] = []

    async def request(self, method: Any, url: str, **more: Any) -> HttpResponse:
        self.given.append(more["timeout_s"])
        raise HttpFailure("timeout", "late")


@pytest.mark.parametrize(("deadline", "given"), [(LATE, [PROBE_S] * 2), (3.0, [3.0] * 2), (0.0, []), (-1.0, [])])
async def test_a_size_may_take_five_seconds_or_what_is_left(deadline: float, given: list[float]) -> None:
    """After the deadline nothing is asked and sizes are estimates."""
    http, usage = _Asked(), Usage()
    found = await sized([LOW, MID], http=http, usage=usage, clock=HandClock().clock, deadline=deadline, duration_s=10.0)
    assert http.given == given
    assert [item.size for item in found] == [687_500, 1_375_000]
    assert usage.media_head_attempts == usage.media_http_failures == len(given)


async def test_sizes_are_asked_for_side_by_side() -> None:
    """So that together they take no longer than one."""
    async with media_host({f"HEAD {item.url}": size_of(9) for item in (LOW, MID, HIGH)}) as (http, host):
        host.gate = asyncio.Event()
        asking = asyncio.create_task(
            sized([LOW, MID, HIGH], http=http, usage=Usage(), clock=HandClock().clock, deadline=LATE, duration_s=None)
        )
        await host.arrived(3)
        host.gate.set()
        assert [item.size for item in await asking] == [9, 9, 9]


async def test_cancelling_ends_every_question() -> None:
    """No request outlives the call that asked."""
    async with media_host({}) as (http, host):
        host.gate = asyncio.Event()
        asking = asyncio.create_task(
            sized([LOW, MID], http=http, usage=Usage(), clock=HandClock().clock, deadline=LATE, duration_s=None)
        )
        await host.arrived(2)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert asyncio.all_tasks() == {asyncio.current_task()}


def test_what_fits_a_request_comes_first_then_what_fits_at_all() -> None:
    """A file that is too large is the last resort."""
    found = Sized(HIGH, 40_000_000, True), Sized(MID, 13_000_000, True), Sized(LOW, 5_000_000, True)
    assert order(*found) == ["low", "mid", "high"]


def test_a_stated_size_beats_an_estimate() -> None:
    """The sharpest of those that fit a request is taken, although its estimate would not fit."""
    found = Sized(LOW, 300_000, True), Sized(MID, 1_500_000, True), Sized(HIGH, 1_000_000, True)
    assert order(*found, preferred=2_000_000) == ["high", "mid", "low"]


def test_an_estimate_that_fits_a_request_beats_a_stated_size_that_does_not() -> None:
    """Estimates and statements are compared as they are."""
    found = Sized(MID, 1_400_000), Sized(HIGH, 3_000_000, True)
    assert order(*found, preferred=2_000_000) == ["mid", "high"]


def test_without_any_size_the_smallest_listed_comes_first() -> None:
    """Renditions are listed from the lowest bit rate up, and that order stays."""
    assert order(Sized(LOW), Sized(MID), Sized(HIGH)) == ["low", "mid", "high"]


def test_unknown_sizes_come_between_what_fits_and_what_does_not() -> None:
    """Among those that are too large the smallest comes first."""
    small, large = rendition("small", 1), rendition("large", 9)
    found = Sized(large, CAP + 2, True), Sized(LOW), Sized(small, CAP + 1), Sized(HIGH, CAP, True), Sized(MID, INLINE)
    assert order(*found) == ["mid", "high", "low", "small", "large"]
    assert order(Sized(LOW, CAP), Sized(MID, CAP)) == ["mid", "low"]


def test_without_a_preference_the_sharpest_that_fits_comes_first() -> None:
    """There is one group less."""
    found = Sized(LOW, 5_000, True), Sized(MID, 13_000_000, True), Sized(HIGH, 20_000_000, True)
    assert order(*found, preferred=None) == ["high", "mid", "low"]
    assert order(*found) == ["low", "high", "mid"]


def test_a_preference_above_the_cap_does_not_raise_it() -> None:
    """What is too large stays too large."""
    found = Sized(LOW, 900, True), Sized(HIGH, 1_100, True)
    assert order(*found, preferred=2_000, cap=1_000) == ["low", "high"]


def test_of_equal_bit_rates_the_larger_file_comes_first() -> None:
    """GIFs have no bit rate at all."""
    small, large = rendition("small", 0), rendition("large")
    assert order(Sized(small, 10, True), Sized(large, 20, True)) == ["large", "small"]


_found = st.lists(
    st.builds(
        Sized,
        st.builds(rendition, st.sampled_from("abc"), st.none() | st.integers(0, 9)),
        st.none() | st.integers(1, 30),
        st.booleans(),
    ),
    max_size=6,
)


@given(_found, st.none() | st.integers(1, 30), st.integers(1, 30))
def test_ranking_loses_nothing_and_puts_groups_in_order(found: list[Sized], preferred: int | None, cap: int) -> None:
    """Preferred, fitting, unknown, too large."""

    def group(item: Sized) -> int:
        if item.size is None:
            return 2
        if item.size > cap:
            return 3
        return 0 if preferred is not None and item.size <= preferred else 1

    result = ranked(found, preferred_bytes=preferred, max_bytes=cap)
    assert sorted(map(id, result)) == sorted(map(id, found))
    groups = [group(item) for item in result]
    assert groups == sorted(groups)
    for which in (0, 1):
        rates = [item.variant.bitrate or 0 for item in result if group(item) == which]
        assert rates == sorted(rates, reverse=True)
    assert [item for item in result if group(item) == 2] == [item for item in found if group(item) == 2]
    too_large = [item.size for item in result if group(item) == 3]
    assert too_large == sorted(too_large, key=lambda size: size or 0)
