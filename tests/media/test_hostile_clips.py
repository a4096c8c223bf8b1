"""Files that are called clips: playlists, lists, references to other files, broken ones, ones that claim too much."""

from __future__ import annotations

import random
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from clip_maker import CLOSED, LINEAR, QUIET, Clips, elsewhere, emptied

from twitter_tool.media.ffmpeg import Ffmpeg
from twitter_tool.media.ffmpeg.commands import MAX_PIXELS

IN_TIME = 50.0


async def everything(ffmpeg: Ffmpeg, clip: Path, folder: Path) -> list[str]:
    """What any job makes of a file."""
    found = [
        "facts" if await ffmpeg.probe(clip, timeout_s=IN_TIME) is not None else "",
        "copy" if await ffmpeg.trim(clip, seconds=2, into=folder / "trimmed.mp4", timeout_s=IN_TIME) else "",
        "frames" if await ffmpeg.frames(clip, at=[0.5], folder=folder / "frames", timeout_s=IN_TIME) else "",
        "samples" if await ffmpeg.samples(clip, seconds=2, into=folder / "sound", timeout_s=IN_TIME) else "",
        "mp3" if await ffmpeg.mp3(clip, seconds=2, into=folder / "mp3", timeout_s=IN_TIME) else "",
    ]
    return [name for name in found if name]


def read_by_a_trusting_user(clips: Clips, binary: str, *arguments: str) -> list[int]:
    """The numbers of the pictures that the program shows when nothing holds it back."""
    done = subprocess.run(
        [binary, *QUIET, *arguments, "-frames:v", "1", "-f", "mjpeg", "-"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return clips.numbers([done.stdout]) if done.stdout else []


PLAYLIST = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n{target}\n#EXT-X-ENDLIST\n"


@pytest.mark.parametrize("prefix", ["file://", ""])
async def test_a_playlist_that_names_a_local_file_is_not_followed(
    ffmpeg: Ffmpeg, binary: str, clips: Clips, tmp_path: Path, prefix: str
) -> None:
    """Such a file, called a clip, would make the program read other files of this machine and show them."""
    secret = tmp_path / "secret.ts"
    clips.run("-i", str(clips.counted(sounds=(5.0,))), "-c", "copy", "-f", "mpegts", str(secret))
    clip = tmp_path / "clip.mp4"
    clip.write_text(PLAYLIST.format(target=f"{prefix}{secret}"))
    trusting = ["-f", "hls", "-allowed_extensions", "ALL", "-protocol_whitelist", "file,crypto,data"]
    assert read_by_a_trusting_user(clips, binary, *trusting, "-i", str(clip)) == [0]
    assert await everything(ffmpeg, clip, tmp_path) == []


async def test_a_list_of_files_is_not_followed(ffmpeg: Ffmpeg, binary: str, clips: Clips, tmp_path: Path) -> None:
    """The program knows a text that names files to be played one after the other."""
    clip = tmp_path / "clip.mp4"
    clip.write_text(f"ffconcat version 1.0\nfile '{clips.counted(sounds=(5.0,))}'\n")
    assert read_by_a_trusting_user(clips, binary, "-f", "concat", "-safe", "0", "-i", str(clip)) == [0]
    assert await everything(ffmpeg, clip, tmp_path) == []


async def test_media_that_lie_in_another_file_are_not_fetched(
    ffmpeg: Ffmpeg, binary: str, clips: Clips, tmp_path: Path
) -> None:
    """An MP4 may say that its pictures are in another file and name its path; only its own bytes are read."""
    secret = clips.counted(options=CLOSED)
    clip = clips.changed(secret, lambda data: elsewhere(secret)(emptied(data)))
    trusting = ["-enable_drefs", "1", "-use_absolute_path", "1"]
    assert read_by_a_trusting_user(clips, binary, *trusting, "-i", str(clip)) == [0]
    assert read_by_a_trusting_user(clips, binary, "-i", str(clip)) == []
    assert await ffmpeg.frames(clip, at=[0.5], folder=tmp_path / "frames", timeout_s=IN_TIME) == ()
    into = tmp_path / "trimmed.mp4"
    await ffmpeg.trim(clip, seconds=2, into=into, timeout_s=IN_TIME)
    sample = secret.read_bytes()[secret.read_bytes().index(b"mdat") + 100 :][:200]
    assert sample not in into.read_bytes()


OTHERS: dict[str, bytes] = {
    "nothing": b"",
    "text": b"not a clip at all\n",
    "a web page": b"<!DOCTYPE html><html><body>502</body></html>",
    "zeros": bytes(5000),
    "noise": random.Random(5).randbytes(5000),
    "the beginning of an mp4": struct.pack(">I4s4sI4s", 20, b"ftyp", b"isom", 512, b"isom"),
    "boxes in boxes": b"".join(struct.pack(">I4s", 80_000 - 8 * place, b"moov") for place in range(10_000)),
    "a box without length": struct.pack(">I4s", 0, b"moov") * 100,
    "a huge box": struct.pack(">I4sQ", 1, b"moov", 2**63 - 1) + bytes(100),
}


@pytest.mark.parametrize("kind", OTHERS)
async def test_what_is_no_clip_gives_nothing(ffmpeg: Ffmpeg, tmp_path: Path, kind: str) -> None:
    """Whatever it is called; and no job fails loudly for it."""
    clip = tmp_path / "clip.mp4"
    clip.write_bytes(OTHERS[kind])
    assert await everything(ffmpeg, clip, tmp_path) == []


@pytest.mark.parametrize("container", ["webm", "gif", "png"])
async def test_another_format_under_the_name_of_a_clip_gives_nothing(
    ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path, container: str
) -> None:
    """A format that could be read, but was not asked for, is as good as none."""
    codec = {"webm": "libvpx", "gif": "gif", "png": "png"}[container]
    shape = ["-f", "image2", "-update", "1", "-frames:v", "1"] if container == "png" else ["-f", container]
    clip = clips.other(container, "-i", str(clips.counted(30)), "-c:v", codec, *shape)
    assert await everything(ffmpeg, clip, tmp_path) == []


async def test_a_clip_cut_off_before_its_tables_gives_nothing(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """Without them nobody knows where a picture begins."""
    clip = clips.changed(clips.counted(sounds=(5.0,)), lambda data: data[: data.index(b"moov") - 4])
    assert await everything(ffmpeg, clip, tmp_path) == []


def scribbled(data: bytes) -> bytes:
    """A change after which every hundredth byte of the media is another."""
    chance, start = random.Random(11), data.index(b"mdat") + 4
    changed = bytearray(data)
    for place in range(start, data.index(b"moov") - 4, 100):
        changed[place] = chance.randrange(256)
    return bytes(changed)


async def test_broken_media_give_what_can_be_shown(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """No job fails for them, and every frame that comes is a whole picture."""
    clip = clips.changed(clips.counted(sounds=(5.0,)), scribbled)
    assert await ffmpeg.probe(clip, timeout_s=IN_TIME) is not None
    for jpeg in await ffmpeg.frames(clip, at=[0.5, 2.5], folder=tmp_path / "frames", timeout_s=IN_TIME):
        assert len(clips.grey(jpeg, (10, 6))) == 60
    await ffmpeg.samples(clip, seconds=2, into=tmp_path / "sound", timeout_s=IN_TIME)
    assert (tmp_path / "sound").stat().st_size <= 2 * 32_000


def tables(name: bytes, change: Callable[[bytearray, int], None]) -> Callable[[bytes], bytes]:
    """A change inside every box of this name; ``change`` gets all bytes and where the box's content begins."""

    def changed(data: bytes) -> bytes:
        found, place = bytearray(data), data.find(name)
        while place != -1:
            change(found, place + 4)
            place = data.find(name, place + 4)
        return bytes(found)

    return changed


def put(offset: int, *numbers: int) -> Callable[[bytearray, int], None]:
    """Four-byte numbers at an offset."""

    def change(data: bytearray, place: int) -> None:
        struct.pack_into(f">{len(numbers)}I", data, place + offset, *numbers)

    return change


HUGE = 2**32 - 1
CLAIMS: dict[str, Callable[[bytes], bytes]] = {
    "four thousand million equal samples": tables(b"stsz", put(4, 1, HUGE)),
    "samples of four gigabytes": tables(b"stsz", put(12, HUGE, HUGE)),
    "a sample that lasts for years": tables(b"stts", put(8, HUGE, HUGE)),
    "samples of no length": tables(b"stts", put(8, HUGE, 0)),
    "places beyond the end": tables(b"stco", put(8, HUGE)),
    "a million million chunks": tables(b"stsc", put(4, HUGE)),
    "no units of time": tables(b"mdhd", put(12, 0, 0)),
    "a length without end": tables(b"mvhd", put(12, 1, HUGE)),
    "an edit into nowhere": tables(b"elst", put(8, HUGE, HUGE)),
}


@pytest.mark.parametrize("claim", CLAIMS)
async def test_tables_that_claim_too_much_do_no_harm(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path, claim: str) -> None:
    """Each job ends by itself, in bounded memory and with bounded output; whatever it gives keeps its promises."""
    clip = clips.changed(clips.counted(60, options=LINEAR, sounds=(2.0,)), CLAIMS[claim])
    facts = await ffmpeg.probe(clip, timeout_s=IN_TIME)
    assert facts is None or facts.duration_s is None or facts.duration_s > 0
    into, sound = tmp_path / "trimmed.mp4", tmp_path / "sound"
    if await ffmpeg.trim(clip, seconds=1, into=into, timeout_s=IN_TIME):
        proven = await ffmpeg.probe(into, timeout_s=IN_TIME)
        assert proven is not None
        assert proven.duration_s is not None
        assert proven.duration_s <= 1.5
    await ffmpeg.samples(clip, seconds=1, into=sound, timeout_s=IN_TIME)
    assert not sound.exists() or sound.stat().st_size <= 32_000
    assert len(await ffmpeg.frames(clip, at=[0.5, 1.5], folder=tmp_path / "frames", timeout_s=IN_TIME)) <= 2


async def test_pictures_larger_than_any_real_clip_are_not_decoded(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """A small file can hold pictures that take gigabytes of memory; up to the largest usual size they are read."""
    for side, expected in ((2160, 1), (2560, 0)):
        paint = f"color=size=4096x{side}:rate=1:duration=1"
        clip = clips.other(
            f"large-{side}",
            "-f",
            "lavfi",
            "-i",
            paint,
            "-c:v",
            "libx264",
            "-preset",
            "ultrafast",
            "-pix_fmt",
            "yuv420p",
        )
        assert (4096 * side <= MAX_PIXELS) == bool(expected)
        found = await ffmpeg.frames(clip, at=[0.5], folder=tmp_path / str(side), timeout_s=IN_TIME)
        assert len(found) == expected


async def test_a_codec_that_no_real_clip_has_is_not_decoded(ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path) -> None:
    """The program knows hundreds of them, most of them old and little tested."""
    clip = clips.other("odd-codec", "-i", str(clips.counted(30)), "-c:v", "mpeg2video", "-f", "mp4")
    assert await ffmpeg.probe(clip, timeout_s=IN_TIME) is not None
    assert await ffmpeg.frames(clip, at=[0.5], folder=tmp_path / "frames", timeout_s=IN_TIME) == ()
