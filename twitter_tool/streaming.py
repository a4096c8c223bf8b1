"""An answer shown while it is being written: the pieces a reader gets, guarded as the finished text is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from dataclasses import dataclass
from typing import Any, Final, Literal

from twitter_tool.models.reply import TextEvent
from twitter_tool.output.answer_stream import AnswerStream
from twitter_tool.result import Result

HEADING: Final = "\n\n## Answer\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What a stream yields.

    Attributes:
        kind: ``text`` adds to what came before. ``restart`` throws that away: the model that wrote it failed, and the
            question is being asked again. ``result`` comes last, once.
        text: of a ``text`` piece; cleaned, and joined the answer of the result.
        result: of the ``result`` piece; its ``closing`` holds the sources and notes.
    """

    kind: Literal["text", "restart", "result"]
    text: str = ""
    result: Result | None = None


class PieceMaker:
    """Turns what models write into pieces for one reader."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Piece] = asyncio.Queue()
        self._guard = AnswerStream()
        self._shown = False

    async def pieces(self, call: Coroutine[Any, Any, Result]) -> AsyncGenerator[Piece, None]:
        """Run a call whose models report to :meth:`take`, and yield its pieces; leaving early cancels it."""
        task = asyncio.ensure_future(call)
        waiting = asyncio.ensure_future(self._queue.get())
        try:
            while not task.done():
                await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
                if waiting.done():
                    yield waiting.result()
                    waiting = asyncio.ensure_future(self._queue.get())
            self._finish(task.result())
            while True:
                piece = await waiting
                yield piece
                if piece.kind == "result":
                    return
                waiting = asyncio.ensure_future(self._queue.get())
        finally:
            task.cancel()
            waiting.cancel()
            await asyncio.gather(task, waiting, return_exceptions=True)

    def take(self, event: TextEvent) -> None:
        """Take a model's text as it comes."""
        if event.kind == "restart":
            self._guard = AnswerStream()
            if self._shown:
                self._shown = False
                self._queue.put_nowait(Piece(kind="restart"))
            return
        self._show(self._guard.feed(event.text))

    def _finish(self, result: Result) -> None:
        """Show what is left of the answer, all of it where nothing was streamed, then the result."""
        self._show(self._guard.finish())
        if not self._shown:
            self._show(answer_of(result))
        self._queue.put_nowait(Piece(kind="result", result=result))

    def _show(self, text: str) -> None:
        if text:
            self._shown = True
            self._queue.put_nowait(Piece(kind="text", text=text))


def answer_of(result: Result) -> str:
    """The answer alone, without its header, sources and notes; the whole text of a result that is no answer."""
    if result.details["output"] != "answer":
        return result.content
    body = result.content.partition(HEADING)[2]
    return body.removesuffix(result.closing) if result.closing else body
