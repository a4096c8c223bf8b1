"""Everyday posts, replies, quotes and reposts, made from the topics' texts."""

from __future__ import annotations

from typing import Any, Final

from .builder import Builder, daytime
from .clock import NOW, Dice, digest
from .lore import Topic, common, topics
from .records import Account, Media, Post
from .scenes import Scenes

_DAYS: Final = 160
_PICTURES: Final = {
    "counts": ("timetable.png", "Table of the eight stops of Line 7 with minutes and people left behind."),
    "tram": ("tram.jpg", "Drawing of a red tram with the number 7 at a stop, a clock above it."),
    "weather": ("river.jpg", "Drawing of a river with a lock gate under a pale sky."),
    "bees": ("hive.jpg", "Drawing of three wooden beehives on a flat roof."),
    "ja": ("tram.jpg", "停留所に停まる、七番の赤い路面電車の絵。"),
    "es": ("river.jpg", None),
}
_OPENERS: Final = ("", "", "", "", "", "", "Well. ", "Quick note: ", "For the record: ", "So. ")
_TOO_LONG: Final = 270


def add_talk(builder: Builder, rich: list[Account], crowd: list[Account], scenes: Scenes) -> None:
    """Everybody talks."""
    dice = Dice(digest("talk", 7))
    originals: list[Post] = []
    for account in rich:
        if account.topics and account.handle != scenes.silent:
            written = _timeline(builder, account)
            originals += written if account.state == "open" else []
    circles = _circles(rich, crowd)
    for post in originals:
        _converse(builder, post, circles, dice)
    busy = [post for post in originals if post.likes > 12]
    _quote(builder, busy, circles, dice)
    _spread(builder, busy, rich, crowd, dice)
    for post in scenes.popular:
        _gather_round(builder, post, crowd, dice)


def _circles(rich: list[Account], crowd: list[Account]) -> dict[str, list[Account]]:
    """Who is likely to join a conversation about a topic."""
    circles: dict[str, list[Account]] = {}
    for name, topic in topics().items():
        near = [account for account in rich if name in account.topics and account.state == "open"]
        far = [account for account in crowd if account.lang == topic.lang]
        people = [account for account in near if not account.org]
        circles[name] = people * 3 + far[digest("circle", name) % 20 :: 8] + people
    return circles


def _timeline(builder: Builder, account: Account) -> list[Post]:
    dice = Dice(digest("timeline", account.handle))
    found: list[Post] = []
    told: set[str] = set()
    amount = dice.between(11, 19) if account.state == "open" else 3
    for _ in range(amount):
        topic = topics()[dice.pick(account.topics)]
        text = ""
        for _attempt in range(6):
            template = builder.fresh(_own(topic, account), dice)
            text = topic.fill(template, dice)
            if text not in builder.texts and template not in told:
                told.add(template)
                break
        if text in builder.texts or f"@{account.handle}" in text:
            continue
        plain = text
        if topic.lang == "en" and not account.org and ":" not in text and len(text) < _TOO_LONG:
            text = dice.pick(_OPENERS) + text
        reach = 6 + len(account.followers) // 6
        likes = dice.below(reach) * dice.between(1, 9) // 3
        post = builder.post(
            account,
            daytime(dice, _DAYS),
            text,
            lang=topic.lang,
            topic=topic.name,
            likes=likes,
            media=_picture(builder, topic, account, dice),
        )
        builder.texts.add(plain)
        found.append(post)
    return found


def _own(topic: Topic, account: Account) -> list[str]:
    return topic.notices if account.org and topic.notices else topic.posts or topic.notices


def _picture(builder: Builder, topic: Topic, account: Account, dice: Dice) -> list[Media]:
    if topic.name not in _PICTURES or not dice.chance(14):
        return []
    asset, alt = _PICTURES[topic.name]
    return [builder.media(asset, about=f"{account.handle} {dice.below(10**6)}", alt=alt)]


def _converse(builder: Builder, post: Post, circles: dict[str, list[Account]], dice: Dice) -> None:
    roll = dice.below(100)
    amount = 0 if roll < 44 else dice.between(1, 3) if roll < 86 else dice.between(4, 9)
    topic = topics()[post.topic]
    for _ in range(amount):
        author = dice.pick(circles[post.topic])
        if author is post.author:
            continue
        at = min(NOW - 30, post.at + dice.between(240, 90_000))
        reply = _say(builder, author, at, post, topic, topic.replies, dice)
        if reply is None or post.author.automated_by or not dice.chance(34):
            continue
        later = min(NOW - 20, at + dice.between(120, 20_000))
        answer = _say(builder, post.author, later, reply, topic, _answers(topic), dice)
        if answer is not None and dice.chance(30):
            _say(builder, author, min(NOW - 10, later + 600), answer, topic, topic.replies, dice)


def _answers(topic: Topic) -> list[str]:
    return common().answers if topic.lang == "en" else topic.replies


def _say(
    builder: Builder, author: Account, at: int, parent: Post, topic: Topic, own: list[str], dice: Dice
) -> Post | None:
    general = common().replies
    for _attempt in range(4):
        options = own if topic.lang != "en" or own is common().answers or dice.chance(78) else general
        text = topic.fill(builder.fresh(options, dice), dice)
        if f"@{parent.author.handle} {text}" not in builder.texts:
            return builder.post(
                author,
                at,
                text,
                reply_to=parent,
                lang=topic.lang,
                topic=topic.name,
                likes=dice.below(9),
            )
    return None


def _quote(builder: Builder, busy: list[Post], circles: dict[str, list[Account]], dice: Dice) -> None:
    for post in dice.some(busy, 110):
        topic = topics()[post.topic]
        author = dice.pick(circles[post.topic])
        if author is post.author:
            continue
        options = topic.quotes if topic.lang != "en" or dice.chance(60) else common().quotes
        more: dict[str, Any] = {"lang": topic.lang, "topic": topic.name, "likes": dice.below(40)}
        at = min(NOW - 15, post.at + dice.between(900, 200_000))
        builder.post(author, at, topic.fill(builder.fresh(options, dice), dice), quoted=post, **more)


def _spread(builder: Builder, busy: list[Post], rich: list[Account], crowd: list[Account], dice: Dice) -> None:
    readers = [account for account in rich if account.state == "open" and account.topics][:48]
    for post in dice.some(busy, 150):
        for author in dice.some(readers if dice.chance(60) else crowd, dice.between(1, 3)):
            if author is not post.author and author.handle != "stillwater_sbx":
                builder.repost(author, min(NOW - 5, post.at + dice.between(600, 150_000)), post)


def _gather_round(builder: Builder, post: Post, crowd: list[Account], dice: Dice) -> None:
    """A popular post gets enough reposts and quotes for several pages."""
    topic = topics()[post.topic]
    for author in dice.some(crowd, 46):
        builder.repost(author, min(NOW - 5, post.at + dice.between(300, 400_000)), post)
    for author in dice.some([account for account in crowd if account.lang == "en"], 27):
        text = next(
            (
                text
                for _attempt in range(12)
                if (text := topic.fill(builder.fresh(topic.quotes + common().quotes, dice), dice)) not in builder.texts
            ),
            "",
        )
        if not text:
            continue
        at = min(NOW - 5, post.at + dice.between(900, 500_000))
        builder.post(author, at, text, quoted=post, topic=topic.name, likes=dice.below(12))
