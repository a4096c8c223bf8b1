"""Faults after a page was read, and faults that pass: what is retried, how long is waited, what may be billed again."""

from __future__ import annotations

from email.utils import format_datetime

import pytest
from loopback_calls import (
    ARGUMENTS,
    FOLLOWERS,
    START,
    Hands,
    assert_nothing_is_under_way,
    failure_of,
    new_key,
    shown,
    tool_for,
)
from served_sandbox import STALL, Served
from test_fault_matrix import ALL_FOLLOWERS, TABLE, Fails

from twitter_tool.sandbox import Fault, FaultName

FAILING = [fault for fault, row in TABLE.items() if isinstance(row.of("followers"), Fails)]


@pytest.mark.parametrize("fault", FAILING)
async def test_a_fault_on_the_second_page_fails_the_whole_call_and_names_what_was_read(
    served: Served, fault: FaultName
) -> None:
    """Never half a listing; the accepted page is counted, and the hint says that it may cost again."""
    row, key = TABLE[fault], new_key()
    end = row.of("followers")
    served.show(Fault(fault, value=row.value, after=1))
    async with tool_for(served, key, clock=Hands().clock(), timeout_s=max(row.timeout_s, 0.5)) as tool:
        error = await failure_of(tool.read(mode="followers", output="posts", **ARGUMENTS["followers"]))
        assert_nothing_is_under_way(tool)
    assert isinstance(end, Fails)
    assert (error.code, error.http_status, error.retryable) == (end.code, end.status, end.retryable)
    assert (error.attempts, error.pages_accepted) == (end.requests, 1)
    assert "may be billed again when the call is repeated" in (error.hint or "")
    assert error.to_dict()["error"]["pagesAccepted"] == 1
    assert len(served.paths) == 1 + end.requests
    assert key not in shown(error)


async def test_a_second_page_that_comes_after_two_refusals_loses_nothing(served: Served) -> None:
    """The same request is sent again, after a backoff that doubles; the result is as if nothing had happened."""
    hands = Hands()
    served.show(Fault("http_503", after=1, times=2))
    settings = {"retry_base_delay_ms": 1_000}
    async with tool_for(served, new_key(), clock=hands.clock(), settings=settings) as tool:
        result = await tool.read(mode="followers", output="posts", **ARGUMENTS["followers"])
    assert (result.details["stopReason"], len(result.items)) == (ALL_FOLLOWERS.stop, ALL_FOLLOWERS.items)
    assert hands.slept == [1.5, 2.5]
    assert served.queries[1] == served.queries[2] == served.queries[3] != served.queries[4]
    usage = result.details["usage"]
    assert (usage["upstreamAttempts"], usage["upstreamHttpFailures"], usage["successfulPages"]) == (5, 2, 3)
    assert result.details["timings"]["retrievalMs"] == 4_000


@pytest.mark.parametrize(
    "fault", [Fault("drop_connection", times=3), Fault("slow_headers", times=1, value=STALL)], ids=lambda f: f.name
)
async def test_a_request_without_an_answer_is_sent_again(served: Served, fault: Fault) -> None:
    """A lost connection, or nothing within the time of an attempt."""
    served.show(fault)
    async with tool_for(served, new_key(), clock=Hands().clock(), timeout_s=0.5) as tool:
        result = await tool.read(mode="profile", output="posts", **ARGUMENTS["profile"])
        assert_nothing_is_under_way(tool)
    failures = fault.times or 0
    assert len(served.paths) == 1 + failures
    assert (result.details["usage"]["upstreamAttempts"], result.details["usage"]["upstreamHttpFailures"]) == (
        1 + failures,
        failures,
    )


@pytest.mark.parametrize(
    ("asked", "base_ms", "waited"),
    [
        ("7", 1_000, 7),
        ("60", 1_000, 60),
        ("0", 1_500, 1.5),
        ("2", 5_000, 5),
        (format_datetime(START.replace(second=9), usegmt=True), 1_000, 9),
        (format_datetime(START.replace(year=2020), usegmt=True), 5_000, 5),
        ("soon", 4_000, 6),
        ("-1", 4_000, 6),
    ],
)
async def test_retry_after_is_waited_out_and_never_shortened(
    served: Served, asked: str, base_ms: int, waited: float
) -> None:
    """Seconds or a date, at least the first backoff; what is neither is as if it were not there."""
    hands, events = Hands(), []
    served.show(Fault("rate_limit_retry_after", after=1, times=1, value=asked))
    settings = {"retry_base_delay_ms": base_ms}
    async with tool_for(served, new_key(), clock=hands.clock(), settings=settings) as tool:
        result = await tool.read(mode="followers", output="posts", progress=events.append, **ARGUMENTS["followers"])
    assert hands.slept == [waited]
    assert result.details["usage"]["upstreamAttempts"] == 4
    waits = [event for event in events if event.startswith("waiting")]
    assert len(waits) == (waited > 3)
    assert all(event.endswith("(rate limited, retry 1 of 3)") for event in waits)


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [("61", 61), ("3600", 3_600), (format_datetime(START.replace(minute=2), usegmt=True), 120)],
)
@pytest.mark.parametrize("after", [0, 1])
async def test_a_retry_after_of_more_than_a_minute_is_refused_at_once(
    served: Served, asked: str, seconds: int, after: int
) -> None:
    """The caller learns how long upstream wants it to wait, and decides itself."""
    hands = Hands()
    served.show(Fault("rate_limit_retry_after", after=after, value=asked))
    async with tool_for(served, new_key(), clock=hands.clock()) as tool:
        error = await failure_of(tool.read(mode="followers", output="posts", **ARGUMENTS["followers"]))
    assert (error.code, error.attempts, error.retryable) == ("upstream_unavailable", 1, True)
    document = error.to_dict()["error"]
    assert document["retryAfterSeconds"] == seconds
    assert document.get("pagesAccepted", 0) == after
    assert f"{seconds} s, more than the 60 s" in error.message
    assert hands.slept == []
    assert len(served.paths) == 1 + after


async def test_the_last_refusal_of_four_is_reported_whatever_it_asks(served: Served) -> None:
    """The wait it asks for no longer matters: nothing more is sent."""
    hands = Hands()
    served.show(Fault("rate_limit", times=3), Fault("rate_limit_retry_after", after=3, value="3600"))
    async with tool_for(served, new_key(), clock=hands.clock()) as tool:
        error = await failure_of(tool.read(mode="followers", output="posts", **ARGUMENTS["followers"]))
    assert (error.attempts, error.retry_after_seconds) == (4, None)


async def test_every_attempt_keeps_the_distance_between_requests(served: Served) -> None:
    """Retries and further pages alike; a longer backoff swallows the distance."""
    hands = Hands()
    served.show(Fault("http_503", path=FOLLOWERS, times=1))
    settings = {"min_request_interval_ms": 5_000, "retry_base_delay_ms": 100}
    async with tool_for(served, new_key(), clock=hands.clock(), settings=settings) as tool:
        await tool.read(mode="followers", output="posts", **ARGUMENTS["followers"])
    assert len(served.paths) == 4
    assert hands.time == pytest.approx(15, abs=0.02)
