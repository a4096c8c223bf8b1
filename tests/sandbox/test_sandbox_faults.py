"""Every fault shows what its name says, and is switched on in every documented way."""

from __future__ import annotations

import gzip
import json

import httpx
import pytest

from twitter_tool.sandbox import FAULT_HELP, FAULT_NAMES, ConnectionDropped, Fault, Sandbox, parse_faults

SEARCH = "/twitter/tweet/advanced_search"
RATE = {
    "error": "Too Many Requests",
    "message": "For free-tier users, the QPS limit is one request every 5 seconds.",
}


@pytest.mark.parametrize(
    ("fault", "status", "body"),
    [
        ("http_401", 401, {"status": "error", "code": 401, "message": "invalid api key"}),
        ("http_402", 402, {"error": "Unauthorized", "message": "Credits is not enough.Please recharge"}),
        ("http_403", 403, {"error": "Forbidden"}),
        ("http_500", 500, {"message": "Internal server error"}),
        ("http_502", 502, {"detail": "Bad Gateway"}),
        ("http_503", 503, {"message": "Service temporarily unavailable"}),
        ("rate_limit", 429, RATE),
        ("rate_limit_retry_after", 429, RATE),
        ("status_error", 200, {"status": "error", "msg": "upstream timeout"}),
        ("status_error=tea break", 200, {"status": "error", "msg": "tea break"}),
        ("status_failed", 200, {"status": "failed", "msg": "upstream timeout"}),
        ("error_key", 200, {"error": "Internal", "message": "please retry"}),
    ],
)
async def test_a_fault_that_answers_instead(api, fault, status, body):
    """The fault's own status and body replace the answer, and a value given with it replaces its message."""
    answer = await api.get(SEARCH, fault=fault, query="tram")
    assert (answer.status_code, answer.json()) == (status, body)


async def test_retry_after_is_sent_only_by_its_own_fault(api):
    """A plain 429 has no Retry-After header; the other one has the seconds it was given."""
    plain = await api.get(SEARCH, fault="rate_limit", query="tram")
    timed = await api.get(SEARCH, fault="rate_limit_retry_after=17", query="tram")
    assert "retry-after" not in plain.headers
    assert timed.headers["retry-after"] == "17"


@pytest.mark.parametrize(("fault", "status"), [("html_502", 502), ("html_200", 200)])
async def test_a_page_of_html(api, fault, status):
    """A proxy's error page arrives as HTML, with an error status or a good one."""
    answer = await api.get(SEARCH, fault=fault, query="tram")
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.text.startswith("<html>")


async def test_a_redirect_names_its_target(api):
    """The Location header is the value of the fault, with every character of it."""
    answer = await api.get(SEARCH, fault="redirect=/elsewhere?a=b", query="tram")
    assert (answer.status_code, answer.headers["location"]) == (302, "/elsewhere?a=b")


async def test_invalid_json_stops_in_the_middle(api):
    """The body begins as JSON and cannot be parsed to its end."""
    with pytest.raises(json.JSONDecodeError):
        (await api.get(SEARCH, fault="invalid_json", query="tram")).json()


async def test_a_member_that_is_not_a_number(api):
    """The body has a bare NaN, which no strict parser takes."""
    answer = await api.get(SEARCH, fault="nan_json", query="tram")
    assert b'"score":NaN' in answer.content


async def test_an_array_instead_of_an_object(api):
    """The top level is a list, for listings and for single objects."""
    assert isinstance((await api.get(SEARCH, fault="json_array", query="tram")).json(), list)
    assert isinstance((await api.get("/twitter/user/info", fault="json_array", userName="a")).json(), list)


@pytest.mark.parametrize(
    ("path", "params", "gone"),
    [
        (SEARCH, {"query": "tram"}, "tweets"),
        ("/twitter/user/followers", {"userName": "sallowtram_sbx"}, "followers"),
        ("/twitter/trends", {"woeid": 1}, "trends"),
        ("/twitter/user/info", {"userName": "sallowtram_sbx"}, "data"),
    ],
)
async def test_wrong_shape_lacks_the_items(api, path, params, gone):
    """The key that holds the rows or the object is gone from the body."""
    assert gone not in await api.body(path, fault="wrong_shape", **params)


async def test_wrong_shape_reaches_into_the_data_of_a_timeline(api):
    """There the rows lie one level deeper, and that is where they are missing."""
    body = await api.body("/twitter/user/last_tweets", fault="wrong_shape", userName="tramwatch_sbx")
    assert set(body["data"]) == {"pin_tweet"}


async def test_null_data(api):
    """The rows are null where a list is expected, and the whole data of a timeline is."""
    assert (await api.body(SEARCH, fault="data_null", query="tram"))["tweets"] is None
    body = await api.body("/twitter/user/last_tweets", fault="data_null", userName="tramwatch_sbx")
    assert body["data"] is None


async def test_an_oversize_body_is_valid_and_over_sixteen_mebibytes(api):
    """Only its length is wrong, and another length can be asked for."""
    answer = await api.get(SEARCH, fault="oversize", query="tram")
    assert len(answer.content) > 16 * 1024 * 1024
    assert answer.json()["tweets"]
    small = await api.get(SEARCH, fault="oversize=100000", query="tram")
    assert 100_000 < len(small.content) < 101_000


async def test_a_gzip_bomb_is_small_on_the_wire(api):
    """Less than 100 kB arrive, and they unpack to 64 MiB of JSON that is complete."""
    async with api.client.stream("GET", SEARCH, params={"query": "a", "sandbox_fault": "gzip_bomb"}) as answer:
        raw = b"".join([chunk async for chunk in answer.aiter_raw()])
    assert answer.headers["content-encoding"] == "gzip"
    assert len(raw) < 100_000
    data = gzip.decompress(raw)
    assert len(data) == 64 * 1024 * 1024
    assert data.endswith(b'0"}')


async def test_the_size_of_a_gzip_bomb_can_be_given(api):
    """A small one is an ordinary empty page of exactly that many bytes."""
    answer = await api.get(SEARCH, fault="gzip_bomb=200000", query="tram")
    assert len(answer.content) == 200_000
    assert answer.json()["tweets"] == []


async def test_bodies_that_are_hard_to_parse(api):
    """Deep nesting, very many values and a very long integer can each be asked for."""
    deep = await api.get(SEARCH, fault="deep_json", query="tram")
    assert b"[" * 5_000 in deep.content
    many = await api.get(SEARCH, fault="many_nodes", query="tram")
    assert len(many.json()["nodes"]) > 500_000
    big = await api.get(SEARCH, fault="big_integer", query="tram")
    assert b'"big":' + b"9" * 5_000 in big.content


async def test_half_a_surrogate_pair_is_an_escape_in_a_valid_page(api):
    """The page keeps its rows; one text holds half of a character."""
    answer = await api.get(SEARCH, fault="lone_surrogate", query="tram")
    assert answer.content.count(b"\\ud800") == 1
    assert len(answer.json()["tweets"]) == 20


async def test_numbers_as_strings_and_posts_without_author(api):
    """Counters of posts and authors turn into texts, and authors into null, on every row."""
    rows = (await api.body(SEARCH, fault="string_numbers", query="tram"))["tweets"]
    assert all(isinstance(row["likeCount"], str) and isinstance(row["author"]["followers"], str) for row in rows)
    rows = (await api.body(SEARCH, fault="null_authors", query="tram"))["tweets"]
    assert all(row["author"] is None for row in rows)


async def test_several_faults_at_once(api):
    """Faults separated by commas, with or without a space, all change the same answer."""
    answer = await api.get(SEARCH, fault="null_authors, true_without_cursor,string_numbers", query="tram")
    body = answer.json()
    assert body["next_cursor"] == ""
    assert body["tweets"][0]["author"] is None
    assert isinstance(body["tweets"][0]["likeCount"], str)


async def test_a_fault_can_be_a_query_parameter(api):
    """A client that cannot set headers names the fault in the address."""
    assert (await api.get(SEARCH, query="tram", sandbox_fault="http_402")).status_code == 402


async def test_an_unknown_fault_is_said_to_be_unknown(api):
    """A misspelled fault is a 400 that repeats its name, never an ordinary answer."""
    answer = await api.get(SEARCH, fault="earthquake", query="tram")
    assert (answer.status_code, answer.json()) == (400, {"detail": "unknown sandbox fault 'earthquake'"})


async def test_slow_answers_wait_with_the_given_sleep(hint):
    """Pauses before the headers or between pieces go through the sandbox's own sleep, and change no byte."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    sandbox = Sandbox(sleep=sleep)
    transport = httpx.ASGITransport(app=sandbox)
    async with httpx.AsyncClient(transport=transport, base_url="http://s", headers={"x-api-key": "k"}) as client:
        plain = await client.get(SEARCH, params={"query": "tram"})
        assert waits == []
        late = await client.get(SEARCH, params={"query": "tram", "sandbox_fault": "slow_headers=3"})
        assert waits == [3]
        waits.clear()
        dripped = await client.get(SEARCH, params={"query": "tram", "sandbox_fault": "slow_body=0.5"})
    assert set(waits) == {0.5}
    assert len(waits) > 5
    assert plain.content == late.content == dripped.content


@pytest.mark.parametrize("fault", ["cut_body", "drop_connection"])
async def test_in_process_a_broken_connection_is_an_exception(api, fault):
    """Without a socket there is nothing to close, so the client gets an exception of its own kind."""
    with pytest.raises(ConnectionDropped):
        await api.get(SEARCH, fault=fault, query="tram")


async def statuses(sandbox, count, path=SEARCH):
    transport = httpx.ASGITransport(app=sandbox)
    async with httpx.AsyncClient(transport=transport, base_url="http://s", headers={"x-api-key": "k"}) as client:
        asked = [await client.get(path, params={"query": "tram", "userName": "a"}) for _ in range(count)]
    return [answer.status_code for answer in asked]


async def test_a_fault_of_the_server_can_wait_and_can_be_spent():
    """It lets the first requests pass, shows itself as often as it was told, and is over."""
    sandbox = Sandbox(faults=[Fault("rate_limit", after=1, times=2)])
    assert await statuses(sandbox, 5) == [200, 429, 429, 200, 200]


async def test_a_fault_of_the_server_can_be_for_some_paths():
    """A pattern limits it, and other paths answer as ever."""
    sandbox = Sandbox(faults=[Fault("http_503", path="/twitter/user/*")])
    assert await statuses(sandbox, 1) == [200]
    assert await statuses(sandbox, 1, "/twitter/user/info") == [503]


async def test_faults_may_be_changed_while_serving():
    """A list that is added to, or replaced, counts from the next request on."""
    sandbox = Sandbox()
    sandbox.faults.append(Fault("http_500"))
    assert await statuses(sandbox, 1) == [500]
    sandbox.faults = [Fault("http_502", times=1)]
    assert await statuses(sandbox, 2) == [502, 200]


async def test_media_are_spared_unless_a_fault_names_their_path():
    """A fault for the API leaves pictures readable; one with a pattern for pictures does not."""
    sandbox = Sandbox(faults=[Fault("http_403")])
    media = sandbox.world.scenes.thread.media[0]
    path = f"/media/{media.key}.png"
    assert await statuses(sandbox, 1, path) == [200]
    sandbox.faults.append(Fault("http_503", path="/media/*"))
    assert await statuses(sandbox, 1, path) == [503]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Fault("earthquake"),
        lambda: Fault("rate_limit", times=-1),
        lambda: Fault("rate_limit", after=-1),
        lambda: parse_faults("rate_limit,earthquake"),
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(wrong):
    """An unknown name or a negative count is a ValueError before anything is served."""
    with pytest.raises(ValueError):
        wrong()


def test_faults_are_read_from_text_with_their_values():
    """Commas separate, the first equals sign begins the value, numbers are numbers, and empty parts are nothing."""
    assert parse_faults("rate_limit_retry_after=3, slow_body=0.5,redirect=/a=b,,") == [
        Fault("rate_limit_retry_after", value=3),
        Fault("slow_body", value=0.5),
        Fault("redirect", value="/a=b"),
    ]
    assert parse_faults("") == []


def test_every_fault_is_described_once():
    """The help has the same names in the same order as the list, without a double."""
    assert tuple(FAULT_HELP) == FAULT_NAMES
    assert len(set(FAULT_NAMES)) == len(FAULT_NAMES)
