"""The global options of one command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

NAME: Final = "twitter-tool"
Format = Literal["text", "json", "jsonl"]
FORMATS: Final = ("text", "json", "jsonl")
TAKING_A_VALUE: Final = ("--output", "--format", "--max-pages", "--model", "--config", "--save-media")


class Interrupted(Exception):
    """The call was ended from outside before it had a result."""


class Invocation:
    """What the global options say, wherever on the line they stood; the later one wins.

    Attributes:
        document: the command prints one compact JSON document whatever ``format`` says.
        spellings: how parameters are typed on this line, by their names in a tool call.
    """

    __slots__ = (
        "config",
        "debug",
        "document",
        "enable_image_understanding",
        "enable_video_processing",
        "enable_video_understanding",
        "format",
        "max_pages",
        "model",
        "output",
        "quiet",
        "sandbox",
        "save_media",
        "spellings",
        "stream",
        "strict",
        "verbose",
    )

    def __init__(self, form: Format = "text", *, document: bool = False, debug: bool = False) -> None:
        self.config: str | None = None
        self.debug = debug
        self.document = document
        self.enable_image_understanding = False
        self.enable_video_processing = False
        self.enable_video_understanding = False
        self.format: Format = form
        self.max_pages: int | None = None
        self.model: str | None = None
        self.output: str | None = None
        self.quiet = False
        self.sandbox = False
        self.save_media: str | None = None
        self.spellings: Mapping[str, str] = {}
        self.stream = False
        self.strict = False
        self.verbose = False

    def take(self, name: str, value: Any) -> None:
        """Remember a global option that was given."""
        setattr(self, name, value)


def guessed(words: Sequence[str]) -> Invocation:
    """The options that decide how a refusal is shown, read from a line that click could not make sense of."""
    form: Format = "text"
    command: str | None = None
    debug = False
    before = ""
    for word in words:
        if word == "--":
            break
        value = word.removeprefix("--format=") if word.startswith("--format=") else None
        if before == "--format":
            value = word
        elif command is None and not word.startswith("-") and before not in TAKING_A_VALUE:
            command = word
        for known in FORMATS:
            if value == known:
                form = known
        debug = debug or word == "--debug"
        before = "" if before in TAKING_A_VALUE else word
    return Invocation(form, document=command == "call", debug=debug)
