"""A model's answer while it is being written: the same guard as for the whole text, piece by piece."""

from __future__ import annotations

import re
from typing import Final

from twitter_tool.output.answer_text import bare_line, fence_end, guarded
from twitter_tool.text import inner_line, split_breaks

_BREAK = re.compile("[\n\r\x0b\x0c\x85\u2028\u2029]")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f]")
_WORTH_SHOWING: Final = 40
_KEPT_OF_A_LINE: Final = 300
"""More than the longest line that could be a heading."""


class AnswerStream:
    """Turns the pieces of an answer into pieces that are safe to show.

    All that :meth:`feed` and :meth:`finish` return, joined, is what ``model_text`` makes of the whole answer. A line is
    held back until it is complete, or long enough to be shown up to its last blank. Every piece is looked at once.
    """

    def __init__(self) -> None:
        self._pending: list[str] = []
        self._holds_line = False
        self._shown: list[str] = []
        self._breaks = 0
        self._begun = False
        self._in_line = False
        self._before = ""

    def feed(self, piece: str) -> str:
        """Take the next piece; returns what may be shown now, possibly nothing."""
        self._pending.append(piece)
        if piece.endswith("\r"):  # the other half of a line break may still come
            return ""
        ends_line = _BREAK.search(piece) or (len(self._pending) > 1 and self._pending[-2].endswith("\r"))
        shown = self._lines() if ends_line else ""
        if not self._holds_line and (ends_line or " " in piece):
            shown += self._partial()
        self._shown.append(shown)
        return shown

    def finish(self) -> str:
        """The answer is complete; returns the rest of it."""
        shown = self._lines() + self._line("".join(self._pending))
        self._pending = []
        return shown + fence_end("".join((*self._shown, shown)))

    def _lines(self) -> str:
        """Show every complete line; the unfinished one stays."""
        *complete, last = split_breaks("".join(self._pending))
        self._pending = [last]
        if complete:
            self._holds_line = False
        return "".join(self._line(raw) for raw in complete)

    def _line(self, raw: str) -> str:
        """One complete raw line, or the rest of one that was shown in part."""
        line = inner_line(raw)
        if self._in_line:
            self._in_line = False
            self._breaks = 1
            self._before += line[:_KEPT_OF_A_LINE]
            return line
        if not line.strip():
            self._breaks += self._begun
            self._before = ""
            return ""
        visible = line if self._begun else line.lstrip()
        shown = self._separator() + guarded(visible, self._before)
        self._breaks = 1
        self._before = visible[:_KEPT_OF_A_LINE]
        return shown

    def _separator(self) -> str:
        first, self._begun = not self._begun, True
        return "" if first else "\n" * min(self._breaks, 2)

    def _partial(self) -> str:
        """The beginning of a line that can be no heading, up to its last blank."""
        text = "".join(self._pending)
        self._pending = [text]
        if _UNPRINTABLE.search(text):
            self._holds_line = True  # a sequence may go on in the next piece
            return ""
        end = len(text[: text.rfind(" ") + 1].rstrip(" "))
        if end < _WORTH_SHOWING:
            return ""
        if not self._in_line and bare_line(text)[:1] in ("", "#", "<", "=", "-"):
            self._holds_line = True
            return ""
        head, self._pending = text[:end], [text[end:]]
        if self._in_line:
            return inner_line(head)
        head = inner_line(head) if self._begun else inner_line(head.lstrip())
        shown = self._separator() + head
        self._in_line = True
        self._before = head[:_KEPT_OF_A_LINE]
        return shown
