"""A body on its way into a file, which appears only once it is whole."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

import httpx

from twitter_tool.http.body import declared_length, each_piece, headers_of, oversize
from twitter_tool.http.faults import disk
from twitter_tool.http.values import HttpFailure, HttpResponse
from twitter_tool.inflate import encoding_of

Accepts = Callable[[int, Mapping[str, str]], bool]
OnBytes = Callable[[int, int | None], None]


async def save(
    response: httpx.Response,
    into: Path,
    *,
    accepts: Accepts,
    max_bytes: int,
    deadline: float,
    on_bytes: OnBytes | None = None,
) -> HttpResponse:
    """Write the body of a wanted 2xx answer to ``into``; see :meth:`Http.download`."""
    status, headers = response.status_code, headers_of(response)
    if not (200 <= status < 300 and accepts(status, headers)):
        return HttpResponse(status=status, headers=headers, body=None)
    try:
        await _write(response, into, max_bytes, deadline, on_bytes)
    except HttpFailure as failure:
        return HttpResponse(status=status, headers=headers, body=None, failure=failure.with_traceback(None))
    return HttpResponse(status=status, headers=headers, body=b"")


async def _write(
    response: httpx.Response, into: Path, max_bytes: int, deadline: float, on_bytes: OnBytes | None
) -> None:
    if encoding_of(response.headers.get("content-encoding", "")) != "identity":
        raise HttpFailure("encoding", "the body has an encoding that was not asked for")
    declared = declared_length(response)
    if declared is not None and declared > max_bytes:
        raise oversize(max_bytes)
    received = 0
    with _NewFile(into) as file:

        def take(piece: bytes) -> None:
            nonlocal received
            received += len(piece)
            if received > max_bytes:
                raise oversize(max_bytes)
            file.write(piece)
            if on_bytes is not None:
                on_bytes(received, declared)

        await each_piece(response, deadline, take)
        if declared is not None and received < declared:  # the network's library sees to it, a stand-in may not
            raise HttpFailure("cut", "the body was cut off")
        file.keep()


class _NewFile:
    """A file beside ``path``, with access for its owner only, that takes its place when kept and is gone when not.

    Raises:
        HttpFailure: ``disk``, from any method.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            handle, self._part = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        except OSError as fault:
            raise disk(fault, "written") from None
        self._file = os.fdopen(handle, "wb")
        self._kept = False

    def __enter__(self) -> Self:
        return self

    def write(self, piece: bytes) -> None:
        try:
            self._file.write(piece)
        except OSError as fault:
            raise disk(fault, "written") from None

    def keep(self) -> None:
        try:
            self._file.close()
            os.replace(self._part, self._path)
        except OSError as fault:
            raise disk(fault, "written") from None
        self._kept = True

    def __exit__(self, *_failure: object) -> None:
        if self._kept:
            return
        # What is being told already is why the file is given up; that it was hard to give up adds nothing.
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError):
            os.unlink(self._part)
