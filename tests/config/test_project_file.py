"""What a file that came along with a folder may change, and what it can never do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from twitter_tool.config import Loaded
from twitter_tool.settings import KEYS

Load = Callable[..., Loaded]
USER_ONLY = [key for key in KEYS if key.user_only]


def figures(loaded: Loaded) -> list[dict[str, Any]]:
    return [{"code": found.code, **found.figures} for found in loaded.notes]


def refused(*keys: str) -> list[dict[str, Any]]:
    return [{"code": "setting_ignored", "keys": list(keys), "reason": "user_only"}]


def test_what_only_the_user_may_set_is_ignored_and_listed_once(load: Load) -> None:
    """The user's own values stay, in both directions."""
    loaded = load(
        user="enable_video_processing = true\nenable_video_understanding = true\nvideo_api_key_env = 'MINE'",
        project="enable_video_processing = false\nffmpeg_path = './x'\nvideoEndpoint = 'https://e.test'\n"
        "video_api_key_env = 'AWS_SECRET_ACCESS_KEY'\n",
    )
    settings = loaded.settings
    assert settings["enable_video_processing"] is True
    assert settings["video_api_key_env"] == "MINE"
    assert settings["ffmpeg_path"] is None
    assert settings["video_endpoint"] is None
    assert figures(loaded) == refused("enable_video_processing", "video_endpoint", "video_api_key_env", "ffmpeg_path")


@pytest.mark.parametrize("key", USER_ONLY, ids=lambda key: key.name)
@pytest.mark.parametrize("value", ["true", "1", "'text'", "{a = {b = 1}}", "[]"])
def test_no_user_only_setting_can_be_moved(load: Load, key: Any, value: str) -> None:
    """Whatever is written, and whether or not the environment has a value."""
    loaded = load(project=f"{key.name} = {value}", environ={"TWITTER_TOOL_TIME_ZONE": "UTC"})
    assert loaded.settings[key.name] == key.default
    assert loaded.settings.origin(key.name) == "default"
    assert figures(loaded) == refused(key.name)


def test_an_ignored_setting_is_listed_although_the_environment_decides_it(load: Load) -> None:
    """The attempt is worth knowing about."""
    loaded = load(project="ffmpeg_path = './x'", environ={"TWITTER_TOOL_FFMPEG_PATH": "/opt/ffmpeg"})
    assert loaded.settings["ffmpeg_path"] == "/opt/ffmpeg"
    assert figures(loaded) == refused("ffmpeg_path")


def test_the_endpoints_keys_programs_and_the_cache_are_the_users_alone() -> None:
    """The list itself, so that a new setting is put on the right side on purpose."""
    assert {key.name for key in KEYS if not key.user_only} == {
        "synthesis_model",
        "fallback_models",
        "max_synthesis_chars",
        "max_pages",
        "max_pages_ceiling",
        "min_request_interval_ms",
        "retry_base_delay_ms",
        "time_zone",
        "enable_image_understanding",
        "enable_video_understanding",
        "max_media_per_search",
        "stt_language",
        "max_video_seconds",
        "max_video_bytes",
        "max_frames",
        "max_videos_per_search",
        "video_budget_ms",
    }


@pytest.mark.parametrize(
    ("key", "user", "project", "used"),
    [
        ("max_pages_ceiling", None, "19", 19),
        ("max_pages_ceiling", None, "21", None),
        ("max_pages_ceiling", "30", "30", 30),
        ("max_pages_ceiling", "30", "29", 29),
        ("max_pages_ceiling", "30", "31", None),
        ("max_pages_ceiling", "500", "100", 100),
        ("max_pages_ceiling", "30", "'x'", None),
        ("max_pages_ceiling", "30", "true", None),
        ("max_pages_ceiling", "30", "500", None),
        ("max_synthesis_chars", None, "59999", 59_999),
        ("max_synthesis_chars", None, "60001", None),
        ("max_synthesis_chars", "5000", "''", None),
        ("max_synthesis_chars", "5000", "nan", None),
        ("min_request_interval_ms", None, "5001", 5_001),
        ("min_request_interval_ms", None, "4999", None),
        ("min_request_interval_ms", "9000", "8999.5", None),
        ("min_request_interval_ms", "9000", "9000.5", 9_000.5),
        ("min_request_interval_ms", "9000", "-1", None),
        ("min_request_interval_ms", "9000", "inf", None),
        ("min_request_interval_ms", "100", "200", 200),
    ],
)
def test_bounds_move_only_to_the_safe_side(load: Load, key: str, user: str | None, project: str, used: object) -> None:
    """Fewer pages, shorter text, longer pauses; anything else leaves the user's value as it is."""
    own = f"{key} = {user}" if user else ""
    without = load(user=own).settings
    loaded = load(user=own, project=f"{key} = {project}")
    if used is None:
        assert loaded.settings[key] == without[key]
        assert loaded.settings.origin(key) == without.origin(key)
        assert refused(key)[0] in figures(loaded)
    else:
        assert loaded.settings[key] == used
        assert loaded.settings.origin(key) == "project"
        assert loaded.notes == ()


def test_a_bound_lowered_below_its_range_is_clamped_without_telling_what_was_written(load: Load) -> None:
    """The note says which setting and what is used."""
    assert figures(load(project="max_synthesis_chars = 7")) == [
        {"code": "setting_adjusted", "key": "max_synthesis_chars", "used": 1_000}
    ]


@pytest.mark.parametrize("level", ["environ", "options"])
def test_the_environment_and_code_win_over_the_projects_bounds(load: Load, level: str) -> None:
    """Both are the user's own word, so the project's is not even judged."""
    given: dict[str, Any] = {
        "environ": {"TWITTER_TOOL_MAX_PAGES_CEILING": "50"},
        "options": {"max_pages_ceiling": 50},
    }
    for project in ("max_pages_ceiling = 10", "max_pages_ceiling = 90"):
        loaded = load(project=project, **{level: given[level]})
        assert loaded.settings["max_pages_ceiling"] == 50
        assert loaded.notes == ()


def test_a_lowered_ceiling_also_bounds_pages_given_in_code(load: Load) -> None:
    """The smaller number of the two holds, disclosed."""
    loaded = load(project="max_pages_ceiling = 3", options={"max_pages": 9})
    assert loaded.settings.page_budget == 3
    assert figures(loaded) == [{"code": "setting_adjusted", "key": "max_pages", "given": 9, "used": 3}]


@pytest.mark.parametrize(
    ("written", "used"),
    [
        ("synthesis_model = 'extractive'", "extractive"),
        ("synthesis_model = 'user/main'", "user/main"),
        ("synthesis_model = 'user/second'", "user/second"),
        ("synthesis_model = ' user/declared '", "user/declared"),
        ("synthesis_model = 'env/one'", "env/one"),
        ("synthesis_model = 'code/one'", "code/one"),
        ("synthesis_model = ''", None),
        ("fallback_models = ['extractive', 'user/main']", ("extractive", "user/main")),
        ("fallback_models = []", ()),
    ],
)
def test_a_project_may_choose_among_models_that_the_user_mentions(load: Load, written: str, used: object) -> None:
    """In a file, in the environment or in code, wherever the name stands there."""
    key = written.partition(" ")[0]
    elsewhere = "fallback_models" if key == "synthesis_model" else "synthesis_model"
    names: Any = ["env/one", "code/one"]
    loaded = load(
        user="synthesis_model = 'user/main'\nfallback_models = ['user/second']\n[models.'user/declared']\n",
        environ={f"TWITTER_TOOL_{elsewhere.upper()}": "env/one"},
        options={"fallback_models": names} if elsewhere == "fallback_models" else {},
        project=written,
    )
    if elsewhere == "fallback_models":
        assert loaded.settings["fallback_models"] == tuple(names)
    assert loaded.settings[key] == used
    assert loaded.notes == ()


@pytest.mark.parametrize(
    "written",
    [
        "synthesis_model = 'other/model'",
        "synthesis_model = 'USER/main'",
        "synthesis_model = 'user'",
        "fallback_models = ['user/main', 'other/model']",
        "fallback_models = 'other/model'",
    ],
)
def test_a_project_cannot_bring_a_model_of_its_own(load: Load, written: str) -> None:
    """A whole list is refused for one strange name in it."""
    key = written.partition(" ")[0]
    loaded = load(user="synthesis_model = 'user/main'\nfallback_models = ['user/second']", project=written)
    assert loaded.settings["synthesis_model"] == "user/main"
    assert loaded.settings["fallback_models"] == ("user/second",)
    assert figures(loaded) == refused(key)


def test_a_model_declared_by_the_project_is_not_a_users_model(load: Load) -> None:
    """The table is ignored, and so is the choice that relies on it."""
    loaded = load(project="synthesis_model = 'x/y'\n[models.'x/y']\napi_base = 'https://evil.test'\n")
    assert loaded.settings["models"] == {}
    assert figures(loaded) == refused("synthesis_model", "models")


def test_nothing_that_the_file_holds_is_in_a_note(load: Load) -> None:
    """Not the values, and not the names of settings that do not exist; those are counted."""
    loaded = load(
        project="hunter2 = 'hunter3'\n'x hunter4' = 1\nmax_frames = 'hunter5'\nuse_proxy_env = 'hunter6'\n"
        "max_pages = 7777\nenable_image_understanding = 'hunter7'\nfallback_models = [1, 'hunter8']\n"
        "synthesis_model = 'hunter9'\n[models.hunter10]\n"
    )
    assert figures(loaded) == [
        *refused("synthesis_model", "models", "use_proxy_env"),
        {"code": "setting_ignored", "keys": [], "count": 2, "reason": "unknown_key"},
        {
            "code": "setting_ignored",
            "keys": ["fallback_models", "enable_image_understanding"],
            "reason": "unknown_value",
        },
        {"code": "setting_adjusted", "key": "max_pages", "used": 20},
        {"code": "setting_adjusted", "key": "max_frames", "used": 8},
    ]
    assert "hunter" not in repr(loaded)
    assert "7777" not in repr(loaded.notes)
