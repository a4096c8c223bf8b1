"""Every test has its own home and working directory; the real ones are never looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from twitter_tool import config
from twitter_tool.config import Loaded
from twitter_tool.config.files import FileStatus


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home folder."""
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """An empty working directory."""
    path = tmp_path / "work"
    path.mkdir()
    return path


@pytest.fixture
def load(home: Path, cwd: Path) -> Callable[..., Loaded]:
    """Load settings in the test's folders.

    ``user`` and ``project`` are the texts of the files; ``environ`` is added to a bare environment.
    """
    where = cwd

    def load_here(
        *,
        user: str | None = None,
        project: str | None = None,
        environ: Mapping[str, str] | None = None,
        cwd: Path = where,
        **rest: Any,
    ) -> Loaded:
        given = {"HOME": str(home), **(environ or {})}
        if user is not None:
            given["TWITTER_TOOL_CONFIG"] = str(home / "user.toml")
            (home / "user.toml").write_text(user, encoding="utf-8")
        if project is not None:
            (cwd / ".twitter-tool.toml").write_text(project, encoding="utf-8")
        return config.load(cwd=cwd, environ=given, **rest)

    return load_here


@pytest.fixture
def nothing_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are only named, never read: for tests that must not see what the machine has."""

    def named_only(path: Path, level: Any) -> tuple[FileStatus, dict[str, Any]]:
        return FileStatus(path=path, level=level, status="missing"), {}

    monkeypatch.setattr("twitter_tool.config.loading.read_file", named_only)
