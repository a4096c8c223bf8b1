"""Reading the body of a response: bounded in bytes and time, decoded piece by piece."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping
from types import MappingProxyType
from typing import Final, cast

import httpx

from twitter_tool.http.faults import FAULTS
from twitter_tool.http.values import HttpFailure, HttpResponse
from twitter_tool.inflate import BoundedDecoder, Damaged, TooLarge, encoding_of, wire_limit

MAX_ERROR_BYTES: Final = 64 * 1024
"""A body that only explains a refusal is read no further than this."""
ERROR_BODY_S: Final = 5.0
"""Nor is it waited for longer than this, in seconds."""


async def receive(response: httpx.Response, max_bytes: int, deadline: float) -> HttpResponse:
    """Read what an answer says; ``deadline`` is in the running loop's time.

    A 2xx body is read up to ``max_bytes`` decoded bytes, one of a refusal up to 64 KiB and 5 s. There is none of a
    redirect, nor of an answer to ``HEAD``.
    """
    status = response.status_code
    body: bytes | None = None
    failure: HttpFailure | None = None
    try:
        if response.request.method == "HEAD":
            await each_piece(response, deadline, _ignored)  # there is none, and its end frees the connection
            body = b""
        elif 200 <= status < 300:
            body = await _read(response, max_bytes, deadline)
        elif status >= 400:
            soon = min(deadline, asyncio.get_running_loop().time() + ERROR_BODY_S)
            body = await _read(response, min(max_bytes, MAX_ERROR_BYTES), soon)
        else:  # a redirect is refused whatever it says
            body = b""
    except HttpFailure as fault:
        failure = fault.with_traceback(None)
    return HttpResponse(status=status, headers=headers_of(response), body=body, failure=failure)


def headers_of(response: httpx.Response) -> Mapping[str, str]:
    """The headers by their names in lower case."""
    return MappingProxyType(dict(response.headers.items()))


def declared_length(response: httpx.Response) -> int | None:
    """The length on the wire that the answer promises, in bytes."""
    declared = response.headers.get("content-length", "")
    return int(declared[:20]) if declared.isascii() and declared.isdigit() else None


def oversize(limit: int) -> HttpFailure:
    """The failure of a body that is larger than allowed."""
    return HttpFailure("oversize", f"the body is larger than {limit} bytes")


async def each_piece(response: httpx.Response, deadline: float, take: Callable[[bytes], None]) -> None:
    """Hand over the body as it arrives, undecoded.

    Raises:
        HttpFailure: ``stalled`` or ``cut``; anything that ``take`` raises comes through.
    """
    try:
        async with asyncio.timeout_at(deadline) as limited:
            # The stream itself, since the library reads a response that a test made from bytes too early. And closed
            # here: left early, the generator would be closed by a task of the loop's own, some time later.
            stream = cast(httpx.AsyncByteStream, response.stream)
            async with contextlib.aclosing(cast(AsyncGenerator[bytes, None], aiter(stream))) as pieces:
                async for piece in pieces:
                    take(piece)
    except FAULTS as fault:
        if limited.expired() or isinstance(fault, httpx.TimeoutException):
            raise HttpFailure("stalled", "the body did not end in time") from None
        raise HttpFailure("cut", "the body was cut off") from None


async def _read(response: httpx.Response, limit: int, deadline: float) -> bytes:
    encoding = encoding_of(response.headers.get("content-encoding", ""))
    if encoding is None:
        raise HttpFailure("encoding", "the body has an encoding that was not asked for")
    declared = declared_length(response)
    if declared is not None and declared > wire_limit(encoding, limit):
        raise oversize(limit)
    decoder = BoundedDecoder(encoding, limit)
    try:
        await each_piece(response, deadline, decoder.feed)
    except TooLarge:
        raise oversize(limit) from None
    except Damaged:
        raise HttpFailure("encoding", "the compressed body is damaged") from None
    body = decoder.finish()
    if body is None:
        raise HttpFailure("cut", "the compressed body was cut off")
    return body


def _ignored(_piece: bytes) -> None:
    """What a stand-in sends as the body of an answer to ``HEAD``."""
