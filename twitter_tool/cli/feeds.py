"""Lists on the command line: several words, commas, a file behind `@`, or stdin behind `-`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Final, Protocol, cast

from twitter_tool.cli.streams import write_err
from twitter_tool.cli.table import Parameter
from twitter_tool.errors import invalid_request

MAX_BYTES: Final = 1024 * 1024
_PIECE: Final = 64 * 1024
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*")
_SEPARATOR = re.compile(r"[,\s]+")
_BETWEEN_LINKS = re.compile(r"[,\s]+(?=https?://)|\s+")
_HANDLE = re.compile(r"@[A-Za-z0-9_]{1,15}")


class Readable(Protocol):
    """What a list or a document is read from."""

    def read1(self, size: int, /) -> bytes:
        """What is there, at most so many bytes; nothing at the end."""


class Feeds:
    """Reads the lists of one command line; stdin can feed one of them."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._stdin_used = False

    def read(self, parameter: Parameter, words: Sequence[str]) -> list[str]:
        """The entries of one list, in order.

        A word `@name` is a handle in a list of handles, when it can be one; else, and in any other list, a file.

        Raises:
            RequestError: a feed cannot be read, is not text, is over 1 MiB, or has no entries.
        """
        handles = parameter["name"].endswith("handles")
        found: list[str] = []
        for word in words:
            if word == "-":
                found += self._entries(self._stdin(), "stdin")
            elif word.startswith("@") and "," not in word and not (handles and _HANDLE.fullmatch(word)):
                found += self._entries(_file(word[1:], handles), repr(word[1:]))
            else:
                # A word without entries, such as an unset variable, must not pass for a list that was left out.
                found += list(split(word)) or [word]
        return found

    def _stdin(self) -> bytes:
        if self._stdin_used:
            raise invalid_request("stdin can feed only one list", "Put one of the lists into a file: @FILE.")
        self._stdin_used = True
        return read_stdin("one entry a line", quiet=self._quiet)

    @staticmethod
    def _entries(data: bytes, name: str) -> list[str]:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise invalid_request(f"{name} is not UTF-8 text", "A list is plain text, one entry a line.") from None
        found = [entry for line in text.splitlines() for entry in split(_COMMENT.sub("", line))]
        if not found:
            raise invalid_request(f"{name} holds no entries", "A list is plain text, one entry a line.")
        return found


def split(text: str) -> Iterator[str]:
    """The entries of one word or line; a comma inside a link belongs to the link."""
    separator = _BETWEEN_LINKS if "://" in text else _SEPARATOR
    return (entry for part in separator.split(text) if (entry := part.strip(",")))


def read_stdin(what: str, *, quiet: bool) -> bytes:
    """All of stdin.

    Raises:
        RequestError: stdin is closed or holds more than 1 MiB.
    """
    if sys.stdin is None:
        raise invalid_request("stdin is closed", "Name a file instead.")
    if sys.stdin.isatty() and not quiet:
        write_err(f"reading {what} from the terminal; end with Ctrl-D\n")
    return bounded(cast(Readable, sys.stdin.buffer), "stdin")


def bounded(stream: Readable, name: str) -> bytes:
    """The bytes of a stream, refused as soon as there are too many."""
    data = bytearray()
    try:
        # Piece by piece: a single long read would not look at a Ctrl-C that falls between its system calls.
        while piece := stream.read1(_PIECE):
            data += piece
            if len(data) > MAX_BYTES:
                raise invalid_request(f"{name} holds more than 1 MiB", "Split it over several calls.")
    except OSError as error:
        raise invalid_request(f"{name} cannot be read: {error.strerror}") from None
    return bytes(data)


def read_file(path: str) -> bytes:
    """The bytes of a file.

    Raises:
        RequestError: it cannot be read, or holds more than 1 MiB.
    """
    try:
        with open(path, "rb") as file:
            return bounded(file, repr(path))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path is not valid"
        raise invalid_request(f"the file {path!r} cannot be read: {reason}") from None


def _file(path: str, handles: bool) -> bytes:
    try:
        return read_file(path)
    except Exception as error:
        if handles and hasattr(error, "hint") and error.hint is None:
            error.hint = f"'@{path}' is no handle (1 to 15 letters, digits or underscores), so it names a file."
        raise
