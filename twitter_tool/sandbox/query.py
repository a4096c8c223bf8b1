"""The search language: text in, a tree of conditions out.

The operators are the ones that public clients report as working on `/twitter/tweet/advanced_search`. Terms
next to each other must all hold and bind tighter than `OR`, as X documents for its own search. Anything that
is no operator is a word; no input is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, Literal

from .clock import NOW

Operator = Literal[
    "from",
    "to",
    "mention",
    "tag",
    "ticker",
    "lang",
    "conversation_id",
    "quoted_tweet_id",
    "card_name",
    "filter",
    "since",
    "until",
    "max_id",
    "min_faves",
    "min_retweets",
    "min_replies",
    "nothing",
]

_MAX_DEPTH: Final = 40
_DAY_CUT: Final = time(4, 0, tzinfo=UTC)
_TOKEN: Final = re.compile(
    r"""
    (?P<space>\s+)
    | (?P<open>-?\()
    | (?P<close>\))
    | (?P<phrase>-?"[^"]*"?)
    | (?P<term>[^\s()"]+)
    """,
    re.VERBOSE,
)
_WORD: Final = re.compile(r"\w+")
# In Japanese these marks make other letters, not accents.
_VOICING: Final = "\u3099\u309a"
_UNSPACED: Final = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_NUMBERS: Final[dict[str, Operator]] = {
    "min_faves": "min_faves",
    "min_retweets": "min_retweets",
    "min_replies": "min_replies",
    "max_id": "max_id",
}
_SIGNS: Final[tuple[tuple[str, Operator], ...]] = (("#", "tag"), ("@", "mention"), ("$", "ticker"))
_TEXTS: Final[dict[str, Operator]] = {
    "from": "from",
    "to": "to",
    "lang": "lang",
    "conversation_id": "conversation_id",
    "quoted_tweet_id": "quoted_tweet_id",
    "card_name": "card_name",
}
FILTERS: Final = frozenset(
    {"media", "images", "videos", "links", "replies", "nativeretweets", "retweets", "quote", "self_threads"}
)


@dataclass(frozen=True, slots=True)
class Words:
    """Words that must follow each other; a single word is a phrase of one.

    Scripts without spaces between words have no tokens to compare: there `run` is the text to look for.
    """

    words: tuple[str, ...]
    run: str = ""


@dataclass(frozen=True, slots=True)
class Is:
    """An operator and its value."""

    operator: Operator
    text: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Not:
    node: Node


@dataclass(frozen=True, slots=True)
class All:
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Any_:
    nodes: tuple[Node, ...]


Node = Words | Is | Not | All | Any_


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A parsed query; `reposts` says whether native reposts are wanted at all."""

    node: Node
    reposts: bool


def fold(text: str) -> str:
    """Text without case and accents, the way words are compared."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold())
    kept = (char for char in plain if char in _VOICING or not unicodedata.combining(char))
    return unicodedata.normalize("NFC", "".join(kept))


def split_words(text: str) -> tuple[str, ...]:
    """The words of a text, folded."""
    return tuple(_WORD.findall(fold(text)))


def parse(text: str) -> Query:
    """Reads a query; never fails."""
    parser = _Parser(text)
    node = parser.read_any(0)
    return Query(node=node, reposts=parser.reposts)


class _Parser:
    def __init__(self, text: str) -> None:
        self.reposts = False
        self._tokens: list[tuple[str, str]] = list(self._cut(text))
        self._at = 0

    @staticmethod
    def _cut(text: str) -> Iterator[tuple[str, str]]:
        for match in _TOKEN.finditer(text):
            if match.lastgroup and match.lastgroup != "space":
                yield match.lastgroup, match[0]

    def read_any(self, depth: int) -> Node:
        options = [self._read_all(depth)]
        while self._at < len(self._tokens) and self._tokens[self._at] == ("term", "OR"):
            self._at += 1
            options.append(self._read_all(depth))
        # An `OR` with nothing on one side is dropped, else it would match every post.
        kept = tuple(option for option in options if option != All(()))
        if not kept:
            return All(())
        return kept[0] if len(kept) == 1 else Any_(kept)

    def _read_all(self, depth: int) -> Node:
        nodes: list[Node] = []
        while self._at < len(self._tokens):
            kind, text = self._tokens[self._at]
            if (kind, text) == ("term", "OR") or (kind == "close" and depth):
                break
            self._at += 1
            node = self._read_one(kind, text, depth)
            if node is not None:
                nodes.append(node)
        return nodes[0] if len(nodes) == 1 else All(tuple(nodes))

    def _read_one(self, kind: str, text: str, depth: int) -> Node | None:
        negative = text.startswith("-") and len(text) > 1
        bare = text[1:] if negative else text
        node: Node | None
        if kind == "open":
            # Beyond the limit a parenthesis is ignored, so that no input can exhaust the stack.
            if depth >= _MAX_DEPTH:
                return None
            node = self.read_any(depth + 1)
            if self._at < len(self._tokens) and self._tokens[self._at][0] == "close":
                self._at += 1
            if node == All(()):
                return None
        elif kind == "close":
            return None
        elif kind == "phrase":
            node = _words(bare.strip('"'))
        else:
            node = self._read_term(bare, negative)
        if node is None:
            return None
        return Not(node) if negative else node

    def _read_term(self, text: str, negative: bool) -> Node | None:
        name, colon, value = text.partition(":")
        if colon and value:
            name = name.lower()
            if name == "include":
                self.reposts = self.reposts or (value.lower() == "nativeretweets" and not negative)
                return None
            node = self._operator(name, value, negative)
            if node is not None:
                return node
        for sign, operator in _SIGNS:
            if text.startswith(sign) and len(text) > 1:
                return Is(operator, fold(text[1:]) if sign == "#" else text[1:].lower())
        return _words(text)

    def _operator(self, name: str, value: str, negative: bool) -> Node | None:
        if name in _TEXTS:
            return Is(_TEXTS[name], value.removeprefix("@").lower())
        if name in _NUMBERS:
            number = _number(value)
            return Is("nothing") if number is None else Is(_NUMBERS[name], number=number)
        if name == "filter":
            return self._filter(value.lower(), negative)
        return _bound(name, value)

    def _filter(self, value: str, negative: bool) -> Node | None:
        if value not in FILTERS:
            return Is("nothing")
        if value in ("nativeretweets", "retweets"):
            self.reposts = self.reposts or not negative
        return Is("filter", value)


def _words(text: str) -> Words | None:
    words = split_words(text)
    if not words:
        return None
    return Words(words, run="".join(words) if _UNSPACED.search(text) else "")


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else None


def _bound(name: str, value: str) -> Node | None:
    """`since:` and `until:` cut their days at 04:00 UTC and ignore a time of day (observed live);
    `until_time:` is exclusive (documented), `since_time:` inclusive."""
    if name in ("since", "until"):
        try:
            day = date.fromisoformat(value[:10])
            following = day + timedelta(days=1)
        except (ValueError, OverflowError):
            return Is("nothing")
        cut = datetime.combine(day if name == "since" else following, _DAY_CUT)
        return Is("since" if name == "since" else "until", number=int(cut.timestamp()))
    if name in ("since_time", "until_time"):
        number = _number(value)
        if number is None:
            return Is("nothing")
        return Is("since" if name == "since_time" else "until", number=number)
    if name == "within_time":
        amount, unit = _number(value[:-1]), value[-1:].lower()
        if amount is None or unit not in _UNITS:
            return Is("nothing")
        return Is("since", number=NOW - amount * _UNITS[unit])
    return None
