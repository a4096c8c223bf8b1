"""The envelopes that the vendor's documentation shows where they differ from the live ones."""

from __future__ import annotations

from typing import Any, Final

Json = dict[str, Any]

_MESSAGE: Final = frozenset(
    {
        "/twitter/tweet/thread_context",
        "/twitter/user/last_tweets",
        "/twitter/tweet/replies",
        "/twitter/tweet/replies/v2",
        "/twitter/tweet/quotes",
        "/twitter/user/mentions",
        "/twitter/user/followers",
        "/twitter/user/followings",
        "/twitter/tweets",
        "/twitter/article",
    }
)
_REPLIES: Final = frozenset({"/twitter/tweet/thread_context", "/twitter/tweet/replies", "/twitter/tweet/replies/v2"})


def as_documented(path: str, body: Json) -> Json:
    """A live body in the shape of the documentation: other key names, another nesting, a missing pager.

    Users already come in the documented form from the endpoints.
    """
    shape = dict(body)
    if path in _REPLIES and "tweets" in shape:
        shape["replies"] = shape.pop("tweets")
    if path == "/twitter/user/last_tweets" and isinstance(shape.get("data"), dict):
        shape["tweets"] = shape.pop("data")["tweets"]
    if path == "/twitter/user/followers":
        for key in ("has_next_page", "next_cursor"):
            shape.pop(key, None)
    if path == "/twitter/community/tweets":
        shape.pop("has_next", None)
    if path == "/twitter/trends":
        shape.pop("metadata", None)
        shape["trends"] = [{"meta_description": "", **row, **row["trend"]} for row in shape["trends"]]
        for row in shape["trends"]:
            row.pop("trend")
    if path == "/twitter/spaces/detail" and isinstance(shape.get("detail"), dict):
        shape["data"] = shape.pop("detail")
    if path == "/twitter/article" and isinstance(shape.get("article"), dict):
        article = dict(shape["article"])
        article["viewCount"] = int(article["viewCount"])
        article["contents"] = [{"text": block["text"]} for block in article["contents"] if "text" in block]
        shape["article"] = article
    if path == "/twitter/user/search":
        shape |= {"status": "success", "msg": "success"}
    if path == "/twitter/tweet/retweeters":
        shape |= {"status": "success", "message": "success"}
    if path in _MESSAGE:
        shape.pop("code", None)
        if "msg" in shape:
            shape["message"] = shape.pop("msg")
    return shape
