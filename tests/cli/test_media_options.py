"""The options about pictures and videos, and what they mean for one call."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from twitter_tool.cli import run as actions

Run = Callable[..., Any]
SWITCHES = ("enable_image_understanding", "enable_video_understanding", "enable_video_processing")


def in_force(run: Run, *words: str) -> dict[str, Any]:
    """The switches as a call with these options would have them, and where they came from."""
    document = json.loads(run(*words, "config", "--format", "json").out)
    assert document["notes"] == []
    return {name: document["settings"][name] for name in SWITCHES}


@pytest.mark.parametrize(
    ("words", "on"),
    [
        ((), ()),
        (("--enable-image-understanding",), ("enable_image_understanding",)),
        (("--enable-video-understanding",), ("enable_video_understanding",)),
        (("--enable-video-processing",), ("enable_video_understanding", "enable_video_processing")),
        (tuple(f"--{name.replace('_', '-')}" for name in SWITCHES), SWITCHES),
    ],
    ids=str,
)
def test_an_option_switches_it_on_for_one_call(run: Run, words: tuple[str, ...], on: tuple[str, ...]) -> None:
    """Processing videos means understanding them, so one word is enough."""
    expected = {name: {"value": name in on, "source": "option" if name in on else "default"} for name in SWITCHES}
    assert in_force(run, *words) == expected


def test_an_option_stands_above_the_files_and_the_environment(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the latest word of the user; a project's file has none about processing."""
    (home / ".twitter-tool.toml").write_text("enable_video_understanding = false\n", "utf-8")
    monkeypatch.setenv("TWITTER_TOOL_ENABLE_VIDEO_PROCESSING", "false")
    found = in_force(run, "--enable-video-processing")
    assert found["enable_video_processing"] == {"value": True, "source": "option"}
    assert found["enable_video_understanding"] == {"value": True, "source": "option"}


class Asked:
    """Stands for the tool, and keeps what it was made with."""

    seen: dict[str, Any]

    def __init__(self, **given: Any) -> None:
        type(self).seen = given
        raise KeyboardInterrupt


@pytest.mark.parametrize(("words", "folder"), [((), None), (("--save-media", "kept/here"), "kept/here")])
def test_the_folder_for_media_is_handed_on(
    run: Run, words: tuple[str, ...], folder: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It need not exist, and nothing is made before something is saved."""
    monkeypatch.setattr("twitter_tool.tool.TwitterTool", Asked)
    run("posts", "tram", "--sandbox", *words)
    assert Asked.seen["save_media"] == folder
    assert not Path("kept").exists()


def test_it_is_told_when_there_was_nothing_to_save(run: Run) -> None:
    """Most often no switch that downloads anything is on."""
    outcome = run("posts", "tram", "--sandbox", "--save-media", "kept")
    assert outcome.code == 0
    assert "note: nothing was saved in kept: this call downloaded no picture or video" in outcome.err
    assert "nothing was saved" not in run("posts", "tram", "--sandbox", "--quiet", "--save-media", "kept").err


def test_a_file_is_no_folder_for_media(run: Run, home: Path) -> None:
    """It is refused before anything is read."""
    (home / "kept").touch()
    outcome = run("posts", "tram", "--sandbox", "--save-media", "kept")
    assert (outcome.code, outcome.out) == (2, "")
    assert "kept" in outcome.err


def test_the_value_of_an_option_is_not_taken_for_a_command(run: Run) -> None:
    """A refused line is shown in the way that its command is shown."""
    outcome = run("--save-media", "call", "posts", "--nope")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error (invalid_request)")


def test_what_the_options_mean_is_in_one_place() -> None:
    """Every switch of the settings has its option."""
    from twitter_tool.cli.invocation import Invocation

    invocation = Invocation()
    for name in SWITCHES:
        invocation.take(name, True)
    assert actions._options(invocation) == dict.fromkeys(SWITCHES, True)
