"""Every example in the documentation runs, and prints what stands under it."""

from __future__ import annotations

import io
import shlex
import sys
from pathlib import Path

import pytest
from doc_pages import PAGES, ROOT, Fence, all_fences, fences, name_of

from twitter_tool.cli.main import main
from twitter_tool.cli.pages import program_output, transcript
from twitter_tool.modes.registry import MODES

REFRESH = "run: python -m twitter_tool.cli.generate --docs README.md docs/*.md"
KINDS = {"python", "text output", "console", "bash", "text", "toml", "json"}
# docs/cli.md and docs/settings.md have tests of their own, which run what is on them.
CONSOLE = [fence for fence in all_fences("console") if fence.page.name != "cli.md"]
BASH = [fence for fence in all_fences("bash") if fence.page.name != "settings.md"]
COMMANDS = [(fence, line) for fence in BASH for line in fence.text.splitlines() if line.strip()]
SANDBOXED = [pytest.param(line, id=f"{fence.where}-{line[:40]}") for fence, line in COMMANDS if "--sandbox" in line]
NOT_RUN = {
    "python3 -m venv .venv",
    ".venv/bin/pip install -e '.[dev]'",
    ".venv/bin/pytest",
    "source .venv/bin/activate",
    'export TWITTERAPI_IO_API_KEY="your key"',
    "export TWITTER_TOOL_MIN_REQUEST_INTERVAL_MS=500",
    "twitter-tool doctor",
    'pip install -e ".[media,answer,speech-model]"',
    'twitter-tool user tramwatch_sbx --enable-image-understanding -q "What do the pictures show?"',
}


def expected_output(program: Fence) -> str:
    """The block right after a program, if it is its output."""
    following = fences(program.page)
    after = following[following.index(program) + 1 :][:1]
    return after[0].text if after and after[0].info == "text output" else ""


@pytest.mark.parametrize("fence", all_fences("python"), ids=lambda fence: fence.where)
def test_a_program_prints_what_stands_under_it(fence: Fence) -> None:
    """As it is, in a process of its own, with warnings as errors; nothing is printed where nothing stands."""
    assert program_output(fence.text) == expected_output(fence), REFRESH


@pytest.mark.slow
@pytest.mark.parametrize("fence", CONSOLE, ids=lambda fence: fence.where)
def test_commands_print_what_stands_under_them(fence: Fence) -> None:
    """Only the time of reading is made fixed."""
    assert transcript(fence.text) == fence.text, REFRESH


@pytest.mark.parametrize("line", SANDBOXED)
def test_a_command_against_the_sandbox_gives_a_result(
    line: str, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Items, or an answer that quotes something; not just an empty success."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    program, *words = shlex.split(line)
    assert Path(program).name == "twitter-tool"
    assert main(words) == 0
    out = capsysbinary.readouterr().out.decode("utf-8")
    assert "\n[1] " in out or ("\n## Answer\n" in out and "\n> " in out)
    assert "\n## Sources\n1. https://x.com/" in out


def test_every_other_command_is_known_not_to_be_run() -> None:
    """Setting up, and what needs a key; no other line escapes being run."""
    assert {line for _, line in COMMANDS if "--sandbox" not in line} == NOT_RUN


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    """A block marked ``text`` shows something; no example hides behind another word."""
    kinds = {fence.info for page in PAGES for fence in fences(page)}
    assert kinds <= KINDS, kinds - KINDS


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_output_stands_right_after_its_program(page: Path) -> None:
    """Else nobody would compare it."""
    kinds = [fence.info for fence in fences(page)]
    assert all(kinds[at - 1] == "python" for at, kind in enumerate(kinds) if kind == "text output")


def test_the_page_about_modes_tries_each_of_them() -> None:
    """One command line for each, in their order."""
    (block,) = [fence for fence in BASH if fence.page.name == "modes.md"]
    assert [line.split()[1] for line in block.text.splitlines()] == list(MODES)


def test_the_readme_sets_up_in_two_commands_and_runs_and_tests_in_one_each() -> None:
    """In this order, before anything else."""
    readme = [fence for fence in BASH if fence.page == ROOT / "README.md"]
    assert [fence.text.splitlines() for fence in readme[:4]] == [
        ["python3 -m venv .venv", ".venv/bin/pip install -e '.[dev]'"],
        ['.venv/bin/twitter-tool posts "tram line" --sandbox'],
        [".venv/bin/pytest"],
        ["source .venv/bin/activate"],
    ]
