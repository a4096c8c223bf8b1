"""What a project file may change. Pure.

A project file comes with whatever folder the tool is started in, so it may make a call smaller and slower but must
not spend more, reach another host, or pick a model that its user never named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from twitter_tool.config.values import Checked, check
from twitter_tool.settings import EXTRACTIVE, Key

ONLY_LOWER: Final = frozenset(("max_pages_ceiling", "max_synthesis_chars"))
ONLY_RAISE: Final = frozenset(("min_request_interval_ms",))
ONLY_NAMED: Final = frozenset(("synthesis_model", "fallback_models"))


def trusted_models(levels: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The model names that the user's own levels mention, wherever they do, and ``extractive``."""
    names = {EXTRACTIVE}
    for written in levels:
        for name in ("synthesis_model", "fallback_models"):
            value = written.get(name)
            names.update(item.strip() for item in _listed(value) if isinstance(item, str))
        models = written.get("models")
        if isinstance(models, Mapping):
            names.update(str(name) for name in models)
    return frozenset(names)


def project_value(key: Key, raw: Any, *, user_value: Any, default: Any, models: frozenset[str]) -> Checked | None:
    """Judge a value of the project file; ``None`` when only the user may set it so.

    Args:
        user_value: what holds without the project file.
        models: the names a project may choose from.
    """
    if key.user_only:
        return None
    if key.name in ONLY_LOWER or key.name in ONLY_RAISE:
        checked = check(key, raw, user_value)
        if checked.outcome == "replaced":
            return None
        loosens = checked.value > user_value if key.name in ONLY_LOWER else checked.value < user_value
        return None if loosens else checked
    checked = check(key, raw, default)
    if key.name in ONLY_NAMED and checked.outcome == "used" and not models.issuperset(_listed(checked.value)):
        return None
    return checked


def _listed(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)
