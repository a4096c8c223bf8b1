"""One sub-command per mode, built from its entry in the shipped table; values are passed on as typed."""

from __future__ import annotations

from typing import Any, Final

import click

from twitter_tool.cli.command_line import Action, ToolCommand, Words
from twitter_tool.cli.spelling import metavar
from twitter_tool.cli.table import ModeEntry, Parameter

IDS: Final = "Several, with spaces or commas between; @FILE or - reads them from a file or stdin."
HANDLES: Final = (
    "Lists of handles repeat the option or take commas; @FILE or - reads them from a file or stdin. There @name is a"
    " handle; a file of such a name is @./name."
)


def mode_command(entry: ModeEntry) -> ToolCommand:
    """The click command of a mode; calling it gives the action that reads."""
    params: list[click.Parameter] = []
    arguments: dict[str, str] = {}
    takes_words = True
    for parameter in entry["positional"]:
        shown = metavar(parameter)
        if parameter["multiple"]:
            takes_words = False
            params.append(_argument(parameter["name"], f"{shown}...", nargs=-1))
            arguments[f"{shown}..."] = f"{parameter['description']} {IDS}"
        else:
            required = parameter["required"]
            params.append(_argument(parameter["name"], shown if required else f"[{shown}]", required=required))
            arguments[shown] = parameter["description"]
    if takes_words:
        name = "QUESTION" if entry["positional"] else "QUERY"
        params.append(_argument("words", "[QUESTION]..." if entry["positional"] else "QUERY...", nargs=-1))
        arguments[name] = _about_words(entry)
    params.extend(map(_option, entry["options"]))
    params.append(
        click.Option(
            ["-q", "--question", "question"],
            metavar="TEXT",
            type=Words(),
            help="The question, for when it is not among the arguments."
            if entry["positional"]
            else "The QUERY, as an option.",
        )
    )
    return ToolCommand(
        entry["name"],
        params=params,
        callback=_chosen(entry),
        help=f"{entry['summary']} Cites {entry['cites']}.",
        arguments=arguments,
        epilog=HANDLES if any(parameter["multiple"] for parameter in entry["options"]) else None,
    )


def _chosen(entry: ModeEntry) -> Any:
    def choose(**typed: Any) -> Action:
        invocation = click.get_current_context().obj

        def action() -> int:
            from twitter_tool.cli.run import run_mode

            return run_mode(entry, typed, invocation)

        return action

    return choose


def _argument(name: str, metavar: str, *, nargs: int = 1, required: bool = False) -> click.Argument:
    argument = click.Argument([name], nargs=nargs, required=required, metavar=metavar, type=Words())
    argument.name = name  # click itself would make it lower case
    return argument


def _option(parameter: Parameter) -> click.Option:
    flag, name = parameter["flag"], parameter["name"]
    if parameter["type"] == "boolean":
        return click.Option([f"{flag}/--no-{flag[2:]}", name], default=None, help=parameter["description"])
    choices = parameter.get("choices", ())
    return click.Option(
        [flag, name],
        multiple=parameter["multiple"],
        type=Words(choices),
        metavar=f"[{'|'.join(choices)}]" if choices else metavar(parameter),
        help=_about(parameter),
    )


def _about(parameter: Parameter) -> str:
    text = parameter["description"]
    facts = []
    if "min" in parameter and parameter.get("max", 1000) <= 1000:
        facts.append(f"{parameter['min']}-{parameter['max']}" if "max" in parameter else f"from {parameter['min']}")
    if "default" in parameter:
        facts.append(f"default: {parameter['default']}")
    return f"{text}  [{'; '.join(facts)}]" if facts else text


def _about_words(entry: ModeEntry) -> str:
    if entry["positional"]:
        return "What to answer from what is read; without it, what is read is the result."
    return "The search expression; several words are joined. Put -- before it when a word begins with a dash."
