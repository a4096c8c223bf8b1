"""The shipped table of commands is what the modes declare."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from twitter_tool.cli import generate
from twitter_tool.cli.table import PATH, table
from twitter_tool.modes.registry import MODES


def test_the_shipped_table_is_what_the_modes_declare_now() -> None:
    """Whoever changes a mode runs the generator; nobody edits the file."""
    assert Path(PATH).read_text("utf-8") == generate.text(), "run: python -m twitter_tool.cli.generate"


def test_every_mode_is_in_the_table_in_the_order_of_the_registry() -> None:
    """There is no second list of modes."""
    assert list(table()["modes"]) == list(MODES)


def test_every_parameter_of_a_mode_is_an_argument_or_an_option() -> None:
    """Nothing that a tool call can say is missing from the command line."""
    for mode in MODES.values():
        entry = table()["modes"][mode.name]
        names = [parameter["name"] for parameter in (*entry["positional"], *entry["options"])]
        assert sorted(names) == sorted(mode.params.model_fields)


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("queryType", "query-type"),
        ("replySort", "reply-sort"),
        ("from_date", "from-date"),
        ("allowed_x_handles", "allowed-x-handles"),
        ("userId", "user-id"),
        ("limit", "limit"),
    ],
)
def test_options_are_spelt_in_kebab_case(name: str, flag: str) -> None:
    """Both spellings of the schema lead to one spelling on the command line."""
    assert generate.kebab(name) == flag


def test_limits_choices_and_defaults_come_from_the_models() -> None:
    """The help can say them although no model is loaded for it."""
    options = {option["name"]: option for option in table()["modes"]["posts"]["options"]}
    assert (options["count"]["min"], options["count"]["max"], options["count"]["default"]) == (1, 50, 10)
    assert options["queryType"]["choices"] == ["Latest", "Top"]
    assert options["allowed_x_handles"]["multiple"]


def test_a_parameter_without_a_form_on_the_command_line_is_refused() -> None:
    """A new mode with, say, a nested object must not get an option that cannot work."""
    with pytest.raises(ValueError, match="object"):
        generate._type({"type": "object"})


def test_check_mode_changes_nothing_and_reports_what_is_outdated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """This is what continuous integration runs."""
    stale = tmp_path / "commands.json"
    stale.write_text("{}", "utf-8")
    monkeypatch.setattr(generate, "PATH", str(stale))
    monkeypatch.setattr(generate, "pages", lambda: iter(()))  # a test must not mend the documentation
    monkeypatch.setattr(generate, "documentation", list)
    assert generate.main(["--check"]) == 1
    assert stale.read_text("utf-8") == "{}"
    assert str(stale) in capsys.readouterr().out
    assert generate.main([]) == 0
    assert json.loads(stale.read_text("utf-8"))["modes"]
    assert generate.main(["--check"]) == 0


def test_the_table_holds_no_more_than_help_needs() -> None:
    """Its size is part of what every start costs."""
    assert Path(PATH).stat().st_size < 32_000
