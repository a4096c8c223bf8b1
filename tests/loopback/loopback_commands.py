"""The real command in a process of its own, reading from a served sandbox."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from served_sandbox import PATIENCE_S, Served

KEY = "secret-key-of-a-command"
COMMAND = [sys.executable, "-W", "error", "-m", "twitter_tool.cli.main"]


def environment(served: Served, home: Path, **further: str) -> dict[str, str]:
    """The least that the command needs to read from the sandbox, without pauses unless asked for."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TWITTER_TOOL_ROUTE_TO": served.url,
        "TWITTERAPI_IO_API_KEY": KEY,
        "TWITTER_TOOL_MIN_REQUEST_INTERVAL_MS": "0",
        "TWITTER_TOOL_RETRY_BASE_DELAY_MS": "0",
        **further,
    }


class Running:
    """A command under way, in a process group of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.err = ""

    def wait_for(self, start: str) -> None:
        """Read stderr up to a line that begins so."""
        assert self.process.stderr is not None
        while not (line := self.process.stderr.readline().decode()).startswith(start):
            assert line, f"it ended without saying {start!r}: {self.err}"
            self.err += line
        self.err += line

    def send(self, number: signal.Signals) -> None:
        """Send a signal, unless the process has ended."""
        with suppress(ProcessLookupError):
            self.process.send_signal(number)

    def end(self) -> tuple[int, bytes, str]:
        """Wait for the end: exit code, stdout and stderr."""
        out, err = self.process.communicate(timeout=PATIENCE_S)
        self.err += err.decode()
        return self.process.returncode, out or b"", self.err

    def is_gone(self) -> bool:
        """Whether no process of the group is left."""
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return True
        return False


@contextmanager
def started(served: Served, home: Path, *words: str, stdin: bytes = b"", **further: str) -> Iterator[Running]:
    """Start a command; it is killed when the block is left before its end."""
    with subprocess.Popen(
        [*COMMAND, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(served, home, **further),
        cwd=home,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdin is not None
            process.stdin.write(stdin)
            process.stdin.close()
            process.stdin = None  # else it would be flushed again, and fail
            yield Running(process)
        finally:
            process.kill()


def run(served: Served, home: Path, *words: str, stdin: bytes = b"", **further: str) -> tuple[int, bytes, str]:
    """Run a command to its end: exit code, stdout, stderr."""
    with started(served, home, *words, stdin=stdin, **further) as running:
        code, out, err = running.end()
    return code, out, err


def document(out: bytes) -> Any:
    """The one JSON document, on one line, that stdout holds."""
    (line,) = out.decode().splitlines()
    assert out.endswith(b"\n")
    return json.loads(line)
