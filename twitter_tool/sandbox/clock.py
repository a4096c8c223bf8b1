"""The fixed clock, ids and dice of the invented world.

Nothing here looks at the wall clock or at global random state, so that the world is the same bytes on
every machine and every Python version.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar

T = TypeVar("T")

WORLD_NOW: Final = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
"""The instant at which the invented world stands still."""

NOW: Final = int(WORLD_NOW.timestamp())
DAY: Final = 86_400

_SNOWFLAKE_EPOCH_MS: Final = 1_288_834_974_657
# All ten worker bits set: no real machine uses that number, so an invented id is most unlikely to be real.
_WORKER: Final = 0x3FF << 12
_MASK: Final = (1 << 64) - 1
_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def snowflake(at_ms: int, sequence: int = 0) -> int:
    """An id in the snowflake layout whose time part is `at_ms` (unix milliseconds)."""
    return ((at_ms - _SNOWFLAKE_EPOCH_MS) << 22) | _WORKER | (sequence & 0xFFF)


def snowflake_seconds(number: int) -> int:
    """The unix second that an id in the snowflake layout was made in."""
    return ((number >> 22) + _SNOWFLAKE_EPOCH_MS) // 1000


def unix(text: str) -> int:
    """Unix seconds of an ISO time; a time without zone is read as UTC."""
    moment = datetime.fromisoformat(text)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def legacy_date(at: int) -> str:
    """`Tue Dec 10 07:00:30 +0000 2024`: how posts and authors are dated (observed live)."""
    moment = datetime.fromtimestamp(at, UTC)
    day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    return f"{day} {month} {moment.day:02d} {moment:%H:%M:%S} +0000 {moment.year}"


def iso_date(at: int) -> str:
    """`2010-08-27T20:13:59.000000Z`: how profiles are dated (observed live)."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%S}.000000Z"


def digest(*parts: object) -> int:
    """A stable 64-bit number for some values."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")


def code(length: int, *parts: object) -> str:
    """A stable letters-and-digits code for some values, as used in shortlinks and media names."""
    dice = Dice(digest(*parts))
    return "".join(dice.pick(_ALPHABET) for _ in range(length))


class Dice:
    """A tiny seeded generator (splitmix64) whose sequence no Python release can change."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def below(self, limit: int) -> int:
        """A whole number from 0 up to, not including, `limit`."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        value = self._state
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
        return (value ^ (value >> 31)) % limit

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """True in `percent` of a hundred cases."""
        return self.below(100) < percent

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.below(len(options))]

    def some(self, options: Sequence[T], count: int) -> list[T]:
        """Up to `count` different options, in a random order."""
        pool = list(options)
        for index in range(min(count, len(pool))):
            other = index + self.below(len(pool) - index)
            pool[index], pool[other] = pool[other], pool[index]
        return pool[:count]
