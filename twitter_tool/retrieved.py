"""What was read, as selection takes it: what its items are, and what the sentence says when there are none."""

from __future__ import annotations

from dataclasses import dataclass, replace

from twitter_tool.backends.twitterapi.plan import (
    AccountPlan,
    ArticlePlan,
    BatchPlan,
    Plan,
    Reading,
    SpacePlan,
    TrendsPlan,
    WalkPlan,
)
from twitter_tool.backends.twitterapi.read import Reader
from twitter_tool.errors import UpstreamError
from twitter_tool.loopback import loopback_origin
from twitter_tool.modes.request import CallRequest
from twitter_tool.notes import Note, note
from twitter_tool.output.delivery import EmptyCause, Retrieved
from twitter_tool.records import ItemKind
from twitter_tool.settings import Settings


@dataclass(frozen=True, slots=True)
class _Nature:
    """What a plan's items are, for the header and for the sentence that nothing was found."""

    kind: ItemKind
    wanted: str
    cause: EmptyCause | None = None


def _nature(request: CallRequest, plan: Plan) -> _Nature:
    match plan:
        case WalkPlan():
            cause: EmptyCause | None = None
            if request.mode.name == "user":
                cause = "account"
            elif plan.route == "replies-window":
                cause = "window"
            return _Nature("post" if plan.kind == "posts" else "account", plan.remaining, cause)
        case BatchPlan():
            return _Nature("post", "posts", "ids")
        case TrendsPlan():
            return _Nature("trend", "trends")
        case AccountPlan():
            return _Nature("document" if plan.about else "account", "accounts")
        case SpacePlan():
            return _Nature("document", "details of the Space")
        case ArticlePlan():
            return _Nature("article", "articles")


def retrieved_of(request: CallRequest, plan: Plan, reading: Reading, further: tuple[Note, ...]) -> Retrieved:
    """What a plan read, with notes of the call besides its own."""
    nature = _nature(request, plan)
    return Retrieved(
        records=reading.records,
        parent=reading.parent,
        notes=(*reading.notes, *further),
        kind=nature.kind,
        empty_kind=nature.wanted,
        empty_cause=nature.cause,
    )


def with_zone(retrieved: Retrieved, plan: Plan, reading: Reading) -> Retrieved:
    """With the zone that days were counted in; evidence names it in its header, an answer in a note."""
    if not isinstance(plan, WalkPlan) or plan.window is None:
        return retrieved
    days = note(
        "read_from",
        what="posts",
        count=len(retrieved.records),
        pages=reading.pages,
        timeZone=plan.window["timeZone"],
    )
    return replace(retrieved, notes=(*retrieved.notes, days))


async def read_plan(reader: Reader, plan: Plan, settings: Settings) -> Reading:
    """Carry out a plan; where requests are routed and nobody answers there, the error says to look at that."""
    try:
        return await reader.read(plan)
    except UpstreamError as error:
        silent = error.code == "upstream_unavailable" and error.http_status is None
        if settings["route_to"] and silent and not error.pages_accepted:
            error.hint = (
                f"Requests are routed to {loopback_origin(settings['route_to'])}: check that a server, such as"
                " 'twitter-tool sandbox', is running there, or unset route_to."
            )
        raise
