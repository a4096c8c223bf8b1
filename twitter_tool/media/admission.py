"""Whether downloaded bytes are a picture that a model may be given, judged by their structure and not by their label.

Only headers are read; no pixel is decoded. Checksums are not compared: transport errors are the transport's to find,
and a size that was tampered with is caught by the bounds. Work is bounded: at most :data:`MAX_PARTS` parts are walked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from twitter_tool.media.values import Bounds, PictureType

MAX_PARTS: Final = 65_536
"""A file of more chunks or segments than this is refused; real ones of the allowed size have far fewer."""
_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_PNG_OVERHEAD: Final = 12
_MARKER = re.compile(rb"\xff+([^\xff])")
"""The code of a marker; any number of fill bytes may come before it."""
# In coded data a byte FF is followed by 00, or by one of the restart markers D0-D7; whatever else ends the data.
_END_OF_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_FRAMES: Final = frozenset((0xC0, 0xC1, 0xC2))
# Other frame headers (lossless, hierarchical, arithmetic), reserved ones, and the hierarchical markers.
_FOREIGN: Final = frozenset((0xC3, *range(0xC5, 0xCC), *range(0xCD, 0xD0), 0xDE, 0xDF))
Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Admitted:
    """A picture's type and its width and height in pixels, as its header has them."""

    mime: PictureType
    width: int
    height: int


def media_type(header: str | None) -> str:
    """A ``Content-Type`` without its parameters, in lower case; empty when there is none."""
    return (header or "").partition(";")[0].strip().lower()


def admit(data: bytes, content_type: str | None, bounds: Bounds) -> Admitted | None:
    """Admit a whole, plain PNG or JPEG that keeps to the bounds.

    Animated pictures, cut files, files with anything after their end, and labels that disagree with the bytes are
    refused.

    Args:
        content_type: as the server labelled it; parameters are ignored.
        bounds: pixels and encoded bytes; a picture that reaches them exactly is admitted.
    """
    if len(data) > bounds.max_bytes:
        return None
    mime: PictureType
    match media_type(content_type):
        case "image/png":
            mime, size = "image/png", _png_size(data)
        case "image/jpeg":
            mime, size = "image/jpeg", _jpeg_size(data)
        case _:
            return None
    if size is None or not (0 < size[0] <= bounds.max_width and 0 < size[1] <= bounds.max_height):
        return None
    return Admitted(mime, *size)


def _png_size(data: bytes) -> Size | None:
    """Width and height, when the chunks lead from the header to an end that is the end of the file."""
    if not data.startswith(_PNG_SIGNATURE):
        return None
    size: Size | None = None
    has_pixels = False
    at = len(_PNG_SIGNATURE)
    for number in range(MAX_PARTS):
        length = int.from_bytes(data[at : at + 4], "big")
        kind = data[at + 4 : at + 8]
        start, at = at + 8, at + _PNG_OVERHEAD + length
        if at > len(data) or not kind.isalpha():
            return None
        if (kind == b"IHDR") != (number == 0) or kind == b"acTL":
            return None
        if number == 0:
            if length != 13:
                return None
            size = int.from_bytes(data[start : start + 4], "big"), int.from_bytes(data[start + 4 : start + 8], "big")
        has_pixels |= kind == b"IDAT"
        if kind == b"IEND":
            return size if has_pixels and length == 0 and at == len(data) else None
    return None


def _jpeg_size(data: bytes) -> Size | None:
    """Width and height, when the segments lead over one frame header and its scans to the end of the file."""
    if not data.startswith(b"\xff\xd8"):
        return None
    size: Size | None = None
    scanned = False
    at = 2
    for _ in range(MAX_PARTS):
        marker = _MARKER.match(data, at)
        if marker is None:
            return None
        code, at = marker[1][0], marker.end()
        if code == _EOI:
            return size if scanned and at == len(data) else None
        if code < 0xC0 or code in _FOREIGN or 0xD0 <= code <= _SOI:
            return None
        length = int.from_bytes(data[at : at + 2], "big")
        if length < 2:
            return None
        if code in _FRAMES:
            if size is not None:
                return None
            size = _frame_size(data[at : at + length])
            if size is None:
                return None
        at += length  # where there is no marker when it lies beyond the file
        if code == _SOS:
            found = _END_OF_SCAN.search(data, at)
            if size is None or found is None:
                return None
            at, scanned = found.start(), True
    return None


def _frame_size(segment: bytes) -> Size | None:
    if len(segment) < 8 or segment[7] == 0 or len(segment) != 8 + 3 * segment[7]:
        return None
    return int.from_bytes(segment[5:7], "big"), int.from_bytes(segment[3:5], "big")
