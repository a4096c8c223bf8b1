"""A Space's detail, flattened; its live shape is not established, so nothing of it is assumed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from twitter_tool import links
from twitter_tool.backends.twitterapi.wire.values import number
from twitter_tool.records import Document, Field, Scalar, Source
from twitter_tool.text import Block, Line, block, line

MAX_FIELDS: Final = 200
MAX_KEY: Final = 200
"""A key is cut while it grows: a long name above many values would otherwise be copied for each of them."""
_KEY_PUNCTUATION: Final = "_.[]-"


def space(detail: dict[str, Any], space_id: str) -> Document:
    """A Space as ``key: value`` fields in upstream order: ``a.b``, ``a[0]``; null and empty members are left out."""
    fields: list[Field] = []
    seen: set[str] = set()
    total = 0
    for key, value in _flat(detail, ""):
        total += 1
        if len(fields) < MAX_FIELDS:
            fields.append(Field(_unique(key, seen), value))
    address = links.space_url(space_id)
    return Document(
        mode="space",
        asked=line(space_id, 120),
        fields=tuple(fields),
        total_fields=total,
        source=Source(address, "space") if address else None,
    )


def _flat(value: Any, key: str) -> Iterator[tuple[str, Scalar]]:
    if type(value) is dict:
        for name, member in value.items():
            yield from _flat(member, (f"{key}.{name}" if key else name)[:MAX_KEY])
    elif type(value) is list:
        for index, member in enumerate(value):
            yield from _flat(member, f"{key}[{index}]"[:MAX_KEY])
    elif type(value) is bool:
        yield key, value
    elif type(value) is str:
        text = block(value)
        if text:
            yield key, Block(text)
    else:
        found = number(value)
        if found is not None:
            yield key, found


def _unique(raw: str, seen: set[str]) -> Line:
    kept = "".join(char for char in raw if char.isalnum() or char in _KEY_PUNCTUATION) or "field"
    key, copy = kept, 2
    while key in seen:
        key, copy = f"{kept}-{copy}", copy + 1
    seen.add(key)
    return Line(key)
