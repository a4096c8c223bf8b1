"""Which requests are refused, in which order, and what is on every answer."""

from __future__ import annotations

import httpx
import pytest

from twitter_tool.sandbox import Sandbox
from twitter_tool.sandbox.endpoints import ENDPOINTS

SEARCH = "/twitter/tweet/advanced_search"


async def ask(sandbox: Sandbox, method: str, path: str, key: str | None = "k", **params: str) -> httpx.Response:
    transport = httpx.ASGITransport(app=sandbox)
    async with httpx.AsyncClient(transport=transport, base_url="http://sandbox") as client:
        return await client.request(method, path, params=params, headers={"x-api-key": key} if key is not None else {})


@pytest.mark.parametrize("key", [None, ""])
async def test_a_missing_key_is_refused_before_anything_else(key):
    """Without a key, or with an empty one, even a wrong path and method get the 401."""
    answer = await ask(Sandbox(), "POST", "/nowhere", key)
    assert answer.status_code == 401
    assert answer.json() == {"status": "error", "code": 401, "message": "invalid api key"}


async def test_the_refusal_can_be_the_other_status():
    """A sandbox can be told to refuse a missing key with 403 and its body."""
    answer = await ask(Sandbox(reject_status=403), "GET", SEARCH, None)
    assert (answer.status_code, answer.json()) == (403, {"error": "Forbidden"})


async def test_only_the_named_key_is_accepted():
    """A sandbox that was given a key refuses every other one."""
    sandbox = Sandbox(key="right")
    assert (await ask(sandbox, "GET", SEARCH, "wrong", query="tram")).status_code == 401
    assert (await ask(sandbox, "GET", SEARCH, "right", query="tram")).status_code == 200


async def test_an_unknown_path_comes_before_the_method():
    """A wrong path is a 404, whatever the method."""
    answer = await ask(Sandbox(), "POST", "/twitter/nope")
    assert (answer.status_code, answer.json()) == (404, {"detail": "Not Found"})


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
async def test_the_method_comes_before_the_parameter(method):
    """Anything but GET is a 405, even when a parameter is missing as well."""
    answer = await ask(Sandbox(), method, SEARCH)
    assert (answer.status_code, answer.json()) == (405, {"detail": "Method Not Allowed"})


async def test_the_parameter_comes_before_the_faults(api):
    """A request that is wrong by itself is told so, and no fault hides it."""
    answer = await api.get(SEARCH, fault="rate_limit")
    assert (answer.status_code, answer.json()) == (400, {"detail": "query is required"})


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("/twitter/user/search", "query is required"),
        ("/twitter/tweet/thread_context", "tweetId is required"),
        ("/twitter/user/last_tweets", "userName or userId is required"),
        ("/twitter/tweet/replies/v2", "tweetId is required"),
        ("/twitter/tweet/replies", "tweetId is required"),
        ("/twitter/tweet/quotes", "tweetId is required"),
        ("/twitter/user/mentions", "userName is required"),
        ("/twitter/user/followers", "userName is required"),
        ("/twitter/user/followings", "userName is required"),
        ("/twitter/user/info", "userName is required"),
        ("/twitter/user_about", "userName is required"),
        ("/twitter/tweets", "tweet_ids is required"),
        ("/twitter/tweet/retweeters", "tweetId is required"),
        ("/twitter/community/tweets", "community_id is required"),
        ("/twitter/list/tweets_timeline", "listId is required"),
        ("/twitter/spaces/detail", "space_id is required"),
        ("/twitter/article", "tweet_id is required"),
    ],
)
async def test_a_missing_parameter_is_a_400_that_names_it(api, path, detail):
    """The detail is a text with the parameter as the address spells it."""
    answer = await api.get(path)
    assert (answer.status_code, answer.json()) == (400, {"detail": detail})


async def test_trends_validates_its_parameter_in_the_list_form(api):
    """A missing or senseless woeid is a 422 whose detail lists the place of the fault."""
    answer = await api.get("/twitter/trends")
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["query", "woeid"]
    assert (await api.get("/twitter/trends", woeid="abc")).status_code == 422


async def test_a_number_that_is_none_is_validated_too(api, hint):
    """An optional parameter that must be a number is checked as soon as it is there."""
    answer = await api.get("/twitter/tweet/replies", tweetId=hint["post with many replies"], sinceTime="soon")
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["query", "sinceTime"]


async def test_unknown_parameters_are_ignored(api):
    """A parameter that the endpoint does not have changes nothing."""
    assert await api.body(SEARCH, query="tram", count="3") == await api.body(SEARCH, query="tram")


async def test_every_answer_has_a_trace_id_and_none_has_rate_limit_headers(api):
    """Good answers and refusals carry an id of their own, and none tells how much is left."""
    first, second = await api.get(SEARCH, query="tram"), await api.get(SEARCH, fault="rate_limit", query="tram")
    assert first.headers["content-type"] == "application/json"
    assert first.headers["x-trace-id"] != second.headers["x-trace-id"]
    assert not [name for name in (*first.headers, *second.headers) if name.startswith("x-ratelimit")]


async def test_two_fresh_sandboxes_answer_with_the_same_bytes_and_headers():
    """Nothing depends on chance, the time of day or earlier runs."""
    first, second = [await ask(Sandbox(), "GET", SEARCH, query="tram") for _ in range(2)]
    assert first.content == second.content
    assert first.headers == second.headers


async def test_answers_are_utf8_without_escapes(api):
    """Text of other scripts is sent as it is, not as escapes."""
    answer = await api.get(SEARCH, query="路面電車")
    assert "路面電車" in answer.content.decode("utf-8")


async def test_compression_is_off_unless_asked_for_and_then_the_same_each_time():
    """With it the body is much smaller, always of the same length, and means the same."""
    plain = await ask(Sandbox(), "GET", SEARCH, query="tram")
    assert "content-encoding" not in plain.headers
    first, second = [await ask(Sandbox(gzip=True), "GET", SEARCH, query="tram") for _ in range(2)]
    assert first.headers["content-encoding"] == "gzip"
    assert int(first.headers["content-length"]) < len(plain.content) / 3
    assert first.headers["content-length"] == second.headers["content-length"]
    assert first.json() == plain.json()


def test_all_twenty_paths_are_served():
    """No endpoint of the API is left out, and none is invented."""
    assert len(ENDPOINTS) == 20


@pytest.mark.parametrize("key", [None, "k"])
async def test_whoever_looks_in_is_greeted_without_a_key(key):
    """One line that says what it is; it is no request of the API, and not in the log."""
    sandbox = Sandbox(key="right")
    answer = await ask(sandbox, "GET", "/", key)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert "invented data" in answer.text
    assert answer.text.count("\n") == 1
    assert not sandbox.log
    assert (await ask(sandbox, "HEAD", "/", key)).text == ""
    assert (await ask(sandbox, "POST", "/", "right")).status_code == 404
