"""Keeping the HTTP library's log lines, which print whole addresses, to the host application's own requests."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Final

OURS: Final[ContextVar[bool]] = ContextVar("twitter_tool_http", default=False)
"""Whether what runs now is a request of this tool."""


class _Hush(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or not OURS.get()


_HUSH: Final = _Hush()


def hush_library_loggers() -> None:
    """Drop the INFO and DEBUG lines of our own requests; levels, handlers and other requests stay as they are."""
    for name in ("httpx", *(f"httpcore.{part}" for part in ("connection", "http11", "http2", "proxy", "socks"))):
        logging.getLogger(name).addFilter(_HUSH)


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Keep the HTTP library's address lines of the requests made inside out of the log."""
    hush_library_loggers()
    before = OURS.set(True)
    try:
        yield
    finally:
        OURS.reset(before)
