"""A child process that pretends to recognise speech: what it does depends on the name of the file of samples.

It keeps the protocol of the real one and needs no model. Its answers tell its process id, so that tests see whether two
clips went to the same process.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any


def answer(message: Any) -> None:
    """Say something; whatever is no message is said as it is."""
    print(message if isinstance(message, str) else json.dumps(message), flush=True)


def segment(text: str, start: float = 0.0) -> None:
    """One passage of a second in a clip of ten."""
    answer({"segment": [start, start + 1, text, 0.1, -0.2], "of": 10.0})


def work(samples: Path) -> None:
    """Do what the name says."""
    match samples.name:
        case "hang":
            segment("begun")
            sys.stdin.read()
            signal.pause()
        case "door":  # a named pipe: nothing goes on before the test writes to it
            segment("begun")
            segment(samples.read_text("utf-8"), 1)
        case "exit":
            os._exit(3)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "shut":
            os.close(1)
            signal.pause()
        case "chatter":
            answer("loading ...")
        case "list":
            answer([1])
        case "strange":
            answer({"segment": [1]})
        case "unsure":
            answer({"fault": "failed", "detail": "RuntimeError"})
            return
        case "around":
            told = {"environ": dict(os.environ), "cwd": os.getcwd(), "session": os.getsid(0) == os.getpid()}
            segment(json.dumps(told))
        case _:
            segment(f"process {os.getpid()}", 2.5)
            answer({"segment": [9.0, 11.0, "the end", 0.9, -1.5], "of": 10.0})
    answer({"done": True})


def main() -> None:
    """Load nothing, then work off the requests."""
    order = json.loads(sys.stdin.readline())
    with open(Path(order["folder"], "loads"), "a", encoding="utf-8") as loads:
        loads.write(f"{order['compute_type']} {order['threads']} {order['vad']}\n")
    if order["compute_type"] == "float64":
        answer({"fault": "compute_type", "detail": "float32, int8"})
        return
    if order["compute_type"] == "broken":
        answer({"fault": "weights", "detail": "RuntimeError"})
        return
    answer({"ready": True})
    for line in sys.stdin:
        work(Path(json.loads(line)["samples"]))


if __name__ == "__main__":
    main()
