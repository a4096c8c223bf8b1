"""Figures of a note as words: what is missing or odd reads as unknown, and nothing unguarded gets through."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from twitter_tool.output.render_post import number_text
from twitter_tool.text import line

MAX_VALUE: Final = 300
MAX_LISTED: Final = 10
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Figures:
    """Readers over the figures of one note; none of them raises."""

    raw: Mapping[str, Any]

    def has(self, key: str) -> bool:
        """Whether the figure is there and says something: not empty, not false, not zero."""
        return bool(self.raw.get(key))

    def count(self, key: str = "count") -> str:
        """A number without grouping, a list as its length, anything else as ``some``."""
        value = self.raw.get(key)
        if isinstance(value, list | tuple):
            return str(len(value))
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return "some"
        return number_text(value)

    def counted(self, singular: str, plural: str | None = None, key: str = "count") -> str:
        """``1 page``, ``2 pages``, ``some pages``."""
        count = self.count(key)
        return f"{count} {singular if count == '1' else plural or singular + 's'}"

    def text(self, key: str, default: str = UNKNOWN) -> str:
        """A figure as one guarded line, shortened."""
        value = self.raw.get(key)
        return (
            line(value if isinstance(value, str) else repr(value), MAX_VALUE) if value is not None else ""
        ) or default

    def quoted(self, key: str) -> str:
        """A value as it was given, strings in quotation marks."""
        value = self.raw.get(key)
        return line(repr(value), MAX_VALUE) if value is not None else UNKNOWN

    def listed(self, key: str, shown: int = MAX_LISTED) -> str:
        """The first entries of a list, then how many more there are; empty when there is no list."""
        value = self.raw.get(key)
        if not isinstance(value, Sequence) or isinstance(value, str):
            return ""
        names = ", ".join(line(str(entry), MAX_VALUE) for entry in value[:shown])
        return f"{names} and {len(value) - shown} more" if len(value) > shown else names

    def chosen(self, key: str, words: Mapping[str, str], default: str) -> str:
        """The words for one of a closed set of reasons."""
        value = self.raw.get(key)
        return words.get(value, default) if isinstance(value, str) else default
