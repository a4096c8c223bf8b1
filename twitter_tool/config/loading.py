"""The settings of one call: files, environment and code put together, each change disclosed.

From weakest to strongest: defaults, the user file, the project file in the working directory, ``TWITTER_TOOL_*``
variables, settings given in code. All but the project file are the user's own word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from twitter_tool.config import rules
from twitter_tool.config.files import PATH_CAP, FileStatus, project_file, read_file, same_file, user_file
from twitter_tool.config.media import hold_media
from twitter_tool.config.secrets import redacted
from twitter_tool.config.sources import NAME_CAP, by_name, from_code, from_environment
from twitter_tool.config.values import Checked, Outcome, check, merged, shown
from twitter_tool.errors import bad_settings
from twitter_tool.notes import Note, note
from twitter_tool.settings import KEY_TABLE, KEYS, Origin, Settings
from twitter_tool.text import line

NAMES_SHOWN: Final = 20
_DEFAULTS: Final = MappingProxyType({key.name: key.default for key in KEYS})
_SANDBOX_DEFAULTS: Final = MappingProxyType({**_DEFAULTS, "min_request_interval_ms": 0, "retry_base_delay_ms": 0})
_ORDER: Final = MappingProxyType({key.name: place for place, key in enumerate(KEYS)})
_ADJUSTED: Final[frozenset[Outcome]] = frozenset(("clamped", "replaced"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The settings of one call, what was changed or ignored on the way, and the files looked at."""

    settings: Settings
    notes: tuple[Note, ...]
    files: tuple[FileStatus, ...]


@dataclass(slots=True)
class _Draft:
    """Settings being put together: values, where each came from, and what has to be disclosed."""

    values: dict[str, Any]
    origins: dict[str, Origin] = field(default_factory=dict)
    written: dict[str, Any] = field(default_factory=dict)
    adjusted: set[str] = field(default_factory=set)
    unusable: set[str] = field(default_factory=set)

    def take(self, name: str, origin: Origin, raw: Any, checked: Checked) -> None:
        """Make a judged value the effective one."""
        self.values[name] = checked.value
        self.adjusted.discard(name)
        self.unusable.discard(name)
        self.written[name] = None if origin == "project" else raw
        by_default = checked.outcome in ("unset", "replaced") or (
            checked.outcome == "ignored" and KEY_TABLE[name].kind != "bool"
        )
        if by_default:
            self.origins.pop(name, None)
        else:
            self.origins[name] = origin
        if checked.outcome in _ADJUSTED:
            self.adjusted.add(name)
        elif checked.outcome == "ignored":
            self.unusable.add(name)


def load(
    *,
    cwd: Path,
    environ: Mapping[str, str],
    options: Mapping[str, Any] | None = None,
    config_path: Path | None = None,
    sandbox: bool = False,
) -> Loaded:
    """Read the settings of one call.

    Args:
        cwd: the working directory of the call; the project file is looked for there and nowhere above.
        environ: the environment variables.
        options: settings given in code, by snake_case or camelCase name.
        config_path: replaces the user's settings file.
        sandbox: the call reads from the local stand-in, which needs no pauses between requests.

    Raises:
        SetupError: ``bad_settings`` for an unknown name in ``options``, a ``config_path`` that does not exist, or
            ``route_to`` together with ``sandbox``. What a file or a variable holds never raises.
    """
    in_code = from_code(options or {})
    path = user_file(cwd, environ, config_path)
    files: list[FileStatus] = []
    user_table: dict[str, Any] = {}
    if path is not None:
        status, user_table = read_file(path, "user")
        files.append(status)
    project_table: dict[str, Any] = {}
    # A user file that lies in the working directory is the user's own word, and is not read a second time.
    if path is None or not same_file(path, project_file(cwd)):
        status, project_table = read_file(project_file(cwd), "project")
        files.append(status)
    in_file, unknown = by_name(user_table)
    in_environment, unknown_variables = from_environment(environ)
    in_project, unknown_in_project = by_name(project_table)

    defaults = _SANDBOX_DEFAULTS if sandbox else _DEFAULTS
    draft = _Draft(dict(defaults))
    levels: tuple[tuple[Origin, Mapping[str, Any]], ...] = (
        ("user", in_file),
        ("env", in_environment),
        ("option", in_code),
    )
    for origin, written in levels:
        _take_user_level(draft, origin, written, defaults)
    shadowed = in_environment.keys() | in_code.keys()
    models = rules.trusted_models(written for _, written in levels)
    refused = _take_project(draft, in_project, shadowed, defaults, models)
    _hold_to_ceiling(draft)
    if sandbox and draft.values["route_to"] is not None:
        raise bad_settings(
            "route_to cannot be used together with the sandbox",
            "Unset route_to (also TWITTER_TOOL_ROUTE_TO), or leave the sandbox out.",
        )
    merged_settings = Settings(values=MappingProxyType(draft.values), origins=MappingProxyType(draft.origins))
    settings, media_notes = hold_media(merged_settings, environ)
    notes = (
        *_unreadable(files),
        *_ignored(refused, "user_only"),
        *_ignored([*unknown, *unknown_variables], "unknown_key", environ),
        *_unknown_in_project(len(unknown_in_project)),
        *_ignored(sorted(draft.unusable, key=_ORDER.__getitem__), "unknown_value"),
        *media_notes,
        *_adjustments(draft, environ),
    )
    return Loaded(settings=settings, notes=notes, files=tuple(files))


def _take_user_level(draft: _Draft, origin: Origin, written: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    for name, raw in written.items():
        key = KEY_TABLE[name]
        checked = check(key, raw, defaults[name])
        if key.kind != "table":
            draft.take(name, origin, raw, checked)
        elif checked.outcome == "used":
            draft.values[name] = merged(draft.values[name], checked.value)
            draft.origins[name] = origin
        else:
            draft.unusable.add(name)


def _take_project(
    draft: _Draft,
    written: Mapping[str, Any],
    shadowed: Iterable[str],
    defaults: Mapping[str, Any],
    models: frozenset[str],
) -> list[str]:
    """Take what the project file may set; returns the keys that only the user may set so."""
    refused: list[str] = []
    for name in sorted(written, key=_ORDER.__getitem__):
        key = KEY_TABLE[name]
        if name in shadowed and not key.user_only:
            continue
        checked = rules.project_value(
            key, written[name], user_value=draft.values[name], default=defaults[name], models=models
        )
        if checked is None:
            refused.append(name)
        else:
            draft.take(name, "project", written[name], checked)
    return refused


def _hold_to_ceiling(draft: _Draft) -> None:
    pages, ceiling = draft.values["max_pages"], draft.values["max_pages_ceiling"]
    if pages <= ceiling:
        return
    draft.values["max_pages"] = ceiling
    if "max_pages" in draft.origins:
        draft.adjusted.add("max_pages")
    elif "max_pages_ceiling" in draft.origins:  # nothing the user wrote was changed: the default gave way
        draft.origins["max_pages"] = draft.origins["max_pages_ceiling"]


def _unreadable(files: Iterable[FileStatus]) -> Iterable[Note]:
    for file in files:
        if file.status == "unreadable":
            yield note("settings_unreadable", path=line(str(file.path), PATH_CAP), reason=file.reason)


def _ignored(keys: list[str], reason: str, environ: Mapping[str, str] | None = None) -> Iterable[Note]:
    if not keys:
        return
    names = [line(_without_secrets(key, environ or {}), NAME_CAP) for key in keys[:NAMES_SHOWN]]
    yield note("setting_ignored", keys=names, count=len(keys) if len(keys) > NAMES_SHOWN else None, reason=reason)


def _unknown_in_project(count: int) -> Iterable[Note]:
    if count:  # the names are the project file's own words, so only their number is told
        yield note("setting_ignored", keys=[], count=count, reason="unknown_key")


def _adjustments(draft: _Draft, environ: Mapping[str, str]) -> Iterable[Note]:
    for name in sorted(draft.adjusted, key=_ORDER.__getitem__):
        raw = draft.written[name]
        given = shown(_without_secrets(raw, environ) if isinstance(raw, str) else raw) if raw is not None else None
        yield note("setting_adjusted", key=name, given=given, used=draft.values[name])


def _without_secrets(raw: str, environ: Mapping[str, str]) -> str:
    # Cleaned first: a control character in the middle would hide a secret that cleaning puts together again.
    return redacted(line(raw, PATH_CAP), environ)
