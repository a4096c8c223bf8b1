"""Cursors and pages.

A cursor says where its page starts and carries a checksum over the listing it was issued for, so no table
of issued cursors is kept and a made-up one is recognised. Post endpoints send long base64-like text,
followers and followings a numeric string (observed live).
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, Literal

from .clock import digest

Ending = Literal["plain", "stale", "null", "zero", "announced", "announced_twice"]
"""How a listing ends: `plain` false and "", `stale` false with a cursor left over, `null` false and null,
`zero` false and "0" (all observed live or likely); `announced` one more page is announced and is empty,
`announced_twice` that empty page announces yet another one (documented by the vendor)."""

_PREFIX: Final = "DAAF"
_PACK: Final = struct.Struct(">IB")
_MAC_BYTES: Final = 28
_NUMERIC_PREFIX: Final = "17"
_NUMERIC_LENGTH: Final = 19


class Mark(IntEnum):
    """What the page behind a cursor is."""

    ROWS = 0
    GAP = 1
    NULLS = 2
    REPEAT = 3
    LOOP_A = 4
    LOOP_B = 5
    EMPTY_END = 6
    EMPTY_MORE = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page: `rows`, `more` and `cursor` go to the wire as they are."""

    rows: list[Any] | None
    more: bool | None
    cursor: str | None


class UnknownCursor(Exception):
    """The cursor was never issued for this listing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursors:
    """Makes and reads the cursors of one listing; `scope` names the endpoint and its parameters."""

    scope: str
    numeric: bool = False

    def issue(self, offset: int, mark: Mark = Mark.ROWS) -> str:
        if self.numeric:
            check = digest("cursor", self.scope, offset, int(mark)) % 10**9
            return f"{_NUMERIC_PREFIX}{check:09d}{int(mark)}{offset:07d}"
        payload = _PACK.pack(offset, int(mark))
        return _PREFIX + base64.b64encode(payload + self._checksum(payload)).decode("ascii")

    def read(self, text: str) -> tuple[int, Mark]:
        """The offset and mark of a cursor.

        Raises:
            UnknownCursor: It was never issued for this listing.
        """
        found = self._read_number(text) if self.numeric else self._read_text(text)
        if found is None:
            raise UnknownCursor
        return found

    def _checksum(self, payload: bytes) -> bytes:
        words = [digest("cursor", self.scope, payload.hex(), part) for part in range(4)]
        return b"".join(word.to_bytes(8, "big") for word in words)[:_MAC_BYTES]

    def _read_text(self, text: str) -> tuple[int, Mark] | None:
        if not text.startswith(_PREFIX):
            return None
        try:
            raw = base64.b64decode(text[len(_PREFIX) :].encode("ascii"), validate=True)
        except (binascii.Error, UnicodeEncodeError):
            return None
        payload, check = raw[: _PACK.size], raw[_PACK.size :]
        if len(raw) != _PACK.size + _MAC_BYTES or check != self._checksum(payload):
            return None
        offset, mark = _PACK.unpack(payload)
        return offset, Mark(mark)

    def _read_number(self, text: str) -> tuple[int, Mark] | None:
        if len(text) != _NUMERIC_LENGTH or not (text.isascii() and text.isdigit()):
            return None
        mark, offset = int(text[11]), int(text[12:])
        if mark not in Mark.__members__.values() or text != self.issue(offset, Mark(mark)):
            return None
        return offset, Mark(mark)


def turn(
    rows: Sequence[Any],
    *,
    cursors: Cursors,
    size: int,
    cursor: str = "",
    ending: Ending = "plain",
    faults: frozenset[str] = frozenset(),
) -> Page:
    """The page that a cursor asks for; each page repeats the last row of the one before.

    Raises:
        UnknownCursor: The cursor was never issued for this listing.
    """
    offset, mark = cursors.read(cursor) if cursor else (0, Mark.ROWS)
    if mark is Mark.NULLS or ("null_pager" in faults and not rows):
        return Page(rows=None, more=None, cursor=None)
    if mark is Mark.EMPTY_MORE:
        return Page(rows=[], more=True, cursor=cursors.issue(offset, Mark.EMPTY_END))
    if mark is Mark.EMPTY_END:
        return Page(rows=[], more=False, cursor="")
    if mark is Mark.GAP:
        rest = offset < len(rows)
        return Page(rows=[], more=rest, cursor=cursors.issue(offset) if rest else "")
    step = size // 2 if "overlapping_pages" in faults else size - 1
    looping = _looping(rows, cursors, size, step, cursor, offset, mark, faults)
    if looping is not None:
        return looping
    start = 0 if mark is Mark.REPEAT else offset
    found = list(rows[start : start + size])
    if "true_without_cursor" in faults:
        return Page(rows=found, more=True, cursor="")
    if start + size < len(rows):
        onward = Mark.GAP if "empty_then_more" in faults else Mark.ROWS
        return Page(rows=found, more=True, cursor=cursors.issue(start + step, onward))
    return _last(found, len(rows), cursors, ending, faults)


def _looping(
    rows: Sequence[Any],
    cursors: Cursors,
    size: int,
    step: int,
    cursor: str,
    offset: int,
    mark: Mark,
    faults: frozenset[str],
) -> Page | None:
    """The page of a listing that never ends, if such a fault is on."""
    if "duplicate_pages" in faults:
        return Page(rows=list(rows[:size]), more=True, cursor=cursors.issue(offset + 1, Mark.REPEAT))
    here = list(rows[offset : offset + size]) or list(rows[:size])
    if "cursor_loop" in faults:
        return Page(rows=here, more=True, cursor=cursor or cursors.issue(min(step, len(rows))))
    if "cursor_cycle" in faults:
        if mark is Mark.LOOP_A:
            return Page(rows=here, more=True, cursor=cursors.issue(0, Mark.LOOP_B))
        return Page(rows=here, more=True, cursor=cursors.issue(min(step, len(rows)), Mark.LOOP_A))
    return None


def _last(found: list[Any], total: int, cursors: Cursors, ending: Ending, faults: frozenset[str]) -> Page:
    if "null_pager" in faults:
        return Page(rows=found, more=True, cursor=cursors.issue(total, Mark.NULLS))
    if "empty_then_more" in faults:
        return Page(rows=found, more=True, cursor=cursors.issue(total, Mark.GAP))
    if not total or ending == "plain":
        return Page(rows=found, more=False, cursor="")
    if ending == "announced":
        return Page(rows=found, more=True, cursor=cursors.issue(total, Mark.EMPTY_END))
    if ending == "announced_twice":
        return Page(rows=found, more=True, cursor=cursors.issue(total, Mark.EMPTY_MORE))
    left_over = {"stale": cursors.issue(total, Mark.EMPTY_END), "null": None, "zero": "0"}
    return Page(rows=found, more=False, cursor=left_over[ending])
