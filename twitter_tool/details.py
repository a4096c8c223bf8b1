"""The details of a result: what was read, how it ended, what it took."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from twitter_tool.backends.twitterapi.plan import TRUNCATING, Plan, Reading, WalkPlan
from twitter_tool.clock import iso_utc
from twitter_tool.loopback import loopback_origin
from twitter_tool.modes.request import CallRequest
from twitter_tool.outcome import Outcome
from twitter_tool.output.delivery import Asked
from twitter_tool.output.wording import note_dict
from twitter_tool.settings import Settings

SANDBOX: Final = "sandbox"
TWITTERAPI: Final = "twitterapi.io"


def asked_of(request: CallRequest, plan: Plan, settings: Settings, *, now: datetime, backend: str) -> Asked:
    """What the header says: the mode, the question, and where and when it was read."""
    origin = "local sandbox (invented data)" if backend == SANDBOX else backend
    read_from = f"{origin} {plan.path}"
    if isinstance(plan, WalkPlan) and plan.window is not None:
        read_from += f"; days in {plan.window['timeZone']}"
    if settings["route_to"]:
        read_from += f" (routed to {urlsplit(loopback_origin(settings['route_to'])).netloc})"
    return Asked(mode=request.mode.name, query=request.query, read_at=iso_utc(now), read_from=read_from)


def details_of(
    request: CallRequest, plan: Plan, settings: Settings, reading: Reading, found: Outcome, *, backend: str
) -> dict[str, Any]:
    """Everything but the counters, the timings and the items, as plain JSON values."""
    details: dict[str, Any] = {
        "mode": request.mode.name,
        "output": request.output,
        "model": found.model,
        "synthesisCalls": found.synthesis_calls,
        "complete": reading.stop not in TRUNCATING,
        "stopReason": reading.stop,
        "backend": backend,
    }
    if settings["route_to"]:
        details["routedTo"] = loopback_origin(settings["route_to"])
    if isinstance(plan, WalkPlan):
        if plan.route is not None:
            details["route"] = plan.route
        if plan.window is not None:
            details["window"] = plan.window
    if found.parent is not None:
        details["parent"] = found.parent
    if found.quotes is not None:
        details["quotes"] = found.quotes
    details["sources"] = [{"url": source.url, "kind": source.kind} for source in found.sources]
    details["notes"] = [note_dict(entry) for entry in found.notes]
    return details


def timings_of(*, retrieval_s: float, preprocessing_s: float, synthesis_s: float, video_s: float) -> dict[str, int]:
    """The four parts of a call in whole milliseconds; videos are part of preprocessing."""
    retrieval, preprocessing, synthesis = (
        round(seconds * 1000) for seconds in (retrieval_s, max(0.0, preprocessing_s), synthesis_s)
    )
    return {
        "totalMs": retrieval + preprocessing + synthesis,
        "retrievalMs": retrieval,
        "preprocessingMs": preprocessing,
        "synthesisMs": synthesis,
        "videoMs": min(preprocessing, round(video_s * 1000)),
    }
