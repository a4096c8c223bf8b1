"""Peak memory of walks of 1, 10 and 100 pages, and how many pages are held at a time."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

from benchmarks.pages import running, tool
from benchmarks.report import Row

SIZES = (1, 10, 100)


def rows() -> list[Row]:
    """Peaks over the idle process in MB, and the most page bodies alive at once."""
    found = []
    for pages in SIZES:
        with running(pages) as port:
            idle, peak, alive = _child(port, pages)
        found.append(Row(f"peak memory of a walk of {pages} pages", f"{peak - idle:.1f} MB", "idle process", "-", None))
        if pages == SIZES[-1]:
            found.append(
                Row(f"raw bodies alive at once, {pages} pages", str(alive), "weak references", "at most 2", alive <= 2)
            )
    return found


def _child(port: int, pages: int) -> tuple[float, float, int]:
    command = [sys.executable, "-m", "benchmarks.memory", str(port), str(pages)]
    idle, peak, alive = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return float(idle), float(peak), int(alive)


class _Page(dict[str, Any]):
    """A parsed body that can be watched."""

    __slots__ = ("__weakref__",)
    __hash__ = object.__hash__


def _watch() -> list[int]:
    """Make every parsed body watchable; the list collects how many are alive when a new one comes."""
    from twitter_tool.backends.twitterapi import client

    alive: weakref.WeakSet[_Page] = weakref.WeakSet()
    counts: list[int] = []
    original = client.parse_object

    def parse(raw: bytes) -> dict[str, Any]:
        body = _Page(original(raw))
        alive.add(body)
        gc.collect()
        counts.append(len(alive))
        return body

    client.parse_object = parse
    return counts


def _memory_mb(field: str) -> float:
    """A figure of this process's own memory, from the kernel's books, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise SystemExit(f"this system keeps no {field}")


if __name__ == "__main__":
    Path("/proc/self/clear_refs").write_text("5")  # the peak of the imports is forgotten
    idle = _memory_mb("VmRSS")
    counts = _watch()
    if asyncio.run(tool(int(sys.argv[1]), int(sys.argv[2]))) != int(sys.argv[2]) * 20:
        raise SystemExit("not every page was read")
    print(idle, _memory_mb("VmHWM"), max(counts))
