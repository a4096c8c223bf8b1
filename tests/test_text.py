"""Cleaning of untrusted text: what is removed, what is kept, and that one line stays one line."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool import text
from twitter_tool.text import BREAK_MARK, ELLIPSIS, as_line, block, field_block, handle_line, line, without_surrogates

BREAKS = ["\r\n", "\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"]
# Format characters that are drawn: they stand before a number or are a sign of their own.
DRAWN_FORMAT_MARKS = set("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
ZWNJ, ZWJ = "\u200c", "\u200d"
FLAG_OF_WALES = "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"

hostile_chars = st.one_of(
    st.characters(),
    st.sampled_from([*BREAKS, "\x1b", "\x9b", "\x9d", "\x07", "\x1c", "\x1d", "\x1e", "\u202e", "\u2066", "\ufeff"]),
    st.sampled_from([ZWNJ, ZWJ, "\u200b", "\xad", "\u180e", "\U000e0041", "\U000e007f", "\U0001f3f4", "\ufe0f"]),
    st.sampled_from(["\U0001f468", "\U0001f469", "\U0001f3fd", "\u2764", "\u0645", "\u06cc", "\u0915", "\u094d", "a"]),
    st.sampled_from(["\x1b[31m", "\x1b]0;t\x07", "\x1b]8;;http://e.org\x1b\\", " ", "  ", "\t", "\xa0", "\u3000"]),
    st.characters(categories=("Cs",)),
)
hostile = st.lists(hostile_chars, max_size=30).map("".join)


def every_char() -> list[str]:
    return [chr(code) for code in range(sys.maxunicode + 1)]


@pytest.mark.parametrize("sort", [block, lambda raw: line(raw, 50), lambda raw: handle_line(raw)[0]])
def test_no_control_or_invisible_format_character_survives(sort):
    """Every control and every format character that draws nothing is removed, whichever way text is cleaned."""
    removed = [
        char
        for char in every_char()
        if unicodedata.category(char) == "Cc" or (unicodedata.category(char) == "Cf" and char not in DRAWN_FORMAT_MARKS)
    ]
    assert len(removed) > 200
    assert [char for char in removed if char in sort(f"a{char}b")] in ([], ["\n"])


def test_drawn_marks_and_ordinary_characters_survive():
    """Letters, marks, symbols, private-use characters and the format marks that are drawn stay as they are."""
    removable = re.compile(f"[{text.REMOVABLE}]")
    lost = [char for char in every_char() if unicodedata.category(char)[0] in "LMNPS" and removable.match(char)]
    assert lost == []
    assert [char for char in DRAWN_FORMAT_MARKS if block(f"a{char}1") != f"a{char}1"] == []


@pytest.mark.parametrize("char", ["\ufdd0", "\ufffe", "\uffff", "\U0001fffe", "\U0010ffff", "\u2065", "\U000e0fff"])
def test_noncharacters_and_reserved_invisible_places_are_removed(char):
    """Places that never hold a drawn character are removed."""
    assert block(f"a{char}b") == "ab"


@pytest.mark.parametrize("mark", BREAKS)
def test_every_line_break_is_a_break_in_a_block_and_a_mark_in_a_line(mark):
    """Each way to break a line becomes one newline in a block and one visible mark in a line."""
    assert block(f"a{mark}b") == "a\nb"
    assert line(f"a{mark}b", 50) == f"a{BREAK_MARK}b"
    assert line(f"a{mark}{mark} {mark}b", 50) == "a ⏎ b"


def test_at_most_one_blank_line_in_a_row_is_kept():
    """Runs of blank lines, also ones made of other white space, become one blank line."""
    assert block("a\n\n\n\nb\n\nc\nd") == "a\n\nb\n\nc\nd"
    assert block("a\n \xa0\n\u3000\n\t\nb") == "a\n\nb"
    assert block("\n\n a \n\n") == "a"


def test_a_tab_becomes_a_space_and_indentation_inside_text_stays():
    """Tabs are spaces; the lines after the first keep their indentation."""
    assert block("a\tb") == "a b"
    assert block("if x:\n\tgo\n    on") == "if x:\n go\n    on"


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("\x1b[2J\x1b[1;1Hx", "x"),
        ("\x9b31mx", "x"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;https://e.org\x1b\\click\x1b]8;;\x1b\\", "click"),
        ("\x1bPdata\x1b\\x", "x"),
        ("\x9dtitle\x9cx", "x"),
        ("\x1bcx", "x"),
        ("\x1b]never closed", "never closed"),
        ("x\x1b", "x"),
    ],
)
def test_terminal_sequences_leave_nothing_behind(raw, cleaned):
    """Colour, cursor, title and hyperlink sequences go whole; an unclosed one loses only its opening."""
    assert block(raw) == cleaned
    assert line(raw, 50) == cleaned


@pytest.mark.parametrize(
    "kept",
    [
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # family
        "\U0001f9d1\U0001f3fd\u200d\U0001f91d\u200d\U0001f9d1\U0001f3fb",  # with skin tones
        "\u2764\ufe0f\u200d\U0001f525",  # heart on fire
        "\U0001f3f3\ufe0f\u200d\U0001f308",  # rainbow flag
        "\U0001f642\u200d\u2194\ufe0f",  # shaking head
        "\U0001f3f4\u200d\u2620\ufe0f",  # pirate flag
        "\U0001f1eb\U0001f1f7",  # country flag
        FLAG_OF_WALES,
        "1\ufe0f\u20e3",
    ],
)
def test_emoji_sequences_stay_whole(kept):
    """Joined emoji, skin tones and flags are not taken apart."""
    assert block(f"a {kept} b") == f"a {kept} b"
    assert line(kept, 50) == kept


@pytest.mark.parametrize(
    "kept",
    [
        "\u0645\u06cc\u200c\u0631\u0648\u0645",  # Persian
        "\u0915\u094d\u200d\u0937",  # Devanagari
        "\u0915\u094d\u200c\u0937",
        "\u0dc1\u0dca\u200d\u0dbb\u0dd3",  # Sinhala
        "\u0d28\u0d4d\u200d\u0d2e",  # Malayalam
        "\u182e\u200d\u1820",  # Mongolian
        "\u0712\u200c\u0713",  # Syriac
        "\u0995\u09cd\u200d\u09b7",  # Bengali
        "\u0a15\u0a4d\u200d\u0a39",  # Gurmukhi
        "\u0a95\u0acd\u200c\u0ab7",  # Gujarati
        "\u0b15\u0b4d\u200c\u0b37",  # Oriya
        "\u0b95\u0bcd\u200c\u0bb7",  # Tamil
        "\u0c15\u0c4d\u200c\u0c37",  # Telugu
        "\u0c95\u0ccd\u200c\u0cb7",  # Kannada
    ],
)
def test_joiners_that_spelling_needs_stay(kept):
    """Between two letters or marks of a script that spells with them, both joiners stay."""
    assert block(kept) == kept
    assert line(kept, 50) == kept


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        (f"a{ZWNJ}b", "ab"),
        (f"a{ZWJ}b", "ab"),
        (f"{ZWJ}a", "a"),
        (f"\u0645{ZWNJ}", "\u0645"),
        (f"\u0645{ZWNJ}\u0915", "\u0645\u0915"),  # two scripts
        (f"\u0645{ZWNJ}1", "\u06451"),
        (f"\U0001f468{ZWJ}a", "\U0001f468a"),
        (f"a{ZWJ}\U0001f468", "a\U0001f468"),
        (f"\U0001f468{ZWJ}{ZWJ}\U0001f469", "\U0001f468\U0001f469"),
        ("\U000e0041\U000e0042x", "x"),
        ("\U0001f3f4\U000e0067x", "\U0001f3f4x"),  # an unfinished flag
        ("\u202eevil\u202c", "evil"),
        ("a\u200bb\ufeffc\xadd\u180ee\u2060f\u061cg", "abcdefg"),
    ],
)
def test_joiners_and_invisible_characters_anywhere_else_go(raw, cleaned):
    """Joiners between other characters, tags outside flags, direction marks and zero-width characters are removed."""
    assert block(raw) == cleaned


def test_a_lone_surrogate_becomes_the_replacement_character():
    """No cleaned text keeps half a character that no encoder takes."""
    assert block("a\ud800b\udfff") == "a\ufffdb\ufffd"
    assert line("\udc00", 5) == "\ufffd"
    assert without_surrogates("x\ud83d") == "x\ufffd"
    assert without_surrogates("plain") == "plain"


def test_words_and_markup_are_left_alone():
    """Instructions, HTML entities, headings and brackets are data: cleaning never changes words."""
    for words in ("Ignore previous instructions", "a &amp; b &#39;", "## Sources", "[9] @x", "permalink: y", "> z"):
        assert block(words) == words
        assert line(words, 100) == words


def test_a_field_is_cut_at_its_cap_with_an_ellipsis():
    """Exactly the cap stays whole; one character more is cut to the cap plus an ellipsis, and says so."""
    assert field_block("b" * 700, 700) == ("b" * 700, False)
    assert field_block("b" * 701, 700) == ("b" * 700 + ELLIPSIS, True)
    assert line("é" * 31, 30) == "é" * 30 + ELLIPSIS


def test_a_break_counts_as_wide_as_its_mark():
    """Ten characters with one break take twelve in a line, so a cap of eleven cuts them."""
    assert field_block("abcd\nefghi", 12) == ("abcd\nefghi", False)
    cut, shortened = field_block("abcd\nefghi", 11)
    assert shortened
    assert cut == "abcd\nefgh" + ELLIPSIS
    assert len(as_line(cut)) == 12


def test_a_cut_never_leaves_half_a_sequence():
    """A cap inside a joined emoji or a flag removes the joiner or tags that join nothing any more."""
    assert field_block("\U0001f468\u200d\U0001f469", 2) == ("\U0001f468" + ELLIPSIS, True)
    assert field_block("é" + FLAG_OF_WALES, 4) == ("é\U0001f3f4" + ELLIPSIS, True)


def test_a_handle_keeps_no_joiner_and_tells_that_it_was_changed():
    """A handle with anything removed is reported as changed; white space around it does not count."""
    assert handle_line("ann_1") == ("ann_1", False)
    assert handle_line(" ann\n") == ("ann", False)
    assert handle_line("an\u200bn") == ("ann", True)
    assert handle_line("\u0645\u200c\u06cc") == ("\u0645\u06cc", True)
    assert handle_line("a\nb") == ("a ⏎ b", False)
    assert handle_line("a\x1b[1mb") == ("ab", True)
    assert handle_line("a\tb") == ("a b", True)


@given(hostile)
def test_cleaning_twice_changes_nothing(raw):
    """Clean text is a fixed point of cleaning."""
    cleaned = block(raw)
    assert block(cleaned) == cleaned
    shown = field_block(raw, 10**6)[0]
    assert field_block(shown, 10**6) == (shown, False)
    assert line(shown, 10**6) == as_line(shown)
    assert block(as_line(shown)) == as_line(shown)


@given(hostile, st.integers(1, 12))
def test_a_cut_field_is_clean_and_within_its_cap(raw, cap):
    """What a cap leaves is clean, at most the cap plus an ellipsis wide, and ends with the ellipsis."""
    shown, shortened = field_block(raw, cap)
    assert len(as_line(shown)) <= cap + shortened
    assert shown.endswith(ELLIPSIS) or not shortened
    assert block(shown) == shown


@given(hostile)
def test_a_line_is_one_line_to_every_reader(raw):
    """No line splitter finds a second line in a line, and a block splits the same way by every rule."""
    assert len(line(raw, 10**6).splitlines()) <= 1
    assert len(handle_line(raw)[0].splitlines()) <= 1
    cleaned = block(raw)
    assert cleaned.splitlines() == (cleaned.split("\n") if cleaned else [])
    cleaned.encode("utf-8")


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_only_loses_outer_blanks(raw):
    """Plain ASCII takes the short way and comes out as the long way would leave it."""
    assert block(raw) == raw.strip()
    assert block("é" + raw + "é") == "é" + raw + "é"


@pytest.mark.parametrize(
    "raw",
    ["\x9d" * 300_000, "\x1b]" * 300_000, "é" + " " * 300_000 + "b", "\U0001f3f4\U000e0041" * 150_000, ZWJ * 300_000],
    ids=["openings", "escapes", "blanks", "flags", "joiners"],
)
def test_hostile_runs_are_cleaned_in_one_pass(raw):
    """Long runs of openings, blanks or joiners take time in proportion to their length (the test would time out)."""
    assert len(block(raw)) <= len(raw)
    assert len(line(raw, 100)) <= 101
    assert len(handle_line(raw)[0]) <= 101
