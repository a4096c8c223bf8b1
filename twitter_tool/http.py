"""The only module that knows the HTTP library: bounded GET requests, nothing followed, nothing leaked.

One request is :meth:`Http.get`. No answer at all raises :class:`HttpFailure`; an answer whose body could not be
read is an :class:`HttpResponse` that says why. No exception of the HTTP library leaves this module.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import http.cookiejar
import logging
import os
import socket
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, cast
from urllib.parse import quote
from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]  # not in typeshed

import httpx

from twitter_tool._version import __version__
from twitter_tool.errors import bad_settings
from twitter_tool.inflate import BoundedDecoder, Damaged, TooLarge, encoding_of, wire_limit
from twitter_tool.loopback import is_loopback, loopback_addresses, loopback_origin
from twitter_tool.text import without_surrogates

__all__ = ["Http", "HttpFailure", "HttpRequest", "HttpResponse", "in_process", "loopback_origin", "network", "quietly"]

MAX_ERROR_BYTES: Final = 64 * 1024
"""A body that only explains a refusal is read no further than this."""
ERROR_BODY_S: Final = 5.0
"""Nor is it waited for longer than this, in seconds."""
_LIMITS: Final = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=15.0)
_HEADERS: Final = {"Accept": "*/*", "Accept-Encoding": "gzip", "User-Agent": f"twitter-tool/{__version__}"}
_FAULTS: Final = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError)
_HEADERS_SENT: Final = "http11.send_request_headers.complete"

FailureKind = Literal["connect", "timeout", "cut", "stalled", "oversize", "encoding"]


class HttpFailure(Exception):
    """No usable answer.

    Attributes:
        kind: ``connect`` or ``timeout`` before response headers; ``cut``, ``stalled``, ``oversize`` or ``encoding``
            after them.
        reason: plain words without address or secret.
    """

    def __init__(self, kind: FailureKind, reason: str) -> None:
        super().__init__(reason)
        self.kind: FailureKind = kind
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A GET request ready to be sent; made by :meth:`Http.prepare`, once for each sending."""

    _native: httpx.Request


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """What came back.

    Attributes:
        headers: names in lower case.
        body: the decoded bytes, or ``None`` when they could not be read.
        failure: why there is no body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes | None
    failure: HttpFailure | None = None


class Http:
    """A pool of connections that lives on one event loop.

    Args:
        transport: replaces the network (tests, the in-process sandbox).
        route_to: loopback origin that every request goes to, with its own path, query and ``Host``.
        use_proxy_env: obey ``HTTP_PROXY``, ``HTTPS_PROXY`` and ``NO_PROXY``, except for loopback hosts and routes.

    Raises:
        SetupError: ``bad_settings``, for an unusable ``route_to``, proxy or certificate file.
    """

    def __init__(
        self,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        route_to: str | None = None,
        use_proxy_env: bool = False,
    ) -> None:
        _hush_library_loggers()
        self._client = httpx.AsyncClient(
            transport=_Gateway(transport=transport, route_to=route_to, use_proxy_env=use_proxy_env),
            timeout=httpx.Timeout(None),  # one deadline covers the whole exchange; the library only knows one per step
            trust_env=False,
            follow_redirects=False,
            event_hooks={"response": [_forget_location]},
        )
        self._client.cookies.jar.set_policy(_NoCookies())

    async def get(
        self,
        url: str,
        *,
        params: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str],
        max_bytes: int,
        timeout_s: float,
    ) -> HttpResponse:
        """Prepare and send one GET request; see :meth:`prepare` and :meth:`send`."""
        return await self.send(
            self.prepare(url, params=params, headers=headers), max_bytes=max_bytes, timeout_s=timeout_s
        )

    def prepare(self, url: str, *, params: Sequence[tuple[str, str]] = (), headers: Mapping[str, str]) -> HttpRequest:
        """Build a GET request; parameters are percent-encoded, a space as ``%20``."""
        query = "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in params)
        address = f"{url}{'&' if '?' in url else '?'}{query}" if query else url
        return HttpRequest(_native=httpx.Request("GET", address, headers={**_HEADERS, **headers}))

    async def send(
        self, request: HttpRequest, *, max_bytes: int, timeout_s: float, on_sent: Callable[[], None] | None = None
    ) -> HttpResponse:
        """Send a request and read its answer, all within ``timeout_s`` seconds.

        Args:
            max_bytes: most decoded bytes of a 2xx body; other bodies are read up to 64 KiB and 5 s.
            on_sent: called once the request is on the wire.

        Raises:
            HttpFailure: ``connect`` or ``timeout``, when no response headers arrived.
        """
        deadline = asyncio.get_running_loop().time() + timeout_s
        _OURS.set(True)
        try:
            response = await self._open(request, deadline, timeout_s, on_sent)
            try:
                return await _receive(response, max_bytes, deadline)
            finally:
                with contextlib.suppress(*_FAULTS):  # the answer is in hand; a connection that closes badly is closed
                    await response.aclose()
        finally:
            _OURS.set(False)

    async def aclose(self) -> None:
        """Close every connection; the pool is not usable after it."""
        _OURS.set(True)
        try:
            await self._client.aclose()
        finally:
            _OURS.set(False)

    async def _open(
        self, request: HttpRequest, deadline: float, timeout_s: float, on_sent: Callable[[], None] | None
    ) -> httpx.Response:
        native = request._native
        if on_sent is not None:
            native.extensions = {**native.extensions, "trace": _tracer(on_sent)}
        try:
            async with asyncio.timeout_at(deadline) as limit:
                return await self._client.send(native, stream=True)
        except _FAULTS as fault:
            if limit.expired() or isinstance(fault, httpx.TimeoutException):
                raise HttpFailure("timeout", f"no answer within {timeout_s:g} s") from None
            raise HttpFailure("connect", _words(fault)) from None


async def _receive(response: httpx.Response, max_bytes: int, deadline: float) -> HttpResponse:
    headers = MappingProxyType(dict(response.headers.items()))
    status = response.status_code
    body: bytes | None = None
    failure: HttpFailure | None = None
    try:
        if 200 <= status < 300:
            body = await _read(response, max_bytes, deadline)
        elif status >= 400:
            soon = min(deadline, asyncio.get_running_loop().time() + ERROR_BODY_S)
            body = await _read(response, min(max_bytes, MAX_ERROR_BYTES), soon)
        else:  # a redirect is refused whatever it says
            body = b""
    except HttpFailure as fault:
        failure = fault.with_traceback(None)
    return HttpResponse(status=status, headers=headers, body=body, failure=failure)


async def _read(response: httpx.Response, limit: int, deadline: float) -> bytes:
    encoding = encoding_of(response.headers.get("content-encoding", ""))
    if encoding is None:
        raise HttpFailure("encoding", "the body has an encoding that was not asked for")
    declared = response.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > wire_limit(encoding, limit):
        raise HttpFailure("oversize", _over(limit))
    decoder = BoundedDecoder(encoding, limit)
    try:
        async with asyncio.timeout_at(deadline) as limited:
            # The stream itself, since the library reads a response that a test made from bytes too early. And closed
            # here: left early, the generator would be closed by a task of the loop's own, some time later.
            stream = cast(httpx.AsyncByteStream, response.stream)
            async with contextlib.aclosing(cast(AsyncGenerator[bytes, None], aiter(stream))) as chunks:
                async for chunk in chunks:
                    decoder.feed(chunk)
    except TooLarge:
        raise HttpFailure("oversize", _over(limit)) from None
    except Damaged:
        raise HttpFailure("encoding", "the compressed body is damaged") from None
    except _FAULTS as fault:
        if limited.expired() or isinstance(fault, httpx.TimeoutException):
            raise HttpFailure("stalled", "the body did not end in time") from None
        raise HttpFailure("cut", "the body was cut off") from None
    body = decoder.finish()
    if body is None:
        raise HttpFailure("cut", "the compressed body was cut off")
    return body


def _encoded(value: str) -> str:
    return quote(without_surrogates(value), safe="")


def _over(limit: int) -> str:
    return f"the body is larger than {limit} bytes"


class _Gateway(httpx.AsyncBaseTransport):
    """Chooses where a request really goes: the stand-in route, a proxy, the network, or a given transport."""

    def __init__(
        self, *, transport: httpx.AsyncBaseTransport | None, route_to: str | None, use_proxy_env: bool
    ) -> None:
        self._route: tuple[httpx.URL, ...] = ()
        self._environment = getproxies_environment() if use_proxy_env else {}
        self._given = transport is not None
        if route_to is not None:
            origin = loopback_origin(route_to)
            self._route = tuple(httpx.URL(origin).copy_with(host=host) for host in loopback_addresses(origin))
        if transport is not None:
            self._direct, self._proxied = transport, _NO_PROXIES
            return
        # A route is plain http, so the certificates of the world need not be read for it.
        trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if self._route else _trusted_certificates()
        self._direct = httpx.AsyncHTTPTransport(verify=trust, limits=_LIMITS)
        self._proxied = _NO_PROXIES if self._route else _proxies(self._environment, trust)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._given and "trace" in request.extensions:  # to hand it over is to send it
            await request.extensions["trace"](_HEADERS_SENT, {})
        if not self._route:
            return await self._choose(request.url).handle_async_request(request)
        path = request.url.raw_path
        for address in self._route[:-1]:
            request.url = address.copy_with(raw_path=path)
            with contextlib.suppress(httpx.ConnectError):  # localhost has several addresses, its server perhaps one
                return await self._direct.handle_async_request(request)
        request.url = self._route[-1].copy_with(raw_path=path)
        return await self._direct.handle_async_request(request)

    async def aclose(self) -> None:
        for transport in {self._direct, *self._proxied.values()}:
            await transport.aclose()

    def _choose(self, url: httpx.URL) -> httpx.AsyncBaseTransport:
        proxy = self._proxied.get(url.scheme)
        if proxy is None or is_loopback(url.host):
            return self._direct
        bypassed = proxy_bypass_environment(url.netloc.decode("ascii"), self._environment)
        return self._direct if bypassed else proxy


_NO_PROXIES: Final[Mapping[str, httpx.AsyncBaseTransport]] = MappingProxyType({})


def _proxies(environment: Mapping[str, str], trust: ssl.SSLContext) -> Mapping[str, httpx.AsyncBaseTransport]:
    found: dict[str, httpx.AsyncBaseTransport] = {}
    for scheme, address in environment.items():
        if scheme not in ("http", "https") or not address:
            continue
        try:
            proxy = httpx.Proxy(address if "://" in address else f"http://{address}", ssl_context=None)
            found[scheme] = httpx.AsyncHTTPTransport(verify=trust, limits=_LIMITS, proxy=proxy)
        except (ValueError, ImportError, httpx.InvalidURL):
            name = f"{scheme.upper()}_PROXY"
            hint = f"Set {name} to http://HOST:PORT, or set use_proxy_env to false."
            raise bad_settings(f"the proxy in {name} cannot be used", hint) from None
    return MappingProxyType(found)


def _trusted_certificates() -> ssl.SSLContext:
    try:
        return httpx.create_ssl_context(trust_env=True)  # honours SSL_CERT_FILE and SSL_CERT_DIR
    except OSError as fault:
        hint = "Point SSL_CERT_FILE at a file of PEM certificates, or SSL_CERT_DIR at a folder of them, or unset them."
        raise bad_settings(f"the certificates cannot be read: {_words(fault)}", hint) from None


def _tracer(on_sent: Callable[[], None]) -> Callable[[str, Mapping[str, Any]], Awaitable[None]]:
    async def trace(event: str, _info: Mapping[str, Any]) -> None:
        if event == _HEADERS_SENT:
            on_sent()

    return trace


async def _forget_location(response: httpx.Response) -> None:
    # The library builds the next request of a redirect even when it does not follow it, and fails on a bad one.
    response.headers.pop("location", None)


class _NoCookies(http.cookiejar.DefaultCookiePolicy):
    def set_ok(self, cookie: http.cookiejar.Cookie, request: Any) -> bool:
        return False


_OURS: ContextVar[bool] = ContextVar("twitter_tool_http", default=False)


class _Hush(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or not _OURS.get()


_HUSH: Final = _Hush()


def _hush_library_loggers() -> None:
    # Their INFO and DEBUG lines print whole addresses. A filter that looks for our own requests leaves levels,
    # handlers and the host application's other requests as they are.
    for name in ("httpx", *(f"httpcore.{part}" for part in ("connection", "http11", "http2", "proxy", "socks"))):
        logging.getLogger(name).addFilter(_HUSH)


def network(*, use_proxy_env: bool = False) -> httpx.AsyncBaseTransport:
    """The network for a client library that brings its own requests: our certificates and proxies, nothing routed.

    Raises:
        SetupError: ``bad_settings``, for an unusable proxy or certificate file.
    """
    return _Gateway(transport=None, route_to=None, use_proxy_env=use_proxy_env)


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Keep the HTTP library's address lines of the requests made inside out of the log."""
    _hush_library_loggers()
    before = _OURS.set(True)
    try:
        yield
    finally:
        _OURS.reset(before)


def in_process(app: Any) -> httpx.AsyncBaseTransport:
    """A transport that hands requests to an ASGI application in this process, without a port."""
    return httpx.ASGITransport(app=app)


def _words(fault: BaseException) -> str:
    """What went wrong, in the words of the operating system where it has some."""
    seen: BaseException | None = fault
    while seen is not None:
        if isinstance(seen, ssl.SSLCertVerificationError):
            return f"the certificate is not valid ({seen.verify_message})"
        if isinstance(seen, ssl.SSLError):
            return "the secure connection failed"
        if isinstance(seen, socket.gaierror):
            return seen.strerror or "the host has no address"
        if isinstance(seen, OSError) and seen.errno is not None and seen.errno in errno.errorcode:
            return os.strerror(seen.errno)  # its own text may hold the address
        if isinstance(seen, BaseExceptionGroup):
            seen = seen.exceptions[0]
            continue
        seen = seen.__cause__ or seen.__context__
    for kind, words in _PLAIN_WORDS.items():
        if isinstance(fault, kind):
            return words
    return "the request could not be sent"


_PLAIN_WORDS: Final[Mapping[type[BaseException], str]] = MappingProxyType(
    {
        httpx.ProxyError: "the proxy refused the connection",
        httpx.RemoteProtocolError: "the connection was closed without a readable answer",
        httpx.ReadError: "the connection was lost",
        httpx.WriteError: "the connection was lost",
        httpx.ConnectError: "no connection",
        httpx.UnsupportedProtocol: "the address is not http or https",
    }
)
