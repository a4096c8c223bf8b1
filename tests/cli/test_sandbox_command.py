"""Serving the sandbox, and reading from it as another program would."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli_processes import PYTHON, plain_environment

from twitter_tool.cli import serving

pytest.importorskip("uvicorn")
Run = Callable[..., Any]


@contextmanager
def _served(home: Path, *words: str) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, Any]]]:
    with subprocess.Popen(
        [PYTHON, "-m", "twitter_tool.cli.main", "sandbox", "--port", "0", "--format", "jsonl", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=plain_environment(home),
        cwd=home,
    ) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_the_two_printed_lines_are_all_that_another_process_needs(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """And a signal is the normal end of a server."""
    with _served(home) as (process, told):
        for name, value in told["environment"].items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("TWITTER_TOOL_MIN_REQUEST_INTERVAL_MS", "0")
        outcome = run("posts", "tram", "--count", "1", "--format", "json")
        process.send_signal(number)
        assert process.wait(timeout=30) == 0
    details = json.loads(outcome.out)["details"]
    assert (details["backend"], details["routedTo"]) == ("twitterapi.io", told["url"])
    assert {"what", "value"} == set(told["hints"][0])


def test_a_key_and_faults_can_be_named(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """To see how a program behaves when things go wrong."""
    with _served(home, "--key", "only-this", "--fault", "http_402") as (_, told):
        assert told["environment"]["TWITTERAPI_IO_API_KEY"] == "only-this"
        monkeypatch.setenv("TWITTER_TOOL_ROUTE_TO", told["url"])
        monkeypatch.setenv("TWITTERAPI_IO_API_KEY", "another")
        assert run("profile", "tramwatch_sbx").code == 3
        monkeypatch.setenv("TWITTERAPI_IO_API_KEY", "only-this")
        assert "credits_exhausted" in run("profile", "tramwatch_sbx").err


def test_people_get_lines_to_copy_and_places_to_start_from() -> None:
    """A key with blanks is quoted for the shell."""
    url = "http://127.0.0.1:1"
    hints = [
        {"what": "list", "value": "12"},
        {"what": "post with a poll", "value": "7"},
        {"what": "community", "value": "ann"},
    ]
    text = serving.announcement({"url": url, "environment": serving.environment(url, "a b"), "hints": hints})
    assert text == (
        "sandbox on http://127.0.0.1:1\n\n"
        "export TWITTER_TOOL_ROUTE_TO=http://127.0.0.1:1\n"
        "export TWITTERAPI_IO_API_KEY='a b'\n\n"
        "To start from:\n  12   list\n  ann  community\ndocs/sandbox.md has the rest; so has --format json.\n"
    )


def test_the_places_to_start_from_are_few_and_of_every_kind() -> None:
    """Each of them exists: a renamed one would drop out without a word."""
    from twitter_tool.sandbox import hints

    known = [what for what, _ in hints()]
    assert set(serving.SHOWN) <= set(known)
    assert len(serving.SHOWN) < len(known) / 3
    text = " ".join(serving.SHOWN)
    assert all(kind in text for kind in ("search", "account", "post", "list", "community", "Space"))


def test_an_unknown_fault_is_refused_with_the_way_to_the_list(run: Run) -> None:
    """Before anything listens."""
    outcome = run("sandbox", "--fault", "nope")
    assert outcome.code == 2
    assert "sandbox --help" in outcome.err


@pytest.mark.parametrize("port", ["-1", "65536", "99999999999999999999"])
def test_a_port_that_cannot_exist_is_refused(run: Run, port: str) -> None:
    """A matter of the line, not of the machine."""
    outcome = run("sandbox", "--port", port)
    assert outcome.code == 2
    assert "1 to 65535" in outcome.err


def test_a_port_that_is_taken_is_a_matter_of_the_set_up(run: Run) -> None:
    """With the way out."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = run("sandbox", "--port", str(taken.getsockname()[1]))
    assert outcome.code == 3
    assert "in use" in outcome.err
    assert "--port 0" in outcome.err


def test_without_the_server_package_the_install_command_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is not part of a plain installation."""
    import sys

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    outcome = run("sandbox", "--port", "0")
    assert outcome.code == 3
    assert 'pip install "twitter-tool[sandbox]"' in outcome.err
