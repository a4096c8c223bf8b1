"""Sound out of a clip: as plain numbers for recognition on this machine, as a small MP3 for a service."""

from __future__ import annotations

from array import array
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from clip_maker import LINEAR, Clips, any_ffmpeg

from twitter_tool.media.ffmpeg import Ffmpeg

IN_TIME = 50.0
RATE = 16_000
Job = Callable[..., Awaitable[bool]]


@pytest.fixture(params=["samples", "mp3"])
def job(request: pytest.FixtureRequest, ffmpeg: Ffmpeg) -> Job:
    """Each of the two ways to take sound."""
    method: Job = getattr(ffmpeg, request.param)
    return method


def numbers(path: Path) -> array[int]:
    """The samples in a file."""
    return array("h", path.read_bytes())


def pitch(samples: array[int]) -> int:
    """Of a tone, in Hz, to the next ten: how often it crosses zero upwards in a second."""
    crossed = sum(1 for place in range(1, len(samples)) if samples[place - 1] < 0 <= samples[place])
    return round(crossed * RATE / len(samples) / 10) * 10


async def test_samples_are_plain_numbers(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """Sixteen thousand a second, one channel, no header: a tone of 440 Hz is found in them as it was made."""
    into = tmp_path / "sound.raw"
    assert await ffmpeg.samples(clips.counted(sounds=(5.0,)), seconds=3, into=into, timeout_s=IN_TIME)
    found = numbers(into)
    assert len(found) == 3 * RATE
    assert pitch(found[RATE:]) == 440


async def test_an_mp3_is_small_and_plain(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """Thirty-two kilobits a second, one channel, 16 kHz, without any tag; the tone is still there."""
    into = tmp_path / "sound.mp3"
    assert await ffmpeg.mp3(clips.counted(sounds=(5.0,)), seconds=3, into=into, timeout_s=IN_TIME)
    data = into.read_bytes()
    assert data[:3] != b"ID3"
    version, bits, rate, channels = data[1] >> 3 & 3, data[2] >> 4, data[2] >> 2 & 3, data[3] >> 6
    assert (version, bits, rate, channels) == (2, 4, 2, 3)
    assert 3 * 4000 <= len(data) <= 3.3 * 4000
    decoded = array("h", clips.run("-f", "mp3", "-i", str(into), "-f", "s16le", "-"))
    assert len(decoded) == pytest.approx(3 * RATE, abs=RATE / 5)
    assert pitch(decoded[RATE : 2 * RATE]) == 440


async def test_only_the_first_seconds_are_taken(job: Job, clips: Clips, tmp_path: Path) -> None:
    """A shorter clip gives what it has."""
    clip, short, long = clips.counted(sounds=(5.0,)), tmp_path / "short", tmp_path / "long"
    assert await job(clip, seconds=1, into=short, timeout_s=IN_TIME)
    assert await job(clip, seconds=120, into=long, timeout_s=IN_TIME)
    assert 4.5 < long.stat().st_size / short.stat().st_size < 5.5


async def test_the_first_of_several_tracks_is_heard(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """It is the one that players play."""
    into = tmp_path / "sound.raw"
    assert await ffmpeg.samples(clips.counted(sounds=(5.0, 5.0)), seconds=2, into=into, timeout_s=IN_TIME)
    assert pitch(numbers(into)[RATE:]) == 440


async def test_a_track_that_is_marked_as_the_usual_one_goes_first(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """A first track that players pass over, such as a commentary, is passed over here as well."""
    into = tmp_path / "sound.raw"
    clip = clips.other(
        "second-is-usual",
        *("-i", str(clips.counted(sounds=(5.0, 5.0))), "-map", "0", "-c", "copy"),
        *("-disposition:a:0", "0", "-disposition:a:1", "default"),
    )
    assert await ffmpeg.samples(clip, seconds=2, into=into, timeout_s=IN_TIME)
    assert pitch(numbers(into)[RATE:]) == 880


async def test_sound_that_begins_late_keeps_its_seconds(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """Silence stands where there is none yet; otherwise every time in a transcript would be too early."""
    into = tmp_path / "sound.raw"
    assert await ffmpeg.samples(clips.sounding(2, late_s=1.5), seconds=10, into=into, timeout_s=IN_TIME)
    found = numbers(into)
    assert len(found) == pytest.approx(3.5 * RATE, abs=RATE / 10)
    assert max(map(abs, found[: int(1.4 * RATE)])) < 20 < max(map(abs, found[int(1.6 * RATE) :]))


async def test_a_clip_without_sound_gives_none(job: Job, clips: Clips, tmp_path: Path) -> None:
    """It is no failure of the clip, and no file is left that could be taken for sound."""
    into = tmp_path / "sound"
    assert not await job(clips.counted(), seconds=3, into=into, timeout_s=IN_TIME)
    assert not into.exists() or into.stat().st_size == 0


async def test_pictures_are_not_needed(job: Job, clips: Clips, tmp_path: Path) -> None:
    """Sound alone is sound."""
    assert await job(clips.sounding(2), seconds=3, into=tmp_path / "sound", timeout_s=IN_TIME)


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
async def test_no_seconds_are_no_sound(clips: Clips, tmp_path: Path, seconds: float) -> None:
    """Nothing is run for them."""
    ffmpeg = Ffmpeg(any_ffmpeg())
    assert not await ffmpeg.samples(clips.sounding(2), seconds=seconds, into=tmp_path / "sound", timeout_s=IN_TIME)
    assert not (tmp_path / "sound").exists()


async def test_what_is_no_clip_has_no_sound(job: Job, clips: Clips, tmp_path: Path) -> None:
    """Also a WAV file, which could be read but is no MP4."""
    wave = clips.other("wave", "-f", "lavfi", "-i", "sine=duration=1", "-f", "wav")
    assert not await job(wave, seconds=3, into=tmp_path / "sound", timeout_s=IN_TIME)
    assert not await job(tmp_path / "missing.mp4", seconds=3, into=tmp_path / "sound", timeout_s=IN_TIME)


async def test_a_gap_of_hours_in_the_sound_is_not_filled(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """Times in a clip can claim it; what begins after the asked-for seconds costs neither memory nor disk."""
    into = tmp_path / "sound.raw"
    times = "if(lt(N,40),TS,TS+36000*48000)"
    clip = clips.other(
        "gap", "-i", str(clips.counted(options=LINEAR, sounds=(5.0,))), "-c", "copy", "-bsf:a", f"setts=ts='{times}'"
    )
    assert await ffmpeg.samples(clip, seconds=4, into=into, timeout_s=IN_TIME)
    found = numbers(into)
    assert RATE / 2 < len(found) < RATE
    assert pitch(found[: RATE // 2]) == 440
