"""The arguments of `call`: one JSON object, strictly read, so that nothing in it is dropped or guessed."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final

from twitter_tool.cli.feeds import MAX_BYTES
from twitter_tool.errors import RequestError, invalid_request

MAX_DEPTH: Final = 20
HINT: Final = 'Pass one JSON object, for example {"query": "tram", "output": "posts"}.'


def parse_arguments(data: bytes) -> dict[str, Any]:
    """Read the arguments of one call.

    Raises:
        RequestError: ``invalid_request`` for whatever is not one JSON object in UTF-8 of at most 1 MiB, without
            ``NaN``, infinities and repeated names.
    """
    if len(data) > MAX_BYTES:
        raise _refused("hold more than 1 MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused(f"are not UTF-8 text (byte {error.start})") from None
    if not text.strip():
        raise _refused("are empty")
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise _refused(f"are not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        raise _refused("are nested too deeply") from None
    except ValueError:  # an integer with more digits than Python converts
        raise _refused("hold a number with too many digits") from None
    if not isinstance(value, dict):
        raise _refused(f"are {_kind(value)}, not an object")
    if _too_deep(value):
        raise _refused("are nested too deeply")
    return value


def _refused(problem: str) -> RequestError:
    return invalid_request(f"the arguments {problem}", HINT)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise _refused(f"give {twice[:60]!r} more than once")
    return found


def _constant(name: str) -> Any:
    raise _refused(f"hold {name}, which is not JSON")


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
        if not level:
            return False
    return True


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "an array"
    if isinstance(value, str):
        return "a string"
    return "null" if value is None else "a boolean" if isinstance(value, bool) else "a number"
