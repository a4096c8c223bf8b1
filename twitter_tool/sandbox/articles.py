"""The two long articles of the invented world, with every kind of block that is known."""

from __future__ import annotations

from typing import Final

from .builder import Builder, link_to
from .clock import code, snowflake, unix
from .records import Article, Block, Link, Media, Post
from .wire import media_poster

_TIMES: Final = "| Stop | Minutes |\n|---|---|\n| Mill Quay | 0 |\n| Lantern Square | 6 |\n| Northfold | 19 |"
_SORT: Final = "```python\nentries = sorted(inputs, key=lambda entry: entry.path)\nname = digest(entries)\n```"


def add_articles(builder: Builder) -> tuple[Post, Post]:
    """A planner's article about the tram line, and a maintainer's about a cache."""
    return _tram_article(builder), _cache_article(builder)


def _text(text: str, *styles: tuple[str, str], kind: str = "unstyled") -> Block:
    """A text block; each style is a pair of a style word and the words it marks."""
    ranges = []
    for style, words in styles:
        before = text[: text.index(words)]
        # Offsets count UTF-16 units.
        offset = len(before.encode("utf-16-le")) // 2
        ranges.append({"offset": offset, "length": len(words.encode("utf-16-le")) // 2, "style": style})
    return {"type": kind, "text": text, "inlineStyleRanges": ranges}


def _head(text: str, level: str = "one") -> Block:
    return {"type": f"header-{level}", "text": text}


def _item(text: str, *, ordered: bool = False) -> Block:
    return {"type": "ordered-list-item" if ordered else "unordered-list-item", "text": text}


def _carry(
    builder: Builder,
    handle: str,
    at: str,
    *,
    title: str,
    preview: str,
    cover: Media,
    blocks: list[Block],
    media: tuple[Media, ...] = (),
    topic: str,
    likes: int,
) -> Post:
    """The post that carries an article; its text is nothing but the link."""
    number = snowflake((unix(at) - 60) * 1000, 500)
    url = f"http://x.com/i/article/{number}"
    link = Link(short=link_to(url).short, expanded=url, display="x.com/i/article/…")
    article = Article(number=number, title=title, preview=preview, cover=cover, blocks=tuple(blocks), media=media)
    return builder.post(handle, at, "", link=link, article=article, topic=topic, likes=likes, lang="en")


def _tram_article(builder: Builder) -> Post:
    cover = builder.media("tram.jpg", about="article cover")
    picture = builder.media("chart.png", about="article chart")
    loop = builder.media("loop.mp4", about="article loop", kind="animated_gif")
    clip = builder.media("clip.mp4", about="article clip", kind="video")
    variant = code(15, clip.key, "480x270")
    lead = (
        "A tram line is judged in its first month by people who have waited ten years for it. "
        "That is not fair, but it is useful."
    )
    blocks: list[Block] = [
        _text(lead, ("Bold", "first month")),
        _head("What the street learned"),
        _text(
            "The first week was loud. 🚋 Then the rails were greased, and the letters changed their subject.",
            ("Italic", "Then the rails were greased"),
        ),
        {"type": "image", "url": media_poster(picture), "width": picture.width, "height": picture.height},
        _text("Share of departures within two minutes of the timetable, by week."),
        _head("Three promises", "two"),
        _item("The height: the floor of the tram is the height of the kerb."),
        _item("The rhythm: every six minutes, so that nobody needs a timetable."),
        _item("The view: you can see it coming from two stops away."),
        _text("A rail in the street is a promise that cannot be withdrawn over a weekend.", kind="blockquote"),
        _head("What to do next", "two"),
        _item("Four longer trams for the morning peak.", ordered=True),
        _item("Shelters at Glad Row and Foundry Bank before January.", ordered=True),
        _item("A filler in the rail groove at Mill Quay, so that cyclists stop falling.", ordered=True),
        {"type": "markdown", "text": _TIMES},
        {"type": "divider"},
        {"type": "unstyled", "text": " "},
        {
            "type": "gif",
            "url": f"https://video.twimg.com/tweet_video/{loop.key}.mp4",
            "previewUrl": media_poster(loop),
        },
        {
            "type": "video/mp4",
            "url": f"https://video.twimg.com/ext_tw_video/{clip.id}/pu/vid/avc1/480x270/{variant}.mp4",
            "previewUrl": media_poster(clip),
        },
        _head("A note on the numbers", "three"),
        _text(
            "All counts are by volunteers. Sheets and method: https://petrel.example.org/line-7/method",
            ("Underline", "volunteers"),
        ),
        {"type": "embedded-atlas", "text": "(a kind of block that no client knows)"},
    ]
    post = _carry(
        builder,
        "idapetrel",
        "2026-11-11T08:00:00",
        title="What a tram line is for",
        preview="Speed is the smallest part of it. One month of Line 7, and three promises that a bus could copy.",
        cover=cover,
        blocks=blocks,
        media=(picture, loop, clip),
        topic="tram",
        likes=264,
    )
    for handle, text in (
        ("anwenpike", "Sent to every councillor. The list at the end is the shortest I have ever agreed with in full."),
        ("kitfarrow", "Point three, please, before I run out of elbows."),
        ("sunnivahay", "Shelters at Foundry Bank! Somebody heard us."),
    ):
        builder.post(handle, post.at + 3_000 + len(text) * 40, text, reply_to=post, topic="tram", likes=14)
    return post


def _cache_article(builder: Builder) -> Post:
    cover = builder.media("timetable.png", about="cache cover")
    blocks: list[Block] = [
        _text("A cache may be slow and it may be empty. It may not be wrong.", ("Bold", "wrong")),
        _head("How it happened"),
        _text("We named entries by their contents and, by accident, by the order in which we found them."),
        {"type": "markdown", "text": _SORT},
        _head("How we found it", "two"),
        _text("A user in another time zone sent two logs and one drawing. The drawing was enough."),
        _item("Sort first, hash later."),
        _item("Refuse an entry that is older than its inputs."),
        _item("Shuffle everything in the tests."),
        {"type": "divider"},
        _text("Thanks to the four people who wrote to us instead of about us.", ("Italic", "instead of")),
    ]
    return _carry(
        builder,
        "theovane",
        "2026-10-15T10:00:00",
        title="The cache that was wrong once",
        preview="Nine days, two network drives and a sorting order. What changed in kelpie, and a test that shuffles.",
        cover=cover,
        blocks=blocks,
        topic="code",
        likes=158,
    )
