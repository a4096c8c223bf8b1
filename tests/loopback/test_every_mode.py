"""Every mode through the real entry points: over loopback, in process, and from Python."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from loopback_calls import HINTS, new_key, tool_for
from loopback_commands import KEY, document, environment, run
from served_sandbox import Served

from twitter_tool.cli.main import main
from twitter_tool.modes.registry import MODES

THREAD = HINTS["post with a thread"]
DISCUSSED = HINTS["post with many replies"]
BUSY = HINTS["account that is mentioned often"]
ARGUMENTS: dict[str, dict[str, Any]] = {
    "posts": {"query": HINTS["search: what people say about the tram line"], "count": 5},
    "users": {"query": HINTS["account search: one keyword"], "count": 3},
    "thread": {"tweet": f"https://x.com/i/status/{THREAD}"},
    "user": {"user": HINTS["account with a pinned post"], "limit": 5},
    "trends": {"woeid": int(HINTS["woeid: worldwide"])},
    "replies": {"tweet": DISCUSSED, "limit": 5},
    "quotes": {"tweet": HINTS["post with quotes"], "limit": 5},
    "mentions": {"user": f"@{BUSY}", "limit": 5},
    "followers": {"user": BUSY, "limit": 5},
    "followings": {"user": HINTS["account with many posts about the tram line"], "limit": 5},
    "profile": {"user": BUSY},
    "about": {"user": BUSY},
    "tweets": {"ids": [THREAD, DISCUSSED, HINTS["deleted post"]]},
    "retweeters": {"tweet": HINTS["post with reposts"], "limit": 5},
    "community": {"communityId": HINTS["community"], "limit": 5},
    "list": {"listId": HINTS["list"], "limit": 5},
    "space": {"spaceId": HINTS["Space that has ended"]},
    "article": {"tweet": HINTS["post with an article"]},
}
IN_PROCESSES_OF_THEIR_OWN = ("posts", "tweets", "article")


def test_every_mode_is_here() -> None:
    """A new mode is read through the real entry points too."""
    assert tuple(ARGUMENTS) == tuple(MODES)


def _arguments(mode: str) -> bytes:
    return json.dumps({"query": "what is there?", "mode": mode, "output": "posts"} | ARGUMENTS[mode]).encode()


@pytest.fixture
def call(
    served: Served,
    home: Path,
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Any]:
    """Run `call` in this process with the environment of a user who reads from the served sandbox."""

    def run_call(mode: str, *words: str, routed: bool = True) -> Any:
        for name, value in environment(served, home).items():
            monkeypatch.setenv(name, value)
        if not routed:
            monkeypatch.delenv("TWITTER_TOOL_ROUTE_TO")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(_arguments(mode))))
        capsysbinary.readouterr()
        code = main(["call", "-", *words])
        out, err = capsysbinary.readouterr()
        assert code == 0, out + err
        assert KEY.encode() not in out + err
        return document(out)

    return run_call


def _check(mode: str, given: Any, served: Served) -> None:
    """What holds for the document of every mode read over the wire."""
    assert set(given) == {"content", "details"}
    details = given["details"]
    assert given["content"].startswith(f"# X evidence - mode={mode} - ")
    assert (details["mode"], details["output"], details["backend"]) == (mode, "posts", "twitterapi.io")
    assert details["routedTo"] == served.url
    assert details["items"]
    assert all(f"\n[{number}] " in given["content"] for number in range(1, len(details["items"]) + 1))
    assert details["usage"]["upstreamAttempts"] == details["usage"]["successfulPages"] == len(served.paths)
    host = served.url.removeprefix("http://")
    (read,) = [line for line in given["content"].splitlines() if line.startswith("Read: ")]
    assert read.endswith(f", twitterapi.io {served.paths[0]} (routed to {host})")
    assert all(entry["host"] == "api.twitterapi.io" and entry["has_key"] for entry in served.sandbox.log)
    assert "sandbox_data" not in {note["code"] for note in details["notes"]}


@pytest.mark.parametrize("mode", ARGUMENTS)
def test_a_call_over_loopback_and_the_embedded_sandbox_read_the_same(
    served: Served, call: Callable[..., Any], mode: str
) -> None:
    """One document each, with the same items and counters; only what was read from differs, and both say so."""
    routed = call(mode)
    _check(mode, routed, served)
    requests = len(served.paths)
    embedded = call(mode, "--sandbox", routed=False)
    assert len(served.paths) == requests
    assert embedded["details"]["backend"] == "sandbox"
    assert "routedTo" not in embedded["details"]
    assert "sandbox_data" in {note["code"] for note in embedded["details"]["notes"]}
    for part in ("items", "usage", "sources", "stopReason", "complete"):
        assert embedded["details"][part] == routed["details"][part]


@pytest.mark.parametrize("mode", IN_PROCESSES_OF_THEIR_OWN)
def test_a_call_in_a_process_of_its_own_prints_one_document(served: Served, home: Path, mode: str) -> None:
    """As a program drives it: JSON in by stdin, one line of JSON out, progress on stderr."""
    code, out, err = run(served, home, "call", "-", stdin=_arguments(mode))
    assert code == 0
    _check(mode, document(out), served)
    assert err.splitlines()[0].startswith(("page 1/", "reading "))
    assert KEY not in err


@pytest.mark.parametrize("mode", ARGUMENTS)
def test_python_reads_the_same_as_the_command(served: Served, call: Callable[..., Any], mode: str) -> None:
    """The library's result, as a dictionary, is the command's document."""
    settings = {"max_pages": 5, "max_synthesis_chars": 60_000}
    with tool_for(served, new_key(), settings=settings) as tool:
        result = tool.call_sync(json.loads(_arguments(mode))).to_dict()
    _check(mode, result, served)
    command = call(mode)
    assert set(result["details"]) == set(command["details"])
    for part in set(command["details"]) - {"timings"}:
        assert result["details"][part] == command["details"][part]
