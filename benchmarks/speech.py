"""Local speech recognition next to the library called directly, with the same model, settings and sound.

``python -m benchmarks.speech ours|direct|both FOLDER SAMPLES`` is one measured process.
"""

from __future__ import annotations

import asyncio
import importlib.util
import statistics
import subprocess
import sys
import tempfile
import time
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.report import Row

RUNS = 5
WARM_RUNS = 15
"""A clip takes two seconds, of which a neighbour on the machine may take a tenth."""
THREADS = 2
SETTLE_S = 0.5
"""After a run the threads of its model look for more work for a while, on the processor of the next one."""
CLIP = "beckett.wav"
"""A real voice, ten seconds at 16 kHz: of short clips, what is not recognition is the largest part."""


def rows() -> list[Row]:
    """Ratios of medians: whole processes with their loading, and clips with a loaded model."""
    from twitter_tool.media.speech import find_weights

    clip, weights = _clip(), find_weights(None) or find_weights("tiny.en")
    if clip is None or weights is None or importlib.util.find_spec("faster_whisper") is None:
        why = "not measured: needs the extras media and speech-model, and moonshine-voice"
        return [Row("local speech recognition", why, "faster-whisper called directly", "at most 1.1", None)]
    folder = weights.prepare()
    with tempfile.TemporaryDirectory() as place:
        samples = Path(place, "speech.raw")
        seconds = _decoded(clip, samples)
        ours, direct = [], []
        for _ in range(RUNS):
            ours.append(_wall("ours", folder, samples))
            direct.append(_wall("direct", folder, samples))
        told = subprocess.run(_command("both", folder, samples), stdout=subprocess.PIPE, text=True, check=True)
    warm, yardstick, first, processes = told.stdout.split()
    what = f"{weights.name}, {seconds:.0f} s of speech"
    return [
        _compared(f"transcribing in a new program, model loaded for it ({what})", ours, direct, seconds),
        _compared(f"transcribing with the loaded model ({what})", [float(warm)], [float(yardstick)], seconds),
        Row(
            f"models loaded for {WARM_RUNS + 1} clips of one program",
            f"{processes} (first clip {float(first):.1f} s, later ones {float(warm):.1f} s)",
            "child processes",
            "1",
            processes == "1",
        ),
    ]


def _compared(what: str, ours: list[float], direct: list[float], seconds: float) -> Row:
    mine, theirs = statistics.median(ours), statistics.median(direct)
    return Row(
        what,
        f"{mine / theirs:.2f} ({mine / seconds:.2f} against {theirs / seconds:.2f} times the clip's length)",
        "faster-whisper called directly",
        "at most 1.1",
        mine / theirs <= 1.1,
    )


def _clip() -> Path | None:
    spec = importlib.util.find_spec("moonshine_voice")
    places = None if spec is None else spec.submodule_search_locations
    return Path(next(iter(places)), "assets", CLIP) if places else None


def _decoded(clip: Path, into: Path) -> float:
    with wave.open(str(clip)) as source:
        assert (source.getnchannels(), source.getsampwidth(), source.getframerate()) == (1, 2, 16_000)
        into.write_bytes(source.readframes(source.getnframes()))
        return source.getnframes() / source.getframerate()


def _command(kind: str, folder: Path, samples: Path) -> list[str]:
    return [sys.executable, "-m", "benchmarks.speech", kind, str(folder), str(samples)]


def _wall(kind: str, folder: Path, samples: Path) -> float:
    started = time.perf_counter()
    subprocess.run(_command(kind, folder, samples), stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def loaded(folder: str) -> Callable[[str], str]:
    """The yardstick: the library, with what the tool asks of it."""
    import numpy as np

    module: Any = importlib.import_module("faster_whisper")
    model = module.WhisperModel(folder, device="cpu", compute_type="int8", cpu_threads=THREADS)

    def transcribe(samples: str) -> str:
        sound = np.fromfile(samples, dtype="<i2").astype(np.float32) / 32768
        segments, _ = model.transcribe(
            sound, vad_filter=True, word_timestamps=True, condition_on_previous_text=False, no_speech_threshold=0.6
        )
        return "".join(segment.text for segment in segments)

    return transcribe


async def both(speech: Any, folder: str, samples: str) -> None:
    """Print the median seconds of ours and of the yardstick with loaded models, our first clip, and our processes."""
    direct = loaded(folder)
    processes, ours, theirs = set(), [], []
    for _ in range(WARM_RUNS + 1):
        await asyncio.sleep(SETTLE_S)
        ours.append(await _timed(speech, samples))
        processes.add(speech.pid)
        await asyncio.sleep(SETTLE_S)
        started = time.perf_counter()
        assert direct(samples)
        theirs.append(time.perf_counter() - started)
    print(statistics.median(ours[1:]), statistics.median(theirs[1:]), ours[0], len(processes))


async def _timed(speech: Any, samples: str) -> float:
    started = time.perf_counter()
    heard = await speech.transcribe(Path(samples))
    assert heard.transcript
    return time.perf_counter() - started


if __name__ == "__main__":
    _, kind, folder, samples = sys.argv
    if kind == "direct":
        print(loaded(folder)(samples))
    else:  # imported here only, so that the yardstick does not pay for it
        from twitter_tool.media.speech import LocalSpeech, Weights

        speech = LocalSpeech(Weights(name="measured", folder=Path(folder)), threads=THREADS)
        if kind == "ours":
            asyncio.run(_timed(speech, samples))
        else:
            asyncio.run(both(speech, folder, samples))
