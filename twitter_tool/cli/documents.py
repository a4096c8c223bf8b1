"""What is printed: results, failures and reports in each format. Pure; nothing here writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from twitter_tool.cli.invocation import Invocation
from twitter_tool.cli.spelling import as_typed
from twitter_tool.errors import EXIT_INCOMPLETE, TwitterToolError, error_document
from twitter_tool.text import block, line, without_surrogates

MESSAGE_CAP: Final = 2000
# JSON allows these raw inside strings, but terminals obey some and line readers split at others.
_ESCAPED: Final = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029)}
INTERRUPTED: Final = error_document("cancelled", "the call was interrupted before it had a result")


def result_text(document: Mapping[str, Any], invocation: Invocation) -> str:
    """A result, given as its ``content`` and ``details``."""
    if not invocation.document and invocation.format == "text":
        content: str = document["content"]
        return content if content.endswith("\n") else content + "\n"
    if invocation.document or invocation.format == "json":
        return json_text(document, compact=invocation.document)
    details = dict(document["details"])
    rows = [*details.pop("items", ()), {"kind": "result", "content": document["content"], "details": details}]
    return "".join(json_text(row, compact=True) for row in rows)


def report_text(document: Mapping[str, Any], invocation: Invocation, table: str) -> str:
    """A report: its table for people, or itself."""
    if invocation.format == "text":
        return table
    return json_text(document, compact=invocation.format == "jsonl")


def failure_texts(document: Mapping[str, Any], invocation: Invocation) -> tuple[str, str]:
    """A failure, as what goes to stdout and what goes to stderr; one of them is empty."""
    error = document["error"]
    if invocation.document or invocation.format != "text":
        return json_text(document, compact=invocation.document or invocation.format == "jsonl"), ""
    names = invocation.spellings if error["code"] == "invalid_request" else {}
    shown = f"error ({error['code']}): {as_typed(line(error['message'], MESSAGE_CAP), names)}\n"
    if "hint" in error:
        shown += f"hint: {as_typed(block(error['hint'])[:MESSAGE_CAP], names)}\n"
    return "", shown


def failure_document(error: TwitterToolError) -> dict[str, Any]:
    """The document of a failure; what it quotes of the command line is made safe to print."""
    document = error.to_dict()
    shown = document["error"]
    shown["message"] = str(line(shown["message"], MESSAGE_CAP))
    if "hint" in shown:  # may hold lines to copy
        shown["hint"] = str(block(shown["hint"]))[:MESSAGE_CAP]
    return document


def exit_code(details: Mapping[str, Any], *, strict: bool) -> int:
    """The exit code of a result."""
    return EXIT_INCOMPLETE if strict and details.get("complete") is False else 0


def work_table(details: Mapping[str, Any]) -> str:
    """The counters and timings that are not zero, and the time of the whole."""
    usage = {name: count for name, count in details.get("usage", {}).items() if isinstance(count, int) and count}
    timings = {name: f"{value} ms" for name, value in details.get("timings", {}).items() if value or name == "totalMs"}
    rows = [*usage.items(), *timings.items()]
    width = max((len(name) for name, _ in rows), default=0)
    return "".join(f"{name.ljust(width)}  {value}\n" for name, value in rows)


def json_text(document: Any, *, compact: bool) -> str:
    """One JSON document and a line end; on one line when compact."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=None if compact else 2)
    return without_surrogates(text.translate(_ESCAPED)) + "\n"
