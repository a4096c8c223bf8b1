"""What the transport of model calls reads out of a body in passing, and what it does not let out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from twitter_tool.models.guard import Exchange, Guard

ADDRESS = "http://127.0.0.1:9/v1/chat/completions"
SAID = b'data: {"choices": [{"delta": {"content": "it says\\ndata: [DONE] and"}}]}\n\n'


async def exchanged(*chunks: bytes) -> Exchange:
    """What is known after a body that came in these pieces."""

    async def body() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    exchange = Exchange()
    network = httpx.MockTransport(lambda _request: httpx.Response(200, content=body()))
    response = await Guard(network, exchange, api_base=None).handle_async_request(httpx.Request("POST", ADDRESS))
    await response.aread()
    return exchange


@pytest.mark.parametrize(
    "end",
    [b"data: [DONE]", b"data:[DONE]\n\n", b"data: \t[DONE]\r\n", SAID + b"data: [DONE]\n\n", SAID + b"\rdata: [DONE]"],
)
async def test_a_line_that_says_done_ends_a_stream(end: bytes) -> None:
    """Be it the first, after any kind of line break, and wherever the pieces are cut."""
    assert (await exchanged(end)).ended
    for cut in range(1, len(end)):
        assert (await exchanged(end[:cut], end[cut:])).ended


@pytest.mark.parametrize(
    "words", [SAID, b"event: data: [DONE]\n\n", b": data: [DONE]\n\n", b"[DONE]\n\n", b"data: [DONE", b"data: DONE]"]
)
async def test_the_same_words_in_the_middle_of_a_line_do_not(words: bytes) -> None:
    """They are the model's, or nobody's."""
    assert not (await exchanged(words)).ended
    for cut in range(1, len(words)):
        assert not (await exchanged(words[:cut], words[cut:])).ended


async def test_a_request_that_has_lost_something_is_not_sent() -> None:
    """One byte too short is too short; one whose length nobody knows is let through."""
    sent: list[int] = []

    def network(request: httpx.Request) -> httpx.Response:
        sent.append(int(request.headers.get("content-length", -1)))
        return httpx.Response(200)

    async def ask(**body: Any) -> Exchange:
        exchange = Exchange()
        guard = Guard(httpx.MockTransport(network), exchange, api_base=None, least_bytes=10)
        await guard.handle_async_request(httpx.Request("POST", ADDRESS, **body))
        return exchange

    async def pieces() -> AsyncIterator[bytes]:
        yield b"x"

    assert (await ask(content=b"x" * 10)).fault is None
    assert (await ask(content=pieces())).fault is None
    assert sent == [10, -1]
    with pytest.raises(httpx.UnsupportedProtocol, match="left out"):
        await ask(content=b"x" * 9)
    assert sent == [10, -1]
