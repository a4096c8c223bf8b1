"""Doctor and config for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from twitter_tool.cli import reports
from twitter_tool.settings import KEYS

Run = Callable[..., Any]


def test_doctor_fails_without_a_key_and_says_how_to_mend_it(run: Run) -> None:
    """In the exit code of a call that lacks it."""
    outcome = run("doctor")
    assert (outcome.code, outcome.err) == (3, "")
    assert 'fix: export TWITTERAPI_IO_API_KEY="your key"' in outcome.out
    assert outcome.out.endswith("Not ready to read X yet; --sandbox works without a key.\n")


def test_without_anything_else_missing_than_a_model_the_end_does_not_speak_of_a_key() -> None:
    """The sandbox would not help there."""
    checks = [
        {"name": "retrieval key", "status": "ok", "message": "set.", "fix": None},
        {"name": "answers", "status": "missing", "message": "no model.", "fix": None},
    ]
    assert reports.doctor_table({"ok": False, "checks": checks}).endswith("Not ready: mend what is missing.\n")


def test_a_value_that_was_changed_is_a_problem_and_not_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """For people; documents know three states only."""
    monkeypatch.setenv("TWITTER_TOOL_MAX_PAGES", "many")
    assert "\nproblem  setting values " in run("doctor").out
    checks = {check["name"]: check["status"] for check in json.loads(run("doctor", "--format", "json").out)["checks"]}
    assert checks["setting values"] == "missing"
    assert "\nmissing  retrieval key " in run("doctor").out


def test_a_switch_without_the_other_is_a_problem_and_not_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """So is a folder that the cache does not use."""
    monkeypatch.setenv("TWITTER_TOOL_ENABLE_VIDEO_PROCESSING", "true")
    monkeypatch.setenv("TWITTER_TOOL_EVIDENCE_CACHE", "true")
    monkeypatch.setenv("TWITTER_TOOL_EVIDENCE_CACHE_DIR", "relative")
    out = run("doctor").out
    assert "\nproblem  video processing " in out
    assert "\nproblem  evidence cache " in out


def test_the_options_of_a_call_are_those_that_the_doctor_looks_at(run: Run) -> None:
    """So that one sees beforehand whether a call with them can work."""
    assert "\noff      video processing " in run("doctor").out
    assert "\nok       video processing " in run("--enable-video-processing", "doctor").out


def test_every_setting_is_shown(run: Run) -> None:
    """With its value and where that came from."""
    shown = run("config").out
    for key in KEYS:
        assert f"\n{key.name} " in shown, key.name


def test_doctor_is_content_with_a_key_or_the_sandbox(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key itself is not shown."""
    assert run("doctor", "--sandbox").code == 0
    monkeypatch.setenv("TWITTERAPI_IO_API_KEY", "very-secret-key")
    outcome = run("doctor")
    assert outcome.code == 0
    assert outcome.out.endswith("Ready.\n")
    assert "very-secret-key" not in outcome.out


def test_doctor_names_what_is_missing_beside_what_is_ready(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A last line that says Ready alone would be all that many read."""
    monkeypatch.setenv("TWITTER_TOOL_FFMPEG_PATH", "/nowhere/ffmpeg")
    outcome = run("doctor", "--sandbox", "--enable-video-processing")
    assert outcome.code == 0
    assert "Ready, except for: ffmpeg" in outcome.out.splitlines()[-1]


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_doctor_as_a_document(run: Run, form: str) -> None:
    """Also when it fails: the document is the result."""
    outcome = run("doctor", "--format", form)
    document = json.loads(outcome.out)
    assert outcome.code == 3
    assert document["ok"] is False
    assert {"name", "status", "message", "fix"} == set(document["checks"][0])
    assert (len(outcome.out.splitlines()) == 1) == (form == "jsonl")


def test_config_shows_every_setting_and_where_it_came_from(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In columns for people, by name for programs."""
    (home / "mine.toml").write_text("max_pages_ceiling = 9\n", "utf-8")
    monkeypatch.setenv("TWITTER_TOOL_MIN_REQUEST_INTERVAL_MS", "100")
    words = ("--config", "mine.toml", "config")
    rows = [line.split() for line in run(*words).out.splitlines()]
    assert ["max_pages_ceiling", "user", "9"] in rows
    assert ["min_request_interval_ms", "env", "100"] in rows
    assert ["time_zone", "default", "-"] in rows
    document = json.loads(run(*words, "--format", "json").out)
    assert list(document["settings"]) == [key.name for key in KEYS]
    assert document["settings"]["max_pages_ceiling"] == {"value": 9, "source": "user"}
    assert document["files"][0]["status"] == "read"


def test_config_tells_what_was_ignored(run: Run, home: Path) -> None:
    """A project's file cannot turn on what is the user's to decide."""
    (home / ".twitter-tool.toml").write_text("use_proxy_env = true\n", "utf-8")
    out = run("config").out
    assert "\nnotes\n- " in out
    assert "use_proxy_env" in out.rpartition("notes")[2]


def test_columns_line_up_with_wide_and_combining_characters() -> None:
    """A width is what the terminal uses, not what the string counts."""
    table = reports.columns(("a", "b"), [("電車", "x"), ("e\u0301", "y"), ("abc", "z")])
    assert [reports.width(line[: line.index(mark)]) for line, mark in zip(table.splitlines(), "bxyz", strict=True)] == [
        6
    ] * 4


@pytest.mark.parametrize("flavor", ["json", "openai", "anthropic"])
def test_the_schema_is_printed_in_each_wrapping(run: Run, flavor: str) -> None:
    """As the library gives it."""
    from twitter_tool import tool_schema

    assert json.loads(run("schema", "--flavor", flavor).out) == tool_schema(flavor)
    assert json.loads(run("schema").out) == tool_schema()
