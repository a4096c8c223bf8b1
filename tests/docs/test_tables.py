"""The tables that are written by hand say what the code does."""

from __future__ import annotations

import ast
import asyncio
import runpy
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from doc_pages import ROOT, quoted, table

import twitter_tool.errors as errors
from twitter_tool import TwitterTool, TwitterToolError
from twitter_tool.errors import ERROR_CODES, EXIT_CODES, EXIT_INCOMPLETE
from twitter_tool.http import in_process
from twitter_tool.modes.registry import MODES
from twitter_tool.notes import NOTE_CODES
from twitter_tool.sandbox import FAULT_NAMES, Fault, Sandbox

DOCS = ROOT / "docs"
ERRORS = {row[0].strip("`"): row for row in table(DOCS / "errors.md", "Errors, by who must act")}
NOTES = {
    row[0].strip("`"): row
    for heading in ("Notes of every call", "Notes about pictures and videos")
    for row in table(DOCS / "errors.md", heading)
}
OUTCOMES = [
    (fault, row[1]) for row in table(DOCS / "testing.md", "Failures") for fault in quoted(row[0])
]  # fault, what it leads to

LISTED = {
    "posts": {"query": "tram", "allowed_x_handles": ["tramwatch_sbx"], "from_date": "2026-11-01", "count": 50},
    "users": {"query": "tram"},
    "thread": {"tweet": "2117157262773450634"},
    "user": {"user": "marrowpost_sbx", "includeReplies": True, "limit": 40},
    "trends": {"woeid": 1, "count": 40},
    "replies": {"tweet": "2119765698984015258", "replySort": "Likes", "limit": 40},
    "quotes": {"tweet": "2118619396967495543", "sinceTime": 0, "untilTime": 2_000_000_000, "includeReplies": False},
    "mentions": {"user": "sallowtram_sbx", "sinceTime": 0, "untilTime": 2_000_000_000, "limit": 60},
    "followers": {"user": "tramwatch_sbx", "pageSize": 50},
    "followings": {"user": "tramwatch_sbx", "pageSize": 50},
    "profile": {"user": "tramwatch_sbx"},
    "about": {"user": "jodyrusk_sbx"},
    "tweets": {"ids": ["2117157262773450634", "2120426302568660849", "2118818204141747656", "2119335112494543599"]},
    "retweeters": {"tweet": "2117157262773450634"},
    "community": {"communityId": "2032834132182036494"},
    "list": {"listId": "2083477836399636487"},
    "space": {"spaceId": "1SbxTramTalkQ"},
    "article": {"tweet": "2120426302568660849"},
    "replies with dates": {
        "mode": "replies",
        "tweet": "2117157262773450634",
        "sinceTime": 0,
        "untilTime": 2_000_000_000,
    },
}


@cache
def code_of_a_call() -> dict[Path, ast.Module]:
    """The modules that a call can reach by imports, wherever in them these stand."""
    found: dict[Path, ast.Module] = {}
    waiting = ["twitter_tool.tool"]
    while waiting:
        path = ROOT.joinpath(*waiting.pop().split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if path in found or not path.is_file():
            continue
        found[path] = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(found[path]):
            if isinstance(node, ast.Import):
                waiting += [name.name for name in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                waiting += [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
    return found


@cache
def figures_in_the_code() -> dict[str, set[str]]:
    """The figures that each note of a call is made with, wherever one is made."""
    found: dict[str, set[str]] = defaultdict(set)
    for tree in code_of_a_call().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "note" and node.args:
                code = node.args[0]
                if isinstance(code, ast.Constant):
                    found[code.value] |= {keyword.arg for keyword in node.keywords if keyword.arg}
    return found


def test_every_error_code_has_a_row_with_its_exit_code_and_class() -> None:
    """In the order of the code."""
    assert sorted(ERRORS) == sorted(ERROR_CODES)
    for code, row in ERRORS.items():
        assert int(row[2]) == EXIT_CODES[code], code
        assert row[1] == "-" or issubclass(getattr(errors, row[1]), TwitterToolError)


def test_the_readme_has_every_exit_code() -> None:
    """And no other."""
    rows = [int(row[0]) for row in table(ROOT / "README.md", "Exit codes")]
    assert rows == sorted({0, EXIT_INCOMPLETE, *EXIT_CODES.values()})


def test_every_note_has_its_place() -> None:
    """And a call can make it."""
    assert sorted(NOTES) == sorted(NOTE_CODES)
    assert set(NOTES) == set(figures_in_the_code())


@pytest.mark.parametrize("code", NOTES)
def test_every_figure_of_a_note_is_explained(code: str) -> None:
    """Programs read them by name."""
    assert figures_in_the_code()[code] <= set(quoted(NOTES[code][2])), code


def test_every_fault_has_an_outcome() -> None:
    """Exactly one."""
    assert sorted(fault for fault, _ in OUTCOMES) == sorted(FAULT_NAMES)


@pytest.mark.parametrize(("fault", "outcome"), OUTCOMES, ids=[fault for fault, _ in OUTCOMES])
async def test_a_fault_leads_to_what_the_page_says(fault: Any, outcome: str) -> None:
    """Tried with a search of 50 posts, without any waiting."""
    value = 0 if fault.startswith(("slow", "rate_limit_retry")) else None
    sandbox = Sandbox(faults=[Fault(fault, value=value)])
    async with TwitterTool(transport=in_process(sandbox), sandbox=True) as tool:
        if not outcome.startswith("a "):
            with pytest.raises(TwitterToolError) as caught:
                await tool.read('"tram line"', count=50, output="posts")
            assert [caught.value.code] == quoted(outcome)
            return
        result = await tool.read('"tram line"', count=50, output="posts")
    assert result.details["complete"] is (outcome == "a complete result")
    assert result.items
    if not result.details["complete"]:
        assert [result.details["stopReason"]] == quoted(outcome)


def test_the_floors_in_the_picture_are_those_that_are_checked() -> None:
    """Every place stands on the floor that its imports are held to."""
    floors = runpy.run_path(str(ROOT / "tests" / "test_floors.py"))["FLOORS"]
    shown = {place: int(row[0]) for row in table(DOCS / "architecture.md", "Floors") for place in quoted(row[1])}
    assert shown == floors


@cache
def results() -> dict[str, tuple[dict[str, Any], set[str]]]:
    """The details of a call in every mode, and the names of the parameters that were sent."""
    return asyncio.run(_results())


async def _results() -> dict[str, tuple[dict[str, Any], set[str]]]:
    found = {}
    for name, arguments in LISTED.items():
        sandbox = Sandbox()
        async with TwitterTool(transport=in_process(sandbox), sandbox=True) as tool:
            result = await tool.call({"query": "what?", "mode": name, "output": "posts", **arguments})
        sent = {pair.split("=")[0] for request in sandbox.log for pair in request["query"].split("&")}
        found[name] = (result.details, sent - {"cursor"})
    return found


def test_every_parameter_that_is_sent_is_named() -> None:
    """In the table of requests, and nothing else is sent."""
    named: dict[str, set[str]] = {}
    for first, second in table(DOCS / "behaviour.md", "Requests"):
        for mode in quoted(first):
            named[f"{mode} with dates" if "with dates" in first else mode] = set(quoted(second))
    assert {name.partition(" ")[0] for name in named} == set(MODES)
    for name, (_, sent) in results().items():
        also = {"userId", "true"} if name == "user" else set()
        assert sent == named[name] - also, name


def test_every_member_of_the_result_is_named() -> None:
    """Of ``details``, and of each kind of item with its nested ones; and none is named that never comes."""
    details = {name for row in table(DOCS / "behaviour.md", "The result document") for name in quoted(row[0])}
    kinds = {quoted(first)[0]: words(second) for first, second in item_rows()}
    seen: set[str] = {"routedTo", "quotes"}  # only of calls that are not made here
    seen_in: dict[str, set[str]] = defaultdict(set)
    for found, _ in results().values():
        seen |= set(found)
        for item in found["items"]:
            skip = {"fields"} if item["kind"] == "document" else set()
            seen_in[item["kind"]] |= set(members(item, skip)) - {"kind"}
        seen_in["post"] |= set(members(found.get("parent", {}), set()))
    assert seen == details
    rare = {"verified", "website", "pinnedIds", "video", "method", "transcript", "visual"}
    for kind, names in kinds.items():
        assert names - {"kind"} - rare <= seen_in[kind] <= names | rare, kind


def item_rows() -> Iterator[list[str]]:
    """The second table under the heading of the result document."""
    text = (DOCS / "behaviour.md").read_text("utf-8")
    lines = text.partition("| Kind | Keys |\n|---|---|\n")[2].splitlines()
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|", 1)]


def words(cell: str) -> set[str]:
    """All names in a cell such as ``author{id, handle}``."""
    return {
        word for part in quoted(cell) for word in part.replace("{", " ").replace("}", " ").translate(_MARKS).split()
    }


_MARKS = str.maketrans("[],", "   ")


def members(value: Any, skip: set[str]) -> Iterator[str]:
    """The names of all members, however deep."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            if name not in skip:
                yield from members(member, skip)
    elif isinstance(value, list):
        for member in value:
            yield from members(member, skip)
