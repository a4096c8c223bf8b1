"""Progress on stderr: one line per event, or one line that is rewritten where a terminal can do that."""

from __future__ import annotations

import os
import sys
from itertools import accumulate
from typing import Final

from twitter_tool.cli.reports import width
from twitter_tool.cli.streams import is_terminal, write_err
from twitter_tool.text import line

_CAP: Final = 300
_ERASE: Final = "\r\x1b[K"


class ProgressLine:
    """An observer of one call."""

    def __init__(self) -> None:
        self._rewrites = is_terminal(sys.stderr)
        self._shown = False

    def __call__(self, event: str) -> None:
        """Show one event."""
        text = line(event, _CAP)
        if not self._rewrites:
            write_err(f"{text}\n")
            return
        write_err(_ERASE + fitted(text, _columns()))
        self._shown = True

    def clear(self) -> None:
        """Leave nothing of a rewritten line behind."""
        if self._shown:
            write_err(_ERASE)
            self._shown = False


def fitted(text: str, columns: int) -> str:
    """A line that stays one on a terminal of so many columns, since a wrapped one could not be erased."""
    if width(text) < columns:
        return text
    taken = accumulate(map(width, text))
    end = sum(1 for used in taken if used <= columns - 2)
    return text[:end] + "\N{HORIZONTAL ELLIPSIS}"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError, AttributeError):
        return 80
