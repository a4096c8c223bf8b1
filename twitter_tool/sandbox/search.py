"""Which posts and accounts a search finds, and in which order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from .query import All, Any_, Is, Node, Not, Words, fold, parse, split_words
from .records import Account, Post
from .wire import card_name

_SHORTLINK: Final = re.compile(r"https://t\.co/\w+")
_TAG: Final = re.compile(r"(?<![\w&])#(\w+)")
_TICKER: Final = re.compile(r"(?<![\w$])\$([A-Za-z]{1,6})\b")


def find_posts(posts: Sequence[Post], text: str, *, top: bool = False) -> list[Post]:
    """The posts that match a query.

    Args:
        posts: Newest first.
        text: The query.
        top: Rank by engagement instead of newest first.

    Native reposts are left out unless the query asks for them (observed live).
    """
    query = parse(text)
    if query.node == All(()):
        return []
    found = [post for post in posts if (post.repost_of is None or query.reposts) and holds(query.node, post)]
    if top:
        found.sort(key=lambda post: (-engagement(post), -post.id))
    return found


def engagement(post: Post) -> int:
    """How much a post moved people."""
    return post.likes + 2 * len(post.reposts) + 3 * len(post.replies) + 4 * len(post.quotes)


def find_accounts(accounts: Sequence[Account], text: str) -> list[Account]:
    """The accounts with the whole text, as one substring, in handle, name or bio, best known first.

    Matching knows no word boundaries, so a query of several words seldom finds anything.
    """
    wanted = fold(text.strip())
    found = [
        account
        for account in accounts
        if wanted in fold(account.handle) or wanted in fold(account.name) or wanted in fold(account.bio)
    ]
    return sorted(found, key=lambda account: (-len(account.followers), account.id))


def holds(node: Node, post: Post) -> bool:
    """Whether a condition holds for a post."""
    match node:
        case Words():
            return _has_words(post, node)
        case Not(inner):
            return not holds(inner, post)
        case All(nodes):
            return all(holds(inner, post) for inner in nodes)
        case Any_(nodes):
            return any(holds(inner, post) for inner in nodes)
        case Is():
            return _is(node, post)


def _has_words(post: Post, phrase: Words) -> bool:
    if post.words is None:
        post.words = split_words(_SHORTLINK.sub(" ", post.text))
    have, words = post.words, phrase.words
    if phrase.run:
        return phrase.run in "".join(have)
    first, width = words[0], len(words)
    if width == 1:
        return first in have
    return any(have[at : at + width] == words for at, word in enumerate(have) if word == first)


def _is(term: Is, post: Post) -> bool:
    text, number = term.text, term.number
    match term.operator:
        case "from":
            return post.author.handle.lower() == text
        case "to":
            return post.reply_to is not None and post.reply_to.author.handle.lower() == text
        case "mention":
            return any(account.handle.lower() == text for account in post.mentions)
        case "tag":
            return any(fold(tag) == text for tag in _TAG.findall(post.text))
        case "ticker":
            return any(ticker.lower() == text for ticker in _TICKER.findall(post.text))
        case "lang":
            return post.lang == text
        case "conversation_id":
            return str(post.root.id) == text
        case "quoted_tweet_id":
            return text == str(post.quoted.id if post.quoted else post.quoted_gone)
        case "card_name":
            return card_name(post) == text
        case "filter":
            return _passes(text, post)
        case "since":
            return post.at >= number
        case "until":
            return post.at < number
        case "max_id":
            return post.id <= number
        case "min_faves":
            return (post.repost_of or post).likes >= number
        case "min_retweets":
            return len((post.repost_of or post).reposts) >= number
        case "min_replies":
            return len((post.repost_of or post).replies) >= number
        case "nothing":
            return False


def _passes(name: str, post: Post) -> bool:
    kinds = {media.kind for media in post.media}
    match name:
        case "media":
            return bool(kinds)
        case "images":
            return "photo" in kinds
        case "videos":
            return "video" in kinds
        case "links":
            return bool(post.links)
        case "replies":
            return post.reply_to is not None
        case "quote":
            return post.quoted is not None or post.quoted_gone is not None
        case "self_threads":
            return post.reply_to is not None and post.reply_to.author is post.author
        case _:
            return post.repost_of is not None
