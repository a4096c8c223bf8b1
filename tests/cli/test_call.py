"""`call`: JSON arguments in, one JSON document out, whatever happens."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

TRAM = b'{"query": "tram", "count": 2, "output": "posts"}'


def _document(outcome: Any) -> dict[str, Any]:
    assert outcome.out.endswith("\n")
    (line,) = outcome.out.splitlines()
    document: dict[str, Any] = json.loads(line)
    return document


@pytest.mark.parametrize("words", [(), ("-",)], ids=["no argument", "a dash"])
def test_arguments_are_read_from_stdin(run: Run, words: tuple[str, ...]) -> None:
    """Both spellings mean the same."""
    outcome = run("--sandbox", "call", *words, stdin=TRAM)
    document = _document(outcome)
    assert outcome.code == 0
    assert set(document) == {"content", "details"}
    assert [item["kind"] for item in document["details"]["items"]] == ["post", "post"]


def test_arguments_are_read_from_a_file(run: Run, home: Path) -> None:
    """An editor's byte order mark does not matter."""
    (home / "arguments.json").write_bytes(b"\xef\xbb\xbf" + TRAM)
    assert _document(run("call", "arguments.json", "--sandbox"))["details"]["mode"] == "posts"


@pytest.mark.parametrize(
    ("stdin", "problem"),
    [
        (b"", "are empty"),
        (b" \n", "are empty"),
        (b"tram", "are not JSON"),
        (b'{"query": "tram"', "are not JSON"),
        (b'{"query": "tram"} {}', "are not JSON"),
        (b"[]", "are an array"),
        (b'"tram"', "are a string"),
        (b"null", "are null"),
        (b"7", "are a number"),
        (b'{"query": "tram", "count": NaN}', "NaN"),
        (b'{"query": "tram", "count": -Infinity}', "-Infinity"),
        (b'{"query": "tram", "query": "bus"}', "'query' more than once"),
        (b'{"query": "tram", "ids": [{"a": 1, "a": 2}]}', "'a' more than once"),
        (b'{"query": "\xff"}', "are not UTF-8 text (byte 11)"),
        ('{"query": "tram"}'.encode("utf-16"), "are not UTF-8"),
        (b'{"query": ' + b"[" * 200_000, "nested too deeply"),
        (b'{"query": "t", "ids": ' + b"[" * 300 + b"]" * 300 + b"}", "nested too deeply"),
        (b'{"query": "t", "count": ' + b"9" * 5000 + b"}", "too many digits"),
        (b'{"query": "t", "count": 1e999}', "count"),
        (b'{"query": "t", "count": true}', "count"),
        (b'{"query": "' + b"t" * (1024 * 1024) + b'"}', "more than 1 MiB"),
        (b'{"query": "t", "from_dat": "2026-09-01"}', "from_dat"),
    ],
    ids=lambda value: repr(value[:40]) if isinstance(value, bytes) else "",
)
def test_anything_but_usable_arguments_is_an_error_document(run: Run, stdin: bytes, problem: str) -> None:
    """A program that drives the tool always finds one document on stdout."""
    outcome = run("--sandbox", "call", stdin=stdin)
    error = _document(outcome)["error"]
    assert outcome.code == 2
    assert error["code"] == "invalid_request"
    assert problem in error["message"]
    assert error["hint"]
    assert outcome.err == ""


def test_one_mebibyte_exactly_is_still_read(run: Run) -> None:
    """The limit is on what is over it; such a question is then too long for another reason."""
    frame = b'{"query": "", "output": "posts"}'
    stdin = frame.replace(b'""', b'"' + b"t" * (1024 * 1024 - len(frame)) + b'"')
    assert len(stdin) == 1024 * 1024
    assert "MiB" not in _document(run("--sandbox", "call", stdin=stdin))["error"]["message"]


def test_an_unknown_name_gets_the_nearest_known_one(run: Run) -> None:
    """The hint is what a model needs to mend its next call."""
    outcome = run("--sandbox", "call", stdin=b'{"query": "tram", "from_dat": "2026-09-01"}')
    assert "from_date" in _document(outcome)["error"]["hint"]


def test_a_missing_file_is_an_error_document(run: Run) -> None:
    """Also what goes wrong before any argument was read."""
    error = _document(run("call", "missing.json"))["error"]
    assert error["code"] == "invalid_request"
    assert "'missing.json'" in error["message"]


@pytest.mark.parametrize(
    "words", [("call", "--nope"), ("--nope", "call"), ("call", "a", "b"), ("--max-pages", "x", "call")]
)
def test_a_line_that_cannot_be_parsed_is_an_error_document(run: Run, words: tuple[str, ...]) -> None:
    """Options that the parser refuses follow the same rule."""
    outcome = run(*words, stdin=TRAM)
    assert (outcome.code, outcome.err) == (2, "")
    assert _document(outcome)["error"]["code"] == "invalid_request"


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_the_format_option_changes_nothing(run: Run, form: str) -> None:
    """One document is what the command is for."""
    assert set(_document(run("--sandbox", "--format", form, "call", stdin=TRAM))) == {"content", "details"}


def test_without_a_key_the_document_says_which_variable_is_missing(run: Run) -> None:
    """No other key in the environment counts."""
    outcome = run("call", stdin=TRAM)
    error = _document(outcome)["error"]
    assert outcome.code == 3
    assert error["code"] == "missing_credentials"
    assert "TWITTERAPI_IO_API_KEY" in error["message"]


def test_nulls_are_dropped_when_asked(run: Run) -> None:
    """For callers whose strict schema forces every name to be present."""
    stdin = b'{"query": "t", "mode": "trends", "woeid": 1, "tweet": null, "output": "posts"}'
    refused = run("--sandbox", "call", stdin=stdin)
    assert "tweet" in _document(refused)["error"]["message"]
    assert run("--sandbox", "call", "--drop-nulls", stdin=stdin).code == 0


def test_the_output_option_stands_above_the_arguments(run: Run) -> None:
    """A wrapper can ask for evidence without rewriting what its model sent."""
    outcome = run("--sandbox", "--output", "posts", "call", stdin=b'{"query": "tram", "output": "answer"}')
    assert _document(outcome)["details"]["output"] == "posts"


def test_a_page_budget_on_the_line_counts(run: Run) -> None:
    """Global options apply here too, above the environment."""
    stdin = b'{"query": "tram", "count": 50, "output": "posts"}'
    outcome = run("--sandbox", "--max-pages", "1", "--strict", "call", stdin=stdin)
    details = _document(outcome)["details"]
    assert outcome.code == 7
    assert (details["stopReason"], details["complete"]) == ("page_cap", False)
    assert details["usage"]["successfulPages"] == 1


def test_characters_that_break_lines_or_terminals_are_escaped(run: Run) -> None:
    """Whoever splits the output at line breaks of any kind gets whole documents."""
    stdin = '{"query": "tram", "mode": "a\u2028b\u0085c\u009b31m"}'.encode()
    outcome = run("call", stdin=stdin)
    assert len(outcome.out.splitlines()) == 1
    assert "\u009b" not in outcome.out


def test_a_lone_surrogate_is_no_obstacle(run: Run) -> None:
    """It becomes the replacement character; the output stays UTF-8."""
    outcome = run("--sandbox", "call", stdin=b'{"query": "tram \\ud800", "output": "posts"}')
    assert outcome.code == 0
    assert "tram \ufffd" in _document(outcome)["content"]


def test_a_deleted_working_folder_is_no_obstacle(run: Run, home: Path) -> None:
    """It holds no project file, and nothing else is wanted of it."""
    gone = home / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    assert run("--sandbox", "call", stdin=TRAM).code == 0
    assert run("config").code == 0


@pytest.mark.parametrize("typed", ['{"query": "tram"}', '  {"query": "tram"}', "{"])
def test_json_given_as_an_argument_is_told_from_a_file(run: Run, typed: str) -> None:
    """A file of such a name is not what was meant."""
    outcome = run("call", typed)
    assert outcome.code == 2
    assert json.loads(outcome.out)["error"]["hint"] == (
        "Pass the JSON on standard input: echo '...' | twitter-tool call -"
    )
