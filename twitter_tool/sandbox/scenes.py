"""The written scenes: the conversations that the hints point at, each with one of the shapes that matter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from .articles import add_articles
from .builder import Builder, link_to
from .clock import Dice, digest, snowflake, unix
from .lore import common, script
from .records import Card, CardForm, Poll, Post, Space

_CLIP_ALT: Final = "An animated sound wave over the words: reading hour, Ember Quay Library."
_CHART_ALT: Final = (
    "Bar chart: share of Line 7 departures within two minutes of the timetable, by week. "
    "Week 1 71 percent, week 2 78, week 3 84, week 4 86, week 5 91."
)


@dataclass(slots=True, kw_only=True)
class Scenes:
    """The posts and numbers that demonstrations and tests start from."""

    thread: Post
    discussed: Post
    quoted: Post
    quote_of_quote: Post
    quote_of_gone: Post
    gone_id: int
    video: Post
    gif: Post
    photo: Post
    poll: Post
    card: Post
    opaque_card: Post
    map_card: Post
    long_post: Post
    article: Post
    second_article: Post
    repost: Post
    authorless: Post
    null_author: Post
    old: Post
    list_id: str
    community_id: str
    spaces: list[Space]
    silent: str
    popular: list[Post] = field(default_factory=list)


def play(builder: Builder) -> Scenes:
    """All written scenes."""
    thread, discussed = _line_seven(builder)
    video, quoted, quote_of_quote = _reading_hour(builder)
    plain, opaque, mapped = _cards(builder)
    long_posts = [
        builder.post(handle, at, text, topic=topic, likes=int(likes))
        for handle, at, topic, likes, text in script()["essays"]
    ]
    article, second = add_articles(builder)
    gone_id = snowflake(unix("2026-10-19T17:20:00") * 1000 + 412, 77)
    quote_of_gone = builder.post(
        "dougalmire",
        "2026-10-20T08:05:00",
        "He has deleted it, but the bench at Glad Row is still missing. I have photographs.",
        quoted_gone=gone_id,
        topic="tram",
        likes=37,
    )
    gif = builder.post(
        "hivelog",
        "2026-11-12T12:00:10",
        "Hive 3, one minute at the entrance, sped up.",
        media=[builder.media("loop.mp4", about="hive loop", kind="animated_gif")],
        topic="bees",
        likes=21,
    )
    photo = builder.post(
        "mizukitram",
        "2026-11-08T07:44:00",
        "霧の中の七番。手描きの数字が好きです。",
        media=[
            builder.media("tram.jpg", about="fog seven", alt="霧の停留所に停まる、七番の赤い路面電車。"),
            builder.media("timetable.png", about="fog table"),
        ],
        lang="ja",
        topic="ja",
        likes=64,
    )
    _pins(builder)
    authorless, null_author = _odd_authors(builder, discussed)
    old = builder.post(
        "marrowpost",
        "2019-03-04T08:00:00",
        "Council asks engineers whether a tram could climb the hill to Northfold. The engineers ask for a cup of tea.",
        topic="news",
        likes=58,
        source="Twitter Web Client",
    )
    return Scenes(
        thread=thread,
        discussed=discussed,
        quoted=quoted,
        quote_of_quote=quote_of_quote,
        quote_of_gone=quote_of_gone,
        gone_id=gone_id,
        video=video,
        gif=gif,
        photo=photo,
        poll=_polls(builder),
        card=plain,
        opaque_card=opaque,
        map_card=mapped,
        long_post=long_posts[0],
        article=article,
        second_article=second,
        repost=builder.repost(builder.who("sallowtram"), unix("2026-11-02T09:12:00"), thread),
        authorless=authorless,
        null_author=null_author,
        old=old,
        list_id=str(snowflake(unix("2026-08-01T09:00:00") * 1000, 7)),
        community_id=str(snowflake(unix("2026-03-14T15:00:00") * 1000, 14)),
        spaces=_spaces(builder),
        silent="stillwater_sbx",
        popular=[thread, discussed, quoted],
    )


def _line_seven(builder: Builder) -> tuple[Post, Post]:
    """A thread in numbers about the tram line, and a question that the whole town answers."""
    at = unix("2026-11-02T07:30:00")
    chart = builder.media("chart.png", about="line seven month", alt=_CHART_ALT)
    opening, *following = [text for (text,) in script()["thread"]]
    root = builder.post("tramwatch", at, opening, media=[chart], topic="tram", likes=312)
    last = root
    for number, text in enumerate(following, 1):
        media = [builder.media("timetable.png", about="thread table")] if number == 6 else []
        last = builder.post(
            "tramwatch",
            at + number * 95,
            text,
            reply_to=last,
            media=media,
            topic="tram",
            likes=150 - 11 * number,
        )
    for number, (handle, text) in enumerate(script()["points"]):
        reply = builder.post(
            handle, at + 2_400 + number * 1_730, text, reply_to=root, topic="tram", likes=44 - 3 * number
        )
        if number % 3 == 0:
            thanks = "Thank you. It goes into next month's count."
            builder.post("tramwatch", reply.at + 900, thanks, reply_to=reply, topic="tram", likes=4)
    asked = builder.post(
        "celiaboone",
        "2026-11-09T12:15:00",
        "For Saturday's paper: what do you think of the new tram line after its first month? "
        "Tell me what works, what does not, and where you get on.",
        topic="tram",
        likes=187,
    )
    _opinions(builder, asked)
    return root, asked


def _opinions(builder: Builder, asked: Post) -> None:
    dice = Dice(digest("opinions"))
    first: list[Post] = []
    for number, (handle, text) in enumerate(script()["opinions"]):
        likes = dice.between(2, 60)
        at = asked.at + 600 + number * 1_310
        first.append(builder.post(handle, at, text, reply_to=asked, topic="tram", likes=likes))
    for number, (handle, to, text) in enumerate(script()["answers"]):
        parent = first[int(to)]
        at = parent.at + 1_500 + number * 61
        answer = builder.post(handle, at, text, reply_to=parent, topic="tram", likes=dice.between(0, 18))
        if number % 2 == 0:
            thanks = common().fill(dice.pick(common().answers), dice)
            builder.post(parent.author, at + 700, thanks, reply_to=answer, topic="tram", likes=dice.below(4))


def _reading_hour(builder: Builder) -> tuple[Post, Post, Post]:
    """A video with speech, a quote of it with a video of its own, and a quote of that quote."""
    clip = builder.media("clip.mp4", about="reading hour", kind="video", alt=_CLIP_ALT)
    video = builder.post(
        "emberquay",
        "2026-11-05T19:40:00",
        "A few seconds from tonight's reading hour, for everybody who was still on the tram. #ReadingHour",
        media=[clip],
        topic="books",
        likes=143,
    )
    again = builder.media("clip.mp4", about="balcony recording", kind="video")
    quoted = builder.post(
        "harrietlow",
        "2026-11-06T08:20:00",
        "The same page from the balcony. You can hear the kettle.",
        quoted=video,
        media=[again],
        topic="books",
        likes=96,
    )
    second = builder.post(
        "quillonward",
        "2026-11-06T11:02:00",
        "Two recordings of one page, and the kettle has the better voice.",
        quoted=quoted,
        topic="books",
        likes=31,
    )
    third = builder.post(
        "pollysterne",
        "2026-11-06T21:30:00",
        "Quoting a quote of a quote, because I missed all of it on night shift.",
        quoted=second,
        topic="books",
        likes=12,
    )
    return video, quoted, third


def _cards(builder: Builder) -> tuple[Post, Post, Post]:
    """Link cards: the usual one, one that a batch sends opaque, one with an object map."""
    rows: tuple[tuple[str, str, str, str, str, str, CardForm], ...] = (
        (
            "marrowpost",
            "2026-11-10T06:05:00",
            "Line 7 after a month: who rides, who pays, who cannot sleep. Our long read:",
            "https://marrowpost.example.com/line-7/after-a-month",
            "Line 7 after a month",
            "Riders are up, so is the noise at one curve. What the first month of the new tram line shows.",
            "plain",
        ),
        (
            "samiralund",
            "2026-11-03T10:30:00",
            "Our figures for October are public, leaks included:",
            "https://lundheat.example.org/figures/october-2026",
            "Heat network figures, October",
            "Supply, return, losses and what we will do about them.",
            "opaque",
        ),
        (
            "theovane",
            "2026-10-28T16:00:00",
            "kelpie 2.1 is out. The notes say what changed and who found it:",
            "https://kelpie.example.dev/notes/2.1",
            "kelpie 2.1",
            "Faster cold builds, a safer cache, one removed option.",
            "map",
        ),
        (
            "gladrow",
            "2026-11-07T18:20:00",
            "Autumn count of the Glad Row tunnel, with the raw sheets:",
            "https://gladrowbats.example.org/counts/2026-autumn",
            "Autumn count 2026",
            "Two hundred and sixty bats, eleven volunteers, one owl.",
            "plain",
        ),
    )
    topics = {"marrowpost": "tram", "samiralund": "heat", "theovane": "code", "gladrow": "bats"}
    found = []
    for handle, at, text, url, title, description, form in rows:
        link = link_to(url)
        card = Card(
            name="summary_large_image" if form == "plain" else "summary",
            link=link,
            title=title,
            description=description,
            domain=url.split("/")[2],
            form=form,
        )
        found.append(builder.post(handle, at, text, link=link, card=card, topic=topics[handle], likes=74))
    return found[0], found[1], found[2]


def _polls(builder: Builder) -> Post:
    rows = (
        (
            "sallowtram",
            "2026-11-06T15:00:00",
            "tram",
            "Which tram stop should get the next shelter?",
            (("Glad Row", 418), ("Foundry Bank", 377), ("Orchard Gate", 206), ("Northfold", 191)),
        ),
        (
            "rookhouse",
            "2026-11-14T20:00:00",
            "chess",
            "Blitz night: before or after the soup?",
            (("Before", 41), ("After", 67)),
        ),
    )
    found = []
    for handle, at, topic, text, choices in rows:
        minutes = 2_880 if topic == "tram" else 1_440
        ends = unix(at) + minutes * 60
        number = snowflake(unix(at) * 1000, 9) - 1
        poll = Poll(number=number, choices=choices, ends=ends, minutes=minutes, final=topic == "tram")
        found.append(builder.post(handle, at, text, poll=poll, topic=topic, likes=88))
    return found[0]


def _pins(builder: Builder) -> None:
    for handle, at, topic, text in script()["pins"]:
        builder.who(handle).pinned = builder.post(handle, at, text, topic=topic, likes=205)


def _odd_authors(builder: Builder, asked: Post) -> tuple[Post, Post]:
    """Upstream sometimes leaves out the author of a row, or sends null."""
    missing = builder.post(
        "amberacorn",
        asked.at + 9_000,
        "🚋🚋🚋",
        reply_to=asked,
        lang="qme",
        topic="tram",
        likes=3,
        author_form="missing",
        limited=True,
    )
    null = builder.post(
        "briskacorn",
        asked.at + 9_400,
        "The new tram line is the only thing my flat share agrees on.",
        reply_to=asked,
        topic="tram",
        likes=9,
        author_form="null",
    )
    return missing, null


def _spaces(builder: Builder) -> list[Space]:
    return [
        Space(
            id="1SbxTramTalkQ",
            title="Line 7 after a month: an evening of questions",
            state="Ended",
            created=unix("2026-11-11T18:58:20"),
            scheduled=unix("2026-11-11T19:00:00"),
            updated=unix("2026-11-11T20:41:00"),
            media_id=snowflake(unix("2026-11-11T18:58:20") * 1000, 3),
            host=builder.who("celiaboone"),
            speakers=(builder.who("tramwatch"), builder.who("anwenpike"), builder.who("lorcanbay")),
            listeners=(builder.who("dougalmire"), builder.who("pollysterne"), builder.who("kitfarrow")),
            live=214,
            replays=96,
        ),
        Space(
            id="1SbxSoonHeatQ",
            title="",
            state="NotStarted",
            created=unix("2026-11-14T09:00:00"),
            scheduled=unix("2026-11-20T18:00:00"),
            updated=unix("2026-11-14T09:00:00"),
            media_id=0,
            host=builder.who("samiralund"),
            speakers=(),
            listeners=(),
            live=0,
            replays=0,
            epoch=True,
        ),
    ]
