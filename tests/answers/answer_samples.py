"""Small deliveries for the tests of written answers."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from twitter_tool import links, text
from twitter_tool.output.delivery import Delivery, Excerpt, Unit
from twitter_tool.output.fields import article_fields, document_fields
from twitter_tool.records import Account, Article, ArticleBlock, Author, Document, Field, Moment, Post, Source, Trend


def _module(name: str, path: str) -> ModuleType:
    """A module of the other tests."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parent.parent / path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


evidence_samples = _module("evidence_samples", "output/evidence_samples.py")
recordings = _module("recordings", "test_samples.py")


def post(number: int, words: str = "", *, handle: str = "alice", url: str | None = None, **changes: Any) -> Post:
    """A post with the permalink of its number, or with this one."""
    values: dict[str, Any] = {
        "id": text.line(str(number), 25),
        "permalink": links.permalink(url or f"https://x.com/{handle}/status/{number}"),
        "text": text.block(words or f"text of {number}"),
        "created": Moment(iso=text.line("2026-09-21T10:00:00Z", 30)),
        "author": Author(handle=text.line(handle, 100)),
    }
    return Post(**{**values, **changes})


def posts(*found: Post, parent: Post | None = None) -> Delivery:
    """These posts, delivered."""
    return Delivery(kind="post", units=found, parent=parent)


def account(handle: str, bio: str = "", **changes: Any) -> Account:
    """An account with its profile address."""
    values: dict[str, Any] = {
        "handle": text.line(handle, 100),
        "profile": links.profile_url(handle),
        "bio": text.block(bio) or None,
    }
    return Account(**{**values, **changes})


def accounts(*handles: str) -> Delivery:
    """Accounts with these handles, delivered."""
    return Delivery(kind="account", units=tuple(account(handle) for handle in handles))


def trend(name: str, query: str | None = "", description: str | None = None) -> Trend:
    """A trend whose expression is its name unless given; ``None``: it has none."""
    expression = name if query == "" else query
    return Trend(
        name=text.block(name),
        description=text.block(description) if description else None,
        query=text.block(expression) if expression else None,
        search=links.search_url(expression) if expression else None,
    )


def trends(*names: str) -> Delivery:
    """Trends with these names, delivered."""
    return Delivery(kind="trend", units=tuple(map(trend, names)))


def document(*pairs: tuple[str, str | int | bool], space: str | None = None) -> Delivery:
    """The about page of @ann, or a Space, with these fields, delivered."""
    fields = tuple(Field(text.line(key, 200), text.block(v) if isinstance(v, str) else v) for key, v in pairs)
    url: Unit | Any = links.space_url(space) if space else links.profile_url("ann")
    record = Document(
        mode="space" if space else "about",
        asked=text.line(space or "ann", 100),
        fields=fields,
        total_fields=len(fields),
        source=Source(url, "space" if space else "profile"),
    )
    return Delivery(kind="document", units=(Excerpt(record=record, fields=document_fields(record)),))


def article(*words: str, url: str | None = "https://x.com/ann/status/50", **changes: Any) -> Delivery:
    """An article of plain text blocks, delivered."""
    record = Article(
        **{
            "asked": text.line("50", 25),
            "title": text.block("A title"),
            "author": Author(handle=text.line("ann", 100)),
            "blocks": tuple(ArticleBlock(text.line("unstyled", 100), text.block(word)) for word in words),
            "permalink": links.permalink(url),
            **changes,
        }
    )
    return Delivery(
        kind="article", units=(Excerpt(record=record, fields=article_fields(record), blocks=record.blocks),)
    )
