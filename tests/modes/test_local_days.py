"""Days are counted where the caller lives; the upstream cuts them at 04:00 UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.errors import SetupError
from twitter_tool.modes import window
from twitter_tool.modes.window import Days, day_start, local_zone, resolve
from twitter_tool.settings import Settings

ZONES = [
    "America/Sao_Paulo",
    "America/New_York",
    "America/St_Johns",
    "America/Toronto",
    "Australia/Sydney",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "Asia/Beirut",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Pacific/Kiritimati",
    "Etc/GMT+12",
    "UTC",
]


def in_zone(name: str) -> Settings:
    return Settings().replaced("user", time_zone=name)


def fixed(monkeypatch: pytest.MonkeyPatch, hours: float) -> Settings:
    zone = timezone(timedelta(hours=hours))
    monkeypatch.setattr(window, "local_zone", lambda settings: (zone, "test"))
    return Settings()


def found(first: str | None, last: str | None, settings: Settings) -> Days:
    days = resolve(date.fromisoformat(first) if first else None, date.fromisoformat(last) if last else None, settings)
    assert days is not None
    return days


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_without_days_there_is_no_window() -> None:
    """Nothing is sent and nothing is dropped."""
    assert resolve(None, None, Settings()) is None


@pytest.mark.parametrize(
    ("zone", "day", "start"),
    [
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00"),
        ("America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00"),
        ("Australia/Sydney", "2026-10-04", "2026-10-03T14:00"),
        ("Australia/Sydney", "2026-04-05", "2026-04-04T13:00"),
        ("America/New_York", "2026-03-08", "2026-03-08T05:00"),
        ("America/New_York", "2026-11-01", "2026-11-01T04:00"),
        ("America/New_York", "2026-01-15", "2026-01-15T05:00"),
        ("America/New_York", "2026-07-15", "2026-07-15T04:00"),
        ("Asia/Kathmandu", "2026-07-15", "2026-07-14T18:15"),
        ("Pacific/Chatham", "2026-09-27", "2026-09-26T11:15"),
        # Clocks went back from 00:01 to 23:01: midnight came twice, and the first one began the day.
        ("America/St_Johns", "2010-11-07", "2010-11-07T02:30"),
        # Clocks went forward from 23:30 to 00:30: the day began in the middle of its first hour.
        ("America/Toronto", "1919-03-31", "1919-03-31T04:30"),
        # This day was left out altogether when the date line moved.
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00"),
        ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00"),
    ],
)
def test_a_day_starts_at_its_first_instant_by_the_rules_of_its_zone(zone: str, day: str, start: str) -> None:
    """Also where midnight is skipped or happens twice."""
    assert day_start(date.fromisoformat(day), ZoneInfo(zone)) == utc(start)


@pytest.mark.parametrize(
    ("day", "hours"), [("2026-03-08", 23), ("2026-11-01", 25), ("2026-11-02", 24), ("2026-07-15", 24)]
)
def test_a_day_of_a_clock_change_is_shorter_or_longer(day: str, hours: int) -> None:
    """The window of one day is exactly that day."""
    trim = found(day, day, in_zone("America/New_York")).trim
    assert trim.start is not None
    assert trim.end is not None
    assert trim.end - trim.start == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("offset", "start", "end", "since", "shortfall", "band"),
    [
        (-10, "2026-09-21T10:00", "2026-09-22T10:00", "2026-09-21", 6, 0),
        (-8, "2026-09-21T08:00", "2026-09-22T08:00", "2026-09-21", 4, 0),
        (-6, "2026-09-21T06:00", "2026-09-22T06:00", "2026-09-21", 2, 0),
        (-5, "2026-09-21T05:00", "2026-09-22T05:00", "2026-09-21", 1, 0),
        (-4, "2026-09-21T04:00", "2026-09-22T04:00", "2026-09-20", 0, 0),
        (-3, "2026-09-21T03:00", "2026-09-22T03:00", "2026-09-20", 0, 1),
        (0, "2026-09-21T00:00", "2026-09-22T00:00", "2026-09-20", 0, 4),
        (2, "2026-09-20T22:00", "2026-09-21T22:00", "2026-09-20", 0, 6),
        (5.5, "2026-09-20T18:30", "2026-09-21T18:30", "2026-09-20", 0, 9.5),
        (9, "2026-09-20T15:00", "2026-09-21T15:00", "2026-09-20", 0, 13),
        (14, "2026-09-20T10:00", "2026-09-21T10:00", "2026-09-20", 0, 18),
    ],
)
def test_one_day_at_every_kind_of_offset(
    monkeypatch: pytest.MonkeyPatch, offset: float, start: str, end: str, since: str, shortfall: float, band: float
) -> None:
    """The start that is sent is padded back, the end never moves, and the difference has a figure."""
    days = found("2026-09-21", "2026-09-21", fixed(monkeypatch, offset))
    assert (days.trim.start, days.trim.end) == (utc(start), utc(end))
    assert (days.since, days.until) == (since, "2026-09-21")
    assert (days.shortfall_hours, days.band_hours) == (shortfall, band)
    assert days.trim.free_pages is (band > 0)
    assert days.figures == {"timeZone": "test", "from": f"{start}:00Z", "until": f"{end}:00Z"}


@pytest.mark.parametrize(
    ("offset", "day", "since"),
    [(2, "2026-03-01", "2026-02-28"), (2, "2024-03-01", "2024-02-29"), (0, "2026-01-01", "2025-12-31")],
)
def test_padding_crosses_months_and_years(monkeypatch: pytest.MonkeyPatch, offset: float, day: str, since: str) -> None:
    """By the calendar."""
    assert found(day, None, fixed(monkeypatch, offset)).since == since


def test_padding_has_an_hour_more_than_the_boundary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half past four would be enough for a boundary at four, but not if that moves by an hour."""
    assert found("2026-10-01", None, fixed(monkeypatch, -4.5)).since == "2026-09-30"


def test_an_open_end_sends_nothing_and_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the side that was given is bounded."""
    only_from = found("2026-09-21", None, fixed(monkeypatch, 2))
    assert only_from.until is None
    assert only_from.trim.end is None
    assert (only_from.shortfall_hours, only_from.band_hours) == (0, 0)
    assert only_from.figures == {"timeZone": "test", "from": "2026-09-20T22:00:00Z"}
    only_to = found(None, "2026-09-30", fixed(monkeypatch, -6))
    assert only_to.since is None
    assert only_to.trim.start is None
    assert (only_to.until, only_to.shortfall_hours) == ("2026-09-30", 2)
    assert only_to.figures == {"timeZone": "test", "until": "2026-10-01T06:00:00Z"}


def noted(days: Days, **dropped: int) -> dict[str, dict[str, Any]]:
    return {entry.code: dict(entry.figures) for entry in days.notes(**{"newer": 0, "older": 0, **dropped})}


def test_each_effect_of_the_window_is_disclosed_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole hours are whole numbers, and a band without width is not mentioned."""
    west = found("2026-09-21", "2026-09-21", fixed(monkeypatch, -6))
    assert noted(west) == {"window_shortfall": {"hours": 2}}
    assert noted(west, newer=3) == {"window_shortfall": {"hours": 2}, "window_trimmed_newer": {"count": 3}}
    india = found("2026-09-21", "2026-09-21", fixed(monkeypatch, 5.5))
    assert noted(india) == {}
    assert noted(india, newer=1) == {"window_trimmed_newer": {"count": 1, "bandHours": 9.5}}
    assert noted(india, older=2) == {"window_trimmed_older": {"count": 2}}
    assert type(noted(west)["window_shortfall"]["hours"]) is int


@pytest.mark.parametrize("name", ["Mars/Olympus", "../etc/passwd", "Europe", "/etc/localtime", "a\x00b"])
def test_an_unknown_zone_is_a_fault_of_the_settings(name: str) -> None:
    """Only when days are asked for."""
    with pytest.raises(SetupError) as caught:
        local_zone(in_zone(name))
    assert caught.value.code == "bad_settings"
    assert resolve(None, None, in_zone(name)) is None


def test_the_zone_of_the_settings_wins_over_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one, the host's zone counts, under its name."""
    zone, name = local_zone(in_zone("Asia/Kathmandu"))
    assert (zone, name) == (ZoneInfo("Asia/Kathmandu"), "Asia/Kathmandu")
    monkeypatch.setattr("tzlocal.get_localzone", lambda: ZoneInfo("Pacific/Chatham"))
    assert local_zone(Settings())[1] == "Pacific/Chatham"
    assert found("2026-09-27", None, Settings()).figures["timeZone"] == "Pacific/Chatham"


def test_a_host_without_a_known_zone_is_a_fault_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The advice is to set one."""

    def unknown() -> Any:
        raise KeyError("no such zone")

    monkeypatch.setattr("tzlocal.get_localzone", unknown)
    with pytest.raises(SetupError) as caught:
        local_zone(Settings())
    assert "time_zone" in str(caught.value.hint)


@given(st.dates(), st.sampled_from(ZONES))
def test_every_day_of_the_calendar_has_a_start_that_reads_as_it_and_nothing_before_does(day: date, name: str) -> None:
    """From the first to the last date there is."""
    zone = ZoneInfo(name)
    start = day_start(day, zone)
    if start.year in (1, 9999):
        return  # the start itself may lie outside the calendar
    assert start.astimezone(zone).date() >= day
    assert (start - timedelta(seconds=1)).astimezone(zone).date() < day


@given(st.dates(), st.dates(), st.sampled_from(ZONES))
def test_any_two_days_give_a_window(one: date, other: date, name: str) -> None:
    """Which is never inside out, and whose two figures never both count."""
    first, last = sorted((one, other))
    days = resolve(first, last, in_zone(name))
    assert days is not None
    assert days.trim.end is None or days.trim.start is None or days.trim.start <= days.trim.end
    assert days.shortfall_hours == 0 or days.band_hours == 0
    assert days.since is None or days.since <= first.isoformat()


@pytest.mark.parametrize("name", ZONES)
def test_the_ends_of_the_calendar_do_no_harm(name: str) -> None:
    """The first and the last date are dates like any other."""
    for first, last in ((date.min, date.min), (date.max, date.max), (date.min, date.max), (None, date.max)):
        days = resolve(first, last, in_zone(name))
        assert days is not None
        assert days.until == last.isoformat()
    before_last = resolve(date.max - timedelta(days=1), date.max - timedelta(days=1), in_zone(name))
    assert before_last is not None
    assert before_last.until == "9999-12-30"
