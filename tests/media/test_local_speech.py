"""Speech recognition in a process of its own: shared, kept, and gone when nobody wants it any more."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from twitter_tool.media.speech import (
    LocalSpeech,
    SpeechFailure,
    Weights,
    child,
    close_all,
    fits_budget,
    local_speech_available,
)
from twitter_tool.media.speech.joined import File, Recipe
from twitter_tool.media.speech.keeper import Job, Keeper
from twitter_tool.media.values import Segment

STAND_IN = [sys.executable, str(Path(__file__).with_name("stand_in_child.py"))]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in uses signals")


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The stand-in instead of the real recogniser; nothing of it stays after a test."""
    monkeypatch.setattr(child, "command", lambda: STAND_IN)
    yield
    close_all()
    assert not [thread for thread in threading.enumerate() if thread.name == "twitter-tool-speech"]


@pytest.fixture
def weights(tmp_path: Path) -> Weights:
    for name in ("model.bin", "config.json", "tokenizer.json", "vocabulary.txt"):
        (tmp_path / name).touch()
    return Weights(name="stand-in", folder=tmp_path)


def loads(weights: Weights) -> list[str]:
    """What each started process was told to load."""
    place = weights.folder / "loads"
    return place.read_text("utf-8").splitlines() if place.exists() else []


async def pid_of(speech: LocalSpeech) -> int:
    """The process that answers."""
    heard = await speech.transcribe(Path("/which"))
    assert heard.transcript is not None
    return int(heard.transcript.split()[-1])


def is_there(pid: int) -> bool:
    """Whether a process exists, running or not yet reaped."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Working:
    """A transcription that has begun and will not end by itself."""

    def __init__(self, speech: LocalSpeech, samples: Path = Path("/hang"), timeout_s: float | None = None) -> None:
        self.begun = asyncio.Event()
        self.task = asyncio.ensure_future(
            speech.transcribe(samples, timeout_s=timeout_s, on_progress=lambda *_: self.begun.set())
        )


async def test_what_is_heard_is_judged_and_its_progress_told(weights: Weights) -> None:
    """Seconds done and of how many, never more than there are; doubtful passages are left out with a note."""
    told: list[tuple[float, float | None]] = []
    heard = await LocalSpeech(weights).transcribe(Path("/clip"), on_progress=lambda *state: told.append(state))
    assert heard.transcript is not None
    assert heard.transcript.startswith("[00:02] process ")
    assert [entry.code for entry in heard.notes] == ["transcript_partial"]
    assert told == [(3.5, 10.0), (10.0, 10.0)]


async def test_one_process_serves_all_who_want_the_same_model(weights: Weights) -> None:
    """Later clips, other objects, other languages, and several at once: the model is loaded once."""
    first = await pid_of(LocalSpeech(weights))
    others = await asyncio.gather(*(pid_of(LocalSpeech(weights, language=code, vad=False)) for code in ("de", "auto")))
    assert {first, *others} == {first}
    assert loads(weights) == ["int8 2 True"]
    assert await pid_of(LocalSpeech(weights, threads=1)) != first
    assert await pid_of(LocalSpeech(weights, compute_type="float32")) != first
    assert loads(weights)[1:] == ["int8 1 True", "float32 2 True"]


def test_the_process_outlives_the_event_loop_that_started_it(weights: Weights) -> None:
    """A program may run a loop for each call, one after the other or in several threads."""
    first = asyncio.run(pid_of(LocalSpeech(weights)))
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(asyncio.run(pid_of(LocalSpeech(weights))))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [first] * 3


async def test_warming_loads_the_model_before_it_is_needed(weights: Weights) -> None:
    """Without waiting, once however often it is asked for, and the clip goes to what was loaded."""
    speech = LocalSpeech(weights, vad=False)
    speech.warm()
    speech.warm()
    first = await pid_of(speech)
    speech.warm()
    assert await pid_of(speech) == first
    assert loads(weights) == ["int8 2 False"]


async def test_a_model_that_cannot_be_warmed_is_told_to_the_first_who_needs_it(weights: Weights) -> None:
    """It is tried again then, since what was missing may be there by now."""
    speech = LocalSpeech(weights, compute_type="float64")
    speech.warm()
    with pytest.raises(SpeechFailure) as caught:
        await speech.transcribe(Path("/clip"))
    assert "'float64'; set whisper_compute_type to one of float32, int8" in caught.value.reason


async def test_cancelling_kills_the_work_and_the_next_clip_gets_a_new_process(weights: Weights) -> None:
    """When the cancellation has come back, the process is gone, zombie included."""
    speech = LocalSpeech(weights)
    first = await pid_of(speech)
    working = Working(speech)
    await working.begun.wait()
    working.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working.task
    assert not is_there(first)
    assert await pid_of(speech) != first


async def test_audio_that_is_waited_for_is_counted(weights: Weights, tmp_path: Path) -> None:
    """Whoever comes next can tell whether the time will do for it."""
    long = tmp_path / "hang"
    long.write_bytes(bytes(32_000 * 7))
    speech = LocalSpeech(weights)
    assert speech.queued_s == 0
    working = [Working(speech, long), Working(speech, long)]
    await working[0].begun.wait()
    counted = []
    for each in reversed(working):
        counted.append(speech.queued_s)
        each.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await each.task
    assert (*counted, speech.queued_s) == (14, 7, 0)


async def test_running_out_of_time_kills_the_work(weights: Weights) -> None:
    """As a cancellation does, but told as a failure."""
    speech = LocalSpeech(weights)
    first = await pid_of(speech)
    working = Working(speech, timeout_s=0.5)
    with pytest.raises(SpeechFailure, match="in time"):
        await working.task
    assert working.begun.is_set()
    assert not is_there(first)


@pytest.mark.parametrize("left", [0, -1.0])
async def test_without_time_nothing_is_started(weights: Weights, left: float) -> None:
    """Not even a process."""
    with pytest.raises(SpeechFailure, match="no time left"):
        await LocalSpeech(weights).transcribe(Path("/clip"), timeout_s=left)
    assert loads(weights) == []


async def test_giving_up_while_waiting_leaves_the_clip_before_it_alone(weights: Weights, tmp_path: Path) -> None:
    """Only the process of one's own work is killed."""
    door = tmp_path / "door"
    os.mkfifo(door)
    speech = LocalSpeech(weights)
    first = Working(speech, door)
    await first.begun.wait()
    second = Working(speech, Path("/clip"))
    third = Working(speech, Path("/clip"))
    await asyncio.sleep(0)
    second.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second.task
    await asyncio.to_thread(door.write_text, "let through", "utf-8")
    heard, after = await first.task, await third.task
    assert heard.transcript == "[00:00] begun\n[00:01] let through"
    assert after.transcript is not None
    assert not second.begun.is_set()
    assert len(loads(weights)) == 1


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("exit", "its process ended (exit code 3)"),
        ("killed", "its process was killed, perhaps for want of memory"),
        ("crash", "its process crashed (signal 11)"),
        ("shut", "its process was killed, perhaps for want of memory"),
        ("chatter", "its process said something unreadable"),
        ("list", "its process said something unreadable"),
        ("strange", "its process could not be understood (ValueError)"),
    ],
)
async def test_a_process_that_breaks_is_a_failure_and_is_replaced(weights: Weights, name: str, reason: str) -> None:
    """Never a wait without an end; the next clip gets a new process."""
    speech = LocalSpeech(weights)
    first = await pid_of(speech)
    with pytest.raises(SpeechFailure) as caught:
        await speech.transcribe(Path("/", name))
    assert caught.value.reason == reason
    assert not is_there(first)
    assert await pid_of(speech) != first


async def test_a_clip_that_cannot_be_transcribed_costs_no_process(weights: Weights) -> None:
    """The model is still loaded."""
    speech = LocalSpeech(weights)
    first = await pid_of(speech)
    with pytest.raises(SpeechFailure, match=r"the recogniser failed \(RuntimeError\)"):
        await speech.transcribe(Path("/unsure"))
    assert await pid_of(speech) == first


async def test_a_process_that_died_while_idle_is_replaced_unseen(weights: Weights) -> None:
    """The system may have taken its memory in the meantime."""
    speech = LocalSpeech(weights)
    first = await pid_of(speech)
    os.kill(first, 9)
    await asyncio.to_thread(os.waitid, os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert await pid_of(speech) != first
    assert not is_there(first)


def job(samples: str, ended: threading.Event, heard: list[Segment] | None = None) -> Job:
    return Job(
        seconds=0.0,
        samples=samples,
        language=None,
        vad=True,
        on_segment=lambda segment, _: None if heard is None else heard.append(segment),
        on_end=lambda _: ended.set(),
    )


def test_an_idle_process_is_let_go_and_comes_back_when_needed(weights: Weights) -> None:
    """It holds hundreds of megabytes, and the next video may be hours away."""
    keeper = Keeper(weights, compute_type="int8", threads=1, idle_s=0)
    for _ in range(2):
        heard: list[Segment] = []
        ended = threading.Event()
        keeper.submit(job("/clip", ended, heard))
        assert ended.wait(20)
        for thread in threading.enumerate():
            if thread.name == "twitter-tool-speech":
                thread.join(20)
        assert keeper.pid is None
        assert not is_there(int(heard[0].text.split()[-1]))
    assert len(loads(weights)) == 2


async def test_closing_ends_the_work_and_what_waits_for_it(weights: Weights) -> None:
    """Everybody is told, nothing is left, and a later clip begins anew."""
    speech = LocalSpeech(weights)
    first = await pid_of(speech)
    working, waiting = Working(speech), Working(speech, Path("/clip"))
    await working.begun.wait()
    await asyncio.to_thread(close_all)
    assert not is_there(first)
    for task in (working.task, waiting.task):
        with pytest.raises(SpeechFailure):
            await task
    assert await pid_of(speech) != first


async def test_the_process_gets_no_secret_no_network_and_no_part_of_the_terminal(
    weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It needs only to find its libraries; an interruption at the terminal does not reach it."""
    monkeypatch.setenv("TWITTERAPI_IO_API_KEY", "key-of-the-upstream")
    monkeypatch.setenv("STT_API_KEY", "key-of-the-endpoint")
    monkeypatch.setenv("HTTPS_PROXY", "http://user:word@proxy.test")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/somewhere")
    heard = await LocalSpeech(weights, threads=3).transcribe(Path("/around"))
    assert heard.transcript is not None
    around: dict[str, Any] = json.loads(heard.transcript.partition("] ")[2])
    assert not {"TWITTERAPI_IO_API_KEY", "STT_API_KEY", "HTTPS_PROXY"} & set(around["environ"])
    assert around["environ"]["HF_HUB_OFFLINE"] == around["environ"]["ORT_DISABLE_TELEMETRY"] == "1"
    assert around["environ"]["OMP_NUM_THREADS"] == "3"
    assert around["environ"]["LD_LIBRARY_PATH"] == "/somewhere"
    assert around["cwd"] == os.sep
    assert around["session"]


async def test_a_program_that_carries_its_own_python_cannot_start_another(
    weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its executable is the program itself, which would start once more."""
    monkeypatch.undo()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(SpeechFailure, match="holds its own Python"):
        await LocalSpeech(weights).transcribe(Path("/clip"))


async def test_a_process_that_cannot_be_started_is_a_failure(weights: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the system's words and without a path."""
    monkeypatch.setattr(child, "command", lambda: ["/nowhere/python"])
    with pytest.raises(SpeechFailure) as caught:
        await LocalSpeech(weights).transcribe(Path("/clip"))
    assert caught.value.reason == "its process cannot be started (No such file or directory)"


async def test_weights_that_are_gone_are_a_failure(weights: Weights) -> None:
    """They were found when the call began."""
    (weights.folder / "model.bin").unlink()
    with pytest.raises(SpeechFailure, match="no longer holds a whole model"):
        await LocalSpeech(weights).transcribe(Path("/clip"))


async def test_giving_up_while_the_model_is_being_joined_starts_no_process(tmp_path: Path) -> None:
    """The cancellation does not wait for the disk, and what is joined serves the next call."""
    part = tmp_path / "m"
    os.mkfifo(part)
    file = File(name="model.bin", sha256=hashlib.sha256(b"weights").hexdigest(), parts=((0, "m"),))
    recipe = Recipe(name="small", packages=("one",), files=(file,), places=(tmp_path,))
    joined = Weights(name="small", folder=tmp_path / "joined", recipe=recipe)
    working = Working(LocalSpeech(joined))
    with await asyncio.to_thread(part.open, "wb") as door:
        working.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working.task
        door.write(b"weights")
    assert await pid_of(LocalSpeech(joined))
    assert len(loads(joined)) == 1


def test_a_loop_that_is_closed_under_the_work_harms_no_other(weights: Weights, tmp_path: Path) -> None:
    """Nobody hears how its work ends, and the next loop is served."""
    door = tmp_path / "door"
    os.mkfifo(door)

    async def begin() -> Working:
        working = Working(LocalSpeech(weights), door)
        await working.begun.wait()
        return working

    loop = asyncio.new_event_loop()
    working = loop.run_until_complete(begin())
    working.task._log_destroy_pending = False
    loop.close()
    door.write_text("let through", "utf-8")
    assert asyncio.run(pid_of(LocalSpeech(weights)))
    assert len(loads(weights)) == 1
    del working
    gc.collect()


async def test_joined_weights_that_cannot_be_loaded_are_checked_byte_by_byte_the_next_time(tmp_path: Path) -> None:
    """Size and time of a file say little when its bytes do not load."""
    part = tmp_path / "m"
    part.write_bytes(b"weights")
    file = File(name="model.bin", sha256=hashlib.sha256(b"weights").hexdigest(), parts=((0, "m"),))
    recipe = Recipe(name="small", packages=("one",), files=(file,), places=(tmp_path,))
    joined = Weights(name="small", folder=tmp_path / "joined", recipe=recipe)
    speech = LocalSpeech(joined, compute_type="broken")
    with pytest.raises(SpeechFailure, match="cannot be loaded"):
        await speech.transcribe(Path("/clip"))
    assert (joined.folder / "model.bin").read_bytes() == b"weights"
    assert not (joined.folder / "checked.json").exists()


def test_what_decides_about_the_outcome_is_the_identity(weights: Weights) -> None:
    """Threads do not; weights, numbers, language and the filter do."""
    usual = LocalSpeech(weights)
    assert usual.identity == LocalSpeech(weights, threads=7, language=" AUTO ").identity
    others = {
        LocalSpeech(weights, compute_type="float32").identity,
        LocalSpeech(weights, language="de").identity,
        LocalSpeech(weights, vad=False).identity,
        LocalSpeech(Weights(name="other", folder=weights.folder / "other")).identity,
    }
    assert len(others - {usual.identity}) == 4


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("package", 'faster-whisper cannot be imported; run pip install "twitter-tool[media]"'),
        ("memory", "there is not enough memory for the speech model"),
        ("failed", "the recogniser failed"),
    ],
)
def test_every_fault_of_the_process_has_words(fault: str, reason: str) -> None:
    """With what to do, where something can be done."""
    assert child.reason_of({"fault": fault}, None) == reason


@pytest.mark.parametrize(
    ("audio_s", "factor", "left_s", "fits"),
    [(30, 2, 10, False), (10, 2, 20, True), (10, 10, 20, False), (10, 2, 19.999, False), (0, 2, 0, True)],
)
def test_speech_is_begun_only_when_the_time_left_is_enough(
    audio_s: float, factor: float, left_s: float, fits: bool
) -> None:
    """Exactly enough is enough."""
    assert fits_budget(audio_s, factor, left_s) is fits


def test_whether_the_recogniser_is_installed_is_looked_up_and_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing it takes half a second."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert not local_speech_available()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "faster_whisper" or None)
    assert local_speech_available()


def run(script: str, weights: Weights, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a program that transcribes."""
    start = f"""
import asyncio, os, sys
from pathlib import Path
from twitter_tool.media.speech import LocalSpeech, Weights, child
child.command = lambda: {STAND_IN!r}
speech = LocalSpeech(Weights(name="w", folder=Path({str(weights.folder)!r})))
def pid():
    return int(asyncio.run(speech.transcribe(Path("/which"))).transcript.split()[-1])
"""
    return subprocess.run(
        [sys.executable, *options, "-c", start + script], capture_output=True, text=True, timeout=50, check=False
    )


@pytest.mark.parametrize("ending", ["", "speech.warm()", "raise SystemExit(4)"])
def test_a_program_that_ends_leaves_no_process_and_no_warning(weights: Weights, ending: str) -> None:
    """Nothing has to be closed by hand."""
    done = run(f"print(pid(), flush=True)\n{ending}", weights, "-W", "error", "-X", "dev")
    assert (done.returncode, done.stderr) == (4 if "Exit" in ending else 0, "")
    assert not is_there(int(done.stdout))


def test_a_forked_process_has_recognisers_of_its_own(weights: Weights) -> None:
    """Two processes that talk through the same pipe would get each other's answers."""
    script = """
first = pid()
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, str(pid()).encode())
    os._exit(0)
os.wait()
print(first, int(os.read(read, 20)), pid())
"""
    done = run(script, weights, "-W", "ignore")
    first, forked, again = done.stdout.split()
    assert first == again != forked
