"""Where a request really goes: the stand-in route, a proxy, the network, or a given transport."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]  # not in typeshed

import httpx

from twitter_tool.errors import bad_settings
from twitter_tool.http.faults import words
from twitter_tool.loopback import is_loopback, loopback_addresses, loopback_origin

if TYPE_CHECKING:
    from twitter_tool.http.public import PublicHosts

HEADERS_SENT: Final = "http11.send_request_headers.complete"
"""What the library's trace calls the moment at which a request is on the wire."""
HEADERS_BEGUN: Final = "http11.send_request_headers.started"
"""What it calls the moment before, with which it tells the request."""
_LIMITS: Final = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=15.0)
_NO_PROXIES: Final[Mapping[str, httpx.AsyncBaseTransport]] = MappingProxyType({})


class Gateway(httpx.AsyncBaseTransport):
    """Chooses the way of every request.

    Args:
        public: the hosts that may be asked over the network; ``None`` allows all. Neither a given transport nor a
            route is restricted by it, and a proxy looks names up itself.

    Raises:
        SetupError: ``bad_settings``, for an unusable ``route_to``, proxy or certificate file.
    """

    def __init__(
        self,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        route_to: str | None = None,
        use_proxy_env: bool = False,
        public: PublicHosts | None = None,
    ) -> None:
        self._route: tuple[httpx.URL, ...] = ()
        self._environment = getproxies_environment() if use_proxy_env else {}
        self._given = transport is not None
        self._public = public
        if route_to is not None:
            origin = loopback_origin(route_to)
            self._route = tuple(httpx.URL(origin).copy_with(host=host) for host in loopback_addresses(origin))
        if transport is not None:
            self._direct, self._proxied = transport, _NO_PROXIES
            return
        # A route is plain http, so the certificates of the world need not be read for it.
        trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if self._route else _trusted_certificates()
        self._direct = _network(trust, None if self._route else public)
        self._proxied = _NO_PROXIES if self._route else _proxies(self._environment, trust)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request the way that is meant for it."""
        if self._given and "trace" in request.extensions:  # to hand it over is to send it
            await request.extensions["trace"](HEADERS_SENT, {})
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
        """Close every connection."""
        for transport in {self._direct, *self._proxied.values()}:
            await transport.aclose()

    def _choose(self, url: httpx.URL) -> httpx.AsyncBaseTransport:
        proxy = self._proxied.get(url.scheme)
        if proxy is None or is_loopback(url.host):
            return self._direct
        if proxy_bypass_environment(url.netloc.decode("ascii"), self._environment):
            return self._direct
        if self._public is not None:
            self._public.check_written(url.host)
        return proxy


def network(*, use_proxy_env: bool = False) -> httpx.AsyncBaseTransport:
    """The network for a client library that brings its own requests: our certificates and proxies, nothing routed.

    Raises:
        SetupError: ``bad_settings``, for an unusable proxy or certificate file.
    """
    return Gateway(use_proxy_env=use_proxy_env)


def in_process(app: Any) -> httpx.AsyncBaseTransport:
    """A transport that hands requests to an ASGI application in this process, without a port."""
    return httpx.ASGITransport(app=app)


def _network(trust: ssl.SSLContext, public: PublicHosts | None) -> httpx.AsyncBaseTransport:
    if public is None:
        return httpx.AsyncHTTPTransport(verify=trust, limits=_LIMITS)
    from twitter_tool.http.pinned import PinnedTransport

    return PinnedTransport(trust=trust, limits=_LIMITS, hosts=public)


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
        raise bad_settings(f"the certificates cannot be read: {words(fault)}", hint) from None
