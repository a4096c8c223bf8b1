"""Keeping downloaded media: names, what is never overwritten, and what happens when the disk says no."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twitter_tool.media import save as module
from twitter_tool.media.save import MediaSaver
from twitter_tool.media.values import Picture

PNG = b"\x89PNG\r\n\x1a\n" + b"one"
JPEG = b"\xff\xd8\xff\xe0" + b"two"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where media is kept; not there yet."""
    return tmp_path / "kept" / "media"


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """A downloaded clip."""
    path = tmp_path / "clip"
    path.write_bytes(b"ftyp" * 1_000_000)
    return path


def held(folder: Path) -> dict[str, bytes]:
    """Every file of a folder with its content, hidden ones included."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def picture(data: bytes, **attributes: object) -> Picture:
    """A picture as the loader gives it."""
    mime = "image/png" if data.startswith(b"\x89") else "image/jpeg"
    return Picture(**{"kind": "photo", "mime": mime, "data": data, "width": 1, "height": 1} | attributes)


def test_files_are_named_by_the_post_the_kind_and_a_number(folder: Path, clip: Path) -> None:
    """The ending is that of the content."""
    saver = MediaSaver(folder)
    assert saver.picture("1234", picture(JPEG)) == folder / "1234-photo-1.jpg"
    saver.picture("1234", picture(PNG))
    saver.picture("99", picture(PNG, kind="poster"))
    saver.picture("99", picture(JPEG, kind="frame", frame=(3, 8, 1.5)), number=3)
    assert saver.clip("1234", clip) == folder / "1234-video-1.mp4"
    assert held(folder) == {
        "1234-photo-1.jpg": JPEG,
        "1234-photo-2.png": PNG,
        "99-poster-1.png": PNG,
        "99-frame-3.jpg": JPEG,
        "1234-video-1.mp4": clip.read_bytes(),
    }
    assert (saver.saved, saver.failures) == (5, [])
    assert saver.files[-1] == folder / "1234-video-1.mp4"
    assert clip.exists()


def test_bytes_may_be_given_with_their_kind(folder: Path) -> None:
    """What is no known picture gets an ending that nothing opens by itself."""
    saver = MediaSaver(folder)
    saver.picture("1", JPEG, "poster", 2)
    saver.picture("1", PNG)
    saver.picture("1", b"<html>")
    assert set(held(folder)) == {"1-poster-2.jpg", "1-photo-1.png", "1-photo-2.bin"}


def test_a_post_without_an_id_has_a_name_too(folder: Path) -> None:
    """Some listings send none."""
    saver = MediaSaver(folder)
    saver.picture(None, PNG)
    saver.picture("", JPEG)
    assert set(held(folder)) == {"post-unknown-photo-1.png", "post-unknown-photo-2.jpg"}


@given(post_id=st.text(st.characters(exclude_categories=()), max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_no_id_leads_out_of_the_folder(tmp_path: Path, post_id: str) -> None:
    """It comes from the network; only digits become part of a name."""
    folder = tmp_path / "media"
    shutil.rmtree(folder, ignore_errors=True)
    saver = MediaSaver(folder)
    path = saver.picture(post_id, PNG)
    assert saver.failures == []
    assert path is not None
    assert path.parent == folder
    assert [path.name] == os.listdir(folder)
    assert sorted(os.listdir(tmp_path)) == ["media"]


@pytest.mark.parametrize("post_id", ["../../etc/passwd", "/etc/passwd", "a/b", "..", "x\0y", "12-34", "-rf", "٣"])
def test_an_id_that_is_no_number_is_replaced_by_a_digest(folder: Path, post_id: str) -> None:
    """Two of them stay apart, and one keeps its name from call to call."""
    first, second = MediaSaver(folder), MediaSaver(folder)
    path = first.picture(post_id, PNG)
    assert path is not None
    assert path.name.startswith("post-")
    assert post_id not in path.name
    assert second.picture(post_id, PNG) == path
    assert second.picture(f"{post_id}x", PNG) != path


def test_the_same_content_is_left_alone(folder: Path, clip: Path) -> None:
    """A second run over the same posts changes nothing, not even the times."""
    for number in range(2):
        saver = MediaSaver(folder)
        saver.picture("1", JPEG)
        saver.clip("1", clip)
        assert saver.saved == 2
        if number == 0:
            for path in saver.files:
                os.utime(path, (1, 1))
    assert {path.stat().st_mtime for path in folder.iterdir()} == {1.0}


def test_other_content_gets_a_further_number(folder: Path) -> None:
    """Nothing that is in the folder is ever overwritten."""
    folder.mkdir(parents=True)
    (folder / "1-photo-1.jpg").write_bytes(b"my own work")
    for _ in range(2):
        assert MediaSaver(folder).picture("1", JPEG) == folder / "1-photo-1-2.jpg"
    changed = JPEG[:-1] + b"!"
    assert MediaSaver(folder).picture("1", changed) == folder / "1-photo-1-3.jpg"
    assert held(folder) == {"1-photo-1.jpg": b"my own work", "1-photo-1-2.jpg": JPEG, "1-photo-1-3.jpg": changed}


def test_a_link_in_the_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    """Neither to write there nor to be taken for the same content."""
    folder.mkdir(parents=True)
    target = tmp_path / "target"
    content = JPEG.ljust(len(str(target)), b"!")  # as long as the link itself
    target.write_bytes(content)
    (folder / "1-photo-1.jpg").symlink_to(target)
    (folder / "1-photo-1-2.jpg").symlink_to(tmp_path / "nothing")
    assert MediaSaver(folder).picture("1", content) == folder / "1-photo-1-3.jpg"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "target"]


def test_a_file_system_without_links_will_do(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on many memory cards."""

    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    folder.mkdir(parents=True)
    (folder / "1-photo-1.jpg").write_bytes(b"my own work")
    assert MediaSaver(folder).picture("1", JPEG) == folder / "1-photo-1-2.jpg"
    assert held(folder) == {"1-photo-1.jpg": b"my own work", "1-photo-1-2.jpg": JPEG}


def test_a_file_that_cannot_be_written_whole_is_not_there_at_all(
    folder: Path, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The failure is told in plain words, and the rest goes on."""

    def full(source: object, file: object, size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    saver = MediaSaver(folder)
    assert saver.clip("1", clip) is None
    saver.picture("1", PNG)
    assert saver.failures == ["1-video-1.mp4 could not be saved: no space left on device"]
    assert (list(held(folder)), saver.saved) == (["1-photo-1.png"], 1)


def test_a_clip_that_is_gone_is_a_failure(folder: Path, tmp_path: Path) -> None:
    """The call that owned it was given up in the meantime."""
    saver = MediaSaver(folder)
    assert saver.clip("1", tmp_path / "gone") is None
    assert saver.failures == ["1-video-1.mp4 could not be saved: no such file or directory"]
    assert held(folder) == {}


@pytest.mark.parametrize("name", ["file", "file/below", "\0"])
def test_a_folder_that_cannot_be_made_is_told_once(tmp_path: Path, clip: Path, name: str) -> None:
    """Not with every picture again."""
    (tmp_path / "file").touch()
    saver = MediaSaver(tmp_path / name)
    saver.picture("1", PNG)
    saver.clip("1", clip)
    (told,) = saver.failures
    assert told.startswith("the folder for media could not be made: ")
    assert saver.saved == 0


def test_a_name_that_is_taken_too_often_is_given_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would take ever longer to find a free one."""
    monkeypatch.setattr(module, "MAX_COPIES", 2)
    for content in (b"a", b"b"):
        MediaSaver(folder).picture("1", content)
    saver = MediaSaver(folder)
    assert saver.picture("1", b"c") is None
    assert saver.failures == ["1-photo-1.bin could not be saved: there are too many files of this name"]


@pytest.mark.skipif(os.name != "posix", reason="rights of files are a matter of POSIX systems")
def test_saved_files_have_the_rights_of_any_new_file(folder: Path) -> None:
    """They are the user's to share."""
    before = os.umask(0o027)
    try:
        path = MediaSaver(folder).picture("1", PNG)
    finally:
        os.umask(before)
    assert path is not None
    assert path.stat().st_mode & 0o777 == 0o640
