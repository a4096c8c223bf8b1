"""What the settings about videos and speech need from each other, and what is said when they do not get it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.config import Loaded
from twitter_tool.config.media import hold_media
from twitter_tool.media.native import NativeRoute, native_route
from twitter_tool.output.wording import message
from twitter_tool.settings import KEY_TABLE, Settings

Load = Callable[..., Loaded]
ACCEPTED = ["gemini-files", "openai-compatible", "litellm"]


def ignored(loaded: Loaded) -> list[dict[str, Any]]:
    assert {note.code for note in loaded.notes} <= {"setting_ignored"}
    return [dict(note.figures) for note in loaded.notes]


def needs(key: str, *others: str) -> list[dict[str, Any]]:
    return [{"keys": [key], "reason": "needs_other_setting", "needs": list(others)}]


def refused(*keys: str) -> list[dict[str, Any]]:
    return [{"keys": list(keys), "reason": "endpoint_not_authorised"}]


@pytest.mark.parametrize(
    ("user", "project", "on"),
    [
        ("", "", False),
        ("enable_video_understanding = true", "", False),
        ("enable_video_processing = true\nenable_video_understanding = true", "", True),
        ("enable_video_processing = true", "enable_video_understanding = true", True),
    ],
)
def test_processing_needs_both_switches(load: Load, user: str, project: str, on: bool) -> None:
    """The first from the user, the second from whoever may set it."""
    loaded = load(user=user, project=project)
    assert (loaded.settings["enable_video_processing"], ignored(loaded)) == (on, [])


@pytest.mark.parametrize(
    ("user", "project"),
    [
        ("enable_video_processing = true", ""),
        ("enable_video_processing = true\nenable_video_understanding = true", "enable_video_understanding = false"),
    ],
)
def test_processing_without_understanding_is_off_and_told(load: Load, user: str, project: str) -> None:
    """Also where it is the project that switched understanding off."""
    loaded = load(user=user, project=project)
    assert loaded.settings["enable_video_processing"] is False
    assert loaded.settings.origin("enable_video_processing") == "default"
    assert ignored(loaded) == needs("enable_video_processing", "enable_video_understanding")
    assert "enable_video_understanding" in message(loaded.notes[0])


def test_the_switches_count_the_same_in_the_environment_and_in_code(load: Load) -> None:
    """The last word is that of the strongest level."""
    environ = {"TWITTER_TOOL_ENABLE_VIDEO_PROCESSING": "1", "TWITTER_TOOL_ENABLE_VIDEO_UNDERSTANDING": "yes"}
    assert load(environ=environ).settings["enable_video_processing"] is True
    loaded = load(environ=environ, options={"enable_video_understanding": False})
    assert loaded.settings["enable_video_processing"] is False
    assert ignored(loaded) == needs("enable_video_processing", "enable_video_understanding")
    assert ignored(load(options={"enable_video_processing": True})) == needs(
        "enable_video_processing", "enable_video_understanding"
    )


@pytest.mark.parametrize("kind", [*ACCEPTED, "  openai-compatible  "])
def test_a_known_kind_of_service_is_taken(load: Load, kind: str) -> None:
    """Blanks around it mean nothing."""
    loaded = load(user=f"video_endpoint_type = '{kind}'")
    assert (loaded.settings["video_endpoint_type"], loaded.notes) == (kind.strip(), ())


@pytest.mark.parametrize("written", ["''", "'  '", "7"])
def test_no_kind_of_service_is_the_default_one(load: Load, written: str) -> None:
    """Silently, as for every text."""
    loaded = load(user=f"video_endpoint_type = {written}")
    assert (loaded.settings["video_endpoint_type"], loaded.notes) == ("gemini-files", ())


@pytest.mark.parametrize("kind", ["openai-compat", "anthropic", "Gemini-Files", "litellm,gemini-files"])
def test_an_unknown_kind_of_service_selects_none(load: Load, kind: str) -> None:
    """A mistyped name must not send clips to the default service; the note tells what was written and what may be."""
    user = (
        f"video_endpoint_type = '{kind}'\nvideo_model = 'm'\nvideo_endpoint = 'https://v.test'\n"
        "video_api_key_env = 'K'\n"
    )
    loaded = load(user=user)
    assert loaded.settings["video_endpoint_type"] is None
    assert native_route(loaded.settings, {"K": "k", "GOOGLE_API_KEY": "g"}) is None
    assert ignored(loaded) == [
        {"keys": ["video_endpoint_type"], "reason": "unknown_value", "given": kind, "accepted": ACCEPTED}
    ]
    words = message(loaded.notes[0])
    assert repr(kind) in words
    assert all(known in words for known in ACCEPTED)


def test_a_key_in_the_place_of_a_kind_is_not_repeated(load: Load) -> None:
    """The note shows what was written, but no secret of the environment."""
    loaded = load(user="video_endpoint_type = 'my-hunter-key'", environ={"SOME_API_KEY": "my-hunter-key"})
    assert "hunter" not in repr(loaded.notes)


@pytest.mark.parametrize("service", ["video", "stt"])
@pytest.mark.parametrize(
    ("endpoint", "variable"),
    [
        ("https://v.test/v1", "K"),
        ("https://v.test:8443", "GOOGLE_API_KEY"),
        ("http://127.0.0.1:8080/v1", None),
        ("http://127.0.0.1:8080/v1", "K"),
        ("http://localhost:1", None),
        ("http://[::1]:1", None),
        ("https://localhost:1", None),
    ],
)
def test_an_endpoint_with_a_key_variable_or_on_this_machine_is_taken(
    load: Load, service: str, endpoint: str, variable: str | None
) -> None:
    """On this machine no key is needed, so none has to be named."""
    user = f"{service}_endpoint = '{endpoint}'\n" + (f"{service}_api_key_env = '{variable}'" if variable else "")
    loaded = load(user=user)
    assert (loaded.settings[f"{service}_endpoint"], loaded.notes) == (endpoint, ())


@pytest.mark.parametrize("service", ["video", "stt"])
@pytest.mark.parametrize(
    ("endpoint", "variable"),
    [
        ("https://v.test", None),
        ("https://v.test", "' '"),
        ("http://v.test", "'K'"),
        ("http://10.0.0.1", "'K'"),
        ("http://127.0.0.1.evil.test/", "'K'"),
        ("ftp://127.0.0.1", "'K'"),
        ("https://user:pw@v.test", "'K'"),
        ("http://user@127.0.0.1:1", "'K'"),
        ("https://v.test/?key=x", "'K'"),
        ("https://v.test/#x", "'K'"),
        ("https://v.test\\@evil.test", "'K'"),
        ("https://v.test/a b", "'K'"),
        ("https://v.test:99999", "'K'"),
        ("https://", "'K'"),
        ("v.test", "'K'"),
    ],
)
def test_any_other_endpoint_is_dropped_and_told(load: Load, service: str, endpoint: str, variable: str | None) -> None:
    """Its address is not repeated, since a password may be in it; the usual key is never sent there."""
    key = f"{service}_endpoint"
    user = f"{key} = '{endpoint}'\n" + (f"{service}_api_key_env = {variable}" if variable else "")
    loaded = load(user=user)
    assert loaded.settings[key] is None
    assert loaded.settings.origin(key) == "default"
    assert ignored(loaded) == refused(key)
    assert "pw" not in repr(loaded.notes)
    assert "https" in message(loaded.notes[0])


def test_both_endpoints_are_told_in_one_note(load: Load) -> None:
    """They have the same fault."""
    loaded = load(options={"video_endpoint": "https://v.test", "stt_endpoint": "https://s.test"})
    assert ignored(loaded) == refused("video_endpoint", "stt_endpoint")


def test_the_variable_of_one_service_does_not_open_the_other(load: Load) -> None:
    """Each key is for its own host."""
    user = "video_api_key_env = 'K'\nstt_endpoint = 'https://s.test'\nvideo_endpoint = 'https://v.test'"
    loaded = load(user=user)
    assert (loaded.settings["video_endpoint"], loaded.settings["stt_endpoint"]) == ("https://v.test", None)
    assert ignored(loaded) == refused("stt_endpoint")


def test_endpoint_and_variable_may_come_from_different_levels_of_the_user(load: Load) -> None:
    """File, environment and code are all the user's word; a project's is not."""
    environ = {"TWITTER_TOOL_VIDEO_API_KEY_ENV": "K"}
    loaded = load(user="video_endpoint = 'https://v.test'", environ=environ)
    assert (loaded.settings["video_endpoint"], loaded.notes) == ("https://v.test", ())
    loaded = load(options={"video_endpoint": "https://v.test", "video_api_key_env": "K"})
    assert (loaded.settings["video_endpoint"], loaded.notes) == ("https://v.test", ())
    loaded = load(user="video_endpoint = 'https://v.test'", project="video_api_key_env = 'K'")
    assert loaded.settings["video_endpoint"] is None
    assert [note.figures["reason"] for note in loaded.notes] == ["user_only", "endpoint_not_authorised"]


@pytest.mark.parametrize("service", ["video", "stt"])
@pytest.mark.parametrize("variable", ["TWITTERAPI_IO_API_KEY", "sk-hunter1234", "AIzaHunter1234", "MY KEY", "9KEY"])
def test_what_cannot_be_the_variable_of_a_key_is_ignored(load: Load, service: str, variable: str) -> None:
    """Neither the key of the posts, which no other host may get, nor a key in the place of its name, never shown.

    The variable then counts as not named, so that an endpoint beside it is dropped too.
    """
    user = f"{service}_api_key_env = '{variable}'\n{service}_endpoint = 'https://v.test'"
    loaded = load(user=user)
    key = f"{service}_api_key_env"
    assert loaded.settings[key] == KEY_TABLE[key].default
    assert loaded.settings.origin(key) == "default"
    assert ignored(loaded) == [{"keys": [key], "reason": "unknown_value"}, *refused(f"{service}_endpoint")]
    assert variable not in repr(loaded.notes)


def test_litellm_has_no_use_for_an_endpoint(load: Load) -> None:
    """Whoever named a place must not believe that clips go there."""
    user = "video_endpoint_type = 'litellm'\nvideo_endpoint = 'http://127.0.0.1:1'\nvideo_model = 'gemini/x'"
    loaded = load(user=user)
    assert loaded.settings["video_endpoint"] is None
    assert ignored(loaded) == needs("video_endpoint", "video_endpoint_type")
    assert native_route(loaded.settings, {}) == NativeRoute(kind="litellm", model="gemini/x")


def test_settings_in_good_order_are_left_as_they_are(load: Load) -> None:
    """The same object, without a note."""
    settings = Settings()
    assert hold_media(settings, {}) == (settings, ())
    loaded = load(
        user="video_model = 'm'\nstt_model = 's'\nvideo_api_key_env = 'GOOGLE_API_KEY'\nvideo_endpoint_type = 'litellm'"
    )
    assert loaded.notes == ()


words = st.text(max_size=10) | st.sampled_from(
    ["https://v.test", "http://127.0.0.1:1", "http://v.test", "K", "litellm", "openai-compatible", "sk-1234"]
)


@given(
    values=st.fixed_dictionaries(
        {},
        optional={
            "video_endpoint_type": words,
            "video_endpoint": words,
            "video_api_key_env": words,
            "stt_endpoint": words,
            "stt_api_key_env": words,
            "enable_video_processing": st.booleans(),
            "enable_video_understanding": st.booleans(),
        },
    )
)
def test_what_was_corrected_needs_no_correction(values: dict[str, Any]) -> None:
    """Whatever was written: a second look changes nothing, and every change has a note that names it."""
    settings = Settings().replaced("user", **{key: value for key, value in values.items() if value != ""})
    held, notes = hold_media(settings, {})
    assert hold_media(held, {}) == (held, ())
    changed = {key for key in values if held[key] != settings[key]}
    assert changed <= {key for note in notes for key in note.figures["keys"]}
    assert held["enable_video_processing"] <= held["enable_video_understanding"]
