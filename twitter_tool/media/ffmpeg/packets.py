"""What a clip really holds, from the list of its packets. What its header says about its length is not believed.

A list is lines of text: ``#tb 0: 1/15360`` (unit of time of track 0), ``#media_type 0: video``, and for every packet
``0, dts, pts, duration, size, checksum`` with optional further fields, of which ``F=0x4`` in hexadecimal marks a packet
that is decoded but never shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

_UNIT: Final = re.compile(rb"#tb (\d{1,4}): ([1-9]\d{0,9})/([1-9]\d{0,9})\s*")
_KIND: Final = re.compile(rb"#media_type (\d{1,4}): (\w+)\s*")
_FLAGS: Final = re.compile(rb"F=0x([0-9A-Fa-f]{1,8})")
_NEVER_SHOWN: Final = 4
_LONGEST_LINE: Final = 65536


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipFacts:
    """What is in a clip.

    Attributes:
        duration_s: from its beginning to the end of its last picture or sound; ``None`` when no packet tells.
        has_video, has_audio: whether there are packets of moving pictures, and of sound.
    """

    duration_s: float | None
    has_video: bool
    has_audio: bool


class PacketList:
    """Reads a list piece by piece; nothing of it is kept but the facts. Lines that are no packets are passed over."""

    def __init__(self) -> None:
        self._rest = b""
        self._kinds: dict[bytes, bytes] = {}
        self._units: dict[bytes, Fraction] = {}
        self._ends: dict[bytes, int] = {}

    def take(self, piece: bytes) -> None:
        """Take the next bytes."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            self._rest = b""
        for entry in lines:
            if entry.startswith(b"#"):
                self._header(entry)
            else:
                self._packet(entry)

    def facts(self) -> ClipFacts | None:
        """The facts so far; ``None`` when there was no packet."""
        if not self._ends:
            return None
        kinds = {self._kinds.get(track) for track in self._ends}
        timed = [(end, self._units[track]) for track, end in self._ends.items() if end > 0 and track in self._units]
        end_s = max((float(end * unit) for end, unit in timed), default=None)
        return ClipFacts(duration_s=end_s, has_video=b"video" in kinds, has_audio=b"audio" in kinds)

    @property
    def picture_units(self) -> int | None:
        """How many units of time the first track of pictures has in a second; ``None`` when that is no whole number."""
        for track, kind in self._kinds.items():
            if kind == b"video" and (unit := self._units.get(track)):
                return unit.denominator if unit.numerator == 1 else None
        return None

    def _header(self, entry: bytes) -> None:
        if found := _UNIT.fullmatch(entry):
            self._units[found[1]] = Fraction(int(found[2]), int(found[3]))
        elif found := _KIND.fullmatch(entry):
            self._kinds[found[1]] = found[2]

    def _packet(self, entry: bytes) -> None:
        fields = entry.split(b",")
        if len(fields) < 6:
            return
        track = fields[0].strip()
        try:
            end = int(fields[2]) + max(0, int(fields[3]))
        except ValueError:  # a packet without a time
            end = 0
        if len(fields) > 6 and (flags := _FLAGS.search(entry)) and int(flags[1], 16) & _NEVER_SHOWN:
            return
        if end > self._ends.get(track, -1):
            self._ends[track] = end
