"""Accounts, about pages, trends, Spaces and articles, as the upstream sends them."""

from __future__ import annotations

from typing import Any

import pytest
from wire_bodies import Body, raw_account, raw_post, sample_cases

from twitter_tool.backends.twitterapi.wire.accounts import about, account, unavailable_reason
from twitter_tool.backends.twitterapi.wire.articles import article, provenance
from twitter_tool.backends.twitterapi.wire.spaces import space
from twitter_tool.backends.twitterapi.wire.trends import trends
from twitter_tool.records import Account, Document


def read(**raw: Any) -> Account:
    found = account({"screen_name": "bob", **raw})
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("raw", "handle"),
    [
        ({"screen_name": " bob "}, "bob"),
        ({"screen_name": " ", "userName": "bob"}, "bob"),
        ({"screen_name": None, "userName": 5, "username": "bob"}, "bob"),
        ({"screen_name": "ann", "userName": "bob"}, "ann"),
    ],
)
def test_a_handle_is_the_first_of_three_spellings_that_is_not_blank(raw: Body, handle: str) -> None:
    """Trimmed."""
    found = account(raw)
    assert found is not None
    assert found.handle == handle


@pytest.mark.parametrize("raw", [{"username": None}, {}, {"name": "x"}, None, "bob", [], {"screen_name": "\u200b"}])
def test_an_account_without_a_handle_is_dropped(raw: Any) -> None:
    """Nothing can be linked to it."""
    assert account(raw) is None


def test_the_profile_address_is_built_from_the_handle_and_never_taken_from_the_upstream() -> None:
    """What was sent is a short link in most forms."""
    assert read(url="https://t.co/x").profile == "https://x.com/bob"
    for handle in ("search?q=x", "a\nb", "search", "SEARCH", "a/b", "x" * 16, "a\u200bb", "é"):
        found = account({"screen_name": handle})
        assert found is not None
        assert found.profile is None
        assert "\n" not in found.handle


def test_counts_and_times_are_read_in_both_spellings() -> None:
    """Snake case first; a value of a wrong type does not hide the other spelling."""
    snake = read(followers_count=1, following_count=2, statuses_count=0, media_count="4", created_at="2026-09-21")
    camel = read(followers=1, following=2, statusesCount=0, mediaCount=4, createdAt="2026-09-21")
    for found in (snake, camel):
        assert (found.followers, found.following, found.posts, found.media) == (1, 2, 0, 4)
        assert found.created.iso == "2026-09-21T00:00:00Z"
    mixed = read(followers_count=None, followers=3, created_at=5, createdAt="2026-09-21")
    assert (mixed.followers, mixed.created.iso) == (3, "2026-09-21T00:00:00Z")


def test_only_true_is_verified() -> None:
    """In one of the two fields that say so."""
    assert read(isBlueVerified=True).verified is True
    assert read(verified=True).verified is True
    for raw in ({"isVerified": True}, {"verified": "true"}, {"isBlueVerified": 1}, {}):
        assert read(**raw).verified is False


def test_a_bio_comes_from_either_place_and_is_shortened_at_seven_hundred_characters() -> None:
    """With a mark and a flag."""
    assert read(description="d", profile_bio={"description": "p"}).bio == "d"
    assert read(description="", profile_bio={"description": "p"}).bio == "p"
    assert (read(description="").bio, read(description=5).bio) == (None, None)
    whole = read(description="b" * 700)
    assert (whole.bio, whole.bio_shortened) == ("b" * 700, False)
    cut = read(description="b" * 1000)
    assert (cut.bio, cut.bio_shortened) == ("b" * 700 + "\u2026", True)


def test_names_and_places_are_shortened() -> None:
    """A hundred characters of a handle, two hundred of the others."""
    found = account({"screen_name": "h" * 300, "name": "n" * 300, "location": "l" * 300})
    assert found is not None
    assert found.handle == "h" * 100 + "\u2026"
    assert found.name == "n" * 200 + "\u2026"
    assert found.location == "l" * 200 + "\u2026"


@pytest.mark.parametrize(
    ("raw", "website"),
    [
        (
            {"entities": {"url": {"urls": [{"expanded_url": "https://e.org/b"}]}}, "url": "https://t.co/x"},
            "https://e.org/b",
        ),
        (
            {"entities": {"url": {"urls": [{"expanded_url": "file:///x"}, {"expanded_url": "https://e.org/c"}]}}},
            "https://e.org/c",
        ),
        ({"entities": [], "url": "https://t.co/x"}, "https://t.co/x"),
        ({"url": "file:///x"}, None),
        ({"url": None}, None),
    ],
)
def test_a_website_is_the_first_usable_destination(raw: Body, website: str | None) -> None:
    """Else the short link itself."""
    assert read(**raw).website == website


def test_pinned_ids_are_distinct_strings_of_digits_and_at_most_twenty() -> None:
    """Everything else in the list is ignored."""
    assert read(pinnedTweetIds=["200", "200", 201, "bad", None, "9" * 26]).pinned_ids == ("200",)
    assert len(read(pinnedTweetIds=[str(number) for number in range(30)]).pinned_ids) == 20
    assert read(pinnedTweetIds="200").pinned_ids == ()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ({"unavailableReason": "Suspended", "message": "m"}, "Suspended"),
        ({"unavailableReason": " ", "message": "m"}, "m"),
        ({"unavailableReason": 5, "message": "m"}, "m"),
        ({"unavailableReason": None}, None),
        ({"message": ["m"]}, None),
    ],
)
def test_the_reason_of_an_unavailable_profile(raw: Body, reason: str | None) -> None:
    """The field made for it, else the message."""
    assert unavailable_reason(raw) == reason


def fields(found: Document | None) -> dict[str, Any]:
    assert found is not None
    keys = [field.key for field in found.fields]
    assert len(keys) == len(set(keys))
    return {field.key: field.value for field in found.fields}


def test_an_about_page_has_these_fields_in_this_order() -> None:
    """Numbers that came as strings are numbers; an explicit false or zero is kept."""
    found = about(
        {
            "id": "42",
            "name": "Ann",
            "userName": "ann",
            "description": "",
            "bio": "b",
            "createdAt": "2026-09-21",
            "profilePicture": "https://p.org/a.jpg",
            "isBlueVerified": False,
            "protected": False,
            "about_profile": {
                "account_based_in": "Norway",
                "source": "Web",
                "location_accurate": False,
                "created_country_accurate": True,
                "username_changes": {"count": "0", "last_changed_at_msec": "1790000000000"},
                "learn_more_url": "https://e.org",
            },
            "verification_info": {"is_identity_verified": False, "reason": {"verified_since_msec": "5"}},
        },
        "ann",
    )
    expected = {
        "id": "42",
        "name": "Ann",
        "handle": "ann",
        "bio": "b",
        "createdAt": "2026-09-21T00:00:00Z",
        "profilePicture": "https://p.org/a.jpg",
        "verified": False,
        "protected": False,
        "accountBasedIn": "Norway",
        "source": "Web",
        "locationAccurate": False,
        "createdCountryAccurate": True,
        "usernameChanges.count": 0,
        "usernameChanges.lastChangedAtMsec": 1790000000000,
        "isIdentityVerified": False,
        "verifiedSinceMsec": 5,
    }
    assert fields(found) == expected
    assert list(fields(found)) == list(expected)
    assert found is not None
    assert found.source is not None
    assert (found.asked, found.source.url, found.source.kind) == ("ann", "https://x.com/ann", "profile")


def test_an_about_page_may_lack_everything_but_the_handle() -> None:
    """What was not sent is not shown, and nothing is concluded from it."""
    sparse: Body = {
        "userName": "ann",
        "about_profile": None,
        "verification_info": [],
        "verified": None,
        "protected": "no",
    }
    assert fields(about(sparse, "ann")) == {"handle": "ann"}
    assert fields(about({"userName": "ann", "isVerified": True, "verified": False}, "ann"))["verified"] is True
    assert about({"name": "Ann"}, "ann") is None


def test_trends_are_read_nested_or_flat_and_each_name_once() -> None:
    """Whatever its case; the first stays."""
    rows: list[Any] = [
        {"trend": {"name": "AI & co", "target": {"query": "#AI & co"}, "rank": 2}},
        {"name": "ai & CO", "rank": 9},
        {"trend": {"name": " "}},
        {"trend": None, "name": "flat", "target": None, "rank": "x", "meta_description": "outer"},
        {"trend": {"name": "inner", "meta_description": "12K posts"}, "meta_description": "outer"},
        None,
        5,
        {"trend": {"name": 5}},
    ]
    found = trends(rows)
    assert [(trend.name, trend.rank, trend.description) for trend in found] == [
        ("AI & co", 2, None),
        ("flat", None, "outer"),
        ("inner", None, "12K posts"),
    ]
    assert [trend.search for trend in found] == ["https://x.com/search?q=%23AI%20%26%20co", None, None]


@pytest.mark.parametrize(
    ("query", "encoded"),
    [
        ("a b", "a%20b"),
        ("!'()*~", "!'()*~"),
        ('"x/y"?', "%22x%2Fy%22%3F"),
        ("\u00e9", "%C3%A9"),
        ("%23ai", "%2523ai"),
        ("a\nb", "a%0Ab"),
        ("\ud800", "%EF%BF%BD"),
    ],
)
def test_a_trend_s_source_is_the_search_for_its_own_expression(query: str, encoded: str) -> None:
    """Percent-encoded, with everything else as it was sent."""
    (found,) = trends([{"name": "n", "target": {"query": query}}])
    assert found.search == f"https://x.com/search?q={encoded}"


def test_a_space_is_flattened_in_upstream_order() -> None:
    """Nothing is assumed of its shape; nulls and empty texts are left out, false and zero are not."""
    found = space(
        {
            "title": "Live",
            "speakers": [{"u": "a"}, {"u": "b"}],
            "x": None,
            "empty": "",
            "blank": " \n",
            "none": [],
            "settings": {"is_locked": False, "guests": 0},
            "list": ["p", None, ["q"]],
            "lines": "a\nb",
            "big": 10**30,
        },
        "1Ab",
    )
    assert fields(found) == {
        "title": "Live",
        "speakers[0].u": "a",
        "speakers[1].u": "b",
        "settings.is_locked": False,
        "settings.guests": 0,
        "list[0]": "p",
        "list[2][0]": "q",
        "lines": "a\nb",
    }
    assert found.source is not None
    assert (found.asked, found.source.url, found.source.kind) == ("1Ab", "https://x.com/i/spaces/1Ab", "space")


def test_a_space_shows_two_hundred_fields_and_counts_all() -> None:
    """The rest is disclosed by the total."""
    found = space({f"k{number}": number for number in range(250)}, "1Ab")
    assert (len(found.fields), found.total_fields) == (200, 250)


def test_keys_of_a_space_are_harmless_and_distinct() -> None:
    """Letters, digits and four marks; what collides gets a number."""
    found = space({"a: b\n- c": 1, "abc": 2, "!": 3, "?": 4, "a\u202eb-c": 5, "x" * 500: 6}, "1Ab")
    keys = list(fields(found))
    assert keys[:3] == ["ab-c", "abc", "field"]
    assert all(len(key) <= 210 for key in keys)
    assert not any(char in key for key in keys for char in ": \n\u202e!?")


def test_a_long_name_above_many_values_is_not_copied_for_each_of_them() -> None:
    """The time that a Space takes grows with its size, not with the product of two sizes."""
    found = space({"n" * 5_000_000: {"m" * 1_000_000: [1] * 200_000}}, "1Ab")
    assert found.total_fields == 200_000
    assert [len(field.key) for field in found.fields[:2]] == [200, 202]


def test_a_space_with_an_odd_id_has_no_source() -> None:
    """An address is only made from a plain token."""
    assert space({"title": "t"}, "a/b?c").source is None


BLOCKS = [
    {"type": "header-one", "text": "Intro"},
    {"type": "unstyled", "text": "A"},
    {"text": "no type"},
    {"type": None, "text": "null type"},
    {"type": "image", "url": "https://p.org/a.jpg"},
    {"type": "gif"},
    {"type": "video/mp4"},
    {"type": "unstyled", "text": ""},
    {"type": "unstyled", "text": " \n\u200b"},
    {"type": "poll", "text": "kept out"},
    {"type": "atomic"},
    {"type": "divider"},
    {"type": "header-two", "text": "h2"},
    {"type": "header-three", "text": "h3"},
    {"type": "blockquote", "text": "q", "inlineStyleRanges": [{"style": "Bold"}]},
    {"type": "unordered-list-item", "text": "u"},
    {"type": "ordered-list-item", "text": "o"},
    {"type": "markdown", "text": "```\ncode\n```"},
    {"type": "unstyled"},
    {"type": "unstyled", "text": 5},
    {"type": 5, "text": "x"},
    "text",
    None,
]


def test_article_blocks_are_shown_in_order_or_counted_by_cause() -> None:
    """Nothing disappears without a figure."""
    found = article({"title": "T", "contents": BLOCKS}, "50")
    assert [(block.type, block.text) for block in found.blocks] == [
        ("header-one", "Intro"),
        ("unstyled", "A"),
        ("unstyled", "no type"),
        ("unstyled", "null type"),
        ("divider", ""),
        ("header-two", "h2"),
        ("header-three", "h3"),
        ("blockquote", "q"),
        ("unordered-list-item", "u"),
        ("ordered-list-item", "o"),
        ("markdown", "```\ncode\n```"),
    ]
    assert (found.unsupported, found.empty, found.malformed, found.media_omitted) == (2, 2, 5, 3)
    assert len(found.blocks) + 2 + 2 + 5 + 3 == len(BLOCKS)


def test_a_thousand_blocks_are_read() -> None:
    """The rest is counted."""
    found = article({"contents": [{"text": str(number)} for number in range(1001)]}, "50")
    assert (len(found.blocks), found.over_limit) == (1000, 1)


@pytest.mark.parametrize("contents", [None, [], {}, "text", 5])
def test_an_article_may_have_no_blocks(contents: Any) -> None:
    """Its title may still be known."""
    found = article({"title": "T", "contents": contents}, "50")
    assert (found.title, found.blocks, found.over_limit) == ("T", (), 0)


def test_recorded_articles_are_read_whole() -> None:
    """A view count that came as a string, both block forms, every block accounted for."""
    for case in sample_cases("article"):
        raw = case["body"].get("article")
        if not raw:
            continue
        found = article(raw, "50")
        counted = found.unsupported + found.empty + found.malformed + found.media_omitted
        assert len(found.blocks) + counted == len(raw.get("contents") or [])
        if raw.get("viewCount"):
            assert found.metrics.views == int(raw["viewCount"])


ANN = {"userName": "ann", "id": "9"}
GOOD = {"id": "50", "url": "https://x.com/ann/status/50", "text": "t", "author": ANN}


def vouched(*rows: Any, writer: Any = ANN) -> tuple[str | None, str | None]:
    return provenance({"tweets": list(rows)}, {"author": writer}, "50")


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"url": "https://twitter.com/ann/status/50"},
        {"url": "https://X.com/Ann/status/50/"},
        {"url": "https://mobile.x.com/ann/status/50?s=20"},
        {"author": {"userName": "ANN"}},
    ],
)
@pytest.mark.parametrize("writer", [ANN, {"userName": "Ann"}, {"id": "9"}, {}, None, [], {"id": 8}])
def test_the_fetched_link_of_the_carrying_post_is_the_source(changed: Body, writer: Any) -> None:
    """When nothing that both sides say disagrees."""
    row = {**GOOD, **changed}
    assert vouched(row, writer=writer) == (row["url"], None)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({**GOOD, "url": "http://x.com/ann/status/50"}, "invalid"),
        ({**GOOD, "url": "https://x.com/ann/status/51"}, "invalid"),
        ({**GOOD, "url": "https://x.com/i/status/50"}, "invalid"),
        ({**GOOD, "url": "https://x.com/i/web/status/50"}, "invalid"),
        ({**GOOD, "url": "https://x.com/ann/status/50/photo/1"}, "invalid"),
        ({**GOOD, "url": "https://x.com/ann/statuses/50"}, "invalid"),
        ({**GOOD, "url": "https://e.org/ann/status/50"}, "invalid"),
        ({**GOOD, "url": "https://u:p@x.com/ann/status/50"}, "invalid"),
        ({**GOOD, "url": None}, "invalid"),
        ({**GOOD, "id": "51"}, "invalid"),
        ({**GOOD, "id": None}, "invalid"),
        ({**GOOD, "id": 50}, "invalid"),
        ({**GOOD, "author": None}, "invalid"),
        ({**GOOD, "author": {"id": "9"}}, "invalid"),
        ({**GOOD, "url": "https://x.com/bob/status/50"}, "conflicting"),
        ({**GOOD, "author": {"userName": "bob", "id": "9"}}, "conflicting"),
        ({**GOOD, "id": "51", "url": "https://x.com/ann/status/51"}, "missing"),
        ({"id": "51"}, "missing"),
        ("text", "missing"),
        (None, "missing"),
    ],
)
def test_a_carrying_post_that_does_not_prove_itself_is_no_source(row: Any, fault: str) -> None:
    """And the reason has a name."""
    assert vouched(row) == (None, fault)


@pytest.mark.parametrize(
    "writer", [{"userName": "ann", "id": "8"}, {"userName": "bob", "id": "9"}, {"userName": "bob"}]
)
def test_an_article_by_somebody_else_than_its_post_has_no_source(writer: Body) -> None:
    """One disagreement is enough."""
    assert vouched(GOOD, writer=writer) == (None, "conflicting")


def test_only_one_post_may_claim_the_id() -> None:
    """The same post twice is one; others beside it do not matter."""
    assert vouched(GOOD, GOOD) == (GOOD["url"], None)
    assert vouched(raw_post(51), GOOD, None) == (GOOD["url"], None)
    assert vouched(GOOD, {**GOOD, "url": "https://x.com/bob/status/50"}) == (None, "ambiguous")
    assert vouched(GOOD, {**GOOD, "id": "51"}) == (None, "ambiguous")
    assert vouched() == (None, "missing")


@pytest.mark.parametrize(
    ("body", "fault"),
    [({"tweets": None}, "missing"), ({}, "malformed"), ({"tweets": {}}, "malformed"), ({"tweets": "x"}, "malformed")],
)
def test_a_look_up_without_rows_is_malformed_unless_it_says_null(body: Body, fault: str) -> None:
    """Null is an empty answer."""
    assert provenance(body, {"author": ANN}, "50") == (None, fault)


def test_rows_of_accounts_in_every_recorded_form_are_read() -> None:
    """Each has a profile, except the one without a handle."""
    rows = [
        row
        for name, key in (
            ("users", "users"),
            ("followers", "followers"),
            ("followings", "followings"),
            ("retweeters", "users"),
        )
        for case in sample_cases(name)
        for row in case["body"].get(key) or []
    ]
    assert len(rows) > 15
    found = [account(row) for row in rows]
    assert found.count(None) == 1
    assert all(row.profile == f"https://x.com/{row.handle}" for row in found if row is not None)


def test_a_row_for_a_user_that_is_gone_is_an_account_like_any_other() -> None:
    """Only a profile look-up treats it as unavailable."""
    assert account(raw_account("gone", unavailable=True, unavailableReason="Suspended")) is not None
