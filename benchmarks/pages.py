"""CPU of reading a thousand pages into records, beside a bare loop that downloads and parses the same pages."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from benchmarks.report import Row
from twitter_tool.backends.twitterapi.client import Client
from twitter_tool.backends.twitterapi.plan import WalkPlan
from twitter_tool.backends.twitterapi.read import Reader
from twitter_tool.http import Http
from twitter_tool.progress import Progress
from twitter_tool.usage import Usage

PAGES = 1000
RUNS = 3


def rows() -> list[Row]:
    """The ratio of client CPU, best of three runs in turn."""
    with running(PAGES) as port:
        bare, mine = [], []
        for _ in range(RUNS):
            bare.append(_child("bare", port))
            mine.append(_child("tool", port))
    ratio = min(mine) / min(bare)
    return [
        Row(
            f"CPU of {PAGES:,} pages of 20 posts into records",
            f"{ratio:.2f} ({min(mine):.2f} s against {min(bare):.2f} s)",
            "bare `httpx` loop with `json.loads`",
            "at most 2",
            ratio <= 2,
        )
    ]


@contextmanager
def running(pages: int) -> Iterator[int]:
    """The loopback server in a process of its own; gives its port."""
    command = [sys.executable, "-m", "benchmarks.server", str(pages)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield int(server.stdout.readline())
        finally:
            server.kill()


def _child(kind: str, port: int) -> float:
    command = [sys.executable, "-m", "benchmarks.pages", kind, str(port)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


async def bare(port: int) -> int:
    """Download and parse, nothing else; how many posts came."""
    count, cursor = 0, ""
    async with httpx.AsyncClient(trust_env=False) as client:
        while True:
            params = {"query": "tram", "queryType": "Latest"} | ({"cursor": cursor} if cursor else {})
            answer = await client.get(f"http://127.0.0.1:{port}/twitter/tweet/advanced_search", params=params)
            body = json.loads(answer.content)
            count += len(body["tweets"])
            if not body["has_next_page"]:
                return count
            cursor = body["next_cursor"]


async def tool(port: int, pages: int = PAGES) -> int:
    """The same through the product's reader; how many records came."""
    http, usage, progress = Http(route_to=f"http://127.0.0.1:{port}"), Usage(), Progress()
    client = Client(http=http, key="k", interval_s=0, retry_base_s=0, usage=usage, progress=progress)
    reader = Reader(client=client, budget=pages, ceiling=pages, usage=usage, progress=progress)
    plan = WalkPlan(
        path="/twitter/tweet/advanced_search",
        params=(("query", "tram"), ("queryType", "Latest")),
        what="posts",
        kind="posts",
        remaining="posts",
    )
    reading = await reader.read(plan)
    await http.aclose()
    return len(reading.records)


if __name__ == "__main__":
    import time

    work = {"bare": bare, "tool": tool}[sys.argv[1]]

    async def measured() -> None:
        before = time.process_time()
        count = await work(int(sys.argv[2]))
        spent = time.process_time() - before
        if count != PAGES * 20:
            raise SystemExit(f"only {count} posts were read")
        print(spent)

    asyncio.run(measured())
