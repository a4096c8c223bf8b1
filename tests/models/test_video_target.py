"""Which model is given clips through LiteLLM, where, and with which key: settled without asking anybody."""

from __future__ import annotations

from typing import Any

import pytest
from model_samples import catalogue

from twitter_tool.config.values import frozen
from twitter_tool.models.keys import PLACEHOLDER_KEY
from twitter_tool.models.video import VideoGap, VideoTarget, video_target
from twitter_tool.settings import Settings

KEYS = {"OPENAI_API_KEY": "sk-openai", "GEMINI_API_KEY": "gm-key", "GOOGLE_API_KEY": "gg-key", "MINE": "sk-mine"}


def settle(
    name: str | None, environ: dict[str, str] | None = None, *, models: dict[str, Any] | None = None, **user: Any
) -> VideoTarget | VideoGap:
    given = Settings().replaced("user", video_model=name, models=frozen(models or {}), **user)
    return video_target(given, KEYS if environ is None else environ, lists=catalogue)


def settled(name: str, environ: dict[str, str] | None = None, **options: Any) -> VideoTarget:
    found = settle(name, environ, **options)
    assert isinstance(found, VideoTarget)
    return found


def gap(name: str | None, environ: dict[str, str] | None = None, **options: Any) -> VideoGap:
    found = settle(name, environ, **options)
    assert isinstance(found, VideoGap)
    return found


@pytest.mark.parametrize("name", ["gemini/flash-sample", "gemini/nobody-knows"])
def test_a_model_need_not_be_known_but_its_provider_must(name: str) -> None:
    """No limits are needed either."""
    found = settled(name)
    assert (found.name, found.call_name, found.provider, found.form) == (name, name, "gemini", "file")


def test_a_bare_name_of_the_map_is_asked_for_with_its_provider() -> None:
    """As for answers."""
    found = settled("gpt-sample")
    assert (found.name, found.call_name, found.form, found.api_base) == (
        "gpt-sample",
        "openai/gpt-sample",
        "video_url",
        None,
    )


def test_the_key_is_the_providers_own_unless_a_variable_was_named() -> None:
    """The default of the setting names nobody's key here, though it may be the provider's own too."""
    assert settled("openai/m").api_key == "sk-openai"
    assert settled("gemini/m").api_key == "gm-key"
    assert settled("gemini/m", {"GOOGLE_API_KEY": "gg-key"}).api_key == "gg-key"
    assert settled("openai/m", video_api_key_env="MINE").api_key == "sk-mine"
    assert settled("openai/m", video_api_key_env="GOOGLE_API_KEY").api_key == "gg-key"


def test_a_missing_key_names_its_variable() -> None:
    """And is the reason why videos are skipped."""
    for found, variable in (
        (gap("openai/m", {}), "OPENAI_API_KEY"),
        (gap("openai/m", {**KEYS, "MINE": " "}, video_api_key_env="MINE"), "MINE"),
    ):
        assert (found.reason, found.message) == ("key_missing", f"{variable} is not set")
        told = found.note(2)
        figures = {"count": 2, "reason": "key_missing", "variable": variable}
        assert (told.code, dict(told.figures)) == ("video_skipped", figures)


def test_the_address_of_a_declared_model_is_its_own_and_gets_no_other_key() -> None:
    """On this machine even a named key is optional."""
    local = {"openai/m": {"api_base": "http://127.0.0.1:8080/v1/"}}
    found = settled("openai/m", models=local)
    assert (found.api_base, found.api_key) == ("http://127.0.0.1:8080/v1", PLACEHOLDER_KEY)
    assert settled("openai/m", models=local, video_api_key_env="MINE").api_key == "sk-mine"
    assert settled("openai/m", {}, models=local, video_api_key_env="MINE").api_key == PLACEHOLDER_KEY
    named = {"openai/m": {"api_base": "https://llm.example/v1", "api_key_env": "MINE"}}
    assert settled("openai/m", models=named).api_key == "sk-mine"
    assert gap("openai/m", {}, models=named).reason == "key_missing"


def test_an_address_of_openai_in_the_environment_counts_as_for_answers() -> None:
    """For OpenAI's models only, and it must be usable."""
    near = {**KEYS, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    assert settled("openai/m", near).api_base == "http://127.0.0.1:9/v1"
    assert settled("gemini/m", near).api_base is None
    assert gap("openai/m", {**KEYS, "OPENAI_BASE_URL": "http://192.0.2.1/v1"}).reason == "unusable"


@pytest.mark.parametrize(
    ("name", "models", "word"),
    [
        ("nobody-knows", {}, "names no provider"),
        ("vendor/m", {}, "provider of the model"),
        ("anthropic/claude-sample", {}, "no video on to anthropic"),
        ("github_copilot/gpt-sample", {}, "no video on to github_copilot"),
        ("ollama/llava", {}, "no video on to ollama"),
        ("custom_openai/m", {}, "no address"),
        ("openai/m", {"openai/m": {"api_base": "ftp://x"}}, "api_base"),
    ],
)
def test_a_model_that_cannot_be_given_clips_is_a_gap_and_no_error(name: str, models: dict[str, Any], word: str) -> None:
    """A call goes on without it, and says why."""
    found = gap(name, models=models)
    assert found.reason == "unusable"
    assert word in found.message
    told = found.note()
    assert told.code == "video_failed"
    assert str(told.figures["reason"]).endswith(f"not possible: {found.message}")


@pytest.mark.parametrize("variable", ["TWITTERAPI_IO_API_KEY", "sk-0123456789", "two words"])
def test_a_variable_that_may_not_be_used_is_a_gap(variable: str) -> None:
    """The key of the posts' host goes to no other, and a key written in its place is not repeated."""
    found = gap("openai/m", {**KEYS, variable: "tw-key"}, video_api_key_env=variable)
    assert found.reason == "unusable"
    assert "tw-key" not in found.message
    assert "sk-0123456789" not in found.message


def test_without_a_model_or_litellm_there_is_nothing_to_settle() -> None:
    """The command that installs it is named."""
    assert gap(None).reason == "not_configured"
    found = video_target(Settings().replaced("user", video_model="openai/m"), KEYS, lists=lambda: None)
    assert isinstance(found, VideoGap)
    assert found.reason == "not_installed"
    assert 'pip install "twitter-tool[answer]"' in found.message


def test_the_key_of_a_target_is_never_shown() -> None:
    """Not even in a traceback."""
    assert "sk-openai" not in repr(settled("openai/m"))
