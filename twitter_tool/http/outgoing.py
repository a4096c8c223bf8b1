"""Making requests: addresses, headers, and bodies that are read from files while they are being sent."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, cast
from urllib.parse import quote

import httpx

from twitter_tool._version import __version__
from twitter_tool.http.faults import disk
from twitter_tool.http.values import FormPart, HttpFailure, Method
from twitter_tool.text import without_surrogates

IDENTITY: Final = {"Accept-Encoding": "identity"}
_HEADERS: Final = {"Accept": "*/*", "Accept-Encoding": "gzip", "User-Agent": f"twitter-tool/{__version__}"}
_CHUNK_BYTES: Final = 64 * 1024


def build(method: str, url: str, headers: Mapping[str, str], **more: Any) -> httpx.Request:
    """A request with our own headers below the given ones.

    Raises:
        HttpFailure: ``connect``, for an address or a header that cannot be sent.
    """
    try:
        return httpx.Request(method, url, headers={**_HEADERS, **headers}, **more)
    except httpx.InvalidURL:
        raise HttpFailure("connect", "the address cannot be used") from None
    except UnicodeError:
        raise HttpFailure("connect", "a header holds characters that cannot be sent") from None


def with_query(url: str, params: Sequence[tuple[str, str]]) -> str:
    """The address with parameters, percent-encoded, a space as ``%20``."""
    query = "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in params)
    return f"{url}{'&' if '?' in url else '?'}{query}" if query else url


@contextlib.contextmanager
def outgoing(
    method: Method,
    url: str,
    *,
    headers: Mapping[str, str],
    body: bytes | Path | None,
    form: Sequence[FormPart],
) -> Iterator[httpx.Request]:
    """A request with its files, which are open for the time of the block.

    Raises:
        HttpFailure: ``disk``, for a file that cannot be opened; ``connect``, as :func:`build`.
        ValueError: both ``body`` and ``form``.
    """
    if form and body is not None:
        raise ValueError("a request has either a body or a form")
    if method == "HEAD":
        headers = {**IDENTITY, **headers}  # of something packed, the length is not told
    with contextlib.ExitStack() as files:
        if form:
            request = build(method, url, headers, files=[_field(part, files) for part in form])
            request.stream = _Sent(iter(cast(Iterable[bytes], request.stream)))
        elif isinstance(body, Path):
            file = files.enter_context(_opened(body))
            size = os.fstat(file.fileno()).st_size
            request = build(method, url, {**headers, "Content-Length": str(size)})
            request.stream = _Sent(_pieces(file, size))
        else:
            request = build(method, url, headers, content=body)
        yield request


class _Sent(httpx.AsyncByteStream):
    """A body taken from an iterator, without a generator of the loop's that would outlive a broken exchange."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def __aiter__(self) -> _Sent:
        return self

    async def __anext__(self) -> bytes:
        try:
            return next(self._pieces)
        except StopIteration:
            raise StopAsyncIteration from None
        except OSError as fault:
            raise disk(fault, "read") from None


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    left = size
    while left:
        piece = file.read(min(_CHUNK_BYTES, left))
        if not piece:
            raise HttpFailure("disk", "a file became shorter while it was being sent")
        left -= len(piece)
        yield piece


def _field(part: FormPart, files: contextlib.ExitStack) -> tuple[str, tuple[Any, ...]]:
    name, filename = without_surrogates(part.name), part.filename
    if part.path is None:
        return name, (filename, without_surrogates(part.value or "").encode(), part.content_type)
    filename = without_surrogates(filename or part.path.name)
    return name, (filename, files.enter_context(_opened(part.path)), part.content_type)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as fault:
        raise disk(fault, "read") from None


def _encoded(value: str) -> str:
    return quote(without_surrogates(value), safe="")
