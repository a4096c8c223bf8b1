"""What the tests of the cache share: a clock, videos, and a program that uses the cache in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from twitter_tool.clock import Clock
from twitter_tool.links import Link
from twitter_tool.media.assets import Asset, Place
from twitter_tool.media.cache import EvidenceCache, Kept
from twitter_tool.records import Media, Post, Variant
from twitter_tool.text import block, line

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
SAID = Kept(method="gemini-native", transcript=block("[00:01] hello\n[00:03] there"), visual=block("A tram."))

WRITER = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from twitter_tool.clock import Clock
from twitter_tool.media.cache import EvidenceCache, Kept
from twitter_tool.text import block

folder, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
clock = Clock(now=lambda: datetime(2026, 11, 30, 12, tzinfo=UTC))
cache = EvidenceCache(folder, days=30, clock=clock)

async def write():
    for number in range(count):
        await cache.put(f"{name}-{number}", Kept(method="stt", transcript=block(f"{name} {number} " + "x" * 2000)))
        print(number, flush=True)

print("ready", flush=True)
sys.stdin.readline()
asyncio.run(write())
print("trouble:", cache.trouble, flush=True)
"""
"""Keeps so many entries once a line comes in, and tells each when it is kept."""


@dataclass
class Days:
    """A clock whose date is set by hand."""

    now: datetime = NOON

    def clock(self) -> Clock:
        """As the cache takes it."""
        return Clock(now=lambda: self.now)

    def pass_by(self, **span: float) -> None:
        """Let time go on."""
        self.now += timedelta(**span)


def cache_in(folder: Path, days: Days | None = None, valid: int = 30) -> EvidenceCache:
    """A cache as one call has it."""
    return EvidenceCache(folder, days=valid, clock=(days or Days()).clock())


def writer(folder: Path, name: str, count: int) -> subprocess.Popen[str]:
    """A process that waits for a line before it writes."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), name, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def video(
    *addresses: str, id: str | None = "77", poster: str | None = None, milliseconds: Any = 9000, text: str = ""
) -> Asset:
    """A video at these addresses, in a post with this text."""
    media = Media(
        kind=line("video", 20),
        id=None if id is None else line(id, 20),
        url=None if poster is None else Link(poster),
        duration_ms=milliseconds,
        variants=tuple(Variant(Link(address)) for address in addresses),
    )
    post = Post(id=line("1", 20), text=block(text), media=(media,))
    return Asset(kind="video", places=(Place(unit=0, root=post, post=post, relation=None, media=media),))
