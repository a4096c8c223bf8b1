"""What fits a chain of models: exact at the edges, additive, and as small as its smallest member."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_samples import model

from twitter_tool.models.limits import ChainRoom, Size, fits, reserve_of, reserved_output, size_of

PLENTY = 10**9
TEXTS = st.text(max_size=200)


@pytest.mark.parametrize(
    ("windows", "reserved"),
    [
        ([(128_000, 8_192)], 4_096),
        ([(16_000, 8_192)], 4_000),
        ([(16_383, 9_999)], 4_095),
        ([(14_000, 1_000)], 1_000),
        ([(8_000, 8_192)], 2_000),
        ([(3, 100)], 1),
        ([(128_000, 8_192), (128_000, 512)], 512),
        ([], 4_096),
    ],
)
def test_the_output_kept_free_is_what_the_smallest_member_can_give(
    windows: list[tuple[int, int]], reserved: int
) -> None:
    """At most 4,096 tokens, a member's output limit, and a quarter of its window; the same for every member."""
    members = [model(context_window=window, max_output_tokens=output) for window, output in windows]
    assert reserved_output(members) == reserved


@pytest.mark.parametrize(
    ("prompt", "fitting"), [("a" * 2_974, True), ("a" * 2_975, False), ("界" * 991, True), ("界" * 992, False)]
)
def test_tokens_are_estimated_by_bytes_to_the_last_one(prompt: str, fitting: bool) -> None:
    """System prompt, one break, prompt, framing and kept output together may just fill the window."""
    room = ChainRoom([model(context_window=5_000, max_output_tokens=1_000)], system="s", max_chars=PLENTY)
    assert room.holds(prompt) is fitting


@pytest.mark.parametrize(
    ("prompt", "fitting"), [("a" * 1_000, True), ("\0" * 1_000, False), ("a" * 2_950, True), ("a" * 2_951, False)]
)
def test_a_request_limit_counts_the_bytes_of_the_json_that_carries_the_texts(prompt: str, fitting: bool) -> None:
    """A control character takes six bytes there, a plain one takes one."""
    room = ChainRoom([model(max_request_bytes=4_000)], system="s", max_chars=PLENTY)
    assert room.holds(prompt) is fitting


def test_the_character_ceiling_counts_code_points_of_the_whole_text() -> None:
    """System prompt and the break after it are part of it; a character outside the basic plane is one."""
    room = ChainRoom([model()], system="12345", max_chars=10)
    assert room.holds("😀" * 4)
    assert not room.holds("😀" * 5)


def test_without_any_model_only_the_character_ceiling_counts() -> None:
    """The quoting answer has no window."""
    room = ChainRoom([], system="", max_chars=1_000)
    assert room.holds("界" * 999)
    assert not room.holds("界" * 1_000)


def test_the_smallest_member_decides() -> None:
    """What only the first model could take is not taken."""
    members = [model("openai/big"), model("openai/small", context_window=8_000)]
    room = ChainRoom(members, system="s", max_chars=PLENTY)
    assert room.reserved == 2_000
    assert room.take("q" * 4_974)
    assert not room.take("q")


def test_what_does_not_fit_takes_nothing() -> None:
    """A smaller piece may still be taken afterwards."""
    room = ChainRoom([model()], system="", max_chars=10)
    assert room.take("1234")
    assert not room.take("123456")
    assert room.used == size_of("1234")
    assert room.take("12345")


def test_text_that_is_not_written_yet_is_reserved_at_its_worst() -> None:
    """Three bytes a character, six inside JSON."""
    assert reserve_of(5_603) == Size(5_603, 16_809, 33_618)
    room = ChainRoom([model(context_window=16_000)], system="s", max_chars=PLENTY)
    assert not room.take(reserve_of(5_603))


def test_images_count_as_tokens_and_as_request_bytes() -> None:
    """Each costs its declared tokens, its base64 bytes and some framing."""
    small = Size(1, 1, 1)
    window = model(context_window=1_024 + 3 + 100 + 2 * 50)
    common = {"system": small, "prompt": small, "max_chars": PLENTY, "reserved": 100}
    assert fits(window, **common, images=2, tokens_per_image=50)
    assert not fits(window, **common, images=2, tokens_per_image=51)
    body = model(max_request_bytes=25 + 2 + 1_024 + 256 + 4_000)
    assert fits(body, **common, images=1, image_base64_bytes=4_000)
    assert not fits(body, **common, images=1, image_base64_bytes=4_001)


@given(TEXTS)
def test_sizes_agree_with_the_encoders(text: str) -> None:
    """Characters, UTF-8 bytes, and the bytes of a JSON string that escapes only what it must."""
    plain = json.dumps(text, ensure_ascii=False, separators=(",", ":"))
    assert size_of(text) == Size(len(text), len(text.encode()), len(plain.encode()) - 2)


@given(TEXTS, TEXTS)
def test_sizes_of_joined_texts_add_up(left: str, right: str) -> None:
    """So a prompt can be measured piece by piece."""
    assert size_of(left) + size_of(right) == size_of(left + right)


def test_a_lone_surrogate_counts_three_bytes_and_six_in_json() -> None:
    """No encoder takes it as it is; the escape is what could be sent."""
    assert size_of("\ud800") == Size(1, 3, 6)


@given(st.lists(st.text(max_size=30), max_size=12), st.integers(1, 200), st.integers(1_030, 1_400))
def test_whatever_was_taken_still_fits_as_one_text(pieces: list[str], max_chars: int, window: int) -> None:
    """Taking piece by piece never ends with a prompt that is too long."""
    members = [model(context_window=window, max_output_tokens=100), model("openai/b", max_request_bytes=window)]
    room = ChainRoom(members, system="sys", max_chars=max_chars)
    taken = "".join(piece for piece in pieces if room.take(piece))
    assert not taken or room.holds(taken)
