"""The shipped table of commands, `commands.json`: the plain form of the modes, read without loading any of them."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any, Final, Literal, TypedDict

PATH: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "commands.json")
ParameterType = Literal["string", "integer", "boolean"]


class Parameter(TypedDict, total=False):
    """One parameter of a mode.

    ``name`` as in a tool call; ``flag`` as on the command line, absent for positional ones; ``type`` of one value;
    ``multiple`` for lists; ``required`` for positional ones that cannot be left out.
    """

    name: str
    flag: str
    type: ParameterType
    multiple: bool
    required: bool
    choices: list[str]
    min: int
    max: int
    default: Any
    description: str


class ModeEntry(TypedDict):
    """One mode as a sub-command; ``positional`` is empty where the question itself comes first."""

    name: str
    summary: str
    cites: str
    positional: list[Parameter]
    options: list[Parameter]


class Table(TypedDict):
    """All of `commands.json`."""

    outputs: list[str]
    max_pages: Parameter
    flavors: list[str]
    faults: dict[str, str]
    modes: dict[str, ModeEntry]


@cache
def table() -> Table:
    """The table, read once per process."""
    with open(PATH, encoding="utf-8") as file:
        found: Table = json.load(file)
    return found
