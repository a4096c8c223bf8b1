"""The generated tables of the documentation: the modes, the settings, the sandbox's faults and its examples.

A page holds a table between ``<!-- generated: NAME -->`` and ``<!-- /generated -->``; what stands there is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

import click

from twitter_tool.cli.command_line import group
from twitter_tool.cli.invocation import NAME, Invocation
from twitter_tool.cli.table import ModeEntry, Parameter
from twitter_tool.modes.base import Mode
from twitter_tool.modes.registry import MODES
from twitter_tool.report import settings_table
from twitter_tool.sandbox.faults import FAULT_HELP
from twitter_tool.sandbox.hints import hints

_PART: Final = re.compile(r"(?<=<!-- generated: )([a-z-]+)( -->\n).*?(?=<!-- /generated -->)", re.DOTALL)
_TYPES: Final = MappingProxyType({"string": "text", "integer": "whole number", "boolean": "true or false"})
_MOST_SHOWN: Final = 1000
"""Larger limits only keep out what no clock or counter holds; as figures they would say nothing."""


def pages(root: Path | None = None) -> Iterator[Path]:
    """The documentation pages with generated parts; none where the package stands without its documentation."""
    folder = (Path(__file__).parents[2] if root is None else root) / "docs"
    for path in sorted(folder.glob("*.md")):
        if _PART.search(path.read_text(encoding="utf-8")):
            yield path


def documentation(root: Path | None = None) -> list[Path]:
    """The README and all pages of the documentation; none where the package stands without them."""
    folder = Path(__file__).parents[2] if root is None else root
    return [path for path in (folder / "README.md", *sorted((folder / "docs").glob("*.md"))) if path.is_file()]


def filled(page: str, entries: Mapping[str, ModeEntry]) -> str:
    """The page with its generated parts made anew.

    Args:
        page: its text.
        entries: the modes as the command line knows them.

    Raises:
        KeyError: a part has a name that is not known.
    """
    parts: dict[str, Callable[[], str]] = {
        "modes": lambda: modes_part(entries),
        "faults": faults_table,
        "hints": hints_table,
        "settings": settings_table,
    }
    return _PART.sub(lambda found: f"{found[1]}{found[2]}{parts[found[1]]()}", page)


def modes_part(entries: Mapping[str, ModeEntry]) -> str:
    """A table of all modes, then a section for each."""
    rows = [
        (f"[`{name}`](#{name})", mode.summary, "<br>".join(f"`{path}`" for path in mode.paths), mode.cites)
        for name, mode in MODES.items()
    ]
    overview = markdown_table(("Mode", "What it reads", "Upstream path", "What is cited"), rows)
    return "\n".join(["", overview, *(_section(mode, entries[name]) for name, mode in MODES.items())])


def faults_table() -> str:
    """The faults that the sandbox can show."""
    return markdown_table(("Fault", "What it shows"), [(f"`{name}`", text) for name, text in FAULT_HELP.items()])


def hints_table() -> str:
    """Ids, handles and searches to start from."""
    return markdown_table(("What", "Value"), [(what, f"`{value}`") for what, value in hints()])


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under their heads; a bar inside a cell does not end it."""
    lines = [_row(heads), "|" + "---|" * len(heads), *map(_row, rows)]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _section(mode: Mode, entry: ModeEntry) -> str:
    known = [*entry["positional"], *entry["options"]]
    rows = [
        (
            f"`{parameter['name']}`",
            f"`{parameter['flag']}`" if "flag" in parameter else "argument",
            _type(parameter),
            _limits(parameter),
            f"`{parameter['default']}`" if "default" in parameter else "",
            "yes" if parameter["required"] else "",
            parameter["description"],
        )
        for parameter in known
    ]
    heads = ("Parameter", "Command line", "Kind", "Limits", "Default", "Needed", "Meaning")
    parts = (f"### {mode.name}", f"{mode.summary} Cites {mode.cites}.", f"`{_usage(mode.name)}`")
    return "\n\n".join((*parts, markdown_table(heads, rows)))


def _usage(name: str) -> str:
    whole = group()
    parent = click.Context(whole, info_name=NAME, obj=Invocation())
    command = whole.get_command(parent, name)
    if command is None:
        raise LookupError(name)
    return " ".join([NAME, name, *command.collect_usage_pieces(click.Context(command, info_name=name, parent=parent))])


def _type(parameter: Parameter) -> str:
    if "choices" in parameter:
        return "one of"
    kind = _TYPES[parameter["type"]]
    return f"list of {kind}s" if parameter["multiple"] else kind


def _limits(parameter: Parameter) -> str:
    if "choices" in parameter:
        return ", ".join(f"`{choice}`" for choice in parameter["choices"])
    low, high = parameter.get("min"), parameter.get("max")
    if low is None:
        return "" if high is None else f"at most {high}"
    return f"{low} to {high}" if high is not None and high <= _MOST_SHOWN else f"at least {low}"
