"""Bodies as the upstream sends them, and a client that answers from a list."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from twitter_tool.backends.twitterapi.client import Request
from twitter_tool.backends.twitterapi.plan import Plan, Reading
from twitter_tool.backends.twitterapi.read import Reader
from twitter_tool.modes.base import PlanContext
from twitter_tool.modes.request import parse
from twitter_tool.progress import Progress
from twitter_tool.settings import Settings
from twitter_tool.usage import Usage

SAMPLES = Path(__file__).parent.parent / "samples"
Body = dict[str, Any]


def raw_post(number: int | str, **more: Any) -> Body:
    """A small whole post by ann."""
    return {
        "id": str(number),
        "url": f"https://x.com/ann/status/{number}",
        "text": f"t{number}",
        "createdAt": "Mon Sep 21 10:00:00 +0000 2026",
        "author": {"userName": "ann"},
        **more,
    }


def raw_account(handle: str, **more: Any) -> Body:
    """A small account row."""
    return {"screen_name": handle, **more}


def page(rows: Iterable[Any], cursor: Any, *, key: str = "tweets") -> Body:
    """A page with another one behind it."""
    return {key: list(rows), "has_next_page": True, "next_cursor": cursor}


def last(rows: Iterable[Any], *, key: str = "tweets") -> Body:
    """The last page."""
    return {key: list(rows), "has_next_page": False, "next_cursor": ""}


def timeline(rows: Iterable[Any], pin: Any = None, *, cursor: str | None = None) -> Body:
    """A page of an account's timeline."""
    return {
        "data": {"tweets": list(rows), "pin_tweet": pin},
        "has_next_page": cursor is not None,
        "next_cursor": cursor or "",
    }


def sample_cases(name: str) -> list[Body]:
    """The recorded shapes of one endpoint."""
    found: Body = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    cases: list[Body] = found["cases"]
    return cases


class Script:
    """Answers requests from a list; an exception in it is raised, and one answer too few is a failure."""

    def __init__(self, answers: Iterable[Any], usage: Usage | None = None) -> None:
        self.requests: list[Request] = []
        self._answers = list(answers)
        self._usage = usage

    async def fetch(self, request: Request) -> Body:
        self.requests.append(request)
        if self._usage is not None:
            self._usage.upstream_attempts += 1
        if not self._answers:
            raise AssertionError(f"one request too many: {request}")
        answer = self._answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        assert isinstance(answer, dict)
        return answer

    @property
    def sent(self) -> list[dict[str, str]]:
        """The parameters of each request, without empty ones."""
        return [{name: value for name, value in request.params if value} for request in self.requests]

    @property
    def left(self) -> int:
        """Answers that were not asked for."""
        return len(self._answers)


class Run:
    """One plan carried out against a script."""

    def __init__(
        self,
        arguments: Mapping[str, Any],
        answers: Iterable[Any],
        *,
        settings: Mapping[str, Any] | None = None,
        secrets: tuple[str, ...] = (),
    ) -> None:
        self.events: list[str] = []
        self.usage = Usage()
        self.script = Script(answers, self.usage)
        values = Settings().replaced("user", **{"time_zone": "UTC", **(settings or {})})
        request = parse({"query": "q", **arguments})
        self.plan: Plan = request.mode.plan(request.params, PlanContext(query=request.query, settings=values))
        self._reader = Reader(
            client=self.script,
            budget=values.page_budget,
            ceiling=values.page_ceiling,
            usage=self.usage,
            progress=Progress(self.events.append),
            secrets=secrets,
        )

    async def __call__(self) -> Reading:
        return await self._reader.read(self.plan)


def ids(reading: Reading) -> list[str | None]:
    """The ids of the posts read, in order."""
    return [getattr(record, "id", None) for record in reading.records]


def figures(reading: Reading) -> dict[str, dict[str, Any]]:
    """The notes by code."""
    codes = [entry.code for entry in reading.notes]
    assert len(codes) == len(set(codes)), "a note came twice"
    return {entry.code: dict(entry.figures) for entry in reading.notes}
