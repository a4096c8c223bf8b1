"""What ``config`` and ``doctor`` say about a set-up."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from twitter_tool.config import Loaded
from twitter_tool.config.secrets import is_secret_name, redacted
from twitter_tool.report import config_report, doctor_report
from twitter_tool.settings import KEYS

Load = Callable[..., Loaded]
KEY = {"TWITTERAPI_IO_API_KEY": "a-real-looking-key"}


def checks(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in report["checks"]}


def nothing_installed(name: str) -> None:
    return None


def test_config_lists_every_setting_with_its_source(load: Load) -> None:
    """Defaults included, as plain JSON."""
    environ = {"TWITTER_TOOL_FALLBACK_MODELS": "a,b"}
    report = config_report(load(user="max_pages = 9", project="max_frames = 2", environ=environ), environ)
    assert json.loads(json.dumps(report)) == report
    assert set(report) == {"settings", "files", "notes"}
    assert list(report["settings"]) == [key.name for key in KEYS]
    assert report["settings"]["max_pages"] == {"value": 9, "source": "user"}
    assert report["settings"]["max_frames"] == {"value": 2, "source": "project"}
    assert report["settings"]["fallback_models"] == {"value": ["a", "b"], "source": "env"}
    assert report["settings"]["time_zone"] == {"value": None, "source": "default"}


def test_config_lists_the_files_and_what_became_of_them(load: Load, tmp_path: Any) -> None:
    """In the order they are read."""
    report = config_report(load(project="="), {})
    assert report["files"] == [
        {"path": str(tmp_path / "home" / ".config" / "twitter-tool" / "config.toml"), "status": "missing"},
        {"path": str(tmp_path / "work" / ".twitter-tool.toml"), "status": "unreadable"},
    ]


def test_config_gives_each_note_with_its_sentence(load: Load) -> None:
    """Code, message and figures, as results do; another wording may be handed in."""
    loaded = load(user="max_frames = 99")
    (found,) = config_report(loaded, {})["notes"]
    assert found.pop("message")
    assert found == {"code": "setting_adjusted", "key": "max_frames", "given": 99, "used": 16}
    assert config_report(loaded, {}, describe=lambda note: {"is": note.code})["notes"] == [{"is": "setting_adjusted"}]


def test_config_shows_no_secret(load: Load) -> None:
    """Neither one written into a table, nor one that stands in the environment, nor a key in place of its name."""
    environ = {"MY_API_KEY": "hunter-in-environment", **KEY}
    user = """
        stt_api_key_env = "sk-hunter-pasted"
        video_endpoint = "https://user:hunter-in-url@video.test/hunter-in-environment"
        ffmpeg_path = "/opt/a-real-looking-key"
        [models."a/b"]
        api_base = "https://api.test/v1"
        api_key = "hunter1"
        apiKey = "hunter2"
        api_key_env = "MY_API_KEY"
        apiKeyEnv = "sk-hunter3"
        extra_headers = {Authorization = "Bearer hunter4", list = ["hunter5", 6]}
        max_output_tokens = 5
        since = 2026-01-01
        ratio = inf
        huge = 123456789012345678901234567890
    """
    report = config_report(load(user=user, environ=environ), environ)
    text = json.dumps(report, allow_nan=False)
    assert "hunter" not in text
    assert "a-real-looking-key" not in text
    model = report["settings"]["models"]["value"]["a/b"]
    assert model["api_key_env"] == "MY_API_KEY"
    assert model["api_base"] == "https://api.test/v1"
    assert (model["max_output_tokens"], model["since"], model["ratio"]) == (5, "2026-01-01", "inf")
    assert model["extra_headers"]["list"][1] == 6
    assert report["settings"]["video_api_key_env"]["value"] == "GOOGLE_API_KEY"


def test_config_keeps_control_characters_from_the_terminal(load: Load) -> None:
    """A value is one cleaned line."""
    report = config_report(load(project='time_zone = "a\\u001b[31mb\\nc"'), {})
    assert report["settings"]["time_zone"]["value"] == "ab \u23ce c"


def test_config_shows_where_requests_are_routed(load: Load) -> None:
    """It decides which server answers."""
    environ = {"TWITTER_TOOL_ROUTE_TO": "http://127.0.0.1:8000"}
    report = config_report(load(environ=environ), environ)
    assert report["settings"]["route_to"] == {"value": "http://127.0.0.1:8000", "source": "env"}


def test_config_survives_values_that_json_does_not_have(load: Load) -> None:
    """Code may hand in anything inside a table."""
    report = config_report(load(options={"models": {"a": {"b": {1, 2}, "c": None}}}), {})
    assert report["settings"]["models"]["value"] == {"a": {"b": "(set)", "c": None}}


def test_doctor_is_content_with_a_key(load: Load) -> None:
    """Nothing else is needed to read; every check has the same four fields."""
    report = doctor_report(load(environ=KEY), KEY)
    assert report["ok"] is True
    assert json.loads(json.dumps(report)) == report
    assert all(set(check) == {"name", "status", "message", "fix"} for check in report["checks"])
    assert {check["status"] for check in report["checks"]} <= {"ok", "missing", "off"}
    assert checks(report)["retrieval key"]["status"] == "ok"
    assert "a-real-looking-key" not in json.dumps(report)


@pytest.mark.parametrize("value", [None, "", "  ", "two words", "line\nbreak", "schl\u00fcssel", "\x00abc"])
def test_doctor_asks_for_a_usable_key(load: Load, value: str | None) -> None:
    """Absent, blank, or with characters that no key has: all with the command that helps, none with the value."""
    environ = {} if value is None else {"TWITTERAPI_IO_API_KEY": value}
    report = doctor_report(load(), environ)
    check = checks(report)["retrieval key"]
    assert report["ok"] is False
    assert check["status"] == "missing"
    assert check["fix"].startswith("export TWITTERAPI_IO_API_KEY=")
    assert value is None or not value.strip() or value.strip() not in json.dumps(report, ensure_ascii=False)


def test_another_providers_key_does_not_help(load: Load) -> None:
    """Only the one variable counts."""
    assert doctor_report(load(), {"XAI_API_KEY": "a-real-looking-key"})["ok"] is False


def test_doctor_needs_no_key_in_the_sandbox(load: Load) -> None:
    """Nothing leaves the process there."""
    report = doctor_report(load(sandbox=True), {}, sandbox=True)
    assert report["ok"] is True
    assert checks(report)["retrieval key"]["status"] == "off"
    assert "sandbox" in checks(report)["route"]["message"]


def test_doctor_tells_the_state_of_the_files(load: Load) -> None:
    """Read, absent or unusable; an unusable one does not make the set-up fail."""
    report = doctor_report(load(project="=", environ=KEY), KEY)
    assert report["ok"] is True
    assert checks(report)["user settings"]["status"] == "off"
    broken = checks(report)["project settings"]
    assert (broken["status"], bool(broken["fix"])) == ("missing", True)
    assert "not valid TOML" in broken["message"]
    assert checks(doctor_report(load(user=""), KEY))["user settings"]["status"] == "ok"


def test_doctor_points_at_values_that_are_not_used_as_written(load: Load) -> None:
    """The other command has the details."""
    assert checks(doctor_report(load(), KEY))["setting values"]["status"] == "ok"
    for user in ("max_frames = 99", "max_frame = 9"):
        check = checks(doctor_report(load(user=user), KEY))["setting values"]
        assert (check["status"], check["fix"]) == ("missing", "twitter-tool config")


@pytest.mark.parametrize(
    ("route", "status"),
    [
        (None, "off"),
        ("http://127.0.0.1:8000", "ok"),
        ("https://evil.test", "missing"),
        ("http://u:p@127.0.0.1:1", "missing"),
    ],
)
def test_doctor_says_when_requests_go_elsewhere(load: Load, route: str | None, status: str) -> None:
    """And when the place cannot be used."""
    environ = {"TWITTER_TOOL_ROUTE_TO": route} if route else {}
    check = checks(doctor_report(load(environ=environ), KEY))["route"]
    assert check["status"] == status
    assert bool(check["fix"]) == (status == "missing")
    assert "u:p" not in check["message"]


@pytest.mark.parametrize(
    ("name", "status"),
    [("Europe/Berlin", "ok"), ("UTC", "ok"), ("Mars/Olympus", "missing"), ("../../etc/passwd", "missing")],
)
def test_doctor_knows_a_zone_from_a_mistake(load: Load, name: str, status: str) -> None:
    """By the names of the IANA list."""
    check = checks(doctor_report(load(environ={"TWITTER_TOOL_TIME_ZONE": name}), KEY))["time zone"]
    assert check["status"] == status
    assert name in check["message"]
    assert bool(check["fix"]) == (status == "missing")


def test_doctor_tells_the_hosts_zone(load: Load) -> None:
    """When none is set."""
    check = checks(doctor_report(load(), KEY))["time zone"]
    assert check["status"] == "ok"
    assert "the host's" in check["message"]


def test_doctor_gives_the_install_command_for_serving_the_sandbox(load: Load) -> None:
    """Reading from it works in any case."""
    check = checks(doctor_report(load(), KEY, find_spec=nothing_installed))["sandbox"]
    assert (check["status"], check["fix"]) == ("off", 'pip install "twitter-tool[sandbox]"')
    check = checks(doctor_report(load(), KEY, find_spec=lambda name: name))["sandbox"]
    assert (check["status"], check["fix"]) == ("ok", None)


def test_a_module_without_a_spec_is_not_installed(load: Load) -> None:
    """The look-up complains about such a module instead of answering."""

    def without_spec(name: str) -> None:
        raise ValueError(f"{name}.__spec__ is None")

    assert checks(doctor_report(load(), KEY, find_spec=without_spec))["sandbox"]["status"] == "off"


def test_without_a_model_answers_are_quotations(load: Load) -> None:
    """Nothing is missing: the quoting answer needs no model."""
    found = checks(doctor_report(load(), KEY))["answers"]
    assert found["status"] == "ok"
    assert "quote" in found["message"]


def test_a_named_model_that_cannot_be_used_fails_the_doctor(load: Load) -> None:
    """With what to do about it."""
    report = doctor_report(load(user="synthesis_model = 'no-such-provider/x'"), KEY)
    assert report["ok"] is False
    assert checks(report)["answers"]["status"] == "missing"
    assert checks(report)["answers"]["fix"]


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("OPENAI_API_KEY", True),
        ("apiKey", True),
        ("apikey", True),
        ("GH_TOKEN", True),
        ("DB_PASSWORD", True),
        ("Authorization", True),
        ("extra_headers", True),
        ("TWITTER_TOOL_VIDEO_API_KEY_ENV", False),
        ("apiKeyEnv", False),
        ("max_output_tokens", False),
        ("GIT_AUTHOR_NAME", False),
        ("KEYBOARD", False),
        ("---", False),
        ("", False),
    ],
)
def test_names_that_suggest_a_secret(name: str, secret: bool) -> None:
    """Whole words decide, and a variable that holds a variable's name is none."""
    assert is_secret_name(name) is secret


def test_the_user_part_of_an_address_is_removed() -> None:
    """It is where passwords stand; an @ further on is not."""
    assert "pw" not in redacted("https://user:pw@host.test/x", {})
    assert redacted("https://host.test/@ann", {}) == "https://host.test/@ann"


def test_loading_settings_imports_nothing_heavy() -> None:
    """The HTTP library, models of arguments and the event loop are not needed to read a file."""
    code = "import sys, twitter_tool.config; print([m for m in ('httpx', 'pydantic', 'asyncio') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
