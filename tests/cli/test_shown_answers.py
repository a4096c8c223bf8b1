"""Answers at a terminal: streamed, or rendered where a person looks at them."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncGenerator, Callable

import pytest
from cli_processes import Outcome

from twitter_tool.cli import shown
from twitter_tool.output.answer_text import model_text
from twitter_tool.result import Result
from twitter_tool.streaming import Piece

CLOSING = "\n\n## Sources\n1. https://x.com/ann/status/7\n\n## Notes\n- A note."
QUESTION = ("posts", "tram", "--sandbox", "--output", "answer", "--quiet")


def test_a_streamed_answer_ends_with_the_sources_and_notes_of_a_plain_one(run: Callable[..., Outcome]) -> None:
    """Only the lines about the model move from the top to the end."""
    plain, streamed = run(*QUESTION).out, run(*QUESTION, "--stream").out
    head, _, body = plain.partition("\n\n")
    query, *about = head.split("\n")
    assert streamed == f"{query}\n\n{body}\n" + "\n".join(about) + "\n"


def test_streamed_evidence_is_the_evidence(run: Callable[..., Outcome]) -> None:
    """There is nothing to wait for, so nothing changes."""
    words = ("posts", "tram", "--sandbox", "--quiet")
    drop_time = re.compile(r"^Read: \S+", re.MULTILINE)
    assert drop_time.sub("", run(*words, "--stream").out) == drop_time.sub("", run(*words).out)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--stream",), "--stream has"),
        (("--model", "extractive"), "--model has"),
        (("--model", "extractive", "--stream"), "--model and --stream have"),
    ],
)
def test_what_only_matters_to_an_answer_is_told_when_posts_are_shown(
    words: tuple[str, ...], told: str, run: Callable[..., Outcome]
) -> None:
    """In one line, and the posts are shown all the same."""
    outcome = run("posts", "tram", "--sandbox", *words)
    assert outcome.code == 0
    note, *progress = outcome.err.splitlines()
    assert note == f"note: {told} no effect: posts are shown as they are; ask a question, or add --output answer"
    assert all(line.startswith("page ") for line in progress)
    assert run("posts", "tram", "--sandbox", "--quiet", *words).err == ""
    assert "no effect" not in run("posts", "tram", "--sandbox", "--output", "answer", *words).err


def test_a_tool_call_for_posts_tells_it_too(run: Callable[..., Outcome]) -> None:
    """Its document stays as it is; without the option there is nothing to tell."""
    posts = b'{"query": "tram", "output": "posts"}'
    outcome = run("call", "--sandbox", "--model", "extractive", stdin=posts)
    assert outcome.err.startswith("note: --model has no effect")
    assert outcome.out.startswith('{"content": ')
    assert "no effect" not in run("call", "--sandbox", stdin=posts).err
    answer = run("call", "--sandbox", "--model", "extractive", stdin=b'{"query": "tram"}')
    assert "no effect" not in answer.err


@pytest.mark.parametrize("words", [("--format", "json"), ("--format", "jsonl")])
def test_a_stream_is_text_only(words: tuple[str, ...], run: Callable[..., Outcome]) -> None:
    """A document is printed whole or not at all."""
    outcome = run(*QUESTION, "--stream", *words)
    assert outcome.code == 2
    assert "--stream shows text only" in outcome.out


def test_an_answer_is_rendered_for_a_terminal_only(
    run: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe gets the text as it is."""
    plain = run(*QUESTION).out
    monkeypatch.setattr("twitter_tool.cli.run.is_terminal", lambda stream: True)
    out = run(*QUESTION).out
    assert out != plain
    assert out[out.index("\n\n## Sources") :] == plain[plain.index("\n\n## Sources") :]


def answered(text: str) -> Result:
    """The result of a model's answer, cleaned as any answer is."""
    content = f"Query: q\nModel: m\nSynthesis Calls: 1\nCitations: 1\n\n## Answer\n\n{model_text(text)}{CLOSING}"
    return Result(content=content, details={"output": "answer"}, closing=CLOSING)


def test_a_rendered_link_shows_where_it_leads() -> None:
    """A terminal's own links could hide it."""
    text = shown.rendered(answered("[the post](https://evil.test/x)"))
    assert "https://evil.test/x" in text
    assert "\x1b]8;" not in text


@pytest.mark.parametrize(
    "text",
    ["<!-- ", "<script>\nx", "<pre>\nx", "<?php\nx", "<![CDATA[\nx", "```\nx", "```a`b", "- a\n  ```\n  b", "~~~~"],
)
def test_nothing_in_an_answer_swallows_the_sources(text: str) -> None:
    """They are no part of what is rendered."""
    out = shown.rendered(answered(f"Claim.\n\n{text}"))
    assert out.endswith(f"{CLOSING}\n")
    assert "Claim." in out


def test_without_the_extra_the_text_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rendering is a convenience."""
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert shown.rendered(answered("words")) == answered("words").content + "\n"


def test_a_reader_that_left_ends_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of the answer would be paid for and read by nobody."""
    monkeypatch.setattr(shown, "write_out", lambda text: False)
    left: list[str] = []

    async def pieces() -> AsyncGenerator[Piece, None]:
        try:
            yield Piece(kind="text", text="One")
            yield Piece(kind="text", text="Two")
        finally:
            left.append("closed")

    with pytest.raises(shown.ReaderGone):
        asyncio.run(shown.show(pieces(), {"query": "q"}, None))
    assert left == ["closed"]


def test_a_model_named_on_the_line_stands_above_the_settings(run: Callable[..., Outcome]) -> None:
    """One answer by another model needs no edit of a file."""
    outcome = run(*QUESTION, "--model", "no-such-provider/x", "--format", "json")
    assert outcome.code == 3
    assert '"missing_model"' in outcome.out
    assert run(*QUESTION, "--model", "extractive").code == 0
