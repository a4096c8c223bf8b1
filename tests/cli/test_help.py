"""Help pages fit a terminal of 80 columns and explain every argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from twitter_tool._version import __version__
from twitter_tool.cli.other_commands import SUMMARIES
from twitter_tool.cli.pages import help_pages
from twitter_tool.cli.table import table

Run = Callable[..., Any]
COMMANDS = (*table()["modes"], *SUMMARIES)


def test_the_main_page_lists_every_command(run: Run) -> None:
    """Modes first, each with its sentence."""
    page = run("--help").out
    places = [page.index(f"\n  {name} ") for name in COMMANDS]
    assert places == sorted(places)


def test_options_about_media_have_their_own_part_of_the_main_page(run: Run) -> None:
    """Nobody who only reads text has to look through them."""
    usual, _, media = run("--help").out.partition("\nPictures and videos:\n")
    for name in (
        *("--enable-image-understanding", "--enable-video-understanding", "--enable-video-processing"),
        "--save-media DIR",
    ):
        assert f"\n  {name} " in f"\n{media}"
        assert name not in usual
    assert "\n  --sandbox " in usual
    assert "--sandbox" not in media


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_page(run: Run, name: str) -> None:
    """With both spellings of the option, and global options only named."""
    long, short = run(name, "--help"), run(name, "-h")
    assert (long.code, long.err) == (0, "")
    assert long.out == short.out
    assert long.out.startswith(f"Usage: twitter-tool {name} [OPTIONS]")
    assert "Also --output, --format" in long.out
    assert "and those about pictures and videos" in " ".join(long.out.split())
    assert "  --sandbox" not in long.out


@pytest.mark.parametrize("mode", list(table()["modes"]))
def test_the_page_of_a_mode_has_each_parameter_with_its_description(run: Run, mode: str) -> None:
    """Limits, choices and defaults are told where they are short."""
    page = " ".join(run(mode, "--help").out.split())
    entry = table()["modes"][mode]
    for parameter in (*entry["positional"], *entry["options"]):
        assert parameter["description"] in page
        assert parameter.get("flag", "") in page


def test_limits_and_defaults_are_told(run: Run) -> None:
    """A person sees them before being refused."""
    page = run("posts", "--help").out
    assert "[1-50; default: 10]" in page
    assert "[Latest|Top]" in page
    assert "[from 30]" in run("trends", "--help").out


def test_no_line_of_help_is_wider_than_a_terminal() -> None:
    """Pages are made for 80 columns."""
    wide = [line for line in help_pages().splitlines() if len(line) > 80]
    assert wide == []


@pytest.mark.parametrize("words", [("--version",), ("posts", "--version"), ("--quiet", "--version")])
def test_the_version_is_one_line(run: Run, words: tuple[str, ...]) -> None:
    """Wherever it is asked for."""
    assert run(*words).out == f"twitter-tool {__version__}\n"
