"""Speech recognition on this machine with faster-whisper, in child processes that calls share."""

from __future__ import annotations

import asyncio
import atexit
import importlib.util
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from twitter_tool.media.speech.child import SpeechFailure
from twitter_tool.media.speech.judged import judge
from twitter_tool.media.speech.keeper import Job, Keeper
from twitter_tool.media.speech.weights import Weights
from twitter_tool.media.values import Heard, Segment

__all__ = [
    "LocalSpeech",
    "SpeechFailure",
    "close_all",
    "fits_budget",
    "local_speech_available",
    "whisper_language",
]

REAPED_WITHIN_S: Final = 2.0
"""A killed process is waited for at most so long before the cancellation goes on its way."""

_BYTES_A_SECOND: Final = 2 * 16_000

_keepers: dict[tuple[int, Path, str, int], Keeper] = {}
_lock = threading.Lock()


def local_speech_available() -> bool:
    """Whether faster-whisper is installed; it is not imported."""
    return importlib.util.find_spec("faster_whisper") is not None


def fits_budget(audio_s: float, factor: float, left_s: float) -> bool:
    """Whether so many seconds of audio can be transcribed in the time left; exactly enough time is enough.

    Args:
        factor: seconds of work for each second of audio.
    """
    return not left_s < audio_s * factor


def whisper_language(language: str) -> str | None:
    """The setting ``stt_language`` as a code, or ``None`` when it is to be recognised."""
    code = language.strip().lower()
    return None if code in ("", "auto") else code


def close_all() -> None:
    """End every worker of this process and wait for it."""
    with _lock:
        ours = [keeper for (pid, *_), keeper in _keepers.items() if pid == os.getpid()]
        _keepers.clear()
    for keeper in ours:
        keeper.close()


atexit.register(close_all)


class LocalSpeech:
    """Transcribes clips with one model.

    All objects with the same weights, compute type and threads share one child process, whatever their event loop.

    Args:
        compute_type: how the model computes; ``int8`` needs the least memory.
        threads: of the processor.
        vad: leave out what is not speech before it is transcribed.
        language: of the speech, an ISO-639-1 code, or ``auto``.
    """

    def __init__(
        self,
        weights: Weights,
        *,
        compute_type: str = "int8",
        threads: int = 2,
        vad: bool = True,
        language: str = "auto",
    ) -> None:
        self._weights = weights
        self._compute_type = compute_type
        self._threads = threads
        self._vad = vad
        self._language = whisper_language(language)

    @property
    def identity(self) -> str:
        """What decides about the outcome: other weights or settings may hear something else."""
        return (
            f"whisper {self._weights.identity} {self._compute_type} {self._language or 'auto'}"
            f"{' vad' if self._vad else ''}"
        )

    @property
    def queued_s(self) -> float:
        """Seconds of audio that its process has to work through before anything new."""
        return self._keeper().queued_s

    @property
    def pid(self) -> int | None:
        """The id of the process that works for it, if there is one now."""
        return self._keeper().pid

    def warm(self) -> None:
        """Begin to load the model, without waiting for it."""
        self._keeper().warm(vad=self._vad)

    async def transcribe(
        self,
        samples: Path,
        *,
        timeout_s: float | None = None,
        on_progress: Callable[[float, float | None], None] | None = None,
    ) -> Heard:
        """Transcribe a clip; cancelling this, or running out of time, kills the work at once.

        Args:
            samples: a file of raw s16le mono 16 kHz, at an absolute path.
            timeout_s: seconds that waiting, loading and transcribing may take together.
            on_progress: told how many seconds are done, and of how many.

        Raises:
            SpeechFailure: it did not work, or did not end in time.
        """
        if timeout_s is not None and timeout_s <= 0:
            raise SpeechFailure("there is no time left")
        loop = asyncio.get_running_loop()
        over: asyncio.Future[SpeechFailure | None] = loop.create_future()
        heard: list[Segment] = []

        def on_segment(segment: Segment, whole: float) -> None:
            heard.append(segment)
            if on_progress is not None:
                _tell(loop, on_progress, min(segment.end, whole), whole)

        job = Job(
            samples=str(samples),
            seconds=_seconds(samples),
            language=self._language,
            vad=self._vad,
            on_segment=on_segment,
            on_end=lambda failure: _tell(loop, _settle, over, failure),
        )
        keeper = self._keeper()
        keeper.submit(job)
        try:
            async with asyncio.timeout(timeout_s):
                failure = await asyncio.shield(over)
        except (TimeoutError, asyncio.CancelledError) as end:
            if keeper.abandon(job):
                await asyncio.wait((over,), timeout=REAPED_WITHIN_S)
            if isinstance(end, TimeoutError):
                raise SpeechFailure("it did not end in time") from None
            raise
        finally:
            if not over.done():  # also when the loop was closed under this: nothing can be awaited then
                keeper.abandon(job)
        if failure is not None:
            raise failure
        return judge(heard)

    def _keeper(self) -> Keeper:
        # A forked process must not share the pipes of its parent: it has keepers of its own.
        key = (os.getpid(), self._weights.folder, self._compute_type, self._threads)
        with _lock:
            if key not in _keepers:
                _keepers[key] = Keeper(self._weights, compute_type=self._compute_type, threads=self._threads)
            return _keepers[key]


def _seconds(samples: Path) -> float:
    try:
        return samples.stat().st_size / _BYTES_A_SECOND
    except OSError:  # the process will say so
        return 0.0


def _tell(loop: asyncio.AbstractEventLoop, told: Callable[..., object], *arguments: object) -> None:
    try:
        loop.call_soon_threadsafe(told, *arguments)
    except RuntimeError:  # the loop was closed; nobody waits there any more
        return


def _settle(over: asyncio.Future[SpeechFailure | None], failure: SpeechFailure | None) -> None:
    if not over.done():
        over.set_result(failure)
