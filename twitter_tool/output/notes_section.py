"""The Notes section under a ceiling: nothing is cut, sentences give way to short forms, the least weighty drop out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from twitter_tool.notes import Note, note
from twitter_tool.output.wording import message, ordered, short, weight

HEADING: Final = "\n\n## Notes"
BULLET: Final = "\n- "


def reserved(notes: Iterable[Note], ceiling: int) -> int:
    """Characters to keep free for the short forms of these notes: at most a quarter of the ceiling."""
    possible = ordered([*notes, note("notes_shortened", count=ceiling)])
    return min(sum(len(BULLET) + len(short(item)) for item in possible), ceiling // 4)


def fitted(notes: Sequence[Note], room: int) -> tuple[tuple[Note, ...], list[str]]:
    """Fit notes into ``room`` characters, heading included.

    Args:
        notes: in their order, without ``notes_shortened``.
        room: characters left for the whole section.

    Returns:
        All notes, ``notes_shortened`` last when any had to give way, and the lines of the section in that order; no
        line when there is nothing to say or no room at all.
    """
    left = room - len(HEADING)
    if sum(_cost(message(item)) for item in notes) <= left:
        return tuple(notes), [message(item) for item in notes]
    closing = note("notes_shortened", count=len(notes))
    left -= _cost(short(closing))
    shown: dict[int, str] = {}
    weighty = sorted(range(len(notes)), key=lambda index: weight(notes[index]))
    for index in weighty:
        text = short(notes[index])
        if text not in shown.values() and _cost(text) <= left:
            shown[index] = text
            left -= _cost(text)
    whole = 0
    for index in weighty:
        sentence = message(notes[index])
        more = _cost(sentence) - (_cost(shown[index]) if index in shown else 0)
        if more <= left:
            left -= more
            shown[index] = sentence
            whole += 1
    closing = note("notes_shortened", count=len(notes) - whole)
    lines = [shown[index] for index in sorted(shown)]
    if left >= _cost(message(closing)) - _cost(short(closing)):
        lines.append(message(closing))
    elif left >= 0:
        lines.append(short(closing))
    return (*notes, closing), lines


def _cost(text: str) -> int:
    return len(BULLET) + len(text)
