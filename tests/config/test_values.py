"""How a written value becomes the one that is used, and what is disclosed on the way."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from twitter_tool.config import Loaded
from twitter_tool.config.values import shown
from twitter_tool.settings import KEYS

Load = Callable[..., Loaded]


def figures(loaded: Loaded) -> list[dict[str, Any]]:
    return [{"code": found.code, **found.figures} for found in loaded.notes]


@pytest.mark.parametrize(
    ("written", "given", "used"),
    [
        ("max_media_per_search = 500", 500, 20),
        ("max_media_per_search = -3", -3, 0),
        ("max_media_per_search = 1.5", 1.5, 4),
        ('max_media_per_search = "4"', "4", 4),
        ("max_media_per_search = true", True, 4),
        ("max_media_per_search = inf", "inf", 4),
        ("max_media_per_search = nan", "nan", 4),
        ("max_media_per_search = [1]", "an array", 4),
        ("max_media_per_search = {a = 1}", "a table", 4),
        ("max_media_per_search = 2026-01-01", "a date or time", 4),
        ("max_media_per_search = 12:30:00", "a date or time", 4),
        ("max_media_per_search = 0x" + "f" * 5000, "a very large integer", 20),
        ("max_video_seconds = 9999", 9999, 600),
        ("max_frames = 99", 99, 16),
        ("max_videos_per_search = 99", 99, 3),
        ("video_budget_ms = 10000000", 10_000_000, 300_000),
        ("max_synthesis_chars = 999999", 999_999, 120_000),
        ("max_synthesis_chars = 500", 500, 1_000),
        ("max_synthesis_chars = 'many'", "many", 60_000),
        ("whisper_realtime_factor = 0.05", 0.05, 0.1),
        ("min_request_interval_ms = -1", -1, 0),
        ("min_request_interval_ms = '5'", "5", 5_000),
        ("min_request_interval_ms = -inf", "-inf", 5_000),
        ("retry_base_delay_ms = 600000.5", 600_000.5, 600_000),
    ],
)
def test_a_number_that_cannot_be_used_as_written_is_disclosed(
    load: Load, written: str, given: object, used: object
) -> None:
    """Out of range becomes the nearest bound, anything but a number the default; the note tells both values."""
    loaded = load(user=written)
    key = written.partition(" ")[0]
    assert loaded.settings[key] == used
    assert figures(loaded) == [{"code": "setting_adjusted", "key": key, "given": given, "used": used}]


@pytest.mark.parametrize(
    ("written", "used"),
    [
        ("max_media_per_search = 0", 0),
        ("max_media_per_search = 20", 20),
        ("max_frames = 5.0", 5),
        ("max_video_seconds = 1e2", 100),
        ("whisper_realtime_factor = 2.5", 2.5),
        ("whisper_realtime_factor = 3", 3),
        ("min_request_interval_ms = 0.5", 0.5),
        ("maxMediaPerSearch = 3", 3),
        ("use_proxy_env = true", True),
        ("useProxyEnv = false", False),
        ("time_zone = '  Europe/Berlin '", "Europe/Berlin"),
        ("fallback_models = ['a', ' b ', '', 'a']", ("a", "b")),
        ("fallback_models = 'a'", ("a",)),
        ("fallback_models = []", ()),
    ],
)
def test_a_usable_value_is_taken_silently(load: Load, written: str, used: object) -> None:
    """Whole floats count as whole numbers, texts are trimmed, lists hold each name once."""
    loaded = load(user=written)
    spelling = written.partition(" ")[0]
    key = next(key.name for key in KEYS if spelling in (key.name, camel(key.name)))
    assert loaded.settings[key] == used
    assert type(loaded.settings[key]) is type(used)
    assert loaded.settings.origin(key) == "user"
    assert loaded.notes == ()


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


@pytest.mark.parametrize("written", ["''", "'   '", "5", "true", "['UTC']"])
def test_blank_or_other_than_text_means_unset(load: Load, written: str) -> None:
    """Silently: the default holds."""
    loaded = load(user=f"time_zone = {written}\nstt_language = {written}")
    assert loaded.settings["time_zone"] is None
    assert loaded.settings["stt_language"] == "auto"
    assert loaded.settings.origins == {}
    assert loaded.notes == ()


@pytest.mark.parametrize("written", ["1", "'true'", "'yes'", "[]", "1.0", "{}"])
def test_only_true_and_false_are_switches(load: Load, written: str) -> None:
    """Anything else is false, even where the default is true, and is disclosed."""
    loaded = load(user=f"use_proxy_env = {written}\nwhisper_vad = {written}")
    assert loaded.settings["use_proxy_env"] is False
    assert loaded.settings["whisper_vad"] is False
    assert figures(loaded) == [
        {"code": "setting_ignored", "keys": ["whisper_vad", "use_proxy_env"], "reason": "unknown_value"}
    ]


@pytest.mark.parametrize(
    "written", ["fallback_models = 5", "fallback_models = ['a', 1]", "models = 'none'", "models = []"]
)
def test_a_list_or_table_of_the_wrong_kind_is_ignored_and_disclosed(load: Load, written: str) -> None:
    """The default holds instead."""
    key = written.partition(" ")[0]
    loaded = load(user=written)
    assert not loaded.settings[key]
    assert loaded.settings.origin(key) == "default"
    assert figures(loaded) == [{"code": "setting_ignored", "keys": [key], "reason": "unknown_value"}]


def test_unknown_names_in_the_users_file_are_listed(load: Load) -> None:
    """Each one cleaned and short, and never more than twenty of them."""
    loaded = load(user='max_page = 3\n"a\\u202Eb\\nc" = 1\n[twitter]\nmax_pages = 2\n')
    assert loaded.settings["max_pages"] == 5
    (found,) = figures(loaded)
    assert found == {"code": "setting_ignored", "keys": ["max_page", "ab \u23ce c", "twitter"], "reason": "unknown_key"}
    (many,) = figures(load(user="".join(f"{'x' * 90}{n} = 1\n" for n in range(30))))
    assert (len(many["keys"]), many["count"]) == (20, 30)
    assert max(map(len, many["keys"])) <= 61


def test_both_spellings_of_one_name_are_not_merged_unseen(load: Load) -> None:
    """The underscore spelling counts, and the other one is listed."""
    loaded = load(user="maxPages = 2\nmax_pages = 3\n")
    assert loaded.settings["max_pages"] == 3
    assert figures(loaded) == [{"code": "setting_ignored", "keys": ["maxPages"], "reason": "unknown_key"}]


def test_secrets_and_control_characters_do_not_get_into_notes(load: Load) -> None:
    """A key pasted into the wrong place is not repeated, and a long text is cut."""
    environ = {"OPENAI_API_KEY": "sk-hunter2-hunter2"}
    loaded = load(user="max_frames = '\\u001b[31msk-hunter2-hunter2'\n".replace("'", '"'), environ=environ)
    (found,) = figures(loaded)
    assert "hunter2" not in json.dumps(found)
    assert "\x1b" not in found["given"]
    (cut,) = figures(load(user=f"max_frames = '{'x' * 1000}'"))
    assert len(cut["given"]) <= 61


@pytest.mark.parametrize(
    ("written", "pages", "ceiling", "given"),
    [
        ("max_pages = 5\nmax_pages_ceiling = 2", 2, 2, 5),
        ("max_pages = 3\nmax_pages_ceiling = 10", 3, 10, None),
        ("max_pages = 500", 20, 20, 500),
        ("max_pages = 500\nmax_pages_ceiling = 100", 100, 100, 500),
        ("max_pages = 20", 20, 20, None),
        ("max_pages = 'x'\nmax_pages_ceiling = 2", 2, 2, "x"),
        ("max_pages_ceiling = 2", 2, 2, None),
    ],
)
def test_pages_never_exceed_the_ceiling(load: Load, written: str, pages: int, ceiling: int, given: object) -> None:
    """What was asked for and cut is disclosed once; a default that gives way is not."""
    loaded = load(user=written)
    assert (loaded.settings["max_pages"], loaded.settings["max_pages_ceiling"]) == (pages, ceiling)
    assert loaded.settings.page_budget == pages
    expected = [{"code": "setting_adjusted", "key": "max_pages", "given": given, "used": pages}]
    assert figures(loaded) == (expected if given is not None else [])


def test_a_page_default_that_gave_way_comes_from_where_the_ceiling_came_from(load: Load) -> None:
    """So that the report of settings explains the number."""
    assert load(user="max_pages_ceiling = 2").settings.origin("max_pages") == "user"
    assert load(environ={"TWITTER_TOOL_MAX_PAGES_CEILING": "2"}).settings.origin("max_pages") == "env"


def test_notes_come_in_one_order(load: Load) -> None:
    """Unreadable files, then what was ignored, then what was adjusted, each in the order of the list of settings."""
    loaded = load(
        user="max_frames = 99\nmax_pages = 0\nnonsense = 1\nuse_proxy_env = 1\n",
        project="ffmpeg_path = 'x'\nroute_to = 'x'\nnonsense = 1\n",
    )
    told = [found.get("reason") or found["key"] for found in figures(loaded)]
    assert told == ["user_only", "unknown_key", "unknown_key", "unknown_value", "max_pages", "max_frames"]


def test_tables_of_models_are_read_only_all_the_way_down(load: Load) -> None:
    """What a call holds cannot be changed under it."""
    models = load(user="[models.'a/b']\nimages = {max_images = 4}\nx = [[1]]\n").settings["models"]
    assert models == {"a/b": {"images": {"max_images": 4}, "x": ((1,),)}}
    with pytest.raises(TypeError):
        models["a/b"]["images"]["max_images"] = 5


def test_tables_of_models_merge_and_other_values_replace(load: Load) -> None:
    """The file, the environment and code each add to them."""
    loaded = load(
        user="[models.'a/b']\nwindow = 1\nlist = [1, 2]\nimages = {w = 1, h = 1}\n[models.c]\nx = 1\n",
        environ={"TWITTER_TOOL_MODELS": '{"a/b" = {list = [3], images = {h = 2}}}'},
        options={"models": {"a/b": {"images": 5}, "c": {"x": {"y": 1}}}},
    )
    assert loaded.settings["models"] == {"a/b": {"window": 1, "list": (3,), "images": 5}, "c": {"x": {"y": 1}}}
    assert loaded.settings.origin("models") == "option"


def test_a_bad_table_is_disclosed_although_another_level_has_a_good_one(load: Load) -> None:
    """The good one is used."""
    loaded = load(user="models = 1", environ={"TWITTER_TOOL_MODELS": "{a = {x = 1}}"})
    assert loaded.settings["models"] == {"a": {"x": 1}}
    assert [found["keys"] for found in figures(loaded)] == [["models"]]


def test_tables_nested_beyond_reason_are_ignored(load: Load) -> None:
    """From a file, or from code where a table may even hold itself."""
    assert load(user="models." + "a." * 100 + "a = 1").notes[0].figures["keys"] == ["models"]
    endless: dict[str, Any] = {}
    endless["again"] = endless
    assert load(options={"models": endless}).notes[0].figures["keys"] == ["models"]


def test_values_shown_in_notes_are_plain_json() -> None:
    """Whatever was written, a program can read the note."""
    values = [
        True,
        1,
        -(10**400),
        1.5,
        math.inf,
        math.nan,
        "x",
        {},
        MappingProxyType({}),
        [],
        (),
        date(2026, 1, 1),
        {1},
    ]
    assert json.loads(json.dumps([shown(value) for value in values], allow_nan=False))
    assert shown({1}) == "a value of another kind"


def test_loading_with_no_files_opens_and_parses_nothing(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    """It happens at the start of every call, so it must cost next to nothing."""
    opened: list[object] = []
    for costly in ("os.open", "tomllib.loads"):
        monkeypatch.setattr(costly, opened.append)
    load()
    assert opened == []


def test_a_path_object_is_a_text(load: Load) -> None:
    """Code gives paths as paths."""
    assert load(options={"ffmpeg_path": Path("/opt/ffmpeg")}).settings["ffmpeg_path"] == "/opt/ffmpeg"
