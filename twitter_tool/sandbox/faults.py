"""Faults that the sandbox can show on purpose: which there are, and how they are asked for.

A fault is switched on for a server (`Sandbox(faults=...)`, `sandbox.faults`, or the control address), or for
one request with the header `X-Sandbox-Fault: name[=value]` or the query parameter `sandbox_fault`; several
are separated by commas. Faults of the server hit API addresses only, unless their `path` says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, get_args

FaultName = Literal[
    "http_401",
    "http_402",
    "http_403",
    "http_500",
    "http_502",
    "http_503",
    "rate_limit",
    "rate_limit_retry_after",
    "html_502",
    "html_200",
    "redirect",
    "slow_body",
    "slow_headers",
    "cut_body",
    "drop_connection",
    "invalid_json",
    "nan_json",
    "json_array",
    "wrong_shape",
    "status_error",
    "status_failed",
    "error_key",
    "data_null",
    "oversize",
    "gzip_bomb",
    "deep_json",
    "many_nodes",
    "big_integer",
    "lone_surrogate",
    "cursor_loop",
    "cursor_cycle",
    "null_pager",
    "true_without_cursor",
    "empty_then_more",
    "overlapping_pages",
    "duplicate_pages",
    "docs_shape",
    "string_numbers",
    "null_authors",
]

FAULT_NAMES: Final[tuple[FaultName, ...]] = get_args(FaultName)

PAGING: Final = frozenset(
    {
        "cursor_loop",
        "cursor_cycle",
        "null_pager",
        "true_without_cursor",
        "empty_then_more",
        "overlapping_pages",
        "duplicate_pages",
        "docs_shape",
    }
)
"""Faults that act while the answer is made, not on the finished answer."""

FAULT_HELP: Final[dict[FaultName, str]] = {
    "http_401": "the key is refused with 401",
    "http_402": "no credits left",
    "http_403": "the key is refused with 403",
    "http_500": "500 with a JSON message",
    "http_502": "502 with a JSON detail",
    "http_503": "503 with a JSON message",
    "rate_limit": "429 without Retry-After",
    "rate_limit_retry_after": "429 with Retry-After; value: seconds (5)",
    "html_502": "502 with an HTML page",
    "html_200": "an HTML page with status 200",
    "redirect": "302; value: the target (/twitter/elsewhere)",
    "slow_body": "the body in small pieces; value: seconds between them (0.25)",
    "slow_headers": "nothing for a while; value: seconds (1)",
    "cut_body": "the connection closes in the middle of the body",
    "drop_connection": "the connection closes before any header",
    "invalid_json": "a body that stops in the middle of the JSON",
    "nan_json": "a member with the value NaN",
    "json_array": "an array where an object belongs",
    "wrong_shape": "the key of the items is missing",
    "status_error": "status error in a 200; value: the text",
    "status_failed": "status failed in a 200; value: the text",
    "error_key": "only error and message in a 200",
    "data_null": "null where the data belongs",
    "oversize": "a valid body over 16 MiB; value: bytes",
    "gzip_bomb": "a small gzip body that grows; value: bytes (64 MiB)",
    "deep_json": "5,000 nested arrays; value: levels",
    "many_nodes": "over 500,000 values; value: how many",
    "big_integer": "a number of 5,000 digits; value: digits",
    "lone_surrogate": "half a surrogate pair in a text",
    "cursor_loop": "the same cursor again and again",
    "cursor_cycle": "two cursors in turn",
    "null_pager": "a last page with null items, flag and cursor",
    "true_without_cursor": "more is announced without a cursor",
    "empty_then_more": "an empty page between two full ones",
    "overlapping_pages": "half of each page repeats the one before",
    "duplicate_pages": "the same page under ever new cursors",
    "docs_shape": "the envelope that the documentation shows",
    "string_numbers": "counters as strings",
    "null_authors": "posts without author",
}
"""One line about each fault."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault to show.

    Args:
        name: Which one; see `FAULT_NAMES`.
        path: A shell pattern for the paths it hits, such as `/twitter/user/*`; `None` is every API path.
        times: How many requests it hits before it is spent; `None` is all.
        after: How many matching requests it lets pass first.
        value: What `FAULT_HELP` says, for the faults that take a value.
    """

    name: FaultName
    path: str | None = None
    times: int | None = None
    after: int = 0
    value: str | int | float | None = None

    def __post_init__(self) -> None:
        if self.name not in FAULT_NAMES:
            raise ValueError(f"unknown sandbox fault {self.name!r}")
        if self.after < 0 or (self.times is not None and self.times < 0):
            raise ValueError(f"sandbox fault {self.name!r}: 'after' and 'times' cannot be negative")

    def number(self, default: float) -> float:
        """The value as a number, else `default`."""
        if isinstance(self.value, (int, float)) and not isinstance(self.value, bool):
            return self.value
        return default

    def text(self, default: str) -> str:
        """The value as a text, else `default`."""
        return default if self.value is None else str(self.value)


def parse_faults(text: str) -> list[Fault]:
    """Faults from `name[=value], ...`, as a header or a command line gives them.

    Raises:
        ValueError: A name is not known.
    """
    found = []
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if name:
            found.append(fault_from({"name": name, "value": _value(value)}))
    return found


def _value(text: str) -> str | int | float | None:
    if not text:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def fault_from(data: Any) -> Fault:
    """A fault from its JSON object.

    Raises:
        ValueError: It is not an object with a known name and fitting members.
    """
    if not isinstance(data, dict):
        raise ValueError("a sandbox fault is a JSON object")
    unknown = sorted(set(data) - {"name", "path", "times", "after", "value"})
    if unknown:
        raise ValueError(f"a sandbox fault has no member {unknown[0]!r}")
    path, times, after = data.get("path"), data.get("times"), data.get("after") or 0
    whole = all(isinstance(item, int) and not isinstance(item, bool) for item in (times or 0, after))
    fits = (path is None or isinstance(path, str)) and whole
    if not fits or not isinstance(data.get("value"), (str, int, float, type(None))):
        raise ValueError("a member of the sandbox fault has the wrong type")
    name: Any = data.get("name")  # whatever it is, the fault itself refuses what is no name of one
    return Fault(name, path=path, times=times, after=after, value=data.get("value"))


def fault_json(fault: Fault) -> dict[str, Any]:
    """The JSON object of a fault."""
    return {
        "name": fault.name,
        "path": fault.path,
        "times": fault.times,
        "after": fault.after,
        "value": fault.value,
    }


class Switchboard:
    """The faults of a server, and how often each has matched."""

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self.faults: list[Fault] = list(faults)
        # The fault is kept beside its count, so that its id() cannot be given to another one.
        self._seen: dict[int, tuple[Fault, int]] = {}

    def clear(self) -> None:
        self.faults.clear()
        self._seen.clear()

    def active(self, path: str, *, api: bool) -> list[Fault]:
        """The faults that hit this request; counts it for each that matches."""
        hits = []
        for fault in self.faults:
            matches = api if fault.path is None else fnmatchcase(path, fault.path)
            if not matches:
                continue
            count = self._seen.get(id(fault), (fault, 0))[1]
            self._seen[id(fault)] = (fault, count + 1)
            if count >= fault.after and (fault.times is None or count < fault.after + fault.times):
                hits.append(fault)
        return hits
