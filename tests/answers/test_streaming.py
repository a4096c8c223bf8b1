"""Answers as a stream: the pieces, what a fall-back does to them, and what is left when nobody listens."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import httpx
import pytest

from twitter_tool import TwitterTool
from twitter_tool.errors import TwitterToolError
from twitter_tool.models.reply import TextEvent
from twitter_tool.result import Result
from twitter_tool.streaming import PieceMaker, answer_of

CLOSING = "\n\n## Sources\n1. https://x.com/ann/status/7"


def result(answer: str) -> Result:
    """The result of an answer with one source."""
    content = f"Query: q\nModel: m\nSynthesis Calls: 1\nCitations: 1\n\n## Answer\n\n{answer}{CLOSING}"
    return Result(content=content, details={"output": "answer"}, closing=CLOSING)


async def pieces_of(events: list[TextEvent | None], answer: str) -> list[tuple[str, str]]:
    """The pieces of a call whose models give these events, ``None`` standing for a pause."""
    maker = PieceMaker()

    async def call() -> Result:
        for event in events:
            if event is None:
                await asyncio.sleep(0)
            else:
                maker.take(event)
        return result(answer)

    return [(piece.kind, piece.text) async for piece in maker.pieces(call())]


def text(words: str) -> TextEvent:
    """A piece of a model's text."""
    return TextEvent(kind="text", text=words, model="m")


RESTART = TextEvent(kind="restart", text="", model="n")


async def test_pieces_come_as_they_are_written_and_the_result_last() -> None:
    """Joined, they are the answer of the result."""
    pieces = await pieces_of([text("One\nTwo"), None, text("\nThree")], "One\nTwo\nThree")
    assert [kind for kind, _ in pieces] == ["text", "text", "text", "result"]
    assert "".join(words for _, words in pieces) == "One\nTwo\nThree"


async def test_a_model_that_takes_over_throws_away_what_was_shown() -> None:
    """What comes after the restart is the whole answer."""
    pieces = await pieces_of([text("Half an ans\n"), text("wer\n"), RESTART, text("Whole\nanswer")], "Whole\nanswer")
    at = [kind for kind, _ in pieces].index("restart")
    assert "".join(words for _, words in pieces[at:]) == "Whole\nanswer"


async def test_a_restart_before_anything_was_shown_is_not_told() -> None:
    """There is nothing to throw away."""
    pieces = await pieces_of([text("Ha"), RESTART, text("Whole")], "Whole")
    assert [kind for kind, _ in pieces] == ["text", "result"]


async def test_an_answer_that_nobody_streamed_comes_in_one_piece() -> None:
    """The quoting answer is made at once."""
    assert await pieces_of([None], "> words") == [("text", "> words"), ("result", "")]


async def test_the_stream_of_the_tool_ends_with_the_result_of_a_plain_call(tmp_path: Path) -> None:
    """Both are one code path."""
    environ = {"TWITTER_TOOL_CONFIG": "/dev/null"}
    async with TwitterTool(sandbox=True, cwd=tmp_path, environ=environ) as tool:
        pieces = [piece async for piece in tool.stream("tram", "posts", count=3, output="answer")]
    final = pieces[-1].result
    assert final is not None
    assert final.details["model"] == "extractive"
    assert "".join(piece.text for piece in pieces) == answer_of(final)
    assert final.content.endswith(final.closing)


async def test_evidence_streams_as_one_piece(tmp_path: Path) -> None:
    """A program need not ask which output it wanted."""
    environ = {"TWITTER_TOOL_CONFIG": "/dev/null"}
    async with TwitterTool(sandbox=True, cwd=tmp_path, environ=environ) as tool:
        pieces = [piece async for piece in tool.stream("tram", "posts", count=3, output="posts")]
    assert [piece.kind for piece in pieces] == ["text", "result"]
    assert pieces[0].text == pieces[1].result.content


async def test_an_error_ends_the_stream(tmp_path: Path) -> None:
    """As it ends a call."""
    async with TwitterTool(sandbox=True, cwd=tmp_path, environ={"TWITTER_TOOL_CONFIG": "/dev/null"}) as tool:
        with pytest.raises(TwitterToolError):
            [piece async for piece in tool.stream(" ", "posts")]


async def test_leaving_a_stream_early_cancels_the_call() -> None:
    """Nothing goes on for a reader who left."""
    maker, ended = PieceMaker(), asyncio.Event()

    async def call() -> Result:
        try:
            maker.take(text("One\n"))
            maker.take(text("Two\n"))
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError

    async with aclosing(maker.pieces(call())) as pieces:
        async for piece in pieces:
            assert piece.text == "One"
            break
    assert ended.is_set()


async def test_closing_the_tools_stream_ends_the_call_at_once(tmp_path: Path) -> None:
    """However many generators stand between the reader and the call."""
    asked, ended = asyncio.Event(), asyncio.Event()

    async def hang(request: httpx.Request) -> httpx.Response:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError

    environ = {"TWITTER_TOOL_CONFIG": "/dev/null"}
    async with TwitterTool(
        api_key="k" * 20, cwd=tmp_path, environ=environ, transport=httpx.MockTransport(hang)
    ) as tool:
        stream = tool.stream("q", "profile", user="ann")
        reading = asyncio.ensure_future(anext(stream))
        await asked.wait()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await stream.aclose()
        assert ended.is_set()
