"""Pictures out of a clip: which moments, which picture at each, and in which shape it comes."""

from __future__ import annotations

import asyncio
import math
import os
import struct
from itertools import pairwise
from pathlib import Path

import pytest
from clip_maker import (
    CLOSED,
    FPS,
    FRAMES,
    LINEAR,
    OPEN,
    Clips,
    claims,
    emptied,
    jpeg_size,
    middle,
    seen_at,
    turned,
)
from hypothesis import example, given
from hypothesis import strategies as st

from twitter_tool.media.ffmpeg import Ffmpeg, commands, frame_times
from twitter_tool.media.ffmpeg.jobs import AT_ONCE
from twitter_tool.media.moments import SHORTEST_S, clock_label

IN_TIME = 50.0


@pytest.mark.parametrize(
    ("duration_s", "max_frames", "max_seconds", "labels"),
    [
        (30, 8, 120, "00:01 00:05 00:09 00:13 00:16 00:20 00:24 00:28"),
        (120, 8, 120, "00:07 00:22 00:37 00:52 01:07 01:22 01:37 01:52"),
        (600, 8, 120, "00:07 00:22 00:37 00:52 01:07 01:22 01:37 01:52"),
        (600, 2, 120, "00:30 01:30"),
        (10, 1, 120, "00:05"),
        (5, 3, 120, "00:00 00:02 00:04"),
        (45, 4, 20, "00:02 00:07 00:12 00:17"),
        (65, 8, 120, "00:04 00:12 00:20 00:28 00:36 00:44 00:52 01:00"),
    ],
)
def test_moments_are_the_middles_of_equal_parts(
    duration_s: float, max_frames: int, max_seconds: float, labels: str
) -> None:
    """What may be used of a clip is divided evenly; a picture stands for its part from the middle of it."""
    times = frame_times(duration_s, max_frames=max_frames, max_seconds=max_seconds)
    assert " ".join(map(clock_label, times)) == labels


@given(
    duration_s=st.floats(min_value=0, max_value=1e7),
    max_frames=st.integers(1, 16),
    max_seconds=st.integers(1, 600),
)
def test_moments_lie_evenly_inside_what_is_used(duration_s: float, max_frames: int, max_seconds: int) -> None:
    """Whatever the clip's length: one distance between them, and half of it before the first and after the last."""
    times = frame_times(duration_s, max_frames=max_frames, max_seconds=max_seconds)
    span = max(SHORTEST_S, min(duration_s, max_seconds))
    assert len(times) == max_frames
    assert times[0] == pytest.approx(span / max_frames / 2)
    assert span - times[-1] == pytest.approx(times[0])
    assert all(later - earlier == pytest.approx(span / max_frames) for earlier, later in pairwise(times))


@pytest.mark.parametrize("claimed", [0.0, -3.0, math.nan, -math.inf])
def test_a_length_that_cannot_be_is_taken_for_a_tenth_of_a_second(claimed: float) -> None:
    """A broken figure leads to moments at the beginning of the clip, never to an error."""
    assert frame_times(claimed, max_frames=2, max_seconds=120) == pytest.approx((0.025, 0.075))


@pytest.mark.parametrize(
    ("seconds", "label"),
    [
        (0, "00:00"),
        (12.5, "00:12"),
        (59.999, "00:59"),
        (60, "01:00"),
        (3599, "59:59"),
        (6001.2, "100:01"),
        (-1, "00:00"),
    ],
)
def test_a_label_is_the_second_that_has_begun(seconds: float, label: str) -> None:
    """Minutes go on after an hour, as there is no place for hours."""
    assert clock_label(seconds) == label


@given(span=st.integers(1, 600), max_frames=st.integers(1, 16))
@example(span=30, max_frames=11)
def test_a_label_is_as_exact_as_a_division_by_hand(span: int, max_frames: int) -> None:
    """Rounding of binary fractions must not show the second before a middle that is a whole second."""
    times = frame_times(span, max_frames=max_frames, max_seconds=600)
    seconds = [(2 * place + 1) * span // (2 * max_frames) for place in range(max_frames)]
    assert [clock_label(moment) for moment in times] == [clock_label(second) for second in seconds]


@pytest.mark.parametrize("options", [CLOSED, OPEN, LINEAR], ids=["closed groups", "open groups", "in order"])
async def test_the_picture_is_exact_wherever_the_moment_lies(
    ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """Around key frames too, and in clips that store pictures out of order."""
    clip = clips.counted(options=options, fps="30000/1001")
    wanted = [0, 1, 28, 29, 30, 31, 47, 48, 49, 59, 60, 95, 96, 97, 120, FRAMES - 1]
    found = await ffmpeg.frames(
        clip, at=[middle(number, "30000/1001") for number in wanted], folder=tmp_path, timeout_s=IN_TIME
    )
    assert clips.numbers(found) == wanted


async def test_a_picture_is_seen_from_the_instant_it_begins(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """A moment on the border between two pictures belongs to the later one; a hair before it, to the earlier one."""
    borders = [number / FPS for number in (1, 30, 45, 90)]
    moments = [moment + step for moment in borders for step in (-0.001, 0)]
    found = await ffmpeg.frames(clips.counted(), at=moments, folder=tmp_path, timeout_s=IN_TIME)
    assert clips.numbers(found) == [0, 1, 29, 30, 44, 45, 89, 90]


STANDING = [*(place / 10 for place in range(10)), 1.0, *(6 + place / 25 for place in range(25)), 7.0]
"""Ten pictures in a second, one that stands for five, a second of quick ones, and a last one that stands."""


@pytest.mark.parametrize("options", [LINEAR, CLOSED], ids=["in order", "out of order"])
async def test_a_picture_that_stands_is_the_one_that_is_shown(
    ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """In a recording of a screen a chart may stand for seconds; the picture that comes after it is the wrong one."""
    moments = [0, 0.05, 0.95, 1.0, 1.01, 3.0, 5.9, 5.999, 6.0, 6.01, 6.05, 6.99]
    clip = clips.standing(STANDING, last_s=5, options=options)
    found = await ffmpeg.frames(clip, at=moments, folder=tmp_path, timeout_s=IN_TIME)
    assert clips.numbers(found) == [seen_at(moment, STANDING) for moment in moments]


async def test_the_last_picture_is_seen_until_the_end(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """And not a moment longer: after the end nothing is seen, so nothing is shown for it."""
    clip = clips.standing(STANDING, last_s=5)
    found = await ffmpeg.frames(clip, at=[7.0, 9.5, 11.9, 12.1, 20], folder=tmp_path, timeout_s=IN_TIME)
    assert clips.numbers(found) == [len(STANDING) - 1] * 3


async def test_the_moments_of_a_whole_clip(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """Length, moments and pictures agree: of five seconds the middles of eight parts are shown."""
    clip = clips.counted()
    facts = await ffmpeg.probe(clip, timeout_s=IN_TIME)
    assert facts is not None
    assert facts.duration_s is not None
    times = frame_times(facts.duration_s, max_frames=8, max_seconds=120)
    found = await ffmpeg.frames(clip, at=times, folder=tmp_path, timeout_s=IN_TIME)
    assert clips.numbers(found) == [math.floor(FPS * moment + 1e-9) for moment in times]


async def test_frames_beyond_the_end_are_missing_and_those_before_stay(
    ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path
) -> None:
    """A header that claims ninety minutes over five seconds leads to moments where there is nothing."""
    clip = clips.changed(clips.counted(), claims(90 * 60))
    found = await ffmpeg.frames(clip, at=[1.01, 4.01, 30, 2.01], folder=tmp_path, timeout_s=IN_TIME)
    assert clips.numbers(found) == [30, 120]


async def test_more_frames_than_fit_into_one_process(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """They keep their order over several processes."""
    wanted = list(range(3, 3 + 8 * (AT_ONCE + 3), 8))
    found = await ffmpeg.frames(
        clips.counted(), at=[middle(number) for number in wanted], folder=tmp_path, timeout_s=IN_TIME
    )
    assert clips.numbers(found) == wanted


async def test_equal_moments_give_equal_pictures(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """Each moment that is asked for is answered, also twice."""
    found = await ffmpeg.frames(clips.counted(), at=[1.01, 1.01, 3.01], folder=tmp_path, timeout_s=IN_TIME)
    assert clips.numbers(found) == [30, 30, 90]


@pytest.mark.parametrize(
    ("size", "bounds", "expected"),
    [
        ((160, 96), (768, None), (160, 96)),
        ((1536, 96), (768, None), (768, 48)),
        ((161, 97), (768, None), (161, 97)),
        ((1001, 333), (768, None), (768, 255)),
        ((160, 96), (100, None), (100, 60)),
        ((160, 320), (768, 100), (50, 100)),
        ((160, 320), (40, 100), (40, 80)),
    ],
)
async def test_pictures_are_made_smaller_where_needed_and_never_larger(
    ffmpeg: Ffmpeg,
    clips: Clips,
    tmp_path: Path,
    size: tuple[int, int],
    bounds: tuple[int, int | None],
    expected: tuple[int, int],
) -> None:
    """Their shape stays, also where a side is odd."""
    clip = clips.counted(10, size=size)
    (found,) = await ffmpeg.frames(
        clip, at=[0.1], folder=tmp_path, timeout_s=IN_TIME, max_width=bounds[0], max_height=bounds[1]
    )
    assert jpeg_size(found) == expected


@pytest.mark.parametrize(
    ("shape", "expected"), [("2/1", (160, 48)), ("1/2", (80, 96)), ("1/100", (2, 96)), ("50/1", (160, 2))]
)
async def test_points_that_are_not_square_become_square(
    ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path, shape: str, expected: tuple[int, int]
) -> None:
    """By dropping points, not by inventing them."""
    clip = clips.counted(10, options=("-vf", f"setsar={shape}"))
    (found,) = await ffmpeg.frames(clip, at=[0.1], folder=tmp_path, timeout_s=IN_TIME)
    assert jpeg_size(found) == expected


@pytest.mark.parametrize("shape", [(1, 2**31 - 1), (2**31 - 1, 1), (0, 0), (2**32 - 1, 2**32 - 1)])
async def test_absurd_shapes_of_points_give_small_pictures(
    ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path, shape: tuple[int, int]
) -> None:
    """A header can claim any shape; no picture gets longer than it was for that."""
    clip = clips.counted(10, options=("-vf", "setsar=2/1"))
    hostile = clips.changed(clip, lambda data: data.replace(_points(2, 1), _points(*shape)))
    (found,) = await ffmpeg.frames(hostile, at=[0.1], folder=tmp_path, timeout_s=IN_TIME)
    assert all(1 <= side <= most for side, most in zip(jpeg_size(found), (160, 96), strict=True))


def _points(width: int, height: int) -> bytes:
    return struct.pack(">4sII", b"pasp", width, height)


async def test_pictures_stand_upright(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """A clip that is marked as turned is shown as players show it: the first digit at the top, not at the left."""
    clip = clips.changed(clips.counted(), turned)
    found = await ffmpeg.frames(clip, at=[middle(37), middle(100)], folder=tmp_path, timeout_s=IN_TIME)
    assert [jpeg_size(jpeg) for jpeg in found] == [(96, 160)] * 2
    assert clips.numbers(found, turned=True) == [37, 100]


@pytest.mark.parametrize("colour", ["0xC02040", "0x20C060", "0x3050E0", "0xF0F0F0", "0x101010"])
async def test_colours_are_those_of_the_clip(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path, colour: str) -> None:
    """Clips and JPEGs write colours in different ways; a green must not come out as another green."""
    (found,) = await ffmpeg.frames(clips.tinted(colour), at=[0.2], folder=tmp_path, timeout_s=IN_TIME)
    wanted = tuple(bytes.fromhex(colour[2:]))
    assert all(abs(shown - meant) <= 6 for shown, meant in zip(clips.colour(found), wanted, strict=True))


async def test_the_first_picture_stands_in_for_what_was_before_it(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """Where sound begins before the pictures, the first of them is the best that can be shown for the gap."""
    clip = clips.other(
        "late-pictures",
        *("-f", "lavfi", "-i", "sine=duration=2", "-itsoffset", "1", "-i", str(clips.counted(30, options=LINEAR))),
        *("-map", "0:a", "-map", "1:v", "-c:v", "copy", "-c:a", "aac"),
    )
    found = await ffmpeg.frames(clip, at=[0.2, 1.51], folder=tmp_path, timeout_s=IN_TIME)
    assert clips.numbers(found) == [0, 15]


async def test_a_clip_without_pictures_has_no_frames(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """Sound alone gives none, and no error."""
    assert await ffmpeg.frames(clips.sounding(), at=[0.5], folder=tmp_path, timeout_s=IN_TIME) == ()


async def test_pictures_that_cannot_be_decoded_give_no_frames(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """The tables of such a clip are whole, its contents are zeros."""
    clip = clips.changed(clips.counted(), emptied)
    assert await ffmpeg.frames(clip, at=[0.5, 1.5], folder=tmp_path, timeout_s=IN_TIME) == ()


async def test_no_moments_need_no_process(tmp_path: Path) -> None:
    """Nothing is asked, so nothing is run: the program named here does not even exist."""
    told: list[str] = []
    ffmpeg = Ffmpeg(str(tmp_path / "none"), tell=lambda job, words: told.append(job))
    assert await ffmpeg.frames(tmp_path / "clip.mp4", at=[], folder=tmp_path / "frames", timeout_s=IN_TIME) == ()
    assert told == []


async def test_a_place_that_cannot_hold_frames_gives_none(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """A file where the folder should be is no reason for an error."""
    (tmp_path / "frames").write_text("a file")
    found = await ffmpeg.frames(clips.counted(), at=[0.5], folder=tmp_path / "frames", timeout_s=IN_TIME)
    assert found == ()


async def test_at_the_deadline_complete_frames_are_kept(tmp_path: Path, hanging: Path) -> None:
    """A process that is ended early may have written some; one that was still being written does not count."""
    folder = tmp_path / "frames"
    folder.mkdir()
    whole = b"\xff\xd8 picture \xff\xd9"
    for place, data in enumerate((whole, whole, whole[:-1], whole)):
        (folder / f"frame-{place:03}.jpg").write_bytes(data)
    found = await Ffmpeg(str(hanging)).frames(tmp_path / "clip.mp4", at=[1, 2, 3, 4], folder=folder, timeout_s=0.2)
    assert found == (whole, whole)


async def test_a_cancelled_call_gives_nothing(tmp_path: Path, hanging: Path) -> None:
    """Cancellation is not a deadline: it goes up to whoever asked for it, at once."""
    task = asyncio.create_task(
        Ffmpeg(str(hanging)).frames(tmp_path / "clip.mp4", at=[1], folder=tmp_path / "frames", timeout_s=IN_TIME)
    )
    await asyncio.to_thread((tmp_path / "started").read_bytes)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.fixture
def hanging(tmp_path: Path) -> Path:
    """A program that never ends; whoever reads the pipe ``started`` waits until it runs."""
    started, path = tmp_path / "started", tmp_path / "hanging"
    os.mkfifo(started)
    path.write_text(f"#!/bin/sh\necho > '{started}' &\nexec sleep 1000\n")
    path.chmod(0o755)
    return path


def test_all_frames_of_a_clip_come_from_one_process(tmp_path: Path) -> None:
    """Each moment is an input of its own, and each picture is on the disk as soon as it is made."""
    paths = [tmp_path / f"{place}.jpg" for place in range(AT_ONCE)]
    arguments = commands.frames(
        Path("clip.mp4"), at=[place + 0.5 for place in range(AT_ONCE)], into=paths, max_width=768, max_height=None
    )
    assert [arguments[place + 1] for place, word in enumerate(arguments) if word == "-ss"] == [
        f"{place}.500000" for place in range(AT_ONCE)
    ]
    assert arguments.count("-i") == AT_ONCE
    flushed = [arguments[place + 1] for place, word in enumerate(arguments) if word == "-flush_packets"]
    assert flushed == ["1"] * AT_ONCE
    assert [word for word in arguments if word.endswith(".jpg")] == [os.fspath(path) for path in paths]
