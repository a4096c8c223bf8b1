"""What a written answer costs besides the model: preparing the request, choosing what fits, and importing LiteLLM."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

from benchmarks.report import Row
from twitter_tool import TwitterTool
from twitter_tool.models import litellm_client
from twitter_tool.models.facts import ModelFacts
from twitter_tool.models.limits import ChainRoom
from twitter_tool.output.delivery import Retrieved
from twitter_tool.output.prompt import system_prompt
from twitter_tool.output.select import choose
from twitter_tool.records import Author, Post
from twitter_tool.text import block, line

POSTS = 50
RUNS = 15
UPSTREAM_S = 2.0
SIZES = (100, 1_000, 10_000)
NAME = "openai/local-model"
COMPLETION = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "local-model",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "An answer."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16},
}


def rows() -> list[Row]:
    """Preparation, selection, and the wall time of a one-shot answer."""
    return [_preparation(), *_selection(), *_one_shot()]


def raw_posts(count: int) -> list[dict[str, Any]]:
    """Posts of the usual size, one in four with a quoted one."""
    found = []
    for number in range(1, count + 1):
        post = {
            "id": str(number),
            "url": f"https://x.com/ann/status/{number}",
            "text": f"Post {number}: the new tram line is quiet at night.\nNot so at noon, say the neighbours. " * 2,
            "createdAt": "Mon Sep 21 10:00:00 +0000 2026",
            "lang": "en",
            "likeCount": number,
            "replyCount": 0,
            "viewCount": 12 * number,
            "author": {"userName": "ann", "id": "5", "name": "Ann", "followers": 9},
        }
        if number % 4 == 0:
            post["quoted_tweet"] = {**post, "id": f"9{number}", "url": f"https://x.com/bob/status/9{number}"}
        found.append(post)
    return found


def _preparation() -> Row:
    marks = dict[str, float]()
    sent = list[str]()
    body = json.dumps({"tweets": raw_posts(POSTS), "has_next_page": False, "next_cursor": ""}).encode()

    def upstream(request: httpx.Request) -> httpx.Response:
        marks["read"] = time.process_time()
        return httpx.Response(200, content=body)

    def model(request: httpx.Request) -> httpx.Response:
        marks["leaves"] = time.process_time()
        sent.append(json.loads(request.content)["messages"][1]["content"])
        return httpx.Response(200, json=COMPLETION)

    async def measured() -> tuple[float, float]:
        own, joined = [], []
        async with TwitterTool(**_options("http://127.0.0.1:9/v1"), transport=httpx.MockTransport(upstream)) as tool:
            for _ in range(RUNS):
                await tool.call({"query": "What is argued?", "count": POSTS})
                own.append(marks["leaves"] - marks["read"])
                started = time.process_time()
                _joined(json.loads(body)["tweets"])
                joined.append(time.process_time() - started)
        return statistics.median(own[3:]), statistics.median(joined[3:])

    usual = litellm_client.network
    litellm_client.network = lambda **_: httpx.MockTransport(model)
    try:
        spent, joins = asyncio.run(measured())
    finally:
        litellm_client.network = usual
    beyond = (spent - joins) * 1000
    return Row(
        f"CPU from the last byte read to the request for the model, {POSTS} posts, {len(sent[-1]):,} characters",
        f"{beyond:.1f} ms beyond ({spent * 1000:.1f} ms against {joins * 1000:.1f} ms)",
        "the same prompt from plain dictionaries with plain joins",
        "at most 15 ms beyond",
        beyond <= 15,
    )


def _joined(posts: list[dict[str, Any]]) -> str:
    """As good as the prompt, without any care."""
    parts = []
    for number, post in enumerate(posts, 1):
        quoted = post.get("quoted_tweet")
        lines = [
            f"[{number}] @{post['author']['userName']} - {post['createdAt']} - {post['likeCount']} likes,"
            f" {post['replyCount']} replies, {post['viewCount']} views",
            f"permalink: {post['url']}",
            f"lang: {post['lang']}",
            "text:",
            *("> " + part for part in post["text"].split("\n")),
        ]
        if quoted:
            lines += [f"quoted permalink: {quoted['url']}", *("> " + part for part in quoted["text"].split("\n"))]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _selection() -> Iterator[Row]:
    facts = ModelFacts(
        name=NAME, provider="openai", call_name=NAME, context_window=100_000_000, max_output_tokens=4_096
    )
    each = []
    for size in SIZES:
        records = tuple(
            Post(id=line(str(n), 25), text=block(f"post {n} " * 20), author=Author(handle=line("ann", 20)))
            for n in range(size)
        )
        spent = []
        for _ in range(5):
            room = ChainRoom((facts,), system=system_prompt("post"), max_chars=100_000_000)
            started = time.process_time()
            chosen = choose(Retrieved(records=records), room, lists_sources=False)
            spent.append(time.process_time() - started)
            assert len(chosen.delivery.units) == size
        each.append(min(spent) / size)
    figures = ", ".join(f"{per * 1e6:.1f} µs" for per in each)
    ratio = each[-1] / each[0]
    yield Row(
        f"choosing what fits, CPU per post of {', '.join(f'{size:,}' for size in SIZES)}",
        f"{figures} ({ratio:.2f} from first to last)",
        f"the same per post at {SIZES[0]}",
        "linear: at most 1.5",
        ratio <= 1.5,
    )


def _one_shot() -> Iterator[Row]:
    with _model_server() as port:
        walls = {kind: statistics.median(_child(kind, port) for _ in range(3)) for kind in ("overlapping", "late")}
    yield Row(
        f"wall time of a one-shot answer, upstream {UPSTREAM_S:.0f} s, LiteLLM imported meanwhile",
        f"{walls['overlapping']:.1f} s",
        f"{walls['late']:.1f} s with the import after retrieval",
        "less",
        walls["overlapping"] < walls["late"],
    )


def _child(kind: str, port: int) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "benchmarks.answers", kind, str(port)], check=True)
    return time.perf_counter() - started


@contextmanager
def _model_server() -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            body = json.dumps(COMPLETION).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def _options(api_base: str) -> dict[str, Any]:
    limits = {"api_base": api_base, "context_window": 200_000, "max_output_tokens": 4_096}
    settings = {"synthesis_model": NAME, "models": {NAME: limits}, "min_request_interval_ms": 0}
    return {"api_key": "k", "environ": {"TWITTER_TOOL_CONFIG": "/dev/null"}, "settings": settings}


async def one_shot(port: int) -> None:
    """One answer, with an upstream that takes its time."""

    async def upstream(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(UPSTREAM_S)
        return httpx.Response(200, json={"tweets": raw_posts(10), "has_next_page": False, "next_cursor": ""})

    options = _options(f"http://127.0.0.1:{port}/v1")
    async with TwitterTool(**options, transport=httpx.MockTransport(upstream)) as tool:
        result = await tool.call({"query": "What is argued?"})
    assert result.details["synthesisCalls"] == 1


if __name__ == "__main__":
    if sys.argv[1] == "late":
        litellm_client.LiteLLMClient.start_import = lambda self: None
    asyncio.run(one_shot(int(sys.argv[2])))
