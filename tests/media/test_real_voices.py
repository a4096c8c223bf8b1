"""The real recogniser in its real process: what it makes of voices, silence and music, and how it ends."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import voices

from twitter_tool.media.speech import LocalSpeech, SpeechFailure, Weights, close_all, find_weights
from twitter_tool.media.values import Heard

pytestmark = [pytest.mark.xdist_group("speech"), pytest.mark.timeout(120)]
NOTHING_SAID = [("transcript_absent", "nothing_said")]


@pytest.fixture(scope="module")
def tiny() -> Iterator[Weights]:
    """The small English model; what was loaded for these tests goes when they end."""
    folder = voices.tiny_english()
    yield Weights(name="tiny.en", folder=folder)
    close_all()


async def hear(speech: LocalSpeech, sound: bytes, place: Path) -> Heard:
    samples = place / "speech.raw"
    await asyncio.to_thread(samples.write_bytes, sound)
    return await speech.transcribe(samples)


def notes_of(heard: Heard) -> list[tuple[str, object]]:
    return [(entry.code, entry.figures.get("reason")) for entry in heard.notes]


async def test_a_real_voice_is_understood_word_for_word(tiny: Weights, tmp_path: Path) -> None:
    """With the second at which it begins."""
    heard = await hear(LocalSpeech(tiny), voices.recording("beckett"), tmp_path)
    assert heard.transcript is not None
    assert heard.transcript.startswith("[00:00] ")
    assert voices.heard_words(heard.transcript) == voices.WORDS["beckett"]
    assert heard.notes == ()


@pytest.mark.parametrize("vad", [True, False])
async def test_speech_after_a_pause_has_the_second_at_which_its_first_word_is_said(
    tiny: Weights, tmp_path: Path, vad: bool
) -> None:
    """Not the one at which the stretch of sound began that the recogniser looked at."""
    told: list[tuple[float, float | None]] = []
    sound = voices.silence(7) + voices.recording("clone-test")
    samples = tmp_path / "speech.raw"
    samples.write_bytes(sound)
    heard = await LocalSpeech(tiny, vad=vad).transcribe(samples, on_progress=lambda *state: told.append(state))
    assert heard.transcript is not None
    assert heard.transcript.startswith("[00:07] ")
    assert "america" in voices.heard_words(heard.transcript)
    assert [whole for _, whole in told] == [len(sound) / voices.SECOND] * len(told)
    assert 7 < told[-1][0] <= len(sound) / voices.SECOND


@pytest.mark.parametrize("kind", ["silence", "music", "noise", "nothing"])
async def test_where_nobody_speaks_there_is_no_transcript(tiny: Weights, tmp_path: Path, kind: str) -> None:
    """Not one word is made up, and the note says that nothing was said."""
    sounds = {
        "silence": voices.silence(5),
        "music": voices.plucked(5),
        "noise": voices.noise(5),
        "nothing": b"",
    }
    heard = await hear(LocalSpeech(tiny), sounds[kind], tmp_path)
    assert heard.transcript is None
    assert notes_of(heard) == NOTHING_SAID


async def test_recognising_leaves_nothing_in_the_home_of_the_user(
    tiny: Weights, tmp_path: Path, private_home: Path
) -> None:
    """No library keeps an id or a record of its use there, to be reported to its maker."""
    heard = await hear(LocalSpeech(tiny, threads=1), voices.recording("clone-test"), tmp_path)
    assert heard.transcript is not None
    assert await asyncio.to_thread(os.listdir, private_home) == []


async def test_a_synthetic_voice_is_heard(tiny: Weights, tmp_path: Path) -> None:
    """Some of its words, at least."""
    heard = await hear(LocalSpeech(tiny), voices.spoken("The new tram line opens on Monday."), tmp_path)
    assert heard.transcript is not None
    assert {"tram", "monday"} & set(voices.heard_words(heard.transcript).split())


async def test_a_model_that_knows_one_language_refuses_others(tiny: Weights, tmp_path: Path) -> None:
    """It would write English words for German sounds. English named or recognised is fine."""
    sound = voices.recording("clone-test")
    with pytest.raises(SpeechFailure) as caught:
        await hear(LocalSpeech(tiny, language="de"), sound, tmp_path)
    assert caught.value.reason == "the speech model knows English only; stt_language is 'de'"
    assert (await hear(LocalSpeech(tiny, language="EN"), sound, tmp_path)).transcript is not None


async def test_samples_that_are_not_there_are_a_failure(tiny: Weights, tmp_path: Path) -> None:
    """Told without their path."""
    with pytest.raises(SpeechFailure) as caught:
        await LocalSpeech(tiny).transcribe(tmp_path / "missing.raw")
    assert caught.value.reason == "the samples of the clip cannot be read"


@pytest.mark.parametrize("kind", ["float8", "int8_nonsense", ""])
async def test_a_number_format_that_the_processor_lacks_is_a_failure(tiny: Weights, tmp_path: Path, kind: str) -> None:
    """With those that it has."""
    with pytest.raises(SpeechFailure, match=r"set whisper_compute_type to one of .*float32") as caught:
        await hear(LocalSpeech(tiny, compute_type=kind), voices.silence(1), tmp_path)
    assert repr(kind) in caught.value.reason


@pytest.mark.parametrize("kind", ["random", "cut"])
async def test_weights_that_are_none_are_a_failure(tiny: Weights, tmp_path: Path, kind: str) -> None:
    """Whatever bytes they are; the reason names no path."""
    folder = tmp_path / "w"
    folder.mkdir()
    for file in tiny.folder.iterdir():
        if file.is_file():
            whole = file.read_bytes()
            (folder / file.name).write_bytes(whole if file.suffix != ".bin" else whole[: len(whole) // 2])
    if kind == "random":
        (folder / "model.bin").write_bytes(os.urandom(4096))
    found = find_weights(str(folder))
    assert found is not None
    with pytest.raises(SpeechFailure) as caught:
        await hear(LocalSpeech(found), voices.silence(1), tmp_path)
    assert caught.value.reason == "the speech model cannot be loaded; its files are damaged or of another kind"


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs a handle of another process")
async def test_cancelling_in_the_middle_of_a_window_ends_it_at_once(tiny: Weights, tmp_path: Path) -> None:
    """The process is gone when the cancellation comes back, though its library was computing."""
    samples = tmp_path / "speech.raw"
    samples.write_bytes(voices.recording("beckett") * 5)
    begun = asyncio.Event()
    speech = LocalSpeech(tiny)
    work = asyncio.ensure_future(speech.transcribe(samples, on_progress=lambda *_: begun.set()))
    await begun.wait()
    pid = speech.pid
    assert pid is not None
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    heard = await hear(speech, voices.recording("clone-test"), tmp_path)
    assert heard.transcript is not None


KILLED = """
import asyncio, sys
from pathlib import Path
from twitter_tool.media.speech import LocalSpeech, find_weights
speech = LocalSpeech(find_weights(sys.argv[1]))
async def main():
    begun = lambda *_: print("begun", flush=True)
    work = asyncio.ensure_future(speech.transcribe(Path(sys.argv[2]), on_progress=begun))
    while speech.pid is None:
        await asyncio.sleep(0.01)
    print(speech.pid, flush=True)
    await work
    print("idle", flush=True)
    sys.stdin.read()
asyncio.run(main())
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs a handle of another process")
@pytest.mark.parametrize("moment", ["loading", "begun", "idle"])
def test_a_program_that_is_killed_leaves_no_process(tiny: Weights, tmp_path: Path, moment: str) -> None:
    """It sees that nobody talks to it any more, whether it is loading, computing or idle."""
    samples = tmp_path / "speech.raw"
    samples.write_bytes(voices.recording("beckett") * (5 if moment == "begun" else 1))
    command = [sys.executable, "-c", KILLED, str(tiny.folder), str(samples)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        handle = os.pidfd_open(int(program.stdout.readline()))
        try:
            while moment != "loading" and program.stdout.readline().strip() != moment:
                pass
            program.send_signal(signal.SIGKILL)
            program.wait()
            ended, _, _ = select.select([handle], [], [], 60)
            assert ended
        finally:
            os.close(handle)


@pytest.mark.slow
async def test_the_installed_model_recognises_the_language_by_itself(tmp_path: Path) -> None:
    """And does not spend a second on the language of silence. It is joined for this test."""
    voices.need_base()
    weights = find_weights(None, cache=tmp_path / "cache")
    assert weights is not None
    speech = LocalSpeech(weights)
    try:
        heard = await hear(speech, voices.recording("beckett"), tmp_path)
        assert heard.transcript is not None
        assert voices.heard_words(heard.transcript) == voices.WORDS["beckett"]
        assert notes_of(await hear(speech, voices.silence(3), tmp_path)) == NOTHING_SAID
        spanish = await hear(speech, voices.spoken("Buenos días, señoras y señores.", voice="es"), tmp_path)
        assert spanish.transcript is not None
        assert {"buenos", "señores"} & set(voices.heard_words(spanish.transcript).split())
        with pytest.raises(SpeechFailure, match="does not know the language; stt_language is 'xx'"):
            await hear(LocalSpeech(weights, language="xx"), voices.silence(1), tmp_path)
    finally:
        await asyncio.to_thread(close_all)
