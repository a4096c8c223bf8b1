"""What is shown of the upstream's own words for a failure."""

from __future__ import annotations

import pytest

from twitter_tool.backends.twitterapi.failures import DETAIL_CHARS, shown_detail

KEY = "0123456789abcdef"


@pytest.mark.parametrize("words", ["<b>", "a < b > c", "<<x>", "< ! x", "</", "<?", "x <\n a"])
def test_words_with_markup_are_not_shown(words: str) -> None:
    """A page of a firewall explains nothing."""
    assert shown_detail(words, ()) is None


@pytest.mark.parametrize("words", ["a < 3", "a > b", "> x <", "<3", "<" * 300_000, "<\n" * 300_000])
def test_a_lone_bracket_is_no_markup(words: str) -> None:
    """However many there are: the time a text takes does not grow with its square."""
    shown = shown_detail(words, ())
    assert shown is not None
    assert len(shown) <= DETAIL_CHARS


@pytest.mark.parametrize("invisible", ["", "\u200b", "\x1b[31m", "\u00ad\u202e", "\x00"])
@pytest.mark.parametrize("before", range(DETAIL_CHARS - len(KEY) - 2, DETAIL_CHARS + 1, 3))
def test_no_part_of_the_key_is_shown_at_the_cut(before: int, invisible: str) -> None:
    """Also when characters that are not shown part it."""
    shown = shown_detail(f"{'x' * before}{KEY[:5]}{invisible}{KEY[5:]} and more", (KEY,))
    assert shown is not None
    assert KEY[:3] not in shown
