"""The table of settings that the documentation shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twitter_tool.config import rules
from twitter_tool.settings import KEYS, Key

_COMPUTED_DEFAULTS: Final[Mapping[str, str]] = {
    "time_zone": "the host's",
    "ffmpeg_path": "found",
    "whisper_threads": "cores, at most 8",
    "evidence_cache_dir": "the platform's cache folder",
}
_KIND_WORDS: Final[Mapping[str, str]] = {
    "bool": "true or false",
    "int": "whole number",
    "number": "number",
    "string": "text",
    "strings": "list of texts",
    "table": "table",
}


def settings_table() -> str:
    """The table of settings in Markdown, made from the one list of keys."""
    rows = [
        "| Key | Kind | Default | Range | Set by | Meaning |",
        "|---|---|---|---|---|---|",
    ]
    for key in KEYS:
        limits = "" if key.low is None else f"{_plain(key.low)} to {_plain(key.high)}"
        cells = (f"`{key.name}`", _KIND_WORDS[key.kind], _default(key), limits, _who(key), key.about)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def _who(key: Key) -> str:
    if key.user_only:
        return "you only"
    if key.name in rules.ONLY_LOWER:
        return "you; project to lower"
    if key.name in rules.ONLY_RAISE:
        return "you; project to raise"
    if key.name in rules.ONLY_NAMED:
        return "you; project among yours"
    return "you, project"


def _default(key: Key) -> str:
    if key.name in _COMPUTED_DEFAULTS:
        return _COMPUTED_DEFAULTS[key.name]
    match key.default:
        case None:
            return "unset"
        case bool():
            return f"`{str(key.default).lower()}`"
        case int() | float():
            return f"`{_plain(key.default)}`"
        case str():
            return f'`"{key.default}"`'
        case _:
            return "empty"


def _plain(number: float | None) -> str:
    return "" if number is None else f"{number:g}" if isinstance(number, float) else str(number)
