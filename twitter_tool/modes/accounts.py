"""One account: its posts, who mentions it, who follows it, whom it follows, its profile and its about page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from twitter_tool.backends.twitterapi.plan import AccountPlan, Plan, ReadFrom, WalkPlan
from twitter_tool.errors import invalid_request
from twitter_tool.modes.around_post import bounds, check_bounds
from twitter_tool.modes.base import Mode, PlanContext
from twitter_tool.modes.params import (
    LIMIT,
    Flag,
    Handle,
    Limit,
    OptionalHandle,
    OptionalName,
    PageSize,
    Params,
    Seconds,
)

_USER = "The account's handle, without @, or a link to it."


class UserParams(Params):
    """Parameters of ``user``; one of ``user`` and ``userId`` is needed, and the id wins."""

    user: Annotated[OptionalHandle | None, Field(description=_USER)] = None
    userId: Annotated[
        OptionalName | None, Field(description="The account's numeric id; preferred over user when known.")
    ] = None
    includeReplies: Annotated[Flag | None, Field(description="Whether the account's replies count.")] = None
    limit: Annotated[Limit | None, Field(description=LIMIT)] = None


class MentionsParams(Params):
    """Parameters of ``mentions``."""

    user: Annotated[Handle, Field(description=_USER)]
    sinceTime: Annotated[Seconds | None, Field(description="Only from this unix time in seconds on.")] = None
    untilTime: Annotated[Seconds | None, Field(description="Only up to this unix time in seconds.")] = None
    limit: Annotated[Limit | None, Field(description=LIMIT)] = None


class FollowParams(Params):
    """Parameters of ``followers`` and ``followings``."""

    user: Annotated[Handle, Field(description=_USER)]
    pageSize: Annotated[
        PageSize | None, Field(description="Accounts per page; larger pages cost less per account.")
    ] = None
    limit: Annotated[Limit | None, Field(description=LIMIT)] = None


class AccountParams(Params):
    """Parameters of ``profile`` and ``about``."""

    user: Annotated[Handle, Field(description=_USER)]


def _check_user_given(given: Mapping[str, Any]) -> None:
    if given.get("user") is None and given.get("userId") is None:
        raise invalid_request("mode 'user' needs user or userId", 'Pass "user": "<handle>" or "userId": "<id>".')


def _check_user(params: UserParams) -> None:
    if not params.userId and not (params.user or "").lstrip("@").strip():
        raise invalid_request(
            "mode 'user' needs an account: user is blank" if params.user is not None else "userId must not be blank",
            'Pass "user": "<handle>" or "userId": "<numeric id>".',
        )


def _plan_user(params: UserParams, context: PlanContext) -> Plan:
    handle = (params.user or "").lstrip("@").strip()
    asked = ("userId", params.userId) if params.userId else ("userName", handle)
    name = f"@{handle}" if handle else f"account {params.userId}"
    return WalkPlan(
        path="/twitter/user/last_tweets",
        params=(asked, ("includeReplies", "true" if params.includeReplies else "")),
        what=f"the timeline of {name}",
        kind="posts",
        items=(("data", "tweets"), ("tweets",)),
        null_is_missing=("data",),
        remaining="timeline posts",
        target=params.limit,
        pins=True,
        read_from=ReadFrom(what="timeline", handle=handle or None, id=params.userId or None),
    )


def _plan_mentions(params: MentionsParams, context: PlanContext) -> Plan:
    return WalkPlan(
        path="/twitter/user/mentions",
        params=(("userName", params.user), *bounds(params.sinceTime, params.untilTime)),
        what=f"mentions of @{params.user}",
        kind="posts",
        remaining="mentions",
        target=params.limit,
        read_from=ReadFrom(what="mentions", handle=params.user),
    )


def _plan_follow(mode: str, params: FollowParams) -> Plan:
    return WalkPlan(
        path=f"/twitter/user/{mode}",
        params=(("userName", params.user), ("pageSize", "" if params.pageSize is None else str(params.pageSize))),
        what=f"{mode} of @{params.user}",
        kind="accounts",
        items=((mode,),),
        remaining=mode,
        target=params.limit,
        read_from=ReadFrom(what=mode, handle=params.user),
    )


def _plan_account(mode: str, params: AccountParams) -> Plan:
    return AccountPlan(
        path="/twitter/user/info" if mode == "profile" else "/twitter/user_about",
        params=(("userName", params.user),),
        what=f"the {'profile' if mode == 'profile' else 'about page'} of @{params.user}",
        handle=params.user,
        about=mode == "about",
        read_from=ReadFrom(what=mode, handle=params.user),
    )


USER = Mode(
    name="user",
    summary="An account's most recent posts, its pinned post included when the upstream sends it.",
    params=UserParams,
    paths=("/twitter/user/last_tweets",),
    cites="post permalinks",
    positional=("user",),
    plan=_plan_user,
    check_given=_check_user_given,
    check=_check_user,
)
MENTIONS = Mode(
    name="mentions",
    summary="Posts that mention an account.",
    params=MentionsParams,
    paths=("/twitter/user/mentions",),
    cites="post permalinks",
    positional=("user",),
    plan=_plan_mentions,
    check=lambda params: check_bounds(params.sinceTime, params.untilTime),
)
FOLLOWERS = Mode(
    name="followers",
    summary="Accounts that follow an account.",
    params=FollowParams,
    paths=("/twitter/user/followers",),
    cites="profile links",
    positional=("user",),
    plan=lambda params, context: _plan_follow("followers", params),
)
FOLLOWINGS = Mode(
    name="followings",
    summary="Accounts that an account follows.",
    params=FollowParams,
    paths=("/twitter/user/followings",),
    cites="profile links",
    positional=("user",),
    plan=lambda params, context: _plan_follow("followings", params),
)
PROFILE = Mode(
    name="profile",
    summary="One account's profile.",
    params=AccountParams,
    paths=("/twitter/user/info",),
    cites="the profile link",
    positional=("user",),
    plan=lambda params, context: _plan_account("profile", params),
)
ABOUT = Mode(
    name="about",
    summary="An account's about page: where it is based, handle changes, verification.",
    params=AccountParams,
    paths=("/twitter/user_about",),
    cites="the profile link",
    positional=("user",),
    plan=lambda params, context: _plan_account("about", params),
)
