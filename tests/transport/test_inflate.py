"""Compressed bodies are decoded up to a limit and never beyond it."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.inflate import BoundedDecoder, Damaged, Encoding, TooLarge, encoding_of

LIMIT = 100_000


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def decoded(encoding: Encoding, wire: bytes, *, step: int = 1000, limit: int = LIMIT) -> bytes | None:
    decoder = BoundedDecoder(encoding, limit)
    for start in range(0, len(wire), step):
        decoder.feed(wire[start : start + step])
    return decoder.finish()


@given(st.binary(max_size=3000), st.integers(1, 50))
def test_whatever_is_packed_is_unpacked_in_pieces_of_any_size(data: bytes, step: int) -> None:
    """Gzip, both kinds of deflate, or nothing at all."""
    assert decoded("identity", data, step=step) == data
    assert decoded("gzip", gzip.compress(data), step=step) == data
    assert decoded("deflate", zlib.compress(data), step=step) == data
    assert decoded("deflate", raw_deflate(data), step=step) == data


@pytest.mark.parametrize("step", [1, 7, 100_000])
def test_several_gzip_members_are_one_body_and_what_follows_them_is_ignored(step: int) -> None:
    """Padding and rubbish after the end do no harm."""
    wire = gzip.compress(b"one ") + gzip.compress(b"") + gzip.compress(b"two")
    assert decoded("gzip", wire, step=step) == b"one two"
    assert decoded("gzip", wire + b"\0" * 20, step=step) == b"one two"
    assert decoded("gzip", wire + b"\x1fx" + gzip.compress(b"three"), step=step) == b"one two"
    assert decoded("deflate", zlib.compress(b"one") + b"rubbish", step=step) == b"one"


@pytest.mark.parametrize("step", [1, 1000])
def test_a_stream_that_stops_short_is_not_a_body(step: int) -> None:
    """Every proper beginning of it, even one without any content yet."""
    wire = gzip.compress(b"some text")
    assert all(decoded("gzip", wire[:end], step=step) is None for end in range(1, len(wire)))
    assert decoded("gzip", wire + wire[:15], step=step) is None
    assert decoded("gzip", b"") == b""


def test_damaged_data_is_told_apart_from_a_cut() -> None:
    """A wrong header, a wrong block, a wrong check sum."""
    wire = bytearray(gzip.compress(b"some text" * 100))
    wire[-5] ^= 1
    for bad in (b"not gzip at all", bytes(wire)):
        with pytest.raises(Damaged):
            decoded("gzip", bad)


@pytest.mark.parametrize(
    ("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("deflate", raw_deflate)]
)
def test_exactly_the_limit_is_read_and_a_byte_more_is_refused(encoding: Encoding, pack: object) -> None:
    """Counted after decoding."""
    assert decoded(encoding, pack(b"x" * LIMIT)) == b"x" * LIMIT
    with pytest.raises(TooLarge):
        decoded(encoding, pack(b"x" * (LIMIT + 1)))
    assert decoded("identity", b"x" * LIMIT) == b"x" * LIMIT
    with pytest.raises(TooLarge):
        decoded("identity", b"x" * (LIMIT + 1))


def test_a_bomb_is_stopped_before_it_grows() -> None:
    """Sixty-four mebibytes in one piece of 64 KiB take no more memory than the limit allows."""
    bomb = gzip.compress(b"\0" * (64 * 1024 * 1024))
    assert len(bomb) < 70_000
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            decoded("gzip", bomb, step=len(bomb))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def test_members_without_content_do_not_go_on_for_ever() -> None:
    """What arrives is bounded too, even when it decodes to nothing."""
    with pytest.raises(TooLarge):
        decoded("gzip", gzip.compress(b"") * 10_000, limit=1000)


def test_incompressible_data_of_the_limit_fits() -> None:
    """It is a little longer packed than unpacked."""
    data = bytes((i * i * 2654435761 >> 13) & 255 for i in range(LIMIT))
    assert decoded("gzip", gzip.compress(data, compresslevel=0)) == data


@pytest.mark.parametrize(
    ("header", "encoding"),
    [("", "identity"), (" Identity ", "identity"), ("GZIP", "gzip"), ("x-gzip", "gzip"), ("deflate", "deflate"),
     ("br", None), ("zstd", None), ("gzip, gzip", None), ("gzip, identity", None), ("nonsense", None)],
)  # fmt: skip
def test_one_known_encoding_is_read_and_no_other(header: str, encoding: str | None) -> None:
    """Several in a row were never asked for."""
    assert encoding_of(header) == encoding
