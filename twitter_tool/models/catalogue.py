"""LiteLLM's own lists of models and providers, read as plain JSON without importing LiteLLM."""

from __future__ import annotations

import difflib
import importlib.util
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, Final

from twitter_tool.models.providers import INTERACTIVE, KEYLESS, OWN_CREDENTIALS, family

MAP_FILE: Final = "model_prices_and_context_window_backup.json"
PROVIDERS_FILE: Final = "provider_endpoints_support_backup.json"
KEYS_FILE: Final = "llms/openai_like/providers.json"
NEAREST: Final = 8
_WRITING: Final = frozenset(("chat", "responses"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What the map says about one model; ``None`` where it is silent.

    Attributes:
        provider: as LiteLLM calls it.
        call_name: ``provider/model``.
        writes: whether it answers questions with text.
    """

    provider: str
    call_name: str
    writes: bool
    context_window: int | None
    max_output_tokens: int | None
    supports_vision: bool | None


class Catalogue:
    """The lists of one installed LiteLLM.

    Args:
        models: the map, by name.
        providers: names of providers besides those in the map.
        keys: variable that holds the key, by provider.
    """

    def __init__(
        self,
        models: Mapping[str, Mapping[str, Any]],
        providers: frozenset[str] = frozenset(),
        keys: Mapping[str, str] | None = None,
    ) -> None:
        self._models = models
        self._providers = providers
        self.keys: Mapping[str, str] = keys or {}

    @cached_property
    def providers(self) -> frozenset[str]:
        """Every provider name that LiteLLM can be asked for."""
        listed = {family(str(row.get("litellm_provider"))) for row in self._models.values() if _writes(row)}
        return frozenset(listed | self._providers | self.keys.keys() | KEYLESS | OWN_CREDENTIALS | INTERACTIVE)

    def find(self, name: str) -> Entry | None:
        """Look a model up by ``provider/model``, or by a bare name that belongs to one provider."""
        row = self._models.get(name)
        if row is not None:
            provider = family(str(row.get("litellm_provider")))
            bare = name.removeprefix(f"{provider}/")
            return _entry(row, provider, f"{provider}/{bare}" if "/" not in name else name)
        provider, _, bare = name.partition("/")
        row = self._models.get(bare) if bare else None
        if row is None or family(str(row.get("litellm_provider"))) != provider:
            return None
        return _entry(row, provider, name)

    def nearest(self, name: str) -> tuple[str, ...]:
        """Up to eight names that resemble an unknown one, best first; those of its own provider count most."""
        provider, slash, _ = name.partition("/")
        own = sorted(known for known in self._names() if known.partition("/")[0] == provider) if slash else []
        found = difflib.get_close_matches(name, own or list(self._names()), n=NEAREST, cutoff=0.6)
        return tuple(dict.fromkeys((*found, *own)))[:NEAREST]

    def _names(self) -> Iterator[str]:
        for name, row in self._models.items():
            if _writes(row):
                yield name if "/" in name else f"{family(str(row.get('litellm_provider')))}/{name}"


def _entry(row: Mapping[str, Any], provider: str, call_name: str) -> Entry:
    vision = row.get("supports_vision")
    return Entry(
        provider=provider,
        call_name=call_name,
        writes=_writes(row),
        context_window=_positive(row.get("max_input_tokens")),
        max_output_tokens=_positive(row.get("max_output_tokens")) or _positive(row.get("max_tokens")),
        supports_vision=vision if isinstance(vision, bool) else None,
    )


def _writes(row: Mapping[str, Any]) -> bool:
    return row.get("mode") in _WRITING


def _positive(value: object) -> int | None:
    """A count as the map may write it: a number, at times a float or digits."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or value < 1:
        return None
    return int(value) if value < 2**53 and value == int(value) else None


_read: dict[Path, tuple[tuple[int, int], Catalogue]] = {}


def installed(find_spec: Callable[[str], ModuleSpec | None] = importlib.util.find_spec) -> Catalogue | None:
    """The catalogue of the LiteLLM that is installed, ``None`` without one. Kept until its file changes."""
    spec = find_spec("litellm")
    places = None if spec is None else spec.submodule_search_locations
    for folder in map(Path, places or ()):
        path = folder / MAP_FILE
        try:
            facts = path.stat()
            stamp = (facts.st_mtime_ns, facts.st_size)
            kept = _read.get(path)
            if kept is None or kept[0] != stamp:
                kept = _read[path] = (stamp, _load(folder))
        except (OSError, ValueError):  # a LiteLLM without a readable map is as good as none
            continue
        return kept[1]
    return None


def _load(folder: Path) -> Catalogue:
    models = _table(json.loads((folder / MAP_FILE).read_bytes()))
    # What the list says a provider supports is not kept up: chat is denied to providers that have little else.
    providers = frozenset(
        name for name in _table(_optional(folder / PROVIDERS_FILE).get("providers")) if "/" not in name
    )
    keys = {name: _table(row).get("api_key_env") for name, row in _optional(folder / KEYS_FILE).items()}
    return Catalogue(
        {name: row for name, row in models.items() if isinstance(row, dict)},
        providers,
        {name: variable for name, variable in keys.items() if isinstance(variable, str)},
    )


def _optional(path: Path) -> Mapping[str, Any]:
    try:
        return _table(json.loads(path.read_bytes()))
    except (OSError, ValueError):  # another release may keep it elsewhere; the own table and the rule remain
        return {}


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
