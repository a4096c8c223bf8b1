"""What can go wrong on the wire, in words that hold neither address nor secret."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import httpx

from twitter_tool.http.values import HttpFailure

FAULTS: Final = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError)
"""The exceptions of an exchange; none of them leaves this package."""


def words(fault: BaseException) -> str:
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
    for kind, plain in _PLAIN_WORDS.items():
        if isinstance(fault, kind):
            return plain
    return "the request could not be sent"


def disk(fault: OSError, doing: str) -> HttpFailure:
    """A file that cannot be read or written; ``doing`` is ``read`` or ``written``."""
    why = os.strerror(fault.errno) if fault.errno is not None else "unknown reason"
    return HttpFailure("disk", f"a file cannot be {doing}: {why}")


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
