"""Whatever bytes arrive, the reader of arguments gives an object or refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from twitter_tool.cli.json_arguments import parse_arguments
from twitter_tool.errors import RequestError

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def _parsed(data: bytes) -> dict[str, Any] | None:
    try:
        return parse_arguments(data)
    except RequestError as error:
        refusal = error
    assert refusal.code == "invalid_request"
    assert refusal.hint
    return None


@given(st.binary(max_size=200))
@example(b"\xef\xbb\xbf{}")
@example(b'{"a": ' + b"9" * 4301 + b"}")
@example(b'{"a": ' + b"[" * 100_000)
@example(b'{"a":' * 3000)
@example(b'{"\\ud800": 1, "\\ud800": 2}')
def test_any_bytes_give_an_object_or_a_refusal(data: bytes) -> None:
    """No other exception ever leaves the reader."""
    value = _parsed(data)
    assert value is None or isinstance(value, dict)


@given(st.text(alphabet='{}[]":,\\ \n019eE+-.truefalsnNaI\u2028\x00', max_size=60))
def test_any_text_made_of_json_pieces_gives_an_object_or_a_refusal(text: str) -> None:
    """Near-JSON is the likeliest thing a model sends."""
    value = _parsed(text.encode("utf-8"))
    assert value is None or isinstance(value, dict)


@given(_VALUES)
def test_what_json_can_say_arrives_unchanged(value: Any) -> None:
    """An object that is neither too deep nor holds NaN is read as it is."""
    try:
        text = json.dumps({"query": value}, allow_nan=False)
    except ValueError:
        return
    assert parse_arguments(text.encode("utf-8")) == {"query": value}


def test_a_repeated_name_is_found_among_very_many() -> None:
    """Quickly: what a megabyte holds must not keep the process busy for minutes."""
    names = [*range(100_000), 99_999]
    data = "{" + ",".join(f'"{name}":1' for name in names) + "}"
    with pytest.raises(RequestError, match="'99999' more than once"):
        parse_arguments(data.encode())
