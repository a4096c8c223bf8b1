"""What is set up, what is missing, and what to do about it."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from twitter_tool import extras
from twitter_tool.config import FileStatus, Loaded
from twitter_tool.credentials import KEY_VARIABLE, is_usable_key
from twitter_tool.errors import SetupError
from twitter_tool.loopback import loopback_origin
from twitter_tool.report.checks import TEXT_CAP, check
from twitter_tool.report.media import Machine, media_checks
from twitter_tool.settings import Settings
from twitter_tool.text import block, line

if TYPE_CHECKING:
    from twitter_tool.models.facts import Chain


def doctor_report(
    loaded: Loaded,
    environ: Mapping[str, str],
    *,
    sandbox: bool = False,
    find_spec: Callable[[str], object | None] = importlib.util.find_spec,
    machine: Machine | None = None,
) -> dict[str, Any]:
    """What is configured and what is missing, with what to do about it.

    Args:
        sandbox: the call reads from the local stand-in, which needs no key.
        find_spec: looks for an installed module without importing it.
        machine: looks for ffmpeg, faster-whisper and the weights of a speech model; this one's own when left out.

    Returns:
        ``{"ok": bool, "checks": [{"name", "status": "ok" | "missing" | "off", "message", "fix": str | None}]}``;
        ``ok`` is false when the retrieval key or a named model is unusable.
    """
    chain = _chain(loaded, environ)
    key, answers = _check_key(environ, sandbox), _check_answers(chain)
    checks = [
        check("python", "ok", f"Python {sys.version_info.major}.{sys.version_info.minor}."),
        key,
        *(_check_file(file) for file in loaded.files),
        _check_values(loaded),
        _check_route(loaded, sandbox),
        _check_sandbox(find_spec),
        _check_zone(loaded.settings),
        answers,
        *media_checks(loaded, environ, Machine() if machine is None else machine, chain),
    ]
    return {"ok": "missing" not in (key["status"], answers["status"]), "checks": checks}


def _check_key(environ: Mapping[str, str], sandbox: bool) -> dict[str, Any]:
    name = "retrieval key"
    if sandbox:
        return check(name, "off", "The sandbox needs no key; the real one is not read.")
    value = environ.get(KEY_VARIABLE, "")
    fix = f'export {KEY_VARIABLE}="your key"'
    if not value.strip():
        message = f"{KEY_VARIABLE} is not set. Keys come from twitterapi.io; --sandbox works without one."
        return check(name, "missing", message, fix)
    if not is_usable_key(value.strip()):
        fault = "white space, control or non-ASCII characters, which no key has"
        return check(name, "missing", f"{KEY_VARIABLE} is set, but holds {fault}.", fix)
    return check(name, "ok", f"{KEY_VARIABLE} is set. It was not tried: that would need the network.")


def _check_file(file: FileStatus) -> dict[str, Any]:
    name, path = f"{file.level} settings", line(str(file.path), TEXT_CAP)
    match file.status:
        case "read":
            return check(name, "ok", f"Read from {path}.")
        case "missing":
            return check(name, "off", f"No file at {path}; nothing is taken from it.")
        case "unreadable":
            return check(name, "missing", f"{path} was left out: {file.reason}.", f"repair or remove {path}")


def _check_values(loaded: Loaded) -> dict[str, Any]:
    changed = sum(1 for note in loaded.notes if note.code in ("setting_adjusted", "setting_ignored"))
    if not changed:
        return check("setting values", "ok", "Every setting is used as written.")
    return check(
        "setting values", "missing", "Some settings were ignored or changed to fit their range.", "twitter-tool config"
    )


def _check_route(loaded: Loaded, sandbox: bool) -> dict[str, Any]:
    if sandbox:
        return check("route", "off", "Everything is read from the local sandbox, inside this process.")
    route = loaded.settings["route_to"]
    if route is None:
        return check("route", "off", "Requests go to twitterapi.io itself.")
    try:
        where = loopback_origin(route)
    except SetupError as error:
        return check("route", "missing", f"{line(error.message, TEXT_CAP)}; calls are refused.", error.hint)
    return check("route", "ok", f"All requests go to {where} instead of twitterapi.io and the media hosts.")


def _check_sandbox(find_spec: Callable[[str], object | None]) -> dict[str, Any]:
    if _installed("uvicorn", find_spec):
        return check("sandbox", "ok", "--sandbox works, and `twitter-tool sandbox` can serve it.")
    message = "--sandbox works; serving it with `twitter-tool sandbox` needs uvicorn."
    return check("sandbox", "off", message, extras.SANDBOX)


def _check_zone(settings: Settings) -> dict[str, Any]:
    from twitter_tool.modes.window import local_zone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the look-up of the host's zone warns where it falls back to UTC
        try:
            _, name = local_zone(settings)
        except SetupError as error:
            message = f"{line(error.message, TEXT_CAP)}; calls with dates are refused."
            return check("time zone", "missing", message, error.hint)
    whose = "set in time_zone" if settings["time_zone"] else "the host's"
    return check("time zone", "ok", f"Dates are days of {line(name, TEXT_CAP)} ({whose}).")


def _chain(loaded: Loaded, environ: Mapping[str, str]) -> Chain | SetupError:
    from twitter_tool.models.resolve import resolve_chain

    try:
        return resolve_chain(loaded.settings, environ)
    except SetupError as error:
        return error


def _check_answers(chain: Chain | SetupError) -> dict[str, Any]:
    if isinstance(chain, SetupError):
        return check("answers", "missing", f"{block(chain.message)}.", chain.hint)
    if not chain.models:
        return check("answers", "ok", "No model is named: answers quote the fetched sentences that fit best.")
    names = ", ".join(line(model.name, TEXT_CAP) for model in chain.models)
    last = ", then the built-in quoting answer" if chain.extractive else ""
    message = f"Answers are written by {names}{last}. They were not tried: that would need the network."
    if chain.skipped:
        absent = ", ".join(f"{line(item.name, TEXT_CAP)} ({line(item.missing, TEXT_CAP)})" for item in chain.skipped)
        message += f" Skipped here: {absent}."
    return check("answers", "ok", message)


def _installed(module: str, find_spec: Callable[[str], object | None]) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # a module that was put into sys.modules by hand has no spec
        return False
