"""The child process that holds a loaded speech model: ``python -m twitter_tool.media.speech.worker``.

It takes lines of JSON on its standard input and answers with lines of JSON on its standard output:

    in   {"folder": ..., "compute_type": ..., "threads": ..., "vad": ...}      first, once: what to load
    out  {"ready": true} or {"fault": ..., "detail": ...}                      after a fault it ends
    in   {"samples": path, "language": code or null, "vad": true}              a file of raw s16le mono 16 kHz
    out  {"segment": [start, end, text, no_speech_prob, avg_logprob], "of": seconds}        as they come
    out  {"done": true} or {"fault": ..., "detail": ...}

A fault is one of ``package``, ``compute_type``, ``weights``, ``memory``, ``samples``, ``language`` and ``failed``. The
process ends when its input ends, whatever it is doing: nothing is left behind when its parent is killed.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, BinaryIO, Final

RATE: Final = 16_000
_FLEXIBLE: Final = ("default", "auto")
"""Compute types that stand for whatever this processor does best."""

Answer = Callable[[dict[str, Any]], None]


class Fault(Exception):
    """Something that the parent is told by its kind; ``detail`` is what it is about."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(kind)
        self.kind = kind
        self.detail = detail


def load(folder: str, compute_type: str, threads: int, vad: bool) -> Any:
    """Load a model; nothing is looked for anywhere else.

    Raises:
        Fault: ``package``, ``compute_type``, ``weights`` or ``memory``.
    """
    try:
        whisper, vad_part = import_module("faster_whisper"), import_module("faster_whisper.vad")
        known = sorted(import_module("ctranslate2").get_supported_compute_types("cpu"))
    except ImportError as error:
        raise Fault("package", error.name or "") from None
    if compute_type not in (*known, *_FLEXIBLE):
        raise Fault("compute_type", ", ".join(known))
    if vad:
        vad_part.get_vad_model()  # kept by the library; loaded now, while the clip is still on its way
    try:
        return whisper.WhisperModel(
            folder, device="cpu", compute_type=compute_type, cpu_threads=threads, local_files_only=True
        )
    except MemoryError:
        raise Fault("memory") from None
    except Exception as error:
        # The library's own words name paths; what they are about can only be the files of the model.
        raise Fault("weights", type(error).__name__) from None


def transcribe(model: Any, request: dict[str, Any]) -> Iterator[tuple[list[Any], float]]:
    """Transcribe a file of samples, passage by passage as they are decoded.

    Yields:
        ``[start, end, text, no_speech_prob, avg_logprob]``, and how many seconds there are in all. A passage starts
        where its first word does.

    Raises:
        Fault: ``samples`` or ``language``.
    """
    import numpy as np

    language: str | None = request["language"]
    if language is not None and language not in model.supported_languages:
        raise Fault("language", "en" if model.supported_languages == ["en"] else "")
    try:
        samples = np.fromfile(request["samples"], dtype="<i2").astype(np.float32) / 32768
    except OSError:
        raise Fault("samples") from None
    if not len(samples) or (request["vad"] and _is_wordless(model, samples, language)):
        return
    segments, _info = model.transcribe(
        samples,
        language=language,
        vad_filter=request["vad"],
        word_timestamps=True,
        condition_on_previous_text=False,
        no_speech_threshold=0.6,
    )
    for segment in segments:
        start = segment.words[0].start if segment.words else segment.start
        yield (
            [float(start), float(segment.end), segment.text, segment.no_speech_prob, segment.avg_logprob],
            len(samples) / RATE,
        )


def _is_wordless(model: Any, samples: Any, language: str | None) -> bool:
    """Whether nobody speaks, asked only where the library would spend a second on the language of nothing."""
    if language is not None or model.supported_languages == ["en"]:
        return False
    vad_part = import_module("faster_whisper.vad")
    return not vad_part.get_speech_timestamps(samples, vad_part.VadOptions())


def answer_job(model: Any, request: dict[str, Any], answer: Answer) -> None:
    """Carry out one request; whatever goes wrong with it is told and ends only this request."""
    try:
        for segment, seconds in transcribe(model, request):
            answer({"segment": segment, "of": seconds})
    except Fault as fault:
        answer({"fault": fault.kind, "detail": fault.detail})
    except MemoryError:
        answer({"fault": "memory"})
    except Exception as error:  # of the library, whose classes are not known; the model itself is still there
        answer({"fault": "failed", "detail": type(error).__name__})
    else:
        answer({"done": True})


def main() -> None:
    """Load what the first line says, then answer requests until the input ends."""
    protocol = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints, in C too, must not get between the lines
    sys.stdout = sys.stderr
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()

    def answer(message: dict[str, Any]) -> None:
        protocol.write(json.dumps(message) + "\n")
        protocol.flush()

    try:
        model = load(**requests.get())
    except Fault as fault:
        answer({"fault": fault.kind, "detail": fault.detail})
        return
    answer({"ready": True})
    while True:
        answer_job(model, requests.get(), answer)


def _listen(source: BinaryIO, requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    try:
        for line in source:
            requests.put(json.loads(line))
    finally:
        os._exit(0)  # the parent is gone, or wants this process to go; nothing here needs to be put in order


if __name__ == "__main__":
    main()
