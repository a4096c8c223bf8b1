"""Which key a model is asked with, and where the environment says that OpenAI's models are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from twitter_tool.credentials import is_usable_key
from twitter_tool.errors import bad_settings
from twitter_tool.loopback import address_fault, is_loopback
from twitter_tool.models.catalogue import Catalogue
from twitter_tool.models.declared import WANTED_ADDRESS, Declared
from twitter_tool.models.facts import Skipped
from twitter_tool.models.providers import KEYLESS, key_variables

PLACEHOLDER_KEY: Final = "no-key"
"""Client libraries insist on some key, and look for one in the environment when they get none."""


def find_key(
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


def openai_base(environ: Mapping[str, str]) -> str | None:
    """The address that the environment gives for OpenAI's models, whose key goes there.

    Raises:
        SetupError: ``bad_settings``, when it cannot be used.
    """
    for variable in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        if base := environ.get(variable, "").strip():
            if reason := address_fault(base):
                raise bad_settings(f"{variable} cannot be used: {reason}", f"Correct {variable}: {WANTED_ADDRESS}.")
            return base.rstrip("/")
    return None
