"""What a model call may do on the network, and what really happened there.

LiteLLM hides both: it follows redirects with the prompt in the body, retries on its own, reads bodies of any size,
leaves out images and videos that it has no form for, and reports a refused connection as status 500. So its requests go
through a transport of ours, which forbids the first four and writes down the facts.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, Literal, cast
from urllib.parse import urlsplit

import httpx

from twitter_tool.loopback import is_loopback
from twitter_tool.models.counts import MendedBody

MAX_REPLY_BYTES: Final = 8 * 1024 * 1024
"""A streamed answer repeats a frame of some 300 bytes for every token."""
MAX_ERROR_BYTES: Final = 64 * 1024
MAX_HEAD_BYTES: Final = 16 * 1024
CONNECT_S: Final = 15.0

WireFault = Literal[
    "address", "again", "cleartext", "connect", "cut", "encoded", "oversize", "redirect", "stripped", "timeout"
]

# Unescaped quotes, so that no text inside a JSON string looks like it.
_USAGE: Final = re.compile(rb'"(?:usage|usageMetadata)"\s*:\s*\{|"(?:prompt_)?eval_count"\s*:|"billed_units"\s*:')
_ENDED: Final = re.compile(
    rb'"(?:finish_reason|finishReason|stop_reason|done_reason)"\s*:\s*"|"done"\s*:\s*true|[\r\n]data:[ \t]*\[DONE\]'
)
_OVERLAP: Final = 64
_PLAIN: Final = frozenset(
    ("accept", "connection", "content-length", "content-type", "host", "transfer-encoding", "user-agent")
)
_OF_PROVIDERS: Final = ("anthropic-", "authorization", "x-api-key", "x-goog-")
"""What the names of the other headers that are sent begin with: those of keys and versions."""


@dataclass(slots=True)
class Exchange:
    """The facts of one model call.

    Attributes:
        requests: requests that LiteLLM made, refused ones included.
        status: of the first response.
        fault: the first thing that went wrong on the wire.
        reports_usage: the body of a response held token counts, so that those LiteLLM returns are not made up.
        ended: the provider said that the answer is over, which LiteLLM also says of a stream that just stops.
        head: the first bytes of the first response's body, where an error says what it is.
        answering: part of an answer has been read.
    """

    requests: int = 0
    status: int | None = None
    fault: WireFault | None = None
    reports_usage: bool = False
    ended: bool = False
    head: bytes = b""
    answering: bool = False

    def read(self, tail: bytes, chunk: bytes) -> bytes:
        """Look a piece of a body through; returns what may be the beginning of something in the next piece."""
        self.head += chunk[: MAX_HEAD_BYTES - len(self.head)]
        text = tail + chunk
        self.reports_usage = self.reports_usage or _USAGE.search(text) is not None
        self.ended = self.ended or _ENDED.search(text) is not None
        return text[-_OVERLAP:]

    def note(self, fault: WireFault) -> None:
        """Keep the first fault; later ones follow from it."""
        if self.fault is None:
            self.fault = fault


class Guard(httpx.AsyncBaseTransport):
    """Lets one request of one model call through.

    Args:
        network: does the sending; stays open when this transport is closed.
        exchange: where the facts go.
        api_base: when given, the only origin that may be asked; in any case it must be https or loopback.
        max_requests: how many requests the call may take.
        least_bytes: of the request's body; a shorter one does not carry what it should.
        max_bytes: most bytes of a body that is not an error's.
    """

    def __init__(
        self,
        network: httpx.AsyncBaseTransport,
        exchange: Exchange,
        *,
        api_base: str | None,
        max_requests: int = 1,
        least_bytes: int = 0,
        max_bytes: int = MAX_REPLY_BYTES,
    ) -> None:
        self._network = network
        self._exchange = exchange
        self._origin = None if api_base is None else origin_of(api_base)
        self._bearer: str | None = None
        self._max_requests = max_requests
        self._least_bytes = least_bytes
        self._max_bytes = max_bytes

    def pin(self, api_base: str, *, bearer: str | None) -> None:
        """Let only this origin be asked, and with this key only, whatever others the client library may find."""
        self._origin = origin_of(api_base)
        self._bearer = bearer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        exchange = self._exchange
        exchange.requests += 1
        if exchange.requests > self._max_requests:
            if exchange.status is None or 200 <= exchange.status < 300:
                exchange.note("again")  # after a refusal it was a retry, and the refusal is what counts
            raise httpx.UnsupportedProtocol("a second request for the same answer was refused", request=request)
        if not self._may_ask(request.url):
            exchange.note("address")
            raise httpx.UnsupportedProtocol("the address is not the one configured", request=request)
        if not _is_private(request.url):
            exchange.note("cleartext")
            raise httpx.UnsupportedProtocol("the address is neither https nor loopback", request=request)
        if int(request.headers.get("content-length", self._least_bytes)) < self._least_bytes:
            exchange.note("stripped")
            raise httpx.UnsupportedProtocol("something was left out of the request", request=request)
        try:
            response = await self._network.handle_async_request(_tidied(request, self._bearer))
        except httpx.TimeoutException:
            exchange.note("timeout")
            raise
        except (httpx.TransportError, OSError):
            exchange.note("connect")
            raise
        if exchange.status is None:
            exchange.status = response.status_code
        explains = not 200 <= response.status_code < 300
        limit = MAX_ERROR_BYTES if explains else self._max_bytes
        body = _Bounded(cast(httpx.AsyncByteStream, response.stream), exchange, limit, cut_silently=explains)
        kind = response.headers.get("content-type", "").lower()
        response.stream = body if explains else MendedBody(body, events="event-stream" in kind)
        if 300 <= response.status_code < 400:
            exchange.note("redirect")  # not followed: neither client does, and a second request is refused
        elif response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            # Decoding would grow a small body without any bound of ours.
            exchange.note("encoded")
            await body.aclose()
            raise httpx.RemoteProtocolError("the body has an encoding that was not asked for", request=request)
        return response

    def _may_ask(self, url: httpx.URL) -> bool:
        return self._origin is None or origin_of(str(url)) == self._origin


class _Bounded(httpx.AsyncByteStream):
    """A body of bounded length that is searched for token counts in passing.

    One that is too long fails, or, if it only explains a refusal, ends there.
    """

    def __init__(self, inner: httpx.AsyncByteStream, exchange: Exchange, limit: int, *, cut_silently: bool) -> None:
        self._inner = inner
        self._exchange = exchange
        self._limit = limit
        self._cut_silently = cut_silently

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left, tail = self._limit, b"\n"  # a body begins with a line
        try:
            async with aclosing(cast("AsyncGenerator[bytes, None]", aiter(self._inner))) as chunks:
                async for chunk in chunks:
                    left -= len(chunk)
                    if left < 0 and self._cut_silently:
                        return
                    if left < 0:
                        self._exchange.note("oversize")
                        raise httpx.ReadError("the body is too large")
                    tail = self._exchange.read(tail, chunk)
                    yield chunk
        except httpx.TimeoutException:
            self._exchange.note("timeout")
            raise
        except (httpx.TransportError, OSError):
            self._exchange.note("cut")
            raise

    async def aclose(self) -> None:
        await self._inner.aclose()


def origin_of(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    return scheme, (parts.hostname or "").lower(), parts.port or {"https": 443, "http": 80}.get(scheme, 0)


def _is_private(url: httpx.URL) -> bool:
    return url.scheme == "https" or (url.scheme == "http" and is_loopback(url.host))


def _is_needed(name: str) -> bool:
    return name in _PLAIN or name.startswith(_OF_PROVIDERS)


def _tidied(request: httpx.Request, bearer: str | None) -> httpx.Request:
    """A copy of a request to send; the client library still looks for its own headers in the original."""
    headers = [
        (name, value)
        for name, value in request.headers.multi_items()
        # Operating system and Python version are nobody's business, nor what the environment holds for another host.
        if _is_needed(name.lower())
    ]
    if bearer is not None:
        headers = [(name, value) for name, value in headers if name.lower() in _PLAIN]
        headers.append(("authorization", f"Bearer {bearer}"))
    timeout = dict(request.extensions.get("timeout") or {})
    timeout["connect"] = min(timeout.get("connect") or CONNECT_S, CONNECT_S)
    return httpx.Request(
        request.method,
        request.url,
        headers=[*headers, ("accept-encoding", "identity")],
        stream=request.stream,
        extensions={**request.extensions, "timeout": timeout},
    )
