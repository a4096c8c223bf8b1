"""What a result delivers: the one value that content, items, sources and counts are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from twitter_tool.notes import Note
from twitter_tool.records import Account, Article, ArticleBlock, Document, Field, ItemKind, Post, Record, Trend

EmptyCause = Literal["account", "window", "ids"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the header of a result says about the call.

    Attributes:
        mode: the mode's name.
        query: the caller's trimmed question.
        read_at: when reading began, ``2026-11-30T15:00:00Z``.
        read_from: where from, for example ``twitterapi.io /twitter/tweet/thread_context``, suffixes included.
    """

    mode: str
    query: str
    read_at: str
    read_from: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What a mode read.

    Attributes:
        records: posts, accounts or trends in upstream order, or exactly one document or article.
        parent: the post whose replies or quotes were asked for, when the upstream sent it along.
        notes: disclosures known before selection.
        kind: what the mode's items are; decides the header when ``records`` is empty.
        empty_kind: what was looked for (``"replies"``, ``"followers"``), for the sentence that nothing was found.
        empty_cause: why an empty result proves nothing: an unknown handle looks like a silent ``account``, a dated
            ``window`` may be at fault, or no asked-for one of the ``ids`` came back.
    """

    records: tuple[Record, ...]
    parent: Post | None = None
    notes: tuple[Note, ...] = ()
    kind: ItemKind = "post"
    empty_kind: str = "posts"
    empty_cause: EmptyCause | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The delivered part of a document or an article.

    Attributes:
        record: what was read, whole.
        fields: the delivered metadata, keys as they are printed.
        blocks: the delivered blocks of an article's body.
    """

    record: Document | Article
    fields: tuple[Field, ...]
    blocks: tuple[ArticleBlock, ...] = ()


Unit = Post | Account | Trend | Excerpt


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """The delivered units in the order of their numbers, the post they answer, and every disclosure.

    ``kind`` is the kind of the units, also when there are none.
    """

    kind: ItemKind
    units: tuple[Unit, ...] = ()
    parent: Post | None = None
    notes: tuple[Note, ...] = ()

    def retained(self) -> dict[str, int]:
        """How many posts, accounts and trends were delivered; documents and articles count as none of them."""
        return {
            "posts": sum(isinstance(unit, Post) for unit in self.units),
            "accounts": sum(isinstance(unit, Account) for unit in self.units),
            "trends": sum(isinstance(unit, Trend) for unit in self.units),
        }
