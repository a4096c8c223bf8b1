"""The search language."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.sandbox.query import parse
from twitter_tool.sandbox.search import engagement, find_accounts, find_posts
from twitter_tool.sandbox.world import WORLD_NOW, build_world

SEARCH = "/twitter/tweet/advanced_search"


def find(query, **options):
    return find_posts(build_world().posts, query, **options)


def moment(text):
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def test_the_town_has_many_opinions_about_the_tram_line():
    """The main topic fills several pages, with posts of many different people."""
    found = find('"tram line" -filter:replies lang:en')
    assert len(found) > 40
    assert len({post.author.handle for post in found}) > 15


def test_words_must_all_occur_in_any_case_and_order():
    """Each post found has all of the words, however they are written."""
    found = find("LINE tram")
    assert found
    assert all("tram" in post.text.lower() and "line" in post.text.lower() for post in found)


def test_words_match_whole_words_only():
    """The beginning of a word finds nothing."""
    assert find("tram")
    assert find("tra") == []


def test_accents_do_not_matter():
    """A word is found with and without its accents."""
    assert find("tranvia lang:es") == find("tranvía lang:es") != []


def test_a_phrase_is_narrower_than_its_words():
    """In quotation marks the words must stand side by side and in order."""
    assert set(find('"new tram line"')) < set(find("new tram line"))
    assert find('"line tram new"') == []


def test_or_joins_and_and_binds_tighter():
    """Neighbouring words belong together before OR divides, unless there are parentheses."""
    either = set(find("bees tram OR swan"))
    assert either == set(find("(bees tram) OR swan")) == set(find("bees tram")) | set(find("swan"))
    assert set(find("bees (tram OR swan)")) == set(find("bees tram")) | set(find("bees swan"))


def test_a_minus_excludes_words_phrases_groups_and_operators():
    """Whatever it stands before, it takes away exactly what that would find."""
    everything = set(find("tram"))
    for part in ("noise", '"tram line"', "(noise OR shelter)", "from:tramwatch_sbx", "filter:replies"):
        assert set(find(f"tram -{part}")) == everything - set(find(f"tram {part}"))


def test_scripts_without_spaces_match_inside_the_text():
    """There a word may be any part of the text, since nothing separates words."""
    assert all("電車" in post.text for post in find("電車"))
    assert len(find("電車")) > 3


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("from:TramWatch_SBX", lambda post: post.author.handle == "tramwatch_sbx"),
        ("from:@tramwatch_sbx", lambda post: post.author.handle == "tramwatch_sbx"),
        ("to:celiaboone_sbx", lambda post: post.reply_to.author.handle == "celiaboone_sbx"),
        ("@sallowtram_sbx", lambda post: "@sallowtram_sbx" in post.text),
        ("#line7", lambda post: "#Line7" in post.text),
        ("$KLP", lambda post: "$KLP" in post.text),
        ("lang:ja", lambda post: post.lang == "ja"),
        ("filter:media", lambda post: post.media),
        ("filter:images", lambda post: post.media[0].kind == "photo"),
        ("filter:videos", lambda post: post.media[0].kind == "video"),
        ("filter:links", lambda post: post.links),
        ("filter:replies", lambda post: post.reply_to),
        ("filter:quote", lambda post: post.quoted or post.quoted_gone),
        ("filter:self_threads", lambda post: post.reply_to.author is post.author),
        ("filter:nativeretweets", lambda post: post.repost_of),
        ("min_faves:100", lambda post: post.likes >= 100),
        ("-min_faves:3 tram", lambda post: post.likes < 3),
        ("min_retweets:20", lambda post: len(post.reposts) >= 20),
        ("min_replies:8", lambda post: len(post.replies) >= 8),
        ("card_name:poll4choice_text_only", lambda post: post.poll),
        ("card_name:summary_large_image", lambda post: post.card),
    ],
)
def test_an_operator_finds_exactly_what_it_says(query, holds):
    """It finds something, and every post found has the property it asks for."""
    found = find(query)
    assert found
    assert all(holds(post) for post in found)


def test_operators_about_one_conversation_and_one_quoted_post():
    """An id finds the whole conversation, or all that quotes the post, deleted ones included."""
    scenes = build_world().scenes
    assert set(find(f"conversation_id:{scenes.thread.id}")) == {scenes.thread, *build_world().below(scenes.thread)}
    assert find(f"quoted_tweet_id:{scenes.quoted.id}") == scenes.quoted.quotes
    assert find(f"quoted_tweet_id:{scenes.gone_id}") == [scenes.quote_of_gone]


def test_max_id_is_inclusive():
    """The post with the id itself is found, and with one less it is not."""
    post = build_world().scenes.thread
    assert find(f"max_id:{post.id} from:tramwatch_sbx")[0] is post
    assert post not in find(f"max_id:{post.id - 1} from:tramwatch_sbx")


def test_days_are_cut_at_four_in_the_morning_utc():
    """Dates are whole days from that hour on, the last one included; a time of day changes nothing."""
    start, end = moment("2026-11-07T04:00:00"), moment("2026-11-10T04:00:00")
    expected = [post for post in find("tram") if start <= post.at < end]
    assert find("tram since:2026-11-07 until:2026-11-09") == expected != []
    assert find("tram since:2026-11-07_00:00:00_UTC until:2026-11-09_23:59:59_UTC") == expected


def test_times_in_seconds_include_the_start_and_exclude_the_end():
    """A post at exactly that second is after it, and not before it."""
    posts = find("tram")[:5]
    assert find(f"tram since_time:{posts[2].at}")[-1].at >= posts[2].at
    assert posts[2] in find(f"tram since_time:{posts[2].at}")
    assert posts[2] not in find(f"tram until_time:{posts[2].at}")
    assert posts[2] in find(f"tram until_time:{posts[2].at + 1}")


def test_within_time_counts_back_from_the_worlds_own_now():
    """Hours and days are counted from the invented now, so results never age."""
    cut = WORLD_NOW.timestamp() - 86_400
    assert find("tram within_time:24h") == find("tram within_time:1d") == [p for p in find("tram") if p.at >= cut]


def test_native_reposts_come_only_when_asked_for():
    """Without the operator there are none; with it they come in addition to the other posts."""
    assert not any(post.repost_of for post in find("from:sallowtram_sbx"))
    assert any(post.repost_of for post in find("from:sallowtram_sbx include:nativeretweets"))
    assert any(post.repost_of is None for post in find("from:sallowtram_sbx include:nativeretweets"))
    assert find("from:sallowtram_sbx -filter:retweets") == find("from:sallowtram_sbx")


def test_latest_is_newest_first_and_top_is_most_engaging_first():
    """Both orders have the same posts."""
    latest, top = find("tram"), find("tram", top=True)
    assert [post.id for post in latest] == sorted((post.id for post in latest), reverse=True)
    assert [engagement(post) for post in top] == sorted(map(engagement, latest), reverse=True)
    assert set(latest) == set(top)


@pytest.mark.parametrize(
    "query",
    ["since:soon", "until:2026-13-01", "min_faves:many", "within_time:24x", "filter:dragons", "until:9999-12-31", "OR"],
)
def test_a_value_that_means_nothing_finds_nothing(query):
    """An operator with a senseless value is an empty result and no error."""
    assert find(f"{query}") == []


@pytest.mark.parametrize("query", ["", " ", "()", '""', "OR OR", "-", "((((", ")", "include:nativeretweets", "…"])
def test_an_empty_query_finds_nothing(query):
    """Only blanks, brackets or signs ask for nothing."""
    assert find(query) == []


@pytest.mark.parametrize("query", ["(" * 5000 + "tram" + ")" * 5000, "-(" * 3000 + "tram", "tram OR " * 4000 + "tram"])
def test_deep_and_long_queries_are_only_queries(query):
    """Thousands of brackets or alternatives are answered like any other query."""
    assert isinstance(find(query), list)


PIECES = st.sampled_from(
    [
        "tram",
        "OR",
        "-",
        "(",
        ")",
        '"',
        "since:",
        "2026-11-01",
        "filter:",
        "media",
        "from:",
        "#",
        "$A",
        "@",
        ":",
        "\ud800",
    ]
)


@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=60).map(" ".join), st.lists(PIECES).map("".join)))
def test_no_text_can_make_the_search_fail(query):
    """Any text is read the same way twice and finds a part of the posts and accounts."""
    posts = build_world().posts[:25]
    assert parse(query) == parse(query)
    assert set(find_posts(posts, query)) <= set(posts)
    assert isinstance(find_accounts(build_world().accounts[:25], query), list)


@given(
    st.lists(st.sampled_from(["tram", "line", "noise", "bees", "lang:en", "filter:replies"]), min_size=1, max_size=5)
)
def test_more_terms_never_find_more(terms):
    """Each further word or operator can only narrow what the first one finds."""
    assert set(find(" ".join(terms))) <= set(find(terms[0]))


async def test_a_query_over_512_characters_is_an_empty_success(api):
    """One character too many gives no rows and no reason; the longest allowed query is answered."""
    fits = "tram OR " * 63 + "tram1234"
    assert len(fits) == 512
    assert (await api.body(SEARCH, query=fits))["tweets"]
    assert await api.body(SEARCH, query=fits + "5") == {"tweets": [], "has_next_page": False, "next_cursor": ""}


async def test_account_search_matches_a_substring_of_handle_name_or_bio(api):
    """Part of a word is enough, in any case, but the query must occur as a whole."""
    found = (await api.body("/twitter/user/search", query="TRAM"))["users"]
    names = {row["screen_name"] for row in found}
    assert {"sallowtram_sbx", "tramwatch_sbx", "idapetrel_sbx"} <= names
    assert (await api.body("/twitter/user/search", query="tram line bees"))["users"] == []


async def test_account_search_does_not_show_suspended_accounts(api):
    """An account that exists but is suspended is not in the result."""
    assert (await api.body("/twitter/user/search", query="cheapseats"))["users"] == []
