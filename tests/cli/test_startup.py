"""Help, the version and completion are quick: they load no part that only reading needs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cli_processes import PYTHON, plain_environment

HEAVY = (
    *("pydantic", "pydantic_core", "httpx", "asyncio", "anyio", "platformdirs", "tzlocal", "importlib.metadata"),
    *("sqlite3", "faster_whisper", "av", "ffmpeg", "numpy"),
)
PROBE = """
import sys
from twitter_tool.cli.main import main
try:
    code = main(sys.argv[1:])
except SystemExit as exit:
    code = exit.code
loaded = [name for name in sys.argv[0:0] + %r if name in sys.modules]
print("code", code, "loaded", *loaded, file=sys.stderr)
"""


def _probe(home: Path, *words: str, **environment: str) -> str:
    done = subprocess.run(
        [PYTHON, "-c", PROBE % (list(HEAVY),), *words],
        capture_output=True,
        env=plain_environment(home) | environment,
        cwd=home,
        timeout=50,
        check=False,
    )
    return done.stderr.decode().splitlines()[-1]


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("--version",),
        ("posts", "--help"),
        ("--version", "--quiet"),
        ("call", "--help"),
        ("cache", "--help"),
        ("completion", "bash"),
    ],
    ids=" ".join,
)
def test_pages_load_neither_models_nor_the_network(home: Path, words: tuple[str, ...]) -> None:
    """A person who asks for help does not wait for pydantic, httpx or asyncio."""
    assert _probe(home, *words) == "code 0 loaded"


def test_completion_loads_neither_models_nor_the_network(home: Path) -> None:
    """It runs at every press of the key."""
    environment = {
        "_TWITTER_TOOL_COMPLETE": "bash_complete",
        "COMP_WORDS": "twitter-tool posts --qu",
        "COMP_CWORD": "2",
    }
    assert _probe(home, **environment) == "code 0 loaded"


def test_a_refused_line_loads_neither_models_nor_the_network(home: Path) -> None:
    """A misspelt option is answered at once."""
    assert _probe(home, "posts", "--frm", "x") == "code 2 loaded"


def test_the_version_alone_does_not_even_load_click(home: Path) -> None:
    """It is what scripts ask at every start."""
    code = "import sys\nfrom twitter_tool.cli.main import main\nmain(['--version'])\nsys.exit('click' in sys.modules)"
    done = subprocess.run(
        [PYTHON, "-c", code], env=plain_environment(home), capture_output=True, timeout=50, check=False
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b"twitter-tool ")
