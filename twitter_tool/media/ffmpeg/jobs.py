"""Everything that is done to a clip, each in a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from twitter_tool.media.ffmpeg import commands
from twitter_tool.media.ffmpeg.packets import ClipFacts, PacketList
from twitter_tool.media.ffmpeg.process import Ended, Take, run
from twitter_tool.media.moments import keeps_within
from twitter_tool.text import Line

MAX_WIDTH: Final = 768
AT_ONCE: Final = 8
"""Frames of one process. Each has a decoder of its own, which for the largest pictures takes 150 MB."""
COPY_SLACK: Final = 1024**2
"""Bytes by which the copy of a part may be larger than the whole."""

TRIM_TRIES: Final = 3

Tell = Callable[[str, Line], None]


class Ffmpeg:
    """The program, for clips that lie in files.

    No method raises for what is wrong with a clip or with the program; a cancelled one leaves no process. All times
    are seconds; what has no time left is not started.

    Args:
        binary: the absolute path of the program.
        tell: receives the name of a job that failed and the program's last words, cleaned and untrusted.
    """

    def __init__(self, binary: str, *, tell: Tell | None = None) -> None:
        self._binary = binary
        self._tell = tell

    async def probe(self, clip: Path, *, timeout_s: float) -> ClipFacts | None:
        """What is in a clip, by its packets; ``None`` when it is no readable MP4 or was not read to its end in time."""
        packets = await self._packets(clip, timeout_s)
        return None if packets is None else packets.facts()

    async def trim(self, clip: Path, *, seconds: float, into: Path, timeout_s: float) -> bool:
        """Copy the first seconds of a clip, all its sounds and its rotation included, into a new MP4.

        Packets are taken by where they begin, in the order in which they are stored. A picture that stands across the
        end, or one stored before others that are seen earlier, makes the copy too long; then a shorter one is tried.

        Returns:
            Whether ``into`` is a clip that was read again and found to be no longer than the limit, within
            :data:`~twitter_tool.media.moments.SLACK_S`.
        """
        left = _countdown(timeout_s)
        size, length, cut = _size(clip), seconds, None
        for _ in range(TRIM_TRIES):
            if size is None or not length > 0:
                return False
            most = size + COPY_SLACK
            arguments = commands.trimming(clip, seconds=length, into=into, max_bytes=most, cut=cut)
            if not (await self._run("trim", arguments, left())).ok:
                return False
            packets = await self._packets(into, left())
            facts = None if packets is None else packets.facts()
            if packets is None or facts is None or facts.duration_s is None:
                return False
            if keeps_within(facts.duration_s, seconds):
                return True
            if cut is None and (units := await self._picture_units(clip, left())) is not None:
                cut = commands.Cut(at=seconds, units=units)
            else:
                length = seconds - (facts.duration_s - seconds)
        return False

    async def frames(
        self,
        clip: Path,
        *,
        at: Sequence[float],
        folder: Path,
        timeout_s: float,
        max_width: int = MAX_WIDTH,
        max_height: int | None = None,
    ) -> tuple[bytes, ...]:
        """The pictures that are seen at these moments, as JPEGs, upright, with square pixels.

        Args:
            at: in ascending order, from the beginning of the clip.
            folder: for files in between; made when missing, and empty before.
            max_width, max_height: of the pictures, which are never enlarged.

        Returns:
            Those before the first one that could not be had: because it lies beyond the end of the clip, cannot be
            decoded, or was not complete at the deadline.
        """
        left = _countdown(timeout_s)
        found: list[bytes] = []
        if not _made(folder):
            return ()
        for start in range(0, len(at), AT_ONCE):
            moments = at[start : start + AT_ONCE]
            paths = [folder / f"frame-{start + place:03}.jpg" for place in range(len(moments))]
            arguments = commands.frames(clip, at=moments, into=paths, max_width=max_width, max_height=max_height)
            await self._run("frames", arguments, left())
            for path in paths:
                if (data := _complete(path)) is None:
                    return tuple(found)
                found.append(data)
        return tuple(found)

    async def samples(self, clip: Path, *, seconds: float, into: Path, timeout_s: float) -> bool:
        """Write the sound of the first seconds as 16-bit little-endian numbers, mono, 16,000 a second, without header.

        Returns:
            Whether ``into`` holds sound; ``False`` also for a clip without any.
        """
        arguments = commands.samples(clip, seconds=seconds, into=into)
        return await self._sound("samples", arguments, seconds, into, timeout_s)

    async def mp3(self, clip: Path, *, seconds: float, into: Path, timeout_s: float) -> bool:
        """Write the sound of the first seconds as an MP3, mono, 16 kHz, 32 kbit/s; otherwise as :meth:`samples`."""
        arguments = commands.mp3(clip, seconds=seconds, into=into)
        return await self._sound("mp3", arguments, seconds, into, timeout_s)

    async def _packets(self, clip: Path, timeout_s: float) -> PacketList | None:
        packets = PacketList()
        ended = await self._run("probe", commands.listing(clip), timeout_s, packets.take)
        return None if ended.late else packets

    async def _picture_units(self, clip: Path, timeout_s: float) -> int | None:
        packets = await self._packets(clip, timeout_s)
        return None if packets is None else packets.picture_units

    async def _sound(self, job: str, arguments: list[str], seconds: float, into: Path, timeout_s: float) -> bool:
        if not seconds > 0:
            return False
        ended = await self._run(job, arguments, timeout_s)
        return ended.ok and bool(_size(into))

    async def _run(self, job: str, arguments: list[str], timeout_s: float, take: Take | None = None) -> Ended:
        ended = await run([self._binary, *arguments], timeout_s=timeout_s, take=take)
        if self._tell is not None and not ended.ok:
            self._tell(job, ended.words)
        return ended


def _countdown(timeout_s: float) -> Callable[[], float]:
    """What is left of a time, for jobs of several runs."""
    loop = asyncio.get_running_loop()
    end = loop.time() + timeout_s
    return lambda: end - loop.time()


def _made(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False  # no place for frames: there are none
    return True


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None  # it is not there, which is an answer


def _complete(path: Path) -> bytes | None:
    """A whole JPEG; one that was still being written lacks its end."""
    try:
        data = path.read_bytes()
    except OSError:
        return None  # nothing was written
    return data if data.startswith(b"\xff\xd8") and data.endswith(b"\xff\xd9") else None


def sound_seconds(samples: Path) -> float:
    """How long the sound in a file of :meth:`Ffmpeg.samples` is."""
    return (_size(samples) or 0) / (commands.RATE * commands.SAMPLE_BYTES)
