"""How one disclosure is worded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from twitter_tool.output.figures import Figures


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence made from figures, and a short form; ``{count}`` in it is the note's count."""

    sentence: Callable[[Figures], str]
    short: str
