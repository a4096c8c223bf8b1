"""The control addresses: faults and the log, for loopback clients only."""

from __future__ import annotations

import httpx
import pytest

from twitter_tool.sandbox import Sandbox
from twitter_tool.sandbox.app import LOG_LENGTH

SEARCH = "/twitter/tweet/advanced_search"
FAULTS, LOG = "/sandbox/faults", "/sandbox/log"


def client_from(sandbox, host="127.0.0.1"):
    transport = httpx.ASGITransport(app=sandbox, client=(host, 4711))
    return httpx.AsyncClient(transport=transport, base_url="http://sandbox")


async def test_faults_are_added_listed_and_removed(api):
    """A posted fault works as often as it says and stays listed; one DELETE removes them all."""
    one = {"name": "rate_limit", "times": 1}
    added = await api.client.post(FAULTS, json=one)
    assert added.json() == {"faults": [{"name": "rate_limit", "path": None, "times": 1, "after": 0, "value": None}]}
    assert (await api.get(SEARCH, query="tram")).status_code == 429
    assert (await api.get(SEARCH, query="tram")).status_code == 200
    assert len((await api.client.get(FAULTS)).json()["faults"]) == 1
    more = await api.client.post(FAULTS, json=[{"name": "http_500"}, {"name": "oversize", "value": 9, "path": "/x/*"}])
    assert len(more.json()["faults"]) == 3
    assert (await api.client.delete(FAULTS)).json() == {"faults": []}
    assert (await api.get(SEARCH, query="tram")).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b"[" * 60_000,
        b"7",
        b"[7]",
        b'{"name":"earthquake"}',
        b'{"name":[]}',
        b'{"name":"rate_limit","times":"two"}',
        b'{"name":"rate_limit","times":true}',
        b'{"name":"rate_limit","path":7}',
        b'{"name":"rate_limit","value":[]}',
        b'{"name":"rate_limit","colour":"red"}',
        b"\xff",
    ],
)
async def test_a_body_that_is_no_fault_is_refused_and_changes_nothing(api, body):
    """Broken JSON, wrong types and unknown names get a 400 with a reason, and no fault is switched on."""
    answer = await api.client.post(FAULTS, content=body)
    assert answer.status_code == 400
    assert isinstance(answer.json()["detail"], str)
    assert api.sandbox.faults == []


async def test_the_log_has_the_requests_and_never_the_key():
    """Each request is kept with its host, status and whether it carried a key, in order, without the key's text."""
    sandbox = Sandbox()
    async with client_from(sandbox) as client:
        await client.get(SEARCH, params={"query": "tram"}, headers={"x-api-key": "secret-key", "host": "api.example"})
        await client.get("/nowhere")
        log = (await client.get(LOG)).json()["requests"]
    assert log == [
        {
            "method": "GET",
            "path": SEARCH,
            "query": "query=tram",
            "host": "api.example",
            "has_key": True,
            "status": 200,
        },
        {"method": "GET", "path": "/nowhere", "query": "", "host": "sandbox", "has_key": False, "status": 401},
    ]
    assert "secret-key" not in str(sandbox.log)


async def test_the_log_is_emptied_and_bounded():
    """A long run keeps only the most recent requests, and DELETE forgets them all."""
    sandbox = Sandbox()
    async with client_from(sandbox) as client:
        for _ in range(LOG_LENGTH + 5):
            await client.get("/nowhere")
        assert len((await client.get(LOG)).json()["requests"]) == LOG_LENGTH
        await client.delete(LOG)
        assert (await client.get(LOG)).json() == {"requests": []}


@pytest.mark.parametrize("host", ["192.0.2.7", "2001:db8::1", "localhost.example", ""])
async def test_other_clients_are_refused(host):
    """A client whose address is not loopback, or not known, gets a 403 for reading and for writing."""
    sandbox = Sandbox()
    async with client_from(sandbox, host) as client:
        for path in (FAULTS, LOG):
            assert (await client.get(path)).status_code == 403
        assert (await client.post(FAULTS, json={"name": "http_500"})).status_code == 403
    assert sandbox.faults == []


async def test_ipv6_loopback_is_loopback():
    """The address ``::1`` may use the control address as ``127.0.0.1`` may."""
    async with client_from(Sandbox(), "::1") as client:
        assert (await client.get(FAULTS)).status_code == 200


async def test_pages_in_a_browser_are_refused(api):
    """A request with an Origin header comes from a web page, which must not reach the controls of a local server."""
    answer = await api.client.post(FAULTS, json={"name": "http_500"}, headers={"origin": "http://page.example"})
    assert answer.status_code == 403


async def test_other_control_paths_and_methods_are_refused(api):
    """Below the control address the usual 404 and 405 hold."""
    assert (await api.client.get("/sandbox/other")).status_code == 404
    assert (await api.client.put(FAULTS)).status_code == 405
    assert (await api.client.post(LOG)).status_code == 405


async def test_lifespan_events_are_answered():
    """A server that announces its start and end gets both confirmed, so that it can start and stop."""
    sent, events = [], iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])

    async def receive():
        return next(events)

    async def send(message):
        sent.append(message["type"])

    await Sandbox()({"type": "lifespan"}, receive, send)
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
