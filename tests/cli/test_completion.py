"""Shell completion, as the scripts of the shells ask for it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest

Process = Callable[..., subprocess.CompletedProcess[bytes]]


def _completed(process: Process, line: str) -> list[str]:
    words = line.split(" ")
    done = process(_TWITTER_TOOL_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    assert done.returncode == 0, done.stderr
    return [answer.partition(",")[2] for answer in done.stdout.decode().splitlines()]


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("twitter-tool th", ["thread"]),
        ("twitter-tool re", ["replies", "retweeters"]),
        ("twitter-tool --fo", ["--format"]),
        ("twitter-tool replies 7 --re", ["--reply-sort"]),
        ("twitter-tool replies 7 --reply-sort L", ["Latest", "Likes"]),
        ("twitter-tool quotes 7 --no", ["--no-include-replies"]),
        ("twitter-tool posts tram --sand", ["--sandbox"]),
        ("twitter-tool posts tram --output p", ["posts"]),
        ("twitter-tool --format json", ["json", "jsonl"]),
        ("twitter-tool sandbox --fault http_40", ["http_401", "http_402", "http_403"]),
        ("twitter-tool completion z", ["zsh"]),
        ("twitter-tool cac", ["cache"]),
        ("twitter-tool cache --cl", ["--clear"]),
        ("twitter-tool user ann --enable-v", ["--enable-video-understanding", "--enable-video-processing"]),
        ("twitter-tool --sav", ["--save-media"]),
    ],
)
def test_commands_options_and_choices_are_completed(process: Process, line: str, answers: list[str]) -> None:
    """From the shipped table alone."""
    assert _completed(process, line) == answers


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(run: Callable[..., Any], shell: str) -> None:
    """It names the command and the variable that it listens to."""
    outcome = run("completion", shell)
    assert outcome.code == 0
    assert "twitter-tool" in outcome.out
    assert f"_TWITTER_TOOL_COMPLETE={shell}_complete" in outcome.out
