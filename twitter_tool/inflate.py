"""Decoding a compressed body piece by piece, so that a small bomb is stopped before it grows."""

from __future__ import annotations

import zlib
from typing import Final, Literal

Encoding = Literal["identity", "gzip", "deflate"]
_GZIP_WINDOW: Final = 31
_ZLIB_WINDOW: Final = 15
_RAW_WINDOW: Final = -15
_GZIP_MAGIC: Final = b"\x1f\x8b"


class TooLarge(Exception):
    """The decoded body is larger than allowed."""


class Damaged(Exception):
    """The compressed data cannot be decoded."""


def encoding_of(header: str) -> Encoding | None:
    """Read a ``Content-Encoding`` header; ``None`` for several or unknown codings."""
    name = header.strip().lower()
    if name in ("", "identity"):
        return "identity"
    if name in ("gzip", "x-gzip"):
        return "gzip"
    return "deflate" if name == "deflate" else None


class BoundedDecoder:
    """Collects at most ``limit`` decoded bytes.

    Several gzip members in a row are one body; anything else after the end of the data is ignored. Deflate is
    read with or without the zlib wrapper.
    """

    __slots__ = ("_encoding", "_ended", "_held", "_limit", "_parts", "_size", "_stream", "_wire", "_wire_limit")

    def __init__(self, encoding: Encoding, limit: int) -> None:
        self._encoding = encoding
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._stream: zlib._Decompress | None = None
        self._held = b""
        self._ended = False
        self._wire = 0
        # Members without content and data after the end decode to nothing: the wire needs a bound of its own.
        self._wire_limit = wire_limit(encoding, limit)

    def feed(self, data: bytes) -> None:
        """Take bytes off the wire.

        Raises:
            TooLarge: the body is over the limit.
            Damaged: the bytes are not in the declared encoding.
        """
        self._wire += len(data)
        if self._wire > self._wire_limit:
            raise TooLarge
        if self._encoding == "identity":
            self._keep(data)
            return
        try:
            self._inflate(data)
        except zlib.error as fault:
            raise Damaged from fault

    def finish(self) -> bytes | None:
        """The whole body, or ``None`` when the compressed data stopped short of its end."""
        if self._stream is not None and not self._stream.eof:
            return None
        if self._stream is None and self._held:
            return None
        body = b"".join(self._parts)
        self._parts.clear()
        return body

    def _inflate(self, data: bytes) -> None:
        while True:
            if self._stream is None or self._stream.eof:
                data = self._held + data
                self._held = b""
                if not self._begin(data):
                    return
            stream = self._stream
            assert stream is not None
            # One byte over the limit is enough to know, and all that is ever decoded beyond it.
            self._keep(stream.decompress(data, self._limit - self._size + 1))
            data = stream.unused_data if stream.eof else stream.unconsumed_tail
            if not data:
                return

    def _begin(self, data: bytes) -> bool:
        """Start the stream, or the next gzip member; false when there is nothing (yet) to start."""
        if self._ended or not data:
            return False
        if self._stream is None:
            if len(data) < 2:
                self._held = data
                return False
            self._stream = zlib.decompressobj(_window(self._encoding, data))
            return True
        if self._encoding == "gzip" and data == _GZIP_MAGIC[:1]:
            self._held = data
            return False
        if self._encoding != "gzip" or not data.startswith(_GZIP_MAGIC):
            self._ended = True
            return False
        self._stream = zlib.decompressobj(_GZIP_WINDOW)
        return True

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            self._parts.clear()
            raise TooLarge
        if piece:
            self._parts.append(piece)


def wire_limit(encoding: Encoding, limit: int) -> int:
    """How many bytes on the wire a body of ``limit`` decoded bytes may take: incompressible data grows a little."""
    return limit if encoding == "identity" else limit + limit // 1000 + 65_536


def _window(encoding: Encoding, head: bytes) -> int:
    if encoding == "gzip":
        return _GZIP_WINDOW
    wrapped = head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
    return _ZLIB_WINDOW if wrapped else _RAW_WINDOW
