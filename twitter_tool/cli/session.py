"""One command line from its words to its exit code; every failure is shown here and nowhere else."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click

from twitter_tool.cli.command_line import Action, parse
from twitter_tool.cli.invocation import Interrupted, Invocation, guessed
from twitter_tool.cli.streams import OutputLost, tell_lost, write_err, write_out
from twitter_tool.errors import EXIT_CODES, InternalError, TwitterToolError


def run(words: Sequence[str]) -> int:
    """Parse and run one command line.

    Returns:
        The exit code.
    """
    invocation = Invocation()
    try:
        action, refusal = _parsed(words, invocation)
        if refusal is not None:
            return _failed(refusal, guessed(words))
        with _terminated_as_interrupted():
            return _performed(action, invocation)
    except OutputLost as error:
        return tell_lost(error)


def _parsed(words: Sequence[str], invocation: Invocation) -> tuple[Action, TwitterToolError | None]:
    try:
        return parse(words, invocation), None
    except TwitterToolError as error:
        return int, error
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        from twitter_tool.cli.advice import refusal

        return int, refusal(error, words)


def _performed(action: Action, invocation: Invocation) -> int:
    try:
        return action()
    except TwitterToolError as error:
        return _failed(error, invocation)
    except OutputLost:
        raise
    except (KeyboardInterrupt, Interrupted):
        return _interrupted(invocation)
    except Exception as error:
        fault = InternalError(
            f"an unexpected fault inside the tool ({type(error).__name__})",
            hint="Run it again with --debug to see where, and report it.",
        )
        fault.__cause__ = error
        return _failed(fault, invocation)


def _failed(error: TwitterToolError, invocation: Invocation) -> int:
    from twitter_tool.cli.documents import failure_document

    if invocation.debug:
        write_err(_traceback(error.__cause__ or error))
    _show(failure_document(error), invocation)
    return error.exit_code


def _interrupted(invocation: Invocation) -> int:
    from twitter_tool.cli.documents import INTERRUPTED

    _show(INTERRUPTED, invocation)
    return EXIT_CODES["cancelled"]


def _show(document: Mapping[str, Any], invocation: Invocation) -> None:
    from twitter_tool.cli.documents import failure_texts

    out, err = failure_texts(document, invocation)
    if err:
        write_err(err)
    if out:
        write_out(out)


def _traceback(error: BaseException) -> str:
    import os
    import traceback

    from twitter_tool.config.secrets import redacted
    from twitter_tool.text import block

    rows = redacted("".join(traceback.format_exception(error)), os.environ).rstrip().split("\n")
    return "".join(f"{row[: len(row) - len(row.lstrip(' '))]}{block(row)}\n" for row in rows)


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Make SIGTERM end the command as SIGINT does."""

    def terminate(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.getsignal(signal.SIGTERM)
        usable = before == signal.SIG_DFL
        if usable:
            signal.signal(signal.SIGTERM, terminate)
    except ValueError:  # not the main thread, which alone receives signals
        usable = False
    try:
        yield
    finally:
        if usable:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
