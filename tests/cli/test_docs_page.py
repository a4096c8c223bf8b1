"""The page about the command line shows what the command prints today."""

from __future__ import annotations

from pathlib import Path

import pytest

from twitter_tool.cli.pages import refreshed, transcript

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


@pytest.mark.slow
def test_help_pages_and_transcripts_in_the_documentation_are_what_is_printed_now() -> None:
    """Every command on the page is run again; only the time of reading is made fixed."""
    page = PAGE.read_text("utf-8")
    assert refreshed(page) == page, "run: python -m twitter_tool.cli.generate --docs docs/cli.md"


def test_the_page_has_transcripts_and_a_help_page_for_every_command() -> None:
    """A page without any would pass for up to date."""
    page = PAGE.read_text("utf-8")
    assert page.count("\n$ twitter-tool") >= 5
    assert page.count("\n### twitter-tool") > 20


def test_a_transcript_is_run_again_and_shows_failures() -> None:
    """What stood under the command is replaced, and an exit code other than 0 is told."""
    assert transcript("$ echo new\nold\n$ exit 3\n") == "$ echo new\nnew\n$ exit 3\n[exit 3]\n"


def test_a_transcript_sees_no_key_of_the_one_who_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor any setting."""
    monkeypatch.setenv("TWITTERAPI_IO_API_KEY", "secret")
    assert transcript('$ echo "<$TWITTERAPI_IO_API_KEY>"\n') == '$ echo "<$TWITTERAPI_IO_API_KEY>"\n<>\n'
