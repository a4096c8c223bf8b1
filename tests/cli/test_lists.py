"""Lists come from words, commas, files and stdin."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from twitter_tool.cli.feeds import split

Arguments = Callable[..., dict[str, Any]]

FEED = b"\xef\xbb\xbf# posts of the week\n1\n\n 2, 3  # two at once\nhttps://x.com/a/status/4#m\r\n"
ENTRIES = ["1", "2", "3", "https://x.com/a/status/4#m"]


def test_a_file_holds_entries_between_lines_blanks_and_commas(arguments_of: Arguments, home: Path) -> None:
    """Blank lines and comments are skipped; the mark that some editors put first is no entry."""
    (home / "ids.txt").write_bytes(FEED)
    given = arguments_of("tweets", "@ids.txt", "5")
    assert given["ids"] == [*ENTRIES, "5"]
    assert given["query"] == "tweets @ids.txt 5"


def test_a_dash_reads_the_list_from_stdin(arguments_of: Arguments) -> None:
    """So that the output of another program can be piped in."""
    assert arguments_of("tweets", "-", stdin=FEED)["ids"] == ENTRIES
    assert arguments_of("posts", "tram", "--allowed-x-handles", "-", stdin=b"a\nb")["allowed_x_handles"] == ["a", "b"]


def test_in_a_list_of_handles_a_leading_at_sign_is_part_of_a_handle(arguments_of: Arguments, home: Path) -> None:
    """Even when there is a file of that name; such a file is named with its folder."""
    (home / "team").write_text("ann\nbob\n")
    assert arguments_of("posts", "tram", "--allowed-x-handles", "@team")["allowed_x_handles"] == ["@team"]
    assert arguments_of("posts", "tram", "--allowed-x-handles", "@./team")["allowed_x_handles"] == ["ann", "bob"]
    assert arguments_of("posts", "tram", "--allowed-x-handles", "@a,@b")["allowed_x_handles"] == ["@a", "@b"]


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("1,2,,3,", ["1", "2", "3"]),
        ("1 2\t3", ["1", "2", "3"]),
        ("https://x.com/a/status/1,https://x.com/b/status/2", ["https://x.com/a/status/1", "https://x.com/b/status/2"]),
        ("https://x.com/a/status/1?s=1,2", ["https://x.com/a/status/1?s=1,2"]),
        (",", []),
    ],
)
def test_commas_separate_entries_except_inside_a_link(text: str, entries: list[str]) -> None:
    """A link is never cut into a link and an id that nobody typed."""
    assert list(split(text)) == entries


def test_a_word_without_entries_is_passed_on_for_refusal(arguments_of: Arguments) -> None:
    """An unset variable must not turn a filter off."""
    assert arguments_of("posts", "tram", "--allowed-x-handles", "")["allowed_x_handles"] == [""]


@pytest.mark.parametrize(
    ("words", "stdin", "problem"),
    [
        (["tweets", "@missing.txt"], b"", "'missing.txt' cannot be read: No such file"),
        (["tweets", "@."], b"", "Is a directory"),
        (["tweets", "-"], b"# nothing\n\n", "stdin holds no entries"),
        (["tweets", "-"], b"\xff\xfe1", "stdin is not UTF-8 text"),
        (["tweets", "-"], b"1 " * 600_000, "stdin holds more than 1 MiB"),
        (["tweets", "-", "-"], b"1", "stdin can feed only one list"),
        (["posts", "tram", "--allowed-x-handles", "@@ann"], b"", "'@ann' cannot be read"),
        (["tweets", "@bad\x00name"], b"", "cannot be read"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_list_that_cannot_be_read_is_refused(
    run: Callable[..., Any], words: list[str], stdin: bytes, problem: str
) -> None:
    """Nothing is read from X with half of what was meant."""
    outcome = run("--sandbox", *words, stdin=stdin)
    assert outcome.code == 2
    assert problem in outcome.err


def test_a_closed_stdin_is_refused(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A process may be started without one."""
    from twitter_tool.cli import feeds

    class Closed:
        stdin = None

    monkeypatch.setattr(feeds, "sys", Closed)
    outcome = run("--sandbox", "tweets", "-")
    assert (outcome.code, sys.stdin is not None) == (2, True)
    assert "stdin is closed" in outcome.err
