"""A secret that comes in pieces is taken out as if the text had come whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.redaction import StreamRedactor, redact

SECRETS = ("abcdabcdab", "abcdabcdabXY", "cdabcdab", "b%/cdabcdab")
pieces = st.lists(
    st.one_of(
        st.text("abcdXY%/AB2F5 \n\u200b\u23ce", max_size=12),
        st.sampled_from(["abcd", "ab", "cdab", "abcdabcdabX", "b%25%2fcd", " " * 32, " " * 33]),
    ),
    max_size=12,
)


@given(pieces, st.lists(st.sampled_from(SECRETS), unique=True))
def test_the_pieces_add_up_to_the_redacted_whole(parts: list[str], secrets: list[str]) -> None:
    """However the text is cut, and however the secrets overlap."""
    redactor = StreamRedactor(secrets)
    shown = [redactor.take(part) for part in parts]
    assert "".join((*shown, redactor.finish())) == redact("".join(parts), secrets)


def test_only_what_may_begin_a_secret_is_held_back() -> None:
    """The rest is shown at once."""
    redactor = StreamRedactor(["sk-12345678"])
    given = ["An answer", ", sk", "-1", "2x sk-1234", "5678 end", "."]
    assert [redactor.take(part) for part in given] == ["An answer", ", ", "", "sk-12x ", "[removed] end", "."]
    assert redactor.finish() == ""


@pytest.mark.parametrize("shown", ["SK-12345678", "sk-12 \u23ce 345678", "sk-1\n2345\t678", "s\u200bk-1234567 8"])
def test_a_long_secret_is_found_in_other_spellings(shown: str) -> None:
    """In other letter case and divided by breaks or what shows nothing."""
    assert redact(f"<{shown}>", ["sk-12345678"]) == "<[removed]>"


def test_a_short_secret_is_found_as_it_is_written_only() -> None:
    """It may be a word."""
    assert redact("a pass word, PASSWOR, passwor", ["passwor"]) == "a pass word, PASSWOR, [removed]"


def test_a_secret_that_may_become_a_longer_one_waits_for_it() -> None:
    """No tail of the longer one is shown."""
    redactor = StreamRedactor(["abcd-12345", "abcd-12345-xyz"])
    assert [redactor.take("abcd-12345-x"), redactor.take("yz.")] == ["", "[removed]."]
