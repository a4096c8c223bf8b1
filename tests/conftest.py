"""Every test lives in a home of its own, without the host's settings, keys or proxies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def private_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own; no setting, key or proxy of the host reaches the test."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        upper = name.upper()
        if upper.startswith("TWITTER") or upper.endswith(("_PROXY", "_API_KEY")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    return home
