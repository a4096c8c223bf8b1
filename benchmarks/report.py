"""One row per measurement, and the table they make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A measurement.

    Attributes:
        what: what was measured.
        measured: the figure, with its unit.
        yardstick: what it is compared with.
        aim: the aim, in words.
        met: whether the aim was met; ``None`` where there is none.
    """

    what: str
    measured: str
    yardstick: str
    aim: str
    met: bool | None


def table(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| What | Measured | Yardstick | Aim | Met |", "|---|---|---|---|---|"]
    verdict = {True: "yes", False: "**no**", None: "-"}
    lines += [f"| {r.what} | {r.measured} | {r.yardstick} | {r.aim} | {verdict[r.met]} |" for r in rows]
    return "\n".join(lines) + "\n"
