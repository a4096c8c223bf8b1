"""One request to the upstream, start to end: paced, retried, read, checked, counted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Any, Final

from twitter_tool.backends.twitterapi import failures
from twitter_tool.backends.twitterapi.body import UnreadableBody, envelope_fault, failure_text, parse_object
from twitter_tool.backends.twitterapi.pacing import PACER, Lane, Pacer, WaitObserver, key_digest, nap
from twitter_tool.backends.twitterapi.retry import MAX_RETRIES, TIMEOUT_S, Fail, Outcome, decide
from twitter_tool.clock import SYSTEM_CLOCK, Clock
from twitter_tool.errors import BodyFault, SetupError, TwitterToolError
from twitter_tool.http import Http, HttpFailure, HttpResponse
from twitter_tool.progress import Progress
from twitter_tool.telemetry import request_span
from twitter_tool.text import Line
from twitter_tool.usage import Usage

BASE_URL: Final = "https://api.twitterapi.io"
MAX_BODY_BYTES: Final = 16 * 1024 * 1024
LONG_WAIT_S: Final = 3.0
"""Waits longer than this are announced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to ask for.

    Attributes:
        path: below the base address, with its leading slash.
        params: in the order they are sent; those with an empty value are not sent.
        what: what is read, for messages, such as ``replies to post 7``.
        max_bytes: largest decoded body.
        echo_detail: whether upstream's own words may be shown when the body reports a failure.
    """

    path: str
    params: tuple[tuple[str, str], ...]
    what: str
    max_bytes: int = MAX_BODY_BYTES
    echo_detail: bool = True


class Client:
    """Reads from the upstream with one key, for one call of the tool.

    Args:
        interval_s: least gap between two dispatches with this key, in seconds, 0 for none.
        retry_base_s: first backoff, in seconds.
        usage: counters of the call, changed in place.
        timeout_s: for one attempt, from dispatch to the last byte of the body, in seconds.
    """

    def __init__(
        self,
        *,
        http: Http,
        key: str,
        interval_s: float,
        retry_base_s: float,
        usage: Usage,
        progress: Progress,
        clock: Clock = SYSTEM_CLOCK,
        pacer: Pacer = PACER,
        base_url: str = BASE_URL,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        if not (key.isascii() and key.isprintable() and key.strip() == key and key):
            raise SetupError(
                "missing_credentials",
                "the retrieval key has blanks or characters that no key has",
                hint="Set TWITTERAPI_IO_API_KEY to the key exactly as twitterapi.io shows it.",
            )
        self._http = http
        self._key = key
        self._digest = key_digest(key)
        self._interval_s = interval_s
        self._retry_base_s = retry_base_s
        self._usage = usage
        self._progress = progress
        self._clock = clock
        self._pacer = pacer
        self._base_url = base_url
        self._timeout_s = timeout_s

    async def fetch(self, request: Request) -> dict[str, Any]:
        """Ask for one page or look-up and return its body, a JSON object that does not report a failure.

        Raises:
            SetupError: ``credentials_refused`` or ``credits_exhausted``.
            UpstreamError: every other failure, after the retries.
            ValueError: the request interval is not a finite number; nothing was sent.
        """
        with self._pacer.active(self._digest, self._interval_s) as lane:
            response, attempts = await self._exchange(request, lane)
        body = self._read(request, response, attempts)
        self._usage.successful_pages += 1
        return body

    async def _exchange(self, request: Request, lane: Lane) -> tuple[HttpResponse, int]:
        """Send until a 2xx comes; returns it with the number of attempts."""
        attempts = 0
        while True:
            attempts += 1
            answer = await self._attempt(request, lane, resends=attempts - 1)
            if isinstance(answer, HttpResponse) and 200 <= answer.status < 300:
                return answer, attempts
            self._usage.upstream_http_failures += 1
            verdict = decide(
                attempt=attempts,
                outcome=_outcome(answer),
                base_s=self._retry_base_s,
                jitter=self._clock.jitter(),
                now=self._clock.now(),
            )
            if isinstance(verdict, Fail):
                raise self._error(request, answer, attempts, verdict.asked_s)
            self._announce(verdict.after_s, f"{_class_of(answer)}, retry {attempts} of {MAX_RETRIES}")
            await nap(self._clock, verdict.after_s)

    async def _attempt(self, request: Request, lane: Lane, *, resends: int) -> HttpResponse | HttpFailure:
        prepared = self._http.prepare(
            self._base_url + request.path,
            params=[(name, value) for name, value in request.params if value],
            headers={"X-API-Key": self._key, "Accept": "application/json"},
        )
        await lane.permit(self._clock, self._wait_observer())
        self._usage.upstream_attempts += 1
        with request_span(self._base_url, request.path, resends=resends) as span:
            try:
                response = await self._http.send(
                    prepared,
                    max_bytes=request.max_bytes,
                    timeout_s=self._timeout_s,
                    on_sent=lambda: lane.sent(self._clock),
                )
            except HttpFailure as failure:
                span.fail(failure.kind)
                return failure.with_traceback(None)
            span.answered(response.status)
            if response.failure is not None:
                span.fail(response.failure.kind)
            return response

    def _read(self, request: Request, response: HttpResponse, attempts: int) -> dict[str, Any]:
        status, what = response.status, request.what
        if response.failure is not None or response.body is None:
            failure = response.failure or HttpFailure("cut", "the body is missing")
            fault: BodyFault = "oversize" if failure.kind == "oversize" else "malformed"
            raise failures.unreadable(failure.reason, status=status, what=what, attempts=attempts, body_fault=fault)
        if status != 200:
            raise failures.unreadable("a status without a page", status=status, what=what, attempts=attempts)
        try:
            body = parse_object(response.body)
        except UnreadableBody as flaw:
            raise failures.unreadable(str(flaw), status=status, what=what, attempts=attempts) from None
        match envelope_fault(body):
            case "not_found":
                detail = self._detail(request, body)
                raise failures.nothing_returned(what, detail=detail, status=status, attempts=attempts)
            case "failed":
                detail = self._detail(request, body)
                raise failures.body_failure(what, detail=detail, status=status, attempts=attempts)
        return body

    def _error(
        self, request: Request, answer: HttpResponse | HttpFailure, attempts: int, asked_s: int | None
    ) -> TwitterToolError:
        if isinstance(answer, HttpFailure):
            return failures.no_answer(answer, what=request.what, attempts=attempts)
        detail = self._error_detail(request, answer)
        return failures.http_failure(
            answer.status, what=request.what, detail=detail, attempts=attempts, asked_s=asked_s
        )

    def _error_detail(self, request: Request, answer: HttpResponse) -> Line | None:
        try:
            return self._detail(request, parse_object(answer.body or b""))
        except UnreadableBody:  # a page of HTML, or nothing: the status says enough
            return None

    def _detail(self, request: Request, body: dict[str, Any]) -> Line | None:
        return failures.shown_detail(failure_text(body), (self._key,)) if request.echo_detail else None

    def _wait_observer(self) -> WaitObserver:
        announced = False

        def observe(seconds: float, gap_s: float) -> None:
            nonlocal announced
            if not announced and seconds > LONG_WAIT_S:
                announced = True
                self._announce(seconds, f"one request per {gap_s:g} s")

        return observe

    def _announce(self, seconds: float, why: str) -> None:
        if seconds > LONG_WAIT_S:
            until = self._clock.now() + timedelta(seconds=math.ceil(seconds))
            self._progress.emit(f"waiting {math.ceil(seconds)} s until {until.astimezone(UTC):%H:%M:%SZ} ({why})")


def _outcome(answer: HttpResponse | HttpFailure) -> Outcome:
    if isinstance(answer, HttpFailure):
        return Outcome(status=None)
    return Outcome(status=answer.status, retry_after=answer.headers.get("retry-after"))


def _class_of(answer: HttpResponse | HttpFailure) -> str:
    if isinstance(answer, HttpFailure):
        return "no answer in time" if answer.kind == "timeout" else "no connection"
    return "rate limited" if answer.status == 429 else "temporarily unavailable"
