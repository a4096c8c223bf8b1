"""The grammar: a click group whose sub-commands are built when they are asked for, from the shipped table.

Parsing a line runs nothing. It gives an action, which the caller then runs outside of click.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import click

from twitter_tool.cli import advice
from twitter_tool.cli import help as pages
from twitter_tool.cli.invocation import FORMATS, NAME, Invocation
from twitter_tool.cli.streams import version_line, write_out
from twitter_tool.cli.table import table
from twitter_tool.errors import invalid_request

COMPLETION_VARIABLE: Final = "_TWITTER_TOOL_COMPLETE"
SETTINGS: Final[dict[str, Any]] = {"help_option_names": ["-h", "--help"], "max_content_width": pages.WIDTH}
Action = Callable[[], int]

_DASHED = "\0"
"""Marks a negative number while click looks at it; no argument of a process can hold this character."""


class Words(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic only in later releases of click
    """Any text; the given words are only offered for completion, since the parameter models check values."""

    name = "text"

    def __init__(self, words: Sequence[str] = ()) -> None:
        self.words = words

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        """The words that begin as typed."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


class ToolOption(click.Option):
    """An option whose value click looks at."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Read a negative number as it was typed."""
        return super().process_value(ctx, _unmarked(value))


class GlobalOption(ToolOption):
    """An option of every command, listed on the main page only.

    Attributes:
        group: the heading under which it is listed.
    """

    group = pages.OPTIONS


class MediaOption(GlobalOption):
    """A global option about pictures and videos."""

    group = pages.MEDIA


class ToolCommand(click.Command):
    """A sub-command: global options after it, negative numbers as values, one house style of help."""

    def __init__(self, name: str, *, arguments: dict[str, str] | None = None, **attributes: Any) -> None:
        attributes["params"] = [*attributes.get("params", ()), *global_options()]
        super().__init__(name, context_settings=SETTINGS, **attributes)
        self.arguments = arguments or {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, with ``-1`` taken for a value."""
        rest = super().parse_args(ctx, list(_marked(args)))
        ctx.params = {name: _unmarked(value) for name, value in ctx.params.items()}
        return rest

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the page of this command."""
        pages.command_page(self, ctx, formatter, is_global=lambda option: isinstance(option, GlobalOption))


class ToolGroup(click.Group):
    """The command itself; knows the names and summaries of its sub-commands without building any."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Modes first, in their own order."""
        from twitter_tool.cli.other_commands import SUMMARIES

        return [*table()["modes"], *SUMMARIES]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Build one sub-command."""
        entry = table()["modes"].get(cmd_name)
        if entry is not None:
            from twitter_tool.cli.mode_commands import mode_command

            return mode_command(entry)
        from twitter_tool.cli.other_commands import other_command

        return other_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a sub-command, or say which one may have been meant."""
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            raise advice.no_such_command(args, self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[click.shell_completion.CompletionItem]:
        """The sub-commands with their summaries, and the global options."""
        from click.shell_completion import CompletionItem

        from twitter_tool.cli.other_commands import SUMMARIES

        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        summaries = {name: entry["summary"] for name, entry in table()["modes"].items()} | SUMMARIES
        return [CompletionItem(name, help=text) for name, text in summaries.items() if name.startswith(incomplete)]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the main page."""
        from twitter_tool.cli.other_commands import SUMMARIES

        modes = [(name, entry["summary"]) for name, entry in table()["modes"].items()]
        pages.main_page(self, ctx, formatter, modes, list(SUMMARIES.items()))


def group() -> ToolGroup:
    """The whole grammar."""
    return ToolGroup(
        NAME,
        params=list(global_options()),
        context_settings=SETTINGS,
        no_args_is_help=False,
        invoke_without_command=True,
        callback=_without_command,
    )


def global_options() -> Iterable[click.Option]:
    """Fresh global options; what is given is remembered in the invocation of the line."""
    outputs, pages_ = table()["outputs"], table()["max_pages"]
    yield GlobalOption(
        ["--output"],
        type=Words(outputs),
        metavar=f"[{'|'.join(outputs)}]",
        help="An answer by a model, or the posts themselves. Without a question: posts.",
        **_REMEMBERED,
    )
    yield GlobalOption(
        ["--format"], type=click.Choice(FORMATS), help="What is printed.  [default: text]", **_REMEMBERED
    )
    yield GlobalOption(
        ["--max-pages"],
        type=click.INT,
        metavar="N",
        help=f"{pages_['description']}  [{pages_['min']}-{pages_['max']}; default: {pages_['default']}]",
        **_REMEMBERED,
    )
    yield _flag("--sandbox", "Read an invented world kept in the package: no key, no network.")
    yield _flag("--stream", "Show an answer while it is being written (text only).")
    yield _flag("--strict", "Exit with 7 when not everything could be read.")
    yield _flag("--quiet", "No progress on stderr.")
    yield _flag("--verbose", "Counters and timings on stderr afterwards.")
    yield _flag("--debug", "Tracebacks on stderr.")
    yield GlobalOption(
        ["--model"], metavar="NAME", help="Model that writes the answer, above the settings.", **_REMEMBERED
    )
    yield GlobalOption(
        ["--config"], type=click.Path(), metavar="PATH", help="Replaces the user's settings file.", **_REMEMBERED
    )
    yield _flag(
        "--enable-image-understanding",
        "Give the model that answers the photos.",
        MediaOption,
    )
    yield _flag("--enable-video-understanding", "Give it the still pictures of videos.", MediaOption)
    yield _flag("--enable-video-processing", "Use what videos say and show (extra media).", MediaOption)
    yield MediaOption(
        ["--save-media"],
        type=click.Path(file_okay=False),
        metavar="DIR",
        help="Keep what is downloaded, named by post.",
        **_REMEMBERED,
    )
    yield GlobalOption(
        ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version."
    )


def parse(words: Sequence[str], invocation: Invocation) -> Action:
    """What a command line asks for; help, the version and completion have been printed already.

    Raises:
        click.ClickException: the line does not follow the grammar.
        TwitterToolError: so it is, and there is advice.
    """
    chosen = group().main(
        list(words), prog_name=NAME, complete_var=COMPLETION_VARIABLE, standalone_mode=False, obj=invocation
    )
    return chosen if callable(chosen) else lambda: int(chosen or 0)


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    # Commands see the options of their parents here too, so what was not given must not erase what was.
    if value is not None and value is not False and isinstance(ctx.obj, Invocation):
        ctx.obj.take(str(param.name), value)


_REMEMBERED: Final[dict[str, Any]] = {"expose_value": False, "callback": _remember}


def _flag(spelling: str, text: str, kind: type[GlobalOption] = GlobalOption) -> click.Option:
    return kind([spelling], is_flag=True, help=text, **_REMEMBERED)


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        write_out(version_line())
        ctx.exit()


def _without_command() -> Action | None:
    ctx = click.get_current_context()
    if ctx.invoked_subcommand is not None:
        return None
    if ctx.obj.format == "text":
        click.echo(ctx.get_help(), file=sys.stderr)
        return lambda: 2
    raise invalid_request("no command was given", f"`{NAME} --help` lists the commands.")


def _marked(words: Iterable[str]) -> Iterable[str]:
    for word in words:
        negative = word.startswith("-") and word[1:].isascii() and word[1:].isdigit()
        yield _DASHED + word if negative else word


def _unmarked(value: Any) -> Any:
    if isinstance(value, str):
        return value.removeprefix(_DASHED)
    return tuple(map(_unmarked, value)) if isinstance(value, tuple) else value
