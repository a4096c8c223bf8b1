"""Far from the settings and keys of whoever runs the tests; and a model that answers as scripted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from answering_calls import LlmServer, Model, answers, background_server, completion, serving


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder is the home, and both are empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
async def llm() -> AsyncIterator[LlmServer]:
    """A server on this loop; says ``An answer.`` until a test gives it other scripts."""
    async with serving(answers(completion())) as server:
        yield server


@pytest.fixture
def model(llm: LlmServer) -> Model:
    """The settings of a model behind that server."""
    return Model(llm)


@pytest.fixture
def far_llm() -> Iterator[LlmServer]:
    """The same in a thread of its own, for commands that run a loop themselves."""
    with background_server(answers(completion())) as server:
        yield server
