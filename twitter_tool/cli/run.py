"""The actions behind the commands: each reads what it needs, prints once, and returns an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twitter_tool.cli import documents, reports
from twitter_tool.cli.arguments import assemble
from twitter_tool.cli.feeds import Feeds, read_file, read_stdin
from twitter_tool.cli.invocation import NAME, Invocation
from twitter_tool.cli.json_arguments import parse_arguments
from twitter_tool.cli.shown import ReaderGone, rendered, show
from twitter_tool.cli.spelling import spellings
from twitter_tool.cli.streams import is_terminal, write_err, write_out
from twitter_tool.cli.table import ModeEntry
from twitter_tool.errors import SetupError, invalid_request

if TYPE_CHECKING:
    from twitter_tool.config import Loaded
    from twitter_tool.result import Result


def run_mode(entry: ModeEntry, typed: Mapping[str, Any], invocation: Invocation) -> int:
    """Read X in one mode, with the arguments as typed."""
    invocation.spellings = spellings(entry)
    feeds = Feeds(quiet=invocation.quiet)
    arguments = assemble(entry, typed, output=invocation.output, read_list=feeds.read)
    return _read(arguments, invocation)


def run_call_command(source: str, drop_nulls: bool, invocation: Invocation) -> int:
    """Carry out one tool call whose arguments are a JSON object in a file or on stdin."""
    if source.lstrip().startswith("{"):
        raise invalid_request(
            "the JSON was given as an argument, where the name of a file belongs",
            f"Pass the JSON on standard input: echo '...' | {NAME} call -",
        )
    data = read_stdin("one JSON object", quiet=invocation.quiet) if source == "-" else read_file(source)
    arguments = parse_arguments(data)
    if invocation.output is not None:
        arguments["output"] = invocation.output
    return _read(arguments, invocation, drop_nulls=drop_nulls)


def run_schema(flavor: Any, invocation: Invocation) -> int:
    """Print the tool's schema."""
    from twitter_tool.schema import tool_schema

    write_out(documents.json_text(tool_schema(flavor), compact=invocation.format == "jsonl"))
    return 0


def run_config(invocation: Invocation) -> int:
    """Print the settings in force."""
    from twitter_tool.report import config_report

    report = config_report(loaded_settings(invocation), os.environ)
    write_out(documents.report_text(report, invocation, reports.config_table(report)))
    return 0


def run_doctor(invocation: Invocation) -> int:
    """Print what is set up and what is missing; exit as a missing key would when nothing can be read."""
    from twitter_tool.report import doctor_report

    report = doctor_report(loaded_settings(invocation), os.environ, sandbox=invocation.sandbox)
    write_out(documents.report_text(report, invocation, reports.doctor_table(report)))
    return 0 if report["ok"] else SetupError("missing_credentials", "").exit_code


def _read(arguments: Mapping[str, Any], invocation: Invocation, *, drop_nulls: bool = False) -> int:
    from twitter_tool.cli.loop import run_call
    from twitter_tool.cli.progress import ProgressLine
    from twitter_tool.tool import TwitterTool

    if invocation.stream and (invocation.document or invocation.format != "text"):
        raise invalid_request("--stream shows text only", "Drop --stream, or use --format text.")
    if idle := _idle(arguments, invocation):
        write_err(idle)
    progress = None if invocation.quiet else ProgressLine()

    async def operation() -> Result:
        async with TwitterTool(
            settings=_options(invocation),
            config_path=invocation.config,
            sandbox=invocation.sandbox,
            save_media=invocation.save_media,
        ) as tool:
            if invocation.stream:
                return await show(tool.stream_call(arguments, progress=progress), arguments, progress)
            return await tool.call(arguments, drop_nulls=drop_nulls, progress=progress)

    try:
        result = run_call(operation)
    except ReaderGone:
        return 0
    finally:
        if progress is not None:
            progress.clear()
    if invocation.verbose:
        write_err(documents.work_table(result.details))
    if invocation.save_media and not invocation.quiet and not result.details["usage"]["mediaAttempts"]:
        write_err(f"note: nothing was saved in {invocation.save_media}: this call downloaded no picture or video\n")
    if not invocation.stream:
        eyes = _for_eyes(result, invocation)
        write_out(rendered(result) if eyes else documents.result_text(result.to_dict(), invocation))
    return documents.exit_code(result.details, strict=invocation.strict)


def _for_eyes(result: Result, invocation: Invocation) -> bool:
    """Whether a person is looking at a written answer."""
    plain = invocation.document or invocation.format != "text" or result.details["output"] != "answer"
    return not plain and is_terminal(sys.stdout)


def _idle(arguments: Mapping[str, Any], invocation: Invocation) -> str:
    """What to say of options that only matter to an answer when none was asked for; blank when there is nothing."""
    given = ("--model", invocation.model), ("--stream", invocation.stream)
    names = " and ".join(name for name, value in given if value)
    if invocation.quiet or not names or arguments.get("output") != "posts":
        return ""
    verb = "have" if " and " in names else "has"
    return f"note: {names} {verb} no effect: posts are shown as they are; ask a question, or add --output answer\n"


def _options(invocation: Invocation) -> dict[str, Any]:
    processing = invocation.enable_video_processing or None
    given = {
        "max_pages": invocation.max_pages,
        "synthesis_model": invocation.model,
        "enable_image_understanding": invocation.enable_image_understanding or None,
        "enable_video_understanding": invocation.enable_video_understanding or processing,
        "enable_video_processing": processing,
    }
    return {name: value for name, value in given.items() if value is not None}


def loaded_settings(invocation: Invocation) -> Loaded:
    """The settings that a call with these options would have."""
    from twitter_tool.config import load, working_directory

    return load(
        cwd=working_directory(),
        environ=os.environ,
        options=_options(invocation),
        config_path=Path(invocation.config) if invocation.config is not None else None,
        sandbox=invocation.sandbox,
    )
