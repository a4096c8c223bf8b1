"""What the child process asks of its library, what it tells its parent, and that nothing gets between the lines."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from twitter_tool.media.speech import worker

np = pytest.importorskip("numpy", reason="needs the extra media")
MULTILINGUAL = ["de", "en", "es"]


class Model:
    """Stands for a loaded model and remembers what it was asked."""

    def __init__(self, *segments: Any, languages: list[str] | None = None) -> None:
        self.supported_languages = MULTILINGUAL if languages is None else languages
        self.segments = segments
        self.calls: list[tuple[Any, dict[str, Any]]] = []

    def transcribe(self, samples: Any, **options: Any) -> tuple[Iterator[Any], None]:
        self.calls.append((samples, options))
        return iter(self.segments), None


def passage(text: str, start: float, words: list[float] | None = None) -> Any:
    return SimpleNamespace(
        start=np.float64(start),
        end=np.float64(start + 1),
        text=text,
        no_speech_prob=0.25,
        avg_logprob=-0.5,
        words=None if words is None else [SimpleNamespace(start=np.float64(second)) for second in words],
    )


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """Four samples and half of a fifth."""
    path = tmp_path / "speech.raw"
    path.write_bytes(b"\x00\x00\xff\x7f\x00\x80\x01\x00\x09")
    return path


def request(samples: Path, **changes: Any) -> dict[str, Any]:
    return {"samples": str(samples), "language": "en", "vad": True, **changes}


def answers(model: Any, asked: dict[str, Any]) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    worker.answer_job(model, asked, told.append)
    return [json.loads(json.dumps(message)) for message in told]


def test_the_library_is_asked_for_times_of_words_and_for_no_memory_of_earlier_ones(samples: Path) -> None:
    """Times are what is cited; a model that reads its own earlier words repeats its mistakes."""
    model = Model()
    assert answers(model, request(samples)) == [{"done": True}]
    assert answers(model, request(samples, vad=False, language="de")) == [{"done": True}]
    expected = {"word_timestamps": True, "condition_on_previous_text": False, "no_speech_threshold": 0.6}
    assert [options for _, options in model.calls] == [
        {**expected, "language": "en", "vad_filter": True},
        {**expected, "language": "de", "vad_filter": False},
    ]


def test_samples_are_decoded_here_so_that_no_decoder_of_the_library_is_needed(samples: Path) -> None:
    """Numbers between -1 and 1; half a sample at the end is none."""
    model = Model()
    answers(model, request(samples))
    heard = model.calls[0][0]
    assert heard.dtype == np.float32
    assert heard.tolist() == [0.0, 32767 / 32768, -1.0, 1 / 32768]


def test_a_passage_starts_with_its_first_word(samples: Path) -> None:
    """Its own start is used where the library knows no words."""
    model = Model(passage(" One.", 1.0, [1.5, 1.75]), passage(" Two.", 3.0, []), passage(" Three.", 5.0))
    told = answers(model, request(samples))
    assert [message.get("segment") for message in told] == [
        [1.5, 2.0, " One.", 0.25, -0.5],
        [3.0, 4.0, " Two.", 0.25, -0.5],
        [5.0, 6.0, " Three.", 0.25, -0.5],
        None,
    ]
    assert told[0]["of"] == 4 / worker.RATE
    assert told[-1] == {"done": True}


def test_passages_are_told_while_later_ones_are_still_being_made(samples: Path) -> None:
    """What was told stays told when the rest fails."""

    def made() -> Iterator[Any]:
        yield passage("One.", 0.0)
        raise RuntimeError("secret path")

    model = Model()
    model.segments = made()
    told = answers(model, request(samples))
    assert [next(iter(message)) for message in told] == ["segment", "fault"]
    assert told[-1] == {"fault": "failed", "detail": "RuntimeError"}


@pytest.mark.parametrize(
    ("fault", "told"), [(MemoryError(), {"fault": "memory"}), (OSError(), {"fault": "failed", "detail": "OSError"})]
)
def test_what_goes_wrong_with_a_clip_is_told_by_its_kind(samples: Path, fault: Exception, told: dict[str, str]) -> None:
    """The library's own words may name paths, and are not passed on."""

    class Broken(Model):
        def transcribe(self, samples: Any, **options: Any) -> Any:
            raise fault

    assert answers(Broken(), request(samples)) == [told]


def test_missing_samples_and_unknown_languages_are_told_before_any_work(samples: Path, tmp_path: Path) -> None:
    """An English model says that it knows nothing else."""
    model = Model()
    assert answers(model, request(tmp_path / "none")) == [{"fault": "samples", "detail": ""}]
    assert answers(model, request(samples, language="xx")) == [{"fault": "language", "detail": ""}]
    english = Model(languages=["en"])
    assert answers(english, request(samples, language="de")) == [{"fault": "language", "detail": "en"}]
    assert model.calls == english.calls == []


def test_no_sound_at_all_needs_no_model(tmp_path: Path) -> None:
    """An empty file is a clip in which nothing is said."""
    empty = tmp_path / "empty.raw"
    empty.touch()
    model = Model()
    assert answers(model, request(empty)) == [{"done": True}]
    assert model.calls == []


@pytest.mark.parametrize(
    ("language", "languages", "vad", "looked", "worked"),
    [
        (None, MULTILINGUAL, True, True, False),
        ("en", MULTILINGUAL, True, False, True),
        (None, ["en"], True, False, True),
        (None, MULTILINGUAL, False, False, True),
    ],
)
def test_the_language_of_silence_is_not_looked_for(
    samples: Path,
    monkeypatch: pytest.MonkeyPatch,
    language: str | None,
    languages: list[str],
    vad: bool,
    looked: bool,
    worked: bool,
) -> None:
    """Where the library would, speech is looked for first; elsewhere it is left to the library, which does it once."""
    asked: list[Any] = []
    part = SimpleNamespace(VadOptions=dict, get_speech_timestamps=lambda *arguments: asked.append(arguments))
    monkeypatch.setattr(worker, "import_module", {"faster_whisper.vad": part}.__getitem__)
    model = Model(languages=languages)
    assert answers(model, request(samples, language=language, vad=vad)) == [{"done": True}]
    assert (bool(asked), bool(model.calls)) == (looked, worked)


class Library:
    """Stands for the modules that the child imports."""

    def __init__(self, *, missing: str = "", fault: Exception | None = None) -> None:
        self.missing = missing
        self.fault = fault
        self.vads = 0
        self.made: list[tuple[Any, dict[str, Any]]] = []

    def __call__(self, name: str) -> Any:
        if name == self.missing:
            raise ImportError(name=name)
        return {
            "faster_whisper": SimpleNamespace(WhisperModel=self.model),
            "faster_whisper.vad": SimpleNamespace(get_vad_model=self.vad),
            "ctranslate2": SimpleNamespace(get_supported_compute_types=lambda device: {"int8", "float32"}),
        }[name]

    def vad(self) -> None:
        self.vads += 1

    def model(self, folder: str, **options: Any) -> str:
        if self.fault is not None:
            raise self.fault
        self.made.append((folder, options))
        return "model"


@pytest.mark.parametrize("compute_type", ["int8", "float32", "default", "auto"])
def test_a_model_is_loaded_from_its_folder_on_the_processor(monkeypatch: pytest.MonkeyPatch, compute_type: str) -> None:
    """And from nowhere else."""
    library = Library()
    monkeypatch.setattr(worker, "import_module", library)
    assert worker.load("/w", compute_type, 3, False) == "model"
    options = {"device": "cpu", "compute_type": compute_type, "cpu_threads": 3, "local_files_only": True}
    assert library.made == [("/w", options)]
    assert library.vads == 0
    worker.load("/w", compute_type, 3, True)
    assert library.vads == 1


@pytest.mark.parametrize(
    ("library", "compute_type", "kind", "detail"),
    [
        (Library(missing="faster_whisper"), "int8", "package", "faster_whisper"),
        (Library(missing="ctranslate2"), "int8", "package", "ctranslate2"),
        (Library(), "int8_float16", "compute_type", "float32, int8"),
        (Library(fault=RuntimeError("/a/path")), "int8", "weights", "RuntimeError"),
        (Library(fault=MemoryError()), "int8", "memory", ""),
    ],
)
def test_what_prevents_loading_is_told_by_its_kind(
    monkeypatch: pytest.MonkeyPatch, library: Library, compute_type: str, kind: str, detail: str
) -> None:
    """So that the parent can say what to do about it."""
    monkeypatch.setattr(worker, "import_module", library)
    with pytest.raises(worker.Fault) as caught:
        worker.load("/w", compute_type, 1, True)
    assert (caught.value.kind, caught.value.detail) == (kind, detail)


CHATTY = """
import os
print("a banner of the library")
os.write(1, b"a line from C\\n")
class WhisperModel:
    supported_languages = ["en"]
    def __init__(self, *arguments, **options):
        print("loading")
    def transcribe(self, samples, **options):
        print("transcribing")
        os.write(1, b"progress 1 of 3")
        return iter(()), None
"""


def test_whatever_libraries_print_stays_out_of_the_answers(tmp_path: Path, samples: Path) -> None:
    """From Python and from C: each line that the parent reads is an answer."""
    (tmp_path / "faster_whisper").mkdir()
    (tmp_path / "faster_whisper" / "__init__.py").write_text(CHATTY, encoding="utf-8")
    (tmp_path / "faster_whisper" / "vad.py").write_text("def get_vad_model():\n    print('vad')\n", encoding="utf-8")
    (tmp_path / "ctranslate2.py").write_text(
        "def get_supported_compute_types(device):\n    return {'int8'}\n", encoding="utf-8"
    )
    order = {"folder": "/w", "compute_type": "int8", "threads": 1, "vad": True}
    lines = [order, request(samples), request(samples)]
    with subprocess.Popen(
        [sys.executable, "-c", f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n"
         "from twitter_tool.media.speech.worker import main\nmain()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        told = []
        for line in lines:
            process.stdin.write(json.dumps(line).encode() + b"\n")
            process.stdin.flush()
            told.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.stdout.read() == b""
        printed = process.stderr.read()
    assert told == [{"ready": True}, {"done": True}, {"done": True}]
    assert process.returncode == 0
    assert b"a banner" in printed
    assert b"a line from C" in printed


def test_the_child_loads_nothing_of_this_program_that_it_does_not_need() -> None:
    """It should be busy with its model at once."""
    script = """
import sys
before = set(sys.modules)
import twitter_tool.media.speech.worker
print(sorted(name for name in set(sys.modules) - before if name.startswith("twitter_tool")))
print(sorted({"httpx", "asyncio", "numpy", "faster_whisper", "pydantic"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    own = ["twitter_tool", "twitter_tool._version", "twitter_tool.media", "twitter_tool.media.speech"]
    assert done.stdout.splitlines() == [str([*own, "twitter_tool.media.speech.worker"]), "[]"]
