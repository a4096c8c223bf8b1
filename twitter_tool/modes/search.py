"""Searches: posts by expression, accounts by name, trending topics by place."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import Field

from twitter_tool.backends.twitterapi.plan import Plan, Reading, TrendsPlan, WalkPlan
from twitter_tool.errors import invalid_request
from twitter_tool.modes import window
from twitter_tool.modes.base import Mode, PlanContext
from twitter_tool.modes.params import Count, Day, Handles, Params, QueryType, TrendCount, Whole
from twitter_tool.notes import Note, note

MAX_EXPRESSION: Final = 512
"""Longer expressions get a silent empty success from the upstream (observed: 512 answered, 513 empty)."""
MAX_WORDS: Final = 4096
"""Characters of an account search that an address can carry for sure."""
_OPERATOR = re.compile(r'["()#$@]|(?:^|\s)-\S|(?:^|\s)OR(?:\s|$)|\b[a-z_]+:\S')


class PostsParams(Params):
    """Parameters of ``posts``."""

    allowed_x_handles: Annotated[
        Handles, Field(description="Only posts of these accounts: at most 20 handles, without @.")
    ] = ()
    excluded_x_handles: Annotated[
        Handles, Field(description="No posts of these accounts: at most 20 handles, without @.")
    ] = ()
    from_date: Annotated[Day, Field(description="First day, YYYY-MM-DD, in the time zone of the settings.")] = None
    to_date: Annotated[Day, Field(description="Last day, YYYY-MM-DD, included.")] = None
    queryType: Annotated[QueryType, Field(description="Latest: newest first. Top: ranked by the upstream.")] = "Latest"
    count: Annotated[Count, Field(description="At most this many posts.")] = 10


class UsersParams(Params):
    """Parameters of ``users``."""

    count: Annotated[Count, Field(description="At most this many accounts.")] = 20


class TrendsParams(Params):
    """Parameters of ``trends``."""

    woeid: Annotated[Whole, Field(description="Place: 1 is the world, 23424977 the USA, 23424975 the UK.")]
    count: Annotated[TrendCount | None, Field(description="How many trends to ask for, 30 or more.")] = None


def _check_posts(params: PostsParams) -> None:
    if params.allowed_x_handles and params.excluded_x_handles:
        raise invalid_request(
            "allowed_x_handles and excluded_x_handles exclude each other",
            "Pass one of the two lists; posts of the allowed accounts only need no exclusions.",
        )
    if params.from_date and params.to_date and params.from_date > params.to_date:
        raise invalid_request(
            f"from_date {params.from_date} is after to_date {params.to_date}", "Swap them or drop one."
        )


def expression(query: str, params: PostsParams, since: str | None, until: str | None) -> str:
    """The search expression sent upstream.

    Raises:
        RequestError: it is longer than the upstream answers.
    """
    allowed, excluded = params.allowed_x_handles, params.excluded_x_handles
    handles = ""
    if allowed:
        handles = " OR ".join(f"from:{handle}" for handle in allowed)
        handles = handles if len(allowed) == 1 else f"({handles})"
    elif excluded:
        handles = " ".join(f"-from:{handle}" for handle in excluded)
    dates = " ".join(part for part in (since and f"since:{since}", until and f"until:{until}") if part)
    constraints = " ".join(part for part in (handles, dates) if part)
    composed = f"({query}) {constraints}" if constraints else query
    if len(composed) > MAX_EXPRESSION:
        raise invalid_request(
            f"the search expression has {len(composed)} characters, over the {MAX_EXPRESSION} that the upstream"
            f" answers (query {len(query)}, handles {len(handles)}, dates {len(dates)})",
            "Shorten the query, or split the handle list over several calls.",
        )
    return composed


def _plan_posts(params: PostsParams, context: PlanContext) -> Plan:
    days = window.resolve(params.from_date, params.to_date, context.settings)
    composed = expression(context.query, params, days.since if days else None, days.until if days else None)

    def finish(reading: Reading) -> tuple[Note, ...]:
        notes = list(days.notes(newer=reading.newer, older=reading.older)) if days else []
        plain = len(context.query.split()) >= 4 and not _OPERATOR.search(context.query)
        # Posts that were only outside the days did match, so the words are not the reason.
        if plain and not (reading.records or reading.newer or reading.older):
            notes.append(note("search_hint", mode="posts"))
        return tuple(notes)

    return WalkPlan(
        path="/twitter/tweet/advanced_search",
        params=(("query", composed), ("queryType", params.queryType)),
        what="posts matching the query",
        kind="posts",
        remaining="posts",
        target=params.count,
        trim=days.trim if days else None,
        window=days.figures if days else None,
        finish=finish,
    )


def _plan_users(params: UsersParams, context: PlanContext) -> Plan:
    if len(context.query) > MAX_WORDS:
        raise invalid_request(
            f"the search words have {len(context.query)} characters; one request carries at most {MAX_WORDS}",
            "Search for a name, a handle or a word of a bio.",
        )

    def finish(reading: Reading) -> tuple[Note, ...]:
        if reading.records or len(context.query.split()) < 2:
            return ()
        return (note("search_hint", mode="users"),)

    return WalkPlan(
        path="/twitter/user/search",
        params=(("query", context.query),),
        what="accounts matching the query",
        kind="accounts",
        items=(("users",),),
        remaining="accounts",
        target=params.count,
        finish=finish,
    )


def _plan_trends(params: TrendsParams, context: PlanContext) -> Plan:
    return TrendsPlan(
        path="/twitter/trends",
        params=(("woeid", str(params.woeid)), ("count", "" if params.count is None else str(params.count))),
        what=f"trends of place {params.woeid}",
    )


POSTS = Mode(
    name="posts",
    summary="Search posts by words and operators, with handle and date filters.",
    params=PostsParams,
    paths=("/twitter/tweet/advanced_search",),
    cites="post permalinks",
    positional=("query",),
    plan=_plan_posts,
    check=_check_posts,
)
USERS = Mode(
    name="users",
    summary="Find accounts by name, handle or bio.",
    params=UsersParams,
    paths=("/twitter/user/search",),
    cites="profile links",
    positional=("query",),
    plan=_plan_users,
)
TRENDS = Mode(
    name="trends",
    summary="Trending topics of a place.",
    params=TrendsParams,
    paths=("/twitter/trends",),
    cites="X search links",
    positional=("woeid",),
    plan=_plan_trends,
)
