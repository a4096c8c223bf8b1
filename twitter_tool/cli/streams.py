"""The two streams of a terminal program: the result goes to stdout whole or not at all, all else to stderr."""

from __future__ import annotations

import os
import sys

BROKEN_TERMINALS = ("", "dumb")


class OutputLost(Exception):
    """The result could not be written; the argument says why."""


def version_line() -> str:
    """What `--version` prints."""
    from twitter_tool._version import __version__

    return f"twitter-tool {__version__}\n"


def print_version() -> int:
    """Print the version; returns the exit code."""
    try:
        write_out(version_line())
    except OutputLost as error:
        return tell_lost(error)
    return 0


def tell_lost(error: OutputLost) -> int:
    """Say that the result could not be written; returns the exit code."""
    write_err(f"error (internal): the result could not be written to stdout: {error}\n")
    return 1


def write_out(text: str) -> bool:
    """Write to stdout as UTF-8, whatever the locale, in one go.

    A reader that has gone away is no failure: it has read what it wanted. Returns whether there still is one.

    Raises:
        OutputLost: stdout is closed, or the disk it leads to is full.
    """
    stream = sys.stdout
    if stream is None:
        raise OutputLost("it is closed")
    try:
        stream.flush()
        buffer = getattr(stream, "buffer", None)
        if buffer is None:  # replaced by a caller with something that takes text only
            stream.write(text)
        else:
            buffer.write(text.encode("utf-8", "replace"))
        stream.flush()
    except BrokenPipeError:
        _discard(stream)
        return False
    except KeyboardInterrupt:
        _discard(stream)  # the document of the interruption must not follow a piece of another one
        raise
    except (OSError, ValueError) as error:
        _discard(stream)
        raise OutputLost(str(getattr(error, "strerror", None) or error)) from None
    return True


def write_err(text: str) -> None:
    """Write to stderr in an encoding that its terminal can show; a stderr that is gone changes nothing."""
    stream = sys.stderr
    if stream is None:
        return
    try:
        stream.write(encodable(text, getattr(stream, "encoding", None) or "utf-8"))
        stream.flush()
    except (OSError, ValueError):
        return


def encodable(text: str, encoding: str) -> str:
    """A text without what an encoding lacks: our own separator becomes a dash, anything else an escape."""
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError:
        return text.replace("\N{MIDDLE DOT}", "-").encode(encoding, "backslashreplace").decode(encoding)


def is_terminal(stream: object) -> bool:
    """Whether a stream is a terminal that can rewrite a line."""
    isatty = getattr(stream, "isatty", None)
    try:
        return bool(isatty and isatty()) and os.environ.get("TERM", "xterm") not in BROKEN_TERMINALS
    except ValueError:  # closed
        return False


def _discard(stream: object) -> None:
    # What is still buffered would be written, and fail again with a message, when the interpreter ends.
    try:
        number = stream.fileno()  # type: ignore[attr-defined]  # a stream without one is left alone
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, number)
        os.close(null)
    except (AttributeError, OSError, ValueError):
        return
