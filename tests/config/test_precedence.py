"""Files, environment and code: who wins, and what each may be called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from twitter_tool.config import Loaded
from twitter_tool.errors import SetupError
from twitter_tool.settings import KEYS

Load = Callable[..., Loaded]


def figures(loaded: Loaded) -> list[dict[str, Any]]:
    return [{"code": found.code, **found.figures} for found in loaded.notes]


def test_each_level_wins_over_the_one_before(load: Load) -> None:
    """Default, user file, project file, environment, code."""
    levels: dict[str, dict[str, Any]] = {
        "default": {},
        "user": {"user": "max_frames = 2"},
        "project": {"project": "max_frames = 3"},
        "env": {"environ": {"TWITTER_TOOL_MAX_FRAMES": "4"}},
        "option": {"options": {"max_frames": 5}},
    }
    given: dict[str, Any] = {}
    for origin, level in levels.items():
        given |= level
        settings = load(**given).settings
        assert settings.origin("max_frames") == origin
    assert settings["max_frames"] == 5


def test_levels_are_put_together_key_by_key(load: Load) -> None:
    """A level that says nothing about a setting leaves it as it was."""
    settings = load(user="max_pages = 9\nmax_frames = 2\ntime_zone = 'UTC'", project="max_pages = 2").settings
    assert (settings["max_pages"], settings["max_frames"], settings["time_zone"]) == (2, 2, "UTC")


def test_a_bad_value_that_nobody_uses_is_not_complained_about(load: Load) -> None:
    """A later level has replaced it."""
    assert (
        load(
            user="max_frames = 99\nwhisper_vad = 1",
            environ={"TWITTER_TOOL_MAX_FRAMES": "4"},
            options={"whisper_vad": True},
        ).notes
        == ()
    )


@pytest.mark.parametrize(
    ("name", "text", "used"),
    [
        ("max_pages", "12", 12),
        ("max_pages", " 12 ", 12),
        ("whisper_realtime_factor", "2.5", 2.5),
        ("use_proxy_env", "true", True),
        ("use_proxy_env", "TRUE", True),
        ("use_proxy_env", "1", True),
        ("use_proxy_env", "Yes", True),
        ("use_proxy_env", "on", True),
        ("use_proxy_env", '"on"', True),
        ("whisper_vad", "0", False),
        ("whisper_vad", "No", False),
        ("whisper_vad", "OFF", False),
        ("whisper_vad", "false", False),
        ("time_zone", "Europe/Berlin", "Europe/Berlin"),
        ("time_zone", '"Europe/Berlin"', "Europe/Berlin"),
        ("whisper_model", "2026", "2026"),
        ("whisper_model", "true", "true"),
        ("whisper_model", "a # b", "a # b"),
        ("ffmpeg_path", "C:\\bin\\ffmpeg.exe", "C:\\bin\\ffmpeg.exe"),
        ("fallback_models", '["a", "b"]', ("a", "b")),
        ("fallback_models", "a/b", ("a/b",)),
        ("fallback_models", "a, b,", ("a", "b")),
        ("fallback_models", '"a, b"', ("a", "b")),
        ("fallback_models", "4", ("4",)),
        ("route_to", "http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("stt_model", "x\nmax_pages = 3", "x\nmax_pages = 3"),
        ("stt_model", "'x'\nmax_pages = 3", "'x'\nmax_pages = 3"),
    ],
)
def test_variables_are_read_as_toml_or_else_as_text(load: Load, name: str, text: str, used: object) -> None:
    """With the words people use for switches, and lists with commas."""
    loaded = load(environ={f"TWITTER_TOOL_{name.upper()}": text})
    assert loaded.settings[name] == used
    assert type(loaded.settings[name]) is type(used)
    assert loaded.settings.origin(name) == "env"
    assert loaded.notes == ()
    assert loaded.settings["max_pages"] == (used if name == "max_pages" else 5)


def test_every_setting_has_a_variable(load: Load) -> None:
    """None of them is unknown."""
    loaded = load(environ={f"TWITTER_TOOL_{key.name.upper()}": "1" for key in KEYS})
    assert not [found for found in figures(loaded) if found.get("reason") == "unknown_key"]


def test_an_empty_variable_is_not_set(load: Load) -> None:
    """As shells mean it."""
    loaded = load(
        user="max_pages = 3\ntime_zone = 'UTC'", environ={"TWITTER_TOOL_MAX_PAGES": "", "TWITTER_TOOL_TIME_ZONE": " "}
    )
    assert (loaded.settings["max_pages"], loaded.settings["time_zone"]) == (3, "UTC")
    assert loaded.notes == ()


def test_a_variable_that_cannot_be_used_is_disclosed(load: Load) -> None:
    """As a value of a file would be."""
    loaded = load(
        environ={"TWITTER_TOOL_MAX_FRAMES": "many", "TWITTER_TOOL_USE_PROXY_ENV": "maybe", "TWITTER_TOOL_MODELS": "x"}
    )
    assert figures(loaded) == [
        {"code": "setting_ignored", "keys": ["models", "use_proxy_env"], "reason": "unknown_value"},
        {"code": "setting_adjusted", "key": "max_frames", "given": "many", "used": 8},
    ]


def test_variables_that_name_no_setting_are_listed(load: Load) -> None:
    """A mistyped name must not be without effect unseen; variables of other programs are none of our business."""
    environ = {"TWITTER_TOOL_MAX_PAGE": "3", "TWITTER_TOOL_max_pages": "3", "MAX_PAGES": "3", "TWITTER_TOOLS": "3"}
    assert figures(load(environ=environ)) == [
        {
            "code": "setting_ignored",
            "keys": ["TWITTER_TOOL_MAX_PAGE", "TWITTER_TOOL_max_pages"],
            "reason": "unknown_key",
        }
    ]


def test_the_retrieval_key_is_no_setting(load: Load) -> None:
    """Neither a file nor a prefixed variable can give it, and its value shows up nowhere."""
    loaded = load(user="api_key = 'hunter2-hunter2'", environ={"TWITTER_TOOL_API_KEY": "hunter2-hunter2"})
    assert "hunter2" not in repr(loaded)


@pytest.mark.parametrize("name", ["max_pages", "maxPages"])
def test_code_may_use_either_spelling(load: Load, name: str) -> None:
    """And is checked as a file is."""
    assert load(options={name: 3}).settings["max_pages"] == 3
    assert figures(load(options={name: 0})) == [{"code": "setting_adjusted", "key": "max_pages", "given": 0, "used": 1}]


def test_none_in_code_means_not_given(load: Load) -> None:
    """So that optional arguments can be passed on as they are."""
    loaded = load(user="max_pages = 3", options={"max_pages": None, "time_zone": None})
    assert loaded.settings["max_pages"] == 3
    assert loaded.notes == ()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_page": 3}, "'max_pages'"),
        ({"maxPage": 3}, "'max_pages'"),
        ({"zzzzzz": 3}, "twitter-tool config"),
        ({3: 3}, "twitter-tool config"),
        ({"max_pages": 3, "maxPages": 3}, "once"),
        ({"maxPages": 3, "max_pages": 3}, "once"),
    ],
)
def test_a_wrong_name_in_code_is_refused_with_advice(load: Load, options: Any, words: str) -> None:
    """The nearest known name is offered where there is one."""
    with pytest.raises(SetupError) as caught:
        load(options=options)
    assert caught.value.code == "bad_settings"
    assert words in str(caught.value.hint)


def test_the_sandbox_needs_no_pauses(load: Load) -> None:
    """They are zero unless somebody set them, and what is no number falls back to zero."""
    settings = load(sandbox=True).settings
    assert (settings.interval_s, settings.retry_base_s) == (0, 0)
    assert settings.origins == {}
    assert load(sandbox=True, user="min_request_interval_ms = 20").settings.interval_s == 0.02
    assert load(sandbox=True, project="min_request_interval_ms = 30").settings.interval_s == 0.03
    assert load(sandbox=True, user="retry_base_delay_ms = 'x'", project="").settings.retry_base_s == 0


def test_the_sandbox_excludes_routing(load: Load) -> None:
    """The one says invented data, the other another server."""
    environ = {"TWITTER_TOOL_ROUTE_TO": "http://127.0.0.1:8000"}
    assert load(environ=environ).settings["route_to"] == "http://127.0.0.1:8000"
    with pytest.raises(SetupError, match="route_to") as caught:
        load(environ=environ, sandbox=True)
    assert caught.value.code == "bad_settings"
    assert load(project="route_to = 'http://127.0.0.1:8000'", sandbox=True).settings["route_to"] is None


def test_what_a_call_holds_is_a_snapshot(load: Load) -> None:
    """Neither later loads nor the caller's own mappings change it."""
    options = {"models": {"a": {"x": 1}}, "max_pages": 3}
    first = load(options=options)
    options["models"]["a"]["x"] = 2
    load(options={"max_pages": 4})
    assert first.settings["models"] == {"a": {"x": 1}}
    assert first.settings["max_pages"] == 3
    with pytest.raises(TypeError):
        first.settings.values["max_pages"] = 9
