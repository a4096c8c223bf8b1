"""Running the command in this process or in its own, far from the user's settings and keys."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_processes import PYTHON, Outcome, plain_environment

from twitter_tool.cli import run as actions
from twitter_tool.cli.main import main


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder is the home, and both are empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Run a command line in this process; ``stdin`` is what it can read there."""

    def run_words(*words: str, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsysbinary.readouterr()
        code = main(list(words))
        out, err = capsysbinary.readouterr()
        return Outcome(code, out.decode("utf-8"), err.decode("utf-8"))

    return run_words


@pytest.fixture
def arguments_of(run: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """The arguments of the tool call that a command line stands for; nothing is read."""
    seen: list[dict[str, Any]] = []

    def keep(arguments: dict[str, Any], invocation: Any, **further: Any) -> int:
        seen.append(dict(arguments))
        return 0

    monkeypatch.setattr(actions, "_read", keep)

    def arguments(*words: str, stdin: bytes = b"") -> dict[str, Any]:
        outcome = run(*words, stdin=stdin)
        assert outcome.code == 0, outcome.err
        return seen.pop()

    return arguments


@pytest.fixture
def process(home: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run a command line in a fresh process."""

    def run_process(*words: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [PYTHON, "-m", "twitter_tool.cli.main", *words],
            input=stdin,
            capture_output=True,
            env=plain_environment(home) | environment,
            cwd=home,
            timeout=50,
            check=False,
        )

    return run_process
