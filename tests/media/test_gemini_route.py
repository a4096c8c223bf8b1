"""Clips for Gemini: inside the request, or as a file that is uploaded, watched and deleted."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from video_provider import (
    DROP,
    INLINE,
    KEY,
    NAME,
    Answer,
    PollClock,
    a_clip,
    codes,
    described,
    failure,
    gemini,
    gemini_route,
    providing,
    watched,
)

from twitter_tool.clock import Clock
from twitter_tool.http import Http, HttpFailure, HttpResponse
from twitter_tool.media.native import PROMPT, NativeFailure, NativeRoute, watch
from twitter_tool.media.native.gemini import is_same_place, outlasting
from twitter_tool.media.values import Watched
from twitter_tool.usage import Usage

SMALL = 200_000
PROCESSING = Answer({"name": NAME, "state": "PROCESSING"})
CLIP = b"\x00\x01\xfe".ljust(SMALL + 1, b"\x00")
READY = Answer({"name": NAME, "uri": "https://files.example/v1beta/files/abc-123", "state": "ACTIVE"})


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clip that is one byte too large to go inside a request, under a limit that keeps tests quick."""
    monkeypatch.setattr("twitter_tool.media.native.gemini.INLINE_BYTES", SMALL)
    return a_clip(tmp_path, SMALL + 1)


async def test_a_small_clip_goes_inside_the_request(tmp_path: Path) -> None:
    """With the question after it, and a schema of two texts for the reply."""
    usage = Usage()
    clip = a_clip(tmp_path, 5_000)
    async with providing() as provider:
        outcome = await watched(gemini_route(provider, model="models/gemini-2.5-flash"), clip, usage=usage)
    asked = provider.of("generate")
    assert (asked.method, asked.target) == ("POST", "/v1beta/models/models%2Fgemini-2.5-flash:generateContent")
    assert asked.headers["x-goog-api-key"] == KEY
    data = base64.b64encode(clip.read_bytes()).decode()
    assert asked.json["contents"][0]["parts"] == [
        {"inline_data": {"mime_type": "video/mp4", "data": data}},
        {"text": PROMPT},
    ]
    config = asked.json["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseSchema"]["required"] == ["visual", "transcript"]
    assert {member["type"] for member in config["responseSchema"]["properties"].values()} == {"STRING"}
    assert isinstance(outcome, Watched)
    assert (outcome.method, outcome.visual, outcome.transcript) == ("gemini-native", "a cat", "[00:01] hello")
    assert [dict(note.figures) for note in outcome.notes] == [
        {"kind": "native_video", "host": f"127.0.0.1:{provider.port}"}
    ]
    assert (usage.native_video_attempts, usage.native_video_http_failures) == (1, 0)


async def test_twelve_mebibytes_still_go_inside_the_request(tmp_path: Path) -> None:
    """One byte more does not."""
    async with providing() as provider:
        await watched(gemini_route(provider), a_clip(tmp_path, INLINE))
        await watched(gemini_route(provider), a_clip(tmp_path, INLINE + 1))
    assert provider.steps == ["generate", "start", "upload", "poll", "generate", "delete"]
    assert len(provider.of("upload").body) == INLINE + 1


async def test_a_large_clip_is_uploaded_watched_and_deleted(large: Path) -> None:
    """Five requests, each of them counted; the address for the upload gets the bytes and no key."""
    usage = Usage()
    async with providing(poll=READY) as provider:
        outcome = await watched(gemini_route(provider, endpoint=f"{provider.origin}/"), large, usage=usage)
    assert provider.steps == ["start", "upload", "poll", "generate", "delete"]
    start, upload, poll, generate, delete = provider.asked
    assert start.target == "/upload/v1beta/files"
    assert start.headers["x-goog-upload-protocol"] == "resumable"
    assert start.headers["x-goog-upload-command"] == "start"
    assert start.headers["x-goog-upload-header-content-length"] == str(SMALL + 1)
    assert start.headers["x-goog-upload-header-content-type"] == "video/mp4"
    assert upload.target == "/session/1?upload_id=u1&x=2"
    assert upload.headers["x-goog-upload-offset"] == "0"
    assert upload.headers["x-goog-upload-command"] == "upload, finalize"
    assert (upload.headers["content-length"], upload.body) == (str(SMALL + 1), CLIP)
    assert "x-goog-api-key" not in upload.headers
    assert (poll.method, poll.target) == ("GET", f"/v1beta/{NAME}")
    assert (delete.method, delete.target) == ("DELETE", f"/v1beta/{NAME}")
    assert {asked.headers.get("x-goog-api-key") for asked in (start, poll, generate, delete)} == {KEY}
    assert generate.json["contents"][0]["parts"] == [
        {"file_data": {"file_uri": "https://files.example/v1beta/files/abc-123", "mime_type": "video/mp4"}},
        {"text": PROMPT},
    ]
    assert isinstance(outcome, Watched)
    assert (outcome.method, codes(outcome)) == ("gemini-native", ["third_party_processing"])
    assert (usage.native_video_attempts, usage.native_video_http_failures) == (5, 0)


async def test_without_a_key_no_request_has_one(large: Path) -> None:
    """On this machine a key is optional."""
    async with providing() as provider:
        await watched(gemini_route(provider, key=None), large)
    assert len(provider.asked) == 5
    assert not [asked for asked in provider.asked if "x-goog-api-key" in asked.headers]


async def test_a_file_is_looked_up_once_a_second_until_it_is_ready(large: Path) -> None:
    """The address that the model is given is the file's own, or made from its name where it has none."""
    clock = PollClock()
    ready = Answer({"file": {"state": "ACTIVE", "uri": "not\nvisible"}})
    async with providing(poll=[PROCESSING, Answer({"state": 7}), PROCESSING, ready]) as provider:
        outcome = await watched(gemini_route(provider), large, clock=clock.clock)
        uri = f"{provider.origin}/v1beta/{NAME}"
    assert codes(outcome) == ["third_party_processing"]
    assert clock.slept == [1.0, 1.0, 1.0]
    assert provider.of("generate").json["contents"][0]["parts"][0]["file_data"]["file_uri"] == uri


@pytest.mark.parametrize(("timeout_s", "polls", "told"), [(1_000, 60, "after 60 look-ups"), (7.5, 8, "time")])
async def test_waiting_for_a_file_has_an_end(large: Path, timeout_s: float, polls: int, told: str) -> None:
    """Sixty look-ups, or the time of the video work; the file is deleted, which has a time of its own."""
    usage, clock = Usage(), PollClock()
    async with providing(poll=PROCESSING) as provider:
        outcome = await watched(gemini_route(provider), large, usage=usage, clock=clock.clock, timeout_s=timeout_s)
    assert clock.now == min(timeout_s, 59)
    assert provider.steps == ["start", "upload", *["poll"] * polls, "delete"]
    assert told in failure(outcome)
    assert codes(outcome) == ["video_failed"]
    assert (usage.native_video_attempts, usage.native_video_http_failures) == (3 + polls, 0)


@pytest.mark.parametrize(
    ("answers", "steps", "told"),
    [
        ({"poll": [PROCESSING, Answer({"state": "FAILED"})]}, ["poll", "poll"], "FAILED"),
        ({"poll": Answer({"error": "no"}, 500)}, ["poll"], "HTTP 500"),
        ({"poll": Answer(b"[]")}, ["poll"], "not a JSON object"),
        ({"poll": DROP}, ["poll"], ""),
        ({"generate": Answer(b"overloaded", 503)}, ["poll", "generate"], "HTTP 503: overloaded"),
        ({"generate": Answer({}, 307, {"Location": "/x"})}, ["poll", "generate"], "HTTP 307"),
        ({"generate": Answer(gemini("half", "MAX_TOKENS"))}, ["poll", "generate"], "MAX_TOKENS"),
        ({"generate": Answer({"promptFeedback": {"blockReason": "SAFETY"}})}, ["poll", "generate"], "SAFETY"),
        ({"generate": Answer(gemini("```\n```"))}, ["poll", "generate"], "empty"),
    ],
)
async def test_an_uploaded_file_is_deleted_whatever_fails_after_it(
    large: Path, answers: dict[str, Any], steps: list[str], told: str
) -> None:
    """Exactly once."""
    async with providing(**answers) as provider:
        outcome = await watched(gemini_route(provider), large)
    assert provider.steps == ["start", "upload", *steps, "delete"]
    assert told in failure(outcome)
    assert codes(outcome) == ["video_failed"]


@pytest.mark.parametrize("answer", [Answer({"error": {}}, 500), Answer({}, 404), Answer({}, 302), DROP])
@pytest.mark.parametrize("generate", [Answer(gemini()), Answer({}, 500)])
async def test_a_file_that_is_not_deleted_is_disclosed(large: Path, answer: Any, generate: Answer) -> None:
    """Whether or not the clip was watched; a failed deletion does not take the reply back."""
    usage = Usage()
    async with providing(delete=answer, generate=generate) as provider:
        outcome = await watched(gemini_route(provider), large, usage=usage)
    assert provider.steps.count("delete") == 1
    assert codes(outcome)[-1] == "upload_may_remain"
    assert outcome.notes[-1].figures == {"provider": f"127.0.0.1:{provider.port}"}
    assert isinstance(outcome, NativeFailure if generate.status == 500 else Watched)
    assert usage.native_video_http_failures == (2 if generate.status == 500 else 1)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "http://127.0.0.1:{other}/session",
        "http://127.0.0.2:{port}/session",
        "http://localhost:{port}/session",
        "https://127.0.0.1:{port}/session",
        "http://127.0.0.1/session",
        "http://127.0.0.1:{port}@evil.example/session",
        "http://evil.example\\@127.0.0.1:{port}/session",
        "http://user@127.0.0.1:{port}/session",
        "//127.0.0.1:{port}/session",
        "/session",
        "http://127.0.0.1:{port}/session#x",
        "http://127.0.0.1:{port}:80/session",
        "http://127.0.0.1.evil.example:{port}/session",
    ],
)
async def test_an_address_for_the_upload_elsewhere_gets_nothing(large: Path, url: str) -> None:
    """Scheme, host and port are those of the configured address; otherwise the clip stays here."""
    async with providing() as provider:
        address = url.format(port=provider.port, other=provider.port + 1)
        provider.answers["start"] = [Answer(headers={"X-Goog-Upload-URL": address} if address else {})]
        outcome = await watched(gemini_route(provider), large)
    assert provider.steps == ["start"]
    assert "not on the same host" in failure(outcome)
    assert codes(outcome) == ["video_failed"]


@pytest.mark.parametrize(
    ("url", "base", "same"),
    [
        ("https://g.example/u?upload_id=1", "https://g.example", True),
        ("https://g.example:443/u", "https://g.example/base/", True),
        ("HTTPS://G.EXAMPLE/u", "https://g.example", True),
        ("http://127.0.0.1:80/u", "http://127.0.0.1", True),
        ("http://[::1]:81/u", "http://[::1]:81", True),
        ("https://g.example:8443/u", "https://g.example", False),
        ("http://g.example/u", "https://g.example", False),
        ("https://g.example./u", "https://g.example", False),
        ("https://g.example%2eevil/u", "https://g.example", False),
        ("https://[::1", "https://g.example", False),
        ("https://g.example:99999/u", "https://g.example", False),
        ("https://g.example:/u", "https://g.example", False),
        ("https://g.example:0/u", "https://g.example", False),
    ],
)
def test_the_place_of_an_address_is_scheme_host_and_port(url: str, base: str, same: bool) -> None:
    """The port that a scheme implies may be written or not."""
    assert is_same_place(url, base) is same


@given(st.text(alphabet="htps:/@\\#?[]%.-_ \t\n01289g\u0067\uff47ex", max_size=40))
@example("http:////g.example")
@example(":0")
def test_no_odd_address_passes_for_the_same_place(text: str) -> None:
    """Whatever is put around a host, another reader of addresses finds the same host in what passes."""
    for url in (text, f"https://{text}g.example/", f"https://g.example{text}"):
        if is_same_place(url, "https://g.example"):
            found = httpx.URL(url)
            assert (found.scheme, found.host, found.port, found.userinfo) == ("https", "g.example", None, b"")


@pytest.mark.parametrize(
    "file",
    [
        {},
        {"file": {}},
        {"file": {"name": 7}},
        {"file": {"name": "files/../../v1/models"}},
        {"file": {"name": "files/a?key=1"}},
        {"file": {"name": "models/x"}},
        {"file": {"name": "files/"}},
        {"file": {"name": "files/a\n"}},
        {"file": {"name": "files/" + "a" * 300}},
        [],
    ],
)
async def test_a_file_without_a_usable_name_is_neither_looked_up_nor_deleted(large: Path, file: Any) -> None:
    """A name of somebody else's making becomes no address; that the file may remain is disclosed."""
    async with providing(upload=Answer(file)) as provider:
        outcome = await watched(gemini_route(provider), large)
    assert provider.steps == ["start", "upload"]
    assert "no usable name" in failure(outcome)
    assert codes(outcome) == ["video_failed", "upload_may_remain"]


@pytest.mark.parametrize(
    ("answer", "remains"),
    [
        (Answer({"error": "no"}, 400), False),
        (Answer({}, 307), False),
        (Answer({"error": "busy"}, 503), True),
        (Answer(b"{", headers={"Content-Length": "90"}), True),
        (DROP, True),
    ],
)
async def test_an_upload_of_unknown_outcome_may_remain(large: Path, answer: Any, remains: bool) -> None:
    """A refusal leaves nothing behind; a service that fails, or does not answer, may have stored the clip before."""
    async with providing(upload=answer) as provider:
        outcome = await watched(gemini_route(provider), large, timeout_s=30)
    assert provider.steps == ["start", "upload"]
    assert codes(outcome) == ["video_failed", *["upload_may_remain"] * remains]
    assert failure(outcome)


async def test_a_refused_start_ends_it(large: Path) -> None:
    """Nothing was uploaded, so nothing is deleted; the key is in no message."""
    async with providing(start=Answer(f"API key not valid: {KEY}".encode(), 400)) as provider:
        outcome = await watched(gemini_route(provider), large)
    assert provider.steps == ["start"]
    assert failure(outcome).endswith("HTTP 400: API key not valid: [removed]")
    assert codes(outcome) == ["video_failed"]


async def test_cancelling_in_the_middle_of_the_wait_deletes_the_file_once(large: Path) -> None:
    """And the call is cancelled all the same."""
    clock, usage, http = PollClock(endless=True), Usage(), Http()
    async with providing(poll=PROCESSING) as provider:
        work = asyncio.ensure_future(
            watch(gemini_route(provider), large, http=http, usage=usage, clock=clock.clock, timeout_s=30)
        )
        await clock.asleep.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        await http.aclose()
    assert provider.steps == ["start", "upload", "poll", "delete"]
    assert (usage.native_video_attempts, usage.native_video_http_failures) == (4, 0)


async def test_cancelling_again_does_not_stop_the_deletion(large: Path) -> None:
    """However impatient the caller is, the request that is under way is finished, and made once."""
    clock, http = PollClock(endless=True), Http()
    async with providing(poll=PROCESSING) as provider:
        may_answer = provider.hold("delete")
        work = asyncio.ensure_future(
            watch(gemini_route(provider), large, http=http, usage=Usage(), clock=clock.clock, timeout_s=30)
        )
        await clock.asleep.wait()
        work.cancel()
        await provider.reached("delete")
        for _ in range(3):
            work.cancel()
            await asyncio.sleep(0)
        assert not work.done()
        may_answer.set()
        with pytest.raises(asyncio.CancelledError):
            await work
        await http.aclose()
    assert provider.steps == ["start", "upload", "poll", "delete"]


async def test_cancelling_during_the_deletion_cancels_the_call_after_it(large: Path) -> None:
    """The reply is there by then, but nobody wants it any more."""
    http = Http()
    async with providing() as provider:
        may_answer = provider.hold("delete")
        work = asyncio.ensure_future(
            watch(gemini_route(provider), large, http=http, usage=Usage(), clock=PollClock().clock, timeout_s=30)
        )
        await provider.reached("delete")
        work.cancel()
        await asyncio.sleep(0)
        may_answer.set()
        with pytest.raises(asyncio.CancelledError):
            await work
        await http.aclose()
    assert provider.steps == ["start", "upload", "poll", "generate", "delete"]


def test_a_loop_that_closes_waits_for_the_deletion(large: Path) -> None:
    """A program whose main part ends cancels what is left; the file is deleted before the loop is gone."""
    done: list[str] = []

    async def main() -> None:
        clock = PollClock(endless=True)
        route = NativeRoute(kind="gemini-files", endpoint="http://127.0.0.1:9", model="m")
        http = Http(transport=_InProcess(done))
        task = asyncio.ensure_future(watch(route, large, http=http, usage=Usage(), clock=clock.clock, timeout_s=30))
        await clock.asleep.wait()
        assert not task.done()

    asyncio.run(main())
    assert done == ["POST", "POST", "GET", "DELETE"]


class _InProcess(httpx.AsyncBaseTransport):
    """Gemini without a network, for a loop that is about to close; every answer takes a few turns of the loop."""

    def __init__(self, done: list[str]) -> None:
        self._done = done

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        for _ in range(5):
            await asyncio.sleep(0)
        self._done.append(request.method)
        headers = {"X-Goog-Upload-URL": str(request.url.copy_with(path="/session"))}
        body = {"file": {"name": NAME}} if request.url.path == "/session" else {"state": "PROCESSING"}
        return httpx.Response(200, json=body, headers=headers)


class _Slow:
    """Connections to Gemini whose requests of some methods, or to some places, do not end in time."""

    def __init__(self, late: str, *, unsent: bool = False) -> None:
        self._late = late
        self._unsent = unsent
        self.asked: list[tuple[str, float]] = []

    async def request(
        self, method: str, url: str, *, timeout_s: float, on_sent: Callable[[], None] | None = None, **_: Any
    ) -> HttpResponse:
        self.asked.append((method, timeout_s))
        late = self._late in (method, url.rpartition("/")[2])
        if on_sent is not None and not (late and self._unsent):
            on_sent()
        if late:
            raise HttpFailure("timeout", f"no answer within {timeout_s:g} s")
        body = b'{"file": {"name": "files/a"}}' if "session" in url else b'{"state": "PROCESSING"}'
        return HttpResponse(status=200, headers={"x-goog-upload-url": "http://127.0.0.1:9/session"}, body=body)

    async def watch(self, clip: Path, usage: Usage) -> Any:
        route = NativeRoute(kind="gemini-files", endpoint="http://127.0.0.1:9", model="m")
        http: Any = self
        return await watch(route, clip, http=http, usage=usage, clock=PollClock().clock, timeout_s=1.5)


async def test_the_deletion_has_five_seconds_of_its_own(large: Path) -> None:
    """However little time the video work has left, or none; that it did not answer by then is disclosed."""
    slow, usage = _Slow("DELETE"), Usage()
    outcome = await slow.watch(large, usage)
    assert slow.asked == [("POST", 1.5), ("POST", 1.5), ("GET", 1.5), ("GET", 0.5), ("DELETE", 5.0)]
    assert codes(outcome) == ["video_failed", "upload_may_remain"]
    assert (usage.native_video_attempts, usage.native_video_http_failures) == (5, 1)


async def test_an_upload_that_is_not_answered_in_time_may_remain(large: Path) -> None:
    """All of it may have arrived, and without its name it cannot be deleted."""
    slow, usage = _Slow("session"), Usage()
    outcome = await slow.watch(large, usage)
    assert [method for method, _ in slow.asked] == ["POST", "POST"]
    assert failure(outcome).endswith("it did not answer in time")
    assert codes(outcome) == ["video_failed", "upload_may_remain"]
    assert (usage.native_video_attempts, usage.native_video_http_failures) == (2, 1)


async def test_an_upload_that_never_was_on_the_wire_leaves_nothing(large: Path) -> None:
    """A connection that could not be made carries no clip."""
    outcome = await _Slow("session", unsent=True).watch(large, Usage())
    assert codes(outcome) == ["video_failed"]


async def test_work_that_outlasts_its_caller_gives_its_result_or_error() -> None:
    """Without a cancellation it is as if it had been awaited."""

    async def gives() -> int:
        await asyncio.sleep(0)
        return 7

    async def fails() -> int:
        await asyncio.sleep(0)
        raise ValueError("no")

    assert await outlasting(gives()) == 7
    with pytest.raises(ValueError, match="no"):
        await outlasting(fails())


async def test_a_reply_is_read_like_any_other(tmp_path: Path) -> None:
    """A stated silence, and a plain description that never becomes a transcript."""
    async with providing(generate=[Answer(gemini(described("v", ""))), Answer(gemini("TRANSCRIPT: b"))]) as provider:
        silent = await watched(gemini_route(provider), a_clip(tmp_path))
        plain = await watched(gemini_route(provider), a_clip(tmp_path))
    assert isinstance(silent, Watched)
    assert isinstance(plain, Watched)
    assert (silent.visual, silent.transcript, silent.silent) == ("v", None, True)
    assert (plain.visual, plain.transcript, plain.silent) == ("TRANSCRIPT: b", None, False)


async def test_the_clock_of_the_call_measures_the_time(large: Path) -> None:
    """Each request gets what is left of it."""
    moments = iter(range(0, 1_000, 10))
    async with providing() as provider:
        clock = Clock(monotonic=lambda: float(next(moments)))
        outcome = await watched(gemini_route(provider), large, clock=clock, timeout_s=25)
    assert provider.steps == ["start", "upload", "delete"]
    assert "time" in failure(outcome)
