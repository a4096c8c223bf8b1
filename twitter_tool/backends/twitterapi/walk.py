"""What gathers while a listing is read: posts within a window and beside the asked post, or accounts."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from twitter_tool.backends.twitterapi.plan import Json, Trim, WalkPlan
from twitter_tool.backends.twitterapi.timeline import Accounts, Posts
from twitter_tool.backends.twitterapi.wire import accounts as wire_accounts
from twitter_tool.backends.twitterapi.wire import posts as wire_posts
from twitter_tool.notes import Note
from twitter_tool.records import Account, Post
from twitter_tool.usage import Usage


class PostWalk:
    """Posts gathered from pages: windows, duplicates, pins and the asked post itself.

    Attributes:
        parent: the asked post, once a page carried it.
        newer, older: posts dropped on either side of the window.
    """

    def __init__(self, plan: WalkPlan) -> None:
        self._plan = plan
        self._posts = Posts()
        self.parent: Post | None = None
        self.newer = self.older = 0

    @property
    def records(self) -> list[Post]:
        """The posts kept so far, in upstream order."""
        return self._posts.records

    @property
    def full(self) -> bool:
        """Whether as many are kept as were asked for."""
        return self._plan.target is not None and len(self.records) >= self._plan.target

    def take(self, rows: list[Any], body: Json, usage: Usage) -> bool:
        """Take a page in; whether it costs no budget."""
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
        return trim is not None and trim.free_pages and self.newer > newer

    def finish(self) -> tuple[Note, ...]:
        """What is said about pins, once everything is read."""
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


class AccountWalk:
    """Accounts gathered from pages."""

    parent: Post | None = None
    newer = older = 0

    def __init__(self, plan: WalkPlan) -> None:
        self._target = plan.target
        self._accounts = Accounts()

    @property
    def records(self) -> list[Account]:
        """The accounts kept so far, in upstream order."""
        return self._accounts.records

    @property
    def full(self) -> bool:
        """Whether as many are kept as were asked for."""
        return self._target is not None and len(self.records) >= self._target

    def take(self, rows: list[Any], body: Json, usage: Usage) -> bool:
        """Take a page in; whether it costs no budget."""
        usage.accounts_returned += len(rows)
        for row in rows:
            if self.full:
                break
            account = wire_accounts.account(row)
            if account is not None:
                self._accounts.add(account)
        return False

    def finish(self) -> tuple[Note, ...]:
        """Nothing is said about accounts."""
        return ()


def _outside(trim: Trim, instant: datetime) -> Literal["newer", "older"] | None:
    if trim.end is not None and instant >= trim.end:
        return "newer"
    if trim.start is not None and instant < trim.start:
        return "older"
    return None


def _pin(body: Json) -> Any:
    data = body.get("data")
    return data.get("pin_tweet") if isinstance(data, dict) else body.get("pin_tweet")
