"""What having a clip watched can end in, besides what was seen and heard."""

from __future__ import annotations

from dataclasses import dataclass

from twitter_tool.notes import Note


class NoReply(Exception):
    """There is no usable reply.

    Attributes:
        reason: a clause for people that is already cleaned and holds no secret.
        refused: the service answered that it did not do what it was asked to.
    """

    def __init__(self, reason: str, *, refused: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.refused = refused


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeFailure:
    """Watching a clip gave nothing.

    Attributes:
        reason: a clause for people, one cleaned line.
        notes: the disclosures: why, and what may remain at the provider.
    """

    reason: str
    notes: tuple[Note, ...]
