"""Deadlines of one call's media work, and the words that tell how far a piece of it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from twitter_tool.clock import Clock

MEDIA_PHASE_S: Final = 60.0
POSTER_GRACE_S: Final = 15.0
TOLD_EVERY_S: Final = 0.5
_MB: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point on the monotonic clock, in seconds."""

    clock: Clock
    at: float

    @classmethod
    def after(cls, clock: Clock, seconds: float) -> Deadline:
        """So many seconds from now."""
        return cls(clock, clock.monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds until then; never negative."""
        return max(0.0, self.at - self.clock.monotonic())


class Pace:
    """Tells how far a piece of work is and how long the rest will take, at most twice a second.

    The time left is reckoned from the first state that was told, so that preparations do not count as work.

    Args:
        tell: receives the words.
        unit: what is counted: ``bytes``, shown in megabytes, or ``seconds`` of a clip.
    """

    def __init__(self, clock: Clock, tell: Callable[[str], None], *, unit: str) -> None:
        self._clock = clock
        self._tell = tell
        self._scale = _MB if unit == "bytes" else 1
        self._label = "MB" if unit == "bytes" else "s"
        self._first: tuple[float, float] | None = None
        self._told = clock.monotonic()

    def __call__(self, done: float, total: float | None) -> None:
        """Take the state of the work."""
        now = self._clock.monotonic()
        if self._first is None:
            self._first = (now, done)
        if now - self._told < TOLD_EVERY_S:
            return
        self._told = now
        shown = f"{done / self._scale:.1f} {self._label}"
        started, already = self._first
        if not total or done <= already:
            self._tell(shown if not total else f"{done / self._scale:.1f} of {total / self._scale:.1f} {self._label}")
            return
        left = (now - started) * max(0.0, total - done) / (done - already)
        self._tell(f"{done / self._scale:.1f} of {total / self._scale:.1f} {self._label} · {left:.0f} s left")
