"""What the doctor says about pictures, videos and speech."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from twitter_tool.config import Loaded
from twitter_tool.errors import SetupError
from twitter_tool.media.speech import Weights
from twitter_tool.models.declared import ImageBounds, read_declared
from twitter_tool.models.facts import Chain, ModelFacts
from twitter_tool.models.video import VideoGap
from twitter_tool.report import doctor_report
from twitter_tool.report.media import Machine, media_checks

Load = Callable[..., Loaded]
KEY = {"TWITTERAPI_IO_API_KEY": "a-real-looking-key"}
ON = "enable_video_understanding = true\nenable_video_processing = true\n"
NAMES = ["pictures", "video processing", "ffmpeg", "video endpoint", "speech", "speech endpoint", "evidence cache"]
INSTALL = 'pip install "twitter-tool[media]"'
INSTALL_SPEECH = 'pip install "twitter-tool[media,speech-model]"'
SECRET = "sk-very-secret-key"


class Fake(Machine):
    """A machine on which these things are installed."""

    def __init__(
        self, ffmpeg: str | None = "/usr/bin/ffmpeg", whisper: bool = True, weights: str | None = "base", **rest: Any
    ) -> None:
        self.program = ffmpeg
        self.whisper = whisper
        self.model = weights
        self.builder = rest.get("builder", True)
        self.asked: list[str | None] = []

    def ffmpeg(self, configured: str | None) -> str | None:
        self.asked.append(configured)
        return self.program

    def has_ffmpeg_python(self) -> bool:
        return bool(self.builder)

    def has_whisper(self) -> bool:
        return self.whisper

    def weights(self, name: str | None, environ: Mapping[str, str]) -> Weights | None:
        self.asked.append(name)
        return None if self.model is None else Weights(name=self.model, folder=Path("/weights"))


BARE = Fake(ffmpeg=None, whisper=False, weights=None, builder=False)


@pytest.fixture
def check(load: Load) -> Callable[..., dict[str, Any]]:
    """One check of a set-up; the whole report must be plain, without a secret, and content."""

    def look(name: str, user: str = "", machine: Machine | None = None, **environ: str) -> dict[str, Any]:
        environ = {**KEY, **environ}
        loaded = load(user=user, environ=environ)
        report = doctor_report(loaded, environ, machine=Fake() if machine is None else machine)
        assert json.loads(json.dumps(report)) == report
        assert SECRET not in json.dumps(report)
        assert "a-real-looking-key" not in json.dumps(report)
        found = {check["name"]: check for check in report["checks"]}
        assert report["ok"] is (found["answers"]["status"] != "missing")
        assert list(found)[-len(NAMES) :] == NAMES
        result: dict[str, Any] = found[name]
        assert result["message"].endswith(".")
        return result

    return look


Check = Callable[..., dict[str, Any]]


@pytest.mark.parametrize("machine", [Fake(), BARE], ids=["everything installed", "nothing installed"])
def test_without_a_setting_nothing_about_media_is_missing(load: Load, machine: Machine) -> None:
    """Everything is off, and nobody has to install anything for it."""
    report = doctor_report(load(), KEY, machine=machine)
    found = {check["name"]: check["status"] for check in report["checks"]}
    assert report["ok"] is True
    assert {found[name] for name in NAMES} <= {"ok", "off"}
    if machine is BARE:
        assert {found[name] for name in NAMES} == {"off"}


def test_nothing_that_is_missing_for_media_fails_the_doctor(load: Load) -> None:
    """Posts can be read without it."""
    user = f"{ON}enable_image_understanding = true\nvideo_model = 'm'\nstt_endpoint = 'x'\nevidence_cache = true"
    report = doctor_report(load(user=f"{user}\nevidence_cache_dir = 'x'"), KEY, machine=BARE)
    assert report["ok"] is True
    assert [check["name"] for check in report["checks"] if check["status"] == "missing"][1:] == [
        *("pictures", "ffmpeg", "video endpoint", "speech", "speech endpoint", "evidence cache"),
    ]


def test_this_machine_is_looked_at_without_loading_anything(home: Path) -> None:
    """No heavy part is imported for a report."""
    heavy = ("faster_whisper", "av", "ctranslate2", "imageio_ffmpeg", "ffmpeg", "numpy", "litellm", "httpx")
    code = (
        "import sys; from pathlib import Path; from twitter_tool.config import load\n"
        "from twitter_tool.report import doctor_report\n"
        f"options = {{'enable_video_understanding': True, 'enable_video_processing': True, 'evidence_cache': True}}\n"
        f"environ = {{'HOME': {str(home)!r}}}\n"
        "report = doctor_report(load(cwd=Path(), environ=environ, options=options), environ)\n"
        f"print(len(report['checks']), [name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=home)
    assert done.stdout == f"{9 + len(NAMES)} []\n"
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("user", "machine", "status", "words", "fix"),
    [
        (ON, Fake(), "ok", "found on PATH: /usr/bin/ffmpeg", None),
        ("", Fake(), "ok", "Not used while video processing is off", None),
        (ON, Fake("/x/imageio_ffmpeg/binaries/ffmpeg-9"), "ok", "found in a package: /x/imageio_ffmpeg", None),
        (f"{ON}ffmpeg_path = '/opt/ffmpeg'", Fake("/opt/ffmpeg"), "ok", "as ffmpeg_path says: /opt/ffmpeg", None),
        (f"{ON}ffmpeg_path = '/opt/ffmpeg'", Fake(None), "missing", "can be run: /opt/ffmpeg", "correct ffmpeg_path"),
        (ON, Fake(None), "missing", "neither on PATH nor in an installed package", INSTALL),
        (ON, BARE, "missing", "ffmpeg-python is not installed", INSTALL),
        ("", Fake(None), "off", "neither on PATH", INSTALL),
    ],
)
def test_ffmpeg_is_told_with_the_place_where_it_was_found(
    check: Check, user: str, machine: Machine, status: str, words: str, fix: str | None
) -> None:
    """Or with what to install; it is only missed by whoever wants videos."""
    found = check("ffmpeg", user, machine)
    assert found["status"] == status
    assert words in found["message"]
    assert (found["fix"] or "").startswith(fix or "")
    assert bool(found["fix"]) == bool(fix)


def test_the_configured_program_is_the_one_that_is_looked_for(check: Check) -> None:
    """And the configured model of speech."""
    machine = Fake()
    check("ffmpeg", f"{ON}ffmpeg_path = '/opt/ffmpeg'\nwhisper_model = 'small'", machine)
    assert machine.asked == ["/opt/ffmpeg", "small"]


@pytest.mark.parametrize(
    ("user", "status", "words", "fix"),
    [
        ("", "off", "--enable-video-processing", None),
        ("enable_video_understanding = true", "off", "only the still picture", None),
        ("enable_video_processing = true", "missing", "no effect", "enable_video_understanding = true"),
        (f"{ON}max_video_seconds = 60", "ok", "1 in a call, the first 60 seconds", None),
    ],
)
def test_video_processing_is_on_or_off_for_a_reason(
    check: Check, user: str, status: str, words: str, fix: str | None
) -> None:
    """One switch without the other does nothing."""
    found = check("video processing", user)
    assert (found["status"], found["fix"]) == (status, fix)
    assert words in found["message"]


def test_a_switch_that_could_not_be_read_is_not_told_as_one_that_lacks_another(check: Check) -> None:
    """What is wrong with it stands under the setting values."""
    assert check("video processing", TWITTER_TOOL_ENABLE_VIDEO_PROCESSING="maybe")["status"] == "off"


def test_whoever_wants_videos_only_need_not_name_a_model(load: Load) -> None:
    """They are listened to as well."""
    loaded = load(user=ON)
    assert pictures(loaded, Chain(models=(), extractive=True))["status"] == "off"
    assert pictures(loaded, chain(False))["status"] == "off"
    assert pictures(load(user=f"{ON}enable_image_understanding = true"), chain(False))["status"] == "missing"


PICTURES = "enable_image_understanding = true"
BOUNDS = ImageBounds(tokens_per_image=100, max_width=800, max_height=600, max_images=3)


def chain(vision: bool | None = True, images: ImageBounds | None = None, name: str = "acme/one") -> Chain:
    """The models of the settings: this one."""
    model = ModelFacts(
        name=name,
        provider="acme",
        call_name=name,
        context_window=9_000,
        max_output_tokens=900,
        supports_vision=vision,
        images=images,
    )
    return Chain(models=(model,), extractive=False)


def pictures(loaded: Loaded, models: Chain | SetupError) -> dict[str, Any]:
    """The check of pictures with these models."""
    return next(iter(media_checks(loaded, KEY, Fake(), models)))


@pytest.mark.parametrize("switch", ["enable_image_understanding", "enable_video_understanding"])
def test_pictures_need_a_model_with_limits(load: Load, switch: str) -> None:
    """Photos, and still pictures of videos: none is attached without knowing what it costs."""
    loaded = load(user=f"{switch} = true")
    ready = pictures(loaded, chain(images=BOUNDS))
    assert (ready["status"], ready["fix"]) == ("ok", None)
    assert "acme/one is given pictures, at most 3 of 800x600 pixels" in ready["message"]
    lacking = pictures(loaded, chain())
    assert lacking["status"] == "missing"
    assert "none are attached" in lacking["message"]


@pytest.mark.parametrize("name", ["acme/one", 'a/"quoted" \\ name', "a/mod\u00e8le"])
@pytest.mark.parametrize("vision", [True, None])
def test_the_block_to_paste_makes_the_model_take_pictures(load: Load, name: str, vision: bool | None) -> None:
    """As it is printed: it is read back here."""
    fix = pictures(load(user=PICTURES), chain(vision, name=name))["fix"]
    entry = load(user=fix).settings["models"][name]
    declared = read_declared(name, entry)
    assert declared.notes == ()
    assert pictures(load(user=PICTURES), chain(vision, declared.entry.images, name))["status"] == "ok"


@pytest.mark.parametrize(
    ("models", "status", "words"),
    [
        (chain(False, BOUNDS), "missing", "acme/one takes text only"),
        (chain(None), "missing", "Nothing says that acme/one takes pictures"),
        (chain(None, BOUNDS), "ok", "acme/one is given pictures"),
        (Chain(models=(), extractive=True), "missing", "the built-in quoting answer looks at no pictures"),
        (SetupError("missing_model", "none"), "missing", "as said under answers"),
    ],
)
def test_who_looks_at_pictures_is_told(load: Load, models: Chain | SetupError, status: str, words: str) -> None:
    """The model that is asked first decides."""
    found = pictures(load(user=PICTURES), models)
    assert found["status"] == status
    assert words in found["message"]
    assert pictures(load(), models)["status"] == "off"


VIDEO = f"{ON}video_model = 'gemini-x'\n"
LOCAL = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("user", "environ", "status", "words", "fix"),
    [
        (ON, {}, "off", "video_model is not set", None),
        (VIDEO, {}, "missing", "GOOGLE_API_KEY holds no usable key", 'export GOOGLE_API_KEY="your key"'),
        (VIDEO, {"GOOGLE_API_KEY": "a b"}, "missing", "no request header can carry", None),
        (
            VIDEO,
            {"GOOGLE_API_KEY": SECRET},
            "ok",
            "gemini-files at generativelanguage.googleapis.com, model gemini-x; GOOGLE_API_KEY is set",
            None,
        ),
        (
            f"{VIDEO}video_endpoint = 'https://v.test/x'\nvideo_api_key_env = 'VIDEO_KEY'",
            {"VIDEO_KEY": SECRET},
            "ok",
            "gemini-files at v.test, model gemini-x; VIDEO_KEY is set",
            None,
        ),
        (f"{VIDEO}video_endpoint = 'https://v.test/x'", {}, "missing", "ignored", "video_api_key_env ="),
        (f"{VIDEO}video_endpoint = 'http://v.test/x'", {}, "missing", "needs https", "video_api_key_env ="),
        (
            f"{VIDEO}video_endpoint_type = 'openai-compat'",
            {},
            "missing",
            "unknown",
            "set video_endpoint_type to one of",
        ),
        (f"{VIDEO}video_endpoint_type = 'openai-compatible'", {}, "missing", "video_endpoint is not set", None),
        (
            f"{VIDEO}video_endpoint_type = 'openai-compatible'\nvideo_endpoint = '{LOCAL}'",
            {"GOOGLE_API_KEY": SECRET},
            "ok",
            "openai-compatible at 127.0.0.1:9, model gemini-x; no key is sent",
            None,
        ),
        ("video_model = 'gemini-x'", {}, "off", "Not used while video processing is off", "export GOOGLE_API_KEY"),
        (
            "video_model = 'gemini-x'",
            {"GOOGLE_API_KEY": SECRET},
            "ok",
            "GOOGLE_API_KEY is set. Not used while video processing is off",
            None,
        ),
    ],
)
def test_the_service_that_watches_videos_is_told_with_its_host_and_key_variable(
    check: Check, user: str, environ: dict[str, str], status: str, words: str, fix: str | None
) -> None:
    """Never with the key; what a call would refuse is told here first."""
    found = check("video endpoint", user, **environ)
    assert found["status"] == status
    assert words in found["message"]
    assert (found["fix"] or "").startswith(fix or "")
    assert bool(found["fix"]) == bool(fix)


THROUGH = f"{ON}video_endpoint_type = 'litellm'\nvideo_model = 'openai/sees'\n"


@pytest.mark.parametrize(
    ("user", "environ", "status", "words"),
    [
        (THROUGH, {"OPENAI_API_KEY": SECRET}, "ok", "litellm, model openai/sees, at openai."),
        (THROUGH, {}, "missing", "litellm, model openai/sees: OPENAI_API_KEY is not set."),
        (f"{THROUGH}video_api_key_env = 'MY_KEY'", {}, "missing", "MY_KEY is not set."),
        (f"{THROUGH}[models.'openai/sees']\napi_base = '{LOCAL}'", {}, "ok", "openai/sees, at 127.0.0.1:9."),
        (THROUGH.replace("openai/sees", "no-such/x"), {}, "missing", "no-such/x"),
    ],
)
def test_a_model_that_litellm_finds_is_told_with_its_provider(
    check: Check, user: str, environ: dict[str, str], status: str, words: str
) -> None:
    """As for answers: what it lacks is named, and it is not asked anything."""
    if find_spec("litellm") is None:
        pytest.skip("the lists of LiteLLM are not installed")
    found = check("video endpoint", user, **environ)
    assert found["status"] == status
    assert words in found["message"]


def test_without_litellm_the_command_is_told_that_installs_it(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes with the extra for answers."""

    def absent(*_: object) -> VideoGap:
        return VideoGap(reason="not_installed", message="LiteLLM is not installed")

    monkeypatch.setattr("twitter_tool.models.video.video_target", absent)
    found = check("video endpoint", THROUGH)
    assert (found["status"], found["fix"]) == ("missing", 'pip install "twitter-tool[answer]"')


@pytest.mark.parametrize(
    ("user", "machine", "status", "words", "fix"),
    [
        (ON, Fake(), "ok", "the speech model base", None),
        (ON, Fake(whisper=False), "missing", "faster-whisper is not installed", INSTALL_SPEECH),
        (ON, Fake(weights=None), "missing", "no speech model is", INSTALL_SPEECH),
        (f"{ON}whisper_model = 'huge'", Fake(weights=None), "missing", "huge was not found here", INSTALL_SPEECH),
        (f"{ON}whisper_model = 'tiny.en'", Fake(weights="tiny.en"), "ok", "tiny.en", None),
        (f"{ON}stt_endpoint = '{LOCAL}'", BARE, "off", "goes to the configured endpoint", None),
        (f"{ON}stt_endpoint = '{LOCAL}'\nwhisper_model = 'base'", BARE, "missing", "is not installed", INSTALL_SPEECH),
        ("", Fake(whisper=False), "off", "Not used while video processing is off", INSTALL_SPEECH),
    ],
)
def test_local_speech_needs_the_recogniser_and_a_model(
    check: Check, user: str, machine: Machine, status: str, words: str, fix: str | None
) -> None:
    """Whoever has an endpoint instead needs neither."""
    found = check("speech", user, machine)
    assert found["status"] == status
    assert words in found["message"]
    assert (found["fix"] or "").startswith(fix or "")
    assert bool(found["fix"]) == bool(fix)


SPEECH = f"{ON}stt_endpoint = 'https://s.test/v1'\nstt_model = 'hear-1'\n"


@pytest.mark.parametrize(
    ("user", "environ", "status", "words", "fix"),
    [
        (ON, {}, "off", "stt_endpoint is not set", None),
        (SPEECH, {"STT_API_KEY": SECRET}, "missing", "ignored", "stt_api_key_env ="),
        (
            f"{SPEECH}stt_api_key_env = 'MY_KEY'",
            {"MY_KEY": SECRET},
            "ok",
            "s.test, model hear-1; MY_KEY is set",
            None,
        ),
        (f"{SPEECH}stt_api_key_env = 'MY_KEY'", {}, "missing", "MY_KEY holds no usable key", "export MY_KEY="),
        (f"{ON}stt_endpoint = '{LOCAL}'", {}, "missing", "not which model", "stt_model ="),
        (f"{ON}stt_endpoint = '{LOCAL}'\nstt_model = 'm'", {}, "ok", "127.0.0.1:9, model m; no key is sent", None),
        (f"stt_endpoint = '{LOCAL}'\nstt_model = 'm'", {}, "ok", "Not used while video processing is off", None),
    ],
)
def test_the_service_that_transcribes_is_told_with_its_host_and_key_variable(
    check: Check, user: str, environ: dict[str, str], status: str, words: str, fix: str | None
) -> None:
    """Never with the key, nor with the path of its address."""
    found = check("speech endpoint", user, **environ)
    assert found["status"] == status
    assert words in found["message"]
    assert (found["fix"] or "").startswith(fix or "")
    assert bool(found["fix"]) == bool(fix)


def test_a_key_that_was_pasted_where_a_name_belongs_is_not_repeated(check: Check) -> None:
    """Whatever the setting; the value of a secret variable is known."""
    user = f"{ON}video_model = '{SECRET}'\nstt_endpoint = '{LOCAL}'\nstt_model = '{SECRET}'\nffmpeg_path = '/{SECRET}'"
    for name in ("video endpoint", "speech endpoint", "ffmpeg"):
        assert "[removed]" in check(name, user, Fake(f"/{SECRET}"), OTHER_API_KEY=SECRET)["message"]


def test_the_cache_is_told_with_its_place(check: Check, home: Path) -> None:
    """The platform's one, or the one of the settings; nothing is made for a report."""
    assert check("evidence cache")["status"] == "off"
    found = check("evidence cache", "evidence_cache = true\nevidence_cache_days = 7", HOME=str(home))
    assert found["status"] == "ok"
    assert f"for 7 days in {home}/.cache/twitter-tool/evidence.sqlite" in found["message"]
    assert not (home / ".cache").exists()


@pytest.mark.skipif(os.name != "posix", reason="rights of files are a matter of POSIX systems")
def test_a_folder_that_the_cache_would_not_use_is_told(check: Check, tmp_path: Path) -> None:
    """Before a call finds out; it is left as it is."""
    folder = tmp_path / "open"
    folder.mkdir()
    for rights, status in ((0o777, "missing"), (0o755, "ok")):
        folder.chmod(rights)
        found = check("evidence cache", f"evidence_cache = true\nevidence_cache_dir = '{folder}'")
        assert found["status"] == status
        assert folder.stat().st_mode & 0o777 == rights
    assert check("evidence cache", "evidence_cache = true\nevidence_cache_dir = 'x'")["status"] == "missing"
