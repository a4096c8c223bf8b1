"""Token counts that LiteLLM would stumble over, taken out of a body before it reads it.

It validates them as strictly as the answer itself, so that a count that is no number would cost an answer that is paid
for, and a second one after it.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Final, cast

import httpx

_GROUPS: Final = ("usage", "usageMetadata")
_SINGLE: Final = ("prompt_eval_count", "eval_count")
_COUNT: Final = re.compile(r"(?:tokens?|count)$", re.IGNORECASE)
_EVENT: Final = b"data:"


class MendedBody(httpx.AsyncByteStream):
    """A body without broken token counts; one whose counts can be read goes through as it is.

    Args:
        events: whether it is a stream of server-sent events, which go on one by one.
    """

    def __init__(self, inner: httpx.AsyncByteStream, *, events: bool) -> None:
        self._inner = inner
        self._events = events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        kept: list[bytes] = []
        async with aclosing(cast("AsyncGenerator[bytes, None]", aiter(self._inner))) as chunks:
            async for chunk in chunks:
                whole, found, rest = chunk.rpartition(b"\n")
                if not self._events or not found:
                    kept.append(chunk)
                    continue
                lines = b"".join((*kept, whole)).split(b"\n")
                kept = [rest]
                yield b"\n".join(map(_mended_line, lines)) + b"\n"
        last = b"".join(kept)
        yield _mended_line(last) if self._events else mended(last)

    async def aclose(self) -> None:
        await self._inner.aclose()


def mended(body: bytes) -> bytes:
    """A JSON body with its broken token counts left out; anything else as it is."""
    if not any(b'"' + name.encode() + b'"' in body for name in (*_GROUPS, *_SINGLE)):
        return body
    try:
        whole = json.loads(body)
    except (ValueError, RecursionError):  # whoever reads it will say so
        return body
    if not isinstance(whole, dict):
        return body
    changed = {name: value for name, value in whole.items() if name not in _SINGLE or _is_count(value)}
    for name in _GROUPS:
        if (value := whole.get(name)) is not None:
            changed[name] = _usable(value) if isinstance(value, dict) else {}
    return body if changed == whole else json.dumps(changed).encode()


def _mended_line(line: bytes) -> bytes:
    if not line.startswith(_EVENT):
        return line
    body = line[len(_EVENT) :]
    changed = mended(body)
    return line if changed is body else _EVENT + b" " + changed


def _usable(counts: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in counts.items():
        if _COUNT.search(name):
            if _is_count(value):
                found[name] = value
        elif isinstance(value, dict):
            found[name] = _usable(value)
        elif value is None or not name.endswith("_details"):
            found[name] = value
    return found


def _is_count(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool))
