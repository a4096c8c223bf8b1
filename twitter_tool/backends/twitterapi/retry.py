"""Whether a failed attempt is tried again, and when. Pure; reading and waiting are done by the client."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

MAX_RETRIES: Final = 3
MAX_WAIT_S: Final = 60
"""No backoff is longer, and no longer ``Retry-After`` is obeyed."""
TIMEOUT_S: Final = 30.0
"""One attempt, from dispatch to the last byte of the body."""
RETRIED_STATUSES: Final = frozenset((429, 503))

_MAX_ASKED_S: Final = 1e9
_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_TIME = "[0-9]{2}:[0-9]{2}:[0-9]{2}"
_HTTP_DATE = re.compile(
    f"{_DAY}, [0-9]{{2}} {_MONTH} [0-9]{{4}} {_TIME} GMT"
    f"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, [0-9]{{2}}-{_MONTH}-[0-9]{{2}} {_TIME} GMT"
    f"|{_DAY} {_MONTH} [ 0-9][0-9] {_TIME} [0-9]{{4}}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an attempt failed.

    Attributes:
        status: the status received; ``None`` when no response headers arrived.
        retry_after: the ``Retry-After`` header, when there was one.
    """

    status: int | None
    retry_after: str | None = None


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again after so many seconds."""

    after_s: float


@dataclass(frozen=True, slots=True)
class Fail:
    """Give up; ``asked_s`` is a ``Retry-After`` that is longer than the tool waits."""

    asked_s: int | None = None


def decide(*, attempt: int, outcome: Outcome, base_s: float, jitter: float, now: datetime) -> Retry | Fail:
    """Decide about a failed attempt.

    Args:
        attempt: attempts made so far, this one included.
        base_s: first backoff; it doubles with every retry, plus ``jitter`` of itself, up to a minute.
        jitter: a random number in [0, 1).
        now: the instant that a ``Retry-After`` date is compared with.
    """
    if outcome.status is not None and outcome.status not in RETRIED_STATUSES:
        return Fail()
    if attempt > MAX_RETRIES:
        return Fail()
    asked = None if outcome.retry_after is None else retry_after_s(outcome.retry_after, now)
    if asked is None:
        return Retry(min(base_s * 2 ** (attempt - 1) + jitter * base_s, MAX_WAIT_S))
    if asked > MAX_WAIT_S:
        return Fail(asked_s=math.ceil(asked))
    return Retry(max(asked, base_s))


def retry_after_s(header: str, now: datetime) -> float | None:
    """Seconds asked for by a ``Retry-After`` header, a past date being 0; ``None`` when it is neither form."""
    text = header.strip()
    if text.isascii() and text.isdigit():
        digits = text.lstrip("0")
        return float(digits or 0) if len(digits) < 10 else _MAX_ASKED_S
    if not _HTTP_DATE.fullmatch(text):
        return None
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:  # a date that no calendar has
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max((moment - now).total_seconds(), 0.0), _MAX_ASKED_S)
