"""Writes `commands.json` from the modes, the generated tables of the documentation, and the transcripts of its pages.

python -m twitter_tool.cli.generate [--check] [--docs README.md docs/cli.md ...]

Transcripts are run again for the pages behind ``--docs``; with ``--check`` alone, for all pages. Nothing is written
when a page would show the tool failing with a fault of its own.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

from twitter_tool.cli.pages import faults, refreshed
from twitter_tool.cli.reference import documentation, filled, pages
from twitter_tool.cli.table import PATH, ModeEntry, Parameter, ParameterType, Table
from twitter_tool.modes.base import Mode
from twitter_tool.modes.registry import MODES
from twitter_tool.modes.request import OUTPUTS
from twitter_tool.sandbox.faults import FAULT_HELP
from twitter_tool.schema import Flavor
from twitter_tool.settings import KEY_TABLE


def built() -> Table:
    """The table as the modes declare it now."""
    pages = KEY_TABLE["max_pages"]
    return {
        "outputs": list(OUTPUTS),
        "max_pages": {
            "min": int(pages.low or 0),
            "max": int(pages.high or 0),
            "default": pages.default,
            "description": pages.about,
        },
        "flavors": list(get_args(Flavor)),
        "faults": {str(name): text for name, text in FAULT_HELP.items()},
        "modes": {mode.name: _entry(mode) for mode in MODES.values()},
    }


def text() -> str:
    """The content of `commands.json`."""
    return json.dumps(built(), ensure_ascii=False, indent=1) + "\n"


def kebab(name: str) -> str:
    """``replySort`` and ``reply_sort`` as ``reply-sort``."""
    spaced = "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
    return spaced.strip("_").replace("_", "-")


def _entry(mode: Mode) -> ModeEntry:
    properties = mode.params.model_json_schema()["properties"]
    return {
        "name": mode.name,
        "summary": mode.summary,
        "cites": mode.cites,
        "positional": [_parameter(mode, name, properties[name]) for name in mode.positional if name in properties],
        "options": [
            {"flag": f"--{kebab(name)}", **_parameter(mode, name, schema)}
            for name, schema in properties.items()
            if name not in mode.positional
        ],
    }


def _parameter(mode: Mode, name: str, schema: dict[str, Any]) -> Parameter:
    branches = [branch for branch in schema.get("anyOf", (schema,)) if branch.get("type") != "null"]
    (branch,) = branches
    multiple = branch["type"] == "array"
    found: Parameter = {
        "name": name,
        "type": _type(branch["items"] if multiple else branch),
        "multiple": multiple,
        "required": mode.params.model_fields[name].is_required(),
        "description": schema["description"],
    }
    if "enum" in branch:
        found["choices"] = list(branch["enum"])
    if "minimum" in branch:
        found["min"] = branch["minimum"]
    if "maximum" in branch:
        found["max"] = branch["maximum"]
    if schema.get("default") not in (None, []):
        found["default"] = schema["default"]
    return found


def _type(branch: dict[str, Any]) -> ParameterType:
    kinds: tuple[ParameterType, ...] = get_args(ParameterType)
    for known in kinds:
        if branch["type"] == known:
            return known
    raise ValueError(f"the command line has no form for a parameter of type {branch['type']!r}")


def main(argv: list[str] | None = None) -> int:
    """Write what is generated, or with ``--check`` say whether it is up to date."""
    parser = argparse.ArgumentParser(prog="python -m twitter_tool.cli.generate")
    parser.add_argument(
        "--check",
        action="store_true",
        help="change nothing; exit with 1 when something is outdated, in the README or in docs, transcripts included",
    )
    parser.add_argument(
        "--docs", type=Path, nargs="+", default=[], metavar="PAGE", help="also help and transcripts of these pages"
    )
    chosen = parser.parse_args(argv)
    wanted = {Path(PATH): text()}
    if not chosen.check:
        _write(wanted)  # help pages and usage lines are made from the file
    wanted |= {path.resolve(): filled(path.read_text(encoding="utf-8"), built()["modes"]) for path in pages()}
    run_again = chosen.docs or (documentation() if chosen.check else [])
    faulty = {path: found for path, content in _rerun(run_again, wanted) if (found := faults(content))}
    for path, found in faulty.items():
        print(f"an unexpected fault would be shown: {path}: {found[0]}", file=sys.stderr)
    outdated = [path for path, content in wanted.items() if not path.exists() or path.read_text("utf-8") != content]
    if chosen.check:
        for path in outdated:
            print(f"outdated: {path}")
        return 1 if outdated or faulty else 0
    if faulty:
        print("nothing was written", file=sys.stderr)
        return 1
    _write({path: wanted[path] for path in outdated})
    return 0


def _rerun(run_again: Iterable[Path], wanted: dict[Path, str]) -> Iterator[tuple[Path, str]]:
    """Add pages with their examples run again to what is wanted."""
    for path in map(Path.resolve, run_again):
        wanted[path] = refreshed(wanted.get(path) or path.read_text(encoding="utf-8"))
        yield path, wanted[path]


def _write(contents: dict[Path, str]) -> None:
    for path, content in contents.items():
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
