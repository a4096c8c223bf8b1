"""A model's answer while it is being written: the same guard as for the whole text, piece by piece."""

from __future__ import annotations

import re
from typing import Final

from twitter_tool.output.answer_text import fence_end, guarded
from twitter_tool.text import inner_line, split_breaks

_DECORATION = re.compile(r"[#*_:\s]+")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f]")
_LONGEST_HEADING: Final = len("sources")
_WORTH_SHOWING: Final = 40
_UNDERLINE: Final = "---"
"""What would make a heading of the line above it."""


class AnswerStream:
    """Turns the pieces of an answer into pieces that are safe to show.

    All that :meth:`feed` and :meth:`finish` return, joined, is what ``model_text`` makes of the whole answer. A line is
    held back until it is complete, or long enough to be shown up to its last blank.
    """

    def __init__(self) -> None:
        self._raw = ""
        self._shown: list[str] = []
        self._breaks = 0
        self._held: str | None = None
        self._begun = False
        self._in_line = False

    def feed(self, piece: str) -> str:
        """Take the next piece; returns what may be shown now, possibly nothing."""
        shown = self._fed(piece)
        self._shown.append(shown)
        return shown

    def _fed(self, piece: str) -> str:
        self._raw += piece
        if self._raw.endswith("\r"):  # the other half of a line break may still come
            return ""
        *complete, self._raw = split_breaks(self._raw)
        shown = "".join(self._line(raw) for raw in complete)
        return shown + self._partial()

    def finish(self) -> str:
        """The answer is complete; returns the rest of it."""
        *complete, last = split_breaks(self._raw)
        shown = "".join(self._line(raw) for raw in (*complete, last))
        self._raw = ""
        shown += self._release("")
        return shown + fence_end("".join((*self._shown, shown)))

    def _line(self, raw: str) -> str:
        """One complete raw line, or the rest of one that was shown in part."""
        line = inner_line(raw)
        if self._in_line:
            self._in_line = False
            self._breaks = 1
            return line
        shown = self._release(line)
        if line.strip():
            self._held = line if self._begun else line.lstrip()
            if guarded(self._held, "") == guarded(self._held, _UNDERLINE):
                shown += self._release("")
        elif self._begun:
            self._breaks += 1
        return shown

    def _release(self, following: str) -> str:
        """Show the held line, now that the one below it is known."""
        if self._held is None:
            return ""
        shown = self._separator() + guarded(self._held, following)
        self._held = None
        self._breaks = 1
        return shown

    def _separator(self) -> str:
        first, self._begun = not self._begun, True
        return "" if first else "\n" * min(self._breaks, 2)

    def _partial(self) -> str:
        """The beginning of a line that cannot become a heading, up to its last blank."""
        text = self._raw
        end = text.rfind(" ")
        if end < _WORTH_SHOWING or _UNPRINTABLE.search(text):
            return ""
        if len(_DECORATION.sub("", text)) <= _LONGEST_HEADING or not text[:end].strip():
            return ""
        head, self._raw = text[:end].rstrip(" "), text[len(text[:end].rstrip(" ")) :]
        if self._in_line:
            return inner_line(head)
        shown = self._release(text)
        head = inner_line(head) if self._begun else inner_line(head.lstrip())
        self._in_line = True
        return shown + self._separator() + head
