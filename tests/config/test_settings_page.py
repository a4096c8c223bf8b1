"""The page about settings is true: its table is current and its examples work."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from twitter_tool.cli.generate import built
from twitter_tool.cli.reference import filled
from twitter_tool.config import Loaded
from twitter_tool.report import settings_table
from twitter_tool.settings import KEYS

Load = Callable[..., Loaded]
PAGE = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
TOML = re.findall(r"^```toml\n# (.+?)\n(.*?)^```$", PAGE, re.M | re.S)
SHELL = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.M | re.S)


def test_the_tables_are_current() -> None:
    """Both are made from the one list of keys."""
    assert filled(PAGE, built()["modes"]) == PAGE, "run: python -m twitter_tool.cli.generate"


def test_every_setting_is_in_the_table() -> None:
    """Once."""
    for key in KEYS:
        assert settings_table().count(f"| `{key.name}` |") == 1


def test_a_computed_default_is_described_and_not_evaluated() -> None:
    """So that the tables are the same on every machine."""
    tables = settings_table()
    assert "| `whisper_threads` | whole number | cores, at most 8 | 1 to 64 |" in tables
    assert "| `whisper_realtime_factor` | number | `2` | 0.1 to 60 |" in tables


@pytest.mark.parametrize(("place", "content"), TOML, ids=[str(number) for number in range(len(TOML))])
def test_every_file_on_the_page_loads_without_a_complaint(load: Load, place: str, content: str) -> None:
    """As the file that its first line names."""
    level = "project" if place == ".twitter-tool.toml" else "user"
    loaded = load(**{level: content})
    assert loaded.notes == ()
    assert set(loaded.settings.origins.values()) == {level}


def test_every_variable_on_the_page_works(load: Load) -> None:
    """As a shell would set it."""
    words = [word for block in SHELL for word in shlex.split(block) if word != "export"]
    environ = dict(word.split("=", 1) for word in words)
    loaded = load(environ=environ)
    assert loaded.notes == ()
    assert len(loaded.settings.origins) == len(environ) > 3
    assert loaded.settings["fallback_models"] == ("openai/local-model", "extractive")
    assert loaded.settings["use_proxy_env"] is True


def test_the_page_has_examples_of_each_kind() -> None:
    """So that the tests above test something."""
    assert {place for place, _ in TOML} == {"~/.config/twitter-tool/config.toml", ".twitter-tool.toml"}
    assert len(TOML) == PAGE.count("```toml")
    assert len(SHELL) == PAGE.count("```bash")
