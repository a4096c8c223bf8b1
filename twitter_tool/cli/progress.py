"""Progress on stderr: one line per event, or one line that is rewritten where a terminal can do that."""

from __future__ import annotations

import os
import sys
from typing import Final

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
        width = _columns()
        write_err(_ERASE + (text if len(text) < width else text[: max(width - 2, 0)] + "\N{HORIZONTAL ELLIPSIS}"))
        self._shown = True

    def clear(self) -> None:
        """Leave nothing of a rewritten line behind."""
        if self._shown:
            write_err(_ERASE)
            self._shown = False


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError, AttributeError):
        return 80
