"""The client of LiteLLM, for the tests that ask a server on loopback through it."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator

import pytest
from llm_server import answers, completion, serving
from model_samples import PROMPT, model

from twitter_tool.models.litellm_client import LiteLLMClient

_warm: list[bool] = []
"""Not empty once LiteLLM has answered: its first call alone loads more of it."""


@pytest.fixture
async def client() -> AsyncIterator[LiteLLMClient]:
    """A client that leaves nothing open and nothing running."""
    before = asyncio.all_tasks()
    client = LiteLLMClient(timeout_s=30)
    await client.ready()
    if not _warm:
        async with serving(answers(completion())) as server:
            await client.complete(model(api_base=server.base), PROMPT, max_output_tokens=50)
        _warm.append(True)
    yield client
    await client.aclose()
    await asyncio.sleep(0)
    left = asyncio.all_tasks() - before - {asyncio.current_task()}
    assert not left, "tasks were left behind"
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("litellm")]
    gc.collect()  # an unclosed socket would warn now, and a warning is an error
