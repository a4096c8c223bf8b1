"""From the settings to a chain of models, with every check that can be made before anything is fetched."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

from twitter_tool import extras
from twitter_tool.errors import SetupError, bad_settings
from twitter_tool.models.catalogue import Catalogue, Entry, installed
from twitter_tool.models.declared import Declared, Reading, read_declared
from twitter_tool.models.facts import Chain, ModelFacts, Skipped
from twitter_tool.models.keys import find_key, openai_base
from twitter_tool.models.providers import INTERACTIVE
from twitter_tool.notes import Note
from twitter_tool.settings import EXTRACTIVE, Settings
from twitter_tool.text import line

_SHOWN: Final = 100
_ADDRESS_LINE: Final = 'api_base = "http://127.0.0.1:8080/v1"'


def resolve_chain(
    settings: Settings, environ: Mapping[str, str], *, lists: Callable[[], Catalogue | None] = installed
) -> Chain:
    """Settle which models a call may ask: ``synthesis_model``, then ``fallback_models`` in order.

    ``extractive`` ends the chain wherever it stands, since it never fails. No model at all means it alone.

    Args:
        environ: where keys, and an address of OpenAI's, are looked for; only what the models named need is read.
        lists: gives the lists of the installed LiteLLM, or ``None`` when it is not installed.

    Raises:
        SetupError: ``missing_model``, for a name that nobody knows, or when no model can run; ``bad_settings``, for a
            model without usable limits, an unusable ``[models]`` entry or an unusable address of OpenAI's in the
            environment.
    """
    names, extractive = _names(settings)
    known = lists() if names else None
    models: list[ModelFacts] = []
    skipped: list[Skipped] = []
    notes: list[Note] = []
    for name in names:
        raw = settings["models"].get(name)
        reading = Reading(Declared(), ()) if raw is None else read_declared(name, raw)
        notes.extend(reading.notes)
        if known is None:
            skipped.append(Skipped(name=name, reason="not_installed", missing=extras.ANSWER, after=len(models)))
            continue
        found = _settle(name, reading.entry, known, environ, declared=raw is not None)
        if isinstance(found, Skipped):
            skipped.append(replace(found, after=len(models)))
        else:
            models.append(found)
    if not models and not extractive:
        raise _nothing_runs(skipped)
    return Chain(models=tuple(models), extractive=extractive, skipped=tuple(skipped), notes=tuple(notes))


def _names(settings: Settings) -> tuple[list[str], bool]:
    """The models before the first ``extractive``, and whether the chain ends with that."""
    first = settings["synthesis_model"]
    written = [*([first] if first else []), *settings["fallback_models"]]
    names = list(dict.fromkeys(written))
    if EXTRACTIVE in names:
        return names[: names.index(EXTRACTIVE)], True
    return names, not names


def _settle(
    name: str, entry: Declared, known: Catalogue, environ: Mapping[str, str], *, declared: bool
) -> ModelFacts | Skipped:
    row = known.find(name)
    if row is not None and not row.writes and not declared:
        raise _unknown(name, known, "does not write answers")
    if row is None and not declared:
        raise _unknown(name, known, "is not known")
    provider = row.provider if row is not None else provider_of(name, known)
    window, output = _limits(name, entry, row)
    if provider == "custom_openai" and entry.api_base is None:
        raise bad_settings(
            f"the model {line(name, _SHOWN)!r} has no address",
            f"Add to the user's settings:\n{_block(name)}\n{_ADDRESS_LINE}",
        )
    if provider in INTERACTIVE:
        return Skipped(name=name, reason="sign_in", missing="another model")
    key = find_key(name, provider, entry, known, environ)
    if isinstance(key, Skipped):
        return key
    return ModelFacts(
        name=name,
        provider=provider,
        call_name=row.call_name if row is not None else name,
        context_window=window,
        max_output_tokens=output,
        supports_vision=_vision(entry, row),
        max_request_bytes=entry.max_request_bytes,
        images=entry.images,
        api_base=entry.api_base or (openai_base(environ) if provider == "openai" else None),
        api_key_env=key[0],
        api_key=key[1],
    )


def _has_provider(name: str, known: Catalogue) -> bool:
    provider, _, model = name.partition("/")
    return bool(model) and provider in known.providers


def provider_of(name: str, known: Catalogue) -> str:
    """The provider in the name of a model that LiteLLM's map does not list.

    Raises:
        SetupError: ``missing_model``, when it names none that LiteLLM knows.
    """
    provider, slash, _ = name.partition("/")
    if _has_provider(name, known):
        return provider
    if not slash:
        hint = f"Write it with its provider, for example openai/{line(name, _SHOWN)} for an OpenAI-compatible server."
        raise SetupError("missing_model", f"the model {line(name, _SHOWN)!r} names no provider", hint=hint)
    near = get_close_matches(provider, sorted(known.providers), n=3)
    hint = f"Did you mean {' or '.join(near)}?" if near else "Use openai/NAME for an OpenAI-compatible server."
    raise SetupError("missing_model", f"the provider of the model {line(name, _SHOWN)!r} is not known", hint=hint)


def _limits(name: str, entry: Declared, row: Entry | None) -> tuple[int, int]:
    window = entry.context_window or (row.context_window if row is not None else None)
    output = entry.max_output_tokens or (row.max_output_tokens if row is not None else None)
    if window is not None and output is not None:
        return window, output
    missing = " and ".join(
        field for field, value in (("context_window", window), ("max_output_tokens", output)) if value is None
    )
    raise bad_settings(
        f"the input budget of the model {line(name, _SHOWN)!r} cannot be computed: {missing} not known",
        f"Add to the user's settings:\n{_block(name)}",
    )


def _vision(entry: Declared, row: Entry | None) -> bool | None:
    if entry.supports_vision is not None:
        return entry.supports_vision
    return row.supports_vision if row is not None else None


def _unknown(name: str, known: Catalogue, what: str) -> SetupError:
    near = known.nearest(name)
    names = f"The nearest known names: {', '.join(line(item, _SHOWN) for item in near)}. " if near else ""
    own = f"For a model of your own, add to the user's settings:\n{_block(name)}"
    if known.find(name) is None and not _has_provider(name, known):
        # A block for the name as it stands would only be refused for its provider.
        other = f"openai/{name.strip('/')}"
        own = f"For a model of your own, name it {line(other, _SHOWN)} and add to the user's settings:\n{_block(other)}"
        own += f"\n{_ADDRESS_LINE}"
    elif name.startswith("custom_openai/"):
        own += f"\n{_ADDRESS_LINE}"
    return SetupError("missing_model", f"the model {line(name, _SHOWN)!r} {what}", hint=names + own)


def _block(name: str) -> str:
    quoted = json.dumps(line(name, 200), ensure_ascii=False)
    return f"[models.{quoted}]\ncontext_window = 8192\nmax_output_tokens = 1024"


def _nothing_runs(skipped: list[Skipped]) -> SetupError:
    if all(item.reason == "not_installed" for item in skipped):
        message = "the named models need the extra 'answer', which is not installed"
        return SetupError("missing_model", message, hint=f"Run {extras.ANSWER}, or set synthesis_model to extractive.")
    reasons = "; ".join(f"{line(item.name, _SHOWN)}: {item.why}" for item in skipped)
    wanted = " or ".join(dict.fromkeys(item.missing for item in skipped))
    hint = f"Set {wanted}, or end fallback_models with extractive."
    return SetupError("missing_model", f"none of the named models can run: {reasons}", hint=hint)
