"""The sandbox behind a real loopback connection."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys

import httpx
import pytest
from twitterapi_io import TwitterApiClient, TwitterApiError

from twitter_tool.sandbox import FAULT_NAMES, Sandbox
from twitter_tool.sandbox.serve import SandboxServerMissing, hints, running, serve

SEARCH = "/twitter/tweet/advanced_search"


@pytest.fixture
async def served(sandbox):
    async with (
        running(sandbox) as url,
        httpx.AsyncClient(base_url=url, headers={"x-api-key": "k"}, trust_env=False) as client,
    ):
        yield client


async def ask(client, fault=""):
    return await client.get(SEARCH, params={"query": "tram"}, headers={"x-sandbox-fault": fault} if fault else {})


async def test_the_server_and_the_in_process_client_give_the_same_bytes(served, api):
    """A body does not depend on whether a socket carried it."""
    assert (await ask(served)).content == (await api.get(SEARCH, query="tram")).content


async def test_a_body_that_is_cut_off(served):
    """The client sees an incomplete body, and the server answers the next request."""
    with pytest.raises(httpx.RemoteProtocolError, match=r"incomplete|without sending complete"):
        await ask(served, "cut_body")
    assert (await ask(served)).status_code == 200


async def test_a_connection_that_closes_before_any_header(served):
    """The client sees a connection without an answer, and the server answers the next request."""
    with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
        await ask(served, "drop_connection")
    assert (await ask(served)).status_code == 200


async def test_a_broken_connection_leaves_no_trace_in_the_servers_log(served, caplog):
    """A fault that was asked for is no error of the server."""
    for fault in ("cut_body", "drop_connection"):
        with pytest.raises(httpx.RemoteProtocolError):
            await ask(served, fault)
    assert [record for record in caplog.records if record.name.startswith("uvicorn") and record.levelno > 20] == []


async def test_a_body_that_drips_arrives_whole_and_in_pieces(served):
    """The pieces put together are the body of the answer without the fault."""
    plain = await ask(served)
    async with served.stream(
        "GET", SEARCH, params={"query": "tram"}, headers={"x-sandbox-fault": "slow_body=0"}
    ) as answer:
        body = b"".join([chunk async for chunk in answer.aiter_raw()])
    assert body == plain.content


async def test_a_client_that_times_out_on_the_headers_can_go_on(served):
    """One request given up does not hold the server."""
    with pytest.raises(httpx.ReadTimeout):
        await served.get(
            SEARCH, params={"query": "tram"}, headers={"x-sandbox-fault": "slow_headers=0.3"}, timeout=0.05
        )
    assert (await ask(served)).status_code == 200


async def test_every_other_fault_leaves_a_complete_answer(served):
    """All but the two that break the connection are answers that a client can read to the end."""
    for name in FAULT_NAMES:
        if name in ("cut_body", "drop_connection"):
            continue
        value = "=0" if name.startswith("slow") else "=50000" if name in ("oversize", "gzip_bomb") else ""
        answer = await ask(served, name + value)
        assert answer.headers["x-trace-id"].startswith("sbx-")


async def test_a_head_of_a_clip_has_its_length(served, sandbox):
    """Over a connection too, the length is known without the body, and the log has the host asked for."""
    media = sandbox.world.scenes.thread.media[0]
    answer = await served.head(f"/media/{media.key}.png", headers={"host": "pbs.twimg.com"})
    assert int(answer.headers["content-length"]) > 1_000
    assert sandbox.log[-1]["host"] == "pbs.twimg.com"


async def test_the_control_address_works_over_the_connection_and_distrusts_forwarding_headers(served):
    """Who is loopback is decided by the connection and not by what a header says."""
    added = await served.post("/sandbox/faults", json={"name": "http_503", "times": 1})
    assert added.status_code == 200
    assert (await ask(served)).status_code == 503
    spoofed = await served.get("/sandbox/log", headers={"x-forwarded-for": "192.0.2.7"})
    assert spoofed.status_code == 200


async def test_the_port_is_free_again_afterwards():
    """A second sandbox can listen where the first one did."""
    async with running(Sandbox()) as url:
        port = int(url.rsplit(":", 1)[1])
    async with running(Sandbox(), port) as again:
        assert again == url


async def test_a_port_that_is_taken_is_an_os_error():
    """Whoever starts it gets the exception of the operating system."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="ddress"):
            async with running(Sandbox(), port):
                pass


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org"])
def test_only_loopback_addresses_are_served(host):
    """An address that others could reach is refused before anything listens."""
    with pytest.raises(ValueError, match="loopback"):
        serve(0, host=host, on_ready=print)


def test_without_uvicorn_the_message_names_the_extra(monkeypatch):
    """The error says which command installs what is missing."""
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(SandboxServerMissing, match=r'pip install "twitter-tool\[sandbox\]"'):
        serve(0, on_ready=print)


SERVE = """
from twitter_tool.sandbox.serve import serve
serve(0, key="named", on_ready=lambda url: print(url, flush=True))
print("over", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent to a process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_serving_quietly(number):
    """Interrupt and termination both return to the caller, with nothing on stderr."""
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", SERVE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        url = process.stdout.readline().strip()
        with httpx.Client(base_url=url, trust_env=False) as client:
            assert client.get(SEARCH, params={"query": "tram"}, headers={"x-api-key": "other"}).status_code == 401
            assert client.get(SEARCH, params={"query": "tram"}, headers={"x-api-key": "named"}).status_code == 200
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert (out, err, process.returncode) == ("over\n", "", 0)


def test_hints_point_at_what_they_say():
    """They are pairs of texts with a value each, and the known ones lead to their account and place."""
    found = dict(hints())
    assert all(isinstance(key, str) and isinstance(value, str) and value for key, value in hints())
    assert found["account with many followers"] == "sallowtram_sbx"
    assert found["woeid: worldwide"] == "1"


async def test_the_vendors_own_client_library_reads_from_the_sandbox(sandbox):
    """Searching, paging, profiles, followers, trends, batches and a refusal work through it unchanged."""

    def read(url):
        with TwitterApiClient(api_key="any", base_url=url) as client:
            posts = client.search_tweets("tram line")
            second = client.search_tweets("tram line", cursor=posts["next_cursor"])
            profile = client.get_user_info("sallowtram_sbx")
            followers = client.get_user_followers("sallowtram_sbx", page_size=20)
            more = client.get_user_followers("sallowtram_sbx", cursor=followers["next_cursor"])
            trends = client.get_trends(1)
            batch = client.get_tweets_by_ids([row["id"] for row in posts["tweets"]])
            with pytest.raises(TwitterApiError) as refused:
                client.get_tweets_by_ids([str(number) for number in range(51)])
            return posts, second, profile, followers, more, trends, batch, refused.value

    async with running(sandbox) as url:
        posts, second, profile, followers, more, trends, batch, refused = await asyncio.to_thread(read, url)
    assert len(posts["tweets"]) == len(batch["tweets"]) == 20
    assert posts["tweets"][-1] == second["tweets"][0]
    assert profile["data"]["name"] == "Sallow Trams"
    assert len(followers["followers"]) == 20
    assert len(more["followers"]) == 200
    assert trends["trends"][0]["trend"]["name"] == "#Line7"
    assert refused.status == 400
