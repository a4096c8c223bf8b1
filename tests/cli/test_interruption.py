"""Ctrl-C and a polite kill end a call at once, with its own exit code and document."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli_processes import PYTHON, plain_environment

from twitter_tool.cli.invocation import Interrupted
from twitter_tool.cli.loop import run_call

SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)


@contextmanager
def _waiting(home: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has sent its request to a server which never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        route = f"http://127.0.0.1:{server.getsockname()[1]}"
        environment = plain_environment(home) | {"TWITTER_TOOL_ROUTE_TO": route, "TWITTERAPI_IO_API_KEY": "a-test-key"}
        with subprocess.Popen(
            [PYTHON, "-m", "twitter_tool.cli.main", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=home,
        ) as process:
            try:
                if "call" in words and process.stdin is not None:
                    process.stdin.write(b'{"query": "tram", "output": "posts"}')
                    process.stdin.close()
                    process.stdin = None
                connection, _ = server.accept()
                with connection:
                    yield process
            finally:
                process.kill()


@SIGNALS
def test_an_interrupted_call_prints_the_document_of_its_end(home: Path, number: signal.Signals) -> None:
    """One document, no traceback, exit 130."""
    with _waiting(home, "call") as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    (line,) = out.decode().splitlines()
    error = json.loads(line)["error"]
    assert (error["code"], error["retryable"]) == ("cancelled", False)
    assert err == "page 1/5 \u00b7 0 posts\n".encode()


@SIGNALS
def test_an_interrupted_reading_says_so_on_stderr(home: Path, number: signal.Signals) -> None:
    """The result's stream stays empty."""
    with _waiting(home, "posts", "tram", "--quiet") as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    assert err == b"error (cancelled): the call was interrupted before it had a result\n"


@SIGNALS
def test_an_interruption_while_arguments_are_awaited_is_one_too(home: Path, number: signal.Signals) -> None:
    """Nothing has been started then; the document is the same."""
    with subprocess.Popen(
        [PYTHON, "-c", "import twitter_tool.cli.main as m, sys; print('up', flush=True); sys.exit(m.main(['call']))"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=plain_environment(home),
        cwd=home,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        process.stdin.write(b"{" * 70_000)  # more than a pipe holds: it is being read once this returns
        process.stdin.flush()
        process.send_signal(number)
        out = process.stdout.read()
        process.stdin.close()
    assert process.returncode == 130
    assert json.loads(out)["error"]["code"] == "cancelled"


def test_an_interruption_while_a_result_is_being_written_adds_nothing_to_the_piece(home: Path) -> None:
    """Half a document followed by another one could be taken for something else."""
    code = (
        "import sys\nfrom twitter_tool.cli.streams import write_out\n"
        "try: write_out('x' * 1_000_000)\n"
        "except KeyboardInterrupt: write_out('the end'); sys.exit(130)"
    )
    with subprocess.Popen(
        [PYTHON, "-c", code], stdout=subprocess.PIPE, env=plain_environment(home), cwd=home
    ) as process:
        assert process.stdout is not None
        out = process.stdout.read(1)  # it is writing, to a pipe that is full
        process.send_signal(signal.SIGINT)
        out += process.stdout.read()
    assert process.returncode == 130
    assert set(out) == {ord("x")}
    assert len(out) < 1_000_000


def test_the_call_cleans_up_before_its_end_is_told() -> None:
    """Whatever it opened is closed when the command goes on."""
    seen: list[str] = []

    async def operation() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            await asyncio.to_thread(seen.append, "cleaned")

    with pytest.raises(Interrupted):
        run_call(operation)
    assert seen == ["cleaned"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interruption_does_not_wait_for_the_clean_up() -> None:
    """A person who presses twice means it."""

    async def operation() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            signal.raise_signal(signal.SIGINT)
            await asyncio.Event().wait()

    with pytest.raises(KeyboardInterrupt):
        run_call(operation)


def test_a_fault_that_a_cancellation_turned_into_is_still_an_interruption() -> None:
    """Libraries that are torn down raise what they like."""

    async def operation() -> None:
        signal.raise_signal(signal.SIGINT)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ConnectionError("closed while reading") from None

    with pytest.raises(Interrupted):
        run_call(operation)


def test_a_result_that_came_in_spite_of_the_signal_counts() -> None:
    """It was paid for."""

    async def operation() -> str:
        signal.raise_signal(signal.SIGINT)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "result"
        return "never"

    assert run_call(operation) == "result"


def test_a_signal_that_was_ignored_from_the_start_stays_ignored() -> None:
    """A command started in the background outlives the terminal's Ctrl-C."""

    async def operation() -> str:
        signal.raise_signal(signal.SIGINT)
        for _ in range(10):  # turns of the loop, in which it would notice
            await asyncio.sleep(0)
        return "result"

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert run_call(operation) == "result"
    finally:
        signal.signal(signal.SIGINT, before)


def test_no_task_of_a_call_outlives_it() -> None:
    """Also one that nobody awaited."""
    ended: list[str] = []

    async def stray() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("stray")

    async def operation() -> None:
        task = asyncio.ensure_future(stray())
        await asyncio.sleep(0)
        signal.raise_signal(signal.SIGINT)
        await task

    with pytest.raises(Interrupted):
        run_call(operation)
    assert ended == ["stray"]
