"""Where the private cache lies, and making sure that nobody but its owner can read or plant anything there."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from twitter_tool.text import line

APP: Final = "twitter-tool"
FILE_NAME: Final = "evidence.sqlite"
LOCK_NAME: Final = "evidence.lock"
OURS: Final = ("evidence.", "speech")
"""How the names begin of what this tool puts into the folder."""
LOCK_WAIT_S: Final = 5.0
HELD: Final = "another process holds it for too long"
_LOCK_PAUSE_S: Final = 0.01
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_NOT_FOLLOWED: Final = getattr(os, "O_NOFOLLOW", 0)
_WORDS_CAP: Final = 200


class Unusable(Exception):
    """The cache cannot be used as it is; the argument says why, in plain words without a path."""


def cache_folder(configured: str | None, environ: Mapping[str, str]) -> Path:
    """The folder of the cache: the configured one, else the platform's for this tool.

    Args:
        configured: the setting ``evidence_cache_dir``; a leading ``~`` is the home of ``environ``. A path that is not
            absolute is returned as it is, and refused by :func:`checked_folder`.
        environ: where ``HOME`` and ``XDG_CACHE_HOME`` are looked for.
    """
    home = environ.get("HOME", "").strip()
    if configured:
        if configured == "~" or configured.startswith("~/"):
            return Path(home or Path.home(), configured[2:])
        return Path(configured)
    if os.name == "posix" and sys.platform != "darwin":
        base = environ.get("XDG_CACHE_HOME", "").strip()
        if os.path.isabs(base):
            return Path(base, APP)
        if home:
            return Path(home, ".cache", APP)
    from platformdirs import user_cache_path  # only needed where the given environment does not tell

    return user_cache_path(APP, appauthor=False)


def checked_folder(folder: Path, *, create: bool) -> bool:
    """Look at the folder before anything in it is trusted.

    A folder of our own making, and one that holds nothing but what is ours, is closed to everybody else.

    Returns:
        Whether it is there.

    Raises:
        Unusable: it is no folder of its owner's alone: somebody else's, a link, or one that others may write to.
    """
    if create and folder.is_absolute():
        make_folder(folder)
    rights = _rights(folder)
    if rights is None:
        return False
    if rights & 0o077 and _is_ours_alone(folder):
        _close(folder)
    return True


def folder_fault(folder: Path) -> str | None:
    """Why a folder would not be used, as a clause; ``None`` when it would, or could be made. Changes nothing."""
    try:
        _rights(folder)
    except Unusable as error:
        return str(error)
    return None


def make_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, closed to others from the first moment.

    Raises:
        Unusable: it cannot be made.
    """
    missing = []
    place = folder
    while place != place.parent and not os.path.lexists(place):
        missing.append(place)
        place = place.parent
    try:
        for place in reversed(missing):
            try:
                os.mkdir(place, 0o700)
            except FileExistsError:  # another process was faster
                continue
            _close(place)  # a strict umask takes rights away from the owner too
    except (FileNotFoundError, NotADirectoryError):
        raise Unusable("its folder cannot be made, since a file is in the way") from None
    except (OSError, ValueError) as error:
        raise Unusable(f"its folder cannot be used: {words(error)}") from None


def checked_file(path: Path) -> bool:
    """Look at the file of the cache; one that others may read is closed to them.

    Returns:
        Whether it is there.

    Raises:
        Unusable: it is a link, no regular file, or somebody else's.
    """
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise Unusable(f"its file cannot be used: {words(error)}") from None
    if not stat.S_ISREG(found.st_mode):
        raise Unusable("its file is a link, or no regular file")
    if os.name == "posix":
        if found.st_uid != os.geteuid():
            raise Unusable("its file belongs to somebody else")
        if found.st_mode & 0o077:
            _close(path, 0o600)
    return True


def private_file(path: Path) -> None:
    """Make an empty file that its owner alone can read, whatever the umask; never through a link.

    Raises:
        OSError: something is there already, or it cannot be made.
    """
    number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NOT_FOLLOWED, 0o600)
    try:
        if os.name == "posix":
            os.fchmod(number, 0o600)
    finally:
        os.close(number)


@contextmanager
def locked(folder: Path, *, alone: bool) -> Iterator[None]:
    """Hold the lock of the cache: together with others while reading and writing, alone while replacing its file.

    The lock goes with its holder, also when that is killed. It waits for a few seconds, so call it in a thread.

    Raises:
        Unusable: others hold it for too long.
    """
    if sys.platform == "win32":  # pragma: no cover - no such lock; a file in use cannot be replaced there either
        yield
        return
    import fcntl

    number = -1
    try:
        try:
            number = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | _NOT_FOLLOWED, 0o600)
            if os.fstat(number).st_mode & 0o777 != 0o600:  # just made, under a strict umask
                os.fchmod(number, 0o600)
            end = time.monotonic() + LOCK_WAIT_S
            while not _taken(number, fcntl.LOCK_EX if alone else fcntl.LOCK_SH):
                if time.monotonic() >= end:
                    raise Unusable(HELD)
                time.sleep(_LOCK_PAUSE_S)
        except OSError as error:
            raise Unusable(f"its lock cannot be used: {words(error)}") from None
        yield
    finally:
        if number >= 0:
            os.close(number)


def _taken(number: int, kind: int) -> bool:
    if sys.platform == "win32":  # pragma: no cover - never asked there
        return True
    import fcntl

    try:
        fcntl.flock(number, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def words(error: OSError | ValueError) -> str:
    """What the system says of a failure, without a path."""
    said = getattr(error, "strerror", None) or "the path is not valid"
    return line(said[:1].lower() + said[1:], _WORDS_CAP)


def _rights(folder: Path) -> int | None:
    """The rights of a folder that can be trusted; ``None`` when there is none, 0o700 where there are no rights."""
    if not folder.is_absolute():
        raise Unusable("evidence_cache_dir must be an absolute path, or begin with ~/")
    try:
        found = os.lstat(folder)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise Unusable(f"its folder cannot be used: {words(error)}") from None
    if not stat.S_ISDIR(found.st_mode):
        raise Unusable("its folder is a link or a file")
    if os.name != "posix":  # elsewhere the user's own folders are private by their place
        return 0o700
    if found.st_uid != os.geteuid():
        raise Unusable("its folder belongs to somebody else")
    if found.st_mode & _OTHERS_WRITE:
        raise Unusable("others may write to its folder; chmod 700 would close it")
    return stat.S_IMODE(found.st_mode)


def _close(path: Path, mode: int = 0o700) -> None:
    try:
        os.chmod(path, mode)
    except OSError as error:
        raise Unusable(f"it cannot be closed to others: {words(error)}") from None


def _is_ours_alone(folder: Path) -> bool:
    try:
        return all(name.startswith(OURS) for name in os.listdir(folder))
    except OSError as error:
        raise Unusable(f"its folder cannot be read: {words(error)}") from None
