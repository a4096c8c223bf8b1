"""Finding and reading the settings files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from twitter_tool.config import Loaded
from twitter_tool.config.files import MAX_BYTES, parse, read_file
from twitter_tool.errors import SetupError

Load = Callable[..., Loaded]


def only_reason(loaded: Loaded) -> str:
    (found,) = loaded.notes
    assert found.code == "settings_unreadable"
    return str(found.figures["reason"])


def test_without_any_file_everything_is_default_and_nothing_is_noted(load: Load) -> None:
    """No file is the ordinary case: silent defaults."""
    loaded = load()
    assert loaded.settings["max_pages"] == 5
    assert loaded.settings.origins == {}
    assert loaded.notes == ()
    assert [file.status for file in loaded.files] == ["missing", "missing"]


def test_the_user_file_is_in_the_config_folder(load: Load, home: Path) -> None:
    """XDG_CONFIG_HOME leads to the folder, and below it the file of this tool."""
    (home / "xdg" / "twitter-tool").mkdir(parents=True)
    (home / "xdg" / "twitter-tool" / "config.toml").write_text("max_pages = 7\n")
    loaded = load(environ={"XDG_CONFIG_HOME": str(home / "xdg")})
    assert loaded.settings["max_pages"] == 7
    assert loaded.settings.origin("max_pages") == "user"
    assert loaded.files[0].status == "read"


@pytest.mark.skipif(os.name != "posix", reason="the folder is another one elsewhere")
def test_without_xdg_the_config_folder_is_below_home(load: Load, home: Path) -> None:
    """The home folder is the one of the given environment."""
    assert load().files[0].path == home / ".config" / "twitter-tool" / "config.toml"


@pytest.mark.usefixtures("nothing_read")
def test_without_a_home_in_the_environment_the_platform_tells_the_folder(load: Load) -> None:
    """An empty environment still has a user file, which is that of the platform."""
    from platformdirs import user_config_path

    loaded = load(environ={"HOME": ""})
    assert loaded.files[0].path == user_config_path("twitter-tool", appauthor=False) / "config.toml"


@pytest.mark.parametrize("spelling", ["absolute", "relative", "home"])
def test_a_variable_names_another_user_file(load: Load, home: Path, cwd: Path, spelling: str) -> None:
    """Absolute, below the working directory, or below the home folder."""
    (home / "mine.toml").write_text("max_pages = 9")
    (cwd / "mine.toml").write_text("max_pages = 9")
    named = {"absolute": str(home / "mine.toml"), "relative": "mine.toml", "home": "~/mine.toml"}[spelling]
    assert load(environ={"TWITTER_TOOL_CONFIG": named}).settings["max_pages"] == 9


def test_a_variable_that_names_no_file_is_silent_but_reported(load: Load, home: Path) -> None:
    """Only the list of files tells that there is none."""
    loaded = load(environ={"TWITTER_TOOL_CONFIG": str(home / "none.toml")})
    assert loaded.notes == ()
    assert (loaded.files[0].path, loaded.files[0].status) == (home / "none.toml", "missing")


def test_a_named_file_replaces_the_users_own(load: Load, home: Path, cwd: Path) -> None:
    """The command line's file wins over the variable's, and over the default one."""
    (home / "variable.toml").write_text("max_pages = 9\nretry_base_delay_ms = 1")
    (cwd / "named.toml").write_text("max_pages = 4")
    environ = {"TWITTER_TOOL_CONFIG": str(home / "variable.toml")}
    settings = load(environ=environ, config_path=Path("named.toml")).settings
    assert settings["max_pages"] == 4
    assert settings["retry_base_delay_ms"] == 5000


@pytest.mark.parametrize("name", ["none.toml", "none/none.toml", "bad\0name"])
def test_a_named_file_must_exist(load: Load, name: str) -> None:
    """A mistyped path must not quietly mean no settings."""
    with pytest.raises(SetupError) as caught:
        load(config_path=Path(name))
    assert caught.value.code == "bad_settings"
    assert caught.value.hint
    assert "\0" not in caught.value.message


def test_a_file_below_a_file_does_not_exist(load: Load, cwd: Path) -> None:
    """A path through a plain file leads nowhere."""
    (cwd / "plain").write_text("")
    with pytest.raises(SetupError):
        load(config_path=Path("plain/config.toml"))


def test_a_named_folder_is_disclosed(load: Load, cwd: Path) -> None:
    """It exists, so the call goes on without it."""
    assert only_reason(load(config_path=cwd)) == "not a regular file"


@pytest.mark.parametrize("how", ["variable", "option"])
def test_the_null_device_means_no_user_file(load: Load, how: str) -> None:
    """The usual way to say that no file should be read."""
    if how == "variable":
        loaded = load(environ={"TWITTER_TOOL_CONFIG": os.devnull})
    else:
        loaded = load(config_path=Path(os.devnull))
    assert loaded.notes == ()
    assert [file.level for file in loaded.files] == ["project"]


def test_project_files_of_folders_above_are_not_read(load: Load, cwd: Path) -> None:
    """Only the working directory itself counts."""
    (cwd / ".twitter-tool.toml").write_text("max_pages = 2")
    (cwd / "below").mkdir()
    assert load(cwd=cwd / "below").settings["max_pages"] == 5
    assert load().settings["max_pages"] == 2


def test_a_user_file_that_is_also_the_projects_is_the_users(load: Load, cwd: Path) -> None:
    """Whoever names the file as their own vouches for it."""
    (cwd / ".twitter-tool.toml").write_text("use_proxy_env = true")
    loaded = load(config_path=cwd / ".twitter-tool.toml")
    assert loaded.settings["use_proxy_env"] is True
    assert loaded.notes == ()
    assert [file.level for file in loaded.files] == ["user"]


def test_files_are_read_again_for_every_call(load: Load, cwd: Path) -> None:
    """An edit counts from the next call on, and a repaired file is no longer complained about."""
    file = cwd / ".twitter-tool.toml"
    file.write_text("max_pages = 2")
    before = load()
    file.write_text("max_pages =")
    broken = load()
    file.write_text("max_pages = 3")
    after = load()
    assert [one.settings["max_pages"] for one in (before, broken, after)] == [2, 5, 3]
    assert [len(one.notes) for one in (before, broken, after)] == [0, 1, 0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"max_pages = 2\nsecret = hunter2\n", "not valid TOML (line 2, column 10)"),
        (b"max_pages = ", "not valid TOML"),
        (b"a = 1\na = 2\n", "not valid TOML"),
        (b"\xef\xbb\xbfmax_pages = 2", "begins with a byte order mark; save it as UTF-8 without one"),
        ("max_pages = 2".encode("utf-16"), "begins with a byte order mark; save it as UTF-8 without one"),
        (b"name = '\xff'", "not UTF-8 text"),
        (b"a = " + b"9" * 5000, "not valid TOML"),
        (b"a = " + b"[" * 50_000, "nested too deeply"),
        (b"#" * (MAX_BYTES + 1), "larger than 1 MiB"),
    ],
)
@pytest.mark.parametrize("level", ["user", "project"])
def test_an_unusable_file_is_left_out_whole_and_disclosed(
    load: Load, home: Path, cwd: Path, content: bytes, reason: str, level: str
) -> None:
    """The note names the path and the reason; the call goes on with what is left."""
    path = home / "config.toml" if level == "user" else cwd / ".twitter-tool.toml"
    path.write_bytes(content)
    loaded = load(environ={"TWITTER_TOOL_CONFIG": str(home / "config.toml")})
    assert loaded.settings["max_pages"] == 5
    assert only_reason(loaded).startswith(reason)
    assert loaded.notes[0].figures["path"] == str(path)
    assert {file.level: file.status for file in loaded.files}[level] == "unreadable"


def test_a_file_of_exactly_one_mebibyte_is_read(load: Load, cwd: Path) -> None:
    """The limit itself is allowed."""
    (cwd / ".twitter-tool.toml").write_bytes(b"max_pages = 2\n".ljust(MAX_BYTES, b"#"))
    assert load().settings["max_pages"] == 2


def test_the_reason_repeats_nothing_of_the_file(load: Load, cwd: Path) -> None:
    """The parser's own message would quote a part of it."""
    (cwd / ".twitter-tool.toml").write_text("[hunter2]\nx=1\n[hunter2]\n")
    assert "hunter" not in only_reason(load())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_is_refused_without_waiting_for_a_writer(load: Load, cwd: Path, linked: bool) -> None:
    """Opening a pipe would hold the call for ever; a link to one is no better."""
    pipe = cwd / ("pipe" if linked else ".twitter-tool.toml")
    os.mkfifo(pipe)
    if linked:
        (cwd / ".twitter-tool.toml").symlink_to(pipe)
    assert only_reason(load()) == "not a regular file"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_link_to_an_endless_device_is_refused(load: Load, cwd: Path) -> None:
    """A device is not a regular file, whatever leads to it."""
    (cwd / ".twitter-tool.toml").symlink_to("/dev/zero")
    assert only_reason(load()) == "not a regular file"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.timeout(10)
def test_a_pipe_put_in_place_of_the_file_is_noticed_without_waiting(cwd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is looked at once more after it was opened, since it may have been swapped in between."""
    (cwd / "regular").write_text("")
    os.mkfifo(cwd / "pipe")
    seen = os.stat(cwd / "regular")
    with monkeypatch.context() as patch:
        patch.setattr("twitter_tool.config.files.os.stat", lambda path: seen)
        status, table = read_file(cwd / "pipe", "project")
    assert (status.reason, table) == ("not a regular file", {})


def test_a_link_to_a_regular_file_is_followed(load: Load, cwd: Path, home: Path) -> None:
    """Shared settings are often linked into a folder."""
    (home / "shared.toml").write_text("max_pages = 2")
    (cwd / ".twitter-tool.toml").symlink_to(home / "shared.toml")
    assert load().settings["max_pages"] == 2


def test_links_that_lead_nowhere(load: Load, cwd: Path) -> None:
    """A dangling link is no file; a link to itself cannot be read."""
    (cwd / ".twitter-tool.toml").symlink_to(cwd / "none")
    assert load().notes == ()
    (cwd / ".twitter-tool.toml").unlink()
    (cwd / ".twitter-tool.toml").symlink_to(cwd / ".twitter-tool.toml")
    assert only_reason(load()) == "too many symbolic links"


def test_a_named_file_that_exists_but_leads_in_circles_is_disclosed(load: Load, home: Path) -> None:
    """It is there, so it is no mistyped path."""
    (home / "loop").symlink_to(home / "loop")
    assert only_reason(load(config_path=home / "loop")) == "too many symbolic links"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PermissionError(13, "no"), "permission denied"),
        (OSError(5, "no"), "cannot be read (EIO)"),
        (OSError("no number"), "cannot be read (input/output error)"),
        (ValueError("embedded null byte"), "the path is not valid"),
    ],
)
def test_a_file_that_cannot_be_opened_is_disclosed(
    load: Load, cwd: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    """Whatever the system says, the call goes on."""
    (cwd / ".twitter-tool.toml").write_text("max_pages = 2")

    def refuse(path: object, flags: int) -> int:
        raise error

    monkeypatch.setattr("twitter_tool.config.files.os.open", refuse)
    assert only_reason(load()) == reason


@pytest.mark.parametrize(
    "text",
    [
        "a." * 60_000 + "a = 1",
        "[" + "a." * 1_000 + "a]\n" + "".join(f"b{n} = 1\n" for n in range(50_000)),
        "a = {" + ", ".join(f"a{n}.b = 1" for n in range(20_000)) + "}",
    ],
    ids=["one long dotted key", "many keys below a deep header", "many dotted keys on a line"],
)
def test_text_built_to_be_slow_is_refused_before_it_is_parsed(
    load: Load, cwd: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger's file must not hold the process: parsing these would take from seconds to hours."""
    parsed: list[str] = []
    monkeypatch.setattr("twitter_tool.config.files.tomllib.loads", parsed.append)
    (cwd / ".twitter-tool.toml").write_text(text)
    assert only_reason(load()) == "too many dotted keys"
    assert parsed == []


def test_ordinary_large_files_are_not_taken_for_slow_ones() -> None:
    """Thousands of models with dots in their names are fine."""
    rows = [f'[models."provider/model-{n}.5"]\napi_base = "http://127.0.0.1:8080/v1"\n' for n in range(3_000)]
    assert len(parse("".join(rows))["models"]) == 3_000
