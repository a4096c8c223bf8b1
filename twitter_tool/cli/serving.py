"""The action behind `sandbox`: serve the local stand-in, and say where it is and how to use it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import Any, Final

from twitter_tool.cli import documents, reports
from twitter_tool.cli.invocation import Invocation
from twitter_tool.cli.streams import write_err, write_out
from twitter_tool.errors import SetupError, bad_settings, invalid_request

MAX_PORT: Final = 65_535
ANY_KEY: Final = "sandbox"
SHOWN: Final = (
    "search: what people say about the tram line",
    "account with many posts about the tram line",
    "post with a thread",
    "post with many replies",
    "post with an article",
    "list",
    "community",
    "Space that has ended",
)
"""Examples printed for people, of each kind; documents hold all there are."""
MORE: Final = "docs/sandbox.md has the rest; so has --format json."


def run_sandbox(port: int, key: str | None, fault_texts: Iterable[str], invocation: Invocation) -> int:
    """Serve the sandbox on loopback until a signal ends it, which is its normal end."""
    from twitter_tool.sandbox.faults import parse_faults
    from twitter_tool.sandbox.serve import SandboxServerMissing, hints, serve

    if not 0 <= port <= MAX_PORT:
        raise invalid_request(f"there is no port {port}", f"Ports are 1 to {MAX_PORT}; 0 takes a free one.")
    try:
        faults = [fault for text in fault_texts for fault in parse_faults(text)]
    except ValueError as error:
        raise invalid_request(str(error), "`twitter-tool sandbox --help` lists the faults.") from None

    def ready(url: str) -> None:
        document = {
            "url": url,
            "environment": environment(url, key),
            "hints": [{"what": what, "value": value} for what, value in hints()],
        }
        write_out(documents.report_text(document, invocation, announcement(document)))
        if not invocation.quiet:
            write_err("serving until Ctrl-C\n")

    try:
        serve(port, key=key, faults=faults, on_ready=ready)
    except SandboxServerMissing as error:
        raise SetupError(
            "bad_settings",
            str(error),
            hint="--sandbox on any command needs no server and works as it is.",
        ) from None
    except OSError as error:
        raise bad_settings(
            f"port {port} cannot be used: {error.strerror}", "Pass --port 0 to take a free one."
        ) from None
    return 0


def environment(url: str, key: str | None) -> dict[str, str]:
    """The variables that make the tool read from a served sandbox."""
    return {"TWITTER_TOOL_ROUTE_TO": url, "TWITTERAPI_IO_API_KEY": ANY_KEY if key is None else key}


def announcement(document: dict[str, Any]) -> str:
    """What a person sees: the address, two lines to copy, and where to start."""
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in document["environment"].items())
    rows: Sequence[tuple[str, str]] = [
        (entry["value"], entry["what"]) for entry in document["hints"] if entry["what"] in SHOWN
    ]
    width = max((reports.width(value) for value, _ in rows), default=0)
    examples = "".join(f"  {reports.padded(value, width)}  {what}\n" for value, what in rows)
    return f"sandbox on {document['url']}\n\n{exports}\nTo start from:\n{examples}{MORE}\n"
