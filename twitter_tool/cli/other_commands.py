"""The commands beside the modes: one tool call, the schema, the sandbox server, and what is set up."""

from __future__ import annotations

from typing import Any, Final

import click

from twitter_tool.cli.command_line import ToolCommand, ToolOption, Words
from twitter_tool.cli.invocation import NAME
from twitter_tool.cli.table import table

SUMMARIES: Final = {
    "call": "One tool call: JSON arguments in, one JSON document out.",
    "schema": "The tool's schema, for agents.",
    "sandbox": "Serve the local stand-in upstream, for other programs.",
    "doctor": "What is set up, what is missing and how to mend it.",
    "config": "The settings in force, and where each came from.",
    "cache": "The private cache of what videos say and show.",
    "completion": "The script that completes commands in your shell.",
}
SHELLS: Final = ("bash", "zsh", "fish")
INSTALL: Final = """
\b
To have it in every new shell:
  ~/.bashrc                   eval "$(twitter-tool completion bash)"
  ~/.zshrc                    eval "$(twitter-tool completion zsh)"
  ~/.config/fish/config.fish  twitter-tool completion fish | source
"""


def other_command(name: str) -> ToolCommand | None:
    """Build one of these commands; ``None`` when there is none of that name."""
    makers = {
        "call": _call,
        "schema": _schema,
        "sandbox": _sandbox,
        "doctor": lambda: _plain("doctor", "run_doctor", "No network is used. Exits with 3 when nothing can be read."),
        "config": lambda: _plain("config", "run_config", "Secrets are masked."),
        "cache": _cache,
        "completion": _completion,
    }
    maker = makers.get(name)
    return maker() if maker is not None else None


def _command(name: str, details: str, run: Any, **attributes: Any) -> ToolCommand:
    def choose(**typed: Any) -> Any:
        invocation = click.get_current_context().obj
        return lambda: run(typed, invocation)

    return ToolCommand(name, callback=choose, help=f"{SUMMARIES[name]} {details}", **attributes)


def _plain(name: str, runner: str, details: str) -> ToolCommand:
    def run(typed: Any, invocation: Any) -> int:
        from twitter_tool.cli import run as actions

        return int(getattr(actions, runner)(invocation))

    return _command(name, details, run)


def _call() -> ToolCommand:
    def run(typed: Any, invocation: Any) -> int:
        invocation.document = True  # first of all: an interruption may come while the rest is being imported
        from twitter_tool.cli.run import run_call_command

        return run_call_command(typed["source"], typed["drop_nulls"], invocation)

    return _command(
        "call",
        "Prints one document whatever happens and whatever --format says; the exit code tells what it is."
        ' --output takes the place of an "output" in the arguments.',
        run,
        params=[
            click.Argument(["source"], required=False, default="-", metavar="[FILE]", type=click.Path(allow_dash=True)),
            click.Option(["--drop-nulls"], is_flag=True, help="Treat arguments that are null as left out."),
        ],
        arguments={"FILE": "At most 1 MiB of UTF-8; stdin when it is - or left out."},
        epilog="""Example: echo '{"query": "tram"}' | twitter-tool call --sandbox --output posts""",
    )


def _schema() -> ToolCommand:
    def run(typed: Any, invocation: Any) -> int:
        from twitter_tool.cli.run import run_schema

        return run_schema(typed["flavor"], invocation)

    flavors = table()["flavors"]
    return _command(
        "schema",
        "",
        run,
        params=[
            click.Option(
                ["--flavor"], type=click.Choice(flavors), default=flavors[0], show_default=True, help="The wrapping."
            )
        ],
    )


def _sandbox() -> ToolCommand:
    def run(typed: Any, invocation: Any) -> int:
        from twitter_tool.cli.serving import run_sandbox

        return run_sandbox(typed["port"], typed["key"], typed["faults"], invocation)

    faults = table()["faults"]
    return _command(
        "sandbox",
        "It listens on loopback only, until Ctrl-C.",
        run,
        params=[
            ToolOption(
                ["--port"],
                type=click.INT,
                default=8765,
                metavar="N",
                help="Where to listen; 0 takes a free port.  [default: 8765]",
            ),
            click.Option(["--key"], metavar="KEY", help="The one key that is accepted; else any is."),
            click.Option(
                ["--fault", "faults"],
                multiple=True,
                metavar="NAME[=VALUE]",
                type=Words(list(faults)),
                help="Switch a fault on; may be repeated.",
            ),
        ],
        epilog=f"Faults: {', '.join(faults)}.",
    )


def _cache() -> ToolCommand:
    def run(typed: Any, invocation: Any) -> int:
        from twitter_tool.cli.cache_command import run_cache

        return run_cache(typed["clear"], invocation)

    return _command(
        "cache",
        "Shows where it is, how much it holds and when that expires.",
        run,
        params=[click.Option(["--clear"], is_flag=True, help="Remove everything that is kept.")],
        epilog="It is off unless evidence_cache is set; what was kept before can be shown and removed in any case.",
    )


def _completion() -> ToolCommand:
    def run(typed: Any, invocation: Any) -> int:
        from click.shell_completion import get_completion_class

        from twitter_tool.cli.command_line import COMPLETION_VARIABLE, group
        from twitter_tool.cli.streams import write_out

        shell = get_completion_class(typed["shell"])
        if shell is None:  # pragma: no cover - click ships all three
            raise LookupError(typed["shell"])
        write_out(shell(group(), {}, NAME, COMPLETION_VARIABLE).source().lstrip("\n"))
        return 0

    return _command(
        "completion",
        "",
        run,
        params=[click.Argument(["shell"], type=click.Choice(SHELLS), metavar=f"{{{'|'.join(SHELLS)}}}")],
        epilog=INSTALL,
    )
