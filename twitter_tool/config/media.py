"""What the settings about videos and speech need from each other. Pure.

Processing needs both switches, a key goes only where its owner said so, and a mistyped kind of service selects none.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from twitter_tool.config.secrets import redacted
from twitter_tool.config.values import shown
from twitter_tool.credentials import KEY_VARIABLE, is_variable_name
from twitter_tool.media.endpoints import SERVICES, VIDEO_TYPES, endpoint_fault
from twitter_tool.notes import Note, note
from twitter_tool.settings import KEY_TABLE, Settings
from twitter_tool.text import line

_SHOWN: Final = 300


def hold_media(settings: Settings, environ: Mapping[str, str]) -> tuple[Settings, tuple[Note, ...]]:
    """Take back what cannot count, and say so.

    - A key variable that is no variable's name, or holds the key of the posts' host: the default one.
    - An unknown ``video_endpoint_type``: ``None``, which selects no service.
    - An endpoint without a key variable of its own, or neither https nor on this machine: none.
    - ``video_endpoint`` beside a type that has no use for it: none.
    - ``enable_video_processing`` without ``enable_video_understanding``: off.

    Args:
        settings: as merged from all levels.
        environ: whose secrets no note may repeat.
    """
    held = _Held(settings)
    unusable = [name for name in (f"{service}_api_key_env" for service in SERVICES) if _unusable(settings[name])]
    for name in unusable:
        held.reset(name)
    if unusable:
        held.ignored("unknown_value", unusable)
    kind = settings["video_endpoint_type"]
    if kind not in (None, *VIDEO_TYPES):
        held.settings = held.settings.replaced(settings.origin("video_endpoint_type"), video_endpoint_type=None)
        # Cleaned first: a control character in the middle would hide a secret that cleaning puts together again.
        given = shown(redacted(line(kind, _SHOWN), environ))
        held.ignored("unknown_value", ["video_endpoint_type"], given=given, accepted=list(VIDEO_TYPES))
    refused = [f"{service}_endpoint" for service in SERVICES if endpoint_fault(held.settings, service)]
    for name in refused:
        held.reset(name)
    if refused:
        held.ignored("endpoint_not_authorised", refused)
    if kind == "litellm" and held.settings["video_endpoint"] is not None:
        held.reset("video_endpoint")
        held.ignored("needs_other_setting", ["video_endpoint"], needs=["video_endpoint_type"])
    if settings["enable_video_processing"] and not settings["enable_video_understanding"]:
        held.reset("enable_video_processing")
        held.ignored("needs_other_setting", ["enable_video_processing"], needs=["enable_video_understanding"])
    return held.settings, tuple(held.notes)


class _Held:
    """Settings being corrected."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.notes: list[Note] = []

    def reset(self, name: str) -> None:
        """Make a setting as if it had not been written."""
        origins = {key: origin for key, origin in self.settings.origins.items() if key != name}
        values = {**self.settings.values, name: KEY_TABLE[name].default}
        self.settings = Settings(values=MappingProxyType(values), origins=MappingProxyType(origins))

    def ignored(self, reason: str, keys: list[str], **figures: Any) -> None:
        self.notes.append(note("setting_ignored", keys=keys, reason=reason, **figures))


def _unusable(variable: str) -> bool:
    return variable == KEY_VARIABLE or not is_variable_name(variable)
