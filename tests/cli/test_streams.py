"""The two streams under conditions that terminals, pipes and locales bring."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_processes import PYTHON, plain_environment

from twitter_tool.cli import streams

Process = Callable[..., subprocess.CompletedProcess[bytes]]
READ = ("--sandbox", "posts", "tram", "--count", "1")
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize(
    "environment", [{}, {"LANG": "C"}, {"LC_ALL": "C"}, ASCII, {"PYTHONIOENCODING": "ascii"}], ids=str
)
def test_stdout_is_utf_8_whatever_the_locale(process: Process, environment: dict[str, str]) -> None:
    """A question is echoed with its characters."""
    done = process(
        "--sandbox", "--quiet", "call", stdin='{"query": "tram 電車 é", "output": "posts"}'.encode(), **environment
    )
    assert done.returncode == 0
    assert "Query: tram 電車 é\n" in json.loads(done.stdout.decode("utf-8"))["content"]


def test_a_question_typed_in_utf_8_survives_an_ascii_locale(process: Process) -> None:
    """Bytes that the locale cannot name become replacement characters at worst, and never a crash."""
    done = process("--sandbox", "posts", "tram é", **ASCII)
    assert done.returncode == 0
    assert b"Query: tram " in done.stdout


@pytest.mark.parametrize(
    ("environment", "shown"), [({}, "page 1/5 \u00b7 0 posts"), (ASCII, "page 1/5 - 0 posts")], ids=["utf-8", "ascii"]
)
def test_progress_is_readable_in_the_encoding_of_stderr(
    process: Process, environment: dict[str, str], shown: str
) -> None:
    """A separator that cannot be shown becomes a dash, not an escape."""
    assert process(*READ, **environment).stderr.decode().splitlines()[0] == shown


@pytest.mark.parametrize("words", [READ, ("schema",), ("--version",), ("config",), ("call",)], ids=" ".join)
def test_a_closed_pipe_ends_quietly(home: Path, words: tuple[str, ...]) -> None:
    """The reader has what it wanted: no message, and the code that the call earned."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(
            [PYTHON, "-m", "twitter_tool.cli.main", *words],
            stdin=subprocess.DEVNULL,
            stdout=closed,
            stderr=subprocess.PIPE,
            env=plain_environment(home),
            cwd=home,
            timeout=50,
            check=False,
        )
    assert done.returncode == (2 if words == ("call",) else 0)
    assert [line for line in done.stderr.splitlines() if not line.startswith(b"page ")] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", [READ, ("--version",), ("--format", "json", "posts", "--nope")], ids=" ".join)
def test_a_result_that_could_not_be_written_is_a_failure(home: Path, words: tuple[str, ...]) -> None:
    """A script must not take a file that was cut for a result."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [PYTHON, "-m", "twitter_tool.cli.main", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            env=plain_environment(home),
            cwd=home,
            timeout=50,
            check=False,
        )
    assert done.returncode == 1
    last = done.stderr.decode().splitlines()[-1]
    assert last == "error (internal): the result could not be written to stdout: No space left on device"


def test_a_closed_stdout_is_a_failure_and_a_closed_stderr_is_none(home: Path) -> None:
    """Only the result matters."""
    line = f"'{PYTHON}' -m twitter_tool.cli.main --sandbox posts tram"
    environment = plain_environment(home)
    without_out = subprocess.run(
        ["sh", "-c", f"{line} >&-"], env=environment, cwd=home, capture_output=True, check=False
    )
    assert without_out.returncode == 1
    assert b"could not be written" in without_out.stderr
    without_err = subprocess.run(
        ["sh", "-c", f"{line} 2>&-"], env=environment, cwd=home, capture_output=True, check=False
    )
    assert without_err.returncode == 0
    assert without_err.stdout.startswith(b"# X evidence")


def test_a_stdout_that_takes_only_text_is_served_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that embed the command replace the stream."""
    replaced = io.StringIO()
    monkeypatch.setattr(sys, "stdout", replaced)
    streams.write_out("é\n")
    assert replaced.getvalue() == "é\n"


@pytest.mark.parametrize(
    ("text", "encoding", "shown"),
    [
        ("page 1/5 \u00b7 0 posts", "utf-8", "page 1/5 \u00b7 0 posts"),
        ("page 1/5 \u00b7 0 posts", "latin-1", "page 1/5 \u00b7 0 posts"),
        ("page 1/5 \u00b7 0 posts", "ascii", "page 1/5 - 0 posts"),
        ("é \udcff", "ascii", "\\xe9 \\udcff"),
    ],
)
def test_text_for_people_is_fitted_to_an_encoding(text: str, encoding: str, shown: str) -> None:
    """What cannot be shown is escaped, and never raises."""
    assert streams.encodable(text, encoding) == shown


def test_an_interactive_reader_of_stdin_is_told_what_is_expected(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the command would seem to hang."""

    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    from twitter_tool.cli import feeds

    class Fake:
        stdin = Terminal(io.BytesIO(b'{"query": "tram", "output": "posts"}'))

    monkeypatch.setattr(feeds, "sys", Fake)
    outcome = run("--sandbox", "call")
    assert outcome.code == 0
    assert outcome.err.splitlines()[0] == "reading one JSON object from the terminal; end with Ctrl-D"
