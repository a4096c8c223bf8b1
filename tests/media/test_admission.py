"""Which bytes are a picture that a model may be given."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from picture_samples import EOI, PICTURES, PNG_SIGNATURE, ROOMY, SOI, chunk, frame, jpeg, png, scan, segment

from twitter_tool.media.admission import MAX_PARTS, Admitted, admit

PNG, JPEG = "image/png", "image/jpeg"
TABLES = segment(0xDB, bytes(65)) + segment(0xC4, bytes(20))
WHOLE_PNGS = {
    "small": png(),
    "wide": png(7, 3),
    "with chunks": png(1, 1, chunk(b"gAMA", bytes(4)), chunk(b"tEXt", b"a")),
}
WHOLE_JPEGS = {
    "small": jpeg(),
    "wide": jpeg(segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0"), TABLES, frame(7, 3), scan()),
    "extended": jpeg(TABLES, frame(code=0xC1), scan()),
    "progressive": jpeg(
        frame(code=0xC2), TABLES, scan(), TABLES, scan(b""), segment(0xFE, b"said \xff\xd9"), scan(b"\1")
    ),
    "filled": jpeg(b"\xff\xff\xff" + frame(), segment(0xDD, b"\0\4"), scan(b"\1\xff\xff")),
    "end inside a segment": jpeg(segment(0xE1, EOI + SOI), frame(), scan()),
}


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_real_pictures_are_admitted(path: Path) -> None:
    """Those of the sandbox, as encoders wrote them; their labels decide what they are taken for."""
    mime, other = (PNG, JPEG) if path.suffix == ".png" else (JPEG, PNG)
    data = path.read_bytes()
    found = admit(data, mime, ROOMY)
    assert found is not None
    assert found.mime == mime
    assert min(found.width, found.height) >= 16
    assert admit(data, mime, replace(ROOMY, max_width=found.width, max_height=found.height)) == found
    assert admit(data, mime, replace(ROOMY, max_width=found.width - 1)) is None
    assert admit(data, mime, replace(ROOMY, max_height=found.height - 1)) is None
    assert admit(data, other, ROOMY) is None
    assert admit(data[: len(data) // 2], mime, ROOMY) is None
    assert admit(data + b"\0", mime, ROOMY) is None


@pytest.mark.parametrize("data", WHOLE_PNGS.values(), ids=WHOLE_PNGS)
def test_a_whole_png_is_admitted(data: bytes) -> None:
    """With any chunks between its header and its end."""
    assert admit(data, PNG, ROOMY) == Admitted("image/png", *struct.unpack(">II", data[16:24]))


@pytest.mark.parametrize("data", WHOLE_JPEGS.values(), ids=WHOLE_JPEGS)
def test_a_whole_jpeg_is_admitted(data: bytes) -> None:
    """Baseline, extended or progressive, with one scan or several, with fill bytes and with ends inside segments."""
    size = (7, 3) if data == WHOLE_JPEGS["wide"] else (1, 1)
    assert admit(data, JPEG, ROOMY) == Admitted("image/jpeg", *size)


@pytest.mark.parametrize(
    ("label", "admitted"),
    [
        ("image/png", True),
        ("IMAGE/PNG; charset=binary", True),
        (" image/png ", True),
        ("image/jpeg", False),
        ("image/*", False),
        ("application/octet-stream", False),
        ("", False),
        (None, False),
    ],
)
def test_the_label_must_name_what_the_bytes_are(label: str | None, admitted: bool) -> None:
    """Its parameters and its case do not matter."""
    assert (admit(png(), label, ROOMY) is not None) == admitted


def test_only_the_two_registered_labels_count() -> None:
    """The common misspelling of JPEG and other formats are refused, whatever the bytes are."""
    assert admit(jpeg(), "image/jpeg", ROOMY) is not None
    for label in ("image/jpg", "image/pjpeg", "image/gif", "image/webp"):
        assert admit(jpeg(), label, ROOMY) is None
    assert admit(b"GIF89a" + bytes(40), "image/gif", ROOMY) is None
    assert admit(b"RIFF\x1a\0\0\0WEBPVP8L" + bytes(14), "image/webp", ROOMY) is None


def test_bounds_are_reached_but_not_passed() -> None:
    """Pixels in both directions, and bytes of the file."""
    data = png(4, 3)
    exact = replace(ROOMY, max_width=4, max_height=3, max_bytes=len(data))
    assert admit(data, PNG, exact) is not None
    for tighter in ({"max_width": 3}, {"max_height": 2}, {"max_bytes": len(data) - 1}):
        assert admit(data, PNG, replace(exact, **tighter)) is None


def test_a_changed_size_is_judged_as_it_stands() -> None:
    """A picture of one pixel that claims two is refused where one is allowed."""
    data = bytearray(png())
    data[19] = 2
    assert admit(bytes(data), PNG, replace(ROOMY, max_width=1)) is None
    assert admit(bytes(data), PNG, ROOMY) == Admitted("image/png", 2, 1)


BROKEN_PNGS = {
    "animated": png(1, 1, chunk(b"acTL", bytes(8))),
    "no width": png(0, 1),
    "no height": png(1, 0),
    "header not first": png(before=(chunk(b"tEXt", b"a"),)),
    "two headers": png(1, 1, png()[8:33]),
    "signature only": PNG_SIGNATURE,
    "no header": PNG_SIGNATURE + chunk(b"IEND"),
    "no pixels": png()[:33] + chunk(b"IEND"),
    "no end": png()[:-12],
    "two pictures": png() + png(),
    "end with a body": png()[:-12] + chunk(b"IEND", b"a"),
    "short header": PNG_SIGNATURE + chunk(b"IHDR", png()[16:28]) + png()[33:],
    "long header": PNG_SIGNATURE + chunk(b"IHDR", png()[16:29] + b"a") + png()[33:],
    "nameless chunk": png(1, 1, chunk(b"\0\0\0\0")),
    "chunk beyond the file": png()[:33] + b"\xff\xff\xff\xff" + png()[37:],
    "wrong signature": b"\x89PNG\n\r\x1a\n" + png()[8:],
    "nothing": b"",
}
BROKEN_JPEGS = {
    "no width": jpeg(frame(0, 1), scan()),
    "no height": jpeg(frame(1, 0), scan()),
    "two frames": jpeg(frame(), frame(), scan()),
    "frame after a scan": jpeg(frame(), scan(), frame(), scan()),
    "no frame": jpeg(scan()),
    "scan before the frame": jpeg(scan(), frame()),
    "no scan": jpeg(frame()),
    "ends only": SOI + EOI,
    "frame without components": jpeg(segment(0xC0, b"\x08\0\1\0\1\0"), scan()),
    "frame with too few components": jpeg(segment(0xC0, b"\x08\0\1\0\1\2\1\x11\0"), scan()),
    "short frame": jpeg(segment(0xC0, b"\x08\0\1"), scan()),
    "length that leaves itself out": jpeg(b"\xff\xe0\0\1", frame(), scan()),
    "length that leads elsewhere": jpeg(b"\xff\xe0\0", frame(), scan()),
    "segment beyond the file": jpeg(frame(), scan(), b"\xff\xe0\xff\xff"),
    "scan whose length leaves itself out": jpeg(frame(), b"\xff\xda\0\1\x12"),
    "start inside": jpeg(b"\xff\xd8", frame(), scan()),
    "start as a segment": jpeg(segment(0xD8), frame(), scan()),
    "restart outside a scan": jpeg(segment(0xD0), frame(), scan()),
    "reserved marker": jpeg(segment(0x02), frame(), scan()),
    "byte before the first segment": jpeg(b"\0", frame(), scan()),
    "byte between segments": jpeg(frame(), b"\0", scan()),
    "two ends": jpeg() + EOI,
    "two pictures": jpeg() + jpeg(),
    "no end": jpeg()[:-2],
    "half an end": jpeg()[:-1],
    "fill in place of the end": jpeg()[:-2] + b"\xff" * 9,
    "fill only": SOI + b"\xff" * 9,
    "wrong start": EOI + jpeg()[2:],
    **{
        f"process {code:X}": jpeg(frame(), frame(code=code), scan())
        for code in (0xC3, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF, 0xDE, 0xDF)
    },
}


@pytest.mark.parametrize("data", BROKEN_PNGS.values(), ids=BROKEN_PNGS)
def test_a_png_whose_chunks_are_not_in_order_is_refused(data: bytes) -> None:
    """Animated, without size, header or pixels, with a wrong header, a wrong end or a length that leads outside."""
    assert admit(data, PNG, ROOMY) is None


@pytest.mark.parametrize("data", BROKEN_JPEGS.values(), ids=BROKEN_JPEGS)
def test_a_jpeg_whose_segments_are_not_in_order_is_refused(data: bytes) -> None:
    """Without size or scan, with two frame headers or one after the scan, of another process, or badly cut."""
    assert admit(data, JPEG, ROOMY) is None


WHOLE = [(PNG, data) for data in WHOLE_PNGS.values()] + [(JPEG, data) for data in WHOLE_JPEGS.values()]


@pytest.mark.parametrize(("mime", "data"), WHOLE, ids=[*WHOLE_PNGS, *WHOLE_JPEGS])
def test_a_file_that_was_cut_anywhere_is_refused(mime: str, data: bytes) -> None:
    """After every single byte."""
    assert [end for end in range(len(data)) if admit(data[:end], mime, ROOMY)] == []


@given(st.sampled_from(WHOLE), st.binary(min_size=1, max_size=20))
def test_a_file_with_anything_after_its_end_is_refused(whole: tuple[str, bytes], rest: bytes) -> None:
    """Any bytes at all, be they another picture's end."""
    mime, data = whole
    assert admit(data + rest, mime, ROOMY) is None
    assert admit(data + data[-len(rest) :], mime, ROOMY) is None


_anything = st.binary(max_size=200)


@settings(max_examples=300)
@given(
    st.sampled_from(WHOLE), st.integers(0, 400), _anything, st.integers(0, 40), st.sampled_from([PNG, JPEG, "", None])
)
def test_no_bytes_bring_up_an_error(
    whole: tuple[str, bytes], at: int, put: bytes, dropped: int, label: str | None
) -> None:
    """Files that were changed in any place, and their beginnings followed by anything."""
    mime, data = whole
    changed = data[:at] + put + data[at + dropped :]
    for tried in (changed, data[:at] + put, put):
        for name in (mime, label):
            found = admit(tried, name, ROOMY)
            assert found is None or min(found.width, found.height) > 0


@pytest.mark.parametrize(
    ("mime", "data"),
    [
        (PNG, png(1, 1, *[chunk(b"teXt")] * MAX_PARTS)),
        (JPEG, jpeg(*[segment(0xFE)] * MAX_PARTS, frame(), scan())),
        (JPEG, jpeg(frame(), *[scan()] * MAX_PARTS)),
    ],
    ids=["chunks", "segments", "scans"],
)
def test_a_file_of_endless_parts_is_given_up(mime: str, data: bytes) -> None:
    """So that no file takes the event loop's time."""
    assert admit(data, mime, ROOMY) is None


@pytest.mark.parametrize("coded", [b"\xff\x00", b"\xff\xd3", b"\xff\xff", b"\x00\x01"])
def test_large_scans_are_read_to_their_end(coded: bytes) -> None:
    """Stuffed bytes, restart markers and fill bytes by the million change nothing, with or without an end."""
    data = jpeg(frame(), scan(coded * 4_000_000))
    assert admit(data, JPEG, ROOMY) is not None
    assert admit(data[:-2], JPEG, ROOMY) is None
