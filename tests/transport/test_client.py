"""One request start to end: what is sent, what is tried again, what is accepted, what an error says."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import httpx
import pytest
from raw_server import answer, fixed, serving, stalling
from virtual_time import VirtualLoop, run

from twitter_tool.backends.twitterapi.client import Client, Request
from twitter_tool.backends.twitterapi.pacing import Pacer
from twitter_tool.clock import Clock
from twitter_tool.errors import SetupError, TwitterToolError, UpstreamError
from twitter_tool.http import Http
from twitter_tool.progress import Progress
from twitter_tool.usage import Usage

KEY = "k3y-abcdef"
REQUEST = Request(path="/twitter/tweet/replies", params=(("tweetId", "7"),), what="replies to post 7")
PAGE: dict[str, Any] = {"tweets": [], "has_next_page": False, "next_cursor": "", "status": "success", "msg": "success"}
SAMPLES = Path(__file__).parents[1] / "samples"

Answer = httpx.Response | Exception | Callable[[httpx.Request], Any]


def page(body: object = PAGE, status: int = 200, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=body, headers={name.replace("_", "-"): text for name, text in headers.items()})


def raw(content: bytes, status: int = 200, **headers: str) -> httpx.Response:
    return httpx.Response(
        status, content=content, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )


class Bench:
    """A client whose upstream answers from a list, with the time of every request."""

    def __init__(
        self,
        *answers: Answer,
        loop: VirtualLoop,
        interval_s: float = 0.0,
        base_s: float = 5.0,
        key: str = KEY,
        pacer: Pacer | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.loop = loop
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.times: list[float] = []
        self.events: list[str] = []
        self.usage = Usage()
        self.progress = Progress(self.events.append)
        self.pacer = pacer or Pacer()
        self.client = Client(
            http=Http(transport=httpx.MockTransport(self._answer)),
            key=key,
            interval_s=interval_s,
            retry_base_s=base_s,
            usage=self.usage,
            progress=self.progress,
            clock=clock or loop.clock(),
            pacer=self.pacer,
        )

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        self.times.append(round(self.loop.now, 3))
        found = self.answers[min(len(self.requests), len(self.answers)) - 1]
        if callable(found):
            found = await found(request)
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, httpx.Response)
        return found

    @property
    def counters(self) -> tuple[int, int, int]:
        return self.usage.upstream_attempts, self.usage.upstream_http_failures, self.usage.successful_pages


def fetched(
    *answers: Answer, request: Request = REQUEST, **more: Any
) -> tuple[Bench, dict[str, Any] | TwitterToolError]:
    """Fetch once in virtual time; returns the bench with the body or the error."""

    async def main(loop: VirtualLoop) -> tuple[Bench, dict[str, Any] | TwitterToolError]:
        bench = Bench(*answers, loop=loop, **more)
        try:
            return bench, await bench.client.fetch(request)
        except TwitterToolError as error:
            return bench, error

    return run(main)


def failed(*answers: Answer, request: Request = REQUEST, **more: Any) -> tuple[Bench, TwitterToolError]:
    bench, outcome = fetched(*answers, request=request, **more)
    assert isinstance(outcome, TwitterToolError)
    return bench, outcome


def in_virtual_time(test: Callable[[VirtualLoop], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    def wrapper() -> None:
        run(test)

    wrapper.__name__, wrapper.__doc__ = test.__name__, test.__doc__
    return wrapper


# What is sent


def test_a_page_is_asked_for_with_a_plain_get_and_the_key_in_its_header() -> None:
    """The key is nowhere in the address, and parameters without a value are not sent."""
    request = Request(path="/twitter/user/followers", params=(("userName", "ann"), ("cursor", "")), what="followers")
    bench, body = fetched(page(), request=request)
    sent = bench.requests[0]
    assert (sent.method, str(sent.url)) == ("GET", "https://api.twitterapi.io/twitter/user/followers?userName=ann")
    assert sent.headers["x-api-key"] == KEY
    assert sent.content == b""
    assert body == PAGE


@pytest.mark.parametrize("key", ["", " padded", "padded ", "two\nlines", "schlüssel"])
def test_a_key_that_cannot_be_a_header_is_refused_before_anything_is_sent(key: str) -> None:
    """And it is not repeated in the message."""
    with pytest.raises(SetupError) as caught:
        Client(http=Http(), key=key, interval_s=0, retry_base_s=0, usage=Usage(), progress=Progress())
    assert caught.value.code == "missing_credentials"
    assert not key or key not in caught.value.message


# What is tried again


@pytest.mark.parametrize(
    ("answers", "attempts", "code"),
    [
        ([page(status=429)], 4, "upstream_unavailable"),
        ([page(status=503)], 4, "upstream_unavailable"),
        ([httpx.ConnectError("refused")], 4, "upstream_unavailable"),
        ([httpx.ReadError("reset")], 4, "upstream_unavailable"),
        ([httpx.ReadTimeout("slow")], 4, "upstream_unavailable"),
        ([page(status=503), page()], 2, None),
        ([page(status=429), httpx.ConnectError("x"), page(status=503), page()], 4, None),
        ([page(status=500)], 1, "upstream_rejected"),
        ([page(status=502)], 1, "upstream_rejected"),
        ([page(status=504)], 1, "upstream_rejected"),
        ([page(status=507)], 1, "upstream_rejected"),
        ([page(status=400)], 1, "upstream_rejected"),
        ([page(status=302)], 1, "upstream_rejected"),
        ([page(status=401)], 1, "credentials_refused"),
        ([page(status=403)], 1, "credentials_refused"),
        ([page(status=402)], 1, "credits_exhausted"),
        ([page(status=404)], 1, "not_found"),
    ],
)
def test_only_what_may_pass_by_itself_is_tried_again(answers: list[Answer], attempts: int, code: str | None) -> None:
    """Four attempts for rate limits, unavailability and missing answers; one for everything else."""
    bench, outcome = fetched(*answers)
    assert len(bench.requests) == attempts == bench.usage.upstream_attempts
    assert (outcome.code if isinstance(outcome, TwitterToolError) else None) == code
    if isinstance(outcome, TwitterToolError):
        assert outcome.attempts == attempts


def test_retries_wait_longer_each_time() -> None:
    """Five, ten and twenty seconds, with nothing random in this test."""
    bench, _ = failed(page(status=429))
    assert bench.times == [0, 5, 15, 35]


def test_a_wait_asked_for_replaces_the_backoff() -> None:
    """Seven seconds instead of five; less than the base is raised to it."""
    bench, _ = fetched(page(status=429, retry_after="7"), page(status=503, retry_after="0"), page())
    assert bench.times == [0, 7, 12]


def test_a_wait_of_over_a_minute_fails_at_once_and_says_how_long() -> None:
    """The caller decides whether to come back."""
    bench, error = failed(page({"message": "slow down"}, 429, retry_after="3600"))
    assert bench.times == [0]
    assert (error.code, error.retryable, error.retry_after_seconds, error.attempts) == (
        "upstream_unavailable",
        True,
        3600,
        1,
    )
    assert "3600 s" in error.message
    assert "60 s" in error.message
    assert "after" not in error.message


def test_a_retry_keeps_the_interval_too() -> None:
    """Without any backoff the queue still holds it."""
    bench, _ = fetched(page(status=429), page(), interval_s=5.0, base_s=0.0)
    assert bench.times == [0, 5]


def test_a_refusal_without_json_is_tried_again_by_its_status() -> None:
    """An unreadable body changes nothing about a 429."""
    bench, _ = fetched(raw(b"<html>busy</html>", 429), raw(b"\x1f\x8b", 503, content_encoding="gzip"), page())
    assert len(bench.requests) == 3


@in_virtual_time
async def test_backoff_does_not_hold_the_queue(loop: VirtualLoop) -> None:
    """While one call waits out its thousandfold backoff, another leaves at the interval."""
    pacer = Pacer()
    first = Bench(page(status=429, retry_after="50"), page(), loop=loop, interval_s=1.0, pacer=pacer)
    second = Bench(page(), loop=loop, interval_s=1.0, pacer=pacer)
    await asyncio.gather(first.client.fetch(REQUEST), second.client.fetch(REQUEST))
    assert (first.times, second.times) == ([0, 50], [1])


@in_virtual_time
async def test_pages_of_calls_with_one_key_share_one_queue(loop: VirtualLoop) -> None:
    """Over calls and pages alike; another key has its own."""
    pacer = Pacer()
    one, two = (Bench(page(), loop=loop, interval_s=20, pacer=pacer) for _ in range(2))
    other = Bench(page(), loop=loop, interval_s=20, pacer=pacer, key="another-key")

    async def twice(bench: Bench) -> None:
        await bench.client.fetch(REQUEST)
        await bench.client.fetch(REQUEST)

    await asyncio.gather(twice(one), twice(two), other.client.fetch(REQUEST))
    assert sorted(one.times + two.times) == [0, 20, 40, 60]
    assert other.times == [0]


@in_virtual_time
async def test_a_broken_interval_is_an_error_before_anything_is_sent(loop: VirtualLoop) -> None:
    """Nothing is counted either."""
    bench = Bench(page(), loop=loop, interval_s=float("nan"))
    with pytest.raises(ValueError, match="finite"):
        await bench.client.fetch(REQUEST)
    assert (bench.requests, bench.counters) == ([], (0, 0, 0))


# What is accepted


@pytest.mark.parametrize(
    ("wire", "says"),
    [
        (raw(b"<html>"), "not valid JSON"),
        (raw(b""), "not valid JSON"),
        (raw(b'{"a":NaN}'), "not valid JSON"),
        (raw(b"[]"), "not a JSON object"),
        (raw(b"null"), "not a JSON object"),
        (raw(b'{"a":' + b"[" * 300 + b"]" * 300 + b"}"), "deeper"),
        (raw(b'{"tweets":[]}', content_encoding="br"), "encoding"),
        (raw(gzip.compress(b'{"tweets":[]}')[:-4], content_encoding="gzip"), "cut"),
        (raw(b"", 204), "status without a page"),
        (raw(b"{}", 206), "status without a page"),
    ],
)
def test_a_received_page_that_cannot_be_read_fails_after_one_attempt(wire: httpx.Response, says: str) -> None:
    """It names the status and that it may be billed, and is not retryable."""
    bench, error = failed(wire)
    assert isinstance(error, UpstreamError)
    assert (error.code, error.body_fault, error.retryable) == ("upstream_malformed", "malformed", False)
    assert (error.http_status, error.attempts) == (wire.status_code, 1)
    assert says in error.message
    assert f"HTTP {wire.status_code}" in error.message
    assert "may already be billed" in error.message
    assert bench.counters == (1, 0, 0)


def test_a_page_over_its_limit_is_told_apart() -> None:
    """Counted after decoding: 2 kB on the wire are over a limit of 1 MiB."""
    body = json.dumps({"article": "x" * 1_048_600}).encode()
    assert len(gzip.compress(body)) < 5_000
    request = Request(path="/twitter/article", params=(), what="article", max_bytes=1_048_576)
    _, error = failed(raw(gzip.compress(body), content_encoding="gzip"), request=request)
    assert isinstance(error, UpstreamError)
    assert (error.code, error.body_fault, error.attempts) == ("upstream_malformed", "oversize", 1)
    assert "1048576 bytes" in error.message


def test_attempts_before_a_broken_page_are_counted() -> None:
    """A retry came first, so there were two."""
    bench, error = failed(page(status=503), raw(b"{"))
    assert (error.code, error.attempts, bench.counters) == ("upstream_malformed", 2, (2, 1, 0))


@pytest.mark.parametrize(
    ("body", "code", "fault"),
    [
        ({"status": "error", "msg": "user not found", "data": None}, "not_found", "not_found"),
        ({"status": "error", "msg": "suspended", "data": None}, "upstream_rejected", "failed"),
        ({"status": "failed", "tweets": []}, "upstream_rejected", "failed"),
        ({"error": "Internal", "message": "please retry"}, "upstream_rejected", "failed"),
    ],
)
def test_a_page_that_reports_a_failure_is_a_failure(body: dict[str, Any], code: str, fault: str) -> None:
    """It was answered with 200, is not tried again and not counted as a page."""
    bench, error = failed(page(body))
    assert isinstance(error, UpstreamError)
    assert (error.code, error.body_fault, error.http_status, error.attempts, error.retryable) == (
        code,
        fault,
        200,
        1,
        False,
    )
    assert bench.counters == (1, 0, 0)
    assert "replies to post 7" in error.message


def test_nothing_returned_says_what_it_may_mean() -> None:
    """Deleted, suspended, protected and live ones cannot be told apart."""
    for answered in (page({"status": "error", "msg": "user not found"}), page({"detail": "Not Found"}, 404)):
        _, error = failed(answered)
        assert "upstream returned nothing" in error.message
        assert all(word in error.message for word in ("deleted", "suspended", "protected", "Spaces"))


def test_a_failure_without_words_is_unknown() -> None:
    """It is never an empty result."""
    _, error = failed(page({"status": "error", "tweets": []}))
    assert "unknown" in error.message


def test_counters_are_those_of_what_happened() -> None:
    """A retry, then an empty page: two attempts, one failure, one page."""
    bench, body = fetched(page(status=503), page({"tweets": []}))
    assert body == {"tweets": []}
    assert bench.counters == (2, 1, 1)
    assert failed(httpx.ConnectError("x"))[0].counters == (4, 4, 0)
    assert failed(page(status=402))[0].counters == (1, 1, 0)


def test_every_sample_of_an_error_becomes_an_error_of_the_right_kind() -> None:
    """Bodies as the upstream really sends them."""
    expected = {
        401: "credentials_refused",
        402: "credits_exhausted",
        403: "credentials_refused",
        404: "not_found",
        429: "upstream_unavailable",
        **dict.fromkeys((400, 405, 422, 500, 502), "upstream_rejected"),
    }
    seen = set()
    for case in json.loads((SAMPLES / "errors.json").read_text(encoding="utf-8"))["cases"]:
        status, body = case["http_status"], case["body"]
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        _, outcome = fetched(raw(content, status))
        if status == 200:
            continue
        assert isinstance(outcome, TwitterToolError), case["name"]
        assert outcome.code == expected[status], case["name"]
        assert outcome.retryable == (status in (429, 500, 502, 503, 504)), case["name"]
        assert outcome.hint
        assert "<" not in outcome.message
        seen.add(status)
    assert seen == set(expected)


# What an error says


def test_an_exhausted_rate_limit_names_class_words_status_and_attempts() -> None:
    """In this order, with what was asked."""
    _, error = failed(page({"status": "error", "msg": "slow down"}, 429))
    assert error.message == "rate limited while reading replies to post 7: slow down (HTTP 429, after 4 attempts)"
    assert error.http_status == 429
    assert "min_request_interval_ms" in (error.hint or "")


def test_missing_credits_name_the_provider_s_words_and_what_to_do() -> None:
    """One attempt is not worth a number."""
    _, error = failed(page({"error": "Unauthorized", "message": "Credits is not enough"}, 402))
    assert error.message == "payment required while reading replies to post 7: Credits is not enough (HTTP 402)"
    assert "Recharge" in (error.hint or "")


def test_a_connection_failure_keeps_the_system_s_words() -> None:
    """With the number of attempts."""
    fault = httpx.ConnectError("x")
    fault.__cause__ = ConnectionRefusedError(111, "Connect call failed ('10.1.2.3', 443)")
    _, error = failed(fault)
    assert "Connection refused (after 4 attempts)" in error.message
    assert "10.1.2.3" not in error.message
    assert (error.http_status, error.retryable) == (None, True)


def test_a_timeout_names_its_limit() -> None:
    """Thirty seconds for each attempt."""
    _, error = failed(httpx.ReadTimeout("x"))
    assert "no answer within 30 s (after 4 attempts)" in error.message


def test_an_unanswered_request_ends_after_thirty_seconds_and_is_tried_again() -> None:
    """Queueing does not count."""

    async def never(_request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(10_000)
        raise AssertionError

    bench, error = failed(never)
    assert bench.times == [0, 35, 75, 125]
    assert error.code == "upstream_unavailable"


@pytest.mark.parametrize("words", ["<b>slow</b> down", "<script", "see <http://x>", "a <!-- b", "< img src=x>"])
def test_words_with_markup_are_not_shown(words: str) -> None:
    """The status says enough."""
    _, error = failed(page({"detail": words}, 400))
    assert error.message == "request refused while reading replies to post 7 (HTTP 400)"


def test_long_and_broken_words_become_one_short_line() -> None:
    """At most two hundred characters, no control characters, no line breaks."""
    _, error = failed(page({"detail": "first\nsecond\x1b[31m" + "x" * 500}, 400))
    detail = error.message.split(": ", 1)[1].removesuffix(" (HTTP 400)")
    assert detail.startswith("first ⏎ second")
    assert len(detail) <= 200
    assert "\x1b" not in error.message


@pytest.mark.parametrize(
    "echo", [KEY, "k3y\u200b-abcdef", KEY.upper().lower(), "x" * 190 + KEY, f"https://x/?key={KEY}"]
)
@pytest.mark.parametrize("status", [200, 400, 401, 429])
def test_the_key_is_never_repeated(echo: str, status: int) -> None:
    """Not even when upstream sends it back, hidden or at the cut."""
    _, error = failed(page({"status": "error", "msg": f"bad key {echo}"}, status))
    shown = json.dumps(error.to_dict())
    assert KEY not in shown
    assert KEY[:6] not in shown


def test_words_are_not_shown_where_the_request_says_so() -> None:
    """For every kind of failure that could carry them."""
    request = Request(path="/twitter/article", params=(), what="article of post 7", echo_detail=False)
    for body, status in (({"status": "failed", "msg": "private words"}, 200), ({"detail": "private words"}, 400)):
        _, error = failed(page(body, status), request=request)
        assert "private words" not in error.message


def test_what_was_asked_cannot_break_the_line() -> None:
    """It may hold a caller's own text."""
    request = Request(path="/x", params=(), what="search\nfor\x1b[0m cats")
    _, error = failed(page(status=400), request=request)
    assert "search ⏎ for cats" in error.message


# Progress


def test_a_long_backoff_is_announced_with_its_reason() -> None:
    """With the time it ends, in UTC."""
    bench, _ = failed(page(status=429))
    assert bench.events == [
        "waiting 5 s until 15:00:05Z (rate limited, retry 1 of 3)",
        "waiting 10 s until 15:00:15Z (rate limited, retry 2 of 3)",
        "waiting 20 s until 15:00:35Z (rate limited, retry 3 of 3)",
    ]


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (page(status=503), "temporarily unavailable"),
        (httpx.ConnectError("x"), "no connection"),
        (httpx.ReadTimeout("x"), "no answer in time"),
    ],
)
def test_every_reason_for_a_retry_has_its_words(fault: Answer, reason: str) -> None:
    """The reader learns what is being waited for."""
    bench, _ = fetched(fault, page())
    assert bench.events == [f"waiting 5 s until 15:00:05Z ({reason}, retry 1 of 3)"]


def test_short_waits_are_not_announced() -> None:
    """Up to three seconds nobody minds."""
    bench, _ = fetched(page(status=429), page(), base_s=3.0)
    assert bench.events == []


@in_virtual_time
async def test_a_long_turn_in_the_queue_is_announced_once(loop: VirtualLoop) -> None:
    """However often the queue is looked at."""
    bench = Bench(page(), loop=loop, interval_s=5)
    await asyncio.gather(*(bench.client.fetch(REQUEST) for _ in range(3)))
    assert bench.events == [
        "waiting 5 s until 15:00:05Z (one request per 5 s)",
        "waiting 10 s until 15:00:10Z (one request per 5 s)",
    ]


# Cancellation


async def _cancelled_at(loop: VirtualLoop, when: float, *answers: Answer, **more: Any) -> Bench:
    bench = Bench(*answers, loop=loop, **more)
    await bench.client.fetch(REQUEST)
    call = asyncio.ensure_future(bench.client.fetch(REQUEST))
    await asyncio.sleep(when)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert loop.now == pytest.approx(when)
    return bench


@in_virtual_time
async def test_a_call_cancelled_in_the_queue_sends_nothing_and_leaves_no_place(loop: VirtualLoop) -> None:
    """The next call gets its slot."""
    bench = await _cancelled_at(loop, 2, page(), interval_s=5)
    assert len(bench.requests) == 1
    await bench.client.fetch(REQUEST)
    assert bench.times == [0, 5]


@in_virtual_time
async def test_a_call_cancelled_in_its_backoff_ends_at_once(loop: VirtualLoop) -> None:
    """No more attempts, and its key is free again."""
    bench = await _cancelled_at(loop, 2, page(), page(status=429), page())
    assert bench.counters == (2, 1, 1)
    await bench.client.fetch(REQUEST)
    assert bench.times == [0, 0, 2]


@in_virtual_time
async def test_a_call_cancelled_in_flight_ends_at_once(loop: VirtualLoop) -> None:
    """It was sent and stays counted, and is not tried again."""

    async def never(_request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(10_000)
        raise AssertionError

    bench = await _cancelled_at(loop, 2, page(), never, page())
    assert bench.counters == (2, 0, 1)
    assert bench.events == []


@in_virtual_time
async def test_a_call_cancelled_before_it_starts_sends_nothing(loop: VirtualLoop) -> None:
    """Not even a place in the queue is taken."""
    bench = Bench(page(), loop=loop)
    call = asyncio.ensure_future(bench.client.fetch(REQUEST))
    call.cancel()
    await asyncio.wait({call})
    assert (call.cancelled(), bench.requests, bench.counters) == (True, [], (0, 0, 0))


# Over a real socket


async def _over_socket(origin: str, *, timeout_s: float = 5.0) -> tuple[Usage, dict[str, Any] | TwitterToolError]:
    http, usage = Http(route_to=origin), Usage()
    client = Client(
        http=http,
        key=KEY,
        interval_s=0,
        retry_base_s=0,
        usage=usage,
        progress=Progress(),
        pacer=Pacer(),
        timeout_s=timeout_s,
    )
    try:
        return usage, await client.fetch(REQUEST)
    except TwitterToolError as error:
        return usage, error
    finally:
        await http.aclose()


async def test_a_page_that_is_cut_or_stalls_is_not_asked_for_again() -> None:
    """Its headers had arrived."""
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"
    for script in (fixed(head, close=True), stalling(head)):
        async with serving(script) as server:
            usage, error = await _over_socket(server.origin, timeout_s=0.2)
            assert len(server.heads) == 1
        assert isinstance(error, TwitterToolError)
        assert (error.code, error.attempts, usage.upstream_http_failures) == ("upstream_malformed", 1, 0)


async def test_a_dropped_connection_before_any_answer_is_tried_four_times() -> None:
    """Nothing had been answered."""
    async with serving(fixed(b"", close=True)) as server:
        usage, error = await _over_socket(server.origin)
        assert len(server.heads) == 4
    assert isinstance(error, TwitterToolError)
    assert (error.code, usage.upstream_http_failures) == ("upstream_unavailable", 4)


async def test_a_redirect_reaches_nobody_else() -> None:
    """One request here, none at its target."""
    async with serving(fixed(answer(b"{}"))) as target:
        moved = answer(b"", f"Location: {target.origin}/x", status="302 Found")
        async with serving(fixed(moved)) as server:
            _, error = await _over_socket(server.origin)
            assert len(server.heads) == 1
        assert target.heads == []
    assert isinstance(error, TwitterToolError)
    assert (error.code, error.http_status, error.attempts) == ("upstream_rejected", 302, 1)
    assert target.origin not in error.message
