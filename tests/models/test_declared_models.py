"""The ``[models]`` table: what is read, what is refused, what is disclosed."""

from __future__ import annotations

from typing import Any

import pytest

from twitter_tool.errors import SetupError
from twitter_tool.models.declared import ImageBounds, read_declared

NAME = "openai/m"
BOUNDS = {"tokens_per_image": 1_024, "max_width": 1_568, "max_height": 1_568, "max_images": 4}


def read(**entry: Any) -> Any:
    return read_declared(NAME, entry)


def refusal(**entry: Any) -> str:
    with pytest.raises(SetupError) as caught:
        read(**entry)
    assert caught.value.code == "bad_settings"
    return f"{caught.value.message} {caught.value.hint}"


def notes(reading: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(note.code, dict(note.figures)) for note in reading.notes]


def test_both_spellings_of_a_key_are_read() -> None:
    """As everywhere in the settings."""
    for entry in ({"context_window": 9, "max_output_tokens": 8.0}, {"contextWindow": 9, "maxOutputTokens": 8}):
        reading = read(**entry)
        assert (reading.entry.context_window, reading.entry.max_output_tokens, reading.notes) == (9, 8, ())


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "8192", float("nan"), float("inf"), 2**60, [1], {}])
@pytest.mark.parametrize("field", ["context_window", "max_output_tokens", "max_request_bytes", "contextWindow"])
def test_a_limit_that_is_no_count_is_refused(field: str, value: Any) -> None:
    """Guessing one could send what must not be sent."""
    assert "positive whole number" in refusal(**{field: value})


@pytest.mark.parametrize(
    "base",
    [
        "https://llm.example/v1",
        "https://llm.example/v1/",
        "http://127.0.0.1:8080/v1",
        "http://localhost:1",
        "http://[::1]:9/v1",
    ],
)
def test_an_address_is_https_or_on_this_machine(base: str) -> None:
    """The slash at its end means nothing."""
    assert read(api_base=base).entry.api_base == base.rstrip("/")


@pytest.mark.parametrize(
    "base",
    [
        "http://llm.example/v1",
        "http://10.0.0.1/v1",
        "http://127.0.0.1.evil.example/v1",
        "ftp://127.0.0.1/",
        "llm.example/v1",
        "https://user:pw@llm.example/v1",
        "https://llm.example/v1?key=1",
        "https://llm.example/v1#x",
        "https:///v1",
        "https://llm.example:99999/v1",
        "https://llm.example:0/v1",
        "https://llm example/v1",
        "https://[::1/v1",
        5,
    ],
)
def test_any_other_address_is_refused(base: Any) -> None:
    """And what may be a password in it is not shown."""
    assert "pw" not in refusal(api_base=base)


def test_a_blank_address_or_variable_is_none() -> None:
    """As everywhere in the settings."""
    entry = read(api_base=" ", api_key_env="").entry
    assert (entry.api_base, entry.api_key_env) == (None, None)


@pytest.mark.parametrize("value", ["sk-1234567890", "MY KEY", "9KEY", "x" * 70, "gsk_abcdef", 7])
def test_a_key_in_the_place_of_its_variables_name_is_refused_and_not_shown(value: Any) -> None:
    """A file is no place for a key."""
    words = refusal(api_key_env=value)
    assert "environment variable" in words
    assert str(value) not in words.replace(NAME, "")


def test_the_retrieval_key_is_no_models_key() -> None:
    """It belongs to another host."""
    assert "no other host" in refusal(api_key_env="TWITTERAPI_IO_API_KEY")


def test_a_vision_flag_that_is_neither_true_nor_false_is_false() -> None:
    """And said so."""
    for entry in ({"supports_vision": "yes"}, {"supportsVision": 1}):
        reading = read(**entry)
        assert reading.entry.supports_vision is False
        keys = ['models."openai/m".supports_vision']
        assert notes(reading) == [("setting_ignored", {"keys": keys, "reason": "unknown_value"})]
    assert read(supports_vision=True).entry.supports_vision is True
    assert read().entry.supports_vision is None


def test_unknown_keys_are_left_out_and_named() -> None:
    """The rest of the entry counts."""
    reading = read(context_window=9, contxt=1, other=2)
    assert reading.entry.context_window == 9
    keys = ['models."openai/m".contxt', 'models."openai/m".other']
    assert notes(reading) == [("setting_ignored", {"keys": keys, "reason": "unknown_key"})]


def test_an_entry_that_is_no_table_is_refused() -> None:
    """Nothing could be read from it."""
    with pytest.raises(SetupError, match="not a table"):
        read_declared(NAME, 8_192)


def test_image_bounds_are_read_and_capped() -> None:
    """Sizes and numbers have a ceiling, the tokens of an image have none."""
    assert read(images=BOUNDS).entry.images == ImageBounds(**BOUNDS)
    reading = read(images={**BOUNDS, "tokensPerImage": 2_000_000, "max_width": 10_000, "max_bytes": 1})
    assert reading.entry.images is None  # both spellings of one key at once
    reading = read(images={**BOUNDS, "tokens_per_image": 2_000_000, "max_width": 10_000, "max_images": 101})
    bounds = reading.entry.images
    assert (bounds.tokens_per_image, bounds.max_width, bounds.max_images) == (2_000_000, 8_192, 100)
    assert [(code, figures["given"], figures["used"]) for code, figures in notes(reading)] == [
        ("setting_adjusted", 10_000, 8_192),
        ("setting_adjusted", 101, 100),
    ]


@pytest.mark.parametrize(
    "images",
    [7, [], {}, {**BOUNDS, "tokens_per_image": None}, {**BOUNDS, "max_images": 0}, {**BOUNDS, "max_width": True}],
)
def test_unusable_image_bounds_switch_images_off(images: Any) -> None:
    """Not the model."""
    reading = read(context_window=9, images=images)
    assert (reading.entry.images, reading.entry.context_window) == (None, 9)
    assert [code for code, _ in notes(reading)] == ["setting_ignored"]


def test_unknown_image_keys_are_left_out_and_named() -> None:
    """The bounds still count."""
    reading = read(images={**BOUNDS, "detail": "high"})
    assert reading.entry.images is not None
    keys = ['models."openai/m".images.detail']
    assert notes(reading) == [("setting_ignored", {"keys": keys, "reason": "unknown_key"})]
