"""Which service watches clips, which key goes there, and what a clip that goes through LiteLLM costs."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from video_provider import (
    KEY,
    a_clip,
    codes,
    described,
    failure,
    gemini_route,
    openai_route,
    providing,
    watched,
)

from twitter_tool.clock import SYSTEM_CLOCK
from twitter_tool.http import Http
from twitter_tool.media.native import INLINE_BYTES, PROMPT, NativeRoute, NoRoute, native_route, watch
from twitter_tool.media.values import Watched
from twitter_tool.settings import Settings
from twitter_tool.usage import Usage

KEYS = {"GOOGLE_API_KEY": "google-key", "MINE": "my-key", "BLANK": "  ", "TWITTERAPI_IO_API_KEY": "posts-key"}


def routed(environ: dict[str, str] | None = None, **values: Any) -> NativeRoute | NoRoute | None:
    """The route of settings that were written as given, whether or not a loader would have taken them."""
    return native_route(Settings().replaced("user", **values), KEYS if environ is None else environ)


def test_nothing_is_configured_by_default() -> None:
    """A key in the environment is no wish to send clips anywhere."""
    assert routed() is None
    assert (
        routed(video_endpoint_type="openai-compatible", video_endpoint="https://v.test", video_api_key_env="K") is None
    )


def test_gemini_needs_a_model_and_the_usual_key() -> None:
    """Google's public host is where it is without another address."""
    route = routed(video_model="gemini-x")
    assert route == NativeRoute(
        kind="gemini-files",
        endpoint="https://generativelanguage.googleapis.com",
        model="gemini-x",
        key="google-key",
    )
    assert routed(video_model="gemini-x", video_api_key_env="MINE") == NativeRoute(
        kind="gemini-files", endpoint="https://generativelanguage.googleapis.com", model="gemini-x", key="my-key"
    )


def test_other_services_need_an_address_of_their_own() -> None:
    """There is no usual one."""
    openai = {"video_endpoint_type": "openai-compatible", "video_model": "m", "video_api_key_env": "MINE"}
    assert routed(**openai) is None
    assert routed(**openai, video_endpoint="https://v.test/v1") == NativeRoute(
        kind="openai-compatible", endpoint="https://v.test/v1", model="m", key="my-key"
    )


@pytest.mark.parametrize("kind", ["gemini-files", "openai-compatible"])
@pytest.mark.parametrize("variable", ["BLANK", "ABSENT", "TWITTERAPI_IO_API_KEY"])
def test_a_missing_key_is_told(kind: str, variable: str) -> None:
    """A model and a place are configured, so somebody expects clips to be watched; the key of the posts is none."""
    found = routed(
        video_endpoint_type=kind, video_endpoint="https://v.test", video_model="m", video_api_key_env=variable
    )
    assert found == NoRoute(reason="key_missing", variable=variable)
    note = found.note(2)
    assert (note.code, note.figures["count"], note.figures["reason"]) == ("video_skipped", 2, "key_missing")
    assert note.figures["variable"] == variable


def test_a_missing_key_for_the_usual_host_is_told() -> None:
    """The same without an address of one's own."""
    assert routed({}, video_model="m") == NoRoute(reason="key_missing", variable="GOOGLE_API_KEY")


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:8080/v1", "http://localhost:1", "http://[::1]:9/v1"])
@pytest.mark.parametrize("kind", ["gemini-files", "openai-compatible"])
def test_on_this_machine_a_key_is_optional(kind: str, endpoint: str) -> None:
    """And the usual one is not sent there, unless its variable was named."""
    given: dict[str, Any] = {"video_endpoint_type": kind, "video_endpoint": endpoint, "video_model": "m"}
    expected = {"kind": kind, "endpoint": endpoint, "model": "m"}
    assert routed(**given) == NativeRoute(**expected, key=None)
    assert routed(**given, video_api_key_env="BLANK") == NativeRoute(**expected, key=None)
    assert routed(**given, video_api_key_env="GOOGLE_API_KEY") == NativeRoute(**expected, key="google-key")


@pytest.mark.parametrize("kind", ["gemini-files", "openai-compatible"])
@pytest.mark.parametrize(
    ("endpoint", "named", "told"),
    [
        ("https://v.test", False, "video_api_key_env does not name"),
        ("http://v.test", True, "neither https nor http on a loopback address"),
        ("http://127.0.0.1.evil.test", True, "neither https"),
        ("https://user:pw@v.test", True, "user name"),
        ("https://v.test?key=1", True, "query"),
        ("https://v.test#x", True, "fragment"),
        ("https://v\\test", True, "not an address"),
        ("https://v.test/a b", True, "not an address"),
        ("v.test", True, "no host"),
    ],
)
def test_settings_made_by_hand_reach_no_place_that_a_file_could_not_name(
    kind: str, endpoint: str, named: bool, told: str
) -> None:
    """The conditions are looked at again where the route is made; a clip then goes nowhere, which is told."""
    given = {"video_endpoint_type": kind, "video_endpoint": endpoint, "video_model": "m"}
    if named:
        given["video_api_key_env"] = "MINE"
    found = routed(**given)
    assert isinstance(found, NoRoute)
    assert told in found.detail
    assert "pw" not in found.detail
    assert found.note().code == "video_failed"
    assert found.note().figures == {"reason": found.detail}


@pytest.mark.parametrize("kind", [None, "", "anthropic", "openai-compat", "Gemini-Files"])
def test_an_unknown_kind_of_service_is_none(kind: str | None) -> None:
    """Whatever else is configured."""
    values = {"video_model": "m", "video_endpoint": "https://v.test", "video_api_key_env": "MINE"}
    assert routed(video_endpoint_type=kind, **values) is None


def test_litellm_needs_a_model_only() -> None:
    """It knows places and keys itself, and what is missing; a named key is known here so that no note shows it."""
    given: dict[str, Any] = {"video_endpoint_type": "litellm", "video_model": "gemini/x"}
    assert routed(**given) == NativeRoute(kind="litellm", model="gemini/x")
    assert routed(**given, video_api_key_env="MINE") == NativeRoute(kind="litellm", model="gemini/x", key="my-key")
    assert routed(**given, video_api_key_env="BLANK") == NativeRoute(kind="litellm", model="gemini/x")
    assert routed({}, **given) == NativeRoute(kind="litellm", model="gemini/x")
    assert routed(video_endpoint_type="litellm") is None


def test_a_key_that_no_header_can_carry_is_refused_and_not_shown() -> None:
    """A line break in it would begin another header."""
    found = routed({"GOOGLE_API_KEY": "AIza\r\nX-Evil: 1"}, video_model="m")
    assert isinstance(found, NoRoute)
    assert "header" in found.detail
    assert "Evil" not in found.detail


def test_no_representation_of_a_route_holds_its_key() -> None:
    """Nor does what tells one service's work from another's."""
    route = routed(video_model="m")
    assert isinstance(route, NativeRoute)
    assert "google-key" not in repr(route) + str(route) + route.identity + route.host
    assert route.host == "generativelanguage.googleapis.com"
    other = NativeRoute(kind="gemini-files", endpoint=route.endpoint, model="m2")
    assert other.identity != route.identity
    assert NativeRoute(kind="litellm", model="gemini/m").host == "gemini"
    assert NativeRoute(kind="litellm", model="m", provider="openai").host == "openai"


texts = st.none() | st.text(max_size=12) | st.sampled_from(["https://v.test", "http://127.0.0.1:1/v1", "MINE", "m"])


@given(
    kind=st.sampled_from(["gemini-files", "openai-compatible", "litellm", None, "x"]),
    endpoint=texts,
    model=texts,
    variable=texts,
    named=st.booleans(),
)
def test_whatever_the_settings_hold_a_key_goes_only_where_it_belongs(
    kind: str | None, endpoint: str | None, model: str | None, variable: str | None, named: bool
) -> None:
    """The usual key to Google, a named one to the place beside it, the key of the posts to nobody."""
    values: dict[str, Any] = {"video_endpoint_type": kind, "video_endpoint": endpoint or None, "video_model": model}
    if named:
        values["video_api_key_env"] = variable or "GOOGLE_API_KEY"
    found = routed(**values)
    if not isinstance(found, NativeRoute):
        return
    assert found.fault() is None
    assert found.key != "posts-key"
    if found.key == "google-key" and not named:
        assert found.endpoint == "https://generativelanguage.googleapis.com"
    if found.kind != "litellm":
        assert found.endpoint is not None
        assert found.endpoint.startswith(("https://", "http://127.0.0.1:1"))
        assert found.key or found.endpoint.startswith("http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"endpoint": "http://v.test"}, "neither https"),
        ({"endpoint": "https://v.test", "key": None}, "there is no key"),
        ({"endpoint": None}, "there is no endpoint"),
        ({"endpoint": "https://u@v.test"}, "user name"),
        ({"key": "a\r\nb"}, "header"),
        ({"key": ""}, "header"),
        ({"model": " "}, "no model"),
    ],
)
async def test_a_route_made_by_hand_is_looked_at_before_anything_is_sent(
    changes: dict[str, Any], told: str, tmp_path: Path
) -> None:
    """No request, and the reason in a note."""
    async with providing() as provider:
        for made in (gemini_route, openai_route):
            usage = Usage()
            outcome = await watched(made(provider, **changes), a_clip(tmp_path), usage=usage)
            assert told in failure(outcome)
            assert usage.native_video_attempts == 0
    assert provider.steps == []


def litellm(key: str | None = None) -> NativeRoute:
    return NativeRoute(kind="litellm", model="gemini/m", key=key)


async def through_litellm(
    ask: Callable[[Path, str], Awaitable[str]] | None,
    usage: Usage,
    *,
    timeout_s: float = 30.0,
    key: str | None = None,
    size: int = 2_000,
) -> Any:
    """Watch a clip with a stand-in for LiteLLM; nothing is sent by this package itself."""
    http, route = Http(), litellm(key)
    try:
        with tempfile.TemporaryDirectory() as folder:
            clip = a_clip(Path(folder), size)
            return await watch(route, clip, http=http, usage=usage, clock=SYSTEM_CLOCK, timeout_s=timeout_s, ask=ask)
    finally:
        await http.aclose()


async def test_a_clip_through_litellm_is_asked_about_once_and_counted_apart() -> None:
    """Its own requests cannot be seen, so calls of it are counted and not requests."""
    asked: list[tuple[Path, str]] = []

    async def ask(clip: Path, prompt: str) -> str:
        asked.append((clip, prompt))
        return described()

    usage = Usage()
    outcome = await through_litellm(ask, usage)
    assert [(clip.name, prompt) for clip, prompt in asked] == [("clip.mp4", PROMPT)]
    assert isinstance(outcome, Watched)
    assert (outcome.method, outcome.visual, outcome.transcript) == ("litellm-native", "a cat", "[00:01] hello")
    assert [dict(note.figures) for note in outcome.notes] == [{"kind": "native_video", "host": "gemini"}]
    assert (usage.native_video_sdk_attempts, usage.native_video_sdk_failures) == (1, 0)
    assert (usage.native_video_attempts, usage.native_video_http_failures) == (0, 0)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RuntimeError("no\n quota"), "no quota"),
        (ValueError(""), "ValueError"),
        (RuntimeError("<html>busy</html>"), "RuntimeError"),
        (RuntimeError(f"bad key {KEY}"), "bad key [removed]"),
        (RuntimeError("x" * 500), "x" * 199 + "\u2026"),
        (asyncio.CancelledError(), "the connection was lost"),
        (TimeoutError("slow"), "slow"),
    ],
)
async def test_whatever_litellm_raises_is_a_failure_told_in_one_line(error: BaseException, told: str) -> None:
    """Also a cancellation of its own making, which nobody asked for."""

    async def ask(clip: Path, prompt: str) -> str:
        raise error

    usage = Usage()
    outcome = await through_litellm(ask, usage, key=KEY)
    assert failure(outcome) == f"native analysis (gemini): {told}"
    assert codes(outcome) == ["video_failed"]
    assert (usage.native_video_sdk_attempts, usage.native_video_sdk_failures) == (1, 1)


async def test_an_empty_reply_through_litellm_is_a_failure_but_not_of_the_call() -> None:
    """LiteLLM did what it was asked to."""

    async def ask(clip: Path, prompt: str) -> str:
        return " "

    usage = Usage()
    assert "empty" in failure(await through_litellm(ask, usage))
    assert (usage.native_video_sdk_attempts, usage.native_video_sdk_failures) == (1, 0)


async def test_litellm_has_no_more_time_than_there_is() -> None:
    """A call that does not end is given up."""
    ended = asyncio.Event()

    async def ask(clip: Path, prompt: str) -> str:
        try:
            return await asyncio.Event().wait() and ""
        finally:
            ended.set()

    usage = Usage()
    assert "time" in failure(await through_litellm(ask, usage, timeout_s=0.05))
    assert ended.is_set()
    assert (usage.native_video_sdk_attempts, usage.native_video_sdk_failures) == (1, 1)


async def test_cancelling_ends_a_call_through_litellm() -> None:
    """It is the caller's cancellation, and no failure."""
    begun = asyncio.Event()

    async def ask(clip: Path, prompt: str) -> str:
        begun.set()
        return await asyncio.Event().wait() and ""

    usage = Usage()
    work = asyncio.ensure_future(through_litellm(ask, usage))
    await begun.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert (usage.native_video_sdk_attempts, usage.native_video_sdk_failures) == (1, 0)


async def test_litellm_is_not_asked_without_time() -> None:
    """An attempt that could not end would only be counted, and perhaps billed."""

    async def ask(clip: Path, prompt: str) -> str:
        return described()

    usage = Usage()
    assert "time" in failure(await through_litellm(ask, usage, timeout_s=0))
    assert usage.native_video_sdk_attempts == 0


async def test_without_litellm_nothing_is_attempted() -> None:
    """The extra may not be installed."""
    usage = Usage()
    assert "LiteLLM" in failure(await through_litellm(None, usage))
    assert usage.native_video_sdk_attempts == 0


async def test_a_clip_that_no_request_can_carry_is_not_counted_as_asked_about() -> None:
    """Nothing is sent of it, so nothing can be billed."""

    async def ask(clip: Path, prompt: str) -> str:
        raise AssertionError("must not be asked")

    usage = Usage()
    assert "12 MiB" in failure(await through_litellm(ask, usage, size=INLINE_BYTES + 1))
    assert (usage.native_video_sdk_attempts, usage.native_video_sdk_failures) == (0, 0)
