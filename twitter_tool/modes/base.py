"""What a mode is: one declaration of its parameters, its endpoint, its reader and its citations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from twitter_tool.backends.twitterapi.plan import Plan
from twitter_tool.modes.params import Params
from twitter_tool.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """One of the ways to read X.

    Attributes:
        name: the value of ``mode`` and the sub-command.
        summary: one sentence for people and for models.
        params: the parameter model; unknown names are refused.
        paths: the upstream paths it may use.
        cites: what its sources are, in words.
        positional: parameters that are positional on the command line, besides the question; ``query`` when the
            question itself comes first.
        plan: turns checked parameters into the requests to make; raises ``RequestError`` for what only shows when
            the parameters are seen together with the settings.
        check_given: refuses what only shows in the arguments as given, where a null is not yet left out.
        check: refuses combinations of values that no single field can see.
    """

    name: str
    summary: str
    params: type[Params]
    paths: tuple[str, ...]
    cites: str
    positional: tuple[str, ...]
    plan: Callable[[Any, PlanContext], Plan]
    check_given: Callable[[Mapping[str, Any]], None] | None = None
    check: Callable[[Any], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanContext:
    """What a plan may depend on besides its parameters."""

    query: str
    settings: Settings
