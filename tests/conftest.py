"""Every test lives in a home of its own, without the host's settings, keys or proxies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

STARTS = ("TWITTER", "_TWITTER", "XDG_", "OTEL_", "OPENAI", "ANTHROPIC", "SSL_CERT_", "NO_COLOR", "COLUMNS")
ENDS = ("_PROXY", "_API_KEY")
"""Of variables, in any case, that the tool or a library below it reads."""


def _forget_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.upper().startswith(STARTS) or name.upper().endswith(ENDS):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True, scope="session")
def _private_session() -> Iterator[None]:
    """Also for what is made once for many tests."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        _forget_the_host(monkeypatch)
        yield


@pytest.fixture(autouse=True)
def private_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own; no setting, key or proxy of the host reaches the test."""
    home = tmp_path_factory.mktemp("home")
    _forget_the_host(monkeypatch)  # again: a library may have set one when it was imported
    monkeypatch.setenv("HOME", str(home))
    return home
