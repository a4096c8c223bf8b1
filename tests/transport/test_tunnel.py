"""What a proxy's tunnel means for the moment of sending: asking for one is not yet the request."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from certificates import make_certificate
from loopback_server import LoopbackServer, listening, read_head
from raw_server import answer, fixed, serving

from twitter_tool.http import Http, HttpFailure

HOST = "upstream.example"


class Tunnel(LoopbackServer):
    """A proxy that leads every tunnel to one port of this machine."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._to = port
        self.asked: list[str] = []

    async def exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        method, target, _ = await read_head(reader)
        self.asked.append(f"{method} {target}")
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await asyncio.gather(_carry(reader, far_writer), _carry(far_reader, writer))
        return False


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(65_536):
        writer.write(piece)
    writer.close()


async def test_a_request_through_a_tunnel_is_sent_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told when it is on its way to the service itself, also when the tunnel is used again."""
    made = make_certificate(tmp_path, HOST)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.path))
    told: list[int] = []
    async with serving(fixed(answer(b"seen")), tls=made.context) as service, listening(Tunnel(service.port)) as proxy:
        monkeypatch.setenv("https_proxy", proxy.origin)
        client = Http(use_proxy_env=True)
        for _ in range(2):
            response = await client.request(
                "POST",
                f"https://{HOST}/x",
                body=b"clip",
                max_bytes=100,
                timeout_s=10,
                on_sent=lambda: told.append(len(proxy.asked)),
            )
            assert response.body == b"seen"
        await client.aclose()
        await service.all_closed()
    assert (told, proxy.asked) == ([1, 1], [f"CONNECT {HOST}:443"])
    assert [body.data for body in service.bodies] == [b"clip", b"clip"]


async def test_a_refused_tunnel_carries_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the proxy was asked, so nothing was sent."""
    told: list[int] = []
    async with serving(fixed(answer(b"", status="403 Forbidden"))) as proxy:
        monkeypatch.setenv("https_proxy", proxy.origin)
        client = Http(use_proxy_env=True)
        with pytest.raises(HttpFailure) as caught:
            await client.request(
                "POST", f"https://{HOST}/x", body=b"clip", max_bytes=100, timeout_s=10, on_sent=lambda: told.append(1)
            )
        await client.aclose()
    assert (caught.value.kind, told) == ("connect", [])
