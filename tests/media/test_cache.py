"""The private cache of video text: what it gives back, who can read it, and what it survives."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from cache_calls import SAID, Days, cache_in, video, writer
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.clock import SYSTEM_CLOCK
from twitter_tool.media import cache as module
from twitter_tool.media import cache_file
from twitter_tool.media.cache import MAX_CHARS, CacheFacts, EvidenceCache, Kept, cache_folder, cache_key
from twitter_tool.text import block

URL = "https://video.twimg.com/ext_tw_video/77/pu/vid/avc1/320x568/a.mp4"
NAME = "evidence.sqlite"
posix_only = pytest.mark.skipif(os.name != "posix", reason="rights of files are a matter of POSIX systems")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the cache lies; not there yet."""
    return tmp_path / "cache" / "twitter-tool"


def mode(path: Path) -> int:
    """The rights of a file or folder."""
    return stat.S_IMODE(path.lstat().st_mode)


def names(folder: Path) -> list[str]:
    """What lies in the folder besides the lock."""
    return sorted(path.name for path in folder.iterdir() if path.name != "evidence.lock")


def made(folder: Path, rights: int = 0o700) -> None:
    """Make the folder by hand, whatever the umask."""
    folder.mkdir(parents=True)
    folder.chmod(rights)


def there(path: Path) -> bool:
    """Whether something is at a path."""
    return os.path.lexists(path)


def aside(folder: Path) -> list[Path]:
    """The files that were set aside."""
    return sorted(folder.glob("*.corrupt-*"))


@contextmanager
def umask(value: int) -> Iterator[None]:
    """With another umask."""
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


async def test_what_was_kept_is_given_back(folder: Path) -> None:
    """Also to a later call, with everything that it says."""
    await cache_in(folder).put("a", SAID)
    later = cache_in(folder)
    assert await later.get("a") == SAID
    assert await later.get("b") is None
    assert (later.trouble, later.usable) == (None, True)


async def test_silence_is_something_that_is_known(folder: Path) -> None:
    """It saves the same work as a transcript."""
    cache = cache_in(folder)
    await cache.put("a", Kept(method="stt", silent=True))
    assert await cache.get("a") == Kept(method="stt", silent=True)


async def test_what_tells_nothing_is_not_kept(folder: Path) -> None:
    """A failed attempt must be made again next time; no file is made for it."""
    await cache_in(folder).put("a", Kept(method="stt", transcript=block("  "), visual=None))
    assert not there(folder)


async def test_looking_makes_no_file(folder: Path) -> None:
    """Neither a look-up nor a question about the state."""
    cache = cache_in(folder)
    assert await cache.get("a") is None
    assert cache.facts() == CacheFacts(path=folder / NAME, days=30)
    assert cache.clear() == 0
    assert not there(folder)
    made(folder)
    assert await cache.get("a") is None
    assert cache.clear() == 0
    assert not (folder / NAME).exists()


async def test_the_later_text_of_a_video_takes_the_place_of_the_earlier_one(folder: Path) -> None:
    """There is one for each key."""
    cache = cache_in(folder)
    await cache.put("a", SAID)
    await cache.put("a", Kept(method="stt", silent=True))
    assert await cache.get("a") == Kept(method="stt", silent=True)
    assert cache.facts().entries == 1


async def test_an_entry_is_valid_for_so_many_days_and_then_gone_from_the_file(folder: Path) -> None:
    """To the second, and even when nothing is kept any more."""
    days = Days()
    cache = cache_in(folder, days, valid=2)
    await cache.put("a", SAID)
    days.pass_by(days=2)
    assert await cache.get("a") == SAID
    days.pass_by(seconds=1)
    assert cache.facts() == CacheFacts(path=folder / NAME, expired=1, size=cache.facts().size, days=2)
    assert await cache.get("b") is None
    assert cache.facts().expired == 0
    assert b"hello" not in (folder / NAME).read_bytes()
    assert await cache.get("a") is None


async def test_an_expired_entry_is_never_given_back(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it could not be removed."""
    days = Days()
    cache = cache_in(folder, days, valid=2)
    await cache.put("a", SAID)
    days.pass_by(days=3)
    monkeypatch.setattr(module, "_ANY_STALE", "SELECT 1 WHERE ? > ?")
    assert await cache.get("a") is None


async def test_keeping_something_removes_what_expired(folder: Path) -> None:
    """What is deleted is overwritten in the file."""
    days = Days()
    cache = cache_in(folder, days, valid=2)
    await cache.put("a", SAID)
    days.pass_by(days=3)
    await cache.put("b", Kept(method="stt", silent=True))
    facts = cache.facts()
    assert (facts.entries, facts.expired) == (1, 0)
    assert b"hello" not in (folder / NAME).read_bytes()


async def test_an_entry_of_the_future_does_not_stay_for_ever(folder: Path) -> None:
    """A clock that was years ahead would have made it valid for years; a few hours are no fault."""
    days = Days()
    days.pass_by(days=1000)
    await cache_in(folder, days).put("a", SAID)
    days.pass_by(days=-1000)
    assert await cache_in(folder, days).get("a") is None
    days.pass_by(hours=12)
    await cache_in(folder, days).put("a", SAID)
    days.pass_by(hours=-12)
    assert await cache_in(folder, days).get("a") == SAID


async def test_the_oldest_entries_give_way(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file does not grow without end."""
    monkeypatch.setattr(module, "MAX_ENTRIES", 2)
    days = Days()
    cache = cache_in(folder, days)
    for key in "abc":
        await cache.put(key, SAID)
        days.pass_by(hours=1)
    assert [await cache.get(key) for key in "abc"] == [None, SAID, SAID]


async def test_the_facts_tell_how_much_there_is_and_how_old(folder: Path) -> None:
    """In whole, for people."""
    days = Days()
    cache = cache_in(folder, days)
    await cache.put("a", SAID)
    first = days.now
    days.pass_by(days=1)
    await cache.put("b", SAID)
    size = (folder / NAME).stat().st_size
    assert cache.facts() == CacheFacts(path=folder / NAME, entries=2, size=size, oldest=first, newest=days.now, days=30)


async def test_clearing_removes_the_file_and_what_was_set_aside(folder: Path) -> None:
    """And tells how many entries there were; the next call begins anew."""
    cache = cache_in(folder)
    await cache.put("a", SAID)
    (folder / NAME).write_bytes(b"not a database" * 100)
    await cache.put("b", SAID)
    await cache.put("c", SAID)
    assert names(folder) == [NAME, f"{NAME}.corrupt-1"]
    assert cache.clear() == 2
    assert names(folder) == []
    await cache.put("d", SAID)
    assert await cache.get("d") == SAID


def test_clearing_a_damaged_file_removes_it(folder: Path) -> None:
    """It holds no entry that can be counted."""
    made(folder)
    (folder / NAME).write_bytes(b"damaged")
    cache = cache_in(folder)
    assert cache.clear() == 0
    assert names(folder) == []
    assert cache.usable


@posix_only
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777], ids=oct)
async def test_only_the_owner_can_read_what_is_kept_whatever_the_umask(folder: Path, mask: int) -> None:
    """The folder, those made above it, the file, and what is set aside."""
    with umask(mask):
        cache = cache_in(folder)
        await cache.put("a", SAID)
        assert await cache.get("a") == SAID
        (folder / NAME).write_bytes(b"damaged")
        await cache.put("b", SAID)
        assert await cache.get("b") == SAID
    assert [mode(folder.parent), mode(folder)] == [0o700, 0o700]
    assert {name: mode(folder / name) for name in os.listdir(folder)} == {
        NAME: 0o600,
        f"{NAME}.corrupt-1": 0o600,
        "evidence.lock": 0o600,
    }


@posix_only
async def test_what_sqlite_writes_beside_the_file_is_private_too(folder: Path) -> None:
    """Its journal holds pieces of the text while something is being written."""
    with umask(0):
        await cache_in(folder).put("a", SAID)
        with closing(sqlite3.connect(folder / NAME, isolation_level=None)) as file:
            file.execute("BEGIN IMMEDIATE")
            file.execute("UPDATE evidence SET transcript = 'x'")
            journal = folder / f"{NAME}-journal"
            assert mode(journal) == 0o600
            file.execute("ROLLBACK")


@posix_only
async def test_rights_are_there_from_the_first_moment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can open the file before it is closed to them."""
    seen: list[int] = []
    make = os.open

    def watched(path: str, flags: int, mode: int = 0o777, **rest: int) -> int:
        if flags & os.O_CREAT:
            seen.append(mode)
        return make(path, flags, mode, **rest)

    monkeypatch.setattr(os, "open", watched)
    with umask(0):
        await cache_in(folder).put("a", SAID)
    assert set(seen) == {0o600}


@posix_only
async def test_a_folder_that_holds_nothing_else_is_closed_to_others(folder: Path) -> None:
    """It was made by hand, with the rights that folders usually have."""
    made(folder, 0o755)
    await cache_in(folder).put("a", SAID)
    assert mode(folder) == 0o700
    os.chmod(folder, 0o755)
    (folder / NAME).chmod(0o644)
    assert await cache_in(folder).get("a") == SAID
    assert (mode(folder), mode(folder / NAME)) == (0o700, 0o600)


@posix_only
async def test_a_folder_that_holds_other_things_stays_as_it_is(folder: Path) -> None:
    """Others may have a reason to look into it; the file is closed to them in any case."""
    made(folder, 0o755)
    (folder / "photo.jpg").touch()
    await cache_in(folder).put("a", SAID)
    assert (mode(folder), mode(folder / NAME)) == (0o755, 0o600)


def linked_folder(folder: Path) -> None:
    """A link where the folder should be."""
    elsewhere = folder.with_name("elsewhere")
    elsewhere.mkdir(parents=True, mode=0o700)
    folder.symlink_to(elsewhere, target_is_directory=True)


def open_folder(folder: Path) -> None:
    """A folder that everybody may write to."""
    folder.mkdir(parents=True)
    folder.chmod(0o777)


def group_folder(folder: Path) -> None:
    """A folder that its group may write to."""
    folder.mkdir(parents=True)
    folder.chmod(0o770)


def linked_file(folder: Path) -> None:
    """A link where the file should be."""
    folder.mkdir(parents=True, mode=0o700)
    target = folder / "evidence.target"
    shutil.copyfile(__file__, target)
    (folder / NAME).symlink_to(target)


def dangling_link(folder: Path) -> None:
    """A link to nothing, through which a file could be made elsewhere."""
    folder.mkdir(parents=True, mode=0o700)
    (folder / NAME).symlink_to(folder.parent / "elsewhere")


def linked_lock(folder: Path) -> None:
    """A link where the lock should be."""
    folder.mkdir(parents=True, mode=0o700)
    (folder / NAME).touch(mode=0o600)
    (folder / "evidence.lock").symlink_to(folder.parent / "elsewhere")


def file_in_the_way(folder: Path) -> None:
    """A file where the folder should be."""
    folder.parent.mkdir(parents=True)
    folder.touch()


def file_above(folder: Path) -> None:
    """A file where the folder above should be."""
    folder.parent.touch()


def folder_in_the_way(folder: Path) -> None:
    """A folder where the file should be."""
    (folder / NAME).mkdir(parents=True)
    folder.chmod(0o700)


@posix_only
@pytest.mark.parametrize(
    ("prepare", "why"),
    [
        (linked_folder, "its folder is a link or a file"),
        (open_folder, "others may write to its folder"),
        (group_folder, "others may write to its folder"),
        (linked_file, "its file is a link"),
        (dangling_link, "its file is a link"),
        (linked_lock, "its lock cannot be used"),
        (file_in_the_way, "its folder is a link or a file"),
        (file_above, "a file is in the way"),
        (folder_in_the_way, "its file is a link, or no regular file"),
    ],
)
async def test_a_place_that_others_could_have_prepared_is_not_used(
    folder: Path, prepare: Callable[[Path], None], why: str
) -> None:
    """Nothing is written, nothing is raised, and the reason can be disclosed."""
    prepare(folder)
    before = sorted(folder.parent.rglob("*")) if folder.parent.is_dir() else []
    cache = cache_in(folder)
    await cache.put("a", SAID)
    assert await cache.get("a") is None
    assert cache.clear() == 0
    assert cache.facts().entries == 0
    assert (sorted(folder.parent.rglob("*")) if folder.parent.is_dir() else []) == before
    assert not cache.usable
    assert cache.trouble is not None
    assert why in cache.trouble
    assert str(folder) not in cache.trouble


@posix_only
@pytest.mark.parametrize("whose", ["folder", "file"])
async def test_what_belongs_to_somebody_else_is_not_used(
    folder: Path, whose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner could change it at any time."""
    await cache_in(folder).put("a", SAID)
    path = folder if whose == "folder" else folder / NAME
    look = os.lstat

    def foreign(asked: object, **rest: object) -> object:
        found = look(asked, **rest)
        values = list(found)
        if asked == path:
            values[stat.ST_UID] = os.geteuid() + 1
        return os.stat_result(values)

    monkeypatch.setattr(os, "lstat", foreign)
    cache = cache_in(folder)
    assert await cache.get("a") is None
    assert cache.trouble == f"the private cache of video text was not used: its {whose} belongs to somebody else"


@pytest.mark.parametrize("name", ["relative/folder", "~", "\0"])
async def test_a_path_that_leads_nowhere_is_refused(name: str) -> None:
    """A relative one would be another place in every working directory."""
    cache = cache_in(Path(name) if name != "\0" else Path("/\0/x"))
    await cache.put("a", SAID)
    assert (await cache.get("a"), cache.usable) == (None, False)
    assert cache.trouble


def refused(*_: object, **__: object) -> None:
    """In place of a function of the system that fails."""
    raise PermissionError(errno.EPERM, "Operation not permitted")


@posix_only
@pytest.mark.parametrize(
    ("function", "state", "why"),
    [
        ("mkdir", "nothing", "its folder cannot be used"),
        ("lstat", "nothing", "its folder cannot be used"),
        ("rename", "nothing", "its file cannot be made"),
        ("rename", "damaged", "its damaged file cannot be set aside"),
        ("open", "kept", "its lock cannot be used"),
        ("chmod", "readable", "it cannot be closed to others"),
        ("listdir", "readable", "its folder cannot be read"),
    ],
)
async def test_a_refusal_of_the_system_is_disclosed_in_its_words(
    folder: Path, function: str, state: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the path; the call goes on without the cache."""
    if state != "nothing":
        await cache_in(folder).put("a", SAID)
    if state == "damaged":
        replaced(folder / NAME)
    if state == "readable":
        os.chmod(folder, 0o755)
    cache = cache_in(folder)
    with monkeypatch.context() as patched:
        patched.setattr(os, function, refused)
        await cache.put("b", SAID)
    assert cache.trouble == f"the private cache of video text was not used: {why}: operation not permitted"
    assert not cache.usable


async def test_what_cannot_be_removed_is_disclosed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody must believe that the text is gone."""
    await cache_in(folder).put("a", SAID)
    cache = cache_in(folder)
    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", refused)
        assert cache.clear() == 0
    assert not cache.usable
    assert "it cannot be removed: operation not permitted" in (cache.trouble or "")


async def test_a_database_that_cannot_be_made_is_disclosed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For example on a full disk; nothing of it is left in the way."""
    monkeypatch.setattr(cache_file, "_SCHEMA", (("x", "CREATE NOTHING"),))
    cache = cache_in(folder)
    await cache.put("a", SAID)
    assert "its file cannot be made: it failed for an unknown reason" in (cache.trouble or "")
    monkeypatch.undo()
    await cache_in(folder).put("a", SAID)
    assert names(folder) == [NAME]


def cut(path: Path) -> None:
    """The second half is missing."""
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def scribbled(path: Path) -> None:
    """Pages hold nonsense behind a sound beginning."""
    data = path.read_bytes()
    path.write_bytes(data[:100] + b"\xa5" * (len(data) - 100))


def emptied(path: Path) -> None:
    """Nothing is in it."""
    path.write_bytes(b"")


def replaced(path: Path) -> None:
    """It is something else."""
    path.write_bytes(b"# notes\n" * 1000)


def foreign(path: Path) -> None:
    """A database of another program."""
    path.unlink()
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE evidence (key, kept_at, method, transcript, visual, silent)")
        file.commit()
    path.chmod(0o600)


def booby_trapped(path: Path) -> None:
    """The right table, and a trigger that runs when something is kept."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TRIGGER t AFTER INSERT ON evidence BEGIN DELETE FROM evidence; END")
        file.commit()


def of_another_version(path: Path) -> None:
    """Made by a later release."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 99")
        file.commit()


def huge_value(path: Path) -> None:
    """A text of many megabytes."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE evidence SET transcript = ?", ("x" * 3_000_000,))
        file.commit()


@pytest.mark.parametrize(
    ("harm", "word"),
    [
        (cut, "was damaged"),
        (scribbled, "was damaged"),
        (emptied, "is no cache of this tool"),
        (replaced, "was damaged"),
        (foreign, "is no cache of this tool"),
        (booby_trapped, "is no cache of this tool"),
        (of_another_version, "was written by another version of the tool"),
        (huge_value, "was damaged"),
    ],
)
@pytest.mark.parametrize("first", ["get", "put"])
async def test_a_damaged_file_is_set_aside_and_another_one_begins(
    folder: Path, harm: Callable[[Path], None], word: str, first: str
) -> None:
    """Nothing is raised, the damage is told once, and the cache goes on working."""
    await cache_in(folder).put("a", SAID)
    harm(folder / NAME)
    harmed = (folder / NAME).read_bytes()
    cache = cache_in(folder)
    if first == "get":
        assert await cache.get("a") is None
    elif harm is not huge_value:  # one entry that is not looked at harms nobody
        await cache.put("b", SAID)
    assert await cache.get("a") is None
    await cache.put("c", SAID)
    assert await cache.get("c") == SAID
    assert (folder / f"{NAME}.corrupt-1").read_bytes() == harmed
    assert cache.trouble == (
        f"the private cache of video text {word} and was set aside as {NAME}.corrupt-1; a new one begins"
    )
    assert cache.usable
    assert cache_in(folder).facts().entries == (2 if first == "put" and harm is not huge_value else 1)


async def test_a_file_that_is_damaged_again_and_again_is_given_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something is wrong that a new file does not mend."""

    def damaged(path: Path) -> None:
        raise cache_file.Damaged("was damaged")

    monkeypatch.setattr(module, "opened", damaged)
    cache = cache_in(folder)
    await cache.put("a", SAID)
    assert not cache.usable
    assert len(aside(folder)) <= cache_file.KEPT_ASIDE


@posix_only
@pytest.mark.parametrize("start", ["nothing", "damaged"])
def test_whoever_comes_second_does_not_replace_what_the_first_one_made(
    folder: Path, start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both found no usable file; in between, the other one has made a new one and written to it."""
    if start == "damaged":
        made(folder)
        (folder / NAME).write_bytes(b"damaged" * 1000)
    lock = module.locked

    @contextmanager
    def late(place: Path, *, alone: bool) -> Iterator[None]:
        if alone:
            monkeypatch.setattr(module, "locked", lock)
            asyncio.run(cache_in(folder).put("first", SAID))
        with lock(place, alone=alone):
            yield

    monkeypatch.setattr(module, "locked", late)
    second = cache_in(folder)
    asyncio.run(second.put("second", SAID))
    assert second.trouble is None
    assert [asyncio.run(cache_in(folder).get(key)) for key in ("first", "second")] == [SAID, SAID]
    assert len(aside(folder)) == (start == "damaged")


@posix_only
async def test_the_first_trouble_is_the_one_that_is_told(folder: Path) -> None:
    """What comes after it is mostly its consequence."""
    await cache_in(folder).put("a", SAID)
    replaced(folder / NAME)
    cache = cache_in(folder)
    await cache.get("a")
    os.chmod(folder, 0o777)
    await cache.put("b", SAID)
    assert not cache.usable
    assert "set aside" in (cache.trouble or "")


async def test_asking_about_a_damaged_file_sets_it_aside(folder: Path) -> None:
    """The command that shows the cache says so."""
    await cache_in(folder).put("a", SAID)
    replaced(folder / NAME)
    cache = cache_in(folder)
    assert cache.facts() == CacheFacts(path=folder / NAME, days=30)
    assert "set aside" in (cache.trouble or "")
    assert names(folder) == [f"{NAME}.corrupt-1"]


async def test_a_few_damaged_files_are_kept_and_the_oldest_gives_way(folder: Path) -> None:
    """They must not fill the disk."""
    for number in range(5):
        await cache_in(folder).put("a", SAID)
        (folder / NAME).write_bytes(f"damage {number}".encode())
        os.utime(folder / NAME, (number, number))
        await cache_in(folder).get("a")
    assert names(folder) == [f"{NAME}.corrupt-{number}" for number in (1, 2, 3)]
    assert {path.read_text() for path in aside(folder)} == {"damage 2", "damage 3", "damage 4"}


def test_what_lies_beside_a_damaged_file_goes_with_it(folder: Path) -> None:
    """Its journal would be played into the new file, and spoil that too."""
    made(folder)
    for name in (NAME, f"{NAME}-journal", f"{NAME}-wal", f"{NAME}.corrupt-1-shm"):
        (folder / name).write_bytes(name.encode())
    assert cache_file.set_aside(folder) == f"{NAME}.corrupt-1"
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        f"{NAME}.corrupt-1": NAME,
        f"{NAME}.corrupt-1-journal": f"{NAME}-journal",
        f"{NAME}.corrupt-1-wal": f"{NAME}-wal",
    }


async def test_a_journal_without_its_file_is_no_part_of_a_new_one(folder: Path) -> None:
    """Somebody removed the file by hand, in the middle of a write."""
    made(folder)
    (folder / f"{NAME}-journal").write_bytes(b"pages" * 1000)
    (folder / f"{NAME}.new").write_bytes(b"half")
    cache = cache_in(folder)
    await cache.put("a", SAID)
    assert (await cache.get("a"), cache.trouble) == (SAID, None)
    assert names(folder) == [NAME]


@pytest.mark.parametrize("value", [b"\xff\xfe", None, "", " \x00\n"])
async def test_a_row_of_another_shape_is_no_entry(folder: Path, value: object) -> None:
    """The file may have been written by anything."""
    cache = cache_in(folder)
    await cache.put("a", SAID)
    with closing(sqlite3.connect(folder / NAME)) as file:
        file.execute("UPDATE evidence SET transcript = ?, visual = ?", (value, value))
        file.commit()
    assert await cache.get("a") is None
    assert cache.trouble is None


async def test_text_is_cleaned_again_when_it_is_read(folder: Path) -> None:
    """A control character must not get into a prompt or a terminal by way of the file."""
    cache = cache_in(folder)
    await cache.put("a", SAID)
    with closing(sqlite3.connect(folder / NAME)) as file:
        file.execute("UPDATE evidence SET method = ?, transcript = ?", ("a\nb\x1b[2J", "one\x1b[31m\r\n\u202etwo"))
        file.execute("UPDATE evidence SET visual = CAST(? AS TEXT)", (b"bad \xff byte",))
        file.commit()
    kept = await cache.get("a")
    assert kept is not None
    assert kept.method == "a \u23ce b"
    assert kept.transcript == "one\ntwo"
    assert kept.visual == "bad \ufffd byte"


async def test_a_text_that_is_too_long_is_cut(folder: Path) -> None:
    """On its way in and on its way out."""
    cache = cache_in(folder)
    await cache.put("a", Kept(method="stt", transcript=block("x" * (MAX_CHARS + 1))))
    with closing(sqlite3.connect(folder / NAME)) as file:
        assert file.execute("SELECT length(transcript) FROM evidence").fetchone() == (MAX_CHARS,)
        file.execute("UPDATE evidence SET transcript = ?", ("y" * (MAX_CHARS + 1),))
        file.commit()
    kept = await cache.get("a")
    assert kept is not None
    assert kept.transcript == "y" * MAX_CHARS


async def test_a_file_that_stays_locked_ends_the_use_of_the_cache(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once: a call must not wait for the same lock with every video."""
    monkeypatch.setattr(cache_file, "BUSY_S", 0)
    await cache_in(folder).put("a", SAID)
    cache = cache_in(folder)
    with closing(sqlite3.connect(folder / NAME, isolation_level=None)) as file:
        file.execute("BEGIN EXCLUSIVE")
        await cache.put("b", SAID)
    assert cache.trouble == "the private cache of video text was not used: another process holds it for too long"
    assert await cache.get("a") is None
    assert await cache_in(folder).get("a") == SAID


@posix_only
async def test_a_file_is_not_replaced_while_others_use_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they write would be lost with it."""
    await cache_in(folder).put("a", SAID)
    monkeypatch.setattr("twitter_tool.media.cache_folder.LOCK_WAIT_S", 0)
    with module.locked(folder, alone=False):
        (folder / NAME).write_bytes(b"damaged" * 1000)
        cache = cache_in(folder)
        await cache.put("b", SAID)
        assert cache.clear() == 0
    assert "another process holds it for too long" in (cache.trouble or "")
    assert names(folder) == [NAME]


async def test_a_full_disk_is_disclosed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The call goes on without the cache."""
    cache = cache_in(folder)
    await cache.put("a", SAID)

    def full(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr(EvidenceCache, "_write", full)
    await cache.put("b", SAID)
    assert cache.trouble == "the private cache of video text was not used: there is no space left for it"


async def test_the_event_loop_goes_on_while_the_cache_waits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other calls of the process are not held up by a lock."""
    await cache_in(folder).put("a", SAID)
    with closing(sqlite3.connect(folder / NAME, isolation_level=None, check_same_thread=False)) as file:
        file.execute("BEGIN EXCLUSIVE")
        waiting = asyncio.create_task(cache_in(folder).put("b", SAID))
        for _ in range(3):
            await asyncio.sleep(0)
        assert not waiting.done()
        file.execute("ROLLBACK")
        await waiting
    assert await cache_in(folder).get("b") == SAID


async def test_many_at_once_in_one_process_lose_nothing(folder: Path) -> None:
    """Calls of one process use the file from several threads."""
    caches = [cache_in(folder) for _ in range(8)]
    await asyncio.gather(*(cache.put(str(number), SAID) for number, cache in enumerate(caches)))
    assert [cache.trouble for cache in caches] == [None] * 8
    assert cache_in(folder).facts().entries == 8


@posix_only
@pytest.mark.parametrize("start", ["nothing", "damaged"])
async def test_processes_at_once_lose_nothing(folder: Path, start: str) -> None:
    """Not even while the first file is made, or a damaged one is replaced under their hands."""
    if start == "damaged":
        made(folder)
        (folder / NAME).write_bytes(b"damaged" * 1000)
    processes = [writer(folder, name, 12) for name in "abcd"]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    told = []
    for process in processes:
        out, err = process.communicate(timeout=50)
        assert (process.returncode, err) == (0, "")
        told.append(out.splitlines()[-1])
    cache = cache_in(folder)
    found = [await cache.get(f"{name}-{number}") for name in "abcd" for number in range(12)]
    assert all(found)
    assert cache.trouble is None
    aside = [] if start == "nothing" else [f"{NAME}.corrupt-1"]
    assert names(folder) == [NAME, *aside]
    assert sum("set aside" in line for line in told) == len(aside)
    assert sum(line == "trouble: None" for line in told) == 4 - len(aside)


@posix_only
async def test_a_process_that_is_killed_leaves_a_usable_file(folder: Path) -> None:
    """With everything that it had told to be kept, whatever it was writing at that moment."""
    for round_number in range(3):
        name = f"round{round_number}"
        with writer(folder, name, 100_000) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("\n")
            process.stdin.flush()
            for _ in range(10 + round_number):
                process.stdout.readline()
            process.kill()
            kept = 10 + round_number + len([line for line in process.stdout.read().split("\n")[:-1] if line])
        cache = cache_in(folder)
        assert all([await cache.get(f"{name}-{number}") for number in range(kept)])
        assert cache.trouble is None
        await cache.put(name, SAID)
        assert await cache.get(name) == SAID


def test_the_key_tells_videos_apart_and_nothing_else() -> None:
    """Query strings are signatures, and the text of a post says nothing about its video."""
    key = cache_key(video(URL), window_s=120, route="gemini|v1")
    assert len(key) == 64
    assert key == cache_key(video(f"{URL}?tag=14", text="other words"), window_s=120, route="gemini|v1")
    assert key == cache_key(video(URL, URL, poster="https://pbs.twimg.com/x.jpg"), window_s=120, route="gemini|v1")
    others = [
        cache_key(video(URL, id="78"), window_s=120, route="gemini|v1"),
        cache_key(video(URL, id=None), window_s=120, route="gemini|v1"),
        cache_key(video(URL.replace("a.mp4", "b.mp4")), window_s=120, route="gemini|v1"),
        cache_key(video(URL, milliseconds=9001), window_s=120, route="gemini|v1"),
        cache_key(video(URL, milliseconds=None), window_s=120, route="gemini|v1"),
        cache_key(video(URL), window_s=60, route="gemini|v1"),
        cache_key(video(URL), window_s=120, route="gemini|v2"),
        cache_key(video(URL), window_s=120, route="gemini|v1", source="sandbox"),
    ]
    assert len({key, *others}) == 1 + len(others)


def test_the_same_length_in_another_notation_is_the_same_video() -> None:
    """Endpoints send whole numbers and fractions."""
    keys = {cache_key(video(URL, milliseconds=sent), window_s=120, route="r") for sent in (9000, 9000.0)}
    assert len(keys) == 1


def test_a_video_without_addresses_is_known_by_its_poster() -> None:
    """It cannot be downloaded, but two of them are still two."""
    keys = {cache_key(video(poster=f"https://pbs.twimg.com/{name}.jpg"), window_s=1, route="r") for name in "ab"}
    assert len(keys) == 2


words = st.text(st.characters(exclude_categories=()), max_size=12)


@given(first=st.tuples(words, words), second=st.tuples(words, words))
def test_no_two_routes_share_a_key(first: tuple[str, str], second: tuple[str, str]) -> None:
    """Wherever one part ends and the next begins, whatever characters they hold."""
    keys = [cache_key(video(URL), window_s=120, route=route, source=source) for route, source in (first, second)]
    assert (keys[0] == keys[1]) == (first == second)


@posix_only
@pytest.mark.parametrize(
    ("configured", "environ", "place"),
    [
        ("/srv/x", {"HOME": "/home/ann"}, "/srv/x"),
        ("~", {"HOME": "/home/ann"}, "/home/ann"),
        ("~/x/y", {"HOME": "/home/ann"}, "/home/ann/x/y"),
        ("x", {"HOME": "/home/ann"}, "x"),
        ("~bob/x", {"HOME": "/home/ann"}, "~bob/x"),
    ],
)
def test_a_configured_folder_is_absolute_or_below_the_home(
    configured: str, environ: dict[str, str], place: str
) -> None:
    """Anything else is left as it is, and refused when it is used."""
    assert cache_folder(configured, environ) == Path(place)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="the places of Linux")
@pytest.mark.parametrize(
    ("environ", "place"),
    [
        ({"HOME": "/home/ann"}, "/home/ann/.cache/twitter-tool"),
        ({"HOME": "/home/ann", "XDG_CACHE_HOME": "/var/x"}, "/var/x/twitter-tool"),
        ({"HOME": "/home/ann", "XDG_CACHE_HOME": "relative"}, "/home/ann/.cache/twitter-tool"),
    ],
)
def test_without_a_setting_the_platform_has_a_place(environ: dict[str, str], place: str) -> None:
    """By the rules of desktops, from the environment that was handed in."""
    assert cache_folder(None, environ) == Path(place)


def test_without_a_home_in_the_environment_the_system_is_asked() -> None:
    """It knows one for every user."""
    assert cache_folder(None, {}).name == "twitter-tool"
    assert cache_folder(None, {}).is_absolute()


async def test_no_damaged_byte_makes_the_cache_raise(tmp_path: Path) -> None:
    """Wherever it is: what is kept is found, or the file is replaced and used again."""
    folder = tmp_path / "cache"
    first = EvidenceCache(folder, days=30, clock=SYSTEM_CLOCK)
    await first.put("one", Kept(method="stt", transcript=block("hello")))
    whole = first.path.read_bytes()
    filled = [at for at, value in enumerate(whole) if value][::3]
    for at in filled:
        for left in folder.glob("*.corrupt-*"):
            left.unlink()
        first.path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xED]) + whole[at + 1 :])
        cache = EvidenceCache(folder, days=30, clock=SYSTEM_CLOCK)
        await cache.get("one")
        await cache.put("two", Kept(method="stt", transcript=block("again")))
        if cache.usable:
            assert (await cache.get("two")) is not None, at
        EvidenceCache(folder, days=30, clock=SYSTEM_CLOCK).facts()
        EvidenceCache(folder, days=30, clock=SYSTEM_CLOCK).clear()
        assert not first.path.exists(), at
