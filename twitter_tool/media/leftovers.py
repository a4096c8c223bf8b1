"""Folders for the files of one piece of media work, and those that a killed process has left behind."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

if sys.platform != "win32":
    import fcntl

PREFIX: Final = "twitter-tool-"
LOCK: Final = ".in-use"
OLD_S: Final = 24 * 3600.0
"""A folder without a lock was left by a process that ended before it could lock it, if it is so old."""
_swept: set[str] = set()


class NoFolder(Exception):
    """No folder for temporary files can be made; the argument says why, in plain words without a path."""


@contextlib.contextmanager
def clip_folder() -> Iterator[Path]:
    """A folder of one's own, which is removed at the end with all that is in it.

    It is locked while it is in use. The first one of a process removes those that killed processes have left.

    Raises:
        NoFolder: none can be made.
    """
    try:
        folder = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
    except OSError as error:
        raise NoFolder(
            f"no folder for temporary files can be made ({error.strerror or type(error).__name__})"
        ) from None
    with folder as name:
        held = _held(Path(name))
        try:
            place = os.path.dirname(name)
            if place not in _swept:
                _swept.add(place)
                sweep(Path(place))
            yield Path(name)
        finally:
            if held is not None:
                os.close(held)


def sweep(place: Path) -> int:
    """Remove folders of this user that no process holds any more; returns how many. Never raises."""
    removed = 0
    try:
        names = [entry.name for entry in os.scandir(place) if entry.name.startswith(PREFIX)]
    except OSError:
        return 0
    for name in names:
        folder = place / name
        with contextlib.suppress(OSError):
            if _is_left(folder):
                shutil.rmtree(folder, ignore_errors=True)
                removed += not folder.exists()
    return removed


def _held(folder: Path) -> int | None:
    if sys.platform == "win32":  # there is no such lock, and what is open cannot be removed anyway
        return None
    try:
        file = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:  # a full disk; the work itself will say so
        return None
    with contextlib.suppress(OSError):  # a file system without locks
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file


def _is_left(folder: Path) -> bool:
    if sys.platform == "win32":  # a folder in use cannot be told from one that was left
        return False
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        return False
    try:
        file = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        return time.time() - found.st_mtime > OLD_S
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:  # in use
        return False
    finally:
        os.close(file)
