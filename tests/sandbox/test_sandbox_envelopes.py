"""Every endpoint answers in the envelope that is sent live, and in the documented one on request."""

from __future__ import annotations

import pytest

PAGER = {"has_next_page", "next_cursor"}
OK = {"status", "msg"}
LISTING = {"tweets"} | PAGER | OK

CASES = [
    ("/twitter/tweet/advanced_search", {"query": "tram"}, {"tweets"} | PAGER),
    ("/twitter/user/search", {"query": "tram"}, {"users"} | PAGER),
    ("/twitter/tweet/thread_context", {"tweetId": "post with a thread"}, LISTING),
    ("/twitter/user/last_tweets", {"userName": "tramwatch_sbx"}, {"data", "code"} | PAGER | OK),
    ("/twitter/trends", {"woeid": "1"}, {"trends", "metadata"} | OK),
    ("/twitter/tweet/replies/v2", {"tweetId": "post with many replies"}, LISTING),
    ("/twitter/tweet/replies", {"tweetId": "post with many replies"}, LISTING),
    ("/twitter/tweet/quotes", {"tweetId": "post with quotes"}, LISTING),
    ("/twitter/user/mentions", {"userName": "sallowtram_sbx"}, LISTING),
    ("/twitter/user/followers", {"userName": "sallowtram_sbx"}, {"followers", "code"} | PAGER | OK),
    ("/twitter/user/followings", {"userName": "sallowtram_sbx"}, {"followings", "code"} | PAGER | OK),
    ("/twitter/user/info", {"userName": "sallowtram_sbx"}, {"data"} | OK),
    ("/twitter/user_about", {"userName": "sallowtram_sbx"}, {"data"} | OK),
    ("/twitter/tweets", {"tweet_ids": "post with a poll"}, {"tweets", "code"} | OK),
    ("/twitter/tweet/retweeters", {"tweetId": "post with reposts"}, {"users"} | PAGER),
    ("/twitter/community/tweets", {"community_id": "community"}, LISTING | {"has_next"}),
    ("/twitter/list/tweets_timeline", {"listId": "list"}, LISTING),
    ("/twitter/spaces/detail", {"space_id": "Space that has ended"}, {"detail"} | OK),
    ("/twitter/article", {"tweet_id": "post with an article"}, {"article"} | OK),
    ("/oapi/my/info", {}, {"recharge_credits", "total_bonus_credits"}),
]


def named(params, hint):
    return {name: hint.get(value, value) for name, value in params.items()}


@pytest.mark.parametrize(("path", "params", "keys"), CASES, ids=[case[0] for case in CASES])
async def test_the_live_envelope(api, hint, path, params, keys):
    """An endpoint answers with exactly the top-level keys that the live service sends, says success, and has rows."""
    body = await api.body(path, **named(params, hint))
    assert set(body) == keys
    if "status" in body:
        assert (body["status"], body["msg"]) == ("success", "success")
    assert body.get("code", 0) == 0
    rows = body.get("tweets", body.get("users", body.get("followers", body.get("followings"))))
    assert rows is None or len(rows) > 0


DOCUMENTED = [
    ("/twitter/user/search", {"query": "tram"}, {"users"} | PAGER | OK),
    ("/twitter/tweet/thread_context", {"tweetId": "post with a thread"}, {"replies", "status", "message"} | PAGER),
    ("/twitter/user/last_tweets", {"userName": "tramwatch_sbx"}, {"tweets", "status", "message"} | PAGER),
    ("/twitter/trends", {"woeid": "1"}, {"trends"} | OK),
    ("/twitter/tweet/replies", {"tweetId": "post with many replies"}, {"replies", "status", "message"} | PAGER),
    ("/twitter/tweet/quotes", {"tweetId": "post with quotes"}, {"tweets", "status", "message"} | PAGER),
    ("/twitter/user/followers", {"userName": "sallowtram_sbx"}, {"followers", "status", "message"}),
    ("/twitter/user/followings", {"userName": "sallowtram_sbx"}, {"followings", "status", "message"} | PAGER),
    ("/twitter/tweets", {"tweet_ids": "post with a poll"}, {"tweets", "status", "message"}),
    ("/twitter/tweet/retweeters", {"tweetId": "post with reposts"}, {"users", "status", "message"} | PAGER),
    ("/twitter/community/tweets", {"community_id": "community"}, LISTING),
    ("/twitter/spaces/detail", {"space_id": "Space that has ended"}, {"data"} | OK),
    ("/twitter/article", {"tweet_id": "post with an article"}, {"article", "status", "message"}),
]


@pytest.mark.parametrize(("path", "params", "keys"), DOCUMENTED, ids=[case[0] for case in DOCUMENTED])
async def test_the_documented_envelope_on_request(api, hint, path, params, keys):
    """With the fault for documented shapes the same endpoint has exactly the keys of the vendor's documentation."""
    assert set(await api.body(path, fault="docs_shape", **named(params, hint))) == keys


async def test_the_documentation_shows_flat_trends_camel_users_and_text_only_blocks(api, hint):
    """Below the envelope too, the documented rows differ from the live ones."""
    trends = await api.body("/twitter/trends", fault="docs_shape", woeid=1)
    assert {"name", "target"} <= set(trends["trends"][0])
    users = await api.body("/twitter/user/search", fault="docs_shape", query="tram")
    assert users["users"][0]["type"] == "user"
    article = await api.body("/twitter/article", fault="docs_shape", tweet_id=hint["post with an article"])
    assert isinstance(article["article"]["viewCount"], int)
    assert all(set(block) == {"text"} for block in article["article"]["contents"])


@pytest.mark.parametrize(
    ("path", "params", "expected"),
    [
        ("/twitter/user/info", {"userName": "nobody_sbx"}, {"status": "error", "msg": "user not found", "data": None}),
        (
            "/twitter/user/info",
            {"userName": "cheapseats_sbx"},
            {"status": "error", "msg": "user not found", "data": None},
        ),
        ("/twitter/user_about", {"userName": "nobody_sbx"}, {"status": "error", "msg": "user not found", "data": None}),
        ("/twitter/trends", {"woeid": "99"}, {"status": "error", "msg": "woeid not found", "trends": []}),
        ("/twitter/article", {"tweet_id": "1"}, {"article": None, "status": "failed", "msg": "article not found"}),
        ("/twitter/tweet/quotes", {"tweetId": "abc"}, {"status": "error", "msg": "invalid tweetId"}),
        (
            "/twitter/tweet/thread_context",
            {"tweetId": "1"},
            {"tweets": [], "has_next_page": False, "next_cursor": "", "status": "success", "msg": "success"},
        ),
        (
            "/twitter/user/last_tweets",
            {"userName": "cheapseats_sbx"},
            {
                "status": "success",
                "code": 0,
                "msg": "success",
                "data": None,
                "has_next_page": False,
                "next_cursor": None,
            },
        ),
        (
            "/twitter/user/followers",
            {"userName": "nobody_sbx"},
            {
                "status": "error",
                "msg": "user not found",
                "followers": [],
                "has_next_page": False,
                "next_cursor": "",
                "code": 1,
            },
        ),
    ],
)
async def test_what_is_not_there_is_told_inside_a_200(api, path, params, expected):
    """Something unknown is told by status, message and empty rows, in the words of each endpoint."""
    assert await api.body(path, **params) == expected


async def test_an_unknown_handle_and_a_silent_account_look_alike_on_their_timeline(api):
    """A timeline without posts does not tell whether there is such an account."""
    bodies = [await api.body("/twitter/user/last_tweets", userName=name) for name in ("nobody_sbx", "stillwater_sbx")]
    assert bodies[0] == bodies[1]
    assert bodies[0]["data"] == {"pin_tweet": None, "tweets": []}


async def test_a_protected_account_keeps_its_profile_and_hides_its_posts(api):
    """The profile says that it is protected; the timeline is empty."""
    profile = await api.body("/twitter/user/info", userName="quietfen_sbx")
    assert profile["data"]["protected"] is True
    timeline = await api.body("/twitter/user/last_tweets", userName="quietfen_sbx")
    assert timeline["data"]["tweets"] == []


async def test_one_account_answers_with_the_documented_stub(api):
    """An unavailable account is a success whose data says only that it is unavailable, and why."""
    body = await api.body("/twitter/user/info", userName="mothlamp_sbx")
    assert body["status"] == "success"
    assert (body["data"]["unavailable"], body["data"]["unavailableReason"]) == (True, "Suspended")


async def test_an_unknown_space_is_a_404_with_a_text_as_detail(api):
    """Spaces alone tell what is missing with a status of HTTP."""
    answer = await api.get("/twitter/spaces/detail", space_id="1SbxNoSuchRoo")
    assert (answer.status_code, answer.json()) == (404, {"detail": "Space not found or API error"})


@pytest.mark.parametrize("path", ["/twitter/list/tweets_timeline", "/twitter/community/tweets"])
async def test_an_unknown_list_or_community_is_an_empty_success(api, path):
    """A wrong id cannot be told from a feed without posts."""
    body = await api.body(path, listId="1", community_id="1")
    assert (body["tweets"], body["has_next_page"], body["status"]) == ([], False, "success")
