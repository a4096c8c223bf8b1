from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from twitter_tool.sandbox import Sandbox, hints


class Api:
    """Asks a sandbox in process and walks its pages."""

    def __init__(self, client: httpx.AsyncClient, sandbox: Sandbox) -> None:
        self.client = client
        self.sandbox = sandbox

    async def get(self, path: str, *, fault: str = "", **params: object) -> httpx.Response:
        headers = {"x-sandbox-fault": fault} if fault else {}
        return await self.client.get(path, params=params, headers=headers)

    async def body(self, path: str, *, fault: str = "", **params: object) -> dict:
        answer = await self.get(path, fault=fault, **params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def walk(self, path: str, *, fault: str = "", limit: int = 60, **params: object) -> list[dict]:
        """The bodies of all pages, in order."""
        pages, cursor = [], ""
        while len(pages) < limit:
            extra = {"cursor": cursor} if cursor else {}
            pages.append(await self.body(path, fault=fault, **params, **extra))
            cursor = pages[-1]["next_cursor"]
            if pages[-1]["has_next_page"] is not True or not cursor:
                break
        return pages


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox()


@pytest.fixture
async def api(sandbox: Sandbox) -> AsyncIterator[Api]:
    transport = httpx.ASGITransport(app=sandbox)
    headers = {"X-API-Key": "any-key"}
    async with httpx.AsyncClient(transport=transport, base_url="http://sandbox", headers=headers) as client:
        yield Api(client, sandbox)


@pytest.fixture(scope="session")
def hint() -> dict[str, str]:
    return dict(hints())
