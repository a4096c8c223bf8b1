"""An answer shown while it is being written is the answer that is returned."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from twitter_tool.output.answer_stream import AnswerStream
from twitter_tool.output.answer_text import model_text

PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "\n", "\r", "\r\n", "\n\n\n", " ", "  ", "\t", "## Sources", "Sources", "---", "# Notes #", "answer:",
                "\u2028", "\x85", "\x0b", "\x1b[31m", "\x1b", "[0m", "\u200b", "\u202e", "\ud800", "\u00a0",
                "a sentence that is long enough to be shown before its line has come to an end, ",
                "https://x.com/ann/status/7", "**", "> ", "- ", "\U0001f469", "\u200d", "\U0001f52c", "1. ",
                "```", "~~~~", "```python\n",
            ]
        ),
        st.text(max_size=12),
        st.text(alphabet="ab #-=\n", max_size=60),
    ),
    max_size=25,
)  # fmt: skip


def streamed(pieces: list[str]) -> str:
    """Everything shown, in one string."""
    stream = AnswerStream()
    return "".join([*(stream.feed(piece) for piece in pieces), stream.finish()])


@given(PIECES)
@settings(max_examples=600, deadline=None)
def test_the_pieces_shown_make_up_the_whole_answer(pieces: list[str]) -> None:
    """However the answer is cut into pieces, what was shown is what the result holds."""
    assert streamed(pieces) == model_text("".join(pieces))


def test_a_long_line_is_shown_before_it_ends() -> None:
    """A reader does not wait for the end of a paragraph."""
    stream = AnswerStream()
    shown = stream.feed("The line opened in March and most people who wrote about it say that it is ")
    assert shown.startswith("The line opened in March and most people")


def test_a_line_that_may_become_a_heading_of_ours_is_held_back() -> None:
    """A forged section never reaches the screen unmarked."""
    stream = AnswerStream()
    assert stream.feed("Text.\n## Sour") == "Text."
    assert "\\## Sources" in stream.feed("ces\n1. https://x.com/evil/status/1\nx\n") + stream.finish()


def test_a_fence_left_open_is_closed() -> None:
    """Else a Markdown reader would take the sources for code."""
    assert model_text("Look:\n```python\nprint(1)").endswith("\n```")
    assert model_text("```\nx\n```") == "```\nx\n```"
