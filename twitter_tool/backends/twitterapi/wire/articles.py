"""An article's blocks, and the post that vouches for them."""

from __future__ import annotations

from typing import Any, Final, Literal

from twitter_tool import links
from twitter_tool.backends.twitterapi.wire.posts import author
from twitter_tool.backends.twitterapi.wire.values import as_dict, field, moment, number, string
from twitter_tool.records import Article, ArticleBlock, Metrics
from twitter_tool.text import Block, Line, block, line

MAX_BLOCKS: Final = 1000
SHOWN: Final = frozenset(
    (
        "unstyled",
        "header-one",
        "header-two",
        "header-three",
        "blockquote",
        "unordered-list-item",
        "ordered-list-item",
        "markdown",
        "divider",
    )
)
MEDIA: Final = frozenset(("image", "gif", "video/mp4"))
SourceFault = Literal["missing", "ambiguous", "invalid", "conflicting", "malformed", "failed", "oversize"]


def article(raw: dict[str, Any], post_id: str) -> Article:
    """An article: metadata, and its text blocks in order; blocks that are not shown are counted by cause."""
    blocks: list[ArticleBlock] = []
    counts = {"unsupported": 0, "empty": 0, "malformed": 0, "media_omitted": 0}
    contents = raw.get("contents")
    rows = contents if type(contents) is list else []
    for row in rows[:MAX_BLOCKS]:
        read = _block(row)
        if isinstance(read, ArticleBlock):
            blocks.append(read)
        else:
            counts[read] += 1
    return Article(
        asked=line(post_id, 100),
        title=field(raw.get("title"), 300),
        preview=field(raw.get("preview_text"), 500),
        created=moment(raw.get("createdAt")),
        author=author(raw.get("author")),
        metrics=Metrics(
            likes=number(raw.get("likeCount")),
            replies=number(raw.get("replyCount")),
            views=number(raw.get("viewCount")),
            quotes=number(raw.get("quoteCount")),
        ),
        blocks=tuple(blocks),
        unsupported=counts["unsupported"],
        empty=counts["empty"],
        malformed=counts["malformed"],
        media_omitted=counts["media_omitted"],
        over_limit=max(0, len(rows) - MAX_BLOCKS),
    )


def provenance(
    body: dict[str, Any], raw_article: dict[str, Any], post_id: str
) -> tuple[links.Permalink | None, SourceFault | None]:
    """The permalink that may be cited for an article, or why there is none.

    It is the looked-up post's own fetched link, when its id, the handle in the link, its author and the article's
    author all agree.
    """
    rows = body.get("tweets", ...)
    if rows is not None and type(rows) is not list:
        return None, "malformed"
    claims = [row for row in rows or () if type(row) is dict and post_id in _ids(row)]
    distinct = {(string(row.get("id")), string(row.get("url")), _handle(row)) for row in claims}
    if not claims:
        return None, "missing"
    if len(distinct) > 1:
        return None, "ambiguous"
    row = claims[0]
    url = links.permalink(row.get("url"))
    if url is None or not url.lower().startswith("https://") or row.get("id") != post_id:
        return None, "invalid"
    path_handle = links.article_permalink_handle(url)  # in /i/status/7 the "i" stands for no account
    if path_handle is None or path_handle.lower() == "i" or links.permalink_id(url) != post_id:
        return None, "invalid"
    writer = as_dict(row.get("author"))
    handle = _handle(row)
    if handle is None:
        return None, "invalid"
    if handle != path_handle.lower() or _conflict(writer, as_dict(raw_article.get("author"))):
        return None, "conflicting"
    return url, None


def _ids(row: dict[str, Any]) -> set[str]:
    url = links.permalink(row.get("url"))
    found = {string(row.get("id")) or "", (links.permalink_id(url) or "") if url else ""}
    return found - {""}


def _handle(row: dict[str, Any]) -> str | None:
    return _author_handle(as_dict(row.get("author")))


def _author_handle(raw: dict[str, Any]) -> str | None:
    for name in ("userName", "screen_name", "username"):
        found = string(raw.get(name))
        if found:
            return found.strip().lower()
    return None


def _conflict(one: dict[str, Any], other: dict[str, Any]) -> bool:
    ids = string(one.get("id")), string(other.get("id"))
    handles = _author_handle(one), _author_handle(other)
    return any(None not in pair and pair[0] != pair[1] for pair in (ids, handles))


def _block(raw: Any) -> ArticleBlock | Literal["unsupported", "empty", "malformed", "media_omitted"]:
    if type(raw) is not dict:
        return "malformed"
    kind = raw.get("type", "unstyled")
    kind = "unstyled" if kind is None else kind
    if type(kind) is not str:
        return "malformed"
    if kind in MEDIA:
        return "media_omitted"
    if kind not in SHOWN:
        return "unsupported"
    if kind == "divider":
        return ArticleBlock(Line(kind), Block(""))
    text = raw.get("text")
    if type(text) is not str:
        return "malformed"
    cleaned = block(text)
    return ArticleBlock(Line(kind), cleaned) if cleaned else "empty"
