"""Every recorded body, answered to a whole call: what comes out, how it ends, what is said about it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from twitter_tool.clock import Clock
from twitter_tool.errors import TwitterToolError
from twitter_tool.result import Result
from twitter_tool.tool import TwitterTool

SAMPLES = Path(__file__).parent / "samples"
KEY = "sample-key-0001"
ID = "2097656261641236494"
Case = dict[str, Any]
Cases = dict[str, dict[str, Case]]


def _loaded() -> Cases:
    files = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(SAMPLES.glob("*.json"))}
    return {name: {case["name"]: case for case in found["cases"]} for name, found in files.items()}


CASES = _loaded()


def arguments(name: str, query: dict[str, str], path: str) -> dict[str, Any]:
    """The call that sends such a request; what a sample leaves out on purpose is filled in."""
    tweet, user = query.get("tweetId", ID), query.get("userName", "ann_ex")
    if not tweet.isdigit():
        tweet = ID
    match name:
        case "posts" | "errors":
            return {"query": query.get("query", "gulls")[:512], "count": 50}
        case "users":
            return {"query": query["query"], "mode": name, "count": 50}
        case "user":
            own = {"userId": query["userId"]} if "userId" in query else {"user": user}
            return {"mode": name, **own, "includeReplies": query.get("includeReplies") == "true"}
        case "trends":
            return {"mode": name, "woeid": int(query.get("woeid", "1"))}
        case "replies" if path == "/twitter/tweet/replies":
            return {"mode": name, "tweet": tweet, "sinceTime": int(query.get("sinceTime", "0"))}
        case "thread" | "replies" | "quotes" | "retweeters":
            return {"mode": name, "tweet": tweet}
        case "mentions" | "followers" | "followings" | "profile" | "about":
            return {"mode": name, "user": user}
        case "tweets":
            return {"mode": name, "ids": query["tweet_ids"].split(",")[:50]}
        case "community":
            return {"mode": name, "communityId": query.get("community_id", "5")}
        case "list":
            return {"mode": name, "listId": query.get("listId", "5")}
        case "space":
            return {"mode": name, "spaceId": query.get("space_id", "1Ab")}
        case _:
            return {"mode": name, "tweet": query.get("tweet_id", ID)}


def answering(name: str, case: Case, requests: list[httpx.Request]) -> Callable[[httpx.Request], httpx.Response]:
    """The case first, then whatever its file has behind the cursor that is sent, then an empty last page."""

    def behind(cursor: str | None) -> Case | None:
        return next((other for other in CASES[name].values() if other["request"]["query"].get("cursor") == cursor), None)

    def handler(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        cursor = request.url.params.get("cursor")
        if name == "article" and request.url.path == "/twitter/tweets":
            return httpx.Response(200, json=carrying(request.url.params["tweet_ids"]))
        found = behind(cursor) if cursor else case
        if found is None:
            return httpx.Response(200, json={key: [] for key in ("tweets", "users", "followers", "followings")})
        body = found["body"]
        sent = body if isinstance(body, str) else json.dumps(body)
        return httpx.Response(found["http_status"], headers=found["headers"], content=sent.encode())

    return handler


def carrying(post: str) -> dict[str, Any]:
    """The look-up of one post, from the recorded look-ups."""
    rows = [row for case in CASES["tweets"].values() for row in case["body"].get("tweets", ()) if row["id"] == post]
    return {"tweets": rows[:1], "status": "success"}


def quick() -> Clock:
    """A clock that waits without waiting."""
    passed = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal passed
        passed += seconds

    start = datetime(2026, 11, 30, 15, tzinfo=UTC)
    return Clock(now=lambda: start + timedelta(seconds=passed), monotonic=lambda: passed, sleep=sleep, jitter=lambda: 0.5)


async def replay(name: str, case: Case, cwd: Path) -> tuple[Result | TwitterToolError, list[httpx.Request]]:
    """The outcome of a call whose first request gets this case."""
    requests: list[httpx.Request] = []
    asked = {"query": "q", "output": "posts", **arguments(name, case["request"]["query"], case["request"]["path"])}
    tool = TwitterTool(
        api_key=KEY,
        environ={},
        settings={"min_request_interval_ms": 0, "retry_base_delay_ms": 0, "max_pages": 10},
        cwd=cwd,
        transport=httpx.MockTransport(answering(name, case, requests)),
        clock=quick(),
    )
    async with tool:
        try:
            return await tool.call(asked), requests
        except TwitterToolError as error:
            return error, requests
