"""What the tests of the command line share besides fixtures."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

PYTHON = sys.executable


@dataclass(frozen=True)
class Outcome:
    """What one command line gave."""

    code: int
    out: str
    err: str


def plain_environment(home: Path) -> dict[str, str]:
    """The least that a process needs."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "TZ": "UTC"}
