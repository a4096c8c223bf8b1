"""Keeping what was downloaded in a folder of the user's, named by the post that it belongs to."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from twitter_tool.links import is_post_id
from twitter_tool.media.values import Picture, PictureKind
from twitter_tool.text import line

UNKNOWN: Final = "post-unknown"
MAX_COPIES: Final = 1_000
"""Files of one name with different content; beyond them something is wrong."""
_TYPES: Final = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpg"))
_CHUNK: Final = 1024 * 1024
_DIGEST_CHARS: Final = 16
_WORDS_CAP: Final = 200


class MediaSaver:
    """Writes pictures and clips of one call into a folder; what cannot be written is told, never raised.

    A file appears whole or not at all. One that is there already stays as it is: with the same content nothing is
    written, with another one the new file gets a further number. A big clip takes a moment, so hand it over in a
    thread.

    Args:
        folder: made when something is saved.

    Attributes:
        failures: one plain sentence for each file that could not be saved, and one when the folder cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers: Counter[tuple[str, str]] = Counter()
        self._files: dict[Path, None] = {}
        self._ready: bool | None = None
        self.failures: list[str] = []

    @property
    def files(self) -> tuple[Path, ...]:
        """Where each thing of this call is, in order; some may have been there before."""
        return tuple(self._files)

    @property
    def saved(self) -> int:
        """How many files there are of this call."""
        return len(self._files)

    def picture(
        self,
        post_id: str | None,
        picture: Picture | bytes,
        kind: PictureKind | None = None,
        number: int | None = None,
    ) -> Path | None:
        """Save an encoded picture, for example as ``1234-photo-1.jpg``; returns where it is.

        Args:
            post_id: of the post that it belongs to; anything but digits is replaced by a digest of it.
            kind: of bytes, ``photo`` when left out; a :class:`Picture` knows its own.
            number: among those of this kind in the post, from 1; counted here when left out.
        """
        if isinstance(picture, Picture):
            data, kind = picture.data, kind or picture.kind
        else:
            data, kind = picture, kind or "photo"
        ending = next((ending for start, ending in _TYPES if data.startswith(start)), "bin")

        def write(file: BinaryIO) -> None:
            file.write(data)

        return self._save(post_id, kind, number, ending, write)

    def clip(self, post_id: str | None, path: Path, number: int | None = None) -> Path | None:
        """Save a copy of a downloaded clip, for example as ``1234-video-1.mp4``; returns where it is."""

        def write(file: BinaryIO) -> None:
            with path.open("rb") as source:
                shutil.copyfileobj(source, file, _CHUNK)

        return self._save(post_id, "video", number, "mp4", write)

    def _save(
        self, post_id: str | None, kind: str, number: int | None, ending: str, write: Callable[[BinaryIO], None]
    ) -> Path | None:
        owner = _owner(post_id)
        if number is None:
            self._numbers[owner, kind] += 1
            number = self._numbers[owner, kind]
        name = f"{owner}-{kind}-{number}"
        if not self._is_ready():
            return None
        part = self._folder / f".{name}.{secrets.token_hex(4)}.part"
        try:
            try:
                with _new_file(part) as file:
                    write(file)
                path = self._placed(part, name, ending)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(part)
        except OSError as error:
            self.failures.append(f"{name}.{ending} could not be saved: {_words(error)}")
            return None
        self._files[path] = None
        return path

    def _placed(self, part: Path, name: str, ending: str) -> Path:
        """Give a written file its name, without taking one that belongs to something else."""
        for copy in range(1, MAX_COPIES + 1):
            path = self._folder / (f"{name}.{ending}" if copy == 1 else f"{name}-{copy}.{ending}")
            if _same(part, path) or _given(part, path):
                return path
        raise OSError(0, "there are too many files of this name")

    def _is_ready(self) -> bool:
        if self._ready is None:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._ready = True
            except (OSError, ValueError) as error:
                self._ready = False
                self.failures.append(f"the folder for media could not be made: {_words(error)}")
        return self._ready


def _owner(post_id: str | None) -> str:
    if not post_id:
        return UNKNOWN
    if is_post_id(post_id):
        return post_id
    return f"post-{hashlib.sha256(post_id.encode('utf-8', 'replace')).hexdigest()[:_DIGEST_CHARS]}"


def _new_file(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666), "wb")


def _given(part: Path, path: Path) -> bool:
    """Whether a file got a name that nothing had."""
    try:
        os.link(part, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links: the name is looked at first, and taken a moment later
        if os.path.lexists(path):
            return False
        os.rename(part, path)
    return True


def _same(part: Path, path: Path) -> bool:
    """Whether the very content stands there already, in a file of its own and not behind a link."""
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_size != os.lstat(part).st_size:
            return False
        with part.open("rb") as one, path.open("rb") as other:
            while piece := one.read(_CHUNK):
                if piece != other.read(_CHUNK):
                    return False
        return True
    except OSError:  # absent, or of somebody who does not let us read it
        return False


def _words(error: OSError | ValueError) -> str:
    said = getattr(error, "strerror", None) or "the path is not valid"
    return line(said[:1].lower() + said[1:], _WORDS_CAP)
