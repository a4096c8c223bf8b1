"""Room under a ceiling, claimed piece by piece before anything is written into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Room(Protocol):
    """What is left of one or more ceilings."""

    def take(self, text: str, *, chars: int = 0, images: int = 0) -> bool:
        """Claim room; claims nothing and says no when it does not fit.

        Args:
            text: what will stand there.
            chars: further characters that are not written yet, counted at their worst.
            images: images that will come with them.
        """


@dataclass(slots=True)
class CharRoom:
    """Room under a ceiling of characters (Unicode code points); there is none for images."""

    left: int

    def take(self, text: str, *, chars: int = 0, images: int = 0) -> bool:
        """Claim room; claims nothing and says no when it does not fit."""
        if images or len(text) + chars > self.left:
            return False
        self.left -= len(text) + chars
        return True
