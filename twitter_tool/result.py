"""What a call returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The outcome of one call.

    Attributes:
        content: text for a model or a person; with ``output="posts"`` the quoted evidence.
        details: everything a program needs (mode, completeness, sources, notes, usage, timings, items): plain JSON,
            camelCase keys, unknown values absent.
        closing: the end of :attr:`content` behind a written answer, with its sources and notes: what remains to be
            printed once the answer itself was shown while it was being written.
    """

    content: str
    details: dict[str, Any]
    closing: str = ""

    @property
    def items(self) -> list[dict[str, Any]]:
        """The delivered items in the order of their numbers in :attr:`content`; all their text is untrusted."""
        items: list[dict[str, Any]] = self.details["items"]
        return items

    @property
    def notes(self) -> list[dict[str, Any]]:
        """What was not fetched, left out or changed: ``code``, ``message`` and figures."""
        notes: list[dict[str, Any]] = self.details["notes"]
        return notes

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of a successful call."""
        return {"content": self.content, "details": self.details}
