"""Wall time of taking frames, length, sound and a part out of a clip, beside plain commands that do no more than that.

The clip is a minute of 1280x720 with a key frame every two seconds, made for the occasion. Plain commands trust the
clip: no bounds, no lists of what is allowed; and for frames they give the first picture at or after each moment.
"""

from __future__ import annotations

import asyncio
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.report import Row
from twitter_tool.media.ffmpeg import Ffmpeg, find_ffmpeg, frame_times
from twitter_tool.media.ffmpeg import binary as finding

RUNS = 7
SECONDS, FRAMES = 60, 8
SMALLER = "scale='min(768,iw)':-2"
JPEG = ("-q:v", "3", "-f", "mjpeg")


def rows() -> list[Row]:
    """Ratios of medians; everything runs in turn, once per round."""
    programs = {path: name for name, path in _programs() if path is not None}
    if not programs:
        return [Row("frames of a clip", "not measured", "needs ffmpeg", "-", None)]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        clip = Path(folder, "clip.mp4")
        _make(next(iter(programs)), clip)
        for path, name in programs.items():
            found += _of_program(path, f"{name} {_version(path)}", clip, Path(folder))
    return found


def _programs() -> list[tuple[str, str | None]]:
    carried = [path for place in finding._places(finding.CARRIER) for path in (place / "binaries").glob("ffmpeg-*")]
    return [("carried", find_ffmpeg(str(carried[0])) if carried else None), ("system", shutil.which("ffmpeg"))]


def _make(program: str, clip: Path) -> None:
    picture = f"testsrc2=size=1280x720:rate=30:duration={SECONDS},noise=alls=12:allf=t"
    tone = f"sine=frequency=440:duration={SECONDS}"
    codecs = ["-c:v", "libx264", "-preset", "veryfast", "-b:v", "2800k", "-g", "60", "-bf", "2", "-pix_fmt", "yuv420p"]
    _plain([[program, "-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", tone, *codecs, "-c:a", "aac", str(clip)]])


def _of_program(program: str, name: str, clip: Path, folder: Path) -> list[Row]:
    ffmpeg, moments = Ffmpeg(program), frame_times(SECONDS, max_frames=FRAMES, max_seconds=120)
    into = [folder / f"plain-{place}.jpg" for place in range(FRAMES)]

    def ours() -> None:
        frames = asyncio.run(ffmpeg.frames(clip, at=moments, folder=folder / "frames", timeout_s=60))
        if len(frames) != FRAMES:
            raise SystemExit("a frame is missing")

    ways: dict[str, Callable[[], None]] = {
        "one process with eight seeks": lambda: _plain([_seeks(program, clip, moments, into)]),
        "the same, a thread for each decoder": lambda: _plain(
            [_seeks(program, clip, moments, into, ("-threads", "1", "-an"))]
        ),
        "eight processes": lambda: _plain(
            [_seeks(program, clip, [at], [path]) for at, path in zip(moments, into, strict=True)]
        ),
        "one process that decodes everything": lambda: _plain([_whole(program, clip, moments, folder)]),
    }
    mine, *theirs = _medians([ours, *ways.values()])
    best, yardstick = min(zip(theirs, ways, strict=True))
    ratio = mine / best
    jobs = [
        Row(
            f"{FRAMES} frames of {SECONDS} s of 720p, ffmpeg {name}",
            f"{ratio:.2f} ({mine * 1000:.0f} ms against {best * 1000:.0f} ms)",
            f"best plain command: {yardstick}",
            "at most 1.3",
            ratio <= 1.3,
        )
    ]
    for job, measured, plain in _others(ffmpeg, program, clip, folder):
        mine, best = _medians([measured, plain])
        figures = f"{mine / best:.2f} ({mine * 1000:.0f} ms against {best * 1000:.0f} ms)"
        jobs.append(Row(f"{job}, ffmpeg {name}", figures, "plain command", "-", None))
    return jobs


def _others(
    ffmpeg: Ffmpeg, program: str, clip: Path, folder: Path
) -> list[tuple[str, Callable[[], object], Callable[[], None]]]:
    source, part, sound = [program, "-i", str(clip)], folder / "part.mp4", folder / "sound.raw"
    raw = ["-vn", "-ac", "1", "-ar", "16000", "-f", "s16le", str(folder / "plain.raw")]
    copied = ["-t", "30", "-c", "copy", str(folder / "plain.mp4")]
    return [
        (
            f"length of a clip of {clip.stat().st_size / 1e6:.0f} MB by its packets",
            lambda: asyncio.run(ffmpeg.probe(clip, timeout_s=60)),
            lambda: _plain([[*source, "-c", "copy", "-f", "null", "-"]]),
        ),
        (
            "first 30 s as a clip, its length proven",
            lambda: asyncio.run(ffmpeg.trim(clip, seconds=30, into=part, timeout_s=60)),
            lambda: _plain([[*source, *copied]]),
        ),
        (
            "sound as samples",
            lambda: asyncio.run(ffmpeg.samples(clip, seconds=120, into=sound, timeout_s=60)),
            lambda: _plain([[*source, *raw]]),
        ),
    ]


def _seeks(
    program: str, clip: Path, moments: list[float] | tuple[float, ...], into: list[Path], decoding: tuple[str, ...] = ()
) -> list[str]:
    opened = [word for at in moments for word in (*decoding, "-ss", f"{at:.6f}", "-i", str(clip))]
    written = [
        word
        for place, path in enumerate(into)
        for word in ("-map", f"{place}:v:0", "-frames:v", "1", "-vf", SMALLER, *JPEG, str(path))
    ]
    return [program, *opened, *written]


def _whole(program: str, clip: Path, moments: tuple[float, ...], folder: Path) -> list[str]:
    chosen = "+".join(f"between(t,{at:.6f},{at + 1 / 30 - 0.0001:.6f})" for at in moments)
    picked = ["-vf", f"select='{chosen}',{SMALLER}", "-fps_mode", "passthrough"]
    return [program, "-i", str(clip), *picked, "-q:v", "3", "-f", "image2", str(folder / "whole-%d.jpg")]


def _plain(commands: list[list[str]]) -> None:
    for program, *arguments in commands:
        subprocess.run([program, "-nostdin", "-loglevel", "error", "-y", *arguments], check=True)


def _medians(jobs: list[Callable[[], object]]) -> list[float]:
    spent: list[list[float]] = [[] for _ in jobs]
    for turn in range(RUNS + 1):
        for job, times in zip(jobs, spent, strict=True):
            start = time.perf_counter()
            job()
            if turn:  # the first round fills the caches
                times.append(time.perf_counter() - start)
    return [statistics.median(times) for times in spent]


def _version(program: str) -> str:
    said = subprocess.run([program, "-version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return said.split()[2].partition("-")[0].lstrip("n")
