"""The read endpoints: what each answers, in the envelopes that are sent live.

A handler takes an `Ask` and returns the JSON body, or raises `Refusal`. Where the vendor's documentation shows
another envelope than the live one, the live one is sent; the fault `docs_shape` gives the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .accounts import about_form, author_form, profile_form, snake_form, unavailable_form
from .asking import Ask, Endpoint, Handler, Refusal
from .clock import NOW, digest
from .documents import article_form, space_form, trend_rows
from .paging import Ending, Page
from .records import Account, Post
from .search import engagement, find_accounts, find_posts
from .wire import Json, post_form

QUERY_LIMIT: Final = 512
"""A longer query is answered with an empty success (observed live)."""
BATCH_LIMIT: Final = 50
"""More ids than this are refused (observed live; the documentation says 100)."""
_TOO_MANY: Final = f"max {BATCH_LIMIT} tweet_ids per request, please batch into multiple calls"
_OK: Final = {"status": "success", "msg": "success"}
_NO_USER: Final = {"status": "error", "msg": "user not found"}
_BAD_POST_ID: Final = {"status": "error", "msg": "invalid tweetId"}
_REPLIES_PAGE: Final = 24
_SHORT_PAGE: Final = 18


def _pager(page: Page) -> Json:
    return {"has_next_page": page.more, "next_cursor": page.cursor}


def _posts(page: Page, *, article: bool = True) -> list[Json] | None:
    return None if page.rows is None else [post_form(post, article=article) for post in page.rows]


def _listing(page: Page, *, article: bool = True) -> Json:
    return {"tweets": _posts(page, article=article), **_pager(page), **_OK}


def _within(ask: Ask, posts: Sequence[Post]) -> list[Post]:
    """`sinceTime` is inclusive, `untilTime` exclusive, both unix seconds (documented)."""
    since, until = ask.whole("sinceTime"), ask.whole("untilTime")
    return [post for post in posts if (since is None or post.at >= since) and (until is None or post.at < until)]


def _window(ask: Ask) -> str:
    return f"{ask.text('sinceTime')}|{ask.text('untilTime')}"


def _post_id(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 19 else None


def advanced_search(ask: Ask) -> Json:
    """No `status` at all (observed live)."""
    query, top = ask.text("query"), ask.text("queryType") == "Top"
    found = [] if len(query) > QUERY_LIMIT else find_posts(ask.world.posts, query, top=top)
    page = ask.page(found, f"{query}|{top}")
    return {"tweets": _posts(page), **_pager(page)}


def user_search(ask: Ask) -> Json:
    """Snake-case users, no `status` (observed live)."""
    query = ask.text("query")
    page = ask.page(find_accounts(ask.world.accounts, query), query)
    rows = None if page.rows is None else [_user_row(ask, account, search=True) for account in page.rows]
    return {"users": rows, **_pager(page)}


def _user_row(ask: Ask, account: Account, *, search: bool) -> Json:
    return author_form(account) if "docs_shape" in ask.faults else snake_form(account, search=search)


def thread_context(ask: Ask) -> Json:
    """Ancestors, the post and the replies below it in one list; more pages are announced than exist."""
    number = _post_id(ask.text("tweetId"))
    if number is None:
        return dict(_BAD_POST_ID)
    post = ask.world.post(number)
    rows: list[Post] = []
    if post is not None:
        above: list[Post] = []
        parent = post.reply_to
        while parent is not None:
            above.append(parent)
            parent = parent.reply_to
        rows = [*reversed(above), post, *_roughly(ask.world.below(post))]
    page = ask.page(rows, number, size=_SHORT_PAGE, ending="announced_twice")
    return _listing(page, article=False)


def _roughly(posts: Sequence[Post]) -> list[Post]:
    """Nearly the order given: some neighbours are swapped, as nothing promises an order."""
    rows = list(posts)
    for at in range(0, len(rows) - 1, 2):
        if digest("order", rows[at].id) % 4 == 0:
            rows[at], rows[at + 1] = rows[at + 1], rows[at]
    return rows


def last_tweets(ask: Ask) -> Json:
    """Items under `data.tweets`, the pager at the root; an unknown handle looks like a silent account, a
    suspended one has `data: null` (observed live). Own reposts are always included."""
    world = ask.world
    user_id, handle = ask.text("userId"), ask.text("userName")
    account = world.account_by_id(user_id) if user_id else world.account(handle)
    head = {"status": "success", "code": 0, "msg": "success"}
    if account is not None and account.state == "suspended":
        return {**head, "data": None, "has_next_page": False, "next_cursor": None}
    with_replies = ask.flag("includeReplies", False)
    posts: list[Post] = []
    if account is not None and account.state == "open":
        posts = [post for post in account.posts if with_replies or post.reply_to is None]
    page = ask.page(posts, f"{account.id if account else ''}|{with_replies}", ending="stale")
    first = not ask.text("cursor")
    pin = account.pinned if account is not None and first else None
    rows = _posts(page)
    for row in rows or ():
        # One public probe saw rows without these two keys; only some rows lack them here.
        if digest("sparse", row["id"]) % 20 == 0:
            row.pop("url")
            row.pop("viewCount")
    data = {"pin_tweet": post_form(pin) if pin else None, "tweets": rows}
    return {**head, "data": data, **_pager(page)}


def trends(ask: Ask) -> Json:
    """At least 30 rows, each nested once more (observed live)."""
    woeid = ask.whole("woeid")
    place = ask.world.places.get(woeid or 0)
    if place is None:
        return {"status": "error", "msg": "woeid not found", "trends": []}
    count = max(30, ask.whole("count") or 30)
    metadata = {
        "timestamp": NOW * 1000 + 123,
        "refresh_interval_millis": 300_000,
        "woeid": {"name": place.name, "id": woeid},
        "context_mode": "default",
    }
    return {"trends": trend_rows(place)[:count], "metadata": metadata, **_OK}


def replies_v2(ask: Ask) -> Json:
    """Row 0 of page 1 is the post itself; replies to replies are mixed in (observed live)."""
    number = _post_id(ask.text("tweetId"))
    if number is None:
        return dict(_BAD_POST_ID)
    post = ask.world.post(number)
    order = ask.text("queryType") or "Relevance"
    rows: list[Post] = []
    if post is not None:
        below = ask.world.below(post)
        if order == "Latest":
            below = _roughly(below[::-1])
        elif order == "Likes":
            below = sorted(below, key=lambda reply: (-reply.likes, -reply.id))
        else:
            below = sorted(below, key=lambda reply: (-engagement(reply), -reply.id))
        rows = [post, *below]
    return _listing(ask.page(rows, f"{number}|{order}", size=_REPLIES_PAGE))


def replies_dated(ask: Ask) -> Json:
    """Replies to an original post, newest first; a reply's id gives nothing (documented)."""
    number = _post_id(ask.text("tweetId"))
    if number is None:
        return dict(_BAD_POST_ID)
    post = ask.world.post(number)
    rows = _within(ask, ask.world.below(post)[::-1]) if post is not None and post.reply_to is None else []
    return _listing(ask.page(rows, f"{number}|{_window(ask)}"))


def quotes(ask: Ask) -> Json:
    number = _post_id(ask.text("tweetId"))
    if number is None:
        return dict(_BAD_POST_ID)
    with_replies = ask.flag("includeReplies", True)
    rows = [post for post in _within(ask, ask.world.quotes_of(number)) if with_replies or post.reply_to is None]
    page = ask.page(rows, f"{number}|{with_replies}|{_window(ask)}", ending="announced")
    return _listing(page)


def mentions(ask: Ask) -> Json:
    account = ask.world.account(ask.text("userName"))
    rows = _within(ask, ask.world.mentions_of(account)) if account else []
    page = ask.page(rows, f"{account.id if account else ''}|{_window(ask)}", ending="null")
    return _listing(page)


def _people(ask: Ask, key: str) -> Json:
    account = ask.world.account(ask.text("userName"))
    if account is None or account.state in ("suspended", "unavailable"):
        return {**_NO_USER, key: [], "has_next_page": False, "next_cursor": "", "code": 1}
    people = account.followers if key == "followers" else account.followings
    asked = ask.whole("pageSize")
    size = 200 if asked is None else min(200, max(20, asked))
    ending: Ending = "zero" if key == "followers" else "plain"
    page = ask.page(people, account.id, size=size, ending=ending, numeric=True)
    rows = None if page.rows is None else [_user_row(ask, person, search=False) for person in page.rows]
    return {key: rows, **_pager(page), **_OK, "code": 0}


def followers(ask: Ask) -> Json:
    """Newest first; a page size outside 20 to 200 is clamped (observed live)."""
    return _people(ask, "followers")


def followings(ask: Ask) -> Json:
    """As followers, under its own key (observed live)."""
    return _people(ask, "followings")


def user_info(ask: Ask) -> Json:
    """A missing or suspended account is an error inside a 200 (observed live); one account answers with the
    stub that the vendor documents."""
    account = ask.world.account(ask.text("userName"))
    if account is None or account.state == "suspended":
        return {**_NO_USER, "data": None}
    data = unavailable_form(account) if account.state == "unavailable" else profile_form(account)
    return {**_OK, "data": data}


def user_about(ask: Ask) -> Json:
    account = ask.world.account(ask.text("userName"))
    if account is None or account.state in ("suspended", "unavailable"):
        return {**_NO_USER, "data": None}
    return {**_OK, "data": about_form(account)}


def tweets(ask: Ask) -> Json:
    """Unknown ids are silently absent, the order is its own, cards are wrapped and the `article` key is left
    out (observed live)."""
    asked = [part.strip() for part in ask.text("tweet_ids").split(",") if part.strip()]
    if len(asked) > BATCH_LIMIT:
        raise Refusal(400, {"detail": _TOO_MANY})
    numbers = {number for part in asked if (number := _post_id(part)) is not None}
    found = [post for number in sorted(numbers, reverse=True) if (post := ask.world.post(number)) is not None]
    rows = [post_form(post, cards="wrapped", article=False) for post in found]
    return {"tweets": rows, **_OK, "code": 0}


def retweeters(ask: Ask) -> Json:
    """Newest first, no `status`; the row form is the documented one, since no live body was seen."""
    number = _post_id(ask.text("tweetId"))
    if number is None:
        return dict(_BAD_POST_ID)
    post = ask.world.post(number)
    people = [repost.author for repost in post.reposts] if post else []
    page = ask.page(people, number, ending="announced")
    rows = None if page.rows is None else [author_form(account) for account in page.rows]
    return {"users": rows, **_pager(page)}


def community_tweets(ask: Ask) -> Json:
    """A further root key `has_next` (observed live)."""
    page = ask.page(ask.world.community(ask.text("community_id")), ask.text("community_id"), ending="null")
    return {"tweets": _posts(page), "has_next": page.more, **_pager(page), **_OK}


def list_timeline(ask: Ask) -> Json:
    """Empty, private and unknown lists look the same; the body is the documented one."""
    list_id = ask.text("listId")
    return _listing(ask.page(ask.world.list_timeline(list_id), list_id, size=_SHORT_PAGE))


def space_detail(ask: Ask) -> Json:
    """The object sits under `detail`, by one public client's account; an unknown id is a 404."""
    space = ask.world.spaces.get(ask.text("space_id"))
    if space is None:
        raise Refusal(404, {"detail": "Space not found or API error"})
    return {"detail": space_form(space), **_OK}


def article(ask: Ask) -> Json:
    """Asked by the id of the post that carries it; a repost's id gives nothing (observed live)."""
    number = _post_id(ask.text("tweet_id"))
    post = ask.world.post(number) if number is not None else None
    if post is None or post.article is None:
        return {"article": None, "status": "failed", "msg": "article not found"}
    return {"article": article_form(post), **_OK}


def account_info(ask: Ask) -> Json:
    """The balance, free of charge and without `status` (observed live)."""
    return {"recharge_credits": ask.credits, "total_bonus_credits": 0}


def _needs(handler: Handler, *names: str) -> Endpoint:
    return Endpoint(handler=handler, required=(names,))


ENDPOINTS: Final[Mapping[str, Endpoint]] = {
    "/twitter/tweet/advanced_search": _needs(advanced_search, "query"),
    "/twitter/user/search": _needs(user_search, "query"),
    "/twitter/tweet/thread_context": _needs(thread_context, "tweetId"),
    "/twitter/user/last_tweets": _needs(last_tweets, "userName", "userId"),
    "/twitter/trends": Endpoint(handler=trends, required=(("woeid",),), validation_list=True),
    "/twitter/tweet/replies/v2": _needs(replies_v2, "tweetId"),
    "/twitter/tweet/replies": _needs(replies_dated, "tweetId"),
    "/twitter/tweet/quotes": _needs(quotes, "tweetId"),
    "/twitter/user/mentions": _needs(mentions, "userName"),
    "/twitter/user/followers": _needs(followers, "userName"),
    "/twitter/user/followings": _needs(followings, "userName"),
    "/twitter/user/info": _needs(user_info, "userName"),
    "/twitter/user_about": _needs(user_about, "userName"),
    "/twitter/tweets": _needs(tweets, "tweet_ids"),
    "/twitter/tweet/retweeters": _needs(retweeters, "tweetId"),
    "/twitter/community/tweets": _needs(community_tweets, "community_id"),
    "/twitter/list/tweets_timeline": _needs(list_timeline, "listId"),
    "/twitter/spaces/detail": _needs(space_detail, "space_id"),
    "/twitter/article": _needs(article, "tweet_id"),
    "/oapi/my/info": Endpoint(handler=account_info),
}
"""Every path of the API that is served."""
