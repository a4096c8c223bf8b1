from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from answer_samples import recordings

from twitter_tool.output import evidence as evidence_module
from twitter_tool.output.delivery import Delivery


@pytest.fixture
async def recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Delivery]:
    """What is delivered from every recorded body that gives a result."""
    found: list[Delivery] = []
    items = evidence_module.items

    def seen(delivery: Delivery, *more: Any) -> list[dict[str, Any]]:
        found.append(delivery)
        return items(delivery, *more)

    monkeypatch.setattr(evidence_module, "items", seen)
    for named in recordings.NAMED:
        name, _, case = named.partition("/")
        await recordings.replay(name, recordings.CASES[name][case], tmp_path)
    return found
