"""Puts an answer on the connection, whole or in one of the broken ways."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from .answers import Answer

Message = MutableMapping[str, Any]

_PIECES: Final = 20
_MIN_PIECE: Final = 64


class ConnectionDropped(ConnectionError):
    """Raised to the server where the connection itself cannot be reached, as with an in-process client."""


async def deliver(
    answer: Answer,
    *,
    send: Callable[[Message], Awaitable[None]],
    receive: Callable[[], Awaitable[Message]],
    sleep: Callable[[float], Awaitable[None]] | None,
    trace: str,
    head: bool,
) -> None:
    """Sends an answer.

    Raises:
        ConnectionDropped: The answer is to be cut off, and the server gives no way to close its connection.
    """
    if answer.delivery == "drop_connection":
        await _close(send, receive, abort=True)
        return
    if answer.delivery == "slow_headers":
        await (sleep or _pause)(answer.seconds)
    headers = {
        "content-type": answer.content_type,
        "content-length": str(len(answer.body)),
        "x-trace-id": trace,
        **answer.headers,
    }
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": raw})
    if head:
        await send({"type": "http.response.body", "body": b""})
        return
    if answer.delivery == "cut_body":
        part = answer.body[: len(answer.body) // 2]
        await send({"type": "http.response.body", "body": part, "more_body": True})
        await _close(send, receive, abort=False)
        return
    if answer.delivery == "slow_body":
        size = max(_MIN_PIECE, -(-len(answer.body) // _PIECES))
        for at in range(0, len(answer.body), size):
            piece = answer.body[at : at + size]
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await (sleep or _pause)(answer.seconds)
        await send({"type": "http.response.body", "body": b""})
        return
    await send({"type": "http.response.body", "body": answer.body})


async def _pause(seconds: float) -> None:
    # Imported late: it is most of what importing the package would cost.
    import asyncio

    await asyncio.sleep(seconds)


async def _close(
    send: Callable[[Message], Awaitable[None]], receive: Callable[[], Awaitable[Message]], *, abort: bool
) -> None:
    """Closes the client's connection.

    ASGI has no message for it. uvicorn hands out `send` as a method of the object that owns the connection,
    which is enough; returning only after it has noticed keeps it from logging an unfinished answer.
    """
    transport = getattr(getattr(send, "__self__", None), "transport", None)
    if transport is None:
        raise ConnectionDropped("the sandbox was asked to drop this connection")
    if abort:
        transport.abort()
    else:
        transport.close()
    while (await receive())["type"] != "http.disconnect":
        pass
