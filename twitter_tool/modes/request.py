"""From raw arguments to one checked request, or to one error that says everything wrong with them.

Order of refusals: the mode, the question, names that do not apply, missing ones, values, combinations of values.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from pydantic import ValidationError

from twitter_tool.errors import RequestError, invalid_request
from twitter_tool.modes.base import Mode
from twitter_tool.modes.params import Params, shown
from twitter_tool.modes.registry import DEFAULT_MODE, MODES
from twitter_tool.text import without_surrogates

Output = Literal["answer", "posts"]
OUTPUTS: Final = ("answer", "posts")
COMMON: Final = ("query", "mode", "output")
_COUNTERPARTS: Final[Mapping[str, str]] = {"count": "limit", "limit": "count"}
"""One idea under two names: how much is read at most."""
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """A checked call: the mode, the trimmed question, the kind of output, the mode's parameters."""

    mode: Mode
    query: str
    output: Output
    params: Params


def parse(arguments: Any) -> CallRequest:
    """Check the arguments of one call, spelt as in the tool schema.

    Raises:
        RequestError: ``invalid_request``, naming what is wrong and what to pass instead.
    """
    if not isinstance(arguments, Mapping) or not all(isinstance(name, str) for name in arguments):
        raise invalid_request(f"the arguments must be one object, not {shown(arguments)}")
    given = {without_surrogates(name): _clean(value) for name, value in arguments.items()}
    mode = _mode(given.get("mode"))
    query = _query(given.get("query"))
    own = {name: value for name, value in given.items() if name not in COMMON}
    _refuse_foreign(mode, own)
    if mode.check_given is not None:
        mode.check_given(own)
    own = {name: value for name, value in own.items() if value is not None}
    _refuse_missing(mode, own)
    output = _output(given.get("output"))
    params = _validated(mode, own)
    if mode.check is not None:
        mode.check(params)
    return CallRequest(mode=mode, query=query, output=output, params=params)


def modes_taking(name: str) -> list[str]:
    """The modes in which a parameter applies."""
    return [mode.name for mode in MODES.values() if name in mode.params.model_fields]


def listed(names: Iterable[str]) -> str:
    """Names in an error: ``a, b and c``."""
    *head, last = names
    return f"{', '.join(head)} and {last}" if head else last


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list | tuple):
        return [without_surrogates(entry) if isinstance(entry, str) else entry for entry in value]
    return value


def _mode(value: Any) -> Mode:
    name = DEFAULT_MODE if value is None else value
    mode = MODES.get(name) if isinstance(name, str) else None
    if mode is None:
        near = difflib.get_close_matches(name, MODES, 1) if isinstance(name, str) else []
        raise invalid_request(
            f"unknown mode {shown(value)}; the modes are {', '.join(MODES)}",
            f"Did you mean {near[0]!r}?" if near else "Pass one of these modes, or none for 'posts'.",
        )
    return mode


def _query(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise invalid_request(
            "query is missing" if value is None else f"query must be a non-blank string, not {shown(value)}",
            'Every mode needs "query": the question to answer, or the search expression.',
        )
    return value.strip()


def _output(value: Any) -> Output:
    if value is None:
        return "answer"
    if value == "answer" or value == "posts":
        return "answer" if value == "answer" else "posts"
    raise invalid_request(
        f"output must be 'answer' or 'posts', not {shown(value)}",
        "Pass 'posts' for what was read, 'answer' for a written answer.",
    )


def _refuse_foreign(mode: Mode, own: Mapping[str, Any]) -> None:
    foreign = [name for name in own if name not in mode.params.model_fields]
    if not foreign:
        return
    known = {name for other in MODES.values() for name in other.params.model_fields}
    problems, hints = [], []
    misplaced = [name for name in foreign if name in known]
    if misplaced:
        problems.append(f"{listed(misplaced)} cannot be used in mode {mode.name!r}")
        hints += [_elsewhere(mode, name) for name in misplaced]
    for name in foreign:
        if name in known:
            continue
        problems.append(f"there is no parameter {shown(name)}")
        near = difflib.get_close_matches(name, [*COMMON, *mode.params.model_fields, *sorted(known)], 1)
        hints.append(f"Did you mean {near[0]!r}?" if near else f"Mode {mode.name!r} takes {_takes(mode)}.")
    raise invalid_request("; ".join(problems), " ".join(hints))


def _elsewhere(mode: Mode, name: str) -> str:
    counterpart = _COUNTERPARTS.get(name)
    here = f"In mode {mode.name!r} it is {counterpart}. " if counterpart in mode.params.model_fields else ""
    return f"{here}{name} works in {_modes(modes_taking(name))}."


def _modes(names: list[str]) -> str:
    return f"mode{'s' if len(names) > 1 else ''} {listed(names)}"


def _takes(mode: Mode) -> str:
    return listed([*COMMON, *mode.params.model_fields])


def _refuse_missing(mode: Mode, own: Mapping[str, Any]) -> None:
    missing = [
        name for name, field in mode.params.model_fields.items() if field.is_required() and _blank(own.get(name))
    ]
    if missing:
        hints = [f"{name}: {mode.params.model_fields[name].description}" for name in missing]
        raise invalid_request(f"mode {mode.name!r} needs {listed(missing)}", " ".join(hints))


def _blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _validated(mode: Mode, own: dict[str, Any]) -> Params:
    try:
        return mode.params.model_validate(own)
    except ValidationError as error:
        raise _refusal(mode, error) from None


def _refusal(mode: Mode, error: ValidationError) -> RequestError:
    problems, hints = [], []
    for fault in error.errors(include_url=False):
        name = str(fault["loc"][0])
        field = mode.params.model_fields[name]
        context = fault.get("ctx", {})
        if "problem" in context:
            text = str(context["problem"])
        elif fault["type"] in ("greater_than_equal", "less_than_equal"):
            text = f"must be {_range(mode, name)}, not {shown(fault['input'])}"
        elif fault["type"] == "literal_error":
            text = f"must be {context['expected']} (case matters), not {shown(fault['input'])}"
        else:
            text = f"{fault['msg'].lower()}, not {shown(fault['input'])}"
        problems.append(f"{name} {text}")
        advice = _advice(name, fault["input"]) if "in quotes" not in text else None
        if advice is not None:
            hints.append(f"{name}: {advice}")
        elif field.description:
            hints.append(f"{name}: {field.description}")
    return invalid_request("; ".join(problems), " ".join(dict.fromkeys(hints)) or None)


def _advice(name: str, value: Any) -> str | None:
    """What to pass instead, where the value tells what was meant."""
    if name in ("tweet", "ids") or name.endswith("Id"):
        entries = value if isinstance(value, list) else [value]
        number = next((entry for entry in entries if isinstance(entry, int) and not isinstance(entry, bool)), None)
        if number is not None:
            return f'write it in quotes, "{shown(number)}"; a JSON number loses digits.'
    if name in ("sinceTime", "untilTime") and isinstance(value, str) and _DAY.fullmatch(value.strip()):
        day = value.strip()
        try:
            seconds = int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())
        except ValueError:  # such as the 31st of February
            return None
        return (
            f"unix seconds are wanted; {day} begins at {seconds} in UTC, and `date -d {day} +%s` tells it in your zone."
        )
    return None


def _range(mode: Mode, name: str) -> str:
    limits = _limits(mode.params.model_json_schema()["properties"][name])
    low, high = limits.get("minimum"), limits.get("maximum")
    if low is None:
        return f"at most {high}"
    return f"at least {low}" if high is None else f"from {low} to {high}"


def _limits(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    branches: tuple[Mapping[str, Any], ...] = (schema, *schema.get("anyOf", ()))
    for branch in branches:
        if "minimum" in branch or "maximum" in branch:
            return branch
    return {}
