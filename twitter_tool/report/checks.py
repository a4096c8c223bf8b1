"""What one check of the doctor says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from twitter_tool.config.secrets import redacted
from twitter_tool.text import line

CheckStatus = Literal["ok", "missing", "off"]
TEXT_CAP: Final = 300


def check(name: str, status: CheckStatus, message: str, fix: str | None = None) -> dict[str, Any]:
    """One check, as the report has it.

    Args:
        status: ``missing`` also of what is there and cannot be used as it is.
        fix: what to type, if that would help.
    """
    return {"name": name, "status": status, "message": message, "fix": fix}


def safe(text: object, environ: Mapping[str, str]) -> str:
    """A setting's value as one line to be shown, with the values of secret variables taken out."""
    return line(redacted(line(str(text), TEXT_CAP), environ), TEXT_CAP)
