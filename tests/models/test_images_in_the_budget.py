"""What images cost a chain of models, and which images every member can take."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_samples import bounds, model

from twitter_tool.models.facts import ModelFacts
from twitter_tool.models.limits import (
    ChainRoom,
    base64_length,
    image_ability,
    image_bounds,
    reserve_of,
    size_of,
)
from twitter_tool.models.reply import Prompt, PromptImage

PLENTY = 10**9
FRAME = 1_024
"""Tokens, and bytes, of framing."""


def picture(size: int) -> PromptImage:
    return PromptImage("image/png", b"x" * size)


def asked(user: str, *sizes: int, plain: str | None = None) -> Prompt:
    return Prompt(system="s", user=user, images=tuple(map(picture, sizes)), plain=plain)


def room(*members: ModelFacts, max_chars: int = PLENTY) -> ChainRoom:
    return ChainRoom(members, system="s", max_chars=max_chars)


@given(st.binary(max_size=300))
def test_the_length_of_base64_is_that_of_the_encoder(data: bytes) -> None:
    """Padding included."""
    assert base64_length(len(data)) == len(b64encode(data))


@pytest.mark.parametrize(
    ("facts", "ability"),
    [
        ({"supports_vision": True, "images": bounds()}, "images"),
        ({"supports_vision": None, "images": bounds()}, "images"),
        ({"supports_vision": False, "images": bounds()}, "text_only"),
        ({"supports_vision": True}, "bounds_missing"),
        ({"supports_vision": None}, "text_only"),
        ({"supports_vision": False}, "text_only"),
    ],
)
def test_images_need_a_model_that_takes_them_and_bounds(facts: dict[str, Any], ability: str) -> None:
    """Declared bounds say that it takes them where nobody says anything; nobody's word is no yes."""
    first = model(**facts)
    assert image_ability([first]) == ability
    assert (image_bounds([first]) is not None) == (ability == "images")
    assert (first.image_input is not None) == (ability == "images")


def test_the_model_that_is_asked_first_decides_about_images() -> None:
    """A later one that takes some changes nothing, and without any model there are none."""
    seeing, blind = model("openai/a", images=bounds()), model("openai/b")
    assert image_ability([seeing, blind]) == "images"
    assert image_ability([blind, seeing]) == "text_only"
    assert image_bounds([blind, seeing]) is None
    assert image_ability([]) == "text_only"
    assert image_bounds([]) is None


def test_images_keep_to_the_tightest_bounds_of_the_models_that_take_them() -> None:
    """Whoever takes none, or denies it, has no say; the cost in tokens is the first one's."""
    found = image_bounds(
        [
            model("openai/a", images=bounds(tokens_per_image=7, max_width=900, max_images=9)),
            model("openai/b", images=bounds(tokens_per_image=3, max_height=800, max_bytes=4_000)),
            model("openai/c", supports_vision=False, images=bounds(max_width=1)),
            model("openai/d"),
        ]
    )
    assert found == bounds(tokens_per_image=7, max_width=900, max_height=800, max_images=9, max_bytes=4_000)


def test_characters_that_are_not_written_yet_are_taken_at_their_worst() -> None:
    """Three bytes each in the window, six in a request, one each of the character ceiling, to the last one."""
    window = room(model(context_window=4 * FRAME, max_output_tokens=FRAME))
    assert not window.take("abc", chars=682)
    assert window.take("abcd", chars=680)
    assert window.take("abcdef"[: 2 * FRAME - 2 - 4 - 3 * 680])
    assert not window.take("a")
    request = room(model(max_request_bytes=25 + 1 + FRAME + 3 + 60))
    assert not request.take("abcd", chars=10)
    assert request.take("abc", chars=10)
    ceiling = room(model(), max_chars=15)
    assert not ceiling.take("abc", chars=11)
    assert ceiling.take("abc", chars=10)


def test_what_is_reserved_counts_as_used() -> None:
    """So that the room left is the room left."""
    here = room(model())
    assert here.take("abc", chars=10)
    assert here.used == size_of("abc") + reserve_of(10)


def test_every_image_slot_costs_each_model_its_own_tokens() -> None:
    """The dearest one in the smallest window is the first that has no room for another."""
    cheap = model("openai/a", images=bounds(tokens_per_image=10))
    dear = model(
        "openai/b", context_window=FRAME + 2 + 1_000, max_output_tokens=100, images=bounds(tokens_per_image=300)
    )
    both = room(cheap, dear)
    assert both.take("", images=2)
    assert both.take("", images=1)
    assert not both.take("", images=1)
    assert room(cheap).take("", images=100)


def test_a_slot_costs_a_request_the_largest_image_that_the_chain_allows() -> None:
    """As base64, with its framing; the tightest bound is the largest image for everybody."""
    fitting = 25 + 1 + FRAME + 2 * (256 + base64_length(1_000))
    loose = {"images": bounds(max_bytes=50_000)}
    tight = model("openai/b", images=bounds(max_bytes=1_000))
    assert room(model(max_request_bytes=fitting, **loose), tight).take("", images=2)
    assert not room(model(max_request_bytes=fitting - 1, **loose), tight).take("", images=2)


def test_a_model_that_gets_no_images_pays_nothing_for_them() -> None:
    """Neither tokens nor bytes, whether it takes none or has no bounds; it does pay for the text."""
    small = {"context_window": 8_000, "max_request_bytes": 8_000}
    seeing = model("openai/a", images=bounds(tokens_per_image=1_000))
    for blind in (model("openai/b", **small), model("openai/b", supports_vision=True, **small)):
        assert room(seeing, blind).take("abc", images=50)
        assert not room(seeing, blind).take("a" * 8_000, images=1)


def test_text_and_slots_are_taken_together_or_not_at_all() -> None:
    """What did not fit leaves no trace."""
    here = room(model(context_window=FRAME + 2 + 400, max_output_tokens=100, images=bounds(tokens_per_image=100)))
    assert not here.take("abc", images=3)
    assert here.used == size_of("")
    assert not here.take("a" * 300, images=1)
    assert here.take("", images=3)


def test_a_whole_prompt_is_measured_with_its_real_images() -> None:
    """To the last byte of base64; what was taken before does not matter."""
    body = 25 + 1 + 3 + FRAME + 256 * 2 + base64_length(10) + base64_length(21)
    facts = model(max_request_bytes=body, images=bounds(tokens_per_image=5))
    here = room(facts)
    here.take("abc")
    assert here.holds(asked("abc", 10, 21))
    assert not here.holds(asked("abc", 10, 22))
    assert not here.holds(asked("abcd", 10, 21))
    window = FRAME + 2 + 3 + 100 + 2 * 50
    exact = {"max_output_tokens": 100, "images": bounds(tokens_per_image=50)}
    assert room(model(context_window=window, **exact)).holds(asked("abc", 1, 1))
    assert not room(model(context_window=window - 1, **exact)).holds(asked("abc", 1, 1))


def test_a_whole_prompt_counts_its_own_system_prompt() -> None:
    """That is what will be sent."""
    assert room(model(), max_chars=5).holds(Prompt(system="s", user="abc"))
    assert not room(model(), max_chars=5).holds(Prompt(system="sy", user="abc"))


def test_a_model_without_images_is_measured_with_the_plain_text() -> None:
    """It gets neither the images nor what is said about them."""
    seeing = model("openai/a", images=bounds())
    blind = model("openai/b", max_request_bytes=25 + 1 + FRAME + 5)
    whole = asked("plain, and what the images are", 100, plain="plain")
    assert room(seeing, blind).holds(whole)
    assert not room(seeing, blind).holds(asked("plain, and what the images are", 100))
    assert not room(seeing, blind).holds(asked("", 100, plain="plainer"))
    assert room(max_chars=7).holds(whole), "the quoting answer gets no images either"


@pytest.mark.parametrize(("sizes", "fitting"), [((5, 5), True), ((5, 5, 5), False), ((5, 6), False)])
def test_more_or_larger_images_than_a_model_takes_are_refused(sizes: tuple[int, ...], fitting: bool) -> None:
    """By the bounds of each model that gets them."""
    members = model("openai/a", images=bounds(max_images=2)), model("openai/b", images=bounds(max_bytes=5))
    assert room(*members).holds(asked("abc", *sizes)) is fitting


PIECES = st.tuples(st.text(max_size=20), st.integers(0, 40), st.integers(0, 2))


@given(st.lists(PIECES, max_size=8), st.integers(1_050, 2_600), st.integers(1_050, 4_000), st.randoms())
def test_whatever_was_reserved_can_be_sent(
    pieces: list[tuple[str, int, int]], window: int, request: int, random: Any
) -> None:
    """Any text and any images within what was taken make a prompt that fits every member."""
    members = [
        model("openai/a", context_window=window, max_output_tokens=90, images=bounds(tokens_per_image=70)),
        model("openai/b", max_request_bytes=request, images=bounds(max_bytes=100)),
        model("openai/c", max_request_bytes=request),
    ]
    here = ChainRoom(members, system="sys", max_chars=PLENTY)
    text, images = "", 0
    for piece, chars, slots in pieces:
        if here.take(piece, chars=chars, images=slots):
            text += piece + "".join(random.choice("a界\0\n") for _ in range(chars))
            images += slots
    sent = Prompt(
        system="sys",
        user=text,
        images=tuple(picture(random.randint(0, 100)) for _ in range(images)),
        plain=text[: random.randint(0, len(text))],
    )
    assert not (text or images) or here.holds(sent)
