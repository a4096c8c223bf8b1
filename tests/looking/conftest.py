"""Far from the settings and keys of whoever runs the tests; a model and services for speech and video to talk to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from looking_calls import (
    Clips,
    LlmServer,
    SpeechService,
    VideoProvider,
    any_ffmpeg,
    completion,
    llm_answers,
    providing,
    serving,
    speech_service,
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder is the home, and both are empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    """Every clip of the session."""
    return Clips(tmp_path_factory.mktemp("clips"), any_ffmpeg())


@pytest.fixture
async def llm() -> AsyncIterator[LlmServer]:
    """A model that always says the same."""
    async with serving(llm_answers(completion())) as server:
        yield server


@pytest.fixture
async def provider() -> AsyncIterator[VideoProvider]:
    """A service that watches videos."""
    async with providing() as served:
        yield served


@pytest.fixture
def speech() -> Iterator[SpeechService]:
    """A service that transcribes."""
    with speech_service() as served:
        yield served
