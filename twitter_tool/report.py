"""What people ask about their set-up: ``config`` (what is in force), ``doctor`` (what is missing), the table of keys.

Nothing here uses the network or shows a secret.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Any, Final, Literal

from twitter_tool.config import FileStatus, Loaded, rules
from twitter_tool.config.secrets import is_secret_name, redacted
from twitter_tool.config.values import shown
from twitter_tool.credentials import KEY_VARIABLE, is_usable_key
from twitter_tool.errors import SetupError
from twitter_tool.loopback import loopback_origin
from twitter_tool.notes import Note
from twitter_tool.redaction import REMOVED
from twitter_tool.settings import KEYS, Key, Settings
from twitter_tool.text import block, line

CheckStatus = Literal["ok", "missing", "off"]

TEXT_CAP: Final = 300
_VARIABLE_NAME: Final = re.compile("[A-Z_][A-Z0-9_]*")
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


def config_report(
    loaded: Loaded, environ: Mapping[str, str], *, describe: Callable[[Note], Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """The effective settings as plain JSON values, secrets masked.

    Args:
        describe: makes a note a JSON object; the standard wording when left out.

    Returns:
        ``{"settings": {key: {"value", "source"}}, "files": [{"path", "status"}], "notes": [...]}``
    """
    if describe is None:
        from twitter_tool.output.wording import note_dict

        describe = note_dict
    settings = loaded.settings
    return {
        "settings": {
            key.name: {"value": _shown(key.name, settings[key.name], environ), "source": settings.origin(key.name)}
            for key in KEYS
        },
        "files": [{"path": line(str(file.path), TEXT_CAP), "status": file.status} for file in loaded.files],
        "notes": [dict(describe(note)) for note in loaded.notes],
    }


def doctor_report(
    loaded: Loaded,
    environ: Mapping[str, str],
    *,
    sandbox: bool = False,
    find_spec: Callable[[str], object | None] = importlib.util.find_spec,
    which: Callable[[str], str | None] = shutil.which,
) -> dict[str, Any]:
    """What is configured and what is missing, with what to do about it.

    Args:
        sandbox: the call reads from the local stand-in, which needs no key.
        find_spec: looks for an installed module without importing it.
        which: looks for a program.

    Returns:
        ``{"ok": bool, "checks": [{"name", "status": "ok" | "missing" | "off", "message", "fix": str | None}]}``;
        ``ok`` is false when the retrieval key or a named model is unusable.
    """
    key, answers = _check_key(environ, sandbox), _check_answers(loaded, environ)
    checks = [
        _check("python", "ok", f"Python {sys.version_info.major}.{sys.version_info.minor}."),
        key,
        *(_check_file(file) for file in loaded.files),
        _check_values(loaded),
        _check_route(loaded, sandbox),
        _check_sandbox(find_spec),
        _check_zone(loaded.settings),
        answers,
        _check_media(loaded, which),
        _check_speech(find_spec),
    ]
    return {"ok": "missing" not in (key["status"], answers["status"]), "checks": checks}


def settings_table(*, later: bool) -> str:
    """A table of settings in Markdown, made from the one list of keys.

    Args:
        later: those that nothing uses yet, instead of those in use.
    """
    chosen = [key for key in KEYS if key.later is later]
    if not chosen:
        return "None.\n"
    rows = [
        "| Key | Kind | Default | Range | Set by | Meaning |",
        "|---|---|---|---|---|---|",
    ]
    for key in chosen:
        limits = "" if key.low is None else f"{_plain(key.low)} to {_plain(key.high)}"
        cells = (f"`{key.name}`", _KIND_WORDS[key.kind], _default(key), limits, _who(key), key.about)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def _check(name: str, status: CheckStatus, message: str, fix: str | None = None) -> dict[str, Any]:
    return {"name": name, "status": status, "message": message, "fix": fix}


def _check_key(environ: Mapping[str, str], sandbox: bool) -> dict[str, Any]:
    name = "retrieval key"
    if sandbox:
        return _check(name, "off", "The sandbox needs no key; the real one is not read.")
    value = environ.get(KEY_VARIABLE, "")
    fix = f'export {KEY_VARIABLE}="your key"'
    if not value.strip():
        message = f"{KEY_VARIABLE} is not set. Keys come from twitterapi.io; --sandbox works without one."
        return _check(name, "missing", message, fix)
    if not is_usable_key(value.strip()):
        fault = "white space, control or non-ASCII characters, which no key has"
        return _check(name, "missing", f"{KEY_VARIABLE} is set, but holds {fault}.", fix)
    return _check(name, "ok", f"{KEY_VARIABLE} is set. It was not tried: that would need the network.")


def _check_file(file: FileStatus) -> dict[str, Any]:
    name, path = f"{file.level} settings", line(str(file.path), TEXT_CAP)
    match file.status:
        case "read":
            return _check(name, "ok", f"Read from {path}.")
        case "missing":
            return _check(name, "off", f"No file at {path}; nothing is taken from it.")
        case "unreadable":
            return _check(name, "missing", f"{path} was left out: {file.reason}.", f"repair or remove {path}")


def _check_values(loaded: Loaded) -> dict[str, Any]:
    changed = sum(1 for note in loaded.notes if note.code in ("setting_adjusted", "setting_ignored"))
    if not changed:
        return _check("setting values", "ok", "Every setting is used as written.")
    return _check(
        "setting values", "missing", "Some settings were ignored or changed to fit their range.", "twitter-tool config"
    )


def _check_route(loaded: Loaded, sandbox: bool) -> dict[str, Any]:
    if sandbox:
        return _check("route", "off", "Everything is read from the local sandbox, inside this process.")
    route = loaded.settings["route_to"]
    if route is None:
        return _check("route", "off", "Requests go to twitterapi.io itself.")
    try:
        where = loopback_origin(route)
    except SetupError as error:
        return _check("route", "missing", f"{line(error.message, TEXT_CAP)}; calls are refused.", error.hint)
    return _check("route", "ok", f"All requests go to {where} instead of twitterapi.io and the media hosts.")


def _check_sandbox(find_spec: Callable[[str], object | None]) -> dict[str, Any]:
    if _installed("uvicorn", find_spec):
        return _check("sandbox", "ok", "--sandbox works, and `twitter-tool sandbox` can serve it.")
    message = "--sandbox works; serving it with `twitter-tool sandbox` needs uvicorn."
    return _check("sandbox", "off", message, 'pip install "twitter-tool[sandbox]"')


def _check_zone(settings: Settings) -> dict[str, Any]:
    from twitter_tool.modes.window import local_zone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the look-up of the host's zone warns where it falls back to UTC
        try:
            _, name = local_zone(settings)
        except SetupError as error:
            message = f"{line(error.message, TEXT_CAP)}; calls with dates are refused."
            return _check("time zone", "missing", message, error.hint)
    whose = "set in time_zone" if settings["time_zone"] else "the host's"
    return _check("time zone", "ok", f"Dates are days of {line(name, TEXT_CAP)} ({whose}).")


def _check_answers(loaded: Loaded, environ: Mapping[str, str]) -> dict[str, Any]:
    from twitter_tool.models.resolve import resolve_chain

    try:
        chain = resolve_chain(loaded.settings, environ)
    except SetupError as error:
        return _check("answers", "missing", f"{block(error.message)}.", error.hint)
    if not chain.models:
        return _check("answers", "ok", "No model is named: answers quote the fetched sentences that fit best.")
    names = ", ".join(line(model.name, TEXT_CAP) for model in chain.models)
    last = ", then the built-in quoting answer" if chain.extractive else ""
    message = f"Answers are written by {names}{last}. They were not tried: that would need the network."
    if chain.skipped:
        absent = ", ".join(f"{line(item.name, TEXT_CAP)} ({line(item.missing, TEXT_CAP)})" for item in chain.skipped)
        message += f" Skipped here: {absent}."
    return _check("answers", "ok", message)


def _check_media(loaded: Loaded, which: Callable[[str], str | None]) -> dict[str, Any]:
    found = which(loaded.settings["ffmpeg_path"] or "ffmpeg") is not None
    have = "ffmpeg was found" if found else "ffmpeg was not found"
    return _check("media", "off", f"This version does not look at pictures or videos ({have}).")


def _check_speech(find_spec: Callable[[str], object | None]) -> dict[str, Any]:
    have = "is installed" if _installed("faster_whisper", find_spec) else "is not installed"
    return _check("speech", "off", f"This version does not transcribe speech (faster-whisper {have}).")


def _installed(module: str, find_spec: Callable[[str], object | None]) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # a module that was put into sys.modules by hand has no spec
        return False


def _shown(name: str, value: Any, environ: Mapping[str, str], masked: bool = False) -> Any:
    """A setting as JSON values; text below a name that suggests a secret is masked."""
    masked = masked or is_secret_name(name)
    match value:
        case None:
            return None
        case bool() | int() | float():
            return shown(value)
        case Mapping():
            return {line(key, TEXT_CAP): _shown(key, item, environ, masked) for key, item in value.items()}
        case tuple() | list():
            return [_shown("", item, environ, masked) for item in value]
        case str():
            if masked or (name.replace("_", "").lower().endswith("keyenv") and not _is_variable(value, environ)):
                return REMOVED
            return line(redacted(value, environ), TEXT_CAP)
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return f"({type(value).__name__})"


def _is_variable(text: str, environ: Mapping[str, str]) -> bool:
    """Whether text looks like a variable's name, and not like a key pasted where the name belongs."""
    return text in environ or (_VARIABLE_NAME.fullmatch(text) is not None and len(text) <= 64)


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
