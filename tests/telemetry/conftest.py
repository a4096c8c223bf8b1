"""A host that traces: the SDK, with what it collects kept in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from traced_calls import Spans

EXPORTER = InMemorySpanExporter()


@pytest.fixture(scope="session")
def provider() -> Iterator[TracerProvider]:
    """The one of the process: OpenTelemetry takes no second one."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(EXPORTER))
    trace.set_tracer_provider(provider)
    yield provider
    provider.shutdown()


@pytest.fixture
def spans(provider: TracerProvider) -> Iterator[Spans]:
    """What was finished during the test."""
    EXPORTER.clear()
    yield Spans(EXPORTER)
    EXPORTER.clear()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder is the home, and both are empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path
