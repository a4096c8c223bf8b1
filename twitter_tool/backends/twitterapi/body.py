"""Reads a response body: one JSON object, bounded in depth and size, and what its envelope says about failure."""

from __future__ import annotations

import codecs
import gc
import json
import math
import re
import sys
from collections.abc import Mapping
from itertools import accumulate
from typing import Any, Final, Literal

MAX_DEPTH: Final = 200
MAX_NODES: Final = 500_000
"""Values in one body: objects, lists, strings, numbers and literals; names of members do not count."""

EnvelopeFault = Literal["not_found", "failed"]

_TEXT_KEYS: Final = ("detail", "msg", "message", "error")
_NOT_FOUND = re.compile(r"\bnot\s+found\b", re.IGNORECASE)
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_ALL_BYTES: Final = bytes(range(256))
_NOT_COUNTED: Final = _ALL_BYTES.translate(None, b",[{")
_NOT_BRACKETS: Final = _ALL_BYTES.translate(None, b"[]{}")
_STEPS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
# A value takes two bytes with its comma, so a shorter body cannot hold too many of them.
_SURELY_FEW: Final = 2 * MAX_NODES
# Beyond this recursion limit the parser might exhaust the real stack before it gives up by itself.
_SAFE_RECURSION: Final = 5_000


class UnreadableBody(Exception):
    """The body is not one JSON object within the limits; the message says why in plain words."""


def parse_object(raw: bytes) -> dict[str, Any]:
    """Parse a body.

    Strict UTF-8 (a leading byte order mark is skipped, lone surrogates pass), no ``NaN`` or ``Infinity``, the last
    of two members with one name wins, and a number too large for a float is ``None``, an absent value.

    Raises:
        UnreadableBody: anything else, whatever the bytes are.
    """
    if len(raw) > _SURELY_FEW or sys.getrecursionlimit() > _SAFE_RECURSION:
        _check_unparsed(raw)
    try:
        value = _DECODER.decode(_text(raw))
    except RecursionError:
        raise UnreadableBody(_TOO_DEEP) from None
    except ValueError:
        raise UnreadableBody("it is not valid JSON") from None
    if type(value) is not dict:
        raise UnreadableBody("it is not a JSON object")
    if _too_deep(value):
        raise UnreadableBody(_TOO_DEEP)
    return value


def failure_text(body: Mapping[str, Any]) -> str | None:
    """The upstream's own words for a failure: the first non-blank of ``detail``, ``msg``, ``message``, ``error``."""
    for key in _TEXT_KEYS:
        text = body.get(key)
        if isinstance(text, str) and text.strip():
            return text.strip()
    return None


def envelope_fault(body: Mapping[str, Any]) -> EnvelopeFault | None:
    """What the envelope of a 2xx says: ``not_found``, ``failed``, or ``None`` for something to read.

    Words alone never condemn a body that carries something: a listing whose message mentions a missing row is read.
    """
    failed = _status(body) in ("error", "failed")
    if not failed and _carries_something(body):
        return None
    if any(_NOT_FOUND.search(text) for key in _TEXT_KEYS if isinstance(text := body.get(key), str)):
        return "not_found"
    if not failed and not _only_words_of_failure(body):
        return None
    # A null article is absent, whatever the status says.
    return "not_found" if body.get("article", ...) is None else "failed"


def _status(body: Mapping[str, Any]) -> str | None:
    status = body.get("status")
    return status.strip().lower() if isinstance(status, str) else None


def _carries_something(body: Mapping[str, Any]) -> bool:
    return any(
        value and key not in ("msg", "message", "error")
        for key, value in body.items()
        if isinstance(value, dict | list)
    )


def _only_words_of_failure(body: Mapping[str, Any]) -> bool:
    if _status(body) == "success":
        return False
    if body.get("error"):
        return True
    detail = body.get("detail")
    return (
        isinstance(detail, str) and bool(detail.strip()) and not any(isinstance(value, list) for value in body.values())
    )


_TOO_DEEP: Final = f"it is nested deeper than {MAX_DEPTH} levels"


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def _text(raw: bytes) -> str:
    if raw.startswith(codecs.BOM_UTF8):
        raw = raw[len(codecs.BOM_UTF8) :]
    return raw.decode("utf-8", "surrogatepass")


def _too_deep(value: dict[str, Any]) -> bool:
    # Level by level in C: members with their names, one level at a time. A walk in Python costs four times as much.
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = gc.get_referents(*level)
        if not level:
            return False
    return any(isinstance(member, dict | list) for member in level)


def _check_unparsed(raw: bytes) -> None:
    """Refuse what would take too much memory or stack to parse; a body that fits is never refused here."""
    # Commas and brackets inside strings are counted too, so this bound is never too low.
    if len(raw.translate(None, _NOT_COUNTED)) < MAX_NODES and sys.getrecursionlimit() <= _SAFE_RECURSION:
        return
    bare = _STRING.sub(b"0", raw).translate(None, b" \t\r\n")
    opened = bare.count(b"[") + bare.count(b"{")
    nodes = 1 + bare.count(b",") + opened - bare.count(b"[]") - bare.count(b"{}")
    if nodes > MAX_NODES:
        raise UnreadableBody(f"it holds more than {MAX_NODES} values")
    if bare.count(b"]") + bare.count(b"}") > opened:
        raise UnreadableBody("it is not valid JSON")
    brackets = bare.translate(None, _NOT_BRACKETS)
    if max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > MAX_DEPTH:
        raise UnreadableBody(_TOO_DEEP)
