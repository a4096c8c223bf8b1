"""Readers of single values."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

from twitter_tool.clock import iso_utc
from twitter_tool.records import NO_MOMENT, Moment, Number
from twitter_tool.text import Block, Line, field_block, line

MAX_COUNT: Final = 2**63
_DIGITS = re.compile(r"-?[0-9]{1,18}")
_LEGACY = re.compile(
    r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([0-9]{1,2}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) ([+-])([0-9]{2})([0-9]{2}) ([0-9]{4})"
)
_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), start=1
    )
}
DATE_CAP: Final = 200


def as_dict(value: Any) -> dict[str, Any]:
    """An object, or an empty one in its place."""
    return value if type(value) is dict else {}


def as_list(value: Any) -> list[Any]:
    """An array, or an empty one in its place."""
    return value if type(value) is list else []


def string(value: Any) -> str | None:
    """A string that is not blank."""
    return value if type(value) is str and value and not value.isspace() else None


def number(value: Any) -> Number | None:
    """A finite number, or a string of digits (the upstream swaps the two in places); never a boolean."""
    if type(value) is int:
        return value if -MAX_COUNT < value < MAX_COUNT else None
    if type(value) is str:
        return int(value) if _DIGITS.fullmatch(value) else None
    if type(value) is float and math.isfinite(value) and abs(value) < MAX_COUNT:
        return int(value) if value.is_integer() else value
    return None


def boolean(value: Any) -> bool | None:
    """A JSON boolean."""
    return value if type(value) is bool else None


def field(value: Any, cap: int) -> Block | None:
    """A metadata string, cleaned and capped; absent when nothing readable is left."""
    if type(value) is not str or not value:
        return None
    return field_block(value, cap)[0] or None


def one_line(value: Any, cap: int) -> Line | None:
    """As :func:`field`, on one line."""
    if type(value) is not str or not value:
        return None
    return line(value, cap) or None


def moment(value: Any) -> Moment:
    """A time in either of the upstream's formats; text that is neither stays as text."""
    if type(value) is not str or not value:
        return NO_MOMENT
    instant = _instant(value.strip())
    if instant is not None:
        return Moment(Line(iso_utc(instant)), None, instant)
    text = line(value, DATE_CAP - 1)
    return Moment(None, text, None) if text else NO_MOMENT


def _instant(text: str) -> datetime | None:
    try:
        found = _LEGACY.fullmatch(text)
        if found:
            month, day, hour, minute, second, sign, zone_hours, zone_minutes, year = found.groups()
            offset = timedelta(hours=int(zone_hours), minutes=int(zone_minutes))
            zone = UTC if not offset else timezone(offset if sign == "+" else -offset)
            read = datetime(int(year), _MONTHS[month], int(day), int(hour), int(minute), int(second), tzinfo=zone)
            return read if zone is UTC else read.astimezone(UTC)
        if not text.isascii() or len(text) < len("2026-09-21") or text[4] != "-":
            return None
        read = datetime.fromisoformat(text)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, KeyError, OverflowError):
        return None
