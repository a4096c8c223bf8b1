"""Posts of a community or a list, the detail of a Space, posts by id, the text of an article."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from twitter_tool.backends.twitterapi.plan import ArticlePlan, BatchPlan, Plan, ReadFrom, SpacePlan, WalkPlan
from twitter_tool.errors import invalid_request
from twitter_tool.modes.base import Mode, PlanContext
from twitter_tool.modes.params import LIMIT, CommunityId, Limit, ListId, Params, PostRef, PostRefs, SpaceId

BATCH: Final = 50
"""Ids per look-up; the upstream refuses more (observed)."""


class CommunityParams(Params):
    """Parameters of ``community``."""

    communityId: Annotated[CommunityId, Field(description="The community's id, or a link to it.")]
    limit: Annotated[Limit | None, Field(description=LIMIT)] = None


class ListParams(Params):
    """Parameters of ``list``."""

    listId: Annotated[ListId, Field(description="The list's id, or a link to it.")]
    limit: Annotated[Limit | None, Field(description=LIMIT)] = None


class SpaceParams(Params):
    """Parameters of ``space``."""

    spaceId: Annotated[SpaceId, Field(description="The Space's id, or a link to it.")]


class TweetsParams(Params):
    """Parameters of ``tweets``."""

    ids: Annotated[PostRefs, Field(description="Post ids or links, at most 100 different ones.")]


class ArticleParams(Params):
    """Parameters of ``article``."""

    tweet: Annotated[PostRef, Field(description="The post that carries the article: its id or a link to it.")]


def _plan_community(params: CommunityParams, context: PlanContext) -> Plan:
    return WalkPlan(
        path="/twitter/community/tweets",
        params=(("community_id", params.communityId),),
        what=f"posts of community {params.communityId}",
        kind="posts",
        remaining="community posts",
        target=params.limit,
        read_from=ReadFrom(what="community", id=params.communityId),
    )


def _plan_list(params: ListParams, context: PlanContext) -> Plan:
    return WalkPlan(
        path="/twitter/list/tweets_timeline",
        params=(("listId", params.listId),),
        what=f"posts of list {params.listId}",
        kind="posts",
        remaining="list posts",
        target=params.limit,
        read_from=ReadFrom(what="list", id=params.listId),
    )


def _plan_space(params: SpaceParams, context: PlanContext) -> Plan:
    return SpacePlan(
        path="/twitter/spaces/detail",
        params=(("space_id", params.spaceId),),
        what=f"Space {params.spaceId}",
        space_id=params.spaceId,
    )


def _plan_tweets(params: TweetsParams, context: PlanContext) -> Plan:
    batches = tuple(params.ids[start : start + BATCH] for start in range(0, len(params.ids), BATCH))
    budget = context.settings.page_budget
    if len(batches) > budget:
        raise invalid_request(
            f"{len(params.ids)} posts need {len(batches)} look-ups of at most {BATCH}, but max_pages and"
            f" max_pages_ceiling allow {budget}",
            f"Ask for at most {budget * BATCH} posts, or raise max_pages.",
        )
    return BatchPlan(path="/twitter/tweets", batches=batches, what=f"{len(params.ids)} posts by id")


def _plan_article(params: ArticleParams, context: PlanContext) -> Plan:
    if context.settings.page_budget < 2:
        raise invalid_request(
            "an article needs two look-ups, the article and its post, but max_pages and max_pages_ceiling allow one",
            "Raise max_pages to 2 or more.",
        )
    return ArticlePlan(
        path="/twitter/article",
        provenance_path="/twitter/tweets",
        post_id=params.tweet,
        what=f"the article of post {params.tweet}",
    )


COMMUNITY = Mode(
    name="community",
    summary="Posts of a community.",
    params=CommunityParams,
    paths=("/twitter/community/tweets",),
    cites="post permalinks",
    positional=("communityId",),
    plan=_plan_community,
)
LIST = Mode(
    name="list",
    summary="Posts of a list.",
    params=ListParams,
    paths=("/twitter/list/tweets_timeline",),
    cites="post permalinks",
    positional=("listId",),
    plan=_plan_list,
)
SPACE = Mode(
    name="space",
    summary="The detail of a Space; the upstream often answers not found even for live ones.",
    params=SpaceParams,
    paths=("/twitter/spaces/detail",),
    cites="the Space's link",
    positional=("spaceId",),
    plan=_plan_space,
)
TWEETS = Mode(
    name="tweets",
    summary="Posts by id, up to 100.",
    params=TweetsParams,
    paths=("/twitter/tweets",),
    cites="post permalinks",
    positional=("ids",),
    plan=_plan_tweets,
)
ARTICLE = Mode(
    name="article",
    summary="The text of the article that a post carries, cited by that post's fetched permalink only.",
    params=ArticleParams,
    paths=("/twitter/article", "/twitter/tweets"),
    cites="the carrying post's permalink",
    positional=("tweet",),
    plan=_plan_article,
)
