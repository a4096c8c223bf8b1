"""Answers that try to fill the memory, to show the key again, or to lead the request elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from urllib.parse import quote

import pytest
from loopback_calls import ARGUMENTS, ARTICLE, HINTS, Hands, failure_of, new_key, shown, tool_for
from served_sandbox import Served, serving

from twitter_tool.sandbox import Fault
from twitter_tool.sandbox.answers import gzip_bomb

MIB = 1024 * 1024


@contextlib.contextmanager
def _memory() -> Iterator[list[int]]:
    """The peak of what Python allocated inside the block, in bytes; server and client together."""
    peak: list[int] = []
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        yield peak
        peak.append(tracemalloc.get_traced_memory()[1] - before)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("mode", "most"), [("posts", 36 * MIB), ("profile", 36 * MIB), ("article", 4 * MIB)])
async def test_a_bomb_is_stopped_while_it_is_small(served: Served, mode: str, most: int) -> None:
    """A quarter of a gigabyte in a few hundred kilobytes: no more than the cap is ever decoded, and nothing parsed."""
    size = 256 * MIB
    gzip_bomb(size)  # made, and kept by the server, before memory is measured
    served.show(Fault("gzip_bomb", value=size))
    async with tool_for(served, new_key()) as tool:
        with _memory() as peak:
            error = await failure_of(tool.read(mode=mode, output="posts", **ARGUMENTS[mode]))
    assert (error.code, error.attempts) == ("upstream_malformed", 1)
    assert peak[0] < most


@pytest.mark.parametrize(
    ("mode", "size", "accepted"),
    [
        ("article", 1_000_000, True),
        ("article", MIB + 1, False),
        ("profile", MIB + 1, True),
        ("profile", 16_000_000, True),
        ("profile", 16 * MIB + 1, False),
    ],
)
async def test_an_article_may_be_a_mebibyte_and_everything_else_sixteen(
    served: Served, mode: str, size: int, accepted: bool
) -> None:
    """Decoded bytes count; padding that the tool does not read is no reason to refuse what fits."""
    path = ARTICLE if mode == "article" else "/twitter/user/*"
    served.show(Fault("oversize", path=path, value=size))
    async with tool_for(served, new_key()) as tool:
        call = tool.read(mode=mode, output="posts", **ARGUMENTS[mode])
        if accepted:
            assert len((await call).items) == 1
        else:
            assert "larger than" in (await failure_of(call)).message


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault("oversize", path="/twitter/tweets", value=MIB + 1), "oversize"),
        (Fault("gzip_bomb", path="/twitter/tweets"), "oversize"),
        (Fault("invalid_json", path="/twitter/tweets"), "malformed"),
        (Fault("cut_body", path="/twitter/tweets"), "malformed"),
        (Fault("deep_json", path="/twitter/tweets"), "malformed"),
        (Fault("status_error", path="/twitter/tweets"), "failed"),
        (Fault("data_null", path="/twitter/tweets"), "missing"),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else value,
)
async def test_an_article_whose_post_cannot_be_read_is_shown_without_its_link(
    served: Served, fault: Fault, reason: str
) -> None:
    """The body was read and paid for; only its source is missing, and the note says why."""
    served.show(fault)
    async with tool_for(served, new_key()) as tool:
        result = await tool.read(mode="article", output="posts", **ARGUMENTS["article"])
    (item,) = result.items
    assert item["blocks"]
    assert "url" not in item
    assert [note["reason"] for note in result.details["notes"] if note["code"] == "article_source"] == [reason]
    assert served.paths == [ARTICLE, "/twitter/tweets"]


@pytest.mark.parametrize("fault", ["http_402", "http_500", "http_503", "redirect", "drop_connection"])
async def test_an_article_whose_second_request_is_refused_fails(served: Served, fault: str) -> None:
    """A refusal is no answer about the source; the first request may be billed again."""
    served.show(Fault(fault, path="/twitter/tweets"))
    async with tool_for(served, new_key(), clock=Hands().clock()) as tool:
        error = await failure_of(tool.read(mode="article", output="posts", **ARGUMENTS["article"]))
    assert error.pages_accepted == 1


@pytest.mark.parametrize("fault", ["status_error", "status_failed"])
@pytest.mark.parametrize("mode", [*ARGUMENTS, "space"])
async def test_a_key_that_upstream_repeats_is_taken_out(served: Served, fault: str, mode: str) -> None:
    """In whatever spelling."""
    key = f"{new_key()}/with+signs"
    spelled = quote(key, safe="")
    echo = f"bad key {key} {spelled} {spelled.lower()}"
    served.show(Fault(fault, value=echo))
    arguments = ARGUMENTS.get(mode) or {"query": "what", "spaceId": HINTS["Space that has ended"]}
    async with tool_for(served, key) as tool:
        error = await failure_of(tool.call({"mode": mode, "output": "posts", **arguments}))
    text = shown(error)
    assert error.code == "upstream_rejected"
    assert ("bad key [removed]" in text) == (mode != "article")
    for secret in (key, spelled, key[:12]):
        assert secret not in text


@pytest.mark.parametrize("before", range(160, 200, 6))
async def test_a_key_at_the_end_of_a_long_explanation_is_not_cut_in_two(served: Served, before: int) -> None:
    """The head of a key would pass for a word."""
    served.show(Fault("status_error", value=f"{'x' * before} secret-key-{before}-of-a-test"))
    async with tool_for(served, f"secret-key-{before}-of-a-test") as tool:
        error = await failure_of(tool.read(mode="posts", output="posts", **ARGUMENTS["posts"]))
    assert "x secret" not in shown(error)
    assert "x s" not in error.message


@pytest.mark.parametrize("fault", ["status_error", "status_failed"])
async def test_markup_in_the_words_of_upstream_is_not_shown(served: Served, fault: str) -> None:
    """A page of a firewall is no explanation."""
    served.show(Fault(fault, value="<html><body>blocked <b>you</b></body></html>"))
    async with tool_for(served, new_key()) as tool:
        error = await failure_of(tool.read(mode="posts", output="posts", **ARGUMENTS["posts"]))
    assert "unknown" in error.message
    assert "<" not in str(error.to_dict())


@pytest.fixture
async def elsewhere() -> AsyncIterator[tuple[str, list[bytes]]]:
    """Another server, and what reaches it."""
    received: list[bytes] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.append(await reader.read(65_536))
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", received


@pytest.mark.parametrize("target", ["/twitter/user/info", "{}/taken?x=1", "//example.org/", "http://[bad", ""])
async def test_a_redirect_is_not_followed_anywhere(
    served: Served, elsewhere: tuple[str, list[bytes]], target: str
) -> None:
    """Not to another path, not to another host, and a target that is no address is no crash."""
    origin, received = elsewhere
    served.show(Fault("redirect", value=target.format(origin)))
    async with tool_for(served, new_key()) as tool:
        error = await failure_of(tool.read(mode="posts", output="posts", **ARGUMENTS["posts"]))
    assert (error.code, error.http_status, error.attempts) == ("upstream_rejected", 302, 1)
    assert origin not in shown(error)
    assert received == []
    assert len(served.paths) == 1


@pytest.mark.parametrize("fault", ["cut_body", "invalid_json", "slow_body", "many_nodes"])
async def test_a_compressed_answer_is_judged_by_what_it_decodes_to(fault: str) -> None:
    """Cut inside the compressed data, or whole but wrong inside."""
    with serving(gzip=True) as served:
        async with tool_for(served, new_key(), timeout_s=0.5) as tool:
            assert len((await tool.read(mode="followers", output="posts", **ARGUMENTS["followers"])).items) == 546
            served.show(Fault(fault, value=3600 if fault == "slow_body" else None))
            error = await failure_of(tool.read(mode="followers", output="posts", **ARGUMENTS["followers"]))
        served.start_over()
    assert (error.code, error.http_status, error.attempts) == ("upstream_malformed", 200, 1)


async def test_a_slow_answer_that_ends_in_time_is_a_good_one(served: Served) -> None:
    """Pieces that drip in are put together."""
    served.show(Fault("slow_body", value=0))
    async with tool_for(served, new_key()) as tool:
        result = await tool.read(mode="followers", output="posts", **ARGUMENTS["followers"])
    assert len(result.items) == 546


async def test_a_refusal_whose_explanation_never_ends_is_judged_by_its_status(served: Served) -> None:
    """The status is known; its words are not worth the whole time of an attempt."""
    served.show(Fault("http_402"), Fault("slow_body", value=3600))
    async with tool_for(served, new_key(), timeout_s=0.3) as tool:
        error = await failure_of(tool.read(mode="profile", output="posts", **ARGUMENTS["profile"]))
    assert (error.code, error.http_status, error.attempts) == ("credits_exhausted", 402, 1)
