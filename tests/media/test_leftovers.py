"""Folders for temporary files, and those that a killed process has left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from twitter_tool.media import leftovers
from twitter_tool.media.leftovers import LOCK, OLD_S, PREFIX, NoFolder, clip_folder, sweep

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be told from another there")
KILLED = """
import os, signal
from twitter_tool.media.leftovers import clip_folder
with clip_folder() as folder:
    (folder / "clip.mp4").write_bytes(b"x" * 1000)
    print(folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(leftovers, "_swept", set())
    return tmp_path


def killed(place: Path) -> Path:
    """The folder of a process that was killed in the middle of its work."""
    environ = {**os.environ, "TMPDIR": str(place)}
    told = subprocess.run([sys.executable, "-c", KILLED], env=environ, capture_output=True, text=True, check=False)
    return Path(told.stdout.strip())


def test_a_folder_is_gone_after_its_use(place: Path) -> None:
    """With everything in it."""
    with clip_folder() as folder:
        assert folder.parent == place
        (folder / "clip.mp4").write_bytes(b"x")
    assert list(place.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next_one(place: Path) -> None:
    """A clip may be large, and nobody else would find it."""
    left = killed(place)
    assert (left / "clip.mp4").exists()
    with clip_folder() as folder:
        assert list(place.iterdir()) == [folder]


def test_a_folder_in_use_stays(place: Path) -> None:
    """Also that of another thread, and one that has just been made and is not locked yet."""
    young = place / f"{PREFIX}young"
    young.mkdir()
    with clip_folder() as folder:
        assert sweep(place) == 0
        assert folder.exists()
    assert young.exists()


def test_a_folder_that_was_never_locked_goes_when_it_is_old(place: Path) -> None:
    """Its process ended before it could lock it."""
    old = place / f"{PREFIX}old"
    old.mkdir()
    os.utime(old, (0, os.path.getmtime(old) - OLD_S - 60))
    assert sweep(place) == 1
    assert not old.exists()


def test_nothing_else_is_touched(place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Neither what a link leads to, nor files, nor folders of another name."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / LOCK).touch()
    (elsewhere / "precious").touch()
    (place / f"{PREFIX}link").symlink_to(elsewhere)
    (place / f"{PREFIX}file").touch()
    other = place / "other-folder"
    other.mkdir()
    (other / LOCK).touch()
    assert sweep(place) == 0
    assert (elsewhere / "precious").exists()
    assert other.exists()


def test_a_lock_that_is_a_link_is_not_followed(place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Somebody else may have put it there."""
    target = tmp_path_factory.mktemp("elsewhere") / "file"
    target.touch()
    folder = place / f"{PREFIX}odd"
    folder.mkdir()
    (folder / LOCK).symlink_to(target)
    assert sweep(place) == 0
    assert folder.exists()


def test_a_place_that_is_not_there_is_told_in_plain_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a path."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(NoFolder, match=r"no folder for temporary files can be made") as caught, clip_folder():
        pass
    assert str(tmp_path) not in str(caught.value)
    assert sweep(tmp_path / "gone") == 0
