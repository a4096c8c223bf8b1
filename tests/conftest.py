"""Every test lives in a home of its own, without the host's settings, keys or proxies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


STARTS = ("TWITTER", "_TWITTER", "XDG_", "OTEL_", "OPENAI", "ANTHROPIC", "SSL_CERT_", "NO_COLOR", "COLUMNS")
ENDS = ("_PROXY", "_API_KEY")
"""Of variables, in any case, that the tool or a library below it reads."""


@pytest.fixture(autouse=True)
def private_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own; no setting, key or proxy of the host reaches the test."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.upper().startswith(STARTS) or name.upper().endswith(ENDS):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    return home
