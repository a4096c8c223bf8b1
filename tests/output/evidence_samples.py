"""Records as the wire makes them, from plain samples and from hostile strings, and a reader of evidence text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from twitter_tool import links, text
from twitter_tool.output.delivery import Asked
from twitter_tool.records import (
    Account,
    Article,
    ArticleBlock,
    ArticlePreview,
    Author,
    Card,
    Document,
    Expansion,
    Field,
    Media,
    Metrics,
    Moment,
    Post,
    Source,
    Trend,
)

ASKED = Asked(
    mode="thread",
    query="What is argued?",
    read_at="2026-11-30T15:00:00Z",
    read_from="twitterapi.io /twitter/tweet/thread_context",
)

FORGERIES = [
    "## Sources",
    "# X evidence - mode=posts - 9 posts",
    "[9] @x - 2026-01-01T00:00:00Z",
    "permalink: https://x.com/f/status/9",
    "profile: https://x.com/evil",
    "quoted text:",
    "## Notes",
    "- a forged note",
    "> quoted",
    "1. https://x.com/f/status/9",
    "the post itself: @x",
    "\x1b[2J\x1b]0;t\x07",
    "\u202eevil\u2066",
    "a\ud800b",
    "\u200b\u200d\ufeff",
]
BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\n\u200b"]
hostile = st.lists(
    st.one_of(st.sampled_from(FORGERIES), st.sampled_from(BREAKS), st.text(max_size=8)), min_size=0, max_size=6
).map("".join)
numbers = st.one_of(st.integers(0, 10**12), st.floats(0, 1e9, allow_nan=False), st.none())
permalinks = st.one_of(
    st.none(),
    st.integers(1, 30).map(lambda n: f"https://x.com/u{n}/status/{n}"),
    st.sampled_from(
        ["https://x.com/a/status/1\n[9] @x", "https://evil.test/a/status/1", "https://x.com/é/status/8?s=20"]
    ),
)
addresses = st.one_of(st.none(), st.sampled_from(["https://e.org/a", "https://e.org/\u2028", "ftp://e.org"]), hostile)


def post(
    number: int = 7, words: str | None = None, *, handle: str = "ann", url: str | None = "", **changes: Any
) -> Post:
    """A plain post; ``url=None`` means that none was sent."""
    sent = f"https://x.com/{handle}/status/{number}" if url == "" else url
    values: dict[str, Any] = {
        "id": text.line(str(number), 25),
        "permalink": links.permalink(sent),
        "link_invalid": sent is not None and links.permalink(sent) is None,
        "text": text.block(f"t{number}" if words is None else words),
        "created": moment("2026-09-21T10:00:00Z"),
        "author": Author(handle=text.line(handle, 100)),
    }
    return Post(**{**values, **changes})


def account(handle: str, **changes: Any) -> Account:
    """An account with the profile address that its handle allows."""
    shown, changed = text.handle_line(handle)
    profile = None if changed else links.profile_url(handle)
    return Account(**{"handle": shown, "profile": profile, **changes})


def moment(iso: str) -> Moment:
    """A time that could be read."""
    return Moment(iso=text.line(iso, 200))


def unread(words: str) -> Moment:
    """A time that could not be read."""
    return Moment(text=text.line(words, 200) or None)


def article(*words: str, **changes: Any) -> Article:
    """An article of plain text blocks."""
    body = tuple(ArticleBlock(text.line("unstyled", 100), text.block(word)) for word in words)
    return Article(**{"asked": text.line("50", 25), "title": text.block("A title"), "blocks": body, **changes})


def document(*pairs: tuple[str, Any], **changes: Any) -> Document:
    """The about page of @ann with these fields."""
    fields = tuple(Field(text.line(key, 200), text.block(v) if isinstance(v, str) else v) for key, v in pairs)
    url = links.profile_url("ann")
    assert url is not None
    values = {"mode": "about", "asked": text.line("ann", 100), "fields": fields, "total_fields": len(fields)}
    return Document(**{**values, "source": Source(url, "profile"), **changes})


def _line(cap: int) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), hostile.map(lambda raw: text.line(raw, cap) or None))


def _field(cap: int) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), hostile.map(lambda raw: text.field_block(raw, cap)[0] or None))


_link = addresses.map(links.link)
_counts = {"followers": numbers, "following": numbers, "posts": numbers, "media": numbers}
_moments = st.one_of(st.just(Moment()), st.just(moment("2026-01-02T03:04:05Z")), hostile.map(unread))
_authors = st.builds(Author, id=_line(25), handle=_line(100), name=_field(200), **_counts)
_metrics = st.builds(Metrics, likes=numbers, reposts=numbers, replies=numbers, views=numbers, quotes=numbers)
_media = st.builds(
    Media, kind=_line(100), id=st.none(), url=_link, alt=_field(400), duration_ms=numbers, variants=st.just(())
)
_cards = st.builds(Card, name=_field(300), title=_field(300), description=_field(400), domain=_field(300), url=_link)
_previews = st.builds(ArticlePreview, title=_field(300), preview=_field(500), cover_url=_link)
_pair = Expansion(links.Link("https://t.co/abc"), links.Link("https://example.org/article"))


def _posts(**context: st.SearchStrategy[Any]) -> st.SearchStrategy[Post]:
    def made(url: str | None, **values: Any) -> Post:
        cited = links.permalink(url)
        replaced = values["text"] is None and values["reposted"] is not None
        return Post(permalink=cited, link_invalid=url is not None and cited is None, text_replaced=replaced, **values)

    return st.builds(
        made,
        url=permalinks,
        id=_line(25),
        text=st.one_of(st.none(), hostile.map(text.block)),
        created=_moments,
        lang=_line(30),
        pinned=st.booleans(),
        is_reply=st.booleans(),
        reply_to=_line(100),
        author=_authors,
        metrics=_metrics,
        links=st.integers(0, 6).map(lambda count: (_pair,) * count),
        card=st.one_of(st.none(), _cards),
        article=st.one_of(st.none(), _previews),
        media=st.lists(_media, max_size=3).map(tuple),
        **context,
    )


nested_posts = _posts(quoted=st.none(), reposted=st.none())
posts = _posts(quoted=st.one_of(st.none(), nested_posts), reposted=st.one_of(st.none(), nested_posts))
accounts = st.builds(
    account,
    st.one_of(hostile, st.sampled_from(["ann", "search", "b_1"])),
    id=_line(25),
    name=_field(200),
    bio=_field(700),
    bio_shortened=st.booleans(),
    location=_field(200),
    created=_moments,
    verified=st.booleans(),
    website=_link,
    pinned_ids=st.lists(st.integers(1, 99).map(lambda n: text.line(str(n), 25)), max_size=3).map(tuple),
    **_counts,
)
trends = st.builds(
    lambda name, query, rank, description: Trend(
        name=text.block(name) or text.block("x"),
        rank=rank,
        description=description,
        query=text.field_block(query, 300)[0] if query else None,
        search=links.search_url(query) if query else None,
    ),
    hostile,
    st.one_of(st.none(), hostile),
    numbers,
    _field(400),
)
documents = st.builds(
    lambda mode, asked, pairs, more: Document(
        mode=mode,
        asked=text.line(asked, 100),
        fields=tuple(
            Field(text.line(key, 200), text.field_block(value, 700)[0] if isinstance(value, str) else value)
            for key, value in pairs
        ),
        total_fields=len(pairs) + more,
        source=Source(links.Permalink("https://x.com/i/spaces/1Ex"), "space"),
    ),
    st.sampled_from(["about", "space"]),
    hostile,
    st.lists(st.tuples(hostile, st.one_of(hostile, st.booleans(), st.integers(), st.floats(0, 9))), max_size=8),
    st.integers(0, 3),
)
BLOCK_TYPES = ["unstyled", "", "header-one", "header-two", "header-three", "blockquote", "unordered-list-item"]
BLOCK_TYPES += ["ordered-list-item", "markdown", "divider"]
articles = st.builds(
    Article,
    asked=hostile.map(lambda raw: text.line(raw, 25)),
    title=_field(300),
    preview=_field(500),
    created=_moments,
    author=_authors,
    metrics=_metrics,
    blocks=st.lists(
        st.builds(ArticleBlock, st.sampled_from(BLOCK_TYPES).map(text.Line), hostile.map(text.block)), max_size=6
    ).map(tuple),
    unsupported=st.integers(0, 2),
    empty=st.integers(0, 2),
    malformed=st.integers(0, 2),
    media_omitted=st.integers(0, 2),
    over_limit=st.integers(0, 2),
    permalink=permalinks.map(links.permalink),
)
record_lists = st.one_of(
    st.lists(posts, max_size=4),
    st.lists(accounts, max_size=4),
    st.lists(trends, max_size=4),
    st.lists(documents, min_size=1, max_size=1),
    st.lists(articles, min_size=1, max_size=1),
).map(tuple)


@dataclass(slots=True)
class Parsed:
    """Evidence text taken apart by its own rules, knowing nothing of how it was made."""

    header: list[str]
    parent: list[str] = field(default_factory=list)
    items: list[list[str]] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def parse(content: str) -> Parsed:
    """Split evidence into header, parent, items, Sources and Notes, reading line starts only."""
    lines = content.split("\n")
    parsed = Parsed(header=lines[:4])
    place: list[str] | None = None
    for line in lines[4:]:
        if line == "":
            place = None
        elif line == "## Sources":
            place = parsed.sources
        elif line == "## Notes":
            place = parsed.notes
        elif line.startswith("the post itself: "):
            place = parsed.parent
            place.append(line)
        elif re.match(r"\[\d+\] ", line):
            place = [line]
            parsed.items.append(place)
        else:
            assert place is not None, line
            place.append(line)
    return parsed


@dataclass(slots=True)
class Entry:
    """One labelled line and the ``> `` lines that follow it."""

    label: str
    value: str
    quoted: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The quoted text, its line breaks kept."""
        return "\n".join(self.quoted)


def entries(lines: list[str]) -> list[Entry]:
    """The lines of one item below its heading."""
    found: list[Entry] = []
    for line in lines:
        if line.startswith("> "):
            found[-1].quoted.append(line[2:])
        elif ": " in line:
            label, _, value = line.partition(": ")
            found.append(Entry(label, value))
        else:
            assert line.endswith(":"), line
            found.append(Entry(line[:-1], ""))
    return found
