"""Keeping secrets out of what is shown: notes and the ``config`` report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from twitter_tool.redaction import REMOVED, redact

_SECRET_WORDS: Final = frozenset(
    ("authorization", "bearer", "cookie", "credential", "credentials", "header", "headers", "keys", "pass", "passwd")
)
_SECRET_ENDS: Final = ("key", "token", "secret", "secrets", "password")
_HUMP = re.compile("(?<=[a-z])(?=[A-Z])")
_WORD = re.compile("[a-z0-9]+")
_USERINFO = re.compile(r"(?<=//)[^/?#\s]*@")


def is_secret_name(name: str) -> bool:
    """Whether a variable or field of that name is likely to hold a secret.

    A name that ends in ``env`` holds the name of a variable, which is none.
    """
    words = _WORD.findall(_HUMP.sub("_", name).lower())
    if not words or words[-1] == "env":
        return False
    return any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDS) for word in words)


def redacted(text: str, environ: Mapping[str, str]) -> str:
    """A text with the values of secret variables, and the user part of URLs, removed."""
    text = redact(text, (value for name, value in environ.items() if is_secret_name(name)))
    return _USERINFO.sub(f"{REMOVED}@", text)
