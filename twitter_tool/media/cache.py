"""The private cache of video text: what an earlier call heard and saw in a video, for the next call that asks.

One SQLite file that its owner alone can read. It holds text that was made of videos, never a post's text, a question
or a picture, under a digest that tells nothing by itself. It is off unless its user turns it on, and nothing that is
wrong with it fails a call: what cannot be used is told in :attr:`EvidenceCache.trouble`.

Many processes may use it at once. Whoever reads or writes holds a lock together with others; whoever replaces a
damaged file holds it alone, so that nothing is written to a file that is being taken away.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from twitter_tool.clock import Clock
from twitter_tool.media.assets import Asset
from twitter_tool.media.cache_file import Damaged, Identity, begin, identity, opened, remove_all, set_aside, size_of
from twitter_tool.media.cache_folder import FILE_NAME, Unusable, cache_folder, checked_file, checked_folder, locked
from twitter_tool.text import Block, block, line

__all__ = ["MAX_CHARS", "MAX_ENTRIES", "CacheFacts", "EvidenceCache", "Kept", "cache_folder", "cache_key"]

MAX_CHARS: Final = 20_000
"""Of each kept text; what is shown of one is far shorter."""
MAX_ENTRIES: Final = 10_000
"""Beyond them the oldest go."""
MAX_COUNT: Final = 1_000_000
"""Of seconds and of passages; a larger number is no such thing."""
_METHOD_CAP: Final = 100
_DAY_S: Final = 86_400
_FORMAT: Final = "video-text-2"
_READ: Final = (
    "SELECT method, transcript, visual, silent, dropped, seconds, trimmed FROM evidence"
    " WHERE key = ? AND kept_at BETWEEN ? AND ?"
)
_WRITE: Final = "INSERT OR REPLACE INTO evidence VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_COUNT: Final = "SELECT count(*) FROM evidence"
_COUNT_VALID: Final = "SELECT count(*), min(kept_at), max(kept_at) FROM evidence WHERE kept_at BETWEEN ? AND ?"
_ANY_STALE: Final = "SELECT 1 FROM evidence WHERE kept_at NOT BETWEEN ? AND ? LIMIT 1"
_DROP_STALE: Final = "DELETE FROM evidence WHERE kept_at NOT BETWEEN ? AND ?"
_DROP_OLDEST: Final = (
    "DELETE FROM evidence WHERE key <> ? AND key IN (SELECT key FROM evidence ORDER BY kept_at DESC LIMIT -1 OFFSET ?)"
)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What was made of a video.

    Attributes:
        method: how, for example ``gemini-native``.
        transcript, visual: what is said and shown; untrusted.
        silent: it was found that there is no speech.
        dropped: doubtful passages that the transcript lacks.
        seconds: of the video that were used, where that is known.
        trimmed: whether they are its beginning only.
    """

    method: str
    transcript: Block | None = None
    visual: Block | None = None
    silent: bool = False
    dropped: int = 0
    seconds: int | None = None
    trimmed: bool = False

    @property
    def tells_anything(self) -> bool:
        """Whether there is something worth keeping."""
        return bool(self.transcript or self.visual or self.silent)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheFacts:
    """What is in the cache.

    Attributes:
        path: of its file, which need not exist.
        entries: those that are still valid; ``expired`` ones are gone at the next use.
        size: in bytes, of the file and of what SQLite keeps beside it.
        oldest, newest: when the valid entries were kept; ``None`` without any.
        days: how long an entry is valid.
    """

    path: Path
    entries: int = 0
    expired: int = 0
    size: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None
    days: int


def cache_key(asset: Asset, *, window_s: int, route: str, source: str = "") -> str:
    """The name under which the text of a video is kept: a digest of the video and of how its text was made.

    Post texts, questions and the query strings of addresses, which may be signatures, do not go into it.

    Args:
        window_s: seconds of a video that are used.
        route: who makes the text and how: service or local model, its name and version, its prompt or its options.
        source: where videos come from when it is not X: a stand-in may give anything under the same address.
    """
    media = asset.media
    addresses = sorted({_bare(variant.url) for variant in media.variants})
    if not addresses and media.url is not None:
        addresses = [_bare(media.url)]
    parts = [_FORMAT, asset.kind, media.id, addresses, asset.duration_s, window_s, route, source]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()


class EvidenceCache:
    """The cache as one call or command uses it. Nothing here raises for what is wrong with files.

    Args:
        folder: holds the file; made when something is kept, closed to everybody but its owner.
        days: how long an entry is valid.
        clock: tells what is too old.

    Attributes:
        trouble: what was wrong, one plain sentence without a path; ``None`` when nothing was.
        usable: whether it goes on being used. A damaged file is replaced; what cannot be mended ends its use.
    """

    def __init__(self, folder: Path, *, days: int, clock: Clock) -> None:
        self._folder = folder
        self._days = days
        self._clock = clock
        self.trouble: str | None = None
        self.usable = True

    @property
    def path(self) -> Path:
        """The file, which need not exist."""
        return self._folder / FILE_NAME

    async def get(self, key: str) -> Kept | None:
        """What is kept under a key, if it is not too old."""
        return await asyncio.to_thread(self._safely, lambda: self._used(lambda file: self._read(file, key)))

    async def put(self, key: str, kept: Kept) -> None:
        """Keep something; it takes the place of what was there. What tells nothing is not kept."""
        if kept.tells_anything:
            await asyncio.to_thread(
                self._safely, lambda: self._used(lambda file: self._write(file, key, kept), create=True)
            )

    def facts(self) -> CacheFacts:
        """What is in it; makes no file. It may wait for other processes, so keep it out of event loops."""
        return self._safely(lambda: self._used(self._counted)) or CacheFacts(path=self.path, days=self._days)

    def clear(self) -> int:
        """Remove everything, files that were set aside included; returns how many entries there were.

        It may wait for other processes, so keep it out of event loops.
        """
        return self._safely(self._cleared) or 0

    def _safely(self, work: Callable[[], T | None]) -> T | None:
        """Do something, and have nothing more done after what cannot be mended."""
        if not self.usable:
            return None
        try:
            return work()
        except Unusable as error:
            why = str(error)
        except Exception as error:
            # Nothing that is wrong with a file may end the work that it was to spare; its name says what it was.
            why = f"it failed unexpectedly ({type(error).__name__})"
        self.usable = False
        self._tell(f"the private cache of video text was not used: {why}")
        return None

    def _used(self, work: Callable[[sqlite3.Connection], T], *, create: bool = False) -> T | None:
        """Do something with the file; a damaged one is replaced first, an absent one is made when asked for.

        Raises:
            Unusable: it cannot be used.
        """
        if not checked_folder(self._folder, create=create) or not (checked_file(self.path) or create):
            return None
        for _ in range(3):  # another process may bring about the one fault or the other in between
            damaged: Identity | None = None
            with locked(self._folder, alone=False):
                if checked_file(self.path):
                    damaged = identity(self.path)
                    try:
                        with opened(self.path) as file:
                            return work(file)
                    except Damaged as error:
                        why = str(error)
                elif not create:
                    return None
            with locked(self._folder, alone=True):
                if damaged is not None and identity(self.path) == damaged:
                    name = set_aside(self._folder)
                    self._tell(f"the private cache of video text {why} and was set aside as {name}; a new one begins")
                if create and not checked_file(self.path):
                    begin(self._folder)
        raise Unusable("it was damaged again and again")

    def _read(self, file: sqlite3.Connection, key: str) -> Kept | None:
        span = self._span()
        row = file.execute(_READ, (key, *span)).fetchone()
        if file.execute(_ANY_STALE, span).fetchone() is not None:
            file.execute(_DROP_STALE, span)
        return None if row is None else _kept(row)

    def _write(self, file: sqlite3.Connection, key: str, kept: Kept) -> None:
        texts = (line(kept.method, _METHOD_CAP), _bounded(kept.transcript), _bounded(kept.visual))
        numbers = (int(kept.silent), _count(kept.dropped) or 0, _count(kept.seconds), int(kept.trimmed))
        file.execute("BEGIN IMMEDIATE")
        file.execute(_DROP_STALE, self._span())
        file.execute(_WRITE, (key, self._now(), *texts, *numbers))
        file.execute(_DROP_OLDEST, (key, MAX_ENTRIES))
        file.execute("COMMIT")

    def _counted(self, file: sqlite3.Connection) -> CacheFacts:
        entries, oldest, newest = file.execute(_COUNT_VALID, self._span()).fetchone()
        return CacheFacts(
            path=self.path,
            entries=entries,
            expired=file.execute(_COUNT).fetchone()[0] - entries,
            size=size_of(self._folder),
            oldest=_moment(oldest),
            newest=_moment(newest),
            days=self._days,
        )

    def _cleared(self) -> int | None:
        if not checked_folder(self._folder, create=False):
            return None
        with locked(self._folder, alone=True):
            entries = 0
            if checked_file(self.path):
                try:
                    with opened(self.path) as file:
                        entries = int(file.execute(_COUNT).fetchone()[0])
                except Damaged:  # it goes away all the same
                    entries = 0
            remove_all(self._folder)
        return entries

    def _span(self) -> tuple[int, int]:
        """From when to when an entry must have been kept; one of tomorrow was kept by a clock that was wrong."""
        now = self._now()
        return now - self._days * _DAY_S, now + _DAY_S

    def _now(self) -> int:
        return int(self._clock.now().timestamp())

    def _tell(self, trouble: str) -> None:
        if self.trouble is None:  # what follows is mostly a consequence
            self.trouble = trouble


def _kept(row: tuple[Any, ...]) -> Kept | None:
    """A row as what it says, cleaned again: the file may have been written by anything."""
    method, transcript, visual, silent, dropped, seconds, trimmed = row
    if not isinstance(method, str):
        return None
    kept = Kept(
        method=line(method, _METHOD_CAP),
        transcript=_bounded(transcript),
        visual=_bounded(visual),
        silent=silent == 1,
        dropped=_count(dropped) or 0,
        seconds=_count(seconds),
        trimmed=trimmed == 1,
    )
    return kept if kept.tells_anything else None


def _count(number: object) -> int | None:
    return number if type(number) is int and 0 <= number <= MAX_COUNT else None


def _bounded(text: object) -> Block | None:
    return block(text[:MAX_CHARS]) or None if isinstance(text, str) else None


def _moment(seconds: object) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if isinstance(seconds, int | float) else None


def _bare(url: str) -> str:
    return url.partition("#")[0].partition("?")[0]
