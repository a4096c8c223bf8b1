"""Where the command `twitter-tool` starts.

Nothing is imported here before it is needed: `--version` should cost no more than the interpreter itself.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

INTERRUPTED: Final = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code.

    Args:
        argv: the words after the command's name; those of the process when ``None``.
    """
    code = _code(sys.argv[1:] if argv is None else list(argv))
    if code == INTERRUPTED and argv is None:
        _end_quietly()
    return code


def _code(words: list[str]) -> int:
    try:
        if words == ["--version"]:
            from twitter_tool.cli.streams import print_version

            return print_version()
        from twitter_tool.cli.session import run

        return run(words)
    except KeyboardInterrupt:  # before anything was under way, or again while it was being ended
        return INTERRUPTED


def _end_quietly() -> None:
    # The interpreter takes a while to end, and would meet a second Ctrl-C there with a traceback.
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
