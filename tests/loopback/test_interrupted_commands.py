"""A command that is interrupted, killed, or left without a reader, wherever it is waiting."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from loopback_commands import KEY, document, run, started
from served_sandbox import STALL, Served

from twitter_tool.sandbox import Fault, hints

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent to a process")

HANDLE = dict(hints())["account with many followers"]
ARGUMENTS = json.dumps({"query": "who", "mode": "followers", "user": HANDLE, "output": "posts"}).encode()
MODE = ("followers", HANDLE)
FORMS: dict[str, tuple[str, ...]] = {
    "call": ("call",),
    "text": MODE,
    "json": ("--format", "json", *MODE),
    "jsonl": ("--format", "jsonl", *MODE),
}


@dataclass(frozen=True)
class Stage:
    """Where the command waits, and how to see that it does."""

    fault: Fault | None = None
    says: str | None = None
    variables: dict[str, str] = field(default_factory=dict)


STAGES = {
    "body": Stage(Fault("slow_body", value=STALL)),
    "headers": Stage(Fault("slow_headers", value=STALL)),
    "backoff": Stage(Fault("http_503"), "waiting ", {"TWITTER_TOOL_RETRY_BASE_DELAY_MS": "60000"}),
    "retry after": Stage(Fault("rate_limit_retry_after", value=60), "waiting 60 s"),
    "queue": Stage(None, "waiting 60 s", {"TWITTER_TOOL_MIN_REQUEST_INTERVAL_MS": "60000"}),
    "second page": Stage(Fault("slow_body", value=STALL, after=1)),
}
CASES = [
    *((stage, form, signal.SIGINT) for stage in ("body", "backoff", "queue") for form in FORMS),
    *((stage, "call", signal.SIGTERM) for stage in STAGES),
    *(("body", form, signal.SIGTERM) for form in FORMS if form != "call"),
    *(("body", form, signal.SIGHUP) for form in FORMS if hasattr(signal, "SIGHUP")),
]


@pytest.mark.parametrize(("stage", "form", "number"), CASES, ids=lambda value: getattr(value, "name", value))
def test_a_signal_ends_the_command_at_once_and_whole(
    served: Served, home: Path, stage: str, form: str, number: signal.Signals
) -> None:
    """Exit 130; one complete document or an empty stdout, never a part of a result; nothing keeps running."""
    where = STAGES[stage]
    served.show(*([where.fault] if where.fault else []))
    with started(served, home, *FORMS[form], stdin=ARGUMENTS, **where.variables) as command:
        if where.says is None:
            served.wait_for_pauses(1)
        else:
            command.wait_for(where.says)
        requests = len(served.paths)
        command.send(number)
        code, out, err = command.end()
        assert command.is_gone()
    assert code == 130
    if form == "text":
        assert out == b""
        assert err.endswith("error (cancelled): the call was interrupted before it had a result\n")
    else:
        shown = json.loads(out) if form == "json" else document(out)
        assert shown["error"]["code"] == "cancelled"
        assert set(shown["error"]) == {"code", "message", "retryable"}
        assert "error" not in err
    assert "Traceback" not in err
    assert KEY not in err + out.decode()
    assert len(served.paths) == requests
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("pause_s", [0.0, 0.02, 0.06])
@pytest.mark.parametrize("form", ["call", "text"])
def test_a_second_signal_causes_no_traceback(served: Served, home: Path, form: str, pause_s: float) -> None:
    """An impatient person gets the same end, or a process ended by the signal itself; both are 130 to a shell."""
    served.show(Fault("slow_body", value=STALL))
    with started(served, home, *FORMS[form], stdin=ARGUMENTS) as command:
        served.wait_for_pauses(1)
        command.send(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            command.process.wait(pause_s)
        command.send(signal.SIGINT)
        code, out, err = command.end()
        assert command.is_gone()
    assert code in (130, -signal.SIGINT)
    assert "Traceback" not in err
    assert "KeyboardInterrupt" not in err
    assert out == b"" if form == "text" or not out else document(out)["error"]["code"] == "cancelled"


@pytest.mark.parametrize("stage", ["body", "queue", "backoff"])
def test_a_killed_command_leaves_nothing_that_the_next_one_meets(served: Served, home: Path, stage: str) -> None:
    """No file, no lock, no process; the next command reads as if nothing had been."""
    where = STAGES[stage]
    served.show(*([where.fault] if where.fault else []))
    with started(served, home, *FORMS["call"], stdin=ARGUMENTS, **where.variables) as command:
        if where.says is None:
            served.wait_for_pauses(1)
        else:
            command.wait_for(where.says)
        command.send(signal.SIGKILL)
        code, out, _ = command.end()
        assert command.is_gone()
    assert (code, out) == (-signal.SIGKILL, b"")
    assert list(home.iterdir()) == []
    served.start_over()
    code, out, _ = run(served, home, "call", stdin=ARGUMENTS)
    assert (code, len(document(out)["details"]["items"]) > 300) == (0, True)


@pytest.mark.parametrize("form", FORMS)
def test_a_reader_that_has_gone_away_is_no_failure(served: Served, home: Path, form: str) -> None:
    """As in front of `head`: the command ends quietly when it finds nobody there."""
    served.show(Fault("slow_body", value=STALL, times=1))
    with started(served, home, "--quiet", *FORMS[form], stdin=ARGUMENTS) as command:
        served.wait_for_pauses(1)
        assert command.process.stdout is not None
        command.process.stdout.close()
        command.process.stdout = None
        served.let_go()
        code, _, err = command.end()
    assert (code, err) == (0, "")


def test_a_reader_that_goes_away_in_the_middle_is_no_failure_either(served: Served, home: Path) -> None:
    """More was to be written than a pipe holds."""
    with started(served, home, "--quiet", *FORMS["json"]) as command:
        assert command.process.stdout is not None
        assert command.process.stdout.readline() == b"{\n"
        command.process.stdout.close()
        command.process.stdout = None
        code, _, err = command.end()
    assert (code, err) == (0, "")
