"""From the settings to a chain of models, with every check that can be made before anything is fetched."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Final
from urllib.parse import urlsplit

from twitter_tool.credentials import is_usable_key
from twitter_tool.errors import SetupError, bad_settings
from twitter_tool.loopback import is_loopback
from twitter_tool.models.catalogue import Catalogue, Entry, installed
from twitter_tool.models.declared import WANTED_ADDRESS, Declared, Reading, address_fault, read_declared
from twitter_tool.models.facts import Chain, ModelFacts, Skipped
from twitter_tool.models.providers import INTERACTIVE, KEYLESS, key_variables
from twitter_tool.notes import Note
from twitter_tool.settings import Settings
from twitter_tool.text import line

EXTRACTIVE: Final = "extractive"
INSTALL: Final = 'pip install "twitter-tool[answer]"'
PLACEHOLDER_KEY: Final = "no-key"
"""Client libraries insist on some key, and look for one in the environment when they get none."""
_SHOWN: Final = 100


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
            skipped.append(Skipped(name=name, reason="not_installed", missing=INSTALL))
            continue
        found = _settle(name, reading.entry, known, environ, declared=raw is not None)
        if isinstance(found, Skipped):
            skipped.append(found)
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
    provider = row.provider if row is not None else _provider(name, known)
    window, output = _limits(name, entry, row)
    if provider == "custom_openai" and entry.api_base is None:
        raise bad_settings(
            f"the model {line(name, _SHOWN)!r} has no address",
            f'Add to the user\'s settings:\n{_block(name)}\napi_base = "http://127.0.0.1:8080/v1"',
        )
    if provider in INTERACTIVE:
        return Skipped(name=name, reason="sign_in", missing="another model")
    key = _key(name, provider, entry, known, environ)
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
        api_base=entry.api_base or (_openai_base(environ) if provider == "openai" else None),
        api_key_env=key[0],
        api_key=key[1],
    )


def _provider(name: str, known: Catalogue) -> str:
    provider, slash, model = name.partition("/")
    if slash and provider and model and provider in known.providers:
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


def _key(
    name: str, provider: str, entry: Declared, known: Catalogue, environ: Mapping[str, str]
) -> tuple[str | None, str | None] | Skipped:
    """Variable and key of a model.

    A key goes only where it belongs: the one that is named, or, at the provider's usual address, the provider's own.
    """
    local = entry.api_base is not None and is_loopback(urlsplit(entry.api_base).hostname or "")
    if entry.api_key_env is not None:
        value = environ.get(entry.api_key_env, "").strip()
        if value and is_usable_key(value):
            return entry.api_key_env, value
        if local and not value:
            return None, PLACEHOLDER_KEY
        return Skipped(name=name, reason="key_unusable" if value else "key_missing", missing=entry.api_key_env)
    if entry.api_base is not None:
        return None, PLACEHOLDER_KEY
    variables = key_variables(provider, known.keys)
    found = [(variable, value) for variable in variables if (value := environ.get(variable, "").strip())]
    usable = next(((variable, value) for variable, value in found if is_usable_key(value)), None)
    if usable is not None:
        return usable
    if found:
        return Skipped(name=name, reason="key_unusable", missing=found[0][0])
    if variables:
        return Skipped(name=name, reason="key_missing", missing=variables[0])
    return None, PLACEHOLDER_KEY if provider in KEYLESS else None


def _openai_base(environ: Mapping[str, str]) -> str | None:
    """The address that the environment gives for OpenAI's models, whose key goes there."""
    for variable in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        if base := environ.get(variable, "").strip():
            if reason := address_fault(base):
                raise bad_settings(f"{variable} cannot be used: {reason}", f"Correct {variable}: {WANTED_ADDRESS}.")
            return base.rstrip("/")
    return None


def _unknown(name: str, known: Catalogue, what: str) -> SetupError:
    near = known.nearest(name)
    names = f"The nearest known names: {', '.join(line(item, _SHOWN) for item in near)}. " if near else ""
    return SetupError(
        "missing_model",
        f"the model {line(name, _SHOWN)!r} {what}",
        hint=f"{names}For a model of your own, add to the user's settings:\n{_block(name)}",
    )


def _block(name: str) -> str:
    quoted = json.dumps(line(name, 200), ensure_ascii=False)
    return f"[models.{quoted}]\ncontext_window = 8192\nmax_output_tokens = 1024"


def _nothing_runs(skipped: list[Skipped]) -> SetupError:
    if all(item.reason == "not_installed" for item in skipped):
        message = "the models named in the settings need the extra 'answer', which is not installed"
        return SetupError("missing_model", message, hint=f"Run {INSTALL}, or set synthesis_model to extractive.")
    reasons = "; ".join(f"{line(item.name, _SHOWN)}: {_why(item)}" for item in skipped)
    wanted = " or ".join(dict.fromkeys(item.missing for item in skipped))
    hint = f"Set {wanted}, or end fallback_models with extractive."
    return SetupError("missing_model", f"no model of the settings can run: {reasons}", hint=hint)


def _why(item: Skipped) -> str:
    match item.reason:
        case "key_missing":
            return f"{item.missing} is not set"
        case "key_unusable":
            return f"{item.missing} holds no usable key"
        case "sign_in":
            return "it asks a person to sign in"
        case "not_installed":
            return "LiteLLM is not installed"
