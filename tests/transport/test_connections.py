"""The pools of one tool: what each of them is for, when it comes to be, and that all of them are closed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from raw_server import answer, fixed, serving

from twitter_tool.connections import Connections
from twitter_tool.http import Http, HttpFailure
from twitter_tool.settings import Settings

PAGE = b"{}"
Ways = tuple[Callable[[Settings], Http], Callable[[Settings], Http], Callable[[Settings], Http]]


class Stand(httpx.MockTransport):
    """A given transport that answers everything."""

    def __init__(self) -> None:
        super().__init__(lambda _request: httpx.Response(200, content=b"stand-in"))


@contextlib.asynccontextmanager
async def connections(transport: httpx.AsyncBaseTransport | None = None) -> AsyncIterator[Connections]:
    made = Connections(transport)
    try:
        yield made
    finally:
        await made.aclose()


def ways_of(made: Connections) -> Ways:
    return made.pool, made.media, made.endpoints


def settings(**values: object) -> Settings:
    return Settings().replaced("user", **values)


async def body(http: Http, url: str) -> bytes | None:
    return (await http.get(url, headers={}, max_bytes=1000, timeout_s=5)).body


async def test_each_way_out_has_a_pool_of_its_own() -> None:
    """Made when first asked for, and the same one from then on."""
    async with connections() as made:
        for number, way in enumerate(ways_of(made)):
            assert len(made._pools) == number
            assert way(settings()) is way(settings())
        assert len({id(pool) for pool in made._pools.values()}) == 3


async def test_media_come_over_a_given_transport_or_the_route() -> None:
    """As the upstream's own answers do, without a look-up of the hosts."""
    async with connections(Stand()) as made:
        assert await body(made.media(settings()), "https://pbs.twimg.com/media/a.png") == b"stand-in"
    async with serving(fixed(answer(b"routed"))) as server, connections() as made:
        assert (
            await body(made.media(settings(route_to=server.origin)), "https://pbs.twimg.com/media/a.png") == b"routed"
        )
        assert "\r\nHost: pbs.twimg.com\r\n" in server.heads[0]


async def test_media_come_from_public_hosts_only() -> None:
    """The other pools are not restricted: the sandbox and models of one's own are on this machine."""
    async with serving(fixed(answer(PAGE))) as server, connections() as made:
        with pytest.raises(HttpFailure) as caught:
            await body(made.media(settings()), f"{server.origin}/a.png")
        assert caught.value.kind == "forbidden"
        assert server.connections == 0
        assert await body(made.endpoints(settings()), f"{server.origin}/v1") == PAGE
        assert await body(made.pool(settings()), f"{server.origin}/v1") == PAGE


async def test_endpoints_are_always_asked_over_the_network() -> None:
    """A service that was named is meant, whatever stands in for the upstream."""
    async with serving(fixed(answer(PAGE))) as server, connections(Stand()) as made:
        assert await body(made.endpoints(settings()), f"{server.origin}/v1") == PAGE
    async with (
        serving(fixed(answer(PAGE))) as server,
        serving(fixed(answer(b"routed"))) as stand_in,
        connections() as made,
    ):
        routed = settings(route_to=stand_in.origin)
        assert await body(made.endpoints(routed), f"{server.origin}/v1") == PAGE
        assert stand_in.heads == []
        assert made.endpoints(routed) is made.endpoints(settings())


async def test_an_asked_for_proxy_is_used_for_media_and_endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks up the hosts."""
    async with serving(fixed(answer(b"proxied"))) as proxy, connections() as made:
        monkeypatch.setenv("http_proxy", proxy.origin)
        for way in (made.media, made.endpoints):
            assert await body(way(settings(use_proxy_env=True)), "http://service.invalid/v1") == b"proxied"
            with pytest.raises(HttpFailure):
                await body(way(settings()), "http://service.invalid/v1")


async def test_closing_closes_the_pools_of_every_way() -> None:
    """No connection of theirs stays open."""
    async with serving(fixed(answer(PAGE))) as server:
        made = Connections(None)
        routed = settings(route_to=server.origin)
        for way in ways_of(made):
            await body(way(routed), f"{server.origin}/x")
        assert server.open_connections == 3
        await made.aclose()
        await server.all_closed()
        assert made._pools == {}


def test_pools_of_a_finished_loop_are_forgotten() -> None:
    """The next loop gets pools of its own, of every way."""
    made = Connections(Stand())
    seen: list[Http] = []

    async def use() -> None:
        seen.extend(way(settings()) for way in (made.pool, made.media))

    asyncio.run(use())
    asyncio.run(use())
    assert len({id(pool) for pool in seen}) == 4
    assert len(made._pools) == 2
