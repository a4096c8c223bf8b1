"""Showing and emptying the private cache of video text from the command line."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from twitter_tool.cli.cache_command import cache_table
from twitter_tool.clock import SYSTEM_CLOCK
from twitter_tool.media.cache import EvidenceCache, Kept
from twitter_tool.text import block

Run = Callable[..., Any]
SAID = Kept(method="stt", transcript=block("hello"))
KEYS = ("path", "enabled", "entries", "bytes", "oldest", "newest", "days")


@pytest.fixture
def folder(home: Path) -> Path:
    """Where the cache lies by default."""
    return home / ".cache" / "twitter-tool"


def fill(folder: Path, *keys: str) -> None:
    """Keep something under each key, as calls do."""
    cache = EvidenceCache(folder, days=30, clock=SYSTEM_CLOCK)
    for key in keys:
        asyncio.run(cache.put(key, SAID))
    assert cache.trouble is None


def test_an_empty_cache_is_shown_without_being_made(run: Run, folder: Path) -> None:
    """Also while it is turned off, which is how it comes."""
    outcome = run("cache")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == (
        f"path     {folder}/evidence.sqlite\n"
        "enabled  no; evidence_cache = true turns it on\n"
        "entries  0\n"
        "size     0 bytes\n"
        "oldest   -\n"
        "newest   -\n"
        "expiry   after 30 days\n"
    )
    assert not folder.exists()


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_the_state_as_a_document(run: Run, folder: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With sizes in bytes and times in UTC."""
    monkeypatch.setenv("TWITTER_TOOL_EVIDENCE_CACHE", "true")
    monkeypatch.setenv("TWITTER_TOOL_EVIDENCE_CACHE_DAYS", "7")
    before = datetime.now(UTC).replace(microsecond=0)
    fill(folder, "a", "b")
    outcome = run("cache", "--format", form)
    document = json.loads(outcome.out)
    assert tuple(document) == KEYS
    assert document | {"oldest": "", "newest": ""} == {
        "path": f"{folder}/evidence.sqlite",
        "enabled": True,
        "entries": 2,
        "bytes": (folder / "evidence.sqlite").stat().st_size,
        "oldest": "",
        "newest": "",
        "days": 7,
    }
    times = [datetime.fromisoformat(document[name]) for name in ("oldest", "newest")]
    assert before <= times[0] <= times[1] <= datetime.now(UTC)
    assert (len(outcome.out.splitlines()) == 1) == (form == "jsonl")


def test_without_entries_there_are_no_times(run: Run) -> None:
    """All keys are there nevertheless."""
    document = json.loads(run("cache", "--format", "json").out)
    assert (tuple(document), document["oldest"], document["newest"]) == (KEYS, None, None)


def test_clearing_removes_everything_and_says_how_much(run: Run, folder: Path) -> None:
    """Whether the cache is turned on or not; a second time there is nothing left."""
    fill(folder, "a", "b")
    outcome = run("cache", "--clear")
    assert (outcome.code, outcome.out) == (0, f"2 entries removed from {folder}/evidence.sqlite\n")
    assert not (folder / "evidence.sqlite").exists()
    fill(folder, "a")
    assert run("cache", "--clear").out == f"1 entry removed from {folder}/evidence.sqlite\n"
    document = json.loads(run("cache", "--clear", "--format", "json").out)
    assert (tuple(document), document["cleared"], document["entries"]) == ((*KEYS, "cleared"), 0, 0)


def test_the_folder_of_the_settings_is_the_one_that_is_shown(run: Run, home: Path) -> None:
    """Below the home where it begins with a tilde."""
    (home / "mine.toml").write_text('evidence_cache = true\nevidence_cache_dir = "~/kept"\n', "utf-8")
    fill(home / "kept", "a")
    out = run("--config", "mine.toml", "cache").out
    assert out.startswith(f"path     {home}/kept/evidence.sqlite\nenabled  yes\nentries  1\n")


def test_a_damaged_file_is_told_on_stderr(run: Run, folder: Path) -> None:
    """The state is that of what begins anew."""
    fill(folder, "a")
    (folder / "evidence.sqlite").write_bytes(b"damaged" * 100)
    outcome = run("cache", "--format", "json")
    assert (outcome.code, json.loads(outcome.out)["entries"]) == (0, 0)
    assert outcome.err.startswith("note: the private cache of video text was damaged and was set aside as ")
    assert run("cache").err == ""
    assert list(folder.glob("*.corrupt-*"))
    run("cache", "--clear")
    assert not list(folder.glob("evidence.sqlite*"))


@pytest.mark.skipif(os.name != "posix", reason="rights of files are a matter of POSIX systems")
@pytest.mark.parametrize("words", [("cache",), ("cache", "--clear")], ids=" ".join)
def test_a_folder_that_is_not_used_is_an_error(run: Run, folder: Path, words: tuple[str, ...]) -> None:
    """Nobody must believe that nothing is kept there, or that it is gone."""
    fill(folder, "a")
    folder.chmod(0o777)
    outcome = run(*words)
    assert (outcome.code, outcome.out) == (3, "")
    assert "others may write to its folder" in outcome.err
    assert str(folder) in outcome.err
    assert (folder / "evidence.sqlite").exists()


def test_a_relative_folder_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be another place in every working directory."""
    monkeypatch.setenv("TWITTER_TOOL_EVIDENCE_CACHE_DIR", "kept")
    outcome = run("cache", "--format", "json")
    assert outcome.code == 3
    assert "absolute path" in json.loads(outcome.out)["error"]["message"]


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 KB"), (20_480, "20.5 KB"), (5_000_000, "5.0 MB")],
)
def test_sizes_are_told_in_handy_units(size: int, shown: str) -> None:
    """People do not count bytes."""
    document = dict.fromkeys(KEYS) | {"bytes": size, "enabled": True, "days": 1}
    table = cache_table(document)
    assert f"size     {shown}\n" in table
    assert table.endswith("expiry   after 1 day\n")
