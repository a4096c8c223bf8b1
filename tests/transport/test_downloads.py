"""A body on its way into a file: what is wanted, what is refused, and that nothing is left of what failed."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import hashlib
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from raw_server import RawServer, Script, answer, fixed, serving, stalling

from twitter_tool.http import Http, HttpFailure, HttpResponse

CLIP = bytes(range(256)) * 300
URL = "https://video.example.org/clip.mp4"
MIB = 1024 * 1024


def anything(_status: int, _headers: Mapping[str, str]) -> bool:
    return True


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


async def download(http: Http, into: Path, **more: Any) -> HttpResponse:
    options = {"accepts": anything, "max_bytes": 10 * MIB, "timeout_s": 5.0, **more}
    return await http.download(URL, into=into, **options)


async def attempt(script: Script, folder: Path, **more: Any) -> HttpResponse:
    """One download into an empty folder, which stays empty unless it succeeds."""
    async with asking(script) as (_, http):
        response = await download(http, folder / "clip.mp4", **more)
    if response.body is None:
        assert files_in(folder) == {}
    return response


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def trouble(response: HttpResponse) -> str | None:
    assert response.body is None
    return response.failure.kind if response.failure else None


async def test_a_wanted_body_becomes_the_file(tmp_path: Path) -> None:
    """And nothing else is left beside it."""
    response = await attempt(fixed(answer(CLIP, "Content-Type: video/mp4")), tmp_path)
    assert (response.status, response.body, response.failure) == (200, b"", None)
    assert response.headers["content-type"] == "video/mp4"
    assert files_in(tmp_path) == {"clip.mp4": CLIP}


async def test_a_body_is_asked_for_unpacked(tmp_path: Path) -> None:
    """Whatever else is sent along, the bytes of the file are the bytes of the wire."""
    async with asking(fixed(answer(CLIP))) as (server, http):
        await download(http, tmp_path / "clip.mp4", headers={"Accept": "video/mp4", "Accept-Encoding": "br"})
    head = server.heads[0]
    assert head.startswith("GET /clip.mp4 HTTP/1.1\r\n")
    assert "\r\nAccept-Encoding: identity\r\n" in head
    assert head.lower().count("accept-encoding") == 1
    assert "\r\nAccept: video/mp4\r\n" in head


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "whatever"])
async def test_a_packed_body_is_not_taken(encoding: str, tmp_path: Path) -> None:
    """It was not asked for."""
    script = fixed(answer(gzip.compress(CLIP), f"Content-Encoding: {encoding}"))
    assert trouble(await attempt(script, tmp_path)) == "encoding"


async def test_what_is_not_wanted_is_not_read(tmp_path: Path) -> None:
    """Status and headers decide, before any of the body has arrived."""
    seen: list[tuple[int, str]] = []

    def refuse(status: int, headers: Mapping[str, str]) -> bool:
        seen.append((status, headers["content-type"]))
        return False

    head = b"HTTP/1.1 206 Part\r\nContent-Type: video/webm\r\nContent-Length: 9\r\n\r\n"
    response = await attempt(stalling(head), tmp_path, accepts=refuse, timeout_s=30)
    assert (response.status, trouble(response)) == (206, None)
    assert seen == [(206, "video/webm")]


@pytest.mark.parametrize("status", ["302 Found", "308 Permanent", "304 Not Modified", "404 Not Found", "503 Later"])
async def test_only_a_success_is_ever_wanted(status: str, tmp_path: Path) -> None:
    """Neither a redirect nor a page about an error becomes a file, and one request is made."""
    head = f"HTTP/1.1 {status}\r\nLocation: /elsewhere\r\nContent-Length: 50\r\n\r\n".encode()
    async with asking(stalling(head)) as (server, http):
        response = await download(http, tmp_path / "clip.mp4", timeout_s=30)
    assert (response.status, trouble(response)) == (int(status[:3]), None)
    assert (len(server.heads), files_in(tmp_path)) == (1, {})


async def test_a_promised_length_over_the_limit_is_refused_without_reading(tmp_path: Path) -> None:
    """Not a byte has to arrive."""
    script = stalling(b"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
    assert trouble(await attempt(script, tmp_path, max_bytes=1000, timeout_s=30)) == "oversize"


async def test_a_body_without_a_promised_length_is_left_at_the_limit(tmp_path: Path) -> None:
    """The connection is closed instead of drained."""

    async def endless(server: RawServer, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while not server.released.is_set():
            writer.write(b"x" * 10_000)
            await writer.drain()

    assert trouble(await attempt(endless, tmp_path, max_bytes=100_000, timeout_s=30)) == "oversize"


@pytest.mark.parametrize(("size", "expected"), [(1000, None), (1001, "oversize")])
async def test_exactly_the_limit_is_taken(size: int, expected: str | None, tmp_path: Path) -> None:
    """With its length told or not, or in chunks."""
    body = b"x" * size
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (size, body)
    for number, wire in enumerate((answer(body), b"HTTP/1.1 200 OK\r\n\r\n" + body, chunked)):
        folder = tmp_path / str(number)
        folder.mkdir()
        response = await attempt(fixed(wire, close=True), folder, max_bytes=1000)
        assert (response.failure.kind if response.failure else None) == expected


async def test_a_told_length_that_is_a_lie_cannot_enlarge_the_file(tmp_path: Path) -> None:
    """A stand-in's lengths are checked by nobody else: a larger body is stopped, a smaller one is no whole one."""

    def told(length: int, size: int) -> Http:
        response = httpx.Response(200, headers={"Content-Length": str(length)}, stream=_Stream(size))
        return Http(transport=httpx.MockTransport(lambda _request: response))

    for http, kind in ((told(10, 5000), "oversize"), (told(900, 899), "cut")):
        assert trouble(await download(http, tmp_path / "clip.mp4", max_bytes=1000)) == kind
        assert files_in(tmp_path) == {}


@pytest.mark.parametrize(
    "wire",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nbegin",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegin\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nbegin\r\n0\r\n\r\n",
    ],
    ids=["promised more", "no last chunk", "bad chunk size"],
)
async def test_nothing_is_left_of_a_body_that_ends_too_early(wire: bytes, tmp_path: Path) -> None:
    """Whatever told where its end should have been."""
    assert trouble(await attempt(fixed(wire, close=True), tmp_path)) == "cut"


async def test_nothing_is_left_of_a_body_that_does_not_end_in_time(tmp_path: Path) -> None:
    """One deadline from the start to the last byte."""
    script = stalling(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nbegin")
    assert trouble(await attempt(script, tmp_path, timeout_s=0.1)) == "stalled"


async def test_no_answer_at_all_is_told_as_for_any_request(tmp_path: Path) -> None:
    """As an exception, since there is no status to give back."""
    with pytest.raises(HttpFailure) as caught:
        await attempt(stalling(b""), tmp_path, timeout_s=0.1)
    assert caught.value.kind == "timeout"
    assert files_in(tmp_path) == {}


async def test_nothing_is_left_of_a_cancelled_download(tmp_path: Path) -> None:
    """Neither file nor connection nor task."""
    async with asking(stalling(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nbegin")) as (server, http):
        before = asyncio.all_tasks()
        begun = asyncio.Event()
        call = asyncio.ensure_future(
            download(http, tmp_path / "clip.mp4", timeout_s=30, on_bytes=lambda _received, _told: begun.set())
        )
        await begun.wait()
        assert len(files_in(tmp_path)) == 1
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert files_in(tmp_path) == {}
        await server.all_closed()
        assert asyncio.all_tasks() <= before


async def test_nothing_is_left_when_whoever_watches_fails(tmp_path: Path) -> None:
    """Their exception comes through."""

    def fail(_received: int, _told: int | None) -> None:
        raise LookupError("no more")

    with pytest.raises(LookupError):
        await attempt(fixed(answer(CLIP)), tmp_path, on_bytes=fail)
    assert files_in(tmp_path) == {}


async def test_an_older_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    """It is replaced at once, or not at all."""
    into = tmp_path / "clip.mp4"
    into.write_bytes(b"older")
    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nbegin"
    async with asking(fixed(cut, close=True)) as (_, http):
        assert trouble(await download(http, into)) == "cut"
    assert files_in(tmp_path) == {"clip.mp4": b"older"}
    async with asking(fixed(answer(CLIP))) as (_, http):
        await download(http, into)
    assert files_in(tmp_path) == {"clip.mp4": CLIP}


async def test_the_bytes_so_far_are_told_with_the_length_that_was_promised(tmp_path: Path) -> None:
    """Growing, up to the whole; without a length it is not known."""
    for wire, told in ((answer(CLIP), len(CLIP)), (b"HTTP/1.1 200 OK\r\n\r\n" + CLIP, None)):
        seen: list[tuple[int, int | None]] = []
        await attempt(fixed(wire, close=True), tmp_path, on_bytes=lambda *figures, seen=seen: seen.append(figures))
        counts = [received for received, _ in seen]
        assert counts == sorted(counts)
        assert counts[-1] == len(CLIP)
        assert {total for _, total in seen} == {told}


async def test_a_folder_that_is_not_there_is_a_failure_of_the_disk(tmp_path: Path) -> None:
    """In the system's words and without the path."""
    async with asking(fixed(answer(CLIP))) as (_, http):
        response = await download(http, tmp_path / "missing" / "clip.mp4")
    assert trouble(response) == "disk"
    assert response.failure is not None
    assert response.failure.reason == "a file cannot be written: No such file or directory"


@pytest.mark.parametrize("size", [3000, 500_000])
async def test_a_full_disk_is_a_failure_of_the_disk(size: int, small_files: Callable[[], Any], tmp_path: Path) -> None:
    """Whether it shows in the middle or when the last bytes are written out; nothing is left of the file."""
    async with asking(fixed(answer(b"x" * size))) as (_, http):
        with small_files():
            response = await download(http, tmp_path / "clip.mp4")
    assert trouble(response) == "disk"
    assert response.failure is not None
    assert response.failure.reason == "a file cannot be written: File too large"
    assert files_in(tmp_path) == {}


async def test_a_disk_that_stays_full_leaves_nothing_either(small_files: Callable[[], Any], tmp_path: Path) -> None:
    """When what was held back cannot be written at the end any more than before."""
    response = httpx.Response(200, stream=_Stream(50_000))
    http = Http(transport=httpx.MockTransport(lambda _request: response))
    with small_files():
        assert trouble(await download(http, tmp_path / "clip.mp4")) == "disk"
    assert files_in(tmp_path) == {}


async def test_memory_stays_flat_for_a_large_body(tmp_path: Path) -> None:
    """Sixty-four mebibytes pass through on their way to the disk."""
    piece = b"0123456789abcdef" * 4096

    async def large(_server: RawServer, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (64 * MIB))
        for _ in range(64 * MIB // len(piece)):
            writer.write(piece)
            await writer.drain()

    async with asking(large) as (_, http):
        tracemalloc.start()
        try:
            response = await download(http, tmp_path / "clip.mp4", max_bytes=64 * MIB, timeout_s=50)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert response.body == b""
    assert peak < 4 * MIB
    with (tmp_path / "clip.mp4").open("rb") as file:
        assert hashlib.file_digest(file, "sha256").digest() == hashlib.sha256(piece * 1024).digest()


async def test_a_stand_in_serves_downloads_too(tmp_path: Path) -> None:
    """In process, without a port."""
    http = Http(transport=httpx.MockTransport(lambda _request: httpx.Response(200, content=CLIP)))
    assert (await download(http, tmp_path / "clip.mp4")).body == b""
    assert (tmp_path / "clip.mp4").read_bytes() == CLIP


class _Stream(httpx.AsyncByteStream):
    def __init__(self, size: int) -> None:
        self._left = size

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self._left:
            piece = b"x" * min(self._left, 100)
            self._left -= len(piece)
            yield piece


@pytest.fixture
def small_files() -> Callable[[], Any]:
    """Within its blocks, no file of this process may grow beyond 2 KiB."""
    resource = pytest.importorskip("resource", reason="the size of files cannot be limited on this system")

    @contextlib.contextmanager
    def limited() -> Iterator[None]:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return limited
