"""Raw posts become records: every spelling is read, nothing is coerced, nothing else is looked at."""

from __future__ import annotations

from typing import Any

import pytest
from wire_bodies import Body, raw_post, sample_cases

from twitter_tool.backends.twitterapi.wire import posts as wire
from twitter_tool.backends.twitterapi.wire.posts import post
from twitter_tool.backends.twitterapi.wire.values import moment, number
from twitter_tool.records import Media, Post


def read(**more: Any) -> Post:
    found = post(raw_post(7, **more))
    assert found is not None
    return found


@pytest.mark.parametrize("raw", [None, "x", 5, [], True, {}, {"id": "1"}, {"text": None}, {"text": 5}, {"text": ["t"]}])
def test_what_has_no_text_is_no_post(raw: Any) -> None:
    """It is skipped, silently."""
    assert post(raw) is None


def test_an_empty_text_is_a_text() -> None:
    """A picture may say it all."""
    assert post({"text": ""}) is not None


def test_a_post_with_everything() -> None:
    """Field by field."""
    found = post(
        raw_post(
            7,
            lang="en",
            isReply=True,
            inReplyToUsername="bob",
            likeCount=0,
            retweetCount=2,
            replyCount=0,
            viewCount=12,
            quoteCount=1,
            author={
                "id": "42",
                "userName": "ann",
                "name": "Ann",
                "followers": 1,
                "following": 2,
                "statusesCount": 3,
                "mediaCount": 0,
            },
        )
    )
    assert found is not None
    assert (found.id, found.permalink, found.text, found.lang) == ("7", "https://x.com/ann/status/7", "t7", "en")
    assert (found.created.iso, found.is_reply, found.reply_to) == ("2026-09-21T10:00:00Z", True, "bob")
    metrics = found.metrics
    assert (metrics.likes, metrics.reposts, metrics.replies, metrics.views, metrics.quotes) == (0, 2, 0, 12, 1)
    author = found.author
    assert (author.id, author.handle, author.name) == ("42", "ann", "Ann")
    assert (author.followers, author.following, author.posts, author.media) == (1, 2, 3, 0)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (0, 0),
        (12, 12),
        ("3", 3),
        ("007", 7),
        (3.0, 3),
        (2.5, 2.5),
        (True, None),
        (False, None),
        (None, None),
        ("", None),
        ("1.5", None),
        ("1e3", None),
        ("12K", None),
        (" 3", None),
        ("\uff11", None),
        ([3], None),
        (2**70, None),
        (1e300, None),
        ("9" * 40, None),
    ],
)
def test_a_counter_is_a_finite_number_or_a_string_of_digits(raw: Any, value: Any) -> None:
    """Upstream swaps the two in places; anything else is absent."""
    assert number(raw) == value
    assert type(number(raw)) is type(value)
    assert read(likeCount=raw).metrics.likes == value


def test_ids_are_read_from_strings_only_and_flags_from_booleans_only() -> None:
    """A number may have lost digits; the word false is not false."""
    assert read(id=7).id is None
    assert read(id=7).identities == (None, "https://x.com/ann/status/7")
    assert read(isReply="true").is_reply is False
    assert read(isReply=1).is_reply is False
    assert read(isReply="false", inReplyToUsername="bob").reply_to is None


def test_a_reply_to_somebody_unknown_is_still_a_reply() -> None:
    """Without a name."""
    found = read(isReply=True, inReplyToUsername=None)
    assert (found.is_reply, found.reply_to) == (True, None)
    assert read(isReply=False, inReplyToUsername="bob").reply_to is None
    assert read(inReplyToUsername="bob").is_reply is False


@pytest.mark.parametrize(
    ("raw", "iso"),
    [
        ("Mon Sep 21 10:00:00 +0000 2026", "2026-09-21T10:00:00Z"),
        ("2018-12-16T00:12:24.000000Z", "2018-12-16T00:12:24Z"),
        ("Thu Oct 01 04:02:43 -0500 2026", "2026-10-01T09:02:43Z"),
        ("Thu Oct 01 04:02:43 +0530 2026", "2026-09-30T22:32:43Z"),
        (" Thu Oct 1 04:02:43 +0000 2026 ", "2026-10-01T04:02:43Z"),
        ("2026-09-21T10:00:00+02:00", "2026-09-21T08:00:00Z"),
        ("2026-09-21T10:00:00", "2026-09-21T10:00:00Z"),
        ("2026-09-21", "2026-09-21T00:00:00Z"),
    ],
)
def test_both_formats_of_time_are_read_everywhere(raw: str, iso: str) -> None:
    """As whole seconds in UTC."""
    assert read(createdAt=raw).created.iso == iso
    assert moment(raw).instant is not None


@pytest.mark.parametrize(
    "raw",
    [
        "garbage",
        "Mon Foo 21 10:00:00 +0000 2026",
        "Mon Sep 31 10:00:00 +0000 2026",
        "Mon Sep 21 25:00:00 +0000 2026",
        "Mon Sep 21 10:00:00 +9900 2026",
        "Mon Jan 01 00:00:00 +0100 0001",
        "0001-01-01T00:00:00+14:00",
        "1790000000",
        "2026-13-01",
    ],
)
def test_a_time_in_no_known_format_stays_as_text(raw: str) -> None:
    """Cleaned, on one line, at most two hundred characters."""
    assert (moment(raw).iso, moment(raw).text, moment(raw).instant) == (None, raw, None)
    assert moment("a\nb\u202ec").text == "a \u23ce bc"
    assert len(moment("x" * 1000).text or "") == 200


@pytest.mark.parametrize("raw", [None, "", 5, True, [], {}, "\u200b", " \n"])
def test_a_time_that_says_nothing_is_absent(raw: Any) -> None:
    """Neither a time nor text."""
    assert moment(raw) == moment(None)


@pytest.mark.parametrize("author", [None, "ann", [], 5, {}, {"userName": ""}, {"userName": None}, {"userName": 5}])
def test_a_post_may_have_no_author(author: Any) -> None:
    """Upstream leaves the author out at times."""
    assert read(author=author).author.handle is None


def test_an_author_may_be_spelt_in_three_ways() -> None:
    """The first one that is not blank."""
    assert read(author={"screen_name": "bob"}).author.handle == "bob"
    assert read(author={"userName": "", "username": "cy"}).author.handle == "cy"


@pytest.mark.parametrize(
    ("url", "permalink", "invalid"),
    [
        ("https://mobile.twitter.com/Ann/status/1/photo/1?s=20", True, False),
        ("http://x.com/ann/status/1", True, False),
        ("https://x.com/ann/status/1\t", False, True),
        ("https://u:p@x.com/ann/status/1", False, True),
        ("https://example.com/ann/status/1", False, True),
        ("https://x.com/ann", False, True),
        ("javascript:alert(1)", False, True),
        ("", False, False),
        (None, False, False),
        (5, False, False),
    ],
)
def test_a_permalink_is_kept_verbatim_or_not_at_all(url: Any, permalink: bool, invalid: bool) -> None:
    """One that was sent and may not be cited is counted; it is never built from handle and id."""
    found = read(url=url)
    assert found.permalink == (url if permalink else None)
    assert found.link_invalid is invalid


EXPANDED = [
    ("https://t.co/abc", "https://example.org/a"),
    ("see https://t.co/abc now", "see https://example.org/a now"),
    ("(https://t.co/abc).", "(https://example.org/a)."),
    ("\u201chttps://t.co/abc\u201d", "\u201chttps://example.org/a\u201d"),
    ("<https://t.co/abc>!?", "<https://example.org/a>!?"),
    ("a\nhttps://t.co/abc\nb", "a\nhttps://example.org/a\nb"),
]
NOT_EXPANDED = [
    "https://t.co/abcd",
    "https://t.co/abc?x=1",
    "https://t.co/abc/",
    "https://t.co/abc\u2026",
    "http://t.co/abc",
    "prefixhttps://t.co/abc",
    "https://o.org/?n=https://t.co/abc",
    "https://o.org/?n=(https://t.co/abc)",
    "x(https://t.co/abc)",
    "https://t.co/ABC",
]


def entities(*pairs: tuple[Any, Any]) -> Body:
    return {"entities": {"urls": [{"url": short, "expanded_url": target} for short, target in pairs]}}


ABC = entities(("https://t.co/abc", "https://example.org/a"))


@pytest.mark.parametrize(("text", "expected"), EXPANDED)
def test_a_short_link_that_is_a_whole_token_is_expanded(text: str, expected: str) -> None:
    """Brackets, quotes and final punctuation around it stay."""
    assert read(text=text, **ABC).text == expected


@pytest.mark.parametrize("text", NOT_EXPANDED)
def test_anything_else_that_holds_a_short_link_stays_as_it_is(text: str) -> None:
    """Part of a token is not the token."""
    assert read(text=text, **ABC).text == text


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "https://u:p@e.org/",
        " https://e.org",
        "https://e.org/a\nb",
        "https://e.org/\u2028",
        "https://e.org/\u200b",
        "https://e.org/" + "a" * 2048,
        "",
        None,
        5,
    ],
)
def test_a_short_link_with_an_unusable_destination_stays_as_it_is(target: Any) -> None:
    """And no destination is listed."""
    found = read(text="https://t.co/abc", **entities(("https://t.co/abc", target)))
    assert found.text == "https://t.co/abc"
    assert found.links == ()


def test_the_first_usable_destination_of_a_short_link_wins_and_twenty_are_kept() -> None:
    """Whatever stands between them."""
    found = read(
        **entities(
            ("https://t.co/a", "file:///x"),
            ("https://t.co/a", "https://e.org/1"),
            ("https://t.co/a", "https://e.org/2"),
            ("https://t.co/a/b", "https://e.org/3"),
            ("https://evil.org/a", "https://e.org/4"),
            (5, "https://e.org/5"),
        )
    )
    assert [(pair.short, pair.url) for pair in found.links] == [("https://t.co/a", "https://e.org/1")]
    many = read(**entities(*((f"https://t.co/{at}", f"https://e.org/{at}") for at in range(25))))
    assert len(many.links) == 20


@pytest.mark.parametrize("raw", [[], None, {"urls": None}, {"urls": {}}, {"urls": [None, 5, []]}, "x"])
def test_entities_may_be_empty_in_any_way(raw: Any) -> None:
    """An empty array stands for an empty object at times."""
    assert read(entities=raw).links == ()


VALUES = {"title": "T", "description": "D", "domain": "e.org"}
ARRAY = [{"key": key, "value": {"string_value": value}} for key, value in VALUES.items()]
MAP = {key: {"string_value": value} for key, value in VALUES.items()}
CARD = {"name": "summary", "url": "https://t.co/abc"}


@pytest.mark.parametrize(
    "card",
    [
        {**CARD, "binding_values": ARRAY},
        {**CARD, "binding_values": MAP},
        {"legacy": {**CARD, "binding_values": ARRAY}, "rest_id": "x", "name": "ignored"},
        {"legacy": {**CARD, "binding_values": MAP}},
        {
            "name": "summary",
            "url": "card://123",
            "binding_values": [*ARRAY, {"key": "card_url", "value": {"string_value": "https://t.co/abc"}}],
        },
    ],
)
def test_a_card_is_read_in_all_its_forms(card: Body) -> None:
    """Direct, under legacy, with bindings as an array or as a map."""
    found = read(card=card).card
    assert found is not None
    assert (found.name, found.title, found.description, found.domain, found.url) == (
        "summary",
        "T",
        "D",
        "e.org",
        "https://t.co/abc",
    )


@pytest.mark.parametrize(
    "card",
    [
        None,
        "x",
        [],
        {},
        {"rest_id": "x"},
        {"legacy": {}},
        {"legacy": {"rest_id": "x"}, "name": "outside"},
        {"binding_values": [{"key": "title", "value": {"string_value": 5}}, None, {"key": 5}, {"key": "title"}]},
        {"binding_values": {"title": "T"}},
        {"url": "javascript:x"},
    ],
)
def test_a_card_with_nothing_to_read_is_no_card(card: Any) -> None:
    """Not even an empty one."""
    assert read(card=card).card is None


def test_an_article_preview_has_three_fields_and_never_a_body() -> None:
    """Whatever else is sent with it."""
    found = read(
        article={"title": "T", "preview_text": "P", "cover_media_img_url": "https://p.org/c", "body": "SECRET"}
    )
    assert found.article is not None
    assert (found.article.title, found.article.preview, found.article.cover_url) == ("T", "P", "https://p.org/c")
    assert "SECRET" not in repr(found)
    for raw in (None, {}, [], "T", {"title": ""}, {"title": 5}, {"body": "SECRET"}):
        assert read(article=raw).article is None


PHOTO = {"type": "photo", "media_url_https": "https://pbs.org/a.jpg", "id_str": "900"}
VIDEO = {
    "type": "video",
    "media_url_https": "https://pbs.org/poster.jpg",
    "video_info": {
        "duration_millis": 1500,
        "variants": [
            {"content_type": "video/mp4", "url": "https://v.org/950.mp4", "bitrate": 950000},
            {"content_type": "application/x-mpegURL", "url": "https://v.org/pl.m3u8"},
            {"content_type": "video/mp4", "url": "https://v.org/632.mp4", "bitrate": 632000},
            {"content_type": "video/mp4", "url": "file:///x", "bitrate": 1},
            {"content_type": "VIDEO/MP4", "url": "https://v.org/x.mp4", "bitrate": 1},
        ],
    },
}


def media(**raw: Any) -> list[Media]:
    return list(read(**raw).media)


def test_media_come_from_the_first_place_that_has_any() -> None:
    """Extended entities in either spelling, else plain ones."""
    other = {**PHOTO, "media_url_https": "https://pbs.org/b.jpg"}
    first = {"extendedEntities": {"media": [PHOTO]}}
    second = {"extended_entities": {"media": [other]}}
    third = {"entities": {"media": [other]}}
    assert [item.url for item in media(**first, **second, **third)] == ["https://pbs.org/a.jpg"]
    assert [item.url for item in media(**second)] == ["https://pbs.org/b.jpg"]
    assert [item.url for item in media(extendedEntities=[], **second)] == ["https://pbs.org/b.jpg"]
    assert [item.url for item in media(extendedEntities={"media": [{"type": "photo"}]}, **third)] == [
        "https://pbs.org/b.jpg"
    ]
    assert media(extendedEntities={}, **second) == []


def test_a_video_lists_its_mp4_renditions_by_rising_bitrate() -> None:
    """Only those; another container is not played."""
    (found,) = media(extendedEntities={"media": [VIDEO]})
    assert [variant.bitrate for variant in found.variants] == [632000, 950000]
    assert (found.kind, found.duration_ms, found.url) == ("video", 1500, "https://pbs.org/poster.jpg")


def test_media_without_an_address_is_dropped() -> None:
    """A poster or a rendition is enough."""
    rows = [
        {"type": "photo"},
        {"type": "photo", "media_url_https": "ftp://x"},
        {"type": "video", "video_info": {"variants": []}},
        None,
        5,
        {"type": "photo", "media_url_https": "ftp://x", "media_url": "https://pbs.org/c.jpg"},
        {**VIDEO, "media_url_https": None},
    ]
    assert [item.url for item in media(extendedEntities={"media": rows})] == ["https://pbs.org/c.jpg", None]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("900", "900"),
        ("9" * 20, "9" * 20),
        ("900\n", None),
        (900, None),
        ("9" * 21, None),
        ("\uff11", None),
        ("", None),
    ],
)
def test_a_media_id_is_a_short_string_of_digits(raw: Any, expected: str | None) -> None:
    """Exactly."""
    assert media(extendedEntities={"media": [{**PHOTO, "id_str": raw}]})[0].id == expected


def wrapped(kind: str, own: Body, original: Body) -> Post:
    inner = raw_post(5, text="the original text", extendedEntities={"media": [original]})
    return read(extendedEntities={"media": [own]}, **{kind: inner})


@pytest.mark.parametrize("kind", ["quoted_tweet", "retweeted_tweet"])
@pytest.mark.parametrize("asset", [PHOTO, VIDEO])
def test_alt_text_on_a_copy_of_the_original_s_asset_is_dropped_and_not_moved(kind: str, asset: Body) -> None:
    """It belongs to the author of the original."""
    found = wrapped(kind, {**asset, "ext_alt_text": "mine"}, {**asset, "ext_alt_text": "theirs"})
    inner = found.quoted or found.reposted
    assert inner is not None
    assert [item.alt for item in found.media] == [None]
    assert [item.alt for item in inner.media] == ["theirs"]
    found = wrapped(kind, {**asset, "ext_alt_text": "mine"}, asset)
    assert [item.alt for item in found.media] == [None]
    own = {**PHOTO, "media_url_https": "https://pbs.org/own.jpg", "ext_alt_text": "mine"}
    assert [item.alt for item in wrapped(kind, own, asset).media] == ["mine"]


def test_a_video_known_by_its_id_is_the_same_under_other_query_strings() -> None:
    """When place, kind and length agree."""
    other = {
        **VIDEO,
        "ext_alt_text": "mine",
        "id_str": "900",
        "video_info": {
            "duration_millis": 1500,
            "variants": [
                {"content_type": "video/mp4", "url": f"https://v.org/{rate}.mp4?tag=12", "bitrate": rate * 1000}
                for rate in (632, 950)
            ],
        },
    }
    assert wrapped("quoted_tweet", other, {**VIDEO, "id_str": "900"}).media[0].alt is None
    assert wrapped("quoted_tweet", other, VIDEO).media[0].alt == "mine"


def nested(**raw: Any) -> Post | None:
    return read(quoted_tweet=raw).quoted


@pytest.mark.parametrize(
    "raw", [{"id": "2", "text": "", "url": "", "author": None}, {"id": "2"}, {}, {"id": "2", "text": " ", "url": " "}]
)
def test_a_nested_post_that_is_an_id_only_vanishes(raw: Body) -> None:
    """There is nothing to attribute."""
    assert nested(**raw) is None
    assert read(retweeted_tweet=raw).reposted is None


def test_a_nested_post_needs_text_or_a_link_or_media() -> None:
    """Its text may be missing."""
    by_link = nested(id="2", url="https://x.com/b/status/2")
    assert by_link is not None
    assert (by_link.text, by_link.permalink) == ("", "https://x.com/b/status/2")
    assert nested(id="2", text=None, url="broken") is not None
    assert nested(extendedEntities={"media": [PHOTO]}) is not None
    assert nested(text="words") is not None


@pytest.mark.parametrize("raw", [None, "x", [], 5, True])
def test_no_context_is_the_usual_case(raw: Any) -> None:
    """Anything but an object."""
    found = read(quoted_tweet=raw, retweeted_tweet=raw)
    assert (found.quoted, found.reposted) == (None, None)


def test_context_goes_one_level_deep_and_both_kinds_may_stand_together() -> None:
    """What is quoted in a quoted post is left out; a post that quotes itself does no harm."""
    deep = raw_post(3, quoted_tweet=raw_post(2, quoted_tweet=raw_post(1)), retweeted_tweet=raw_post(9))
    found = post(deep)
    assert found is not None
    assert [member.id for member in found.family()] == ["3", "2", "9"]
    assert found.quoted is not None
    assert found.quoted.quoted is None
    cyclic = raw_post(3)
    cyclic["quoted_tweet"] = cyclic
    found = post(cyclic)
    assert found is not None
    assert [member.id for member in found.family()] == ["3", "3"]


@pytest.mark.parametrize(
    ("outer", "inner", "replaced"),
    [
        ("RT @bob: hello wo", "hello world, all of it", True),
        ("RT @bob: hi", "hi", False),
        ("RT @bob: hi", "0123456789a", False),
        ("RT @bob: hi", "0123456789ab", True),
        ("rt @bob: hi", "hello world, all of it", False),
        ("my words", "hello world, all of it", False),
    ],
)
def test_a_cut_copy_gives_way_to_a_longer_original(outer: str, inner: str, replaced: bool) -> None:
    """The post keeps its own id and link; a copy that is not shorter stays beside the original."""
    found = read(text=outer, retweeted_tweet=raw_post(5, text=inner))
    assert found.text_replaced is replaced
    assert found.text == (None if replaced else outer)
    assert found.id == "7"
    assert found.reposted is not None
    assert found.reposted.text == inner


def test_a_cut_copy_stays_when_there_is_no_original() -> None:
    """A stub is none, and a quoted post is not the original."""
    assert read(text="RT @bob: hello wo", retweeted_tweet={"id": "5"}).text == "RT @bob: hello wo"
    quoting = read(text="RT @bob: hello wo", quoted_tweet=raw_post(5, text="x" * 50))
    assert quoting.text == "RT @bob: hello wo"


@pytest.mark.parametrize(
    ("raw", "identity"),
    [
        ({"id": "7"}, "7"),
        ({"id": "007"}, "007"),
        ({"id": "x", "url": "https://x.com/a/status/9"}, "9"),
        ({"id": 7, "url": "https://x.com/a/status/9"}, "9"),
        ({"url": "https://e.org/a/status/9"}, None),
        ({"id": "9" * 26}, None),
    ],
)
def test_a_post_is_known_by_its_id_or_else_by_its_permalink(raw: Body, identity: str | None) -> None:
    """Never by a link that may not be cited."""
    found = post({"text": "t", **raw})
    assert found is not None
    assert wire.post_identity(found) == identity


def test_text_is_cleaned_and_keeps_its_lines() -> None:
    """Controls and direction marks go, one blank line at most stays."""
    assert read(text="a\r\nb\n\n\n\nc\u202e\x07d\t\u200be").text == "a\nb\n\ncd e"


def test_long_text_is_not_cut() -> None:
    """Posts of thousands of characters are shown whole."""
    assert read(text="x" * 25_000).text == "x" * 25_000


@pytest.mark.parametrize(
    ("name", "case", "row"),
    [("posts", "page1", 3), ("tweets", "object_map_card", 0), ("tweets", "batch_with_deleted", 0)],
)
def test_recorded_cards_have_a_title(name: str, case: str, row: int) -> None:
    """In the three readable forms that were seen."""
    (body,) = [entry["body"] for entry in sample_cases(name) if entry["name"] == case]
    found = post(body["tweets"][row])
    assert found is not None
    assert found.card is not None
    assert found.card.title


def test_a_recorded_opaque_card_is_no_card() -> None:
    """It has an id and nothing to read."""
    (body,) = [entry["body"] for entry in sample_cases("tweets") if entry["name"] == "opaque_card"]
    found = post(body["tweets"][0])
    assert found is not None
    assert found.card is None
