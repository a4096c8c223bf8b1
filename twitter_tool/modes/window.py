"""Local-day windows of ``posts``: from the first instant of one day to the first instant after another.

The upstream cuts ``since:`` and ``until:`` days at 04:00 UTC (observed in September 2026), so the start that is sent is
padded back and what falls outside the local window is dropped while paging.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from twitter_tool.backends.twitterapi.plan import Trim
from twitter_tool.clock import iso_utc
from twitter_tool.errors import bad_settings
from twitter_tool.notes import Note, note
from twitter_tool.settings import Settings

BOUNDARY: Final = timedelta(hours=4)
"""Where the upstream cuts its days, after midnight UTC."""
PADDING: Final = BOUNDARY + timedelta(hours=1)
"""How far the start is moved back: the boundary, and one hour against its seasonal shift."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """A window of local days.

    Attributes:
        trim: the window for the walk.
        since, until: the dates sent upstream.
        shortfall_hours: how long before the window's end the upstream stops.
        band_hours: how far the upstream runs past the window's end.
        figures: ``timeZone``, ``from`` and ``until`` for ``details.window``.
    """

    trim: Trim
    since: str | None
    until: str | None
    shortfall_hours: float
    band_hours: float
    figures: dict[str, str]

    def notes(self, *, newer: int, older: int) -> Iterator[Note]:
        """What the window cost, given how many posts were dropped on each side."""
        if self.shortfall_hours > 0:
            yield note("window_shortfall", hours=plain(self.shortfall_hours))
        if newer:
            yield note(
                "window_trimmed_newer", count=newer, bandHours=plain(self.band_hours) if self.band_hours else None
            )
        if older:
            yield note("window_trimmed_older", count=older)


def resolve(first: date | None, last: date | None, settings: Settings) -> Days | None:
    """The window of two local days, either open; ``None`` when neither is given.

    Raises:
        SetupError: ``time_zone`` names no known zone.
    """
    if first is None and last is None:
        return None
    zone, name = local_zone(settings)
    start = day_start(first, zone) if first else None
    end = day_start(_next(last), zone) if last and last != date.max else None
    shortfall = band = 0.0
    if last and end:
        cut = datetime.combine(_next(last), time(), UTC) + BOUNDARY
        gap = (end - cut).total_seconds() / 3600
        shortfall, band = max(0.0, gap), max(0.0, -gap)
    figures = {"timeZone": name}
    if start:
        figures["from"] = iso_utc(start)
    if end:
        figures["until"] = iso_utc(end)
    return Days(
        trim=Trim(start=start, end=end, free_pages=band > 0),
        since=_padded(start).isoformat() if start else None,
        until=last.isoformat() if last else None,
        shortfall_hours=shortfall,
        band_hours=band,
        figures=figures,
    )


def local_zone(settings: Settings) -> tuple[tzinfo, str]:
    """The zone that days are counted in, and its name.

    Raises:
        SetupError: ``time_zone`` names no known zone.
    """
    name = settings["time_zone"]
    if name:
        try:
            return ZoneInfo(name), name
        except (KeyError, ValueError, OSError):
            raise bad_settings(
                f"time_zone {name!r} is not a known IANA zone", 'Use a name such as "Europe/Madrid" or "UTC".'
            ) from None
    import tzlocal  # only needed when days are asked for

    try:
        zone = tzlocal.get_localzone()
        return zone, str(getattr(zone, "key", None) or zone)
    except (KeyError, ValueError, OSError):
        raise bad_settings(
            "the host's time zone cannot be determined", 'Set time_zone, for example "Europe/Madrid" or "UTC".'
        ) from None


def day_start(day: date, zone: tzinfo) -> datetime:
    """The first instant that reads as that local day, in UTC.

    Where midnight occurs twice the earlier one counts; where it is skipped, the first instant after the gap.
    """
    midnight = datetime.combine(day, time(), zone)
    try:
        instant = midnight.astimezone(UTC)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC) if day.year > 5000 else datetime.min.replace(tzinfo=UTC)
    if _reads_as(instant, zone, midnight):
        return instant
    # Midnight lies in a gap: the change happened between the two readings of it.
    low, high = sorted((instant, midnight.replace(fold=1).astimezone(UTC)))
    after = high.astimezone(zone).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + timedelta(seconds=(high - low) // timedelta(seconds=2))
        if middle.astimezone(zone).utcoffset() == after:
            high = middle
        else:
            low = middle
    return high


def _reads_as(instant: datetime, zone: tzinfo, local: datetime) -> bool:
    return instant.astimezone(zone).replace(tzinfo=None) == local.replace(tzinfo=None)


def plain(hours: float) -> int | float:
    """``2`` rather than ``2.0``."""
    return int(hours) if hours == int(hours) else hours


def _next(day: date) -> date:
    return day + timedelta(days=1)


def _padded(start: datetime) -> date:
    try:
        return (start - PADDING).date()
    except OverflowError:
        return date.min
