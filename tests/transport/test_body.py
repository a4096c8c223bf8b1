"""What counts as a readable body, and what an envelope says about failure."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from twitter_tool.backends.twitterapi.body import (
    MAX_DEPTH,
    MAX_NODES,
    UnreadableBody,
    envelope_fault,
    failure_text,
    parse_object,
)


def refusal(raw: bytes) -> str:
    with pytest.raises(UnreadableBody) as caught:
        parse_object(raw)
    return str(caught.value)


def nested(levels: int, inner: str = "") -> bytes:
    """An object that is nested so many levels deep, itself counted."""
    return ('{"a":' + "[" * (levels - 1) + inner + "]" * (levels - 1) + "}").encode()


@pytest.mark.parametrize(
    "raw", [b"", b" ", b"{", b'{"a":1}x', b"{'a':1}", b"<html>", b'{"a":\x001}', b"\xff\xfe{}", b'{"a":"\xff"}']
)
def test_bytes_that_are_not_json_in_utf_8_are_refused(raw: bytes) -> None:
    """Invalid text encoding included."""
    assert refusal(raw) == "it is not valid JSON"


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_words_that_only_look_like_numbers_are_refused(word: str) -> None:
    """JSON has no such numbers, though some parsers accept them."""
    assert refusal(f'{{"a":{word}}}'.encode()) == "it is not valid JSON"


@pytest.mark.parametrize("raw", [b"[]", b'"text"', b"null", b"true", b"1", b'[{"tweets":[]}]'])
def test_a_body_that_is_no_object_is_refused(raw: bytes) -> None:
    """A bare list or value is not a page."""
    assert refusal(raw) == "it is not a JSON object"


def test_two_hundred_levels_are_read_and_one_more_is_refused() -> None:
    """Empty or filled, lists or objects."""
    assert parse_object(nested(MAX_DEPTH)) == json.loads(nested(MAX_DEPTH))
    assert parse_object(nested(MAX_DEPTH, '1,"x"'))
    assert "deeper" in refusal(nested(MAX_DEPTH + 1))
    assert "deeper" in refusal(('{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1)).encode())


@pytest.mark.parametrize("levels", [1_500, 200_000])
def test_absurd_nesting_is_refused_without_a_crash(levels: int) -> None:
    """Deeper than the parser's own stack, closed or not."""
    assert "deeper" in refusal(nested(levels))
    with pytest.raises(UnreadableBody):
        parse_object(b'{"a":' + b"[" * levels)


def test_absurd_nesting_is_refused_where_the_host_raised_the_recursion_limit() -> None:
    """The real stack would end before the limit does."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    try:
        assert "deeper" in refusal(nested(300_000))
        assert parse_object(nested(MAX_DEPTH, '"]]}}"'))
        assert "deeper" in refusal(b'{"a":' + b'["]",' * 100_000 + b"1" + b"]" * 100_000 + b"}")
    finally:
        sys.setrecursionlimit(before)


def test_half_a_million_values_are_read_and_one_more_is_refused() -> None:
    """The object, the list and every entry count."""
    entries = MAX_NODES - 2
    assert len(parse_object(b'{"a":[' + b",".join([b"7"] * entries) + b"]}")["a"]) == entries
    assert "500000" in refusal(b'{"a":[' + b",".join([b"7"] * (entries + 1)) + b"]}")
    with_text = b'{"a":[' + b",".join([b"7"] * (entries - 1)) + b',"[,{"]}'
    assert len(parse_object(with_text)["a"]) == entries


def test_commas_and_brackets_inside_strings_are_no_values() -> None:
    """A long text is one value, whatever it is made of."""
    text = ',[{"\\' * 400_000
    assert parse_object(json.dumps({"a": text, "b": [{}, []]}).encode()) == {"a": text, "b": [{}, []]}


@pytest.mark.parametrize(
    "raw",
    [b'{"a":[' + b"{}," * 5_000_000 + b"1]}", b'{"a":"' + b'\\"' * 8_000_000, b'"' * 16_000_000, b"]" * 16_000_000,
     b"{" * 16_000_000, b'{"a":' + b"9" * 15_000_000 + b"}", b'{"a":1e' + b"9" * 15_000_000 + b"}"],
    ids=["many objects", "open string", "quotes", "closers", "openers", "long integer", "long exponent"],
)  # fmt: skip
def test_the_largest_hostile_bodies_are_refused(raw: bytes) -> None:
    """Every byte allowed, used as unkindly as possible; slow parsing would run into the time limit of the test."""
    try:
        body = parse_object(raw)
    except UnreadableBody:
        body = {"a": None}
    assert body == {"a": None}


def test_an_integer_beyond_the_parser_s_limit_makes_the_body_malformed() -> None:
    """Large ones below it are kept exactly."""
    assert refusal(b'{"a":' + b"9" * 5_000 + b"}") == "it is not valid JSON"
    assert parse_object(b'{"a":' + b"9" * 400 + b"}") == {"a": 10**400 - 1}


def test_a_number_too_large_for_a_float_is_an_absent_value() -> None:
    """It never becomes an infinity that later arithmetic trips over."""
    assert parse_object(b'{"a":1e999,"b":-1e999,"c":1.5}') == {"a": None, "b": None, "c": 1.5}


def test_a_lone_surrogate_never_makes_a_page_malformed() -> None:
    """Escaped or encoded, it stays in the text for the cleaning to replace."""
    assert parse_object(b'{"a":"x\\ud800y"}') == {"a": "x\ud800y"}
    assert parse_object(b'{"a":"x\xed\xa0\x80y"}') == {"a": "x\ud800y"}


def test_a_byte_order_mark_is_skipped_and_the_last_of_two_equal_names_wins() -> None:
    """Both are odd but harmless."""
    assert parse_object(b'\xef\xbb\xbf{"a":1,"a":2}') == {"a": 2}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=30,
)


@given(st.dictionaries(st.text(), _JSON, max_size=5), st.booleans(), st.sampled_from([None, 1]))
def test_any_object_is_read_as_the_standard_parser_reads_it(
    value: dict[str, Any], ascii_only: bool, indent: Any
) -> None:
    """Escaped or not, with or without blanks."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    raw = text.encode("utf-8", "surrogatepass")
    assert parse_object(raw) == json.loads(text)


_BITS = st.sampled_from(
    [b"{", b"}", b"[", b"]", b'"', b"\\", b":", b",", b"1", b"NaN", b"null", b'"a"', b" ", b"\xff", b"\n"]
)


@given(st.binary(max_size=200) | st.lists(_BITS, max_size=40).map(b"".join))
@example(b'{"a":"\\')
def test_no_bytes_raise_anything_but_the_one_failure(raw: bytes) -> None:
    """Whatever arrives, it is an object or refused."""
    try:
        value: object = parse_object(raw)
    except UnreadableBody as flaw:
        value = {"flaw": str(flaw)}
    assert isinstance(value, dict)


@settings(max_examples=30)
@given(st.lists(_BITS, max_size=40).map(b"".join))
def test_the_look_before_parsing_never_refuses_what_fits(raw: bytes) -> None:
    """With it or without it, the same bodies are read."""

    def outcome(limit: int) -> Any:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(limit)
        try:
            return parse_object(raw)
        except UnreadableBody:
            return None
        finally:
            sys.setrecursionlimit(before)

    assert outcome(sys.getrecursionlimit()) == outcome(6_000)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"error": "Unauthorized", "message": "Credits is not enough"}, "Credits is not enough"),
        ({"msg": "b", "detail": " a "}, "a"),
        ({"detail": [{"msg": "Field required"}], "msg": "  ", "error": "c"}, "c"),
        ({"detail": {"id": "1"}, "error": 400, "message": "Bad request"}, "Bad request"),
        ({"error": 123}, None),
        ({}, None),
    ],
)
def test_upstream_s_words_are_the_first_that_are_text_and_not_blank(body: dict[str, Any], text: str | None) -> None:
    """In the order detail, msg, message, error."""
    assert failure_text(body) == text


@pytest.mark.parametrize(
    "body",
    [
        {"status": "error", "msg": "user not found", "data": None},
        {"status": "error", "msg": "woeid not found", "trends": []},
        {"status": "error", "msg": "Not  Found", "tweets": [{"id": "1"}]},
        {"article": None, "status": "failed", "msg": "article not found"},
        {"detail": "Space not found or API error"},
        {"error": "User not found."},
        {"status": "success", "message": "tweet NOT FOUND", "tweets": []},
    ],
)
def test_words_that_say_not_found_win_over_a_failed_status(body: dict[str, Any]) -> None:
    """Whichever member holds them."""
    assert envelope_fault(body) == "not_found"


@pytest.mark.parametrize(
    "body",
    [
        {"status": "error"},
        {"status": "error", "tweets": []},
        {"status": "failed", "tweets": [{"id": "1"}]},
        {"status": " Error "},
        {"error": "Internal", "message": "please retry"},
        {"error": 500, "message": "please retry"},
        {"error": "x", "tweets": []},
        {"detail": "Internal Server Error"},
        {"status": "error", "msg": "User sparrow7_ex is suspended", "data": None},
    ],
)
def test_a_failed_status_or_nothing_but_an_error_is_a_failure(body: dict[str, Any]) -> None:
    """It is never an empty result."""
    assert envelope_fault(body) == "failed"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tweets": []},
        {"tweets": [{"id": "1"}], "status": "success", "msg": "success"},
        {"tweets": [{"id": "1"}], "status": "success", "msg": "2 tweets not found"},
        {"tweets": [{"id": "1"}], "error": None},
        {"tweets": [{"id": "1"}], "error": "partial"},
        {"status": "success", "error": "none", "tweets": []},
        {"detail": {"title": "A Space about things not found"}},
        {"data": {"name": "Not Found"}, "status": "success"},
        {"data": None, "status": "success"},
        {"status": 200, "tweets": []},
        {"recharge_credits": 5},
    ],
)
def test_everything_else_is_for_the_readers(body: dict[str, Any]) -> None:
    """A listing with entries is never condemned by its words; null data is judged by what was asked."""
    assert envelope_fault(body) is None


@pytest.mark.parametrize("rest", [{"status": "failed", "msg": "x"}, {"status": "error"}, {"error": "x"}], ids=str)
def test_an_article_that_is_null_was_not_found_whatever_stands_beside_it(rest: dict[str, Any]) -> None:
    """The failure does not tell why there is none."""
    assert envelope_fault({"article": None, **rest}) == "not_found"


def test_a_float_that_fits_stays_a_float() -> None:
    """The guard against infinities changes nothing else."""
    value = parse_object(b'{"a":1.7976931348623157e308,"b":-0.0}')
    assert value["a"] == sys.float_info.max
    assert math.copysign(1, value["b"]) == -1
