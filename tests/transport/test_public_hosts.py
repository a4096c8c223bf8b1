"""Requests to public hosts only: what is looked up, what is refused, and where connections really go."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx
import pytest
from certificates import Certificate, make_certificate
from raw_server import answer, fixed, serving, stalling

from twitter_tool.http import Http, HttpFailure, PublicHosts
from twitter_tool.http.addresses import is_public

PAGE = b"a picture"


class Names:
    """A look-up that answers from a table and remembers what it was asked."""

    def __init__(self, **table: Sequence[str]) -> None:
        self.table = {name.replace("_", "."): addresses for name, addresses in table.items()}
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self.table[host]


def anywhere(names: Names) -> PublicHosts:
    """Names as in the table, and no address is refused: the servers of tests are on this machine."""
    return PublicHosts(resolve=names, is_public=lambda _address: True)


def loopback_is_public(names: Names) -> PublicHosts:
    """Names as in the table, where 127.0.0.1 alone plays the open network."""
    open_network = ip_address("127.0.0.1")
    return PublicHosts(resolve=names, is_public=lambda address: address == open_network or is_public(address))


@contextlib.asynccontextmanager
async def client(hosts: PublicHosts | None = None, **more: Any) -> AsyncIterator[Http]:
    http = Http(public_only=True, **({"public_hosts": hosts} if hosts else {}), **more)
    try:
        yield http
    finally:
        await http.aclose()


async def body(http: Http, url: str, timeout_s: float = 5.0) -> bytes | None:
    return (await http.get(url, headers={}, max_bytes=1000, timeout_s=timeout_s)).body


async def refusal(http: Http, url: str, timeout_s: float = 5.0) -> HttpFailure:
    with pytest.raises(HttpFailure) as caught:
        await body(http, url, timeout_s)
    return caught.value


async def trouble(http: Http, url: str, timeout_s: float) -> HttpFailure | None:
    """What a request fails with, be it before the headers or after them."""
    try:
        return (await http.get(url, headers={}, max_bytes=1000, timeout_s=timeout_s)).failure
    except HttpFailure as failure:
        return failure


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Certificate:
    """For two names, trusted by every client of the test."""
    made = make_certificate(tmp_path, "pictures.example", "clips.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(made.path))
    return made


@pytest.fixture
def no_look_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's look-up must not be used."""

    def refuse(host: Any, *_more: Any, **_options: Any) -> Any:
        raise AssertionError(f"{host} was looked up")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_look_up")
async def test_a_connection_goes_to_the_checked_address_and_is_for_the_name(certificate: Certificate) -> None:
    """The name is looked up once; the server is told it, in TLS and in HTTP, and its certificate is for it."""
    names = Names(pictures_example=["127.0.0.1"])
    async with serving(fixed(answer(PAGE)), tls=certificate.context) as server, client(anywhere(names)) as http:
        assert await body(http, f"https://pictures.example:{server.port}/a?b=c") == PAGE
    assert names.asked == [("pictures.example", server.port)]
    assert certificate.names == ["pictures.example"]
    assert server.heads[0].startswith("GET /a?b=c HTTP/1.1\r\n")
    assert f"\r\nHost: pictures.example:{server.port}\r\n" in server.heads[0]


async def test_a_certificate_for_another_name_is_refused(certificate: Certificate) -> None:
    """Even while a trusted connection to the very same address is open."""
    names = Names(pictures_example=["127.0.0.1"], other_example=["127.0.0.1"])
    async with serving(fixed(answer(PAGE)), tls=certificate.context) as server, client(anywhere(names)) as http:
        assert await body(http, f"https://pictures.example:{server.port}/") == PAGE
        failure = await refusal(http, f"https://other.example:{server.port}/")
    assert failure.kind == "connect"
    assert failure.reason.startswith("the certificate is not valid")
    assert len(server.heads) == 1


async def test_two_names_at_one_address_share_no_connection(certificate: Certificate) -> None:
    """Each is a matter of its own certificate check; a name alone uses its connection again, without a look-up."""
    names = Names(pictures_example=["127.0.0.1"], clips_example=["127.0.0.1"])
    async with serving(fixed(answer(PAGE)), tls=certificate.context) as server, client(anywhere(names)) as http:
        for name in ("pictures", "clips", "pictures", "clips"):
            assert await body(http, f"https://{name}.example:{server.port}/") == PAGE
    assert server.connections == 2
    assert certificate.names == ["pictures.example", "clips.example"]
    assert len(names.asked) == 2


async def test_a_certificate_that_nobody_vouches_for_is_refused(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pinning the address does not stand in for the check of the name."""
    monkeypatch.delenv("SSL_CERT_FILE")
    names = Names(pictures_example=["127.0.0.1"])
    async with serving(fixed(answer(PAGE)), tls=certificate.context) as server, client(anywhere(names)) as http:
        failure = await refusal(http, f"https://pictures.example:{server.port}/")
    assert (failure.kind, server.heads) == ("connect", [])


@pytest.mark.parametrize("others", [["10.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::1"], ["not an address"], ["fe80::1%1"]])
async def test_one_address_that_is_not_public_refuses_the_host(others: list[str]) -> None:
    """Even among good ones, and before anything is connected."""
    async with serving(fixed(answer(PAGE))) as server:
        names = Names(mixed_example=["127.0.0.1", *others])
        async with client(loopback_is_public(names)) as http:
            failure = await refusal(http, f"http://mixed.example:{server.port}/")
    assert (failure.kind, failure.reason) == ("forbidden", "the host leads to an address that is not public")
    assert server.connections == 0


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]"]
)
async def test_this_machine_is_refused_however_it_is_written(host: str) -> None:
    """With the rule as it is used, and the system's own look-up."""
    async with serving(fixed(answer(PAGE))) as server, client() as http:
        assert (await refusal(http, f"http://{host}:{server.port}/")).kind == "forbidden"
        assert server.connections == 0


@pytest.mark.usefixtures("no_look_up")
async def test_an_address_as_host_is_judged_without_a_look_up() -> None:
    """And connected to when it is public."""
    names = Names()
    async with serving(fixed(answer(PAGE))) as server, client(loopback_is_public(names)) as http:
        assert await body(http, f"http://127.0.0.1:{server.port}/") == PAGE
        for host in ("10.0.0.1", "169.254.169.254", "[fd00:ec2::254]", "[64:ff9b::a00:1]"):
            assert (await refusal(http, f"http://{host}/latest/meta-data/")).kind == "forbidden"
    assert names.asked == []


async def test_a_name_that_changes_its_address_is_judged_anew() -> None:
    """For every new connection."""
    names = Names(pictures_example=["127.0.0.1"])
    async with serving(fixed(answer(PAGE), close=True)) as server, client(loopback_is_public(names)) as http:
        assert await body(http, f"http://pictures.example:{server.port}/") == PAGE
        await server.all_closed()
        names.table["pictures.example"] = ["10.0.0.1"]
        assert (await refusal(http, f"http://pictures.example:{server.port}/")).kind == "forbidden"
    assert server.connections == 1


async def test_the_next_address_is_tried_when_one_cannot_be_connected() -> None:
    """In the order in which they were found."""
    names = Names(pictures_example=["127.0.0.99", "::1", "127.0.0.1"])
    async with serving(fixed(answer(PAGE))) as server, client(anywhere(names)) as http:
        assert await body(http, f"http://pictures.example:{server.port}/") == PAGE


async def test_an_address_that_does_not_answer_is_left_for_the_next(
    silent_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time of the request is not spent on it."""
    monkeypatch.setattr("twitter_tool.http.pinned.CONNECT_TRY_S", 0.05)
    names = Names(pictures_example=["127.0.0.77", "127.0.0.1"])
    async with client(anywhere(names)) as http:
        failure = await refusal(http, f"http://pictures.example:{silent_port}/", 30)
    assert (failure.kind, failure.reason) == ("connect", "Connection refused")


async def test_no_address_that_can_be_connected_is_a_connection_failure() -> None:
    """Told in the words of the last one."""
    async with serving(fixed(answer(PAGE))) as server:
        port = server.port
    async with client(anywhere(Names(pictures_example=["127.0.0.99", "127.0.0.1"]))) as http:
        failure = await refusal(http, f"http://pictures.example:{port}/")
    assert (failure.kind, failure.reason) == ("connect", "Connection refused")


async def test_a_name_without_an_address_is_a_connection_failure() -> None:
    """Whether the look-up says so, finds nothing, or cannot take the name."""

    async def fails(_host: str, _port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    async def finds_nothing(_host: str, _port: int) -> Sequence[str]:
        return ()

    for resolve, reason in ((fails, "no such name"), (finds_nothing, "the host has no address")):
        async with client(PublicHosts(resolve=resolve)) as http:
            failure = await refusal(http, "https://pictures.example/")
            assert (failure.kind, failure.reason) == ("connect", reason)
    async with client() as http:
        assert (await refusal(http, f"https://{'a' * 64}.example/")).kind == "connect"


async def test_a_look_up_that_takes_too_long_ends_at_the_deadline() -> None:
    """It is part of the time that a request may take."""

    async def never(_host: str, _port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        raise AssertionError

    async with client(PublicHosts(resolve=never)) as http:
        assert (await refusal(http, "https://pictures.example/", 0.05)).kind == "timeout"


async def test_nothing_is_looked_up_for_a_route_or_a_given_transport() -> None:
    """There the text of the address is all there is to judge, and whoever asks has judged it."""
    names = Names()
    hosts = loopback_is_public(names)
    async with serving(fixed(answer(PAGE))) as server, client(hosts, route_to=server.origin) as http:
        assert await body(http, "https://10.0.0.1/x") == PAGE
    transport = httpx.MockTransport(lambda _request: httpx.Response(200, content=PAGE))
    async with client(hosts, transport=transport) as http:
        assert await body(http, "https://10.0.0.1/x") == PAGE
    assert names.asked == []


async def test_a_proxy_looks_names_up_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Excepted hosts are still looked up here, and written addresses are judged either way."""
    monkeypatch.setenv("no_proxy", "excepted.example")
    names = Names(excepted_example=["10.0.0.1"], localhost=["127.0.0.1"])
    async with serving(fixed(answer(PAGE))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.origin)
        async with client(PublicHosts(resolve=names), use_proxy_env=True) as http:
            assert await body(http, "http://pictures.example/x") == PAGE
            assert names.asked == []
            for host in ("excepted.example", "10.0.0.1", "localhost"):
                assert (await refusal(http, f"http://{host}/x")).kind == "forbidden"
        assert names.asked == [("excepted.example", 80), ("localhost", 80)]
        assert [head.split(" ")[1] for head in proxy.heads] == ["http://pictures.example/x"]


async def test_faults_of_a_pinned_connection_have_the_usual_names() -> None:
    """A cut, a stall, silence, rubbish and an unknown scheme, as for any other request."""
    names = Names(pictures_example=["127.0.0.1"])
    wires: list[tuple[bytes, Callable[..., Any], str]] = [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{", lambda wire: fixed(wire, close=True), "cut"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{", stalling, "stalled"),
        (b"", stalling, "timeout"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", lambda wire: fixed(wire, close=True), "connect"),
        (b"", lambda wire: fixed(wire, close=True), "connect"),
    ]
    for wire, script, kind in wires:
        async with serving(script(wire)) as server, client(anywhere(names)) as http:
            failure = await trouble(http, f"http://pictures.example:{server.port}/", 0.2)
        assert failure is not None
        assert failure.kind == kind
        assert "SSH" not in failure.reason
    async with client(anywhere(names)) as http:
        assert (await refusal(http, "gopher://pictures.example/")).reason == "the address is not http or https"


async def test_a_cancelled_pinned_request_closes_its_connection_and_leaves_no_task() -> None:
    """In the middle of a body."""
    names = Names(pictures_example=["127.0.0.1"])
    async with serving(stalling(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{")) as server:
        before = asyncio.all_tasks()
        async with client(anywhere(names)) as http:
            call = asyncio.ensure_future(body(http, f"http://pictures.example:{server.port}/", 30))
            await server.asked.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await server.all_closed()
            assert asyncio.all_tasks() <= before


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port of 127.0.0.77 whose queue of connections is full, so that it answers nobody; free at 127.0.0.1."""
    with contextlib.ExitStack() as sockets:
        listener = sockets.enter_context(socket.socket())
        listener.bind(("127.0.0.77", 0))
        listener.listen(0)
        for _ in range(4):
            waiting = sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                waiting.connect(listener.getsockname())
        yield listener.getsockname()[1]
