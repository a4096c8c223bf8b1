"""The client: sending requests, one deadline over each, and what becomes of the answer."""

from __future__ import annotations

import asyncio
import contextlib
import http.cookiejar
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import httpx

from twitter_tool.http.body import receive
from twitter_tool.http.faults import FAULTS, words
from twitter_tool.http.gateway import HEADERS_BEGUN, HEADERS_SENT, Gateway
from twitter_tool.http.outgoing import IDENTITY, build, outgoing, with_query
from twitter_tool.http.public import PublicHosts
from twitter_tool.http.quiet import OURS, hush_library_loggers
from twitter_tool.http.saving import Accepts, OnBytes, save
from twitter_tool.http.values import FormPart, HttpFailure, HttpRequest, HttpResponse, Method

_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_PUBLIC_HOSTS: Final = PublicHosts()


class Http:
    """A pool of connections that lives on one event loop.

    Args:
        transport: replaces the network (tests, the in-process sandbox).
        route_to: loopback origin that every request goes to, with its own path, query and ``Host``.
        use_proxy_env: obey ``HTTP_PROXY``, ``HTTPS_PROXY`` and ``NO_PROXY``, except for loopback hosts and routes.
        public_only: connect to hosts only whose addresses are all public. Nothing is looked up for a given transport
            or a route; a proxy looks names up itself, so that for it only hosts written as addresses are checked.
        public_hosts: what ``public_only`` means; tests replace the look-up and the judgement.

    Raises:
        SetupError: ``bad_settings``, for an unusable ``route_to``, proxy or certificate file.
    """

    def __init__(
        self,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        route_to: str | None = None,
        use_proxy_env: bool = False,
        public_only: bool = False,
        public_hosts: PublicHosts = _PUBLIC_HOSTS,
    ) -> None:
        hush_library_loggers()
        self._client = httpx.AsyncClient(
            transport=Gateway(
                transport=transport,
                route_to=route_to,
                use_proxy_env=use_proxy_env,
                public=public_hosts if public_only else None,
            ),
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
        """Build a GET request; parameters are percent-encoded, a space as ``%20``.

        Raises:
            HttpFailure: ``connect``, for an address or a header that cannot be sent.
        """
        return HttpRequest(_native=build("GET", with_query(url, params), headers))

    async def send(
        self, request: HttpRequest, *, max_bytes: int, timeout_s: float, on_sent: Callable[[], None] | None = None
    ) -> HttpResponse:
        """Send a request and read its answer, all within ``timeout_s`` seconds.

        Args:
            max_bytes: most decoded bytes of a 2xx body; other bodies are read up to 64 KiB and 5 s.
            on_sent: called once the request is on the wire.

        Raises:
            HttpFailure: ``connect`` or ``timeout``, when no response headers arrived; ``forbidden``, when the host is
                not public; ``disk``, when a file that is being sent cannot be read.
        """

        async def read(response: httpx.Response, deadline: float) -> HttpResponse:
            return await receive(response, max_bytes, deadline)

        return await self._exchange(request._native, read, timeout_s, on_sent)

    async def request(
        self,
        method: Method,
        url: str,
        *,
        headers: Mapping[str, str] = _NO_HEADERS,
        body: bytes | Path | None = None,
        form: Sequence[FormPart] = (),
        max_bytes: int,
        timeout_s: float,
        on_sent: Callable[[], None] | None = None,
    ) -> HttpResponse:
        """Send one request of any method; see :meth:`send`.

        Args:
            body: bytes, or a file that is read in pieces while it is being sent, its length told before.
            form: parts of a ``multipart/form-data`` body instead, files read in the same way.

        Returns:
            The answer; to ``HEAD`` with an empty body and the headers.

        Raises:
            HttpFailure: as :meth:`prepare` and :meth:`send`.
            ValueError: both ``body`` and ``form``.
        """
        with outgoing(method, url, headers=headers, body=body, form=form) as native:
            request = HttpRequest(_native=native)
            return await self.send(request, max_bytes=max_bytes, timeout_s=timeout_s, on_sent=on_sent)

    async def download(
        self,
        url: str,
        *,
        headers: Mapping[str, str] = _NO_HEADERS,
        into: Path,
        accepts: Accepts,
        max_bytes: int,
        timeout_s: float,
        on_bytes: OnBytes | None = None,
    ) -> HttpResponse:
        """GET a body straight into a file, unpacked and within ``timeout_s`` seconds.

        ``into`` appears, or is replaced, only once the body is whole. Whatever ends the download before, cancellation
        included, leaves nothing of it.

        Args:
            accepts: decides on status and headers of a 2xx answer whether its body is wanted.
            max_bytes: most bytes of the body, both as its length is told and as they arrive.
            on_bytes: called with the bytes received so far and the length that was told, after each piece.

        Returns:
            ``body`` is ``b""`` when the file is there. Without a file ``failure`` says why; it is ``None`` when the
            answer was not wanted, which every status but 2xx is.

        Raises:
            HttpFailure: as :meth:`prepare` and :meth:`send`.
        """

        async def write(response: httpx.Response, deadline: float) -> HttpResponse:
            return await save(
                response, into, accepts=accepts, max_bytes=max_bytes, deadline=deadline, on_bytes=on_bytes
            )

        return await self._exchange(build("GET", url, {**headers, **IDENTITY}), write, timeout_s, None)

    async def aclose(self) -> None:
        """Close every connection; the pool is not usable after it."""
        OURS.set(True)
        try:
            await self._client.aclose()
        finally:
            OURS.set(False)

    async def _exchange(
        self,
        native: httpx.Request,
        receiver: Callable[[httpx.Response, float], Awaitable[HttpResponse]],
        timeout_s: float,
        on_sent: Callable[[], None] | None,
    ) -> HttpResponse:
        deadline = asyncio.get_running_loop().time() + timeout_s
        OURS.set(True)
        try:
            response = await self._open(native, deadline, timeout_s, on_sent)
            try:
                return await receiver(response, deadline)
            finally:
                with contextlib.suppress(*FAULTS):  # the answer is in hand; a connection that closes badly is closed
                    await response.aclose()
        finally:
            OURS.set(False)

    async def _open(
        self, native: httpx.Request, deadline: float, timeout_s: float, on_sent: Callable[[], None] | None
    ) -> httpx.Response:
        if on_sent is not None:
            native.extensions = {**native.extensions, "trace": _tracer(on_sent)}
        try:
            async with asyncio.timeout_at(deadline) as limit:
                return await self._client.send(native, stream=True)
        except FAULTS as fault:
            if limit.expired() or isinstance(fault, httpx.TimeoutException):
                raise HttpFailure("timeout", f"no answer within {timeout_s:g} s") from None
            raise HttpFailure("connect", words(fault)) from None


def _tracer(on_sent: Callable[[], None]) -> Callable[[str, Mapping[str, Any]], Awaitable[None]]:
    is_tunnel = False

    async def trace(event: str, info: Mapping[str, Any]) -> None:
        nonlocal is_tunnel
        if event == HEADERS_BEGUN:  # a proxy is asked for a tunnel first, which is another request
            is_tunnel = info["request"].method == b"CONNECT"
        elif event == HEADERS_SENT and not is_tunnel:
            on_sent()

    return trace


async def _forget_location(response: httpx.Response) -> None:
    # The library builds the next request of a redirect even when it does not follow it, and fails on a bad one.
    response.headers.pop("location", None)


class _NoCookies(http.cookiejar.DefaultCookiePolicy):
    def set_ok(self, cookie: http.cookiejar.Cookie, request: Any) -> bool:
        return False
