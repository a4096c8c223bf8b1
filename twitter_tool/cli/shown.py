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

HEADING: Final = "\n\n## Answer\n\n"
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
                _write((_closing(piece.result) if is_answer else "") + "\n")
                return piece.result
            if piece.kind == "restart":
                _write(STARTS_OVER)
                continue
            if is_answer and not begun:
                _write(f"Query: {as_line(block(str(arguments['query'])))}{HEADING}")
            begun = True
            _write(piece.text)
    raise AssertionError("a stream ends with its result")


class ReaderGone(Exception):
    """Nobody reads on; the rest of the answer is not worth its price."""


def _write(text: str) -> None:
    if not write_out(text):
        raise ReaderGone


def _closing(result: Result) -> str:
    details = result.details
    head = (
        f"Model: {as_line(block(details['model']))}",
        f"Synthesis Calls: {details['synthesisCalls']}",
        f"Citations: {len(details['sources'])}",
    )
    return "\n".join((result.closing, "", *head))


def rendered(result: Result) -> str:
    """An answer as a terminal shows Markdown; unchanged where the extra ``pretty`` is not installed.

    Only the answer itself is rendered, with its HTML as plain text: nothing in it can reach the sources and notes.
    Links are written out, since a terminal's own links can hide where they lead.
    """
    head, mark, body = result.content.partition(HEADING)
    try:
        from markdown_it import MarkdownIt
        from rich.console import Console
        from rich.markdown import Markdown
    except ImportError:
        return result.content + "\n"
    markdown = Markdown("", hyperlinks=False)
    text = body.removesuffix(result.closing) if result.closing else body
    markdown.parsed = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).parse(text)
    page = io.StringIO()
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    Console(file=page, force_terminal=True, width=width, highlight=False).print(markdown)
    return f"{head}{mark}{page.getvalue().rstrip()}{result.closing}\n"
