"""What is in a clip: told by its packets, whatever its header says."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from clip_maker import LINEAR, Clips, any_ffmpeg, claims
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.media.ffmpeg import ClipFacts, Ffmpeg
from twitter_tool.media.ffmpeg.packets import PacketList

IN_TIME = 50.0

LISTED = b"""#extradata 0:       43, 0x19e50ef9
#software: Lavf63.1.102
#tb 0: 1/1000
#media_type 0: video
#codec_id 0: h264
#dimensions 0: 160x96
#tb 1: 1/48000
#media_type 1: audio
0,       -200,          0,      100,      726, 0x7e63faea
1,      -1024,      -1024,     1024,       23, 0x5e0b0a11, F=0x5
0,       -100,        300,      100,       39, 0x3dd112a3, F=0x0
0,          0,        100,      100,       24, 0x6390096d, F=0x0
0,        900,        900,      100,       24, 0x6390096d, F=0x4
1,          0,          0,    12000,       23, 0x5e0b0a11
"""


@pytest.mark.parametrize(
    ("sounds", "expected"),
    [((), (5.0, True, False)), ((5.0,), (5.0, True, True)), ((1.0, 7.0), (7.0, True, True))],
)
async def test_length_and_kinds(
    ffmpeg: Ffmpeg, clips: Clips, sounds: tuple[float, ...], expected: tuple[float, bool, bool]
) -> None:
    """The end is that of the track that ends last; sound is stored in packets, so it may end a little later."""
    facts = await ffmpeg.probe(clips.counted(sounds=sounds), timeout_s=IN_TIME)
    assert facts is not None
    assert (facts.has_video, facts.has_audio) == expected[1:]
    assert facts.duration_s == pytest.approx(expected[0], abs=0.05)


async def test_sound_alone(ffmpeg: Ffmpeg, clips: Clips) -> None:
    """A clip may have no pictures."""
    facts = await ffmpeg.probe(clips.sounding(2), timeout_s=IN_TIME)
    assert facts is not None
    assert (facts.has_video, facts.has_audio) == (False, True)


async def test_a_cover_is_no_video(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """A picture that comes with a piece of sound does not move, so it is not counted as pictures."""
    cover = tmp_path / "cover.jpg"
    clips.run("-f", "lavfi", "-i", "color=size=64x64", "-frames:v", "1", "-f", "mjpeg", str(cover))
    clip = clips.other(
        f"cover-{tmp_path.name}",
        *("-i", str(clips.sounding(2)), "-i", str(cover), "-map", "0", "-map", "1", "-c", "copy"),
        *("-disposition:v:0", "attached_pic"),
    )
    facts = await ffmpeg.probe(clip, timeout_s=IN_TIME)
    assert facts is not None
    assert (facts.has_video, facts.has_audio) == (False, True)


@pytest.mark.parametrize("claimed", [1, 90 * 60])
async def test_a_header_that_lies_about_the_length_is_not_believed(ffmpeg: Ffmpeg, clips: Clips, claimed: int) -> None:
    """Neither one that hides most of the clip nor one that claims ninety minutes."""
    facts = await ffmpeg.probe(clips.changed(clips.counted(), claims(claimed)), timeout_s=IN_TIME)
    assert facts == ClipFacts(duration_s=5.0, has_video=True, has_audio=False)


async def test_a_last_picture_that_stands_counts_to_its_end(ffmpeg: Ffmpeg, clips: Clips) -> None:
    """The clip ends when its last picture is no longer shown, not when it appears."""
    facts = await ffmpeg.probe(clips.standing([0, 1, 2.5], last_s=4), timeout_s=IN_TIME)
    assert facts is not None
    assert facts.duration_s == pytest.approx(6.5)


async def test_a_clip_in_fragments(ffmpeg: Ffmpeg, clips: Clips) -> None:
    """Its header says nothing about the length; its packets do."""
    clip = clips.other(
        "fragments", "-i", str(clips.counted()), "-c", "copy", "-movflags", "frag_keyframe+empty_moov", "-f", "mp4"
    )
    facts = await ffmpeg.probe(clip, timeout_s=IN_TIME)
    assert facts is not None
    assert facts.duration_s == pytest.approx(5.0, abs=0.1)


async def test_a_clip_that_was_cut_off_is_as_long_as_what_arrived(ffmpeg: Ffmpeg, clips: Clips) -> None:
    """With its tables at the front, the part that is there can be read."""
    whole = clips.other(
        "front", "-i", str(clips.counted(options=LINEAR)), "-c", "copy", "-movflags", "+faststart", "-f", "mp4"
    )
    clip = clips.changed(whole, lambda data: data[: data.index(b"mdat") + (len(data) - data.index(b"mdat")) // 2])
    facts = await ffmpeg.probe(clip, timeout_s=IN_TIME)
    assert facts is not None
    assert facts.duration_s is not None
    assert 0 < facts.duration_s < 4.5


@pytest.mark.parametrize(("container", "codec"), [("webm", "libvpx"), ("matroska", "libx264"), ("mpegts", "libx264")])
async def test_another_kind_of_video_is_not_read(ffmpeg: Ffmpeg, clips: Clips, container: str, codec: str) -> None:
    """Whatever the file is called, only an MP4 is read."""
    clip = clips.other(container, "-i", str(clips.counted(30)), "-c:v", codec, "-f", container)
    assert await ffmpeg.probe(clip, timeout_s=IN_TIME) is None


async def test_no_time_left_tells_nothing(clips: Clips) -> None:
    """A clip that was not read to its end has no known length."""
    assert await Ffmpeg(any_ffmpeg()).probe(clips.counted(), timeout_s=0) is None


async def test_a_list_that_was_not_finished_in_time_tells_nothing(tmp_path: Path) -> None:
    """The packets that were seen by then need not be the last ones."""
    (tmp_path / "list").write_bytes(LISTED)
    slow = tmp_path / "slow"
    slow.write_text(f"#!/bin/sh\ncat '{tmp_path / 'list'}'\nexec sleep 1000\n")
    slow.chmod(0o755)
    assert await Ffmpeg(str(slow)).probe(tmp_path / "clip.mp4", timeout_s=0.3) is None


@given(cuts=st.lists(st.integers(0, len(LISTED))))
def test_pieces_of_a_list_may_end_anywhere(cuts: list[int]) -> None:
    """Packets marked as never shown do not count; the length is the latest end of the others."""
    packets = PacketList()
    places = [0, *sorted(cuts), len(LISTED)]
    for place, until in pairwise(places):
        packets.take(LISTED[place:until])
    assert packets.facts() == ClipFacts(duration_s=0.4, has_video=True, has_audio=True)
    assert packets.picture_units == 1000


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=60),
            st.sampled_from(LISTED.splitlines(keepends=True)),
            st.from_regex(rb"#tb [0-9]{1,5}: [0-9]{0,11}/[0-9]{0,11}\n", fullmatch=True),
            st.from_regex(
                rb"[0-9]{0,2},(-?[0-9]{0,25}|NOPTS),(-?[0-9]{0,25}|NOPTS),-?[0-9]{0,25},1,2(, F=0x[0-9a-z]{0,9})?\n"
            ),
        )
    )
)
def test_any_list_gives_facts_or_none(pieces: list[bytes]) -> None:
    """It comes out of a program that reads a hostile file: no line of it may be an error, or a length below zero."""
    packets = PacketList()
    for piece in pieces:
        packets.take(piece)
    facts = packets.facts()
    assert facts is None or facts.duration_s is None or facts.duration_s > 0
    assert packets.picture_units is None or packets.picture_units > 0


def test_a_line_without_end_is_not_kept() -> None:
    """What is no list at all takes no memory."""
    packets = PacketList()
    packets.take(b"0, 0, 5000, 100, 9, 0x0, ")
    for _ in range(100):
        packets.take(b" " * 10_000)
    packets.take(b"\n" + LISTED)
    assert packets.facts() == ClipFacts(duration_s=0.4, has_video=True, has_audio=True)


def test_packets_without_times_tell_no_length() -> None:
    """That there are pictures is known all the same."""
    packets = PacketList()
    packets.take(b"#tb 0: 1/1000\n#media_type 0: video\n0, NOPTS, NOPTS, 0, 726, 0x7e63faea\n")
    assert packets.facts() == ClipFacts(duration_s=None, has_video=True, has_audio=False)
