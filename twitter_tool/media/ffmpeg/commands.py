"""The arguments of every kind of run, made by ``ffmpeg-python`` and by it alone.

A clip is hostile until proven otherwise. So every run reads local files and nothing else, takes an MP4 for nothing but
an MP4, follows no reference out of it, uses decoders of a short list, and refuses pictures and blocks of memory beyond
what real clips need. All paths are absolute: one that began with a dash or with a protocol would be an option or
an address.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

RATE: Final = 16_000
SAMPLE_BYTES: Final = 2
"""Samples of sound per second."""
MP3_BITS: Final = 32_000
MAX_PIXELS: Final = 4096 * 2304
MAX_BLOCK: Final = 256 * 1024**2
DECODERS: Final = (
    "h264,hevc,av1,libdav1d,libaom-av1,vp9,libvpx-vp9,mpeg4,aac,aac_fixed,mp3,mp3float,opus,libopus,flac,alac,ac3,eac3"
)
GLOBAL: Final = (
    *("-nostdin", "-hide_banner", "-loglevel", "error", "-y"),
    *("-filter_threads", "1", "-max_alloc", str(MAX_BLOCK)),
)
CLIP: Final[dict[str, Any]] = {
    "format": "mp4",
    "protocol_whitelist": "file",
    "enable_drefs": 0,
    "codec_whitelist": DECODERS,
}
PICTURES: Final[dict[str, Any]] = {"max_pixels": MAX_PIXELS, "threads": 2, "an": None, "sn": None, "dn": None}
SOUND: Final[dict[str, Any]] = {"vn": None, "sn": None, "dn": None}
BARE: Final[dict[str, Any]] = {"map_metadata": -1, "map_chapters": -1}
"""A copy keeps pictures and sound; titles, places and chapters stay behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Where pictures must end.

    Attributes:
        at: in seconds.
        units: of time in a second, as the clip's pictures count them.
    """

    at: float
    units: int


def listing(clip: Path) -> list[str]:
    """Write a line for every packet of pictures and sound to standard output."""
    source = _input(clip, **CLIP)
    # All tracks, as a service might play any of them. A cover is no video, and a clip may lack either kind.
    return _arguments(_output([source["V?"], source["a?"]], "pipe:1", c="copy", format="framecrc"))


def trimming(clip: Path, *, seconds: float, into: Path, max_bytes: int, cut: Cut | None = None) -> list[str]:
    """Copy the beginning of a clip without encoding anything anew: its first pictures and every sound.

    Args:
        seconds: packets that begin later are left out.
        cut: also shortens a picture that stands across a moment.
    """
    source = _input(clip, **CLIP)
    settings: dict[str, Any] = {"c": "copy", "t": f"{seconds:.6f}", "movflags": "+faststart"}
    if cut is not None:
        end = f"max(1,{round(cut.at * cut.units)}-PTS)"
        settings |= {
            "video_track_timescale": cut.units,
            "bsf:v": f"setts=pts=PTS:dts=DTS:duration='min(DURATION,{end})'",
        }
    streams = [source["V:0?"], source["a?"]]
    return _arguments(_output(streams, str(into), fs=max_bytes, format="mp4", **settings, **BARE))


def frames(
    clip: Path, *, at: Sequence[float], into: Sequence[Path], max_width: int, max_height: int | None
) -> list[str]:
    """Write the picture that is seen at each moment as a JPEG of its own, all in one run.

    Each moment is an input of its own, opened at the key frame before it, with the moment as its zero. ``fps`` with
    these settings gives the last picture that began at or before zero, however long it stands; seeking alone would
    give the first one that begins after it.
    """
    outputs = []
    for moment, path in zip(at, into, strict=True):
        source = _input(clip, ss=f"{moment:.6f}", noaccurate_seek=None, **CLIP, **PICTURES)
        outputs.append(
            _output(
                [source["V:0"]],
                str(path),
                format="mjpeg",
                vf=f"fps=fps=1:start_time=0:round=up,{scaling(max_width, max_height)}",
                threads=1,
                flush_packets=1,  # what is complete is on the disk, should the run be ended before the last one is
                **{"frames:v": 1, "q:v": 3},
            )
        )
    return _arguments(*outputs)


def scaling(max_width: int, max_height: int | None) -> str:
    """Square pixels within the bounds, never more of them than the clip has, in the colours that JPEG means."""
    width = f"min(iw*min(1,sar),{max_width})"
    if max_height is not None:
        width = f"min({width},{max_height}*dar)"
    size = f"w='max(1,round({width}))':h='clip(round(ow/dar),1,{_lower('ih', max_height)})'"
    return f"scale={size}:out_color_matrix=bt601:out_range=pc,setsar=1,format=yuvj420p"


def samples(clip: Path, *, seconds: float, into: Path) -> list[str]:
    """Write the sound of the first seconds as plain 16-bit numbers, mono."""
    return _sound(clip, seconds=seconds, into=into, format="s16le", acodec="pcm_s16le")


def mp3(clip: Path, *, seconds: float, into: Path) -> list[str]:
    """Write the sound of the first seconds as a small MP3, mono, without tags."""
    plain = {"id3v2_version": 0, "write_xing": 0}
    return _sound(clip, seconds=seconds, into=into, format="mp3", acodec="libmp3lame", audio_bitrate=MP3_BITS, **plain)


def _sound(clip: Path, *, seconds: float, into: Path, **settings: Any) -> list[str]:
    length = f"{seconds:.6f}"
    source = _input(clip, t=length, **CLIP)
    # Silence where sound begins late or has a gap: what is heard later keeps its second.
    settings |= {"af": "aresample=async=1:first_pts=0", "ac": 1, "ar": RATE, "t": length}
    return _arguments(_output([source], str(into), **settings, **SOUND, **BARE))


def _lower(name: str, most: int | None) -> str:
    return name if most is None else f"min({name},{most})"


def _input(clip: Path, **settings: Any) -> Any:
    import ffmpeg  # type: ignore[import-untyped]  # it has no types of its own

    return ffmpeg.input(_absolute(clip), **settings)


def _output(streams: Sequence[Any], path: str, **settings: Any) -> Any:
    import ffmpeg

    return ffmpeg.output(*streams, path if path.startswith("pipe:") else _absolute(Path(path)), **settings)


def _arguments(*outputs: Any) -> list[str]:
    import ffmpeg

    return [*GLOBAL, *map(str, ffmpeg.get_args(outputs[0] if len(outputs) == 1 else ffmpeg.merge_outputs(*outputs)))]


def _absolute(path: Path) -> str:
    return str(path.absolute())
