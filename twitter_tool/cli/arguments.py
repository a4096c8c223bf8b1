"""From what was typed to the arguments of one tool call. Only spelling is changed; values are judged by the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from twitter_tool.cli.invocation import NAME
from twitter_tool.cli.spelling import metavar
from twitter_tool.cli.table import ModeEntry, Parameter
from twitter_tool.errors import invalid_request

ListReader = Callable[[Parameter, Sequence[str]], list[str]]
_LONGEST_NUMBER: Final = 40


def assemble(
    entry: ModeEntry, typed: Mapping[str, Any], *, output: str | None, read_list: ListReader
) -> dict[str, Any]:
    """The arguments of a call, spelt as in the tool schema.

    Args:
        entry: the mode.
        typed: what click captured: positional words, ``words`` of the question, ``question``, options by name.
        output: the value of ``--output``, when given.
        read_list: turns the words of a list into its entries.

    Raises:
        RequestError: the question was given twice, is blank, or stands where an account or an id belongs.
    """
    words: Sequence[str] = typed.get("words") or ()
    question: str | None = typed.get("question")
    searches = not entry["positional"]
    if words and question is not None:
        raise invalid_request(
            "the question was given twice: as an argument and with --question",
            f"Give it once. `twitter-tool {entry['name']} --help` shows the arguments.",
        )
    if question is None and words:
        question = " ".join(words)
    if searches and question is None:
        raise invalid_request(
            f"mode {entry['name']!r} needs a search expression",
            f"Put it after the command: twitter-tool {entry['name']} QUERY.",
        )
    if question is not None and not question.strip():
        # Most often an unset shell variable; it must not change silently what is asked.
        raise invalid_request(
            f"the {'QUERY' if searches else 'QUESTION'} is blank",
            "Put a search expression there." if searches else "Leave it out to get the posts themselves.",
        )
    arguments: dict[str, Any] = {"mode": entry["name"]}
    for parameter in (*entry["positional"], *entry["options"]):
        value = typed.get(parameter["name"])
        if value is None or value == ():
            continue
        if parameter["multiple"]:
            if "flag" not in parameter:
                _refuse_question_as_id(entry["name"], value)
            arguments[parameter["name"]] = read_list(parameter, value)
        elif parameter["type"] == "integer":
            arguments[parameter["name"]] = number(value)
        elif "choices" in parameter:
            arguments[parameter["name"]] = _choice(value, parameter["choices"])
        else:
            arguments[parameter["name"]] = value
    _refuse_nothing_named(entry, arguments)
    _refuse_question_as_account(arguments)
    asked = question is not None and not searches
    arguments["query"] = question if question is not None else _words_of_the_line(entry, typed)
    if output is not None:
        arguments["output"] = output
    elif not asked:
        arguments["output"] = "posts"
    return arguments


def number(text: str) -> int | str:
    """Digits as the number they are; anything else as typed, for the model to refuse in its own words."""
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_NUMBER:
        return int(text)
    return text


def _choice(text: str, choices: Sequence[str]) -> str:
    """The spelling of the tool schema for one of a few words, whatever its case; anything else as typed."""
    wanted = text.strip().casefold()
    return next((choice for choice in choices if choice.casefold() == wanted), text)


def _words_of_the_line(entry: ModeEntry, typed: Mapping[str, Any]) -> str:
    parts = [entry["name"]]
    for parameter in entry["positional"]:
        value = typed.get(parameter["name"])
        parts.extend(value if isinstance(value, tuple) else [value] if value is not None else [])
    if len(parts) == 1:
        parts.extend(str(typed[name]) for name in ("userId",) if typed.get(name) is not None)
    return " ".join(parts)


def _refuse_nothing_named(entry: ModeEntry, arguments: Mapping[str, Any]) -> None:
    for parameter in entry["positional"]:
        if parameter["name"] in arguments or "userId" in arguments:
            continue
        name, shown = entry["name"], metavar(parameter)
        instead = ", nor --user-id ID" if any(option["name"] == "userId" for option in entry["options"]) else ""
        raise invalid_request(
            f"no {shown} is given{instead}",
            f"Put it after the command: {NAME} {name} {shown}. `{NAME} {name} --help` explains the command.",
        )


def _refuse_question_as_id(mode: str, words: Sequence[str]) -> None:
    for word in words:
        if word.startswith("@"):  # a file
            continue
        for part in word.split():
            if any(char.isalpha() for char in part) and not any(char.isdigit() for char in part):
                raise invalid_request(
                    f"{word!r} is neither a post id nor a link to a post",
                    f'A question goes behind -q: {NAME} {mode} ID... -q "QUESTION".',
                )


def _refuse_question_as_account(arguments: Mapping[str, Any]) -> None:
    # The id wins over the handle, so a question typed in the handle's place would vanish without a word.
    if "userId" in arguments and len(str(arguments.get("user", "")).split()) > 1:
        raise invalid_request(
            f"{arguments['user']!r} stands where the account's handle belongs",
            'Beside --user-id the question goes behind -q: user --user-id ID -q "QUESTION".',
        )
