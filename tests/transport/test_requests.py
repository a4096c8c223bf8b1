"""Requests other than a plain GET: their methods, what they carry, and what is read of their answers."""

from __future__ import annotations

import asyncio
import contextlib
import email
import email.policy
import hashlib
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from raw_server import RawServer, Received, Script, answer, fixed, serving, stalling

from twitter_tool.http import MAX_ERROR_BYTES, FormPart, Http, HttpFailure, HttpResponse, Method, in_process
from twitter_tool.text import without_surrogates

PAGE = b'{"ok":true}'
URL = "https://api.example.org/v1/files"
MIB = 1024 * 1024
UNREADABLE = Path("/proc/self/mem")


@contextlib.asynccontextmanager
async def asking(script: Script) -> AsyncIterator[tuple[RawServer, Http]]:
    """A server and a client that leaves no connection open."""
    async with serving(script) as server:
        http = Http(route_to=server.origin)
        try:
            yield server, http
        finally:
            await http.aclose()
            await server.all_closed()


@contextlib.asynccontextmanager
async def connected(reading: Callable[[asyncio.StreamReader], Awaitable[None]]) -> AsyncIterator[Http]:
    """A client of a server that reads one connection in its own way; the server's end is waited for."""
    ended = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reading(reader)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
        ended.set()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    http = Http(route_to=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    yield http
    async with asyncio.timeout(5):
        await ended.wait()
    await http.aclose()
    server.close()
    await server.wait_closed()


async def request(http: Http, method: Method, **more: Any) -> HttpResponse:
    return await http.request(method, URL, **{"max_bytes": 10_000, "timeout_s": 5.0, **more})


async def send(script: Script, method: Method = "POST", **more: Any) -> tuple[HttpResponse, str, Received]:
    """One request: its answer, its head as the server saw it, and its body."""
    async with asking(script) as (server, http):
        response = await request(http, method, **more)
    return response, server.heads[0], server.bodies[0]


def parts_of(head: str, body: bytes) -> list[tuple[str | None, str | None, str | None, bytes]]:
    """Name, file name, type and content of each part of a form, as the standard library reads it."""
    header = next(line for line in head.split("\r\n") if line.lower().startswith("content-type:"))
    message = email.message_from_bytes(header.encode() + b"\r\n\r\n" + body, policy=email.policy.HTTP)
    assert isinstance(message, EmailMessage)
    assert message.get_content_type() == "multipart/form-data"
    assert message.defects == []
    return [
        (
            part.get_param("name", header="content-disposition"),
            part.get_filename(),
            part["content-type"],
            part.get_payload(decode=True),
        )
        for part in message.iter_parts()
    ]


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_every_method_is_sent_and_its_answer_read(method: Method) -> None:
    """With the headers that were given beside our own; a request without a body says so or says nothing."""
    response, head, body = await send(fixed(answer(PAGE)), method, headers={"X-Goog-Api-Key": "secret-key"})
    assert (response.status, response.body) == (200, PAGE)
    assert head.startswith(f"{method} /v1/files HTTP/1.1\r\nHost: api.example.org\r\n")
    assert "\r\nX-Goog-Api-Key: secret-key\r\n" in head
    assert "\r\nUser-Agent: twitter-tool/" in head
    assert body.length == 0
    assert ("\r\nContent-Length: 0\r\n" in head) == (method == "POST")
    assert "transfer-encoding" not in head.lower()


async def test_the_headers_alone_can_be_asked_for() -> None:
    """The length that would come is told, however large; it is that of the unpacked body; the connection stays."""
    async with asking(fixed(b"HTTP/1.1 200 OK\r\nContent-Length: 40000000\r\n\r\n")) as (server, http):
        for _ in range(2):
            response = await request(http, "HEAD", max_bytes=0)
            assert (response.status, response.body, response.failure) == (200, b"", None)
            assert response.headers["content-length"] == "40000000"
    assert server.heads[0].startswith("HEAD /v1/files ")
    assert "\r\nAccept-Encoding: identity\r\n" in server.heads[0]
    assert server.connections == 1


async def test_a_stand_in_may_answer_with_a_body_to_a_question_for_headers() -> None:
    """It is no part of the answer, whatever the status."""
    for status in (200, 404):
        response = httpx.Response(status, content=PAGE)
        http = Http(transport=httpx.MockTransport(lambda _request, response=response: response))
        assert (await request(http, "HEAD")).body == b""


async def test_bytes_are_sent_with_their_length() -> None:
    """And with the type that was given."""
    _, head, body = await send(fixed(answer(PAGE)), body=b'{"a":1}', headers={"Content-Type": "application/json"})
    assert "\r\nContent-Length: 7\r\n" in head
    assert "\r\nContent-Type: application/json\r\n" in head
    assert body.data == b'{"a":1}'


@pytest.mark.parametrize("size", [0, 1, 65_536, 200_000])
async def test_a_file_is_sent_with_its_length(size: int, tmp_path: Path) -> None:
    """Not in chunks, since not every service takes those."""
    path = tmp_path / "clip.mp4"
    path.write_bytes(bytes(size))
    _, head, body = await send(fixed(answer(PAGE)), body=path, headers={"X-Goog-Upload-Offset": "0"})
    assert f"\r\nContent-Length: {size}\r\n" in head
    assert "transfer-encoding" not in head.lower()
    assert "\r\nX-Goog-Upload-Offset: 0\r\n" in head
    assert body.data == bytes(size)


@pytest.mark.parametrize("as_form", [False, True])
async def test_memory_stays_flat_for_a_large_file(as_form: bool, tmp_path: Path) -> None:
    """Sixty-four mebibytes are read while they are being sent, as a body or as a part of one."""
    path = tmp_path / "clip.mp4"
    with path.open("wb") as file:
        file.truncate(64 * MIB)
    what: dict[str, Any] = {"form": [FormPart(name="file", path=path)]} if as_form else {"body": path}
    async with asking(fixed(answer(PAGE))) as (server, http):
        tracemalloc.start()
        try:
            assert (await request(http, "POST", timeout_s=50, **what)).body == PAGE
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 4 * MIB
    if as_form:
        assert 64 * MIB < server.bodies[0].length < 64 * MIB + 1000
    else:
        assert server.bodies[0].digest == hashlib.sha256(bytes(64 * MIB)).hexdigest()


async def test_a_form_holds_texts_and_files_in_the_given_order(tmp_path: Path) -> None:
    """Parts of the same name included; a file's name and type are as told, else as its path says."""
    path = tmp_path / "clip-17.mp3"
    path.write_bytes(b"\r\n--not a boundary--\r\n\x00\xff")
    form = [
        FormPart(name="model", value="whisper-1"),
        FormPart(name="file", path=path, filename="audio.mp3", content_type="audio/mpeg"),
        FormPart(name="granularities[]", value="segment"),
        FormPart(name="granularities[]", value="wörd"),
        FormPart(name="extra", path=path),
    ]
    _, head, body = await send(fixed(answer(PAGE)), form=form)
    assert f"\r\nContent-Length: {body.length}\r\n" in head
    assert parts_of(head, body.data) == [
        ("model", None, None, b"whisper-1"),
        ("file", "audio.mp3", "audio/mpeg", path.read_bytes()),
        ("granularities[]", None, None, b"segment"),
        ("granularities[]", None, None, "wörd".encode()),
        ("extra", "clip-17.mp3", "audio/mpeg", path.read_bytes()),
    ]


async def test_no_two_forms_have_the_same_boundary() -> None:
    """What is sent cannot have been written with it in mind."""
    heads = set()
    for _ in range(2):
        _, head, _ = await send(fixed(answer(PAGE)), form=[FormPart(name="model", value="m")])
        heads.add(next(line for line in head.split("\r\n") if "boundary=" in line))
    assert len(heads) == 2


@given(st.text(st.characters()), st.text(st.characters()))
@example("\ud800", "\ud800")
@example('"; filename="x', "\r\n--")
def test_no_text_of_a_form_can_begin_a_part_of_its_own(name: str, value: str) -> None:
    """Whatever characters a name or a text is made of, the form has the parts that were given."""
    seen: list[httpx.Request] = []

    def answered(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200)

    http = Http(transport=httpx.MockTransport(answered))
    form = [FormPart(name="a" + name, value=value), FormPart(name="last", value="end")]
    asyncio.run(request(http, "POST", form=form))
    found = parts_of(f"Content-Type: {seen[0].headers['content-type']}\r\n", seen[0].content)
    assert [part[3] for part in found] == [without_surrogates(value).encode(), b"end"]


def test_a_part_of_a_form_is_a_text_or_a_file() -> None:
    """Not both, and not nothing."""
    for more in ({}, {"value": "x", "path": Path("x")}):
        with pytest.raises(ValueError, match="either"):
            FormPart(name="file", **more)


async def test_a_request_has_a_body_or_a_form() -> None:
    """Not both."""
    http = Http(transport=httpx.MockTransport(lambda _request: httpx.Response(200)))
    with pytest.raises(ValueError, match="either"):
        await request(http, "POST", body=b"x", form=[FormPart(name="a", value="b")])


async def test_a_file_that_cannot_be_opened_is_a_failure_of_the_disk(tmp_path: Path) -> None:
    """Before anything is sent, and without its path in the words."""
    missing = tmp_path / "missing.mp4"
    whats: list[dict[str, Any]] = [
        {"body": missing},
        {"form": [FormPart(name="file", path=missing)]},
        {"body": tmp_path},
    ]
    async with asking(fixed(answer(PAGE))) as (server, http):
        for what in whats:
            with pytest.raises(HttpFailure) as caught:
                await request(http, "POST", **what)
            assert caught.value.kind == "disk"
            assert caught.value.reason.startswith("a file cannot be read: ")
            assert str(tmp_path) not in caught.value.reason
    assert server.connections == 0


@pytest.mark.skipif(not UNREADABLE.exists(), reason="this system has no file that opens and cannot be read")
async def test_a_file_that_cannot_be_read_is_a_failure_of_the_disk() -> None:
    """Although it could be opened."""
    http = Http(transport=httpx.MockTransport(lambda _request: httpx.Response(200)))
    with pytest.raises(HttpFailure) as caught:
        await request(http, "POST", form=[FormPart(name="file", path=UNREADABLE)])
    assert (caught.value.kind, caught.value.reason) == ("disk", "a file cannot be read: Input/output error")


async def test_a_file_that_shrinks_while_it_is_sent_is_a_failure_of_the_disk(tmp_path: Path) -> None:
    """The receiver gets no whole body, so that it cannot take the rest for one."""
    path = tmp_path / "clip.mp4"
    with path.open("wb") as file:
        file.truncate(64 * MIB)
    received = asyncio.get_running_loop().create_future()

    async def shrink(reader: asyncio.StreamReader) -> None:
        await reader.readuntil(b"\r\n\r\n")
        with path.open("wb"):
            pass
        received.set_result(len(await reader.read()))

    async with connected(shrink) as http:
        with pytest.raises(HttpFailure) as caught:
            await request(http, "POST", body=path)
        assert await received < 64 * MIB
    assert (caught.value.kind, caught.value.reason) == ("disk", "a file became shorter while it was being sent")


@pytest.mark.parametrize("as_form", [False, True])
async def test_a_cancelled_upload_closes_its_connection_and_leaves_no_task(as_form: bool, tmp_path: Path) -> None:
    """Nor is the file kept open."""
    path = tmp_path / "clip.mp4"
    with path.open("wb") as file:
        file.truncate(64 * MIB)
    what: dict[str, Any] = {"form": [FormPart(name="file", path=path)]} if as_form else {"body": path}
    begun, given_up = asyncio.Event(), asyncio.Event()

    async def reluctant(reader: asyncio.StreamReader) -> None:
        await reader.readuntil(b"\r\n\r\n")
        begun.set()
        await given_up.wait()
        with contextlib.suppress(ConnectionError):
            while await reader.read(MIB):
                pass

    async with connected(reluctant) as http:
        before = asyncio.all_tasks()
        call = asyncio.ensure_future(request(http, "POST", timeout_s=30, **what))
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert len(asyncio.all_tasks() - before) == 1  # the server's own, for this connection
        given_up.set()


async def test_a_refused_upload_is_told_in_the_service_s_words() -> None:
    """Its status, its headers and the beginning of what it says are there for whoever asked."""
    wire = answer(b'{"error":"bad model"}', "X-Request-Id: 7", status="400 Bad Request")
    response, _, _ = await send(fixed(wire), body=b"{}")
    assert (response.status, response.body, response.headers["x-request-id"]) == (400, b'{"error":"bad model"}', "7")
    response, _, _ = await send(
        fixed(answer(b"x" * (MAX_ERROR_BYTES + 1), status="500 Error")), body=b"", max_bytes=MIB
    )
    assert response.failure is not None
    assert (response.status, response.failure.kind) == (500, "oversize")


async def test_a_refused_upload_s_words_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The status has said the most important thing."""
    monkeypatch.setattr("twitter_tool.http.body.ERROR_BODY_S", 0.05)
    script = stalling(b"HTTP/1.1 429 Slow\r\nContent-Length: 50\r\n\r\n{")
    response, _, _ = await send(script, body=b"{}", timeout_s=30)
    assert response.failure is not None
    assert (response.status, response.failure.kind) == (429, "stalled")


@pytest.mark.parametrize("status", ["302 Found", "307 Temporary", "308 Permanent"])
async def test_an_upload_is_not_sent_again_where_an_answer_points(status: str, tmp_path: Path) -> None:
    """One request, one body."""
    path = tmp_path / "clip.mp4"
    path.write_bytes(b"clip")
    async with asking(fixed(answer(b"", "Location: https://elsewhere.example/", status=status))) as (server, http):
        response = await request(http, "POST", body=path)
    assert (response.status, response.body, len(server.heads)) == (int(status[:3]), b"", 1)


async def test_the_address_for_an_upload_is_read_from_its_header() -> None:
    """Whatever the case of the header's name on the wire."""
    script = fixed(answer(b"", "X-Goog-Upload-URL: https://api.example.org/upload/1?id=A%2Fb"))
    response, _, _ = await send(script, headers={"X-Goog-Upload-Command": "start"})
    assert response.headers["x-goog-upload-url"] == "https://api.example.org/upload/1?id=A%2Fb"


@pytest.mark.parametrize("url", ["http://[::1", "https://a b/", "https://a\nb/", "https://x:port/", "https:///x", "x"])
async def test_an_address_that_cannot_be_asked_is_a_failure_like_any_other(url: str) -> None:
    """For every way of asking; the address is not in the words."""
    http = Http()
    ways = [
        lambda: http.get(url, headers={}, max_bytes=9, timeout_s=5),
        lambda: http.request("POST", url, max_bytes=9, timeout_s=5),
        lambda: http.download(url, into=Path("x"), accepts=lambda *_: True, max_bytes=9, timeout_s=5),
    ]
    for way in ways:
        with pytest.raises(HttpFailure) as caught:
            await way()
        assert caught.value.kind == "connect"
        assert "://" not in caught.value.reason
    await http.aclose()


@pytest.mark.parametrize("value", ["ключ", "key\r\nX-Other: 1", "key\x00", "\ud800"])
async def test_a_header_that_cannot_be_sent_is_a_failure_like_any_other(value: str) -> None:
    """It is not in the words: it may be a key."""
    async with asking(fixed(answer(PAGE))) as (server, http):
        with pytest.raises(HttpFailure) as caught:
            await request(http, "POST", headers={"Authorization": f"Bearer {value}"})
        assert caught.value.kind == "connect"
        assert "Bearer" not in caught.value.reason
        assert server.heads == []


async def test_a_stand_in_in_this_process_takes_files_and_forms(tmp_path: Path) -> None:
    """As a server would."""
    path = tmp_path / "clip.mp4"
    path.write_bytes(b"clip")
    seen: list[bytes] = []

    async def app(_scope: Any, receive: Any, respond: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        seen.append(body)
        await respond({"type": "http.response.start", "status": 200, "headers": []})
        await respond({"type": "http.response.body", "body": PAGE})

    http = Http(transport=in_process(app))
    assert (await request(http, "POST", body=path)).body == PAGE
    assert (await request(http, "POST", form=[FormPart(name="file", path=path)])).body == PAGE
    assert seen[0] == b"clip"
    assert b'name="file"; filename="clip.mp4"' in seen[1]
