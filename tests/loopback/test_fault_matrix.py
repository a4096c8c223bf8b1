"""Every fault of the sandbox over real sockets: what a caller gets, what was sent, and that nothing is left behind."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from loopback_calls import (
    ARGUMENTS,
    Hands,
    assert_keys_are_forgotten,
    assert_nothing_is_under_way,
    failure_of,
    new_key,
    shown,
    tool_for,
)
from served_sandbox import STALL, Served

from twitter_tool.backends.twitterapi.pacing import PACER
from twitter_tool.sandbox import FAULT_NAMES, Fault, FaultName


@dataclass(frozen=True)
class Fails:
    """The call gives an error; ``requests`` are counted by the server."""

    code: str
    status: int | None
    requests: int = 1
    retryable: bool = False


@dataclass(frozen=True)
class Reads:
    """The call gives a result; truncated unless ``complete``."""

    stop: str
    requests: int
    items: int

    @property
    def complete(self) -> bool:
        return self.stop in ("exhausted", "target", "single")


@dataclass(frozen=True)
class Row:
    """One fault: the same end in every mode, except where a mode is named."""

    everywhere: Fails | None = None
    posts: Fails | Reads | None = None
    followers: Fails | Reads | None = None
    profile: Fails | Reads | None = None
    article: Fails | Reads | None = None
    value: str | int | float | None = None
    timeout_s: float = 30.0

    def of(self, mode: str) -> Fails | Reads:
        end: Fails | Reads | None = getattr(self, mode) or self.everywhere
        assert end is not None
        return end


MALFORMED = Fails("upstream_malformed", 200)
REJECTED = Fails("upstream_rejected", 200)
NOT_FOUND = Fails("not_found", 200)
PLAIN = {"profile": Reads("single", 1, 1), "article": Reads("single", 2, 1)}
"""Faults of pagers change nothing in look-ups."""
ALL_POSTS = Reads("exhausted", 2, 38)
ALL_FOLLOWERS = Reads("exhausted", 3, 546)
"""Pages of 20 and of 200 rows, each repeating the last row of the one before."""

TABLE: dict[FaultName, Row] = {
    "http_401": Row(Fails("credentials_refused", 401)),
    "http_402": Row(Fails("credits_exhausted", 402)),
    "http_403": Row(Fails("credentials_refused", 403)),
    "http_500": Row(Fails("upstream_rejected", 500, retryable=True)),
    "http_502": Row(Fails("upstream_rejected", 502, retryable=True)),
    "http_503": Row(Fails("upstream_unavailable", 503, requests=4, retryable=True)),
    "rate_limit": Row(Fails("upstream_unavailable", 429, requests=4, retryable=True)),
    "rate_limit_retry_after": Row(Fails("upstream_unavailable", 429, requests=4, retryable=True)),
    "html_502": Row(Fails("upstream_rejected", 502, retryable=True)),
    "html_200": Row(MALFORMED),
    "redirect": Row(Fails("upstream_rejected", 302)),
    "slow_body": Row(MALFORMED, value=STALL, timeout_s=0.5),
    "slow_headers": Row(Fails("upstream_unavailable", None, requests=4, retryable=True), value=STALL, timeout_s=0.2),
    "cut_body": Row(MALFORMED),
    "drop_connection": Row(Fails("upstream_unavailable", None, requests=4, retryable=True)),
    "invalid_json": Row(MALFORMED),
    "nan_json": Row(MALFORMED),
    "json_array": Row(MALFORMED),
    "wrong_shape": Row(MALFORMED),
    "status_error": Row(REJECTED),
    "status_failed": Row(REJECTED),
    "error_key": Row(REJECTED),
    "data_null": Row(MALFORMED, profile=NOT_FOUND, article=NOT_FOUND),
    "oversize": Row(MALFORMED),
    "gzip_bomb": Row(MALFORMED),
    "deep_json": Row(MALFORMED),
    "many_nodes": Row(MALFORMED),
    "big_integer": Row(MALFORMED),
    "lone_surrogate": Row(posts=ALL_POSTS, followers=ALL_FOLLOWERS, **PLAIN),
    "cursor_loop": Row(posts=Reads("cursor_cycle", 2, 38), followers=Reads("cursor_cycle", 2, 399), **PLAIN),
    "cursor_cycle": Row(posts=Reads("cursor_cycle", 3, 38), followers=Reads("cursor_cycle", 3, 399), **PLAIN),
    "null_pager": Row(posts=Reads("exhausted", 3, 38), followers=Reads("exhausted", 4, 546), **PLAIN),
    "true_without_cursor": Row(
        posts=Reads("cursor_missing", 1, 20), followers=Reads("cursor_missing", 1, 200), **PLAIN
    ),
    "empty_then_more": Row(posts=Reads("exhausted", 4, 38), followers=Reads("page_cap", 4, 399), **PLAIN),
    "overlapping_pages": Row(posts=Reads("exhausted", 3, 38), followers=Reads("page_cap", 4, 500), **PLAIN),
    "duplicate_pages": Row(posts=Reads("page_cap", 4, 20), followers=Reads("page_cap", 4, 200), **PLAIN),
    "docs_shape": Row(posts=ALL_POSTS, followers=Reads("exhausted", 1, 200), **PLAIN),
    "string_numbers": Row(posts=ALL_POSTS, followers=ALL_FOLLOWERS, **PLAIN),
    "null_authors": Row(posts=ALL_POSTS, followers=ALL_FOLLOWERS, **PLAIN),
}


@pytest.fixture(scope="module", autouse=True)
def _everything_is_closed() -> Iterator[None]:
    yield
    gc.collect()  # an unclosed socket, or a task that was never awaited, warns here; and warnings fail


def test_the_table_names_every_fault() -> None:
    """A new fault cannot be added without saying what the tool makes of it."""
    assert tuple(TABLE) == FAULT_NAMES


@pytest.mark.parametrize("mode", ARGUMENTS)
@pytest.mark.parametrize("fault", TABLE)
async def test_a_fault_ends_a_call_as_the_table_says(
    served: Served,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    fault: FaultName,
    mode: str,
) -> None:
    """Code, status, attempts and requests; no secret and no markup anywhere; no task, connection or key kept."""
    row, hands, key, known_before = TABLE[fault], Hands(), new_key(), len(PACER)
    end = row.of(mode)
    served.show(Fault(fault, value=row.value))
    with caplog.at_level(logging.DEBUG):
        async with tool_for(served, key, clock=hands.clock(), timeout_s=row.timeout_s) as tool:
            call = tool.read(mode=mode, output="posts", **ARGUMENTS[mode])
            if isinstance(end, Fails):
                told = await _failed_as(end, call)
            else:
                told = await _read_as(end, call)
            assert_nothing_is_under_way(tool)
    assert len(served.paths) == end.requests
    assert all(entry["has_key"] and entry["host"] == "api.twitterapi.io" for entry in served.sandbox.log)
    written = capsys.readouterr()
    assert (written.out, written.err) == ("", "")
    assert key not in told + caplog.text
    assert served.url not in caplog.text
    assert_keys_are_forgotten(hands, known_before)


async def _failed_as(end: Fails, call: Any) -> str:
    error = await failure_of(call)
    assert (error.code, error.http_status, error.retryable) == (end.code, end.status, end.retryable)
    assert (error.attempts, error.pages_accepted, error.retry_after_seconds) == (end.requests, None, None)
    assert error.hint
    assert "<" not in f"{error.message}{error.hint}"
    assert ("after 4 attempts" in error.message) == (end.requests == 4)
    return shown(error)


async def _read_as(end: Reads, call: Any) -> str:
    result = await call
    details = result.details
    assert (details["stopReason"], details["complete"]) == (end.stop, end.complete)
    assert len(details["items"]) == end.items
    truncations = [note["reason"] for note in details["notes"] if note["code"] == "truncated"]
    assert truncations == ([] if end.complete else [end.stop])
    usage = details["usage"]
    assert (usage["upstreamAttempts"], usage["successfulPages"], usage["upstreamHttpFailures"]) == (
        end.requests,
        end.requests,
        0,
    )
    return f"{result!r}{result.to_dict()}"
