"""The generated parts of a page: help, and what examples print, made by running them again.

A page holds help between ``<!-- help -->`` and ``<!-- /help -->``, and blocks fenced as ``console`` in which every
line that begins with ``$ `` is a command. Commands are run with a shell in an empty folder, without a key and without
settings, and what they print replaces what stood under them. A block fenced as ``text output`` right after one fenced
as ``python`` holds what that program prints, run in the same way.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from twitter_tool.cli.command_line import group
from twitter_tool.cli.invocation import NAME, Invocation

READ_AT: Final = "2026-11-30T15:00:00Z"
_HELP: Final = re.compile(r"(?<=<!-- help -->\n).*?(?=<!-- /help -->)", re.DOTALL)
_CONSOLE: Final = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
_PROGRAM: Final = re.compile(
    r"(^```python\n((?:(?!```)[^\n]*\n)*)```\n\n```text output\n)(?:(?!```)[^\n]*\n)*", re.MULTILINE
)
_READ_LINE: Final = re.compile(r"^Read: \S+Z", re.MULTILINE)
_TIMEOUT_S: Final = 60
_FAULTS: Final = ("Traceback", "(internal)", '"internal"')
"""What only a fault of the tool prints; no page should show it as the way things are."""


def refreshed(page: str) -> str:
    """The page with its generated parts made anew."""
    page = _HELP.sub(lambda _: help_pages(), page)
    page = _PROGRAM.sub(lambda found: found[1] + program_output(found[2]), page)
    return _CONSOLE.sub(lambda block: transcript(block.group()), page)


def faults(page: str) -> list[str]:
    """The lines of transcripts and program outputs that tell of an unexpected fault, which nobody should publish."""
    blocks = [*(found[0] for found in _CONSOLE.finditer(page)), *(found[0] for found in _PROGRAM.finditer(page))]
    lines = (line for block in blocks for line in block.splitlines())
    return [line for line in lines if any(mark in line for mark in _FAULTS)]


def help_pages() -> str:
    """The help of every command, in the order of the main page."""
    whole = group()
    ctx = _context(whole, NAME)
    shown = [("", ctx.get_help())]
    for name in whole.list_commands(ctx):
        command = whole.get_command(ctx, name)
        if command is not None:
            shown.append((f" {name}", _context(command, name, ctx).get_help()))
    return "".join(f"\n### {NAME}{name}\n\n```text\n{page.rstrip()}\n```\n" for name, page in shown) + "\n"


def transcript(block: str) -> str:
    """A block of commands with what they print today; an exit code other than 0 is shown in brackets."""
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    with _checkout() as folder:
        return "".join(f"$ {command}\n{_output(command, folder)}" for command in commands)


def program_output(program: str) -> str:
    """What a Python program prints today, its errors included; warnings are errors."""
    with _checkout() as folder:
        (folder / "program.py").write_text(program, encoding="utf-8")
        return _output("python -W error program.py", folder)


@contextmanager
def _checkout() -> Iterator[Path]:
    """A folder that is empty but for what a set-up leaves there, so that commands work as they are typed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".venv").mkdir()
        (folder / ".venv" / "bin").symlink_to(Path(sys.executable).parent, target_is_directory=True)
        yield folder


def _context(command: click.Command, name: str, parent: click.Context | None = None) -> click.Context:
    settings: dict[str, Any] = {**command.context_settings, "terminal_width": 80}
    return click.Context(command, info_name=name, parent=parent, obj=Invocation(), **settings)


def _output(command: str, folder: Path) -> str:
    beside = Path(sys.executable).parent
    environment = {
        "PATH": os.pathsep.join((str(beside), os.environ.get("PATH", os.defpath))),
        "HOME": str(folder),
        "TZ": "UTC",
    }
    if "PYTHONPATH" in os.environ:
        environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
    done = subprocess.run(  # noqa: S602 - the commands are those of our own documentation
        command,
        shell=True,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_TIMEOUT_S,
        check=False,
    )
    text = _READ_LINE.sub(f"Read: {READ_AT}", done.stdout.decode("utf-8"))
    return text if done.returncode == 0 else f"{text}[exit {done.returncode}]\n"
