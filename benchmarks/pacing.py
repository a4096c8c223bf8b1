"""The gaps between dispatches at twenty requests a second."""

from __future__ import annotations

import asyncio
import itertools
import time

from benchmarks.report import Row
from twitter_tool.backends.twitterapi.pacing import Pacer
from twitter_tool.clock import Clock

REQUESTS = 200
INTERVAL_S = 0.05


def rows() -> list[Row]:
    """The smallest gap and the mean rate over all permits."""
    moments = asyncio.run(_permits())
    gaps = [later - earlier for earlier, later in itertools.pairwise(moments)]
    rate = len(gaps) / (moments[-1] - moments[0])
    smallest = min(gaps) * 1000 + 1e-6
    what = f"{REQUESTS} requests at 20 a second"
    return [
        Row(f"{what}: smallest gap", f"{smallest:.3f} ms", "permit instants", "at least 50 ms", smallest >= 50),
        Row(f"{what}: mean rate", f"{rate:.2f}/s", "permit instants", "at least 19.6/s", rate >= 19.6),
    ]


async def _permits() -> list[float]:
    """The instants at which the gate gave its permits, by the clock that it looks at itself."""
    pacer = Pacer()
    moments: list[float] = []
    looked = 0.0

    def look() -> float:
        nonlocal looked
        looked = time.monotonic()
        return looked

    clock = Clock(monotonic=look)
    for _ in range(REQUESTS):
        with pacer.active("bench", INTERVAL_S) as lane:
            await lane.permit(clock)
            moments.append(looked)
    return moments
