"""The SQLite file of the private cache: beginning one, opening it without trusting it, and taking a damaged one away.

All of it expects that the lock of the cache is held.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from twitter_tool.media.cache_folder import FILE_NAME, HELD, Unusable, private_file, words

BUSY_S: Final = 5.0
KEPT_ASIDE: Final = 3
"""Damaged files that are kept at most; the oldest gives way."""
VERSION: Final = 2
_MARK: Final = 0x74775F65
"""Which application a file belongs to."""
_MAX_VALUE_BYTES: Final = 1_000_000
_SIDE_FILES: Final = ("-journal", "-wal", "-shm")
_NEW: Final = f"{FILE_NAME}.new"
_ASIDE: Final = f"{FILE_NAME}.corrupt-"
_SCHEMA: Final = (
    (
        "evidence",
        "CREATE TABLE evidence (key TEXT PRIMARY KEY NOT NULL, kept_at INTEGER NOT NULL, method TEXT NOT NULL,"
        " transcript TEXT, visual TEXT, silent INTEGER NOT NULL, dropped INTEGER NOT NULL, seconds INTEGER,"
        " trimmed INTEGER NOT NULL) WITHOUT ROWID",
    ),
    ("evidence_age", "CREATE INDEX evidence_age ON evidence (kept_at)"),
)
_DAMAGED: Final = frozenset(
    (
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FORMAT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_TOOBIG,
    )
)
_REASONS: Final = {
    sqlite3.SQLITE_BUSY: HELD,
    sqlite3.SQLITE_LOCKED: HELD,
    sqlite3.SQLITE_CANTOPEN: "its file cannot be opened",
    sqlite3.SQLITE_FULL: "there is no space left for it",
    sqlite3.SQLITE_IOERR: "reading or writing it failed",
    sqlite3.SQLITE_PERM: "its file cannot be opened",
    sqlite3.SQLITE_READONLY: "it cannot be written to",
}
Identity = tuple[int, int]
"""Which file stands behind a path."""


class Damaged(Exception):
    """The file cannot be read as the cache that it should be; the argument says why, in plain words."""


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The file, once it is known to be a cache of this version.

    Raises:
        Damaged: it is not one, or turns out to be broken while it is used.
        Unusable: it cannot be opened, read or written, or others hold it for too long.
    """
    try:
        with closing(_connected(path)) as connection:
            _check(connection)
            yield connection
    except sqlite3.Error as error:
        raise _judged(error) from None
    except (ValueError, OverflowError) as error:
        # SQLite's own message may quote damaged bytes, which Python cannot decode to make an error of it.
        raise Damaged("was damaged") from error


def begin(folder: Path) -> None:
    """Make an empty cache, which appears at its place whole and closed to everybody else.

    Raises:
        Unusable: it cannot be made.
    """
    new = folder / _NEW
    try:
        _remove(folder, (_NEW, *_beside(_NEW), *_beside(FILE_NAME)))
        private_file(new)
        with closing(_connected(new)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"PRAGMA application_id = {_MARK}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            for _, statement in _SCHEMA:
                connection.execute(statement)
            connection.execute("COMMIT")
        os.rename(new, folder / FILE_NAME)
    except OSError as error:
        raise Unusable(f"its file cannot be made: {words(error)}") from None
    except sqlite3.Error as error:
        raise Unusable(f"its file cannot be made: {_reason(error)}") from None


def set_aside(folder: Path) -> str:
    """Move a damaged file, with what SQLite keeps beside it, out of the way; returns its new name.

    Raises:
        Unusable: it cannot be moved.
    """
    names = [f"{_ASIDE}{number}" for number in range(1, KEPT_ASIDE + 1)]
    free = [name for name in names if not os.path.lexists(folder / name)]
    try:
        name = free[0] if free else min(names, key=lambda known: os.lstat(folder / known).st_mtime)
        _remove(folder, _beside(name))
        for side in (*_SIDE_FILES, ""):  # the file itself last: its journal must never be found beside another one
            with contextlib.suppress(FileNotFoundError):
                os.rename(folder / f"{FILE_NAME}{side}", folder / f"{name}{side}")
    except OSError as error:
        raise Unusable(f"its damaged file cannot be set aside: {words(error)}") from None
    return name


def remove_all(folder: Path) -> None:
    """Remove the file and all that were set aside.

    Raises:
        Unusable: something cannot be removed.
    """
    try:
        names = [name for name in os.listdir(folder) if name.startswith((FILE_NAME,))]
        _remove(folder, sorted(names, reverse=True))  # side files before the file they belong to
    except OSError as error:
        raise Unusable(f"it cannot be removed: {words(error)}") from None


def identity(path: Path) -> Identity | None:
    """Which file stands at a path; ``None`` when there is none."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def size_of(folder: Path) -> int:
    """Bytes of the file and of what SQLite keeps beside it."""
    total = 0
    for name in (FILE_NAME, *_beside(FILE_NAME)):
        with contextlib.suppress(OSError):  # side files come and go
            total += os.lstat(folder / name).st_size
    return total


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=BUSY_S, isolation_level=None)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    # What is deleted is overwritten; nothing in the file runs by itself; no file is written elsewhere.
    for pragma in ("secure_delete = ON", "trusted_schema = OFF", "cell_size_check = ON", "temp_store = MEMORY"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _check(connection: sqlite3.Connection) -> None:
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    found = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
    if mark == _MARK and version != VERSION:
        raise Damaged("was written by another version of the tool")
    if mark != _MARK or tuple(found) != _SCHEMA:
        raise Damaged("is no cache of this tool")


def _judged(error: sqlite3.Error) -> Damaged | Unusable:
    return Damaged("was damaged") if _code(error) in _DAMAGED else Unusable(_reason(error))


def _reason(error: sqlite3.Error) -> str:
    return _REASONS.get(_code(error), "it failed for an unknown reason")


def _code(error: sqlite3.Error) -> int:
    # Extended codes carry the primary one in their low byte; misuse of the module carries none.
    return int(getattr(error, "sqlite_errorcode", None) or -1) & 0xFF


def _beside(name: str) -> tuple[str, ...]:
    return tuple(f"{name}{side}" for side in _SIDE_FILES)


def _remove(folder: Path, names: tuple[str, ...] | list[str]) -> None:
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(folder / name)
