"""Carrying out a plan: the requests, one after another, and what they bring."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from twitter_tool.backends.twitterapi.client import Client, Request
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
    TrendsPlan,
    Trim,
    WalkPlan,
)
from twitter_tool.backends.twitterapi.timeline import Accounts, Posts
from twitter_tool.backends.twitterapi.wire import accounts as wire_accounts
from twitter_tool.backends.twitterapi.wire import articles as wire_articles
from twitter_tool.backends.twitterapi.wire import posts as wire_posts
from twitter_tool.backends.twitterapi.wire.spaces import space
from twitter_tool.backends.twitterapi.wire.trends import trends
from twitter_tool.errors import TwitterToolError, UpstreamError
from twitter_tool.notes import Note, note
from twitter_tool.progress import Progress
from twitter_tool.records import Post
from twitter_tool.usage import Usage

ARTICLE_BYTES: Final = 1024 * 1024
GONE: Final = "deleted, suspended, protected and mistyped ones look the same"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads one plan with one client.

    Attributes:
        client: sends the requests.
        budget, ceiling: pages that may be charged, and read in all.
        usage, progress: of the call.
    """

    client: Client
    budget: int
    ceiling: int
    usage: Usage
    progress: Progress

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

    async def _walk(self, plan: WalkPlan) -> Reading:
        walk = _PostWalk(plan) if plan.kind == "posts" else _AccountWalk(plan)
        state = PagerState(budget=self.budget, ceiling=self.ceiling)
        shown = self.ceiling if plan.trim is not None and plan.trim.free_pages else self.budget
        params = plan.params
        while True:
            self.progress.emit(f"page {state.read + 1}/{shown} · {len(walk.records)} {plan.kind}")
            with _after(state.read):
                body = await self.client.fetch(Request(path=plan.path, params=params, what=plan.what))
                rows = _rows(body, plan)
            ends, free = walk.take(rows, body, self.usage)
            facts = PageFacts(
                has_next=body.get("has_next_page"),
                cursor=body.get("next_cursor"),
                target_met=walk.full,
                ends_listing=ends,
                free=free,
            )
            del body, rows  # at most one page is held while the next one is on its way
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
            with _after(at):
                request = Request(path=plan.path, params=(("tweet_ids", ",".join(batch)),), what=plan.what)
                rows = _array(await self.client.fetch(request), "tweets", plan.what, null_is_empty=True)
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
        self.progress.emit(f"reading {plan.what}")
        body = await self.client.fetch(Request(path=plan.path, params=plan.params, what=plan.what))
        rows = _array(body, "trends", plan.what, null_is_empty=True)
        self.usage.trends_returned += len(rows)
        return Reading(records=trends(rows), stop="single")

    async def _account(self, plan: AccountPlan) -> Reading:
        self.progress.emit(f"reading {plan.what}")
        body = await self.client.fetch(Request(path=plan.path, params=plan.params, what=plan.what))
        data = body.get("data")
        if data is None and plan.about and wire_accounts.handle_of(body):
            data = body
        if data is None:
            raise _not_found(plan.what, f"the upstream returned no account for @{plan.handle}: {GONE}")
        if not isinstance(data, dict):
            raise _malformed(plan.what, "data")
        if not plan.about and data.get("unavailable") is True:
            reason = wire_accounts.unavailable_reason(data)
            raise UpstreamError(
                "account_unavailable",
                f"the upstream says that @{plan.handle} is unavailable" + (f": {reason}" if reason else ""),
                hint="This is the upstream's claim and was not verified; try another account.",
                http_status=200,
                attempts=1,
            )
        self.usage.accounts_returned += 1 if wire_accounts.handle_of(data) else 0
        record = wire_accounts.about(data, plan.handle) if plan.about else wire_accounts.account(data)
        if record is None:
            raise _not_found(plan.what, f"the upstream returned no account for @{plan.handle}: {GONE}")
        return Reading(records=(record,), stop="single", notes=(_read_from(plan.read_from, 1, 1),))

    async def _space(self, plan: SpacePlan) -> Reading:
        self.progress.emit(f"reading {plan.what}")
        body = await self.client.fetch(Request(path=plan.path, params=plan.params, what=plan.what))
        detail = body["detail"] if isinstance(body.get("detail"), dict) else body.get("data")
        if detail is None:
            raise _not_found(
                plan.what, f"the upstream returned no detail of {plan.what}: gone and live ones look alike"
            )
        if not isinstance(detail, dict):
            raise _malformed(plan.what, "detail or data")
        document = space(detail, plan.space_id)
        if not document.fields:
            return Reading(records=(), stop="single")
        return Reading(records=(document,), stop="single")

    async def _article(self, plan: ArticlePlan) -> Reading:
        self.progress.emit("reading article")
        body = await self.client.fetch(
            Request(
                path=plan.path,
                params=(("tweet_id", plan.post_id),),
                what=plan.what,
                max_bytes=ARTICLE_BYTES,
                echo_detail=False,
            )
        )
        raw = body.get("article")
        if raw is None and "article" in body:
            raise _not_found(plan.what, f"the upstream returned no article for post {plan.post_id}")
        if not isinstance(raw, dict):
            raise _malformed(plan.what, "article")
        found = wire_articles.article(raw, plan.post_id)
        if not (found.title or found.preview or found.blocks):
            raise _not_found(plan.what, f"the upstream returned an article without text for post {plan.post_id}")
        self.progress.emit("reading source post")
        permalink, fault = await self._provenance(plan, raw)
        notes = () if fault is None else (note("article_source", reason=fault),)
        return Reading(records=(replace(found, permalink=permalink),), stop="single", pages=2, notes=notes)

    async def _provenance(self, plan: ArticlePlan, raw: Json) -> tuple[Any, str | None]:
        """The article's citable link, or why there is none; only a failed request fails the call."""
        request = Request(
            path=plan.provenance_path,
            params=(("tweet_ids", plan.post_id),),
            what=f"the post that carries {plan.what}",
            max_bytes=ARTICLE_BYTES,
            echo_detail=False,
        )
        try:
            with _after(1):
                body = await self.client.fetch(request)
        except UpstreamError as error:
            if error.body_fault is None:
                raise
            return None, "missing" if error.body_fault == "not_found" else error.body_fault
        rows = body.get("tweets")
        self.usage.posts_returned += len(rows) if isinstance(rows, list) else 0
        return wire_articles.provenance(body, raw, plan.post_id)


class _PostWalk:
    """Posts gathered from pages: windows, duplicates, pins and the asked post itself."""

    def __init__(self, plan: WalkPlan) -> None:
        self._plan = plan
        self._posts = Posts()
        self.parent: Post | None = None
        self.newer = self.older = 0

    @property
    def records(self) -> list[Post]:
        return self._posts.records

    @property
    def full(self) -> bool:
        return self._plan.target is not None and len(self.records) >= self._plan.target

    def take(self, rows: list[Any], body: Json, usage: Usage) -> tuple[bool, bool]:
        """Take a page in; whether it ends the listing, and whether it costs no budget."""
        usage.posts_returned += len(rows)
        if self._plan.pins:
            pin = _pin(body)
            usage.posts_returned += isinstance(pin, dict)
            self._posts.pin(pin)
        newer = self.newer
        for row in rows:
            if self.full:
                break
            post = wire_posts.post(row)
            if post is not None and self._inside(post) and not self._is_parent(post):
                self._posts.add(post)
        trim = self._plan.trim
        free = trim is not None and trim.free_pages and self.newer > newer
        return self._plan.empty_page_ends and not rows, free

    def finish(self) -> tuple[Note, ...]:
        return self._posts.finish() if self._plan.pins else ()

    def _inside(self, post: Post) -> bool:
        trim, instant = self._plan.trim, post.created.instant
        if trim is None or instant is None:
            return True
        side = _outside(trim, instant)
        self.newer += side == "newer"
        self.older += side == "older"
        return side is None

    def _is_parent(self, post: Post) -> bool:
        if self._plan.parent_id is None or wire_posts.post_identity(post) != self._plan.parent_id:
            return False
        self.parent = self.parent or post
        return True


class _AccountWalk:
    """Accounts gathered from pages."""

    parent: Post | None = None
    newer = older = 0

    def __init__(self, plan: WalkPlan) -> None:
        self._target = plan.target
        self._accounts = Accounts()

    @property
    def records(self) -> list[Any]:
        return self._accounts.records

    @property
    def full(self) -> bool:
        return self._target is not None and len(self.records) >= self._target

    def take(self, rows: list[Any], body: Json, usage: Usage) -> tuple[bool, bool]:
        usage.accounts_returned += len(rows)
        for row in rows:
            if self.full:
                break
            account = wire_accounts.account(row)
            if account is not None:
                self._accounts.add(account)
        return False, False

    def finish(self) -> tuple[Note, ...]:
        return ()


def _outside(trim: Trim, instant: Any) -> Literal["newer", "older"] | None:
    if trim.end is not None and instant >= trim.end:
        return "newer"
    if trim.start is not None and instant < trim.start:
        return "older"
    return None


def _walked(plan: WalkPlan, walk: _PostWalk | _AccountWalk, reason: Any, pages: int) -> Reading:
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
    return note("read_from", what=source.what, id=source.id, handle=source.handle, count=count, pages=pages)


def _returned_ids(post: Post) -> set[str]:
    post_id = post.identities[0]
    if post_id is not None:
        return {post_id}
    identity = wire_posts.post_identity(post)
    return {identity} if identity else set()


def _pin(body: Json) -> Any:
    data = body.get("data")
    return data.get("pin_tweet") if isinstance(data, dict) else body.get("pin_tweet")


def _rows(body: Json, plan: WalkPlan) -> list[Any]:
    """The rows of a page, wherever this endpoint puts them; null is an empty page when nothing follows."""
    for key in plan.null_is_missing:
        if key in body and body[key] is None:
            raise _not_found(plan.what, f"the upstream returned nothing for {plan.what}: {GONE}")
    null = False
    for path in plan.items:
        value: Any = body
        for key in path:
            value = value.get(key, _ABSENT) if isinstance(value, dict) else _ABSENT
        if isinstance(value, list):
            return value
        null = null or value is None
    if null and body.get("has_next_page") is not True:
        return []
    raise _malformed(plan.what, ".".join(plan.items[0]))


_ABSENT: Final = object()


def _array(body: Json, name: str, what: str, *, null_is_empty: bool) -> list[Any]:
    value = body.get(name, _ABSENT)
    if isinstance(value, list):
        return value
    if value is None and null_is_empty:
        return []
    raise _malformed(what, name)


def _not_found(what: str, message: str) -> UpstreamError:
    return UpstreamError(
        "not_found",
        message,
        hint="Check the id or handle; the upstream may also have missed it, so one more try later can succeed.",
        http_status=200,
        attempts=1,
    )


def _malformed(what: str, name: str) -> UpstreamError:
    return UpstreamError(
        "upstream_malformed",
        f"the upstream's answer for {what} has no usable {name!r} (HTTP 200); it may already be billed",
        hint="The upstream changed or failed; nothing was guessed from what it sent.",
        http_status=200,
        attempts=1,
        body_fault="malformed",
    )


@contextmanager
def _after(pages: int) -> Iterator[None]:
    """Name in an error how many pages had been accepted before it."""
    try:
        yield
    except TwitterToolError as error:
        if pages > 0:
            error.pages_accepted = pages
            again = f"{pages} accepted before the failure may be billed again when the call is repeated."
            error.hint = f"{error.hint} {again}" if error.hint else again.capitalize()
        raise
