"""How help pages look: at most 80 columns, arguments explained, global options named once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import click

    from twitter_tool.cli.command_line import ToolCommand

WIDTH: Final = 80
INTRO: Final = (
    "Reads X (Twitter) into bounded, cited evidence: every word quoted and every link of a post was fetched.",
    "Try it without a key: twitter-tool posts tram --sandbox",
)
OPTIONS: Final = "Options"
MEDIA: Final = "Pictures and videos"
ENDING: Final = "The options work before and after the command. `twitter-tool COMMAND --help` explains a command."


def main_page(
    group: click.Group,
    ctx: click.Context,
    formatter: click.HelpFormatter,
    modes: Sequence[tuple[str, str]],
    others: Sequence[tuple[str, str]],
) -> None:
    """Write the page of the command itself."""
    formatter.write_usage(ctx.command_path, "[OPTIONS] COMMAND ...")
    for text in INTRO:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text)
    _section(formatter, "Reading X", modes)
    _section(formatter, "More commands", others)
    _section(formatter, OPTIONS, _records(group, ctx, _is_about_media))
    _section(formatter, MEDIA, _records(group, ctx, lambda option: not _is_about_media(option)))
    formatter.write_paragraph()
    formatter.write_text(ENDING)


def command_page(
    command: ToolCommand,
    ctx: click.Context,
    formatter: click.HelpFormatter,
    *,
    is_global: Callable[[click.Parameter], bool],
) -> None:
    """Write the page of one sub-command."""
    command.format_usage(ctx, formatter)
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(command.help or "")
    _section(formatter, "Arguments", list(command.arguments.items()))
    _section(formatter, OPTIONS, _records(command, ctx, is_global))
    if command.epilog:
        formatter.write_paragraph()
        formatter.write_text(command.epilog.strip())
    names = ", ".join(param.opts[0] for param in command.params if is_global(param) and not _is_about_media(param))
    formatter.write_paragraph()
    formatter.write_text(f"Also {names}, and those about pictures and videos: see `twitter-tool --help`.")


def _is_about_media(option: click.Parameter) -> bool:
    return getattr(option, "group", OPTIONS) == MEDIA


def _records(
    command: click.Command, ctx: click.Context, without: Callable[[click.Parameter], bool] | None = None
) -> list[tuple[str, str]]:
    options = (param for param in command.get_params(ctx) if param.param_type_name == "option")
    shown = (param for param in options if without is None or not without(param))
    return [record for param in shown if (record := param.get_help_record(ctx)) is not None]


def _section(formatter: click.HelpFormatter, title: str, rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(list(rows))
