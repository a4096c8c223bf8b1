"""Known secrets never survive in text that is shown."""

from __future__ import annotations

from urllib.parse import quote, quote_plus

from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.redaction import redact


def test_every_occurrence_of_every_secret_is_removed() -> None:
    """However often and next to whatever."""
    text = "key=abcd1234&again=abcd1234, token s3cr3t-token"
    assert redact(text, ["abcd1234", "s3cr3t-token"]) == "key=[removed]&again=[removed], token [removed]"


def test_a_secret_in_percent_encoding_is_removed() -> None:
    """In upper and lower case digits, and with a plus for a blank."""
    secret = "a b/c=d+é"
    for shown in (secret, quote(secret, safe=""), quote(secret), quote_plus(secret), quote(secret, safe="").lower()):
        assert redact(f"<{shown}>", [secret]) == "<[removed]>"


def test_a_secret_that_begins_another_leaves_no_tail() -> None:
    """The longer one is removed whole, whatever the order."""
    assert redact("abcd-efgh abcd", ["abcd", "abcd-efgh"]) == "[removed] [removed]"


def test_trivial_secrets_do_not_shred_the_text() -> None:
    """Nothing is gained by removing every letter x."""
    assert redact("a text with x", ["", " ", "x", "tex"]) == "a text with x"


def test_without_secrets_the_text_is_the_same() -> None:
    """Nothing to do."""
    assert redact("plain", []) == "plain"


@given(st.text(), st.text(alphabet=st.characters(categories=["L", "N"]), min_size=4), st.text())
def test_no_secret_is_ever_left(before: str, secret: str, after: str) -> None:
    """Wherever it stands."""
    assert secret not in redact(before + secret + after, [secret]).replace("[removed]", "")
