"""Importing LiteLLM: in a thread, offline, silent, without a trace in the environment. Each in a process of its own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="needs the extra answer"),
    pytest.mark.timeout(120),
]


def run(script: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("LITELLM_")}
    return subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", script],
        cwd=cwd,
        env={**environ, **variables},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_the_import_looks_nothing_up_loads_no_env_file_says_nothing_and_lets_the_loop_go_on(tmp_path: Path) -> None:
    """What its user set is still set afterwards, and nothing else is."""
    (tmp_path / ".env").write_text("PLANTED=1\nOPENAI_API_KEY=sk-planted\n", encoding="utf-8")
    script = """
import asyncio, os, socket, sys
looked_up = []
real = socket.getaddrinfo
socket.getaddrinfo = lambda host, *rest, **more: (looked_up.append(host), real(host, *rest, **more))[1]
import dotenv
dotenv.load_dotenv = lambda *rest, **more: looked_up.append(".env")
before = dict(os.environ)
from twitter_tool.models.litellm_client import LiteLLMClient
async def main():
    client = LiteLLMClient()
    client.start_import()
    waiting, turns = asyncio.ensure_future(client.ready()), 0
    while not waiting.done():
        await asyncio.sleep(0.01)
        turns += 1
    assert turns > 20, turns
    assert "litellm" in sys.modules
    await client.aclose()
asyncio.run(main())
assert looked_up == [], looked_up
assert dict(os.environ) == before
"""
    done = run(script, tmp_path, LITELLM_MODE="DEV")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_caller_that_gives_up_waiting_spoils_nothing_for_the_others(tmp_path: Path) -> None:
    """The import goes on, and the next call has it."""
    (tmp_path / "litellm.py").write_text("import time\ntime.sleep(0.5)\n", encoding="utf-8")
    script = """
import asyncio, sys
sys.path.insert(0, ".")
from twitter_tool.models.litellm_client import LiteLLMClient
async def main():
    client = LiteLLMClient()
    hasty, patient = asyncio.ensure_future(client.ready()), asyncio.ensure_future(client.ready())
    await asyncio.sleep(0)
    hasty.cancel()
    await asyncio.wait({hasty})
    assert hasty.cancelled()
    assert (await patient).__name__ == "litellm"
asyncio.run(main())
"""
    done = run(script, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("seconds", [0.2, 1.0, 2.0])
def test_a_process_that_ends_during_the_import_ends_with_its_own_exit_code(tmp_path: Path, seconds: float) -> None:
    """A call that fails early does not wait for it."""
    script = f"""
import sys, threading
from twitter_tool.models import engine
engine.start()
threading.Event().wait({seconds})
sys.exit(4)
"""
    done = run(script, tmp_path)
    assert (done.returncode, done.stdout) == (4, "")


def test_switches_of_a_litellm_that_the_host_imported_are_left_alone(tmp_path: Path) -> None:
    """It is the host's."""
    script = """
import os
os.environ.update(LITELLM_OFFLINE_MODE="true", LITELLM_MODE="PRODUCTION")
import litellm
from twitter_tool.models import engine
litellm.suppress_debug_info = False
assert engine.start().result() is litellm
assert litellm.suppress_debug_info is False
assert os.environ["LITELLM_OFFLINE_MODE"] == "true"
"""
    done = run(script, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_broken_installation_is_a_matter_of_set_up_and_is_tried_again(tmp_path: Path) -> None:
    """With the command that may help; in the middle of an answer it is a failed model."""
    (tmp_path / "litellm.py").write_text("raise ImportError('half installed')\n", encoding="utf-8")
    script = """
import asyncio, sys
sys.path.insert(0, ".")
from twitter_tool.errors import SetupError
from twitter_tool.models.facts import ModelFacts
from twitter_tool.models.litellm_client import LiteLLMClient
from twitter_tool.models.reply import ModelFailure, Prompt
async def main():
    client = LiteLLMClient()
    for _ in range(2):
        try:
            await client.ready()
        except SetupError as error:
            assert error.code == "missing_model" and "pip install" in error.hint
        else:
            raise AssertionError
    facts = ModelFacts(name="a/b", provider="a", call_name="a/b", context_window=9, max_output_tokens=9)
    try:
        await client.complete(facts, Prompt(system="", user=""), max_output_tokens=1)
    except ModelFailure as error:
        assert "cannot be imported" in error.message
    else:
        raise AssertionError
asyncio.run(main())
"""
    done = run(script, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
