"""Where the command `twitter-tool` starts.

Nothing is imported here before it is needed: `--version` should cost no more than the interpreter itself.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code.

    Args:
        argv: the words after the command's name; those of the process when ``None``.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    try:
        if words == ["--version"]:
            from twitter_tool.cli.streams import print_version

            return print_version()
        from twitter_tool.cli.session import run

        return run(words)
    except KeyboardInterrupt:  # before anything was under way, or again while it was being ended
        return 130


if __name__ == "__main__":
    sys.exit(main())
