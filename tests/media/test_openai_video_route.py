"""Clips for services that speak OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

import pytest
from video_provider import (
    DROP,
    INLINE,
    KEY,
    STALL,
    Answer,
    PollClock,
    a_clip,
    codes,
    completion,
    described,
    failure,
    openai_route,
    providing,
    watched,
)

from twitter_tool.http import Http
from twitter_tool.media.native import PROMPT, watch
from twitter_tool.media.values import Watched
from twitter_tool.usage import Usage


async def test_a_clip_goes_into_one_message_as_an_object_with_a_data_url(tmp_path: Path) -> None:
    """Text first, then the video; services pass over other spellings of it without a word."""
    clip = a_clip(tmp_path, 300_001)
    usage = Usage()
    async with providing() as provider:
        outcome = await watched(openai_route(provider), clip, usage=usage)
    asked = provider.of("chat")
    assert (asked.method, asked.target) == ("POST", "/v1/chat/completions")
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["content-type"] == "application/json"
    data = base64.b64encode(clip.read_bytes()).decode()
    assert asked.json == {
        "model": "vl",
        "max_tokens": 4000,
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": PROMPT},
                    {"type": "video_url", "video_url": {"url": f"data:video/mp4;base64,{data}"}},
                ],
            }
        ],
    }
    assert isinstance(outcome, Watched)
    assert (outcome.method, outcome.visual, outcome.transcript) == ("openai-compatible", "a cat", "[00:01] hello")
    assert [dict(note.figures) for note in outcome.notes] == [
        {"kind": "native_video", "host": f"127.0.0.1:{provider.port}"}
    ]
    assert (usage.native_video_attempts, usage.native_video_http_failures) == (1, 0)


async def test_a_large_clip_goes_inside_the_request_too(tmp_path: Path) -> None:
    """These services have no place for files."""
    clip = a_clip(tmp_path, INLINE + 10)
    async with providing() as provider:
        outcome = await watched(openai_route(provider), clip)
    assert codes(outcome) == ["third_party_processing"]
    url = provider.of("chat").json["messages"][0]["content"][1]["video_url"]["url"]
    assert base64.b64decode(url.partition(",")[2]) == clip.read_bytes()


async def test_without_a_key_no_credential_is_sent(tmp_path: Path) -> None:
    """On this machine a key is optional; one slash at the end of the address means nothing."""
    async with providing() as provider:
        route = openai_route(provider, key=None, endpoint=f"{provider.origin}/api/v1/")
        outcome = await watched(route, a_clip(tmp_path))
    assert codes(outcome) == ["third_party_processing"]
    assert "authorization" not in provider.of("chat").headers
    assert provider.of("chat").target == "/api/v1/chat/completions"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer({"error": {"message": "bad\n  model"}}, 400), 'HTTP 400: {"error": {"message": "bad\\n model"}}'),
        (Answer(b"over\n\n   quota  now", 429), "HTTP 429: over quota now"),
        (Answer(b"x" * 5_000, 500), f"HTTP 500: {'x' * 199}\u2026"),
        (Answer(b"<html><body>Bad gateway</body></html>", 502), "HTTP 502"),
        (Answer(b"", 401), "HTTP 401"),
        (Answer(f"no such key: {KEY}".encode(), 403), "HTTP 403: no such key: [removed]"),
        (Answer(f"no such key: {KEY[:9]}\u200b{KEY[9:]}".encode(), 403), "HTTP 403: no such key: [removed]"),
        (Answer(b"other-secret-of-the-call", 403), "HTTP 403: [removed]"),
        (Answer(b"\xff\x1b[31mred\x00", 500), "HTTP 500: \ufffdred"),
        (Answer({}, 302, {"Location": "http://127.0.0.1:1/"}), "HTTP 302: it redirects, which is not followed"),
    ],
)
async def test_another_status_is_told_with_the_service_s_words(answer: Answer, told: str, tmp_path: Path) -> None:
    """One line, at most 200 characters, without keys and without markup; nothing is asked twice."""
    usage = Usage()
    async with providing(chat=answer) as provider:
        outcome = await watched(
            openai_route(provider), a_clip(tmp_path), usage=usage, secrets=("other-secret-of-the-call",)
        )
    assert failure(outcome) == f"native analysis (127.0.0.1:{provider.port}): {told}"
    assert codes(outcome) == ["video_failed"]
    assert provider.steps == ["chat"]
    assert (usage.native_video_attempts, usage.native_video_http_failures) == (1, 1)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer(b"not json"), "not a JSON object"),
        (Answer([completion()]), "not a JSON object"),
        (Answer(b'{"a":' + b" " * 1_200_000 + b"1}"), "larger than 1048576 bytes"),
        (Answer(b'{"a', headers={"Content-Length": "500"}), "cut off"),
        (Answer(b"x", headers={"Content-Encoding": "br"}), "encoding"),
        (Answer(completion("half", "length")), "token limit (length)"),
        (Answer(completion("   ")), "empty (stop)"),
        (Answer(completion(["v"])), "not text"),
    ],
)
async def test_an_answer_that_cannot_be_used_is_no_http_failure(answer: Answer, told: str, tmp_path: Path) -> None:
    """The service did answer; what it did may be billed, and is counted as an attempt."""
    usage = Usage()
    async with providing(chat=answer) as provider:
        outcome = await watched(openai_route(provider), a_clip(tmp_path), usage=usage)
    assert told in failure(outcome)
    assert (usage.native_video_attempts, usage.native_video_http_failures) == (1, 0)


@pytest.mark.parametrize("answer", [DROP, STALL])
async def test_no_answer_is_a_failure(answer: str, tmp_path: Path) -> None:
    """A connection that breaks, or a service that says nothing for as long as there is time."""
    usage = Usage()
    async with providing(chat=answer) as provider:
        outcome = await watched(
            openai_route(provider), a_clip(tmp_path), usage=usage, timeout_s=0.2 if answer is STALL else 30
        )
    assert ("did not answer in time" in failure(outcome)) is (answer is STALL)
    assert (usage.native_video_attempts, usage.native_video_http_failures) == (1, 1)


async def test_nothing_is_asked_without_time(tmp_path: Path) -> None:
    """The time of all videos may be over by then."""
    usage = Usage()
    async with providing() as provider:
        outcome = await watched(openai_route(provider), a_clip(tmp_path), usage=usage, timeout_s=0)
    assert "time" in failure(outcome)
    assert (provider.steps, usage.native_video_attempts) == ([], 0)


async def test_a_clip_that_is_gone_is_a_failure_and_not_a_crash(tmp_path: Path) -> None:
    """Nothing is asked, and its path is not told."""
    async with providing() as provider:
        outcome = await watched(openai_route(provider), tmp_path / "gone.mp4")
    assert failure(outcome).endswith("the clip could not be read")
    assert provider.steps == []


async def test_a_reply_that_tells_nothing_is_no_evidence_and_declares_no_silence(tmp_path: Path) -> None:
    """The clip was sent all the same, which is disclosed, and so is why something else is used."""
    async with providing(chat=Answer(completion(described("", "")))) as provider:
        outcome = await watched(openai_route(provider), a_clip(tmp_path))
    assert isinstance(outcome, Watched)
    assert (outcome.is_evidence, outcome.silent) == (False, False)
    assert codes(outcome) == ["third_party_processing", "video_failed"]


async def test_a_stated_silence_is_passed_on(tmp_path: Path) -> None:
    """Nothing needs to listen to the clip then."""
    async with providing(chat=Answer(completion(described("a cat", "")))) as provider:
        outcome = await watched(openai_route(provider), a_clip(tmp_path))
    assert isinstance(outcome, Watched)
    assert (outcome.is_evidence, outcome.silent, outcome.transcript) == (True, True, None)


async def test_a_name_of_a_model_cannot_change_the_question(tmp_path: Path) -> None:
    """Quotes, breaks and characters that no encoder takes are only characters of it."""
    async with providing() as provider:
        model = 'm", "messages": [], "x": "\n\ud800'
        outcome = await watched(openai_route(provider, model=model), a_clip(tmp_path))
    assert codes(outcome) == ["third_party_processing"]
    asked = provider.of("chat").json
    assert (asked["model"], set(asked)) == (model, {"model", "max_tokens", "messages"})


async def test_a_cancelled_analysis_closes_its_connection(tmp_path: Path) -> None:
    """The service learns that nobody waits any more."""
    async with providing(chat=STALL) as provider:
        http = Http()
        work = asyncio.ensure_future(
            watch(
                openai_route(provider),
                a_clip(tmp_path),
                http=http,
                usage=Usage(),
                clock=PollClock().clock,
                timeout_s=30,
            )
        )
        await provider.reached("chat")
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        await provider.hung_up.wait()
        await http.aclose()
    assert provider.steps == ["chat"]
