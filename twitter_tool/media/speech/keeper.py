"""Keeps one child process with a loaded speech model, and hands it one job at a time.

A thread owns the process: it starts it, talks to it and reaps it. Jobs may come from any thread and any event loop.
Giving up the job that is being worked on kills the process at once; the next job gets a new one. After some minutes
without work the process is let go, which gives its memory back.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from twitter_tool.media.speech.child import Child, SpeechFailure, reason_of
from twitter_tool.media.speech.weights import Weights, WeightsError
from twitter_tool.media.values import Segment

IDLE_S: Final = 300.0
_GRACE_S: Final = 10.0


@dataclass(slots=True, kw_only=True, eq=False)
class Job:
    """One clip to transcribe.

    Attributes:
        samples: absolute path of the samples.
        seconds: how long they last.
        language: a code, or ``None`` when it is to be recognised.
        vad: leave out what is not speech before it is transcribed.
        on_segment: called in the keeper's thread with each passage and the seconds of the whole clip.
        on_end: called once in the keeper's thread, when nothing works on the job any more; ``None`` means success. Not
            called for a job that was given up while it waited.
        abandoned: it was given up.
    """

    samples: str
    seconds: float
    language: str | None
    vad: bool
    on_segment: Callable[[Segment, float], None]
    on_end: Callable[[SpeechFailure | None], None]
    abandoned: bool = field(default=False, init=False)


class Keeper:
    """Works off jobs with one model.

    Args:
        idle_s: seconds without work after which the process is let go.
    """

    def __init__(
        self,
        weights: Weights,
        *,
        compute_type: str,
        threads: int,
        idle_s: float = IDLE_S,
    ) -> None:
        self._weights = weights
        self._compute_type = compute_type
        self._threads = threads
        self._idle_s = idle_s
        self._changed = threading.Condition()
        # Changed only while holding ``_changed``, the process by the thread alone.
        self._jobs: deque[Job] = deque()
        self._current: Job | None = None
        self._warming: bool | None = None
        self._child: Child | None = None
        self._thread: threading.Thread | None = None
        self._closing = False

    @property
    def pid(self) -> int | None:
        """The id of the process that there is now."""
        with self._changed:
            return None if self._child is None else self._child.pid

    @property
    def queued_s(self) -> float:
        """Seconds of audio in the jobs that wait and in the one that is being worked on."""
        with self._changed:
            jobs = (*self._jobs, *([self._current] if self._current is not None else ()))
            return sum((job.seconds for job in jobs), 0.0)

    def warm(self, *, vad: bool) -> None:
        """Begin to load the model, without waiting for it; if that fails, the first job tries again and is told."""
        with self._changed:
            self._warming = vad
            self._wake()

    def submit(self, job: Job) -> None:
        """Have a job worked on, after those that came before it."""
        with self._changed:
            self._jobs.append(job)
            self._wake()

    def abandon(self, job: Job) -> bool:
        """Give a job up: one that waits is taken out, the process that works on it is killed.

        Returns:
            Whether a process was killed, so that ``on_end`` follows as soon as it is reaped.
        """
        with self._changed:
            job.abandoned = True
            if job in self._jobs:
                self._jobs.remove(job)
                return False
            if job is not self._current or self._child is None:
                return False
            self._child.kill()
            return True

    def close(self) -> None:
        """Kill the process, fail the jobs that wait, and return when nothing is left."""
        with self._changed:
            self._closing = True
            if self._child is not None:
                self._child.kill()
            thread = self._thread
            self._changed.notify_all()
        if thread is not None:
            thread.join(_GRACE_S)
        with self._changed:
            self._closing = False

    def _wake(self) -> None:
        self._changed.notify_all()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="twitter-tool-speech", daemon=True)
            self._thread.start()

    def _has_work(self) -> bool:
        return bool(self._jobs) or self._warming is not None or self._closing

    def _run(self) -> None:
        while True:
            with self._changed:
                has_work = self._changed.wait_for(self._has_work, self._idle_s)
                closing = self._closing
                job = self._current = self._jobs.popleft() if self._jobs and not closing else None
                warming, self._warming = self._warming, None
            if closing or not has_work:
                self._let_go()
                with self._changed:
                    if not closing and self._has_work():  # it came while the process ended
                        continue
                    waiting = tuple(self._jobs)
                    self._jobs.clear()
                    self._thread = None
                for job in waiting:
                    job.on_end(SpeechFailure("it was closed before it was done"))
                return
            if job is not None:
                self._carry_out(job)
            elif warming is not None:
                self._warm_up(warming)

    def _warm_up(self, vad: bool) -> None:
        try:
            self._loaded(vad, None)
        except SpeechFailure:  # the first job tries again, and is told
            self._let_go(kill=True)

    def _carry_out(self, job: Job) -> None:
        failure: SpeechFailure | None = None
        try:
            self._transcribe(job)
        except SpeechFailure as error:
            failure = error.with_traceback(None)
        except Exception as error:  # a message that makes no sense; somebody waits for an answer, whatever happened
            self._let_go(kill=True)
            failure = SpeechFailure(f"its process could not be understood ({type(error).__name__})")
        with self._changed:
            self._current = None
        job.on_end(failure)

    def _transcribe(self, job: Job) -> None:
        try:
            child = self._loaded(job.vad, job)
            child.tell({"samples": job.samples, "language": job.language, "vad": job.vad})
            message = child.hear()
            while "segment" in message:
                start, end, text, no_speech_prob, avg_logprob = message["segment"]
                segment = Segment(
                    start=start, end=end, text=text, no_speech_prob=no_speech_prob, avg_logprob=avg_logprob
                )
                job.on_segment(segment, message["of"])
                message = child.hear()
        except SpeechFailure:
            self._let_go(kill=True)
            raise
        if "fault" in message:  # of this clip; the model stays
            raise SpeechFailure(reason_of(message, job.language))

    def _loaded(self, vad: bool, job: Job | None) -> Child:
        """The process with its model loaded: the one that is there, or a new one.

        Raises:
            SpeechFailure: it cannot be started, or cannot load the model.
        """
        child = self._child
        if child is not None and child.is_alive:
            return child
        self._let_go()
        try:
            folder = self._weights.prepare(lambda: self._closing)
        except WeightsError as error:
            raise SpeechFailure(str(error)) from None
        child = self._started(job)
        child.tell({"folder": str(folder), "compute_type": self._compute_type, "threads": self._threads, "vad": vad})
        message = child.hear()
        if "fault" in message:
            if message["fault"] == "weights":
                self._weights.distrust()
            raise SpeechFailure(reason_of(message, self._compute_type))
        return child

    def _started(self, job: Job | None) -> Child:
        with self._changed:  # so that whoever gives the job up meanwhile either sees the process or prevents it
            if self._closing or (job is not None and job.abandoned):
                raise SpeechFailure("it was given up")
            self._child = Child(threads=self._threads)
            return self._child

    def _let_go(self, *, kill: bool = False) -> None:
        child = self._child
        if child is None:
            return
        if kill:
            child.kill()
        child.end()
        with self._changed:  # only now, so that nobody thinks there is none while it ends
            self._child = None
