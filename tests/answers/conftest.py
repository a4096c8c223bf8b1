from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from twitter_tool.output import evidence as evidence_module
from twitter_tool.output.delivery import Delivery


def _recordings() -> ModuleType:
    """The module that replays the recorded bodies."""
    spec = importlib.util.spec_from_file_location("recordings", Path(__file__).parent.parent / "test_samples.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["recordings"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
async def recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Delivery]:
    """What is delivered from every recorded body that gives a result."""
    samples = _recordings()
    found: list[Delivery] = []
    items = evidence_module.items

    def seen(delivery: Delivery) -> list[dict[str, Any]]:
        found.append(delivery)
        return items(delivery)

    monkeypatch.setattr(evidence_module, "items", seen)
    for named in samples.NAMED:
        name, _, case = named.partition("/")
        await samples.replay(name, samples.CASES[name][case], tmp_path)
    return found
