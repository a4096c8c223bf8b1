"""What to say about a command line that does not follow the grammar: what is wrong, and what was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import click

from twitter_tool.cli.invocation import NAME
from twitter_tool.cli.table import table
from twitter_tool.errors import RequestError, invalid_request

ALIASES: Final[Mapping[str, str]] = {
    "find": "posts QUERY",
    "follower": "followers HANDLE",
    "following": "followings HANDLE",
    "repost": "retweeters POST",
    "reposts": "retweeters POST",
    "retweet": "retweeters POST",
    "retweets": "retweeters POST",
    "search": "posts QUERY",
    "timeline": "user HANDLE",
    "tweet": "tweets ID",
}
"""Words of other tools and of X itself, with the command that does the same here."""
_COUNTERPARTS: Final[Mapping[str, str]] = {"--count": "--limit", "--limit": "--count"}
_CLOSE: Final = 0.75
"""How alike two option names are that may stand for each other; ``--frm`` and ``--from`` are, others are not."""


def no_such_command(words: Sequence[str], known: Sequence[str]) -> RequestError:
    """The refusal of a line whose first word is no command.

    Args:
        words: the line from that word on.
        known: the commands there are.
    """
    name = words[0]
    listing = f"`{NAME} --help` lists the commands."
    near = difflib.get_close_matches(name, known, 1)
    if name in ALIASES:
        advice = f"Here it is: {NAME} {ALIASES[name]}. {listing}"
    elif name == "likes":
        advice = f"Who liked a post cannot be read; replies, quotes and retweeters can. {listing}"
    elif name == "help":
        wanted = f"{words[1]} " if words[1:2] and words[1] in known else ""
        advice = f"Type {NAME} {wanted}--help."
    elif name == "version":
        advice = f"Type {NAME} --version."
    elif near:
        advice = f"Did you mean {near[0]!r}? {listing}"
    else:
        advice = f"To search posts: {NAME} posts QUERY. {listing}"
    return invalid_request(f"there is no command {name!r}", advice)


def refusal(error: click.ClickException, words: Sequence[str]) -> RequestError:
    """What click refused, in the words of this tool.

    Args:
        words: the whole line.
    """
    ctx = getattr(error, "ctx", None)
    page = f"{ctx.command_path if ctx else NAME} --help"
    if isinstance(error, click.NoSuchOption):
        return _no_such_option(error, ctx, words, f"`{page}` lists the options.")
    hint = f"`{page}` explains the command."
    if isinstance(error, click.MissingParameter) and ctx is not None and error.param is not None:
        usage = " ".join(ctx.command.collect_usage_pieces(ctx))
        what = error.param.make_metavar(ctx)
        return invalid_request(
            f"the argument {what} is missing", f"Usage: {ctx.command_path} {usage} ({hint.rstrip('.')})"
        )
    message = error.format_message().rstrip(".")
    return invalid_request(message[:1].lower() + message[1:], hint)


def _no_such_option(
    error: click.NoSuchOption, ctx: click.Context | None, words: Sequence[str], listing: str
) -> RequestError:
    name = error.option_name
    options = sorted({spelling for param in ctx.command.params for spelling in param.opts}) if ctx else []
    counterpart = _COUNTERPARTS.get(name)
    if not name.startswith("--"):
        # Of a cluster such as -from:nasa click names the first letter only.
        whole = next((word for word in words if word.startswith(name) and not word.startswith("--")), name)
        if len(whole) > len(name) and ctx is not None and _is_search(ctx.command.name):
            return invalid_request(
                f"there is no option {whole}", f"When words begin with a dash, put -- before them all. {listing}"
            )
        return invalid_request(f"there is no option {name}", listing)
    if counterpart in options:
        listing = f"Here it is {counterpart}. {listing}"
    elif near := _near(name, options):
        if ctx is not None and all(_is_global(option, ctx) for option in near):
            listing = f"`{NAME} --help` lists the options of every command."
        listing = f"Did you mean {' or '.join(near)}? {listing}"
    elif isinstance(getattr(ctx, "command", None), click.Group):
        listing = f"Options of a command stand behind it. {listing}"
    return invalid_request(f"there is no option {name}", listing)


def _is_global(option: str, ctx: click.Context) -> bool:
    """Whether an option is listed on the main page only."""
    return any(option in param.opts and hasattr(param, "group") for param in ctx.command.params)


def _near(name: str, options: Iterable[str]) -> list[str]:
    """The options of which the whole or a part is much like what was typed."""
    typed = name.lstrip("-")
    found = []
    for option in options:
        bare = option.removeprefix("--")
        parts = (bare, *bare.split("-"))
        if option.startswith("--") and difflib.get_close_matches(typed, parts, 1, _CLOSE):
            found.append(option)
    return found


def _is_search(command: str | None) -> bool:
    entry = table()["modes"].get(command or "")
    return entry is not None and not entry["positional"]
