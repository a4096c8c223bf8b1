"""Which moments of a clip are looked at, and how a moment is written."""

from __future__ import annotations

import math
from typing import Final

SHORTEST_S: Final = 0.1
"""A clip that claims to be shorter is treated as this long."""
SLACK_S: Final = 0.5
"""A clip that was cut may outlast a limit by so much: pictures are stored out of order, sound in whole packets."""
PACKET_S: Final = 0.1
"""A clip as it came may do so by a packet, as what is said to last two minutes often does."""


def clock_label(seconds: float) -> str:
    """A moment as ``mm:ss``: the second that has begun; minutes go on beyond 59.

    Args:
        seconds: finite, from the beginning of the clip; before it counts as its beginning.
    """
    minutes, rest = divmod(math.floor(max(0.0, seconds)), 60)
    return f"{minutes:02}:{rest:02}"


def frame_times(duration_s: float, *, max_frames: int, max_seconds: float) -> tuple[float, ...]:
    """The middle of each of ``max_frames`` equal parts of what may be used of a clip, in seconds.

    Args:
        duration_s: how long the clip is.
        max_seconds: how much of it may be used, from its beginning.
    """
    used = min(duration_s, max_seconds)
    span = used if used > SHORTEST_S else SHORTEST_S  # what is no number fails the comparison
    # One division at the end: a middle that is a whole second comes out as that second, not as a hair before it.
    return tuple((2 * place + 1) * span / (2 * max_frames) for place in range(max_frames))


def keeps_within(duration_s: float, seconds: float, *, slack_s: float = SLACK_S) -> bool:
    """Whether a clip counts as no longer than a limit; for one that was not cut, the slack is :data:`PACKET_S`."""
    return duration_s <= seconds + slack_s
