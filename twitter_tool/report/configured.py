"""The settings in force, for people and programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Any, Final

from twitter_tool.config import Loaded
from twitter_tool.config.secrets import is_secret_name, redacted
from twitter_tool.config.values import shown
from twitter_tool.notes import Note
from twitter_tool.redaction import REMOVED
from twitter_tool.report.checks import TEXT_CAP
from twitter_tool.settings import KEYS
from twitter_tool.text import line

_VARIABLE_NAME: Final = re.compile("[A-Z_][A-Z0-9_]*")


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
