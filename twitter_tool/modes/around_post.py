"""What stands around one post: its thread, its replies, its quotes, who reposted it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from twitter_tool.backends.twitterapi.plan import Plan, ReadFrom, Reading, WalkPlan
from twitter_tool.errors import invalid_request
from twitter_tool.modes.base import Mode, PlanContext
from twitter_tool.modes.params import LIMIT, End, Flag, Limit, Params, PostRef, ReplySort, Seconds, Start, shown
from twitter_tool.notes import Note, note

_TWEET = "The post: its id, or a link such as https://x.com/handle/status/123."
_SINCE = "Only from this unix time in seconds on."
_UNTIL = "Only up to this unix time in seconds."


class ThreadParams(Params):
    """Parameters of ``thread``."""

    tweet: Annotated[PostRef, Field(description=_TWEET)]


class RepliesParams(Params):
    """Parameters of ``replies``. With a date, another route with stricter rules is used."""

    tweet: Annotated[PostRef, Field(description=_TWEET)]
    replySort: Annotated[
        ReplySort | None, Field(description="Order without dates; with dates only Latest, which is always its order.")
    ] = None
    sinceTime: Annotated[Start | None, Field(description=_SINCE + " Needs a post that starts its thread.")] = None
    untilTime: Annotated[End | None, Field(description="Only before this unix time in seconds.")] = None
    limit: Annotated[Limit | None, Field(description=LIMIT)] = None


class QuotesParams(Params):
    """Parameters of ``quotes``."""

    tweet: Annotated[PostRef, Field(description=_TWEET)]
    sinceTime: Annotated[Seconds | None, Field(description=_SINCE)] = None
    untilTime: Annotated[Seconds | None, Field(description=_UNTIL)] = None
    includeReplies: Annotated[Flag | None, Field(description="Whether quotes that are replies count.")] = None
    limit: Annotated[Limit | None, Field(description=LIMIT)] = None


class RetweetersParams(Params):
    """Parameters of ``retweeters``."""

    tweet: Annotated[PostRef, Field(description=_TWEET)]
    limit: Annotated[Limit | None, Field(description=LIMIT)] = None


def _check_replies_given(given: Mapping[str, Any]) -> None:
    """A date of ``replies`` picks the route, so it is stated or left out; beside one, so is the sort."""
    dates = [name for name in ("sinceTime", "untilTime") if name in given]
    if dates and "replySort" in given and given["replySort"] != "Latest":
        raise invalid_request(
            f"replySort {shown(given['replySort'])} cannot be combined with {' and '.join(dates)}",
            "Drop the dates or drop replySort; dated replies always come newest first.",
        )
    nulls = [name for name in dates if given[name] is None]
    if nulls:
        raise invalid_request(
            f"{' and '.join(nulls)} must not be null in mode 'replies'",
            "Leave the parameter out, or pass unix seconds.",
        )


def check_bounds(since: int | None, until: int | None, *, strict: bool = False) -> None:
    """Refuse a time range that ends before it starts (``strict``: or that is empty)."""
    if since is None or until is None or since < until or (since == until and not strict):
        return
    raise invalid_request(
        f"sinceTime {since} must be {'before' if strict else 'at or before'} untilTime {until}", "Swap or widen them."
    )


def bounds(since: int | None, until: int | None) -> tuple[tuple[str, str], ...]:
    """The time range as request parameters; zero is a value."""
    given = (("sinceTime", since), ("untilTime", until))
    return tuple((name, str(value)) for name, value in given if value is not None)


def _plan_thread(params: ThreadParams, context: PlanContext) -> Plan:
    return WalkPlan(
        path="/twitter/tweet/thread_context",
        params=(("tweetId", params.tweet),),
        what=f"the thread of post {params.tweet}",
        kind="posts",
        items=(("tweets",), ("replies",)),
        remaining="posts of the thread",
        empty_page_ends=True,
        read_from=ReadFrom(what="thread", id=params.tweet),
    )


def _plan_replies(params: RepliesParams, context: PlanContext) -> Plan:
    dated = params.sinceTime is not None or params.untilTime is not None

    def finish(reading: Reading) -> tuple[Note, ...]:
        return (note("replies_root_unverified"),) if dated else ()

    if dated:
        path, extra = "/twitter/tweet/replies", bounds(params.sinceTime, params.untilTime)
    else:
        path, extra = "/twitter/tweet/replies/v2", (("queryType", params.replySort or ""),)
    return WalkPlan(
        path=path,
        params=(("tweetId", params.tweet), *extra),
        what=f"replies to post {params.tweet}",
        kind="posts",
        items=(("tweets",), ("replies",)),
        remaining="replies",
        target=params.limit,
        parent_id=params.tweet,
        read_from=ReadFrom(what="replies", id=params.tweet),
        route="replies-window" if dated else "replies-v2",
        finish=finish,
    )


def _plan_quotes(params: QuotesParams, context: PlanContext) -> Plan:
    include = params.includeReplies
    return WalkPlan(
        path="/twitter/tweet/quotes",
        params=(
            ("tweetId", params.tweet),
            *bounds(params.sinceTime, params.untilTime),
            ("includeReplies", "" if include is None else str(include).lower()),
        ),
        what=f"quotes of post {params.tweet}",
        kind="posts",
        remaining="quotes",
        target=params.limit,
        read_from=ReadFrom(what="quotes", id=params.tweet),
    )


def _plan_retweeters(params: RetweetersParams, context: PlanContext) -> Plan:
    return WalkPlan(
        path="/twitter/tweet/retweeters",
        params=(("tweetId", params.tweet),),
        what=f"accounts that reposted post {params.tweet}",
        kind="accounts",
        items=(("users",),),
        remaining="reposting accounts",
        target=params.limit,
        read_from=ReadFrom(what="retweeters", id=params.tweet),
    )


THREAD = Mode(
    name="thread",
    summary="The whole conversation around a post: what it answers, the post, the answers to it.",
    params=ThreadParams,
    paths=("/twitter/tweet/thread_context",),
    cites="post permalinks",
    positional=("tweet",),
    plan=_plan_thread,
)
REPLIES = Mode(
    name="replies",
    summary="Replies to a post, sorted, or within a time range.",
    params=RepliesParams,
    paths=("/twitter/tweet/replies/v2", "/twitter/tweet/replies"),
    cites="post permalinks",
    positional=("tweet",),
    plan=_plan_replies,
    check_given=_check_replies_given,
    check=lambda params: check_bounds(params.sinceTime, params.untilTime, strict=True),
)
QUOTES = Mode(
    name="quotes",
    summary="Posts that quote a post.",
    params=QuotesParams,
    paths=("/twitter/tweet/quotes",),
    cites="post permalinks",
    positional=("tweet",),
    plan=_plan_quotes,
    check=lambda params: check_bounds(params.sinceTime, params.untilTime),
)
RETWEETERS = Mode(
    name="retweeters",
    summary="Accounts that reposted a post.",
    params=RetweetersParams,
    paths=("/twitter/tweet/retweeters",),
    cites="profile links",
    positional=("tweet",),
    plan=_plan_retweeters,
)
