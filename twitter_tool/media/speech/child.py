"""The child process that recognises speech, as seen by its parent: starting it, talking to it, ending it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any, Final

from twitter_tool import extras

_MODULE: Final = "twitter_tool.media.speech.worker"
_GRACE_S: Final = 5.0
_SIGKILL: Final = getattr(signal, "SIGKILL", 9)
_INHERITED: Final = (
    *("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PATH", "TMPDIR"),
    *("SYSTEMROOT", "TEMP", "TMP", "USERPROFILE", "LOCALAPPDATA", "APPDATA"),
)
"""Variables that the child may need to start and to load its libraries; no other one of ours gets there."""


class SpeechFailure(Exception):
    """Local speech recognition that did not work.

    Attributes:
        reason: why, in plain words without a path.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Child:
    """A started process. One thread talks to it; :meth:`kill` may be called from any.

    Args:
        threads: of the processor that it may use.

    Raises:
        SpeechFailure: it cannot be started.
    """

    def __init__(self, *, threads: int) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter with a module of ours
                command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.path.abspath(os.sep),
                env=_environment(threads),
                start_new_session=True,  # an interruption at the terminal is for the parent, which then kills
            )
        except OSError as error:
            raise SpeechFailure(f"its process cannot be started ({error.strerror})") from None

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message; one that has ended is noticed by :meth:`hear`."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:  # it has ended; how, is told when its answer does not come
            return

    def hear(self) -> dict[str, Any]:
        """Wait for its next message.

        Raises:
            SpeechFailure: it ended, or said something else than a message.
        """
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        try:
            message = json.loads(line) if line else None
        except ValueError:
            message = None
        if isinstance(message, dict):
            return message
        if line:
            raise SpeechFailure("its process said something unreadable")
        self.kill()  # it may have closed its output without ending
        raise SpeechFailure(_death(self._process.wait()))

    def kill(self) -> None:
        """Kill it, if it is still there."""
        self._process.kill()

    def end(self) -> None:
        """End and reap it; the end of its input is enough for one that works as it should."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:  # something was left to be written to a process that has ended
                continue
        try:
            self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def reason_of(message: dict[str, Any], asked: str | None) -> str:
    """A fault that the child told, for people.

    Args:
        asked: the value that it is about: a compute type or a language.
    """
    detail = message.get("detail") or ""
    match message["fault"]:
        case "package":
            return f"faster-whisper cannot be imported; run {extras.MEDIA}"
        case "compute_type":
            return f"this processor cannot compute with {asked!r}; set whisper_compute_type to one of {detail}"
        case "weights":
            return "the speech model cannot be loaded; its files are damaged or of another kind"
        case "memory":
            return "there is not enough memory for the speech model"
        case "samples":
            return "the samples of the clip cannot be read"
        case "language":
            known = "the speech model knows English only" if detail else "the speech model does not know the language"
            return f"{known}; stt_language is {asked!r}"
        case _:
            return f"the recogniser failed{f' ({detail})' if detail else ''}"


def command() -> list[str]:
    """How the process is started.

    Raises:
        SpeechFailure: this program cannot start another Python.
    """
    if getattr(sys, "frozen", False) or not sys.executable:
        raise SpeechFailure("this program holds its own Python, which cannot be started for another process")
    return [sys.executable, "-P", "-m", _MODULE]


def _environment(threads: int) -> dict[str, str]:
    """For the child: the places where this process finds its modules, no secret, and nothing told to anybody.

    Without ``ORT_DISABLE_TELEMETRY`` onnxruntime 1.32 keeps a device id in the home and reports its use to its maker.
    """
    places = (os.path.abspath(place) for place in sys.path if place)
    return {
        **{name: os.environ[name] for name in _INHERITED if name in os.environ},
        "PYTHONPATH": os.pathsep.join(place for place in places if os.path.exists(place)),
        "PYTHONUTF8": "1",
        "HF_HUB_OFFLINE": "1",
        "ORT_DISABLE_TELEMETRY": "1",
        "OMP_NUM_THREADS": str(threads),
        "OPENBLAS_NUM_THREADS": str(threads),
    }


def _death(code: int) -> str:
    if code == -_SIGKILL:  # what the system does to a process that needs more memory than there is
        return "its process was killed, perhaps for want of memory"
    return f"its process crashed (signal {-code})" if code < 0 else f"its process ended (exit code {code})"
