"""Which failed attempts are tried again, and after how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.backends.twitterapi.retry import Fail, Outcome, Retry, decide, retry_after_s

NOW = datetime(2026, 11, 30, 15, 0, 0, tzinfo=UTC)


def decided(
    attempt: int = 1,
    *,
    status: int | None = 429,
    retry_after: str | None = None,
    base_s: float = 5.0,
    jitter: float = 0.0,
) -> Retry | Fail:
    outcome = Outcome(status=status, retry_after=retry_after)
    return decide(attempt=attempt, outcome=outcome, base_s=base_s, jitter=jitter, now=NOW)


@pytest.mark.parametrize("status", [429, 503, None])
def test_rate_limits_unavailability_and_missing_answers_are_tried_four_times(status: int | None) -> None:
    """Three retries after the first attempt, then no more."""
    assert [type(decided(attempt, status=status)) for attempt in (1, 2, 3, 4)] == [Retry, Retry, Retry, Fail]


@pytest.mark.parametrize("status", [101, 301, 302, 304, 400, 401, 402, 403, 404, 405, 422, 500, 502, 504, 507, 520])
def test_every_other_status_fails_at_once(status: int) -> None:
    """Such a request may have been billed, and sending it again would not help."""
    assert decided(status=status, retry_after="1") == Fail()


@pytest.mark.parametrize(("attempt", "least", "most"), [(1, 5, 10), (2, 10, 15), (3, 20, 25)])
def test_backoff_doubles_and_gets_up_to_one_base_on_top(attempt: int, least: float, most: float) -> None:
    """The random part never shortens the wait."""
    assert decided(attempt, jitter=0.0) == Retry(least)
    assert decided(attempt, jitter=0.999_999) == Retry(pytest.approx(most, abs=0.001))


def test_backoff_ends_at_a_minute() -> None:
    """However long the base is."""
    assert decided(3, base_s=30.0, jitter=0.5) == Retry(60)
    assert decided(1, base_s=600.0) == Retry(60)


@pytest.mark.parametrize(
    ("header", "base_s", "wait"),
    [
        ("2", 1.0, 2),
        ("0", 1.5, 1.5),
        ("000", 1.5, 1.5),
        (" 7 ", 5.0, 7),
        ("60", 5.0, 60),
        ("Mon, 30 Nov 2026 15:00:30 GMT", 5.0, 30),
        ("Monday, 30-Nov-26 15:00:30 GMT", 5.0, 30),
        ("Mon Nov 30 15:00:30 2026", 5.0, 30),
        ("Mon, 30 Nov 2026 14:00:00 GMT", 5.0, 5),
    ],
)
def test_a_wait_that_upstream_asks_for_is_obeyed_but_never_shorter_than_the_base(
    header: str, base_s: float, wait: float
) -> None:
    """Seconds or any of the three forms of a date; nothing random is added."""
    assert decided(retry_after=header, base_s=base_s, jitter=0.9) == Retry(wait)
    assert decided(status=503, retry_after=header, base_s=base_s, jitter=0.9) == Retry(wait)


@pytest.mark.parametrize(
    ("header", "asked"),
    [("61", 61), ("3600", 3600), ("Mon, 30 Nov 2026 15:01:01 GMT", 61), ("9" * 5000, 10**9), ("0" * 5000 + "61", 61)],
)
def test_a_wait_over_a_minute_fails_at_once_and_is_reported(header: str, asked: int) -> None:
    """The caller learns how long, and the tool does not sit there."""
    assert decided(retry_after=header) == Fail(asked_s=asked)


def test_the_header_of_the_last_answer_is_not_looked_at() -> None:
    """When no attempt is left, the failure is the status itself."""
    assert decided(4, retry_after="3600") == Fail()


@pytest.mark.parametrize(
    "header",
    ["", "soon", "-5", "+5", "1.5", "1e1", "5, 10", "５", "²", "inf", "nan", "Mon, 31 Feb 2026 15:00:00 GMT",
     "Mon, 30 Nov 2026 25:00:00 GMT", "Mon, 30 Nov 2026 15:00:00 PST", "30 Nov 2026", "2026-11-30T15:00:00Z"],
)  # fmt: skip
def test_a_header_that_is_neither_seconds_nor_a_date_means_the_usual_backoff(header: str) -> None:
    """It is ignored, jitter included."""
    assert decided(retry_after=header, jitter=0.5) == Retry(7.5)


@given(st.text(max_size=60))
def test_no_header_breaks_the_reader(header: str) -> None:
    """Any text gives a number of seconds from 0 up, or nothing."""
    found = retry_after_s(header, NOW)
    assert found is None or 0 <= found <= 1e9


@given(st.integers(0, 10**12))
def test_any_whole_number_of_seconds_is_read(seconds: int) -> None:
    """Up to a bound beyond which only the refusal matters."""
    assert retry_after_s(str(seconds), NOW) == min(seconds, 1e9)


@given(st.integers(-(10**8), 10**8))
def test_any_date_is_read_as_the_time_until_it(seconds: int) -> None:
    """A date that has passed asks for nothing."""
    header = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)
    assert retry_after_s(header, NOW) == max(seconds, 0)


@given(st.integers(1, 3), st.floats(0, 600), st.floats(0, 1, exclude_max=True), st.one_of(st.none(), st.text()))
def test_no_wait_is_shorter_than_the_base_or_longer_than_a_minute(
    attempt: int, base_s: float, jitter: float, header: str | None
) -> None:
    """Whatever is asked for."""
    verdict = decided(attempt, base_s=base_s, jitter=jitter, retry_after=header)
    if isinstance(verdict, Retry):
        assert min(base_s, 60) <= verdict.after_s <= 60
