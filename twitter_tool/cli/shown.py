"""A written answer for a person's eyes: as it is being written, or as rendered Markdown."""

from __future__ import annotations

import io
import shutil
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

from twitter_tool.cli.streams import write_out
from twitter_tool.text import as_line, block

if TYPE_CHECKING:
    from twitter_tool.cli.progress import ProgressLine
    from twitter_tool.result import Result
    from twitter_tool.streaming import Piece

HEADING: Final = "\n## Answer\n\n"
STARTS_OVER: Final = "\n\n(That model failed. What stands above is void; another try follows.)\n\n"
_WIDEST: Final = 100


async def show(
    pieces: AsyncGenerator[Piece, None], arguments: Mapping[str, Any], progress: ProgressLine | None
) -> Result:
    """Print an answer while it is being written, then its sources and notes, then who wrote it."""
    is_answer = arguments.get("output", "answer") != "posts"
    begun = False
    async with aclosing(pieces):
        async for piece in pieces:
            if progress is not None:
                progress.clear()
            if piece.result is not None:
                write_out((_closing(piece.result) if is_answer else "") + "\n")
                return piece.result
            if piece.kind == "restart":
                write_out(STARTS_OVER)
                continue
            if is_answer and not begun:
                write_out(f"Query: {as_line(block(str(arguments['query'])))}\n{HEADING}")
            begun = True
            write_out(piece.text)
    raise AssertionError("a stream ends with its result")


def _closing(result: Result) -> str:
    details = result.details
    head = (
        f"Model: {as_line(block(details['model']))}",
        f"Synthesis Calls: {details['synthesisCalls']}",
        f"Citations: {len(details['sources'])}",
    )
    return "\n".join((result.closing, "", *head))


def rendered(text: str) -> str:
    """An answer's text as a terminal shows Markdown; unchanged where the extra ``pretty`` is not installed.

    Links are written out, since a terminal's own links can hide where they lead.
    """
    try:
        from rich.console import Console
        from rich.markdown import Markdown
    except ImportError:
        return text
    head, _, body = text.partition("\n\n")
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    console = Console(file=io.StringIO(), force_terminal=True, width=width, highlight=False)
    console.print(Markdown(body, hyperlinks=False))
    shown = console.file
    assert isinstance(shown, io.StringIO)
    return f"{head}\n\n{shown.getvalue()}"
