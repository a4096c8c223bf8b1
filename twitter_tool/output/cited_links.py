"""Links inside the text of an answer: where each one ends, and which delivered source it names.

Only the text as it stands is read: nothing is decoded, and nothing but the delivered sources can match.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from twitter_tool.links import is_x_host, permalink_id
from twitter_tool.records import Source

_START = re.compile(r"https?://", re.IGNORECASE)
# What can never be inside an address in running text.
_STOP: Final = '\\s<>"\\]\x00-\x1f\x7f\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\xab\xbb\u2039\u203a'
_RUN = re.compile(f"https?://[^{_STOP}]{{1,4096}}", re.IGNORECASE)
_TRAILING: Final = ".,;:!?"
_CLOSING: Final = "*_~.,;:!?)'"
_STATUS = re.compile(r"/status(?:es)?/([0-9]+)")
_PROFILE = re.compile(r"/([A-Za-z0-9_]{1,15})(/?)")
_SPACE = re.compile(r"/i/spaces/([A-Za-z0-9_-]+)")
_GLUED_TO_POST: Final = "*`~|()[{},;:.!'-_\\"
_GLUED_TO_NAME: Final = "*`~|()[{},;!'-\\"


@dataclass(frozen=True, slots=True)
class CitedLink:
    """A link of an answer.

    Attributes:
        start, end: where it stands in the text.
        source: the delivered source it names, if any.
        invention: for a link to X that names none, the text under which it is counted.
    """

    start: int
    end: int
    source: Source | None = None
    invention: str | None = None


class SourceIndex:
    """The delivered sources by what a link can name them with."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._posts: dict[str, Source] = {}
        self._profiles: dict[str, Source] = {}
        self._spaces: dict[str, Source] = {}
        self._texts: dict[str, Source] = {}
        self._whole: list[tuple[str, Source]] = []  # compared as they stand: they may hold what ends other links
        for source in sources:
            path = _path(source.url)
            if source.kind == "search" or _ended(source.url) != source.url:
                self._whole.append((folded(source.url), source))
            else:
                self._texts.setdefault(folded(source.url), source)
            if source.kind == "post":
                self._posts.setdefault(permalink_id(source.url) or "", source)
            elif source.kind == "profile":
                self._profiles.setdefault(path.strip("/").lower(), source)
            elif found := _SPACE.fullmatch(path):
                self._spaces.setdefault(found.group(1), source)
        self._whole.sort(key=lambda pair: -len(pair[0]))

    def links(self, text: str) -> Iterator[CitedLink]:
        """Every http(s) link of the text in order; a link inside another one's query is part of that one."""
        position = 0
        while (match := _RUN.search(text, position)) is not None:
            found = self._link(match)
            yield found
            position = found.end

    def _link(self, match: re.Match[str]) -> CitedLink:
        start, run = match.start(), match.group()
        whole = self._begun(run)
        if whole is not None:
            return CitedLink(start, start + whole[0], whole[1])
        url = _ended(run)
        end = start + max(len(url), len("http://"))
        if not is_x_host(_host(url)):
            return CitedLink(start, end)
        source = self._named(url)
        return CitedLink(start, end, source, None if source else _without_tail(folded(url)))

    def _named(self, url: str) -> Source | None:
        path = _path(url)
        if (post := _status(path)) is not None and post in self._posts:
            return self._posts[post]
        if (found := _PROFILE.match(path)) is not None and _ends(path, found.end(), _GLUED_TO_NAME):
            name = found.group(1).lower()
            for handle in (name, name.rstrip("_")):  # an underscore may belong to the name or to the emphasis
                if handle in self._profiles:
                    return self._profiles[handle]
        if (found := _SPACE.match(path)) is not None and _ends(path, found.end(), "/" + _GLUED_TO_NAME):
            return self._spaces.get(found.group(1))
        return self._texts.get(folded(url))

    def _begun(self, run: str) -> tuple[int, Source] | None:
        """The source whose whole address begins the run, with its length there; the longest one wins."""
        if not self._whole:
            return None
        shown = folded(run)
        shift = len(run) - len(shown)
        for known, source in self._whole:
            if shown.startswith(known) and _closes(shown[len(known) :]):
                return len(known) + shift, source
        return None


def folded(url: str) -> str:
    """The address as it is compared when no id decides: without case, scheme, ``www.`` and the older domain."""
    rest = _lowered(url).partition("://")[2]
    host, slash, path = rest.partition("/")
    host = host.removeprefix("www.")
    return ("x.com" if host == "twitter.com" else host) + slash + path


def _ended(run: str) -> str:
    """The run without what is glued behind the address: emphasis, an unbalanced bracket, punctuation."""
    depth = 0
    end = len(run)
    for index, char in enumerate(run):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        if depth < 0 or char in "*`|" or _foreign(char) or _next_begins(run, index):
            end = index
            break
    while end and (run[end - 1] in _TRAILING or run[end - 1] == "'"):
        end -= 1
    return run[:end]


def _next_begins(run: str, index: int) -> bool:
    return run[index] in ",;" and _START.match(run, index + 1) is not None


def _without_tail(url: str) -> str:
    """An unmatched link as it is counted: nothing that was glued to its post id, no trailing emphasis."""
    found = _STATUS.search(url.partition("?")[0].partition("#")[0])
    if found and found.end() < len(url) and _glued(url[found.end()], _GLUED_TO_POST):
        return url[: found.end()]
    return url.rstrip("_~")


def _status(path: str) -> str | None:
    """The post id of a path, ended by a slash, the end, or something that cannot belong to the address."""
    for found in _STATUS.finditer(path):
        if _ends(path, found.end(), "/" + _GLUED_TO_POST):
            return found.group(1)
    return None


def _ends(path: str, end: int, glued: str) -> bool:
    return end == len(path) or _glued(path[end], glued)


def _glued(char: str, marks: str) -> bool:
    return char in marks or _foreign(char)


def _foreign(char: str) -> bool:
    """Beyond ASCII: punctuation, dashes, symbols, and letters of scripts without case, which X never writes raw."""
    if char.isascii():
        return False
    category = unicodedata.category(char)
    return category[0] in "PSZ" or category in ("Lo", "Lm")


def _closes(rest: str) -> bool:
    after = rest.lstrip(_CLOSING)
    if not after:
        return True
    return after[0] in "`|" or _glued(after[0], "") or (rest[0] in ",;)" and _START.search(after) is not None)


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None  # what no parser accepts leads nowhere


def _path(url: str) -> str:
    rest = url.partition("://")[2].partition("?")[0].partition("#")[0]
    _, slash, path = rest.partition("/")
    return slash + path


def _lowered(url: str) -> str:
    # Character by character in length: str.lower may lengthen a text, and positions must stay true.
    lowered = url.lower()
    return lowered if len(lowered) == len(url) else "".join(char.lower() if char.isascii() else char for char in url)
