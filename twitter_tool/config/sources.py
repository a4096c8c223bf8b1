"""The written values of one level by key name: spellings, the environment, and settings given in code. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Final

from twitter_tool.config.files import FILE_VARIABLE, Unreadable, parse
from twitter_tool.errors import bad_settings
from twitter_tool.settings import KEY_TABLE, KEYS, Key, camel
from twitter_tool.text import line

PREFIX: Final = "TWITTER_TOOL_"
NAME_CAP: Final = 60
SPELLINGS: Final[Mapping[str, str]] = {camel(key.name): key.name for key in KEYS} | {key.name: key.name for key in KEYS}
_WORDS: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("true", "1", "yes", "on"), True),
    **dict.fromkeys(("false", "0", "no", "off"), False),
}


def variable(name: str) -> str:
    """The environment variable of a key."""
    return PREFIX + name.upper()


def by_name(table: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A file's values by key name, and the names that are none.

    A camelCase name beside its own snake_case spelling counts as unknown, so that it is not dropped unseen.
    """
    known: dict[str, Any] = {}
    unknown: list[str] = []
    for spelling, value in table.items():
        name = SPELLINGS.get(spelling)
        if name is None or (name != spelling and name in table):
            unknown.append(spelling)
        else:
            known[name] = value
    return known, unknown


def from_environment(environ: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The values of ``TWITTER_TOOL_<KEY>`` variables, and such variables that name no key; blank ones do not count."""
    known: dict[str, Any] = {}
    unknown: list[str] = []
    for spelling, text in environ.items():
        if not spelling.startswith(PREFIX) or spelling == FILE_VARIABLE or not text.strip():
            continue
        key = KEY_TABLE.get(spelling[len(PREFIX) :].lower())
        if key is None or variable(key.name) != spelling:
            unknown.append(spelling)
        else:
            known[key.name] = _environment_value(key, text.strip())
    return known, sorted(unknown)


def from_code(options: Mapping[str, Any]) -> dict[str, Any]:
    """Settings given in code by key name; ``None`` means not given.

    Raises:
        SetupError: ``bad_settings`` for a name that is no setting, or one given in both spellings.
    """
    known: dict[str, Any] = {}
    for spelling, value in options.items():
        name = SPELLINGS.get(spelling) if isinstance(spelling, str) else None
        if name is None:
            raise _no_such_setting(spelling)
        if name in known:
            raise bad_settings(f"the setting {name!r} was given twice, in both spellings", "Give it once.")
        if value is not None:
            known[name] = value
    return known


def _no_such_setting(spelling: object) -> Exception:
    shown = line(str(spelling), NAME_CAP)
    near = difflib.get_close_matches(shown.lower(), KEY_TABLE, n=1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    return bad_settings(f"there is no setting {shown!r}", f"{hint}`twitter-tool config` lists every setting.")


def _environment_value(key: Key, text: str) -> Any:
    value = _toml_value(text)
    match key.kind:
        case "bool":
            word = value if isinstance(value, str) else text
            return _WORDS.get(word.strip().lower(), value)
        case "string":
            return value if isinstance(value, str) else text  # a model may be called 4, or true
        case "strings":
            return value if isinstance(value, list) else (value if isinstance(value, str) else text).split(",")
        case "int" | "number" | "table":
            return value


def _toml_value(text: str) -> Any:
    try:
        table = parse(f"value = {text}")
    except Unreadable:
        return text
    return table["value"] if table.keys() == {"value"} else text
