"""Where the program is looked for, and how it is run: alone, without secrets, never longer than it may."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from clip_maker import Clips, any_ffmpeg, carried_ffmpeg, system_ffmpeg
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.media.ffmpeg import ClipFacts, Ffmpeg, builder_installed, commands, find_ffmpeg
from twitter_tool.media.ffmpeg import binary as finding
from twitter_tool.media.ffmpeg.process import ENVIRONMENT, WORDS_SHOWN, Ended, run
from twitter_tool.media.speech import close_all
from twitter_tool.text import line

IN_TIME = 50.0
Script = Callable[[str], str]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Makes a program of a few lines of shell; gives its absolute path."""

    def make(lines: str, name: str = "program") -> str:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(0o755)
        return str(path)

    return make


# Where it is.


def test_a_configured_path_is_taken_as_it_is(script: Script, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An absolute path, also one from the home folder; the search path does not matter then."""
    path = script("exit 0", "ffmpeg-of-mine")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_ffmpeg(path) == path
    assert find_ffmpeg("~/ffmpeg-of-mine") == path


def test_a_configured_name_is_looked_for_on_the_search_path(
    script: Script, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A name stands for whatever the system finds under it."""
    path = script("exit 0", "ffmpeg-of-mine")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_ffmpeg("ffmpeg-of-mine") == path


@pytest.mark.parametrize(
    "wrong", ["missing", "a/relative/path", "./program", "folder", "plain", "nul\0l", "~nobody-of-that-name/x"]
)
def test_a_configured_one_that_cannot_be_run_is_not_replaced(
    script: Script, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wrong: str
) -> None:
    """Who names a program does not want another one; a relative path would depend on where the caller happens to be."""
    script("exit 0", "ffmpeg")
    script("exit 0")
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("not to be run")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert find_ffmpeg(None) == str(tmp_path / "ffmpeg")
    assert find_ffmpeg(wrong) is None
    assert find_ffmpeg(str(tmp_path / wrong)) == (str(tmp_path / "program") if wrong == "./program" else None)


def test_without_a_name_the_search_path_comes_first(
    script: Script, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What the system brings goes before what a package carries; a blank name is none."""
    path = script("exit 0", "ffmpeg")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_ffmpeg(None) == find_ffmpeg("") == path


def test_a_program_in_the_callers_folder_is_not_run(
    script: Script, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Relative entries of the search path lead wherever the caller is, so they are passed over."""
    script("exit 0", "ffmpeg")
    monkeypatch.chdir(tmp_path)
    for path in (".", "", f".{os.pathsep}", "sub/.."):
        monkeypatch.setenv("PATH", path)
        assert find_ffmpeg(None) == carried_ffmpeg()
        assert find_ffmpeg("ffmpeg") is None
    other = tmp_path / "other"
    other.mkdir()
    path = script("exit 0", "other/ffmpeg")
    monkeypatch.setenv("PATH", f".{os.pathsep}{other}")
    assert find_ffmpeg(None) == find_ffmpeg("ffmpeg") == path


def test_the_program_that_a_package_carries_is_found_without_loading_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is imported, run or downloaded for it."""
    if carried_ffmpeg() is None:
        pytest.skip("needs the package imageio-ffmpeg")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delitem(sys.modules, "imageio_ffmpeg", raising=False)
    monkeypatch.delitem(sys.modules, "ffmpeg", raising=False)
    assert find_ffmpeg(None) == carried_ffmpeg()
    assert not {"imageio_ffmpeg", "ffmpeg"} & sys.modules.keys()


def test_nothing_is_found_where_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither on the search path nor in a package."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(finding, "CARRIER", "no_such_package")
    assert find_ffmpeg(None) is None


@pytest.mark.parametrize("package", ["no_such_package", "json"])
def test_without_the_maker_of_arguments_there_is_no_program(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """It could not be used; and other packages come under the same name."""
    monkeypatch.setattr(finding, "BUILDER", package)
    assert not builder_installed()
    assert find_ffmpeg(system_ffmpeg() or carried_ffmpeg()) is None


# What it is told.


def every_command() -> dict[str, list[str]]:
    """One of each kind, of a clip and into a file with names that could be taken for options and addresses."""
    clip, into = Path("-i.mp4"), Path("concat:a|b")
    return {
        "listing": commands.listing(clip),
        "trimming": commands.trimming(clip, seconds=2, into=into, max_bytes=9),
        "cutting": commands.trimming(clip, seconds=2, into=into, max_bytes=9, cut=commands.Cut(at=2, units=1000)),
        "frames": commands.frames(clip, at=[1, 2], into=[into, Path("%03d")], max_width=768, max_height=None),
        "samples": commands.samples(clip, seconds=2, into=into),
        "mp3": commands.mp3(clip, seconds=2, into=into),
    }


@pytest.mark.parametrize("kind", every_command())
def test_every_run_reads_local_mp4_files_only(kind: str) -> None:
    """No standard input, no protocol but files, no other kind of file, no reference out of the clip."""
    arguments = every_command()[kind]
    first = arguments.index("-i")
    assert arguments[0] == "-nostdin"
    assert "-nostdin" not in arguments[first:]
    opened = [place for place, word in enumerate(arguments) if word == "-i"]
    begins = [len(commands.GLOBAL), *(place + 2 for place in opened)]
    for begin, place in zip(begins, opened, strict=False):
        told = arguments[begin:place]
        for option, value in (("-protocol_whitelist", "file"), ("-f", "mp4"), ("-enable_drefs", "0")):
            assert told[told.index(option) + 1] == value
        assert "h264" in told[told.index("-codec_whitelist") + 1].split(",")


@pytest.mark.parametrize("kind", every_command())
def test_every_path_is_absolute(kind: str) -> None:
    """So that none is taken for an option, for an address or for another protocol."""
    arguments = every_command()[kind]
    paths = [arguments[place + 1] for place, word in enumerate(arguments) if word == "-i"]
    paths += [word for word in arguments if word.endswith(("a|b", "%03d"))]
    assert len(paths) >= (1 if kind == "listing" else 2)
    assert all(os.path.isabs(path) for path in paths)


@pytest.mark.parametrize("kind", every_command())
def test_no_run_uses_what_newer_releases_dropped(kind: str) -> None:
    """Options that only some releases know would fail on the others."""
    assert not {"-vsync", "-fps_mode", "-display_rotation", "-ab"} & set(every_command()[kind])


@pytest.mark.parametrize(
    "name", ["-y.mp4", "file:x.mp4", "a%03d.mp4", "it's [odd]; ok.mp4", "snowman ☃.mp4", "two\nlines.mp4"]
)
async def test_odd_names_are_only_names(
    ffmpeg: Ffmpeg, clips: Clips, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Also when the caller's folder is the clip's own and the path is relative."""
    clip = clips.changed(clips.counted(30, sounds=(1.0,)), lambda data: data, name)
    monkeypatch.chdir(clip.parent)
    relative = Path(name)
    assert await ffmpeg.probe(relative, timeout_s=IN_TIME) is not None
    assert await ffmpeg.trim(relative, seconds=1, into=Path(f"trimmed-{name}"), timeout_s=IN_TIME)
    assert await ffmpeg.samples(relative, seconds=1, into=Path(f"{name}.raw"), timeout_s=IN_TIME)
    found = await ffmpeg.frames(relative, at=[0.51], folder=Path(f"frames {name}"), timeout_s=IN_TIME)
    assert clips.numbers(found) == [15]


# How it runs.


async def test_what_it_writes_is_handed_on_piece_by_piece(script: Script) -> None:
    """And its messages are kept apart."""
    pieces: list[bytes] = []
    ended = await run([script("echo out; echo err >&2"), "x"], timeout_s=IN_TIME, take=pieces.append)
    assert (b"".join(pieces), ended) == (b"out\n", Ended(ok=True, words=line("err", 10)))


async def test_a_failure_is_told_with_its_last_words(script: Script) -> None:
    """Cleaned into one line, cut, and never kept whole, however much is said."""
    words = "\\033[31mred\\033[0m \\342\\200\\256 \\000 end"
    ended = await run([script(f"yes no | head -c 3000000 >&2; printf '{words}' >&2; exit 3")], timeout_s=IN_TIME)
    assert not ended.ok
    assert not ended.late
    assert len(ended.words) <= WORDS_SHOWN
    assert ended.words.endswith("no ⏎ red   end")


async def test_who_uses_the_program_hears_of_failures(tmp_path: Path, script: Script) -> None:
    """Each with the name of the job; a success is silent."""
    told: list[tuple[str, str]] = []
    ffmpeg = Ffmpeg(script("echo broken >&2; exit 1"), tell=lambda job, words: told.append((job, words)))
    clip = tmp_path / "clip.mp4"
    clip.write_bytes(b"x")
    assert await ffmpeg.probe(clip, timeout_s=IN_TIME) is None
    assert not await ffmpeg.trim(clip, seconds=1, into=tmp_path / "x", timeout_s=IN_TIME)
    assert await ffmpeg.frames(clip, at=[1], folder=tmp_path / "f", timeout_s=IN_TIME) == ()
    assert not await ffmpeg.samples(clip, seconds=1, into=tmp_path / "x", timeout_s=IN_TIME)
    assert not await ffmpeg.mp3(clip, seconds=1, into=tmp_path / "x", timeout_s=IN_TIME)
    assert told == [(job, "broken") for job in ("probe", "trim", "frames", "samples", "mp3")]


@pytest.mark.parametrize("wrong", ["missing", "plain", "folder"])
async def test_a_program_that_cannot_be_started_is_a_failure_and_no_error(tmp_path: Path, wrong: str) -> None:
    """It may have been removed since it was found."""
    (tmp_path / "plain").write_text("text")
    (tmp_path / "folder").mkdir()
    ended = await run([str(tmp_path / wrong)], timeout_s=IN_TIME)
    assert not ended.ok
    assert ended.words


async def test_standard_input_is_empty(script: Script) -> None:
    """A program that asks gets no answer, and does not wait for one."""
    pieces: list[bytes] = []
    reading, writing = os.pipe()
    os.write(writing, b"typed by the user\n")
    os.close(writing)
    before = os.dup(0)
    try:
        os.dup2(reading, 0)
        await run([script("cat; echo done")], timeout_s=IN_TIME, take=pieces.append)
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(reading)
    assert b"".join(pieces) == b"done\n"


async def test_secrets_of_the_environment_stay_here(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program gets what it needs to find its libraries and nothing else."""
    monkeypatch.setenv("SERVICE_API_KEY", "secret-of-a-test")
    pieces: list[bytes] = []
    await run([script("env")], timeout_s=IN_TIME, take=pieces.append)
    shell = {"PWD", "SHLVL", "_", "OLDPWD"}
    names = {entry.partition("=")[0] for entry in b"".join(pieces).decode().splitlines()}
    assert names - shell <= set(ENVIRONMENT)
    assert b"secret-of-a-test" not in b"".join(pieces)


@pytest.mark.parametrize("timeout_s", [0, -1, float("nan")])
async def test_without_time_nothing_is_started(script: Script, tmp_path: Path, timeout_s: float) -> None:
    """A deadline that has passed is as good as one that passes."""
    ended = await run([script(f": > '{tmp_path / 'started'}'")], timeout_s=timeout_s)
    assert ended == Ended(ok=False, late=True)
    assert not (tmp_path / "started").exists()


# A program with a helper of its own, as a wrapper around the real one is; the pipe ends when both are gone.
FAMILY = "exec 9> '{pipe}'\nsleep 1000 &\necho $$\nwait"


async def test_at_the_deadline_the_whole_group_is_ended(script: Script, tmp_path: Path) -> None:
    """Also what the program itself has started; nothing is left to be collected."""
    pipe, pids = tmp_path / "pipe", list[int]()
    os.mkfifo(pipe)
    reader = asyncio.create_task(asyncio.to_thread(pipe.read_bytes))
    ended = await run([script(FAMILY.format(pipe=pipe))], timeout_s=0.3, take=lambda data: pids.append(int(data)))
    assert ended == Ended(ok=False, late=True)
    assert await reader == b""
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize("times", [1, 3])
async def test_a_cancelled_run_leaves_no_process(script: Script, tmp_path: Path, times: int) -> None:
    """However often it is cancelled while it cleans up."""
    pipe, started, pids = tmp_path / "pipe", asyncio.Event(), list[int]()
    os.mkfifo(pipe)
    reader = asyncio.create_task(asyncio.to_thread(pipe.read_bytes))

    def take(data: bytes) -> None:
        pids.append(int(data))
        started.set()

    task = asyncio.create_task(run([script(FAMILY.format(pipe=pipe))], timeout_s=IN_TIME, take=take))
    await started.wait()
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await reader == b""
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_a_run_cancelled_at_once_leaves_nothing(script: Script) -> None:
    """In the moment in which the process is being made, too."""
    path = script("exec sleep 1000")
    close_all()  # a recogniser that an earlier test has left warm is a child as well

    async def cancelled_after(steps: int) -> None:
        task = asyncio.create_task(run([path], timeout_s=IN_TIME))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    for steps in range(6):
        asyncio.run(cancelled_after(steps))
    gc.collect()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_nothing_is_left_open_when_the_loop_ends_at_once(script: Script) -> None:
    """A call may be the last thing that a program does: no transport complains when it is thrown away."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for lines in ("echo out; echo err >&2", "exec sleep 1000", "yes"):
            asyncio.run(run([script(lines)], timeout_s=0.2, take=lambda data: None))
        gc.collect()


def test_event_loops_of_other_threads_can_run_it(clips: Clips) -> None:
    """Several at once; the synchronous calls of the tool have such a loop."""
    clip, facts = clips.counted(30), list[ClipFacts | None]()

    def work() -> None:
        facts.append(asyncio.run(Ffmpeg(any_ffmpeg()).probe(clip, timeout_s=IN_TIME)))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert facts == [ClipFacts(duration_s=1.0, has_video=True, has_audio=False)] * 3


async def test_a_program_killed_from_outside_is_a_failure(script: Script) -> None:
    """As when the system runs out of memory."""
    ended = await run([script(f"kill -{int(signal.SIGKILL)} $$")], timeout_s=IN_TIME)
    assert (ended.ok, ended.late) == (False, False)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds a process that runs already")
async def test_a_program_cannot_fill_the_disk(script: Script, tmp_path: Path) -> None:
    """A file that grows beyond what any job makes ends it; no core is dumped."""
    pieces: list[bytes] = []
    # The limits are set right after the start, so the program looks until they are.
    loop = 'until [ "$(ulimit -f)" != unlimited ]; do :; done; ulimit -f; ulimit -c; ulimit -d'
    await run([script(loop)], timeout_s=IN_TIME, take=pieces.append)
    blocks, core, data = b"".join(pieces).split()
    assert int(blocks) * 512 <= 256 * 1024**2
    assert core == b"0"
    assert int(data) <= 4 * 1024**2


@given(st.binary(max_size=200))
def test_any_words_become_one_clean_line(said: bytes) -> None:
    """A clip's name, or its contents, may be in them."""
    from twitter_tool.media.ffmpeg.process import _Watch

    loop = asyncio.new_event_loop()
    watch = _Watch(loop, None)
    watch.pipe_data_received(2, said)
    loop.close()
    assert watch.words() == line(watch.words(), WORDS_SHOWN)
