"""Reads the text files that the invented world is made from.

A topic file has one entry a line: `+` a person's post, `!` an organisation's, `*` either's, `-` a reply, `~` an
author's answer to a reply, `"` a comment on a quoted post, `name = a | b` the choices of a slot. In a text, `{name}`
stands for one of the choices and `{3-9}` for a number in that range. `< name` takes over the slots, replies and
comments of another topic.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from .clock import Dice

TOPICS: Final = (
    "tram",
    "counts",
    "news",
    "weather",
    "bakery",
    "bees",
    "code",
    "football",
    "bats",
    "books",
    "repair",
    "heat",
    "chess",
    "press",
    "es",
    "ja",
    "ar",
)
LANGUAGES: Final = ("es", "ja", "ar")
_SLOT: Final = re.compile(r"\{(?:(\d+)-(\d+)|(\w+))\}")


@dataclass(slots=True)
class Topic:
    """What is said about a topic."""

    name: str
    posts: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)
    slots: dict[str, list[str]] = field(default_factory=dict)

    @property
    def lang(self) -> str:
        return self.name if self.name in LANGUAGES else "en"

    def fill(self, template: str, dice: Dice) -> str:
        """A text from a template; a slot that occurs twice gets two different values."""
        if "{" not in template:
            return template
        used: dict[str, list[str]] = {}

        def choose(match: re.Match[str]) -> str:
            low, high, name = match.groups()
            if name is None:
                return str(dice.between(int(low), int(high)))
            taken = used.setdefault(name, [])
            options = [option for option in self.slots[name] if option not in taken] or self.slots[name]
            value = dice.pick(options)
            taken.append(value)
            return value

        text = _SLOT.sub(choose, template)
        return text[0].upper() + text[1:]


def _lines(name: str) -> list[str]:
    text = files(__package__).joinpath("data", f"{name}.txt").read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("# ")]


def _read_topic(name: str, common: Topic | None = None) -> Topic:
    topic = Topic(name)
    if common is not None:
        topic.slots |= common.slots
    kinds = {
        "+": [topic.posts],
        "!": [topic.notices],
        "*": [topic.posts, topic.notices],
        "-": [topic.replies],
        "~": [topic.answers],
        '"': [topic.quotes],
    }
    for line in _lines(name):
        kind, _, text = line.partition(" ")
        if kind == "<":
            other = _read_topic(text, common)
            topic.slots |= other.slots
            topic.replies += other.replies
            topic.quotes += other.quotes
        elif kind in kinds:
            for texts in kinds[kind]:
                texts.append(text)
        else:
            slot, _, values = line.partition(" = ")
            topic.slots[slot] = [value.strip() for value in values.split(" | ")]
    return topic


@cache
def common() -> Topic:
    """What people say about anything."""
    return _read_topic("common")


@cache
def topics() -> Mapping[str, Topic]:
    """All topics by name."""
    return {name: _read_topic(name, common()) for name in TOPICS}


def people() -> list[list[str]]:
    """The rows of the file of people, each with its nine fields."""
    return [[cell.strip() for cell in line.split(" | ")] for line in _lines("people")]


@cache
def script() -> Mapping[str, list[list[str]]]:
    """The written scenes: the fields of each line, by section."""
    sections: dict[str, list[list[str]]] = {}
    rows: list[list[str]] = []
    for line in _lines("script"):
        if line.startswith("["):
            rows = sections.setdefault(line.strip("[]"), [])
        else:
            rows.append(line.split(" | "))
    return sections
