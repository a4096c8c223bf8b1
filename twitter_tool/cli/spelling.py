"""The names of parameters as they are typed on a command line, in place of those of a tool call. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from twitter_tool.cli.table import ModeEntry, Parameter

METAVARS: Final[Mapping[str, str]] = {"tweet": "POST", "user": "HANDLE", "woeid": "WOEID"}
_NOT_HERE: Final = " (case matters)"
"""True of a tool call; the command line finds the right spelling itself."""
_QUOTED: Final = re.compile(r"""((?<!\w)'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")


def metavar(parameter: Parameter) -> str:
    """What stands for a value of a parameter in usage lines."""
    name = parameter["name"]
    if name in METAVARS:
        return METAVARS[name]
    if name == "ids" or name.endswith("Id"):
        return "ID"
    if parameter["type"] == "integer":
        return "N"
    if name.endswith("_date"):
        return "DAY"
    return "HANDLE" if parameter.get("multiple") else "TEXT"


def spellings(entry: ModeEntry) -> dict[str, str]:
    """How each argument of a mode is typed: ``--reply-sort`` for ``replySort``, ``POST`` for ``tweet``."""
    found = {parameter["name"]: metavar(parameter) for parameter in entry["positional"]}
    found |= {parameter["name"]: parameter["flag"] for parameter in entry["options"]}
    return found | {"query": "QUESTION" if entry["positional"] else "QUERY", "output": "--output"}


def as_typed(text: str, names: Mapping[str, str]) -> str:
    """A sentence of the argument checks with the names as they are typed; what it quotes stays as it is.

    Names that are words of the language too are only replaced where a clause about them begins.
    """
    if not names:
        return text
    pieces = _QUOTED.split(text)
    return "".join(
        piece if place % 2 else _replaced(piece, names, begins=not place) for place, piece in enumerate(pieces)
    )


def _replaced(piece: str, names: Mapping[str, str], *, begins: bool) -> str:
    for name, spelling in names.items():
        if "_" in name or not name.islower():
            found = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
        else:
            found = rf"(?:{'^|' if begins else ''}(?<=; )|(?<=\. )){re.escape(name)}(?=[: ]|$)"
        piece = re.sub(found, spelling, piece)
    return piece.replace(_NOT_HERE, "")
