"""The sandbox as an ASGI application.

`GET /` is a greeting for whoever looks in. Elsewhere checks happen in this order: key, path, method, required
parameter, faults, answer. Media addresses need no key and are served whatever the `Host` header says, since clients
that route media hosts here keep it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from ipaddress import ip_address
from typing import Any, Final, Literal
from urllib.parse import parse_qsl

from .answers import (
    Answer,
    compress,
    distort,
    encode,
    json_answer,
    rejection,
    replacement,
    reshape,
    trace_id,
)
from .asking import Ask, Refusal, check_required
from .delivery import ConnectionDropped, deliver
from .endpoints import ENDPOINTS
from .faults import PAGING, Fault, Switchboard, fault_from, fault_json, parse_faults
from .media import is_media_path, media_answer
from .world import World, build_world

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

__all__ = ["ConnectionDropped", "Sandbox"]

LOG_LENGTH: Final = 1_000
_CONTROL_BODY: Final = 65_536
_GREETING: Final = b"A local sandbox of invented data in place of twitterapi.io; its endpoints are below /twitter/.\n"
_MALFORMED: Final = "the faults are a JSON object or a list of objects"


class Sandbox:
    """A local stand-in for the upstream API, to be called by an ASGI server or client.

    Args:
        key: The one key that is accepted; `None` accepts any non-empty key.
        reject_status: How a missing or wrong key is answered.
        faults: Faults to show from the start; `sandbox.faults` is a list and may be changed at any time.
        gzip: Whether answers are compressed for clients that accept it.
        sleep: What slow faults wait with instead of `asyncio.sleep`.

    Over an in-process client the whole answer is collected first, so `cut_body` and `drop_connection` raise
    `ConnectionDropped` there; over a real connection they close it.
    """

    def __init__(
        self,
        key: str | None = None,
        reject_status: Literal[401, 403] = 401,
        faults: Iterable[Fault] = (),
        *,
        gzip: bool = False,
        sleep: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        self._key = key
        self._reject_status = reject_status
        self._switches = Switchboard(faults)
        self._gzip = gzip
        self._sleep = sleep
        self._requests = 0
        self.log: deque[dict[str, Any]] = deque(maxlen=LOG_LENGTH)
        """The latest requests: `method`, `path`, `query`, `host`, `has_key`, `status`; never the key."""

    @property
    def faults(self) -> list[Fault]:
        """The faults that are switched on for every request."""
        return self._switches.faults

    @faults.setter
    def faults(self, faults: Iterable[Fault]) -> None:
        wanted = list(faults)
        self._switches.clear()
        self._switches.faults.extend(wanted)

    @property
    def world(self) -> World:
        """The invented world, built on first use."""
        return build_world()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        headers = _headers(scope)
        path, method = scope["path"], scope["method"]
        if path.startswith("/sandbox/"):
            answer = await self._control(scope, receive, headers)
        elif path == "/" and method in ("GET", "HEAD"):
            answer = Answer(body=_GREETING, content_type="text/plain; charset=utf-8")
        else:
            answer = self._answer(method, path, _params(scope), headers)
            self.log.append(
                {
                    "method": method,
                    "path": path,
                    "query": scope.get("query_string", b"").decode("latin-1"),
                    "host": headers.get("host", ""),
                    "has_key": bool(headers.get("x-api-key")),
                    "status": answer.status,
                }
            )
        if self._gzip and not is_media_path(path):
            answer = compress(answer, headers.get("accept-encoding", ""))
        self._requests += 1
        await deliver(
            answer,
            send=send,
            receive=receive,
            sleep=self._sleep,
            trace=trace_id(self._requests),
            head=method == "HEAD",
        )

    def _answer(self, method: str, path: str, params: Mapping[str, str], headers: Mapping[str, str]) -> Answer:
        api = not is_media_path(path)
        if api:
            refused = self._refusal(method, path, params, headers)
            if refused is not None:
                return refused
        try:
            faults = self._asked_faults(params, headers) + self._switches.active(path, api=api)
        except ValueError as error:
            return json_answer(400, {"detail": str(error)})
        for fault in faults:
            instead = replacement(fault)
            if instead is not None:
                return distort(instead, faults)
        if not api:
            return distort(media_answer(self.world, method, path), faults)
        ask = Ask(
            path=path,
            params=params,
            world=self.world,
            credits=100_000,
            faults=frozenset(fault.name for fault in faults if fault.name in PAGING),
        )
        try:
            body = ENDPOINTS[path].handler(ask)
        except Refusal as refusal:
            return json_answer(refusal.status, refusal.body)
        escape = any(fault.name == "lone_surrogate" for fault in faults)
        return distort(Answer(body=encode(reshape(path, body, faults), escape=escape)), faults)

    def _refusal(self, method: str, path: str, params: Mapping[str, str], headers: Mapping[str, str]) -> Answer | None:
        key = headers.get("x-api-key", "")
        if not key or (self._key is not None and key != self._key):
            return rejection(self._reject_status)
        endpoint = ENDPOINTS.get(path)
        if endpoint is None:
            return json_answer(404, {"detail": "Not Found"})
        if method != "GET":
            return json_answer(405, {"detail": "Method Not Allowed"})
        try:
            check_required(endpoint, params)
        except Refusal as refusal:
            return json_answer(refusal.status, refusal.body)
        return None

    @staticmethod
    def _asked_faults(params: Mapping[str, str], headers: Mapping[str, str]) -> list[Fault]:
        return parse_faults(headers.get("x-sandbox-fault", "")) + parse_faults(params.get("sandbox_fault", ""))

    async def _control(self, scope: Scope, receive: Receive, headers: Mapping[str, str]) -> Answer:
        """`GET|POST|DELETE /sandbox/faults`, `GET|DELETE /sandbox/log`; loopback clients only."""
        # A page in a browser always sends its origin with such a request: it has no business here.
        if not _from_loopback(scope) or "origin" in headers:
            return json_answer(403, {"detail": "loopback clients only"})
        path, method = scope["path"], scope["method"]
        if path == "/sandbox/log" and method in ("GET", "DELETE"):
            requests = list(self.log)
            if method == "DELETE":
                self.log.clear()
            return json_answer(200, {"requests": requests})
        if path == "/sandbox/faults" and method in ("GET", "POST", "DELETE"):
            if method == "DELETE":
                self._switches.clear()
            if method == "POST":
                try:
                    self.faults.extend(_faults_from(await _read(receive)))
                except ValueError as error:
                    return json_answer(400, {"detail": str(error)})
            return json_answer(200, {"faults": [fault_json(fault) for fault in self.faults]})
        if path in ("/sandbox/log", "/sandbox/faults"):
            return json_answer(405, {"detail": "Method Not Allowed"})
        return json_answer(404, {"detail": "Not Found"})


def _faults_from(body: bytes) -> list[Fault]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError(_MALFORMED) from None
    return [fault_from(item) for item in (data if isinstance(data, list) else [data])]


async def _read(receive: Receive) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > _CONTROL_BODY:
            raise ValueError(f"the body is over {_CONTROL_BODY} bytes")
        if not message.get("more_body", False):
            return b"".join(parts)


def _from_loopback(scope: Scope) -> bool:
    client = scope.get("client")
    if not client:
        return False
    try:
        return ip_address(client[0]).is_loopback
    except ValueError:
        return False


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _params(scope: Scope) -> dict[str, str]:
    """The query parameters; of a repeated one the first counts."""
    found: dict[str, str] = {}
    text = scope.get("query_string", b"").decode("latin-1")
    for name, value in parse_qsl(text, keep_blank_values=True, errors="replace"):
        found.setdefault(name, value)
    return found


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
