"""What the documentation repeats from the code is what the code says now."""

from __future__ import annotations

from pathlib import Path

import pytest
from doc_pages import PAGES, ROOT, name_of

from twitter_tool.cli import generate, reference
from twitter_tool.cli.pages import faults, refreshed
from twitter_tool.modes.registry import MODES
from twitter_tool.sandbox import FAULT_NAMES, hints

ENTRIES = generate.built()["modes"]
GENERATED = list(reference.pages())


@pytest.mark.parametrize("page", GENERATED, ids=lambda page: page.name)
def test_generated_parts_are_current(page: Path) -> None:
    """The page is the same when they are made anew."""
    text = page.read_text("utf-8")
    assert reference.filled(text, ENTRIES) == text, "run: python -m twitter_tool.cli.generate"


def test_the_pages_with_generated_parts_are_found() -> None:
    """So that the test above tests something."""
    assert [page.name for page in GENERATED] == ["modes.md", "sandbox.md", "settings.md"]


def test_every_mode_has_a_section_with_every_parameter() -> None:
    """Also where a mode is added or a parameter renamed."""
    sections = dict(part.split("\n", 1) for part in reference.modes_part(ENTRIES).split("\n### ")[1:])
    assert list(sections) == list(MODES)
    for name, mode in MODES.items():
        for parameter in mode.params.model_fields:
            assert f"\n| `{parameter}` | " in sections[name], (name, parameter)
        assert all(path in reference.modes_part(ENTRIES) for path in mode.paths)


def test_limits_defaults_and_needs_are_shown() -> None:
    """In the words of the page."""
    part = reference.modes_part(ENTRIES)
    assert "| `count` | `--count` | whole number | 1 to 50 | `10` |  | At most this many posts. |" in part
    assert "| `replySort` | `--reply-sort` | one of | `Relevance`, `Latest`, `Likes` |  |  |" in part
    assert "| `tweet` | argument | text |  |  | yes |" in part
    assert "| `ids` | argument | list of texts |  |  | yes |" in part
    assert "`twitter-tool replies [OPTIONS] POST [QUESTION]...`" in part


def test_a_limit_that_only_keeps_out_impossible_values_is_no_figure() -> None:
    """The last second of the year 9999 helps no reader."""
    assert "253402300799" not in reference.modes_part(ENTRIES)
    assert "| `sinceTime` | `--since-time` | whole number | at least 0 |" in reference.modes_part(ENTRIES)


def test_all_faults_and_examples_are_listed() -> None:
    """Each in a row of its own."""
    assert reference.faults_table().count("\n") == len(FAULT_NAMES) + 2
    assert reference.hints_table().count("\n") == len(hints()) + 2


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    """A table would lose its shape."""
    assert reference.markdown_table(("A",), [("x|y",)]) == "| A |\n|---|\n| x&#124;y |\n"


def test_an_unknown_part_is_an_error() -> None:
    """A misspelt name must not pass for an empty table."""
    with pytest.raises(KeyError):
        reference.filled("<!-- generated: mods -->\n<!-- /generated -->", ENTRIES)


def test_without_documentation_beside_the_package_nothing_is_generated(tmp_path: Path) -> None:
    """As in an installed wheel."""
    assert list(reference.pages(tmp_path)) == []


def test_the_generator_writes_outdated_pages_and_with_check_only_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One command mends everything, and continuous integration tells what is not mended."""
    page = tmp_path / "docs" / "faults.md"
    page.parent.mkdir()
    page.write_text("<!-- generated: faults -->\nold\n<!-- /generated -->\n", "utf-8")
    monkeypatch.setattr(generate, "pages", lambda: reference.pages(tmp_path))
    monkeypatch.setattr(generate, "documentation", lambda: reference.documentation(tmp_path))
    assert generate.main(["--check"]) == 1
    assert str(page) in capsys.readouterr().out
    assert "\nold\n" in page.read_text("utf-8")
    assert generate.main([]) == 0
    assert "| `http_402` | no credits left |" in page.read_text("utf-8")
    assert generate.main(["--check"]) == 0


def test_checking_runs_the_examples_of_all_pages_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without being told which pages there are."""
    (tmp_path / "docs").mkdir()
    pages = [tmp_path / "README.md", tmp_path / "docs" / "one.md"]
    for page in pages:
        page.write_text("```console\n$ echo new\nold\n```\n", "utf-8")
    monkeypatch.setattr(generate, "pages", lambda: reference.pages(tmp_path))
    monkeypatch.setattr(generate, "documentation", lambda: reference.documentation(tmp_path))
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out == "".join(f"outdated: {page}\n" for page in pages)
    assert generate.main(["--docs", *map(str, pages)]) == 0
    assert generate.main(["--check"]) == 0


def test_the_pages_that_are_checked_are_all_there_are() -> None:
    """The README and everything in `docs`."""
    names = {path.relative_to(ROOT).as_posix() for path in reference.documentation()}
    assert names == {name_of(page) for page in PAGES} - {"CHANGELOG.md"}


@pytest.mark.parametrize(
    "command",
    [
        "echo 'Traceback (most recent call last):'",
        "echo 'error (internal): an unexpected fault'",
        """echo '{"error": {"code": "internal"}}'""",
    ],
)
def test_a_fault_of_the_tool_is_never_written_into_a_page(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor anything else at the same time: what is on the pages stays until the fault is mended."""
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text("```console\n$ echo new\nold\n```\n", "utf-8")
    bad.write_text(f"```console\n$ {command}\nold\n```\n", "utf-8")
    monkeypatch.setattr(generate, "pages", lambda: iter(()))
    assert generate.main(["--docs", str(good), str(bad)]) == 1
    assert "old" in good.read_text("utf-8")
    assert "old" in bad.read_text("utf-8")
    assert str(bad) in capsys.readouterr().err
    bad.write_text(refreshed(bad.read_text("utf-8")), "utf-8")
    monkeypatch.setattr(generate, "documentation", lambda: [bad])
    assert generate.main(["--check"]) == 1


def test_no_page_shows_a_fault_of_the_tool() -> None:
    """Of its transcripts and outputs; prose may speak of them."""
    assert {name_of(page): faults(page.read_text("utf-8")) for page in PAGES} == {name_of(page): [] for page in PAGES}
    program = "```python\nraise ValueError\n```\n\n```text output\nTraceback (most recent call last):\n```\n"
    assert faults(program) == ["Traceback (most recent call last):"]
    assert faults("An `(internal)` error.\n") == []


def test_the_output_of_a_program_is_made_anew_and_other_programs_are_left_alone() -> None:
    """What stood there goes; a program without an output block gets none; failures and warnings show."""
    silent = "```python\nprint('unseen')\n```\n\n"
    shown = "```python\nprint(1)\nprint('two')\n```\n\n```text output\n{}```\n"
    assert refreshed(silent + shown.format("old\n")) == silent + shown.format("1\ntwo\n")
    warns = "```python\nimport warnings\nwarnings.warn('late')\n```\n\n```text output\n```\n"
    assert "UserWarning: late\n[exit 1]\n" in refreshed(warns)
