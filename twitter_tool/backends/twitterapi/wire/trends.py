"""Trending topics, nested twice as sent live or flat as documented."""

from __future__ import annotations

from typing import Any

from twitter_tool import links
from twitter_tool.backends.twitterapi.wire.values import as_dict, field, number, string
from twitter_tool.records import Trend
from twitter_tool.text import without_surrogates


def trends(rows: list[Any]) -> tuple[Trend, ...]:
    """The trends of a place in order, each name once whatever its case, blank names dropped."""
    found: dict[str, Trend] = {}
    for row in rows:
        outer = as_dict(row)
        inner = outer["trend"] if type(outer.get("trend")) is dict else outer
        name = field(inner.get("name"), 300)
        if name is None or name.casefold() in found:
            continue
        expression = string(as_dict(inner.get("target")).get("query"))
        found[name.casefold()] = Trend(
            name=name,
            rank=number(inner.get("rank")),
            description=field(inner.get("meta_description"), 400) or field(outer.get("meta_description"), 400),
            query=field(expression, 500),
            search=links.search_url(without_surrogates(expression)) if expression else None,
        )
    return tuple(found.values())
