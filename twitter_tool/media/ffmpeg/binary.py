"""Where the program is: named in the settings, on the search path, or inside an installed package."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from twitter_tool import extras

CARRIER: Final = "imageio_ffmpeg"
"""A package that brings the program along."""
BUILDER: Final = "ffmpeg"
"""The package that ``ffmpeg-python`` brings; others take the same name."""


def find_ffmpeg(configured: str | None) -> str | None:
    """The absolute path of the program, or ``None``. Nothing is run, imported or downloaded.

    Args:
        configured: an absolute path or a name to look for on the search path; when it is given, nothing else is taken.
    """
    if not builder_installed():
        return None
    if configured:
        path = os.path.expanduser(configured)
        return _runnable(Path(path)) if os.path.isabs(path) else _on_path(path)
    return _on_path("ffmpeg") or _carried()


def ffmpeg_gap(configured: str | None) -> str | None:
    """Why the program cannot be used, as a clause that says what to do; ``None`` when it can be."""
    if find_ffmpeg(configured) is not None:
        return None
    if not builder_installed():
        return f"the package ffmpeg-python is not installed; run {extras.MEDIA}"
    if configured:
        return "ffmpeg_path names no program that can be run; correct it, or remove it to have ffmpeg found"
    return f"ffmpeg was not found; install it, or run {extras.MEDIA}"


def builder_installed() -> bool:
    """Whether ``ffmpeg-python`` is there, which makes the program's arguments."""
    return any((place / "_ffmpeg.py").is_file() for place in _places(BUILDER))


def _on_path(name: str) -> str | None:
    # A relative entry would run whatever lies in the folder that the caller happens to be in.
    entries = [entry for entry in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(entry)]
    found = shutil.which(name, path=os.pathsep.join(entries)) if entries else None
    return _runnable(Path(found)) if found is not None and os.path.isabs(found) else None


def _carried() -> str | None:
    for place in _places(CARRIER):
        for path in sorted((place / "binaries").glob("ffmpeg-*")):
            if found := _runnable(path):
                return found
    return None


def _runnable(path: Path) -> str | None:
    return str(path) if path.is_file() and os.access(path, os.X_OK) else None


def _places(package: str) -> list[Path]:
    try:
        spec = find_spec(package)
    except ValueError:  # a module of that name was put in place by hand
        return []
    return [] if spec is None else [Path(place) for place in spec.submodule_search_locations or ()]
