"""The first seconds of a clip as a clip of its own, whose length is proven before anybody may upload it."""

from __future__ import annotations

from pathlib import Path

import pytest
from clip_maker import CLOSED, FPS, LINEAR, OPEN, Clips, any_ffmpeg, claims, matrix_of, middle, turned
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.media.ffmpeg import Ffmpeg
from twitter_tool.media.moments import SLACK_S, keeps_within

IN_TIME = 50.0


@pytest.mark.parametrize("options", [CLOSED, OPEN, LINEAR], ids=["closed groups", "open groups", "in order"])
async def test_the_beginning_is_kept_and_the_rest_is_not(
    ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """Pictures of the kept seconds are the same at the same moments, sound included."""
    into = tmp_path / "trimmed.mp4"
    clip = clips.counted(options=options, sounds=(5.0,))
    assert await ffmpeg.trim(clip, seconds=2, into=into, timeout_s=IN_TIME)
    facts = await ffmpeg.probe(into, timeout_s=IN_TIME)
    assert facts is not None
    assert facts.has_audio
    assert facts.duration_s is not None
    assert 2 - 1 / FPS <= facts.duration_s <= 2 + SLACK_S
    wanted = [0, 17, 31, 2 * FPS - 1]
    found = await ffmpeg.frames(into, at=[middle(place) for place in wanted], folder=tmp_path, timeout_s=IN_TIME)
    assert clips.numbers(found) == wanted


async def test_a_shorter_clip_is_copied_whole(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """A length that was not known before may turn out to be within the limit."""
    into = tmp_path / "trimmed.mp4"
    assert await ffmpeg.trim(clips.counted(), seconds=120, into=into, timeout_s=IN_TIME)
    facts = await ffmpeg.probe(into, timeout_s=IN_TIME)
    assert facts is not None
    assert facts.duration_s == pytest.approx(5)


async def test_a_header_that_claims_ninety_minutes_does_not_matter(
    ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path
) -> None:
    """The copy has a header of its own, made from what is there."""
    into = tmp_path / "trimmed.mp4"
    assert await ffmpeg.trim(clips.changed(clips.counted(), claims(5400)), seconds=2, into=into, timeout_s=IN_TIME)
    shown = clips.run("-i", str(into), "-c", "copy", "-f", "framecrc", "-").count(b"\n0,")
    assert 2 * FPS <= shown <= 2 * FPS + SLACK_S * FPS


async def test_every_track_of_sound_stays(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """In their order: the first one is what players play."""
    into = tmp_path / "trimmed.mp4"
    assert await ffmpeg.trim(clips.counted(sounds=(5.0, 5.0)), seconds=2, into=into, timeout_s=IN_TIME)
    listed = clips.run("-i", str(into), "-map", "0", "-c", "copy", "-f", "framecrc", "-")
    assert listed.count(b": audio\n") == 2
    assert [pitch(clips, into, track) for track in (0, 1)] == [440, 880]


def pitch(clips: Clips, clip: Path, track: int) -> int:
    """Of a track's tone, in steps of 20 Hz: how often the sound crosses zero upwards in its first second."""
    raw = clips.run("-i", str(clip), "-map", f"0:a:{track}", "-t", "1", "-ac", "1", "-ar", "16000", "-f", "s8", "-")
    values = memoryview(raw).cast("b")
    crossed = sum(1 for place in range(1, len(values)) if values[place - 1] < 0 <= values[place])
    return round(crossed / 20) * 20


async def test_a_turned_clip_stays_turned(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """A service must see it upright, as players show it."""
    into = tmp_path / "trimmed.mp4"
    clip = clips.changed(clips.counted(), turned)
    assert await ffmpeg.trim(clip, seconds=2, into=into, timeout_s=IN_TIME)
    assert matrix_of(into.read_bytes()) == matrix_of(clip.read_bytes()) != matrix_of(clips.counted().read_bytes())


async def test_a_picture_that_stands_across_the_end_is_cut(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """A clip of two pictures, of which the second stands for a minute, becomes one of three seconds."""
    into = tmp_path / "trimmed.mp4"
    assert await ffmpeg.trim(clips.standing([0, 1], last_s=60), seconds=3, into=into, timeout_s=IN_TIME)
    facts = await ffmpeg.probe(into, timeout_s=IN_TIME)
    assert facts is not None
    assert facts.duration_s == pytest.approx(3, abs=0.01)
    found = await ffmpeg.frames(into, at=[0.5, 2.9], folder=tmp_path, timeout_s=IN_TIME)
    assert clips.numbers(found) == [0, 1]


async def test_slow_pictures_stored_out_of_order_are_cut_earlier(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """At two pictures a second, one stored before others that are seen earlier would reach seconds beyond the limit."""
    into = tmp_path / "trimmed.mp4"
    clip = clips.counted(30, fps="2", options=("-bf", "3", "-g", "30", "-b_strategy", "0"))
    assert await ffmpeg.trim(clip, seconds=8, into=into, timeout_s=IN_TIME)
    facts = await ffmpeg.probe(into, timeout_s=IN_TIME)
    assert facts is not None
    assert facts.duration_s is not None
    assert 4 < facts.duration_s <= 8 + SLACK_S


async def test_titles_and_places_are_left_behind(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """What is uploaded is pictures and sound, and nothing that somebody wrote into the file."""
    into = tmp_path / "trimmed.mp4"
    told = ["-metadata", "title=Ignore all of it", "-metadata", "location=+52.5+013.4/"]
    clip = clips.other("titled", "-i", str(clips.counted()), "-c", "copy", *told)
    assert b"Ignore all of it" in clip.read_bytes()
    assert await ffmpeg.trim(clip, seconds=2, into=into, timeout_s=IN_TIME)
    assert b"Ignore all of it" not in into.read_bytes()
    assert b"+52.5" not in into.read_bytes()


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
async def test_no_seconds_are_no_clip(clips: Clips, tmp_path: Path, seconds: float) -> None:
    """Nothing is written for them."""
    ffmpeg = Ffmpeg(any_ffmpeg())
    assert not await ffmpeg.trim(clips.counted(), seconds=seconds, into=tmp_path / "trimmed.mp4", timeout_s=IN_TIME)
    assert not (tmp_path / "trimmed.mp4").exists()


async def test_what_is_no_clip_cannot_be_trimmed(ffmpeg: Ffmpeg, tmp_path: Path) -> None:
    """Neither text nor a file that is not there."""
    (tmp_path / "text.mp4").write_text("no clip")
    for name in ("text.mp4", "missing.mp4"):
        assert not await ffmpeg.trim(tmp_path / name, seconds=2, into=tmp_path / "trimmed.mp4", timeout_s=IN_TIME)


async def test_a_program_that_copies_too_much_is_not_believed(clips: Clips, tmp_path: Path) -> None:
    """Success is what the copy proves, not what the program says."""
    lazy = tmp_path / "lazy"
    lazy.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *framecrc*) exec "{any_ffmpeg()}" "$@";; esac\n'
        "for last; do :; done\n"
        f'cp "{clips.counted()}" "$last"\n'
    )
    lazy.chmod(0o755)
    into = tmp_path / "trimmed.mp4"
    assert not await Ffmpeg(str(lazy)).trim(clips.counted(), seconds=2, into=into, timeout_s=IN_TIME)
    assert into.exists()
    assert await Ffmpeg(str(lazy)).trim(clips.counted(), seconds=5, into=into, timeout_s=IN_TIME)


async def test_a_copy_that_cannot_be_read_is_not_believed(clips: Clips, tmp_path: Path) -> None:
    """A file that is no clip may have any length."""
    wrong = tmp_path / "wrong"
    wrong.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *framecrc*) exec "{any_ffmpeg()}" "$@";; esac\n'
        "for last; do :; done\n"
        'echo nothing > "$last"\n'
    )
    wrong.chmod(0o755)
    assert not await Ffmpeg(str(wrong)).trim(
        clips.counted(), seconds=2, into=tmp_path / "trimmed.mp4", timeout_s=IN_TIME
    )


@given(limit=st.integers(1, 600), over=st.floats(-600, 600))
def test_within_a_limit_means_within_its_slack(limit: int, over: float) -> None:
    """Sound ends with a packet, so a clip of exactly the limit may measure a little more."""
    assert keeps_within(limit + over, limit) == (limit + over - limit <= SLACK_S or over <= SLACK_S)
