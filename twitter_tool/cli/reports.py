"""The reports as tables for people. Pure."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

_NOT_MISSING: Final = frozenset(
    (
        *("user settings", "project settings", "setting values", "route", "time zone"),
        *("video processing", "evidence cache"),
    )
)
"""Checks of something that is there and cannot be used as it is."""


def config_table(report: Mapping[str, Any]) -> str:
    """Settings, files and notes; the value comes last, since it may be long."""
    rows = [(name, entry["source"], _plain(entry["value"])) for name, entry in report["settings"].items()]
    parts = [columns(("setting", "from", "value"), rows)]
    parts.append(columns(("file", ""), [(entry["status"], entry["path"]) for entry in report["files"]]))
    if report["notes"]:
        parts.append("notes\n" + "".join(f"- {entry['message']}\n" for entry in report["notes"]))
    return "\n".join(parts)


def doctor_table(report: Mapping[str, Any]) -> str:
    """One line per check, and under it the command that mends it."""
    checks = report["checks"]
    words = [_status(check) for check in checks]
    status = max(map(width, words), default=0)
    name = max((width(check["name"]) for check in checks), default=0)
    lines = []
    for word, check in zip(words, checks, strict=True):
        lines.append(f"{padded(word, status)}  {padded(check['name'], name)}  {check['message']}")
        if check.get("fix"):
            indent = " " * (status + name + 4)
            lines.append(f"{indent}fix: " + check["fix"].replace("\n", f"\n{indent}     "))
    lines.append("")
    lines.append(_conclusion(report))
    return "\n".join(lines) + "\n"


def _status(check: Mapping[str, Any]) -> str:
    """The word for people: what is there but wrong is not missing."""
    wrong = check["status"] == "missing" and check["name"] in _NOT_MISSING
    return "problem" if wrong else str(check["status"])


def _conclusion(report: Mapping[str, Any]) -> str:
    if report["ok"]:
        wanting = [check["name"] for check in report["checks"] if check["status"] == "missing"]
        return f"Ready, except for: {', '.join(wanting)}." if wanting else "Ready."
    if any(check["name"] == "retrieval key" and check["status"] == "missing" for check in report["checks"]):
        return "Not ready to read X yet; --sandbox works without a key."
    return "Not ready: mend what is missing."


def columns(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under their heads, each column as wide as its widest entry."""
    table = [heads, *rows]
    widths = [max(width(row[place]) for row in table) for place in range(len(heads))]
    lines = ("  ".join(padded(cell, size) for cell, size in zip(row, widths, strict=True)).rstrip() for row in table)
    return "".join(f"{text}\n" for text in lines)


def padded(text: str, size: int) -> str:
    """A text with blanks up to a number of terminal columns."""
    return text + " " * (size - width(text))


def width(text: str) -> int:
    """Terminal columns of a line: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.category(char) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in text
    )


def _plain(value: Any) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
