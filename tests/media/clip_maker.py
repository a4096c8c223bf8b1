"""Real clips, made once per session: every picture carries its number, so that a test can read which one it got."""

from __future__ import annotations

import functools
import importlib.util
import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

import pytest

from twitter_tool.media.ffmpeg import Ffmpeg

WIDTH, HEIGHT = 160, 96
BITS: Final = 10
"""A picture is ten bars, black or white: its number in binary digits."""
FPS: Final = 30
FRAMES: Final = 150
CLOSED: Final = ("-bf", "3", "-g", "30")
"""Pictures stored out of order, a key frame a second."""
LINEAR: Final = ("-bf", "0", "-g", "250")
OPEN: Final = ("-bf", "4", "-x264-params", "open-gop=1:b-pyramid=normal:keyint=48")
QUIET: Final = ("-nostdin", "-hide_banner", "-loglevel", "error", "-y")


def system_ffmpeg() -> str | None:
    """The program that the system brings, if it does."""
    return shutil.which("ffmpeg")


def carried_ffmpeg() -> str | None:
    """The program inside the package imageio-ffmpeg, if that is installed."""
    spec = importlib.util.find_spec("imageio_ffmpeg")
    places = [] if spec is None else list(spec.submodule_search_locations or ())
    found = [path for place in places for path in Path(place, "binaries").glob("ffmpeg-*")]
    return str(found[0]) if found else None


def any_ffmpeg() -> str:
    """Either of them; the calling test is skipped when there is none."""
    found = carried_ffmpeg() or system_ffmpeg()
    if found is None:
        pytest.skip("needs ffmpeg: from the system, or from the extra media")
    return found


@pytest.fixture(params=["system", "carried"], scope="session")
def binary(request: pytest.FixtureRequest) -> str:
    """Each of the two programs in turn; what it makes of a clip must not depend on its age."""
    found = system_ffmpeg() if request.param == "system" else carried_ffmpeg()
    if found is None:
        pytest.skip("the system has no ffmpeg" if request.param == "system" else "needs the package imageio-ffmpeg")
    return found


@pytest.fixture
def ffmpeg(binary: str) -> Ffmpeg:
    """Under test."""
    return Ffmpeg(binary)


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    """Every clip of the session."""
    return Clips(tmp_path_factory.mktemp("clips"), any_ffmpeg())


class Clips:
    """Makes clips when they are first asked for. Nobody may change one; :meth:`changed` gives a copy."""

    def __init__(self, folder: Path, program: str) -> None:
        self._folder = folder
        self._program = program
        self._made: dict[tuple[object, ...], Path] = {}
        self._count = 0

    def counted(
        self,
        count: int = FRAMES,
        *,
        fps: str = "30",
        options: Sequence[str] = CLOSED,
        size: tuple[int, int] = (WIDTH, HEIGHT),
        sounds: Sequence[float] = (),
    ) -> Path:
        """Pictures numbered from 0, evenly paced; for each length in ``sounds`` a track of a tone, ever higher ones."""
        key = ("counted", count, fps, tuple(options), size, tuple(sounds))
        return self._once(key, lambda path: self._encode(path, count, fps, options, size, sounds))

    def standing(self, begins: Sequence[float], *, last_s: float, options: Sequence[str] = LINEAR) -> Path:
        """Picture ``n`` is seen from ``begins[n]`` seconds on; the last one for ``last_s`` seconds."""
        times = "+".join(f"eq(N,{place})*{begin:.3f}" for place, begin in enumerate(begins))
        end = f"if(eq(PTS,{round(begins[-1] * 1000)}),{round(last_s * 1000)},DURATION)"
        paced = [
            *("-vf", f"settb=1/1000,setpts='round(1000*({times}))'", "-fps_mode", "passthrough"),
            *("-enc_time_base", "1/1000", "-video_track_timescale", "1000"),
            *("-bsf:v", f"setts=pts=PTS:dts=DTS:duration='{end}'", *options),
        ]
        key = ("standing", tuple(begins), last_s, tuple(options))
        return self._once(key, lambda path: self._encode(path, len(begins), "1000", paced, (WIDTH, HEIGHT), ()))

    def sounding(self, seconds: float = 2, *, late_s: float = 0) -> Path:
        """Sound alone; or, with ``late_s``, sound that begins so much after the pictures."""
        pictures = ["-f", "lavfi", "-i", f"color=size=64x64:rate=10:duration={late_s + seconds}"] if late_s else []
        tone = ["-itsoffset", str(late_s), "-f", "lavfi", "-i", f"sine=frequency=440:duration={seconds}"]
        codecs = ["-c:v", "libx264", "-c:a", "aac"]
        return self._once(("sounding", seconds, late_s), lambda path: self.run(*pictures, *tone, *codecs, str(path)))

    def tinted(self, colour: str, *options: str) -> Path:
        """One colour, tagged with how it is to be shown."""
        paint = f"color=c={colour}:size=64x48:rate=10:duration=0.5,format=rgb24"
        shown = "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"
        tags = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"]
        arguments = ["-f", "lavfi", "-i", paint, "-vf", shown, *tags, "-c:v", "libx264", "-qp", "4", *options]
        return self._once(("tinted", colour, options), lambda path: self.run(*arguments, str(path)))

    def other(self, name: str, *arguments: str) -> Path:
        """Whatever these arguments make, under a name that ends in ``.mp4`` whatever it is."""
        return self._once(("other", name, arguments), lambda path: self.run(*arguments, str(path)))

    def changed(self, clip: Path, change: Callable[[bytes], bytes], name: str = "changed.mp4") -> Path:
        """A copy with other bytes."""
        self._count += 1
        folder = self._folder / f"changed-{self._count}"
        folder.mkdir()
        path = folder / name
        path.write_bytes(change(clip.read_bytes()))
        return path

    def run(self, *arguments: str, data: bytes | None = None) -> bytes:
        """The program, as a plain user would call it; gives what it writes to standard output."""
        quiet = [word for word in QUIET if data is None or word != "-nostdin"]
        return subprocess.run(
            [self._program, *quiet, *arguments],
            input=data,
            stdin=subprocess.DEVNULL if data is None else None,
            stdout=subprocess.PIPE,
            check=True,
        ).stdout

    def numbers(self, jpegs: Sequence[bytes], *, turned: bool = False) -> list[int]:
        """Which pictures these are."""
        shape = (HEIGHT, WIDTH) if turned else (WIDTH, HEIGHT)
        return [_number(self.grey(jpeg, shape), shape, turned) for jpeg in jpegs]

    def grey(self, jpeg: bytes, size: tuple[int, int]) -> bytes:
        """The brightness of every point, rows from the top, scaled to a size."""
        scaled = f"scale={size[0]}:{size[1]}:out_range=pc"
        return self.run("-f", "mjpeg", "-i", "-", "-vf", scaled, "-f", "rawvideo", "-pix_fmt", "gray", "-", data=jpeg)

    def colour(self, jpeg: bytes) -> tuple[int, int, int]:
        """Red, green and blue of a picture of one colour, as a viewer of pictures would show it."""
        raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
        red, green, blue = self.run("-f", "mjpeg", "-i", "-", "-vf", "scale=1:1", *raw, data=jpeg)
        return red, green, blue

    def _once(self, key: tuple[object, ...], make: Callable[[Path], object]) -> Path:
        if key not in self._made:
            path = self._folder / f"{key[0]}-{len(self._made)}.mp4"
            make(path)
            self._made[key] = path
        return self._made[key]

    def _encode(
        self,
        path: Path,
        count: int,
        fps: str,
        options: Sequence[str],
        size: tuple[int, int],
        sounds: Sequence[float],
    ) -> None:
        odd = bool(size[0] % 2 or size[1] % 2)
        tones = [
            word
            for place, seconds in enumerate(sounds)
            for word in ("-f", "lavfi", "-i", f"sine=frequency={440 * (place + 1)}:duration={seconds}")
        ]
        maps = [word for place in range(len(sounds) + 1) for word in ("-map", str(place))]
        shape = ["-f", "rawvideo", "-pix_fmt", "gray", "-s", f"{size[0]}x{size[1]}", "-r", fps, "-i", "-"]
        codecs = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv444p" if odd else "yuv420p", "-c:a", "aac"]
        data = b"".join(_picture(number, size) for number in range(count))
        self.run(*shape, *tones, *maps, *codecs, *options, str(path), data=data)


@functools.cache
def _picture(number: int, size: tuple[int, int]) -> bytes:
    width, height = size
    bar = width // BITS
    row = b"".join(bytes([235 if number >> (BITS - 1 - bit) & 1 else 16]) * bar for bit in range(BITS))
    return (row + row[-1:] * (width - len(row))) * height


def _number(grey: bytes, shape: tuple[int, int], turned: bool) -> int:
    width, height = shape
    line = grey[width // 2 :: width] if turned else grey[width * (height // 2) :][:width]
    bar = len(line) // BITS
    return sum((line[bit * bar + bar // 2] > 128) << (BITS - 1 - bit) for bit in range(BITS))


def jpeg_size(jpeg: bytes) -> tuple[int, int]:
    """Width and height as its header has them."""
    place = 2
    while jpeg[place + 1] not in (0xC0, 0xC1, 0xC2):
        place += 2 + struct.unpack_from(">H", jpeg, place + 2)[0]
    height, width = struct.unpack_from(">HH", jpeg, place + 5)
    return width, height


def seen_at(moment: float, begins: Sequence[float]) -> int:
    """Which of the pictures a viewer sees: the last one that has begun."""
    return max(place for place, begin in enumerate(begins) if begin <= moment + 1e-9)


def middle(number: int, fps: str = "30") -> float:
    """A moment in the middle of a picture's time."""
    return float((number + Fraction(1, 2)) / Fraction(fps))


# What follows changes the bytes of an MP4. Its parts are boxes: length, four letters, content.


def claims(seconds: int) -> Callable[[bytes], bytes]:
    """A change after which the header says this length."""

    def change(data: bytes) -> bytes:
        start = data.index(b"mvhd") - 4
        scale = struct.unpack_from(">I", data, start + 20)[0]
        return data[: start + 24] + struct.pack(">I", scale * seconds) + data[start + 28 :]

    return change


def turned(data: bytes) -> bytes:
    """A change after which players turn the first track's pictures by a quarter, clockwise."""
    start = data.index(b"tkhd") - 4 + 48
    matrix = struct.pack(">9i", 0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000)
    return data[:start] + matrix + data[start + 36 :]


def matrix_of(data: bytes) -> bytes:
    """How players turn the first track's pictures."""
    start = data.index(b"tkhd") - 4 + 48
    return data[start : start + 16]


def emptied(data: bytes) -> bytes:
    """A change after which the media themselves are zeros; only the tables about them are left."""
    start = data.index(b"mdat") + 4
    end = data.index(b"moov") - 4
    return data[:start] + bytes(end - start) + data[end:]


def elsewhere(target: Path) -> Callable[[bytes], bytes]:
    """A change after which the first track's media are said to lie in another file, named by its absolute path."""

    def change(data: bytes) -> bytes:
        path = str(target).encode().replace(b"/", b":")
        named = struct.pack(">HH", 2, len(path)) + path + bytes(len(path) % 2) + struct.pack(">HH", 0xFFFF, 0)
        alias = bytes(10) + bytes(28) + bytes(12) + bytes(64) + bytes(16) + struct.pack(">HH", 0, 0) + bytes(16) + named
        entry = struct.pack(">I4sI", 12 + len(alias), b"alis", 0) + alias
        spot = data.index(b"url ") - 4
        grown = len(entry) - 12
        data = data[:spot] + entry + data[spot + 12 :]
        for name in (b"dref", b"dinf", b"minf", b"mdia", b"trak", b"moov"):
            start = data.rindex(name, 0, spot) - 4
            length = struct.unpack_from(">I", data, start)[0] + grown
            data = data[:start] + struct.pack(">I", length) + data[start + 4 :]
        return data

    return change
