"""Pictures made byte by byte, the pictures of the sandbox, and posts that carry media."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import twitter_tool
from twitter_tool.links import Link
from twitter_tool.media.values import Bounds
from twitter_tool.records import Media, Post, Variant
from twitter_tool.text import line

ROOMY = Bounds(max_width=8192, max_height=8192, max_bytes=10 * 1024 * 1024)
PICTURES = sorted(
    path
    for path in (Path(twitter_tool.__file__).parent / "sandbox" / "assets").iterdir()
    if path.suffix in (".png", ".jpg")
)
SOI, EOI = b"\xff\xd8", b"\xff\xd9"
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, body: bytes = b"") -> bytes:
    """One PNG chunk with its length and checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int = 1, height: int = 1, *extra: bytes, before: tuple[bytes, ...] = ()) -> bytes:
    """A grey PNG; ``extra`` chunks stand between header and pixels, ``before`` in front of the header."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress((b"\0" + b"\x80" * width) * height))
    return PNG_SIGNATURE + b"".join((*before, header, *extra, pixels, chunk(b"IEND")))


def segment(code: int, body: bytes = b"") -> bytes:
    """One JPEG segment with its length."""
    return bytes((0xFF, code)) + struct.pack(">H", len(body) + 2) + body


def frame(width: int = 1, height: int = 1, *, code: int = 0xC0) -> bytes:
    """A frame header with one component."""
    return segment(code, struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\x00")


def scan(coded: bytes = b"\x12\xff\x00\x34\xff\xd0\x56") -> bytes:
    """A scan header and its coded data, by default with a stuffed byte and a restart marker."""
    return segment(0xDA, b"\x01\x01\x00\x00\x3f\x00") + coded


def jpeg(*parts: bytes) -> bytes:
    """A JPEG of these segments; without any, the shortest that is whole."""
    return b"".join((SOI, *(parts or (frame(), scan())), EOI))


def photo(name: str = "a", **changes: object) -> Media:
    """A photo at an address of its own name."""
    return Media(kind=line("photo", 9), url=Link(f"https://pbs.twimg.com/media/{name}.jpg"), **changes)


def video(
    *files: str,
    poster: str | None = "poster",
    kind: str | None = "video",
    number: str | None = None,
    milliseconds: float | None = 10_000,
) -> Media:
    """A video whose renditions are these files, with rising bit rates."""
    return Media(
        kind=line(kind, 20) if kind else None,
        id=line(number, 20) if number else None,
        url=Link(f"https://pbs.twimg.com/{poster}.jpg") if poster else None,
        duration_ms=milliseconds,
        variants=tuple(
            Variant(Link(f"https://video.twimg.com/{file}"), 100_000 * place) for place, file in enumerate(files, 1)
        ),
    )


def post(*media: Media, quoted: Post | None = None, reposted: Post | None = None) -> Post:
    """A post with media and nothing to say."""
    return Post(media=media, quoted=quoted, reposted=reposted)
