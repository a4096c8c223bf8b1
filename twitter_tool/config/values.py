"""Judging one written value against its key: what is used, and whether that must be disclosed. Pure."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

from twitter_tool.settings import Key
from twitter_tool.text import line

Outcome = Literal["used", "unset", "clamped", "replaced", "ignored"]

MAX_DEPTH: Final = 32
GIVEN_CAP: Final = 60
_EXACT_INT: Final = 2**53


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of one written value.

    Attributes:
        value: the value to use.
        outcome: ``used`` as written; ``unset``, as if it had not been written; ``clamped`` to the nearest bound;
            ``replaced`` by the default, since it is no number; ``ignored``, since its kind is wrong.
    """

    value: Any
    outcome: Outcome


def check(key: Key, raw: Any, default: Any) -> Checked:
    """Judge a written value; ``default`` is what an unusable one gives way to. Never raises."""
    match key.kind:
        case "bool":
            # Whatever is not plainly true or false must never switch something on.
            return Checked(raw, "used") if isinstance(raw, bool) else Checked(False, "ignored")
        case "int" | "number":
            return _number(key, raw, default)
        case "string":
            text = _text(raw)
            return Checked(default, "unset") if text is None else Checked(text, "used")
        case "strings":
            return _strings(raw, default)
        case "table":
            try:
                return Checked(frozen(raw), "used") if isinstance(raw, Mapping) else Checked(default, "ignored")
            except TooDeep:
                return Checked(default, "ignored")


class TooDeep(Exception):
    """Tables or arrays nested deeper than :data:`MAX_DEPTH`."""


def frozen(value: Any, depth: int = 0) -> Any:
    """A deep read-only copy: tables as mapping proxies, arrays as tuples.

    Raises:
        TooDeep: it is nested deeper than :data:`MAX_DEPTH`, or holds itself.
    """
    if depth > MAX_DEPTH:
        raise TooDeep
    if isinstance(value, Mapping):
        return MappingProxyType({str(name): frozen(item, depth + 1) for name, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(frozen(item, depth + 1) for item in value)
    return value


def merged(low: Mapping[str, Any], high: Mapping[str, Any]) -> Mapping[str, Any]:
    """Two frozen tables as one: tables merge deeply, anything else in ``high`` replaces."""
    result = dict(low)
    for name, value in high.items():
        below = result.get(name)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            value = merged(below, value)
        result[name] = value
    return MappingProxyType(result)


def shown(raw: Any) -> Any:
    """A written value as a note may show it: a short plain value, or the name of its kind."""
    match raw:
        case bool():
            return raw
        case int():
            return raw if abs(raw) <= _EXACT_INT else "a very large integer"
        case float():
            return raw if math.isfinite(raw) else str(raw)
        case str():
            return line(raw, GIVEN_CAP)
        case Mapping():
            return "a table"
        case list() | tuple():
            return "an array"
        case _:
            return "a date or time" if hasattr(raw, "isoformat") else "a value of another kind"


def _number(key: Key, raw: Any, default: Any) -> Checked:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return Checked(default, "replaced")
    if isinstance(raw, float) and not math.isfinite(raw):
        return Checked(default, "replaced")
    if key.kind == "int":
        if raw != int(raw):
            return Checked(default, "replaced")
        raw = int(raw)
    if key.low is not None and raw < key.low:
        return Checked(_bound(key.low), "clamped")
    if key.high is not None and raw > key.high:
        return Checked(_bound(key.high), "clamped")
    return Checked(raw, "used")


def _bound(value: float) -> float:
    return int(value) if value == int(value) else value


def _text(raw: Any) -> str | None:
    if isinstance(raw, os.PathLike):
        raw = os.fspath(raw)
    return (raw.strip() or None) if isinstance(raw, str) else None


def _strings(raw: Any, default: Any) -> Checked:
    items = [raw] if isinstance(raw, str) else raw
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        return Checked(default, "ignored")
    return Checked(tuple(dict.fromkeys(filter(None, map(str.strip, items)))), "used")
