"""Where the settings files are, and reading one without trusting it.

A file may be large, malformed, hostile or not a file at all: reading it never blocks, takes a bounded time, and
reports a failure in words of our own, so that nothing of what the file holds gets into a note.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from twitter_tool.errors import bad_settings
from twitter_tool.text import line

Level = Literal["user", "project"]
Status = Literal["read", "missing", "unreadable"]

APP: Final = "twitter-tool"
USER_FILE: Final = "config.toml"
PROJECT_FILE: Final = ".twitter-tool.toml"
FILE_VARIABLE: Final = "TWITTER_TOOL_CONFIG"
MAX_BYTES: Final = 1024 * 1024
PATH_CAP: Final = 300

# The parser's time grows with the square of the dots of a dotted key, and with header depth times lines: a
# megabyte of either would hold the process for many minutes. Real files stay far below this.
_MAX_PARSE_WORK: Final = 5_000_000
_OPEN_FLAGS: Final = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
)
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)\Z")
_ERRNO_WORDS: Final[Mapping[int | None, str]] = {
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ELOOP: "too many symbolic links",
    errno.ENAMETOOLONG: "the path is too long",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStatus:
    """One settings file as this call found it.

    Attributes:
        reason: why it is unreadable, one line that repeats nothing of the file; else ``None``.
    """

    path: Path
    level: Level
    status: Status
    reason: str | None = None


class Unreadable(Exception):
    """A settings file, or text taken for TOML, that cannot be used; the argument is the reason."""


def working_directory() -> Path:
    """The process's own directory; a relative path to it, in which nothing is found, when it was deleted."""
    try:
        return Path.cwd()
    except OSError:
        return Path()


def user_file(cwd: Path, environ: Mapping[str, str], config_path: Path | None) -> Path | None:
    """The user's settings file; ``None`` when the caller named the null device, which means no file.

    Raises:
        SetupError: ``bad_settings`` when ``config_path`` does not exist.
    """
    if config_path is not None:
        path = cwd / config_path
        if str(path) == os.devnull:
            return None
        if not _exists(path):
            raise bad_settings(
                f"the settings file {line(str(config_path), PATH_CAP)!r} does not exist",
                "Create it, correct the path, or leave the option out to use the default file.",
            )
        return path
    named = environ.get(FILE_VARIABLE, "").strip()
    if named == os.devnull:
        return None
    if named:
        home = environ.get("HOME", "")
        return Path(home, named[2:]) if named.startswith("~/") and home else cwd / named
    return cwd / _config_folder(environ) / USER_FILE


def project_file(cwd: Path) -> Path:
    """The settings file that belongs to a working directory."""
    return cwd / PROJECT_FILE


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one existing file."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):  # one of them does not exist or cannot be looked at
        return False


def read_file(path: Path, level: Level) -> tuple[FileStatus, dict[str, Any]]:
    """Read one settings file; anything but a readable TOML file gives an empty table."""
    try:
        data = _regular_bytes(path)
        if data is None:
            return FileStatus(path=path, level=level, status="missing"), {}
        return FileStatus(path=path, level=level, status="read"), parse(_decoded(data))
    except Unreadable as error:
        return FileStatus(path=path, level=level, status="unreadable", reason=str(error)), {}


def parse(text: str) -> dict[str, Any]:
    """Parse TOML in bounded time.

    Raises:
        Unreadable: it is not TOML, or is built to be slow; the reason gives a place, never a word of the text.
    """
    dots = [row.count(".") for row in text.split("\n")]
    if max(dots) * len(dots) + sum(count * count for count in dots) > _MAX_PARSE_WORK:
        raise Unreadable("too many dotted keys")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except ValueError as error:  # also an integer with more digits than Python converts
        place = _PLACE.search(str(error))
        where = f" (line {place[1]}, column {place[2]})" if place else ""
        raise Unreadable(f"not valid TOML{where}") from None


def _config_folder(environ: Mapping[str, str]) -> Path:
    if os.name == "posix" and sys.platform != "darwin":
        for variable, below in (("XDG_CONFIG_HOME", ()), ("HOME", (".config",))):
            if base := environ.get(variable, "").strip():
                return Path(base, *below, APP)
    from platformdirs import user_config_path  # only needed where the given environment does not tell

    return user_config_path(APP, appauthor=False)


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:  # it may exist; reading it will say what is wrong
        return True
    return True


def _regular_bytes(path: Path) -> bytes | None:
    try:
        # Looked at before it is opened, since opening some devices has effects, and after, since it may have changed.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Unreadable("not a regular file")
        with open(os.open(path, _OPEN_FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unreadable("not a regular file")
            data = file.read(MAX_BYTES + 1) or b""
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unreadable(_ERRNO_WORDS.get(error.errno, f"cannot be read ({_errno_name(error)})")) from None
    except ValueError:
        raise Unreadable("the path is not valid") from None
    if len(data) > MAX_BYTES:
        raise Unreadable("larger than 1 MiB")
    return data


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable("begins with a byte order mark; save it as UTF-8 without one")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable("not UTF-8 text") from None


def _errno_name(error: OSError) -> str:
    return errno.errorcode.get(error.errno or 0, "input/output error")
