"""Carrying out a plan: the requests, one after another, and what they bring."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Protocol

from twitter_tool.backends.twitterapi.answer import Answer, after
from twitter_tool.backends.twitterapi.client import Request
from twitter_tool.backends.twitterapi.failures import shown_detail
from twitter_tool.backends.twitterapi.pager import Continue, PageFacts, PagerState, step
from twitter_tool.backends.twitterapi.plan import (
    TRUNCATING,
    AccountPlan,
    ArticlePlan,
    BatchPlan,
    Json,
    Plan,
    ReadFrom,
    Reading,
    SpacePlan,
    StopReason,
    TrendsPlan,
    WalkPlan,
)
from twitter_tool.backends.twitterapi.timeline import Posts
from twitter_tool.backends.twitterapi.walk import AccountWalk, PostWalk
from twitter_tool.backends.twitterapi.wire import accounts as wire_accounts
from twitter_tool.backends.twitterapi.wire import articles as wire_articles
from twitter_tool.backends.twitterapi.wire import posts as wire_posts
from twitter_tool.backends.twitterapi.wire.spaces import space
from twitter_tool.backends.twitterapi.wire.trends import trends
from twitter_tool.errors import UpstreamError
from twitter_tool.links import Permalink
from twitter_tool.notes import Note, note
from twitter_tool.progress import Progress
from twitter_tool.records import Post
from twitter_tool.text import Line, line
from twitter_tool.usage import Usage

ARTICLE_BYTES: Final = 1024 * 1024
SHOWN_NAME: Final = 120
REASON_CHARS: Final = 100


class Fetcher(Protocol):
    """What a reading needs of a client."""

    async def fetch(self, request: Request) -> Json:
        """The body of one answer; raises ``TwitterToolError``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads one plan with one client.

    Attributes:
        client: sends the requests.
        budget, ceiling: pages that may be charged, and read in all.
        usage, progress: of the call.
        secrets: values that must not be shown even when the upstream repeats them.
    """

    client: Fetcher
    budget: int
    ceiling: int
    usage: Usage
    progress: Progress
    secrets: tuple[str, ...] = ()

    async def read(self, plan: Plan) -> Reading:
        """Carry out a plan.

        Raises:
            TwitterToolError: a request failed; pages accepted before it are named in the error, and discarded.
        """
        match plan:
            case WalkPlan():
                return await self._walk(plan)
            case BatchPlan():
                return await self._batches(plan)
            case TrendsPlan():
                return await self._trends(plan)
            case AccountPlan():
                return await self._account(plan)
            case SpacePlan():
                return await self._space(plan)
            case ArticlePlan():
                return await self._article(plan)

    async def _ask(self, request: Request) -> Answer:
        before = self.usage.upstream_attempts
        body = await self.client.fetch(request)
        return Answer(body=body, what=request.what, attempts=max(1, self.usage.upstream_attempts - before))

    async def _look_up(self, plan: TrendsPlan | AccountPlan | SpacePlan) -> Answer:
        self.progress.emit(f"reading {_name(plan.what)}")
        return await self._ask(Request(path=plan.path, params=plan.params, what=plan.what))

    async def _walk(self, plan: WalkPlan) -> Reading:
        walk = PostWalk(plan) if plan.kind == "posts" else AccountWalk(plan)
        state = PagerState(budget=self.budget, ceiling=self.ceiling)
        shown = self.ceiling if plan.trim is not None and plan.trim.free_pages else self.budget
        params = plan.params
        while True:
            self.progress.emit(f"page {state.read + 1}/{shown} · {len(walk.records)} {plan.kind}")
            with after(state.read):
                answer = await self._ask(Request(path=plan.path, params=params, what=plan.what))
                rows = answer.rows(plan)
            free = walk.take(rows, answer.body, self.usage)
            ends = plan.empty_page_ends and not rows
            facts = PageFacts(
                has_next=answer.body.get("has_next_page"),
                cursor=answer.body.get("next_cursor"),
                target_met=walk.full,
                ends_listing=ends,
                free=free,
            )
            del answer, rows  # at most one page is held while the next one is on its way
            state, decision = step(state, facts)
            if not ends:
                self.progress.emit(f"page {state.read}/{shown} · {len(walk.records)} {plan.kind}")
            if isinstance(decision, Continue):
                params = (*plan.params, ("cursor", decision.cursor))
                continue
            return _walked(plan, walk, decision.reason, state.read)

    async def _batches(self, plan: BatchPlan) -> Reading:
        posts = Posts()
        returned: set[str] = set()
        for at, batch in enumerate(plan.batches):
            self.progress.emit(f"reading posts batch {at + 1}/{len(plan.batches)}")
            with after(at):
                request = Request(path=plan.path, params=(("tweet_ids", ",".join(batch)),), what=plan.what)
                rows = (await self._ask(request)).array("tweets")
            self.usage.posts_returned += len(rows)
            for row in rows:
                post = wire_posts.post(row)
                if post is not None:
                    posts.add(post)
                    returned |= _returned_ids(post)
        missing = [post_id for post_id in plan.ids if post_id not in returned]
        notes = [_read_from(ReadFrom(what="tweets"), len(posts.records), len(plan.batches))]
        if missing:
            notes.append(note("ids_missing", count=len(missing), ids=missing))
        return Reading(records=tuple(posts.records), stop="single", pages=len(plan.batches), notes=tuple(notes))

    async def _trends(self, plan: TrendsPlan) -> Reading:
        rows = (await self._look_up(plan)).array("trends")
        self.usage.trends_returned += len(rows)
        return Reading(records=trends(rows), stop="single")

    async def _account(self, plan: AccountPlan) -> Reading:
        answer = await self._look_up(plan)
        bare = plan.about and "data" not in answer.body and wire_accounts.handle_of(answer.body) is not None
        data = answer.body if bare else answer.object("data")
        if not plan.about and data.get("unavailable") is True:
            raise self._unavailable(plan, answer, data)
        self.usage.accounts_returned += wire_accounts.handle_of(data) is not None
        record = wire_accounts.about(data, plan.handle) if plan.about else wire_accounts.account(data)
        if record is None:
            raise answer.nothing()
        return Reading(records=(record,), stop="single", notes=(_read_from(plan.read_from, 1, 1),))

    def _unavailable(self, plan: AccountPlan, answer: Answer, data: Json) -> UpstreamError:
        reason = line(shown_detail(wire_accounts.unavailable_reason(data), self.secrets) or "", REASON_CHARS - 1)
        return UpstreamError(
            "account_unavailable",
            f"upstream says that @{_name(plan.handle)} is unavailable" + (f": {reason}" if reason else ""),
            hint="This is upstream's claim and was not verified; try another account.",
            http_status=200,
            attempts=answer.attempts,
        )

    async def _space(self, plan: SpacePlan) -> Reading:
        detail = (await self._look_up(plan)).object("detail", "data")
        document = space(detail, plan.space_id)
        return Reading(records=(document,) if document.fields else (), stop="single")

    async def _article(self, plan: ArticlePlan) -> Reading:
        self.progress.emit("reading article")
        answer = await self._ask(_article_request(plan.path, "tweet_id", plan.post_id, plan.what))
        raw = answer.object("article")
        found = wire_articles.article(raw, plan.post_id)
        if not (found.title or found.preview or found.blocks):
            raise answer.nothing()
        self.progress.emit("reading source post")
        permalink, fault = await self._provenance(plan, raw)
        notes = () if fault is None else (note("article_source", reason=fault),)
        return Reading(records=(replace(found, permalink=permalink),), stop="single", pages=2, notes=notes)

    async def _provenance(
        self, plan: ArticlePlan, raw: Json
    ) -> tuple[Permalink | None, wire_articles.SourceFault | None]:
        """The article's citable link, or why there is none; only a failed request fails the call."""
        what = f"the post that carries {plan.what}"
        try:
            with after(1):
                body = (await self._ask(_article_request(plan.provenance_path, "tweet_ids", plan.post_id, what))).body
        except UpstreamError as error:
            if error.body_fault is None:
                raise
            return None, "missing" if error.body_fault == "not_found" else error.body_fault
        rows = body.get("tweets")
        self.usage.posts_returned += len(rows) if isinstance(rows, list) else 0
        return wire_articles.provenance(body, raw, plan.post_id)


def _article_request(path: str, name: str, post_id: str, what: str) -> Request:
    return Request(path=path, params=((name, post_id),), what=what, max_bytes=ARTICLE_BYTES, echo_detail=False)


def _walked(plan: WalkPlan, walk: PostWalk | AccountWalk, reason: StopReason, pages: int) -> Reading:
    notes: list[Note] = []
    pins = walk.finish()
    if plan.read_from is not None:
        notes.append(_read_from(plan.read_from, len(walk.records), pages))
    if reason in TRUNCATING:
        notes.append(note("truncated", reason=reason, pages=pages, kind=plan.remaining))
    reading = Reading(
        records=tuple(walk.records),
        stop=reason,
        pages=pages,
        parent=walk.parent,
        newer=walk.newer,
        older=walk.older,
    )
    return replace(reading, notes=(*notes, *pins, *plan.finish(reading)))


def _read_from(source: ReadFrom, count: int, pages: int) -> Note:
    return note(
        "read_from",
        what=source.what,
        id=None if source.id is None else _name(source.id),
        handle=None if source.handle is None else _name(source.handle),
        count=count,
        pages=pages,
    )


def _name(asked: str) -> Line:
    """What a caller named, as it may be shown."""
    return line(asked, SHOWN_NAME)


def _returned_ids(post: Post) -> set[str]:
    post_id = post.identities[0]
    if post_id is not None:
        return {post_id}
    identity = wire_posts.post_identity(post)
    return {identity} if identity else set()
