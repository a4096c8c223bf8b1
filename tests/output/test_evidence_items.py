"""Items as plain values: keys, what is left out, and what is never shown as a link."""

from __future__ import annotations

import json

from evidence_samples import ASKED, account, article, document, moment, post, unread

from twitter_tool import links, text
from twitter_tool.output.delivery import Retrieved
from twitter_tool.output.evidence import evidence
from twitter_tool.records import ArticlePreview, Author, Card, Expansion, Media, Metrics, Trend


def items(*records):
    return evidence(ASKED, Retrieved(records=records), ceiling=60_000).items


def test_a_post_with_all_keys():
    """Every key of a post, its context one level deep and without a kind of its own."""
    pair = Expansion(links.Link("https://t.co/a"), links.Link("https://e.org/a"))
    full = post(
        7,
        "a\nb",
        lang=text.line("en", 30),
        pinned=True,
        is_reply=True,
        reply_to=text.line("bob", 100),
        author=Author(id=text.line("1", 25), handle=text.line("ann", 100), name=text.block("Ann"), followers=0),
        metrics=Metrics(likes=0, views=12),
        links=(pair,) * 6,
        card=Card(title=text.block("T"), url=links.link("https://t.co/c")),
        article=ArticlePreview(title=text.block("A"), cover_url=links.link("https://e.org/c.jpg")),
        media=(Media(kind=text.line("photo", 9), id=text.line("3", 9), alt=text.block("x\ny"), duration_ms=5),),
        quoted=post(5),
        reposted=post(6, ""),
    )
    assert items(full) == [
        {
            "kind": "post",
            "id": "7",
            "url": "https://x.com/ann/status/7",
            "text": "a\nb",
            "createdAt": "2026-09-21T10:00:00Z",
            "lang": "en",
            "pinned": True,
            "isReply": True,
            "replyTo": "bob",
            "author": {"id": "1", "handle": "ann", "name": "Ann", "followers": 0},
            "metrics": {"likes": 0, "views": 12},
            "links": [{"shortUrl": "https://t.co/a", "url": "https://e.org/a"}] * 6,
            "card": {"title": "T", "url": "https://t.co/c"},
            "article": {"title": "A", "coverUrl": "https://e.org/c.jpg"},
            "media": [{"kind": "photo", "id": "3", "alt": "x\ny", "durationMs": 5}],
            "quoted": {
                "id": "5",
                "url": "https://x.com/ann/status/5",
                "text": "t5",
                "createdAt": "2026-09-21T10:00:00Z",
                "author": {"handle": "ann"},
            },
            "reposted": {
                "id": "6",
                "url": "https://x.com/ann/status/6",
                "text": "",
                "createdAt": "2026-09-21T10:00:00Z",
                "author": {"handle": "ann"},
            },
        }
    ]


def test_unknown_values_are_absent():
    """No null anywhere: a bare post has only its kind and its text."""
    bare = post(7, "x", id=None, url=None, author=Author(), created=unread(""))
    assert items(bare) == [{"kind": "post", "text": "x"}]
    replaced = post(7, text=None, text_replaced=True, reposted=post(5))
    assert "text" not in items(replaced)[0]


def test_an_unreadable_time_is_given_as_sent():
    """ISO when it could be read, else the upstream's words."""
    assert items(post(7, created=unread("last week")))[0]["createdAt"] == "last week"


def test_a_link_that_may_not_be_cited_is_no_url():
    """Neither a post nor an account offers an address that is not a source."""
    assert "url" not in items(post(7, url="https://evil.test/a/status/7"))[0]
    assert items(account("a b")) == [{"kind": "account", "handle": "a b"}]


def test_an_account_with_all_keys():
    """Counters stand together under metrics."""
    full = account(
        "ann",
        id=text.line("9", 25),
        name=text.block("Ann"),
        bio=text.block("a\nb"),
        location=text.block("here"),
        created=moment("2018-01-09T03:14:15Z"),
        verified=True,
        website=links.link("https://e.org"),
        pinned_ids=(text.line("5", 25),),
        followers=1,
        following=2,
        posts=3,
        media=4,
    )
    assert items(full) == [
        {
            "kind": "account",
            "id": "9",
            "handle": "ann",
            "name": "Ann",
            "url": "https://x.com/ann",
            "bio": "a\nb",
            "location": "here",
            "createdAt": "2018-01-09T03:14:15Z",
            "verified": True,
            "website": "https://e.org",
            "pinnedIds": ["5"],
            "metrics": {"followers": 1, "following": 2, "posts": 3, "media": 4},
        }
    ]


def test_a_trend_a_document_and_an_article():
    """The other kinds, each with its own address."""
    trend = Trend(name=text.block("N"), rank=1, query=text.block("q"), search=links.search_url("q"))
    assert items(trend) == [{"kind": "trend", "name": "N", "rank": 1, "query": "q", "url": "https://x.com/search?q=q"}]
    assert items(document(("a.b", False), ("c", "x\ny"), ("d", 0))) == [
        {"kind": "document", "id": "ann", "url": "https://x.com/ann", "fields": {"a.b": False, "c": "x\ny", "d": 0}}
    ]
    full = article(
        "one\ntwo",
        preview=text.block("P"),
        created=moment("2026-09-06T10:00:00Z"),
        author=Author(handle=text.line("ann", 100), followers=3),
        metrics=Metrics(likes=4),
        permalink=links.permalink("https://x.com/ann/status/50"),
    )
    assert items(full) == [
        {
            "kind": "article",
            "id": "50",
            "url": "https://x.com/ann/status/50",
            "title": "A title",
            "preview": "P",
            "createdAt": "2026-09-06T10:00:00Z",
            "author": {"handle": "ann", "followers": 3},
            "metrics": {"likes": 4},
            "blocks": [{"type": "unstyled", "text": "one\ntwo"}],
        }
    ]


def test_items_are_json():
    """Everything survives a trip through JSON unchanged."""
    found = items(post(7, "é\n\u2603", metrics=Metrics(likes=1.5)))
    assert json.loads(json.dumps(found)) == found
