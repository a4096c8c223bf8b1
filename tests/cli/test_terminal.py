"""On a terminal progress is one line that is rewritten and gone at the end."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

import pytest
from cli_processes import PYTHON, plain_environment

from twitter_tool.cli import progress as module
from twitter_tool.cli.progress import ProgressLine, fitted
from twitter_tool.cli.reports import width

pty = pytest.importorskip("pty")
ERASE = "\r\x1b[K"


def _on_a_terminal(home: Path, *words: str, **environment: str) -> tuple[str, str]:
    """What goes to stdout (a pipe) and to a terminal that is stderr."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [PYTHON, "-m", "twitter_tool.cli.main", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=plain_environment(home) | {"TERM": "xterm"} | environment,
        cwd=home,
    ) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # how the end of a terminal is told
            while piece := os.read(ours, 4096):
                shown += piece
        assert process.stdout is not None
        out = process.stdout.read()
    os.close(ours)
    return out.decode(), shown.decode()


def test_progress_is_rewritten_and_erased(home: Path) -> None:
    """Nothing of it is left above the result."""
    out, shown = _on_a_terminal(home, "--sandbox", "posts", "tram", "--count", "1")
    assert out.startswith("# X evidence")
    assert shown == f"{ERASE}page 1/5 \u00b7 0 posts{ERASE}page 1/5 \u00b7 1 posts{ERASE}"


def test_a_terminal_that_cannot_rewrite_gets_lines(home: Path) -> None:
    """Editors run commands in such terminals."""
    _, shown = _on_a_terminal(home, "--sandbox", "posts", "tram", "--count", "1", TERM="dumb")
    assert shown.splitlines() == ["page 1/5 \u00b7 0 posts", "page 1/5 \u00b7 1 posts"]


def test_the_line_is_erased_before_an_error(home: Path) -> None:
    """The error begins at the margin."""
    _, shown = _on_a_terminal(home, "--sandbox", "profile", "nobody_sbx")
    assert f"{ERASE}error (not_found): " in shown


def test_quiet_leaves_the_terminal_untouched(home: Path) -> None:
    """Not even an erased line."""
    assert _on_a_terminal(home, "--sandbox", "posts", "tram", "--quiet")[1] == ""


def test_no_colour_is_ever_used(home: Path) -> None:
    """Which is what NO_COLOR asks for, and what a log wants."""
    _, shown = _on_a_terminal(home, "posts", "tram", NO_COLOR="1")
    assert "\x1b" not in shown.replace(ERASE, "")
    assert _on_a_terminal(home, "posts", "tram")[1] == shown


def test_an_event_longer_than_the_terminal_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrapped line could not be erased."""
    written: list[str] = []
    monkeypatch.setattr(module, "is_terminal", lambda stream: True)
    monkeypatch.setattr(module, "write_err", written.append)
    monkeypatch.setattr(module, "_columns", lambda: 20)
    line = ProgressLine()
    line("a" * 50)
    line("short")
    line.clear()
    line.clear()
    assert written == [f"{ERASE}{'a' * 18}\u2026", f"{ERASE}short", ERASE]


@pytest.mark.parametrize("columns", [0, 1, 2, 20, 40, 60])
@pytest.mark.parametrize(
    "event",
    [
        "video 1/1 - downloading - 3.2 of 8.0 MB - 5 s left",
        "video 1/1 \u00b7 transcribing \u00b7 12 of 120 s \u00b7 30 s left",
        "\u96fb\u8eca\u304c\u6765\u308b" * 8,
        "e\u0301" * 30,
    ],
)
def test_every_event_stays_one_line_on_any_terminal(event: str, columns: int) -> None:
    """Counted in columns, of which wide characters take two; the beginning is what is kept."""
    shown = fitted(event, columns)
    assert width(shown) < max(columns, 2)
    if width(event) < columns:
        assert shown == event
    else:
        assert event.startswith(shown.removesuffix("\u2026"))
        assert shown.endswith("\u2026")
        assert width(shown) >= columns - 2


def test_the_state_of_a_download_is_one_line_that_is_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shorter state leaves nothing of a longer one behind."""
    written: list[str] = []
    monkeypatch.setattr(module, "is_terminal", lambda stream: True)
    monkeypatch.setattr(module, "write_err", written.append)
    monkeypatch.setattr(module, "_columns", lambda: 80)
    line = ProgressLine()
    for state in ("3.2 of 8.0 MB - 5 s left", "8.0 of 8.0 MB"):
        line(f"video 1/1 - downloading - {state}")
    line.clear()
    assert "".join(written) == (
        f"{ERASE}video 1/1 - downloading - 3.2 of 8.0 MB - 5 s left"
        f"{ERASE}video 1/1 - downloading - 8.0 of 8.0 MB{ERASE}"
    )


def test_an_event_cannot_move_the_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Events are ours, but one day may quote something."""
    written: list[str] = []
    monkeypatch.setattr(module, "write_err", written.append)
    ProgressLine()("reading \x1b[2Jpage\n1")
    assert written == ["reading page \u23ce 1\n"]
