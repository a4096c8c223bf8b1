"""Time, waiting and chance as values, so that tests replace them."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Where a call takes the time from.

    Attributes:
        now: the current instant, aware, UTC.
        monotonic: seconds that never run backwards; all gaps and deadlines are measured with it.
        sleep: waits that many seconds; must end with ``CancelledError`` when cancelled.
        jitter: a random number in [0, 1).
    """

    now: Callable[[], datetime] = _utc_now
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random


SYSTEM_CLOCK = Clock()


def iso_utc(moment: datetime) -> str:
    """``2026-11-30T15:00:00Z``: UTC, whole seconds."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
