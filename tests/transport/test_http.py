"""One bounded GET request over a real socket: what is read, what is refused, what never leaks."""

from __future__ import annotations

import asyncio
import gzip
import http.server
import logging
import threading
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from raw_server import RawServer, answer, fixed, serving, stalling

from twitter_tool import __version__
from twitter_tool.errors import SetupError
from twitter_tool.http import MAX_ERROR_BYTES, Http, HttpFailure, HttpResponse

PAGE = b'{"tweets":[]}'
URL = "https://api.example.org/twitter/tweet/replies"


async def ask(
    server: RawServer, *, url: str = URL, max_bytes: int = 10_000, timeout_s: float = 5.0, **more: Any
) -> HttpResponse:
    """One request with a client of its own, which leaves no connection open."""
    client = Http(route_to=server.origin)
    try:
        more.setdefault("headers", {"X-API-Key": "secret-key"})
        return await client.get(url, max_bytes=max_bytes, timeout_s=timeout_s, **more)
    finally:
        await client.aclose()
        await server.all_closed()


def trouble(response: HttpResponse) -> str | None:
    assert (response.body is None) == (response.failure is not None)
    return response.failure.kind if response.failure else None


async def test_a_whole_answer_is_read_with_its_status_and_headers() -> None:
    """Names of headers are in lower case."""
    async with serving(fixed(answer(PAGE, "X-Trace-Id: 1"))) as server:
        response = await ask(server)
    assert (response.status, response.body, response.headers["x-trace-id"]) == (200, PAGE, "1")


async def test_a_routed_request_keeps_path_query_and_host() -> None:
    """The stand-in sees what the upstream would have seen, and connections are used again."""
    async with serving(fixed(answer(PAGE))) as server:
        client = Http(route_to=server.origin)
        for _ in range(3):
            await client.get(
                URL, params=[("tweetId", "7")], headers={"X-API-Key": "secret-key"}, max_bytes=99, timeout_s=5
            )
        await client.aclose()
        await server.all_closed()
    lines = server.heads[0].split("\r\n")
    assert lines[0] == "GET /twitter/tweet/replies?tweetId=7 HTTP/1.1"
    assert "host: api.example.org" in [line.lower() for line in lines]
    assert server.connections == 1


async def test_the_key_travels_in_its_header_only() -> None:
    """Beside it go our own name and the one encoding that is read."""
    async with serving(fixed(answer(PAGE))) as server:
        await ask(server, params=[("query", "cats")])
    head = server.heads[0]
    assert head.count("secret-key") == 1
    assert "X-API-Key: secret-key" in head
    assert f"User-Agent: twitter-tool/{__version__}" in head
    assert "Accept-Encoding: gzip\r\n" in head


async def test_parameters_are_percent_encoded() -> None:
    """No character of a value can end it, and a lone surrogate does not break the request."""
    async with serving(fixed(answer(PAGE))) as server:
        await ask(server, params=[("query", 'a b&c=d#e+f%20é"\ud800'), ("cursor", "x/y?z")])
    target = server.heads[0].split(" ")[1]
    assert target.endswith("?query=a%20b%26c%3Dd%23e%2Bf%2520%C3%A9%22%EF%BF%BD&cursor=x%2Fy%3Fz")


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "raw deflate", "identity"])
async def test_gzip_deflate_and_plain_bodies_are_read(encoding: str) -> None:
    """In one piece or in chunks."""
    packer = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(PAGE),
        "deflate": zlib.compress(PAGE),
        "raw deflate": packer.compress(PAGE) + packer.flush(),
        "identity": PAGE,
    }[encoding]
    header = f"Content-Encoding: {encoding.split()[-1]}"
    chunks = b"".join(b"1\r\n" + packed[at : at + 1] + b"\r\n" for at in range(len(packed))) + b"0\r\n\r\n"
    chunked = f"HTTP/1.1 200 OK\r\n{header}\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + chunks
    for wire in (answer(packed, header), chunked):
        async with serving(fixed(wire)) as server:
            assert (await ask(server)).body == PAGE


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "whatever"])
async def test_an_encoding_that_was_not_asked_for_is_not_read(encoding: str) -> None:
    """Nor are several of them on top of each other."""
    async with serving(fixed(answer(PAGE, f"Content-Encoding: {encoding}"))) as server:
        assert trouble(await ask(server)) == "encoding"


async def test_a_body_that_is_not_what_its_encoding_says_is_damaged() -> None:
    """It is told apart from one that is cut."""
    async with serving(fixed(answer(PAGE, "Content-Encoding: gzip"))) as server:
        assert trouble(await ask(server)) == "encoding"


@pytest.mark.parametrize(
    "wire",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + PAGE,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nd\r\n" + PAGE + b"\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" + PAGE + b"\r\n0\r\n\r\n",
        answer(gzip.compress(PAGE)[:-6], "Content-Encoding: gzip"),
    ],
    ids=["promised more", "no last chunk", "bad chunk size", "gzip without its end"],
)
async def test_a_body_that_ends_too_early_is_cut(wire: bytes) -> None:
    """Whatever told where its end should have been."""
    async with serving(fixed(wire, close=True)) as server:
        response = await ask(server)
    assert (response.status, trouble(response)) == (200, "cut")


async def test_bytes_beyond_the_promised_length_are_not_part_of_the_body() -> None:
    """Nor of any later one: the next request fails on them, and the one after it is fine."""
    async with serving(fixed(answer(PAGE) + b"surplus")) as server:
        client = Http(route_to=server.origin)
        bodies: list[bytes | str | None] = []
        for _ in range(4):
            try:
                bodies.append((await client.get(URL, headers={}, max_bytes=100, timeout_s=5)).body)
            except HttpFailure as failure:
                bodies.append(failure.kind)
        await client.aclose()
    assert set(bodies) <= {PAGE, "connect"}
    assert bodies[0] == PAGE


async def test_a_body_that_stalls_ends_at_the_deadline() -> None:
    """Headers had arrived, so this is a fault of the body."""
    async with serving(stalling(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{")) as server:
        response = await ask(server, timeout_s=0.1)
    assert (response.status, trouble(response)) == (200, "stalled")


async def test_a_dripping_body_does_not_extend_the_deadline() -> None:
    """One deadline from dispatch to the last byte: the drip alone would outlast the test."""

    async def drip(server: RawServer, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n")
        while not server.released.is_set():
            writer.write(b" ")
            await asyncio.sleep(0.01)

    async with serving(drip) as server:
        response = await ask(server, timeout_s=0.2)
    assert trouble(response) == "stalled"


async def test_no_answer_at_all_is_a_timeout() -> None:
    """Before any header, or with only half of them."""
    for wire in (b"", b"HTTP/1.1 200 OK\r\nContent-Le"):
        async with serving(stalling(wire)) as server:
            with pytest.raises(HttpFailure) as caught:
                await ask(server, timeout_s=0.1)
        assert (caught.value.kind, caught.value.reason) == ("timeout", "no answer within 0.1 s")


@pytest.mark.parametrize(
    "wire", [b"", b"HTTP/1.1 200 OK\r\nConte", b"SSH-2.0-OpenSSH\r\n\r\n", b"HTTP/1.1 2x0\r\n\r\n"]
)
async def test_a_connection_that_gives_no_readable_answer_is_a_connection_failure(wire: bytes) -> None:
    """The library's own exceptions and the peer's bytes do not come through."""
    async with serving(fixed(wire, close=True)) as server:
        with pytest.raises(HttpFailure) as caught:
            await ask(server)
    assert caught.value.kind == "connect"
    assert "SSH" not in caught.value.reason
    assert "://" not in caught.value.reason


async def test_a_refused_connection_is_told_in_the_system_s_words() -> None:
    """Nothing listens there any more."""
    async with serving(fixed(answer(PAGE))) as server:
        origin = server.origin
    client = Http(route_to=origin)
    with pytest.raises(HttpFailure) as caught:
        await client.get(URL, headers={}, max_bytes=100, timeout_s=5)
    await client.aclose()
    assert (caught.value.kind, caught.value.reason) == ("connect", "Connection refused")


@pytest.mark.parametrize("size", [10_000, 10_001])
async def test_the_limit_counts_decoded_bytes(size: int) -> None:
    """Exactly the limit is read, a byte more is refused, packed or not, with its length told or not."""
    body, expected = b"x" * size, None if size == 10_000 else "oversize"
    unknown_length = b"HTTP/1.1 200 OK\r\n\r\n" + body
    for wire in (answer(body), answer(gzip.compress(body), "Content-Encoding: gzip"), unknown_length):
        async with serving(fixed(wire, close=True)) as server:
            assert trouble(await ask(server, max_bytes=10_000)) == expected


async def test_a_promised_length_over_the_limit_is_refused_without_reading() -> None:
    """Not a byte of the body has to arrive."""
    async with serving(stalling(b"HTTP/1.1 200 OK\r\nContent-Length: 10001\r\n\r\n")) as server:
        assert trouble(await ask(server, max_bytes=10_000, timeout_s=30)) == "oversize"


async def test_a_compressed_bomb_is_stopped_before_it_grows() -> None:
    """Sixty-four mebibytes of nothing in 64 KiB."""
    bomb = gzip.compress(b"\0" * (64 * 1024 * 1024))
    async with serving(fixed(answer(bomb, "Content-Encoding: gzip"))) as server:
        tracemalloc.start()
        try:
            assert trouble(await ask(server, max_bytes=1_000_000)) == "oversize"
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 4_000_000


async def test_an_endless_body_is_left_at_the_limit() -> None:
    """The connection is closed instead of drained."""

    async def endless(server: RawServer, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while not server.released.is_set():
            writer.write(b"x" * 10_000)
            await writer.drain()

    async with serving(endless) as server:
        assert trouble(await ask(server)) == "oversize"


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent", "304 Not Modified"])
@pytest.mark.parametrize("target", ["/elsewhere", "http://127.0.0.1:1/x", "http://[::1", "ftp://x", "\xff", ""])
async def test_a_redirect_is_given_back_and_never_followed(status: str, target: str) -> None:
    """One request, wherever the answer points and however badly; its body does not matter."""
    head = f"HTTP/1.1 {status}\r\nLocation: {target}\r\nContent-Length: 50\r\n\r\n".encode("latin-1")
    async with serving(stalling(head)) as server:
        response = await ask(server)
    assert (response.status, response.body) == (int(status[:3]), b"")
    assert len(server.heads) == 1


async def test_a_refusal_s_body_is_read_for_its_words_only() -> None:
    """Up to a bound that has nothing to do with the size of pages, whatever page size is allowed."""
    async with serving(fixed(answer(b'{"detail":"no"}', status="400 Bad Request"))) as server:
        assert (await ask(server)).body == b'{"detail":"no"}'
    async with serving(fixed(answer(b"x" * (MAX_ERROR_BYTES + 1), status="500 Error"))) as server:
        response = await ask(server, max_bytes=10_000_000)
    assert (response.status, trouble(response)) == (500, "oversize")


async def test_a_refusal_s_body_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The status has said the most important thing."""
    monkeypatch.setattr("twitter_tool.http.body.ERROR_BODY_S", 0.05)
    async with serving(stalling(b"HTTP/1.1 429 Slow\r\nContent-Length: 50\r\n\r\n{")) as server:
        response = await ask(server, timeout_s=30)
    assert (response.status, trouble(response)) == (429, "stalled")


async def test_cookies_are_not_kept_between_requests() -> None:
    """Two calls have nothing to do with each other."""
    async with serving(fixed(answer(PAGE, "Set-Cookie: track=1; Path=/"))) as server:
        client = Http(route_to=server.origin)
        for _ in range(2):
            await client.get(URL, headers={}, max_bytes=100, timeout_s=5)
        await client.aclose()
        assert len(client._client.cookies.jar) == 0
    assert "cookie" not in server.heads[1].lower()


async def test_no_log_line_shows_an_address_or_a_header(caplog: pytest.LogCaptureFixture) -> None:
    """Not at any level, whatever levels the host has set on the library's loggers."""
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore", "httpcore.http11", "httpcore.connection"):
        caplog.set_level(logging.DEBUG, logger=name)
    async with serving(fixed(answer(PAGE))) as server:
        await ask(server, params=[("query", "private-words")])
    logged = " ".join(record.getMessage() for record in caplog.records)
    assert not any(word in logged for word in ("private-words", "replies", "secret-key", "x-api-key"))
    assert not [record for record in caplog.records if record.name.startswith("http")]


async def test_the_host_s_own_requests_are_still_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Only our requests are hushed; levels and handlers stay as the host set them."""
    caplog.set_level(logging.INFO, logger="httpx")
    Http(transport=httpx.MockTransport(lambda _request: httpx.Response(200)))
    async with httpx.AsyncClient(transport=httpx.MockTransport(lambda _request: httpx.Response(200))) as own:
        await own.get("https://example.org/mine")
    assert "https://example.org/mine" in caplog.text


async def test_proxies_of_the_environment_are_ignored_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does a name-and-password file in the home folder add credentials."""
    async with serving(fixed(answer(PAGE))) as proxy, serving(fixed(answer(PAGE))) as server:
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.origin)
        client = Http()
        await client.get(f"{server.origin}/x", headers={}, max_bytes=100, timeout_s=5)
        await client.aclose()
        assert (len(proxy.heads), len(server.heads)) == (0, 1)


async def test_a_netrc_file_adds_no_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even when proxies are to be taken from the environment."""
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login me password hunter22\ndefault login me password hunter22\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    async with serving(fixed(answer(PAGE))) as server:
        for use_proxy_env in (False, True):
            client = Http(use_proxy_env=use_proxy_env)
            await client.get(f"{server.origin}/x", headers={}, max_bytes=100, timeout_s=5)
            await client.aclose()
    assert len(server.heads) == 2
    assert not any("authorization" in head.lower() for head in server.heads)


async def test_an_asked_for_proxy_is_used_for_all_but_loopback_and_excepted_hosts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Plain http shows which way a request went."""
    async with serving(fixed(answer(b"proxied"))) as proxy, serving(fixed(answer(b"direct"))) as server:
        monkeypatch.setenv("http_proxy", proxy.origin.removeprefix("http://"))
        monkeypatch.setenv("no_proxy", "excepted.invalid")
        client = Http(use_proxy_env=True)

        async def body(url: str) -> bytes | None:
            return (await client.get(url, headers={}, max_bytes=100, timeout_s=5)).body

        assert await body("http://upstream.invalid/x") == b"proxied"
        assert await body(f"{server.origin}/x") == b"direct"
        assert await body(f"http://localhost:{server.port}/x") == b"direct"
        for host in ("excepted.invalid", "sub.excepted.invalid"):
            with pytest.raises(HttpFailure):
                await body(f"http://{host}/x")
        await client.aclose()
        assert [head.split(" ")[1] for head in proxy.heads] == ["http://upstream.invalid/x"]


async def test_a_secure_request_passes_a_proxy_in_a_tunnel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy learns the host and never the key."""
    async with serving(fixed(answer(b"", status="403 Forbidden"))) as proxy:
        monkeypatch.setenv("https_proxy", proxy.origin)
        client = Http(use_proxy_env=True)
        with pytest.raises(HttpFailure) as caught:
            await client.get(
                "https://upstream.invalid/x", headers={"X-API-Key": "secret-key"}, max_bytes=100, timeout_s=5
            )
        await client.aclose()
    assert (caught.value.kind, caught.value.reason) == ("connect", "the proxy refused the connection")
    assert proxy.heads[0].startswith("CONNECT upstream.invalid:443")
    assert "secret-key" not in proxy.heads[0]


async def test_a_route_never_goes_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even when proxies are asked for."""
    async with serving(fixed(answer(b"proxied"))) as proxy, serving(fixed(answer(b"direct"))) as server:
        monkeypatch.setenv("https_proxy", proxy.origin)
        monkeypatch.setenv("http_proxy", proxy.origin)
        client = Http(route_to=server.origin, use_proxy_env=True)
        assert (await client.get(URL, headers={}, max_bytes=100, timeout_s=5)).body == b"direct"
        await client.aclose()


@pytest.mark.parametrize("address", ["carrier-pigeon://x", "http://[::1", "socks9://x"])
def test_a_proxy_that_cannot_be_used_is_a_bad_setting(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the variable and not its value, which may hold a password."""
    monkeypatch.setenv("https_proxy", address)
    with pytest.raises(SetupError) as caught:
        Http(use_proxy_env=True)
    assert caught.value.code == "bad_settings"
    assert "HTTPS_PROXY" in caught.value.message
    assert address not in caught.value.message


def test_a_route_has_no_use_for_a_broken_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not even looked at."""
    monkeypatch.setenv("https_proxy", "carrier-pigeon://x")
    Http(route_to="http://127.0.0.1:1", use_proxy_env=True)


def test_certificates_that_cannot_be_read_are_a_bad_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing file, or one that holds no certificate."""
    rubbish = tmp_path / "rubbish.pem"
    rubbish.write_text("no certificate")
    for path in (tmp_path / "missing.pem", rubbish):
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        with pytest.raises(SetupError, match="certificates") as caught:
            Http()
        assert caught.value.code == "bad_settings"


def test_a_route_needs_no_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is plain http to this machine."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    Http(route_to="http://127.0.0.1:1")


def test_a_bad_route_is_refused_when_the_client_is_made() -> None:
    """Before any request."""
    with pytest.raises(SetupError):
        Http(route_to="http://example.org:80")


async def test_a_route_to_localhost_finds_the_address_that_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name may have several loopback addresses and its server only one of them."""
    monkeypatch.setattr("twitter_tool.http.gateway.loopback_addresses", lambda _origin: ("127.0.0.99", "127.0.0.1"))
    async with serving(fixed(answer(PAGE))) as server:
        client = Http(route_to=f"http://localhost:{server.port}")
        response = await client.get(URL, params=[("a", "b c")], headers={}, max_bytes=100, timeout_s=5)
        await client.aclose()
    assert response.body == PAGE
    assert server.heads[0].startswith("GET /twitter/tweet/replies?a=b%20c HTTP/1.1")


async def test_an_address_that_cannot_be_asked_is_a_failure_like_any_other() -> None:
    """No exception of the library comes through."""
    client = Http()
    for url in ("gopher://example.org/", "https:///nowhere"):
        with pytest.raises(HttpFailure):
            await client.get(url, headers={}, max_bytes=100, timeout_s=5)
    await client.aclose()


async def test_a_cancelled_request_closes_its_connection_and_leaves_no_task() -> None:
    """While waiting for headers as well as in the middle of a body."""
    for wire in (b"", b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"):
        async with serving(stalling(wire)) as server:
            before = asyncio.all_tasks()
            client = Http(route_to=server.origin)
            call = asyncio.ensure_future(client.get(URL, headers={}, max_bytes=100, timeout_s=30))
            await server.asked.wait()
            await asyncio.sleep(0.02)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await server.all_closed()
            await asyncio.sleep(0.01)
            assert asyncio.all_tasks() <= before
            await client.aclose()


async def test_a_client_stays_usable_after_failures_of_every_kind() -> None:
    """No failed exchange leaves a broken connection in the pool."""
    wires = [
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{",
        answer(b"x" * 50_000),
        answer(PAGE, "Content-Encoding: br"),
        answer(PAGE, "Content-Encoding: gzip"),
        answer(PAGE),
    ]

    async def each(server: RawServer, writer: asyncio.StreamWriter) -> None:
        wire = wires[len(server.heads) - 1]
        writer.write(wire)
        if b"500" in wire[:50]:
            writer.close()

    async with serving(each) as server:
        client = Http(route_to=server.origin)
        found = [trouble(await client.get(URL, headers={}, max_bytes=1000, timeout_s=5)) for _ in wires]
        await client.aclose()
    assert found == ["cut", "oversize", "encoding", "encoding", None]


async def test_the_moment_of_sending_is_told_once_the_request_is_on_the_wire() -> None:
    """After connecting and before the answer, once."""
    told: list[int] = []
    async with serving(fixed(answer(PAGE))) as server:
        client = Http(route_to=server.origin)
        request = client.prepare(URL, headers={})
        await client.send(request, max_bytes=100, timeout_s=5, on_sent=lambda: told.append(server.connections))
        await client.aclose()
    assert len(told) == 1
    given = Http(transport=httpx.MockTransport(lambda _request: httpx.Response(200, content=PAGE)))
    await given.send(given.prepare(URL, headers={}), max_bytes=100, timeout_s=5, on_sent=lambda: told.append(9))
    assert told[1:] == [9]


@pytest.fixture
def plain_text_port() -> Iterator[int]:
    """A server that speaks no TLS."""
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    server.RequestHandlerClass.log_message = lambda *_args: None
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


async def test_a_failed_secure_handshake_is_a_connection_failure(plain_text_port: int) -> None:
    """Errors of the TLS library do not come through either."""
    client = Http()
    with pytest.raises(HttpFailure) as caught:
        await client.get(f"https://127.0.0.1:{plain_text_port}/", headers={}, max_bytes=100, timeout_s=5)
    await client.aclose()
    assert (caught.value.kind, caught.value.reason) == ("connect", "the secure connection failed")
