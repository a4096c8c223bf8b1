"""What every file of the tests keeps to, whatever it tests."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
TEXTS = sorted(path for path in ROOT.rglob("*") if path.suffix in {".py", ".json", ".toml", ".md", ".txt"})
CLOCKS = {"time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time"}
RULE_NUMBER = re.compile(r"\b[RDS]\d{1,3}\b")
LINTER_CODES = re.compile(r"# noqa: [A-Z0-9, ]+")
FOREIGN = re.compile(
    r"(?<![\w.])/(?:work|root|farm)/|pypi\.org|pythonhosted\.org|deb\.debian\.org|registry\.npmjs|proxy\.golang"
)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def _tests(path: Path) -> Iterator[Function]:
    for node in ast.walk(_tree(path)):
        if isinstance(node, Function) and node.name.startswith("test_"):
            yield node


def _remarks(path: Path) -> Iterator[str]:
    """Docstrings and comments."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, Function | ast.ClassDef | ast.Module):
            yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline):
        if token.type == tokenize.COMMENT:
            yield LINTER_CODES.sub("", token.string)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _found(paths: list[Path], look: Callable[[Path], list[Any]]) -> dict[str, list[Any]]:
    """What was found in which file; files without a find are left out."""
    return {path.relative_to(ROOT).as_posix(): found for path in paths if (found := look(path))}


def test_every_test_says_its_rule() -> None:
    """In a docstring with other words than the function's name, so that a failure explains itself."""

    def silent(path: Path) -> list[str]:
        said = [(node.name, _words(ast.get_docstring(node) or "")) for node in _tests(path)]
        return [name for name, words in said if words in ([], _words(name)[1:])]

    assert _found(FILES, silent) == {}


def test_rules_are_told_in_words_and_never_by_number() -> None:
    """A number means nothing to a reader who does not have the list it counts."""
    assert _found(FILES, lambda path: RULE_NUMBER.findall("\n".join(_remarks(path)))) == {}


def test_nothing_belongs_to_one_machine() -> None:
    """No absolute path of a workplace and no host of a package registry, also in data."""
    assert _found(TEXTS, lambda path: FOREIGN.findall(path.read_text("utf-8"))) == {}


def test_no_assertion_looks_at_a_clock_of_the_machine() -> None:
    """A slow machine must not fail a test; the only stop is the time limit of the whole test."""

    def timed(path: Path) -> list[int]:
        asserted = [node.test for node in ast.walk(_tree(path)) if isinstance(node, ast.Assert)]
        parts = [part for test in asserted for part in ast.walk(test) if isinstance(part, ast.Attribute)]
        return [part.lineno for part in parts if part.attr in CLOCKS and getattr(part.value, "id", None) == "time"]

    assert _found(FILES, timed) == {}
