"""Whatever the files, the environment and code hold: no crash, no broken promise."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from twitter_tool.config import Loaded, load
from twitter_tool.settings import KEY_TABLE, KEYS, camel

CANARY = "canary7"

names = st.sampled_from([spelling for key in KEYS for spelling in (key.name, camel(key.name))]) | st.text(max_size=12)
scalars = (
    st.booleans()
    | st.integers()
    | st.integers(min_value=-10, max_value=700_000)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["extractive", "user/model", "true", "http://127.0.0.1:1", "2"])
    | st.datetimes()
    | st.dates()
    | st.times()
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=10,
)
untimed = settings(deadline=None)  # the files are on a disk that others use too
tables = st.dictionaries(names, values, max_size=10)


def toml(value: Any) -> str:
    """Any value as TOML, tables inline."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value.encode("utf-8", "replace").decode()).replace("\x7f", "\\u007f")
        case float():
            return repr(value) if value == value and abs(value) != float("inf") else str(value)
        case int():
            return str(value)
        case dict():
            return "{" + ", ".join(f"{toml(str(name))} = {toml(item)}" for name, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(toml, value)) + "]"
        case _:
            return str(value.isoformat())


def document(table: Mapping[str, Any]) -> bytes:
    """A file with those values; text that only surrogate escapes could spell is replaced by JSON's escaping."""
    rows = "".join(f"{toml(name)} = {toml(value)}\n" for name, value in table.items())
    return rows.encode("utf-8", "replace")


def loaded_from(user: bytes, project: bytes, environ: Mapping[str, str], options: Mapping[str, Any]) -> Loaded:
    """Load from files with those bytes."""
    with tempfile.TemporaryDirectory() as folder:
        cwd = Path(folder)
        (cwd / "user.toml").write_bytes(user)
        (cwd / ".twitter-tool.toml").write_bytes(project)
        return load(cwd=cwd, environ={"TWITTER_TOOL_CONFIG": "user.toml", **environ}, options=options)


def assert_sound(loaded: Loaded) -> None:
    """Every value has its kind and range, and every note is plain JSON of one line."""
    kinds = {"bool": bool, "int": int, "number": (int, float), "strings": tuple, "table": Mapping}
    for key in KEYS:
        value = loaded.settings[key.name]
        if key.kind == "string":
            assert value is None or (isinstance(value, str) and value.strip() == value != "")
        else:
            assert isinstance(value, kinds[key.kind])
        if key.kind in ("int", "number"):
            assert not isinstance(value, bool)
            assert key.low is not None
            assert key.high is not None
            assert key.low <= value <= key.high
    assert loaded.settings["max_pages"] <= loaded.settings["max_pages_ceiling"]
    for found in loaded.notes:
        text = json.dumps(dict(found.figures), allow_nan=False)
        assert all(word.isprintable() for word in json.loads(text) if isinstance(word, str))
        assert not any("\n" in str(figure) for figure in found.figures.values())


@untimed
@given(user=tables, project=tables, options=st.dictionaries(st.sampled_from(sorted(KEY_TABLE)), values, max_size=5))
def test_any_values_give_sound_settings(user: dict[str, Any], project: dict[str, Any], options: dict[str, Any]) -> None:
    """Junk of every kind, under known and unknown names."""
    assert_sound(loaded_from(document(user), document(project), {}, options))


@untimed
@given(user=st.binary(max_size=200), project=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
@example(user=b"\x00", project=b"a.b.c=1\r\n[a]\n")
def test_any_bytes_give_sound_settings(user: bytes, project: bytes) -> None:
    """Files need not be TOML, or text."""
    assert_sound(loaded_from(user, project, {}, {}))


@untimed
@given(
    environ=st.dictionaries(
        st.sampled_from([f"TWITTER_TOOL_{key.name.upper()}" for key in KEYS])
        | st.text(max_size=9).map("TWITTER_TOOL_".__add__),
        st.text(max_size=30) | values.map(toml),
        max_size=8,
    ).filter(lambda names: "TWITTER_TOOL_CONFIG" not in names)
)
@example(environ={"TWITTER_TOOL_MODELS": "{a" + ".a" * 3000 + " = 1}"})
@example(environ={"TWITTER_TOOL_MAX_PAGES": "[" * 5000})
@example(environ={"TWITTER_TOOL_TIME_ZONE": "\udcff"})
def test_any_environment_gives_sound_settings(environ: dict[str, str]) -> None:
    """Variables hold whatever a shell put there."""
    assert_sound(loaded_from(b"", b"", environ, {}))


@untimed
@given(user=tables, project=tables)
def test_no_project_file_moves_what_is_the_users(user: dict[str, Any], project: dict[str, Any]) -> None:
    """Compared with the same load without the project file."""
    without = loaded_from(document(user), b"", {}, {}).settings
    loaded = loaded_from(document(user), document(project), {}, {})
    for key in KEYS:
        if key.user_only:
            assert repr(loaded.settings[key.name]) == repr(without[key.name])
            assert loaded.settings.origin(key.name) == without.origin(key.name)
    assert loaded.settings["max_pages_ceiling"] <= without["max_pages_ceiling"]
    assert loaded.settings["max_synthesis_chars"] <= without["max_synthesis_chars"]
    assert loaded.settings["min_request_interval_ms"] >= without["min_request_interval_ms"]
    mentioned = {"extractive", *without["fallback_models"], *without["models"], without["synthesis_model"], None}
    if isinstance(user.get("synthesis_model"), str):
        mentioned.add(user["synthesis_model"].strip())
    assert loaded.settings["synthesis_model"] in mentioned
    assert mentioned.issuperset(loaded.settings["fallback_models"])


def planted(value: Any) -> Any:
    """The same value with a canary in every text and name."""
    match value:
        case str():
            return CANARY + value
        case dict():
            return {CANARY + str(name): planted(item) for name, item in value.items()}
        case list():
            return [planted(item) for item in value]
        case _:
            return value


@untimed
@given(project=tables)
def test_no_text_of_a_project_file_is_in_a_note(project: dict[str, Any]) -> None:
    """Unknown names, values, and what makes the file unreadable stay inside."""
    known = {name: planted(value) for name, value in project.items() if name in KEY_TABLE}
    strange = {CANARY + name: planted(value) for name, value in project.items() if name not in KEY_TABLE}
    for content in (document(known | strange), document(known | strange) + CANARY.encode()):
        assert CANARY not in repr(loaded_from(b"", content, {}, {}).notes)
