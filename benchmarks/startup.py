"""How long the command line and the import take, as user CPU of fresh processes."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.report import Row

RUNS = 10
YARDSTICK = [sys.executable, str(Path(__file__).with_name("two_commands.py")), "--help"]
IMPORT_YARDSTICK = [sys.executable, "-c", "import httpx, pydantic"]
BANNED = ("httpx", "pydantic", "asyncio")
HEAVY = ("litellm", "faster_whisper", "mcp", "av")


def rows() -> list[Row]:
    """Ratios of medians; every command runs in turn with its yardstick."""
    tool = shutil.which("twitter-tool", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if tool is None:
        raise SystemExit("twitter-tool is not installed in this environment")
    cases: list[tuple[str, list[str], dict[str, str]]] = [
        ("`twitter-tool --help`", [tool, "--help"], {}),
        ("`twitter-tool --version`", [tool, "--version"], {}),
        ("`twitter-tool posts --help`", [tool, "posts", "--help"], {}),
        (
            "completion of `twitter-tool th`",
            [tool],
            {"_TWITTER_TOOL_COMPLETE": "bash_complete", "COMP_WORDS": "twitter-tool th", "COMP_CWORD": "1"},
        ),
    ]
    found = []
    for name, command, extra in cases:
        ratio = _ratio(command, YARDSTICK, extra)
        found.append(Row(name, f"{ratio:.2f}", "two-command click program `--help`", "at most 1.6", ratio <= 1.6))
        loaded = [module for module in BANNED if module in _modules(command[1:], extra)]
        found.append(
            Row(f"modules loaded by {name}", ", ".join(loaded) or "none of them", ", ".join(BANNED), "none", not loaded)
        )
    ratio = _ratio([sys.executable, "-c", "from twitter_tool import TwitterTool"], IMPORT_YARDSTICK, {})
    bare = _ratio([sys.executable, "-c", "import twitter_tool"], IMPORT_YARDSTICK, {})
    found.append(Row("`import twitter_tool`", f"{bare:.2f}", "`import httpx, pydantic`", "at most 1.5", bare <= 1.5))
    found.append(Row("`from twitter_tool import TwitterTool`", f"{ratio:.2f}", "`import httpx, pydantic`", "-", None))
    heavy = [module for module in HEAVY if module in _modules(["posts", "tram", "--sandbox", "--quiet"], {})]
    found.append(
        Row("heavy modules loaded by an evidence call", ", ".join(heavy) or "none", ", ".join(HEAVY), "none", not heavy)
    )
    return found


def _ratio(command: list[str], yardstick: list[str], extra: dict[str, str]) -> float:
    mine, theirs = [], []
    _user_cpu(command, extra), _user_cpu(yardstick, {})  # warm the file cache
    for _ in range(RUNS):
        mine.append(_user_cpu(command, extra))
        theirs.append(_user_cpu(yardstick, {}))
    return statistics.median(mine) / statistics.median(theirs)


def _user_cpu(command: list[str], extra: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, env={**os.environ, **extra}, stdout=subprocess.DEVNULL, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def _modules(arguments: list[str], extra: dict[str, str]) -> set[str]:
    code = (
        "import sys\n"
        "from twitter_tool.cli.main import main\n"
        f"sys.argv = ['twitter-tool', *{arguments!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **extra}, capture_output=True, text=True)
    return set(done.stderr.split())
