"""The network, where a connection is made only to an address that was looked up once and found to be public.

The check sits where connections are made, below TLS and below HTTP. So the name stays what the certificate is checked
against, what the server is told, and what decides whether a connection may be used again; and there is no second
look-up that could answer differently from the first.
"""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any, Final, cast

import httpcore
import httpx

from twitter_tool.http.public import PublicHosts

CONNECT_TRY_S: Final = 2.0
"""How long one of several addresses may take to be connected before the next is tried, in seconds."""
_FAULTS: Final = (
    httpcore.NetworkError,
    httpcore.TimeoutException,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)


class PinnedTransport(httpx.AsyncBaseTransport):
    """Connections of a pool, each made as ``hosts`` says; hosts that it refuses get none."""

    def __init__(self, *, trust: ssl.SSLContext, limits: httpx.Limits, hosts: PublicHosts) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=trust,
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            network_backend=_CheckedNetwork(hosts),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request.

        Raises:
            HttpFailure: ``forbidden``, before anything is connected.
        """
        url = request.url
        native = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _renamed():
            answer = await self._pool.handle_async_request(native)
        return httpx.Response(
            status_code=answer.status, headers=answer.headers, stream=_Body(answer), extensions=answer.extensions
        )

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pool.aclose()


class _CheckedNetwork(httpcore.AsyncNetworkBackend):
    def __init__(self, hosts: PublicHosts) -> None:
        self._hosts = hosts
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        *others, last = await self._hosts.addresses(host, port)
        for address in others:
            with contextlib.suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                return await self._network.connect_tcp(address, port, CONNECT_TRY_S, local_address, socket_options)
        return await self._network.connect_tcp(last, port, timeout, local_address, socket_options)


class _Body(httpx.AsyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _renamed():
            async for piece in cast(AsyncIterable[bytes], self._answer.stream):
                yield piece

    async def aclose(self) -> None:
        await self._answer.aclose()


@contextlib.contextmanager
def _renamed() -> Iterator[None]:
    """Raise the exceptions of the lower library as those of the upper one, which has the same names for them."""
    try:
        yield
    except _FAULTS as fault:
        kind = getattr(httpx, type(fault).__name__, httpx.TransportError)
        raise kind(str(fault)) from fault
