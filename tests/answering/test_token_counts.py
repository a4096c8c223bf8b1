"""Token counts that nobody can read cost no answer, whole or streamed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import httpx
import pytest
from answering_calls import LITELLM, LOCAL, Asking, LlmServer, Model, Upstream, answers, completion, posts, scripted
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.models.counts import MendedBody, mended
from twitter_tool.models.facts import ModelFacts
from twitter_tool.models.litellm_client import LiteLLMClient
from twitter_tool.models.reply import Prompt

BROKEN = [
    {"prompt_tokens": "many"},
    {"prompt_tokens": 1.5, "completion_tokens": {"a": 1}},
    {"prompt_tokens": [3], "prompt_tokens_details": []},
    {"prompt_tokens": True, "prompt_tokens_details": {"cached_tokens": "no"}},
    [],
    "none",
    7,
]
COUNTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(("prompt_tokens", "cost", "eval_count")), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("usage", BROKEN, ids=str)
class TestBroken:
    """Whatever stands in place of the counts."""

    pytestmark: ClassVar = [*LITELLM, pytest.mark.filterwarnings("ignore:Accessing the 'model_.*' attribute")]

    async def test_a_whole_answer_is_kept_and_the_model_is_asked_once(
        self, usage: Any, llm: LlmServer, model: Model
    ) -> None:
        """It was paid for; asking again would be paid for too."""
        body = completion()
        body["usage"] = usage
        llm.scripts[:] = [answers(body)]
        result = await Asking(Upstream(posts("one")), model.settings())()
        assert "An answer." in result.content
        assert len(llm.asked) == 1
        assert result.details["usage"]["synthesisFailures"] == 0

    async def test_a_streamed_answer_is_kept(self, usage: Any, llm: LlmServer) -> None:
        """The counts come in its last event."""
        frame = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []}
        last = scripted.event({**frame, "usage": usage})
        parts = (scripted.chunk("An "), scripted.chunk("answer."), scripted.chunk(finish="stop"))
        llm.scripts[:] = [scripted.streams(*parts, last, scripted.DONE)]
        facts = ModelFacts(
            name=LOCAL,
            provider="openai",
            call_name=LOCAL,
            context_window=9_000,
            max_output_tokens=99,
            api_base=llm.base,
            api_key="no-key",
        )
        client, seen = LiteLLMClient(timeout_s=30), list[str]()
        prompt = Prompt(system="s", user="u")
        reply = await client.complete(facts, prompt, max_output_tokens=9, on_text=lambda event: seen.append(event.text))
        await client.aclose()
        assert reply.text == "".join(seen) == "An answer."


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b'{"usage": {"prompt_tokens": 3, "cost": 0.01, "prompt_tokens_details": {"cached_tokens": null}}}',
        b'{"usage": null}',
        b'["usage"]',
        b'{"choices": "\\"usage\\""}',
        b'{"usage": ' + b"[" * 100_000,
        b'{"prompt_eval_count": 3, "eval_count": null}',
    ],
    ids=lambda body: body[:40].decode(),
)
def test_a_body_without_broken_counts_is_left_as_it_is(body: bytes) -> None:
    """To the byte."""
    assert mended(body) is body


def test_only_what_is_broken_is_left_out() -> None:
    """Also where other providers put their counts."""
    body = {
        "text": "é",
        "usageMetadata": {"promptTokenCount": "x", "totalTokenCount": 4},
        "eval_count": "y",
        "usage": {"prompt_tokens": 12, "completion_tokens": "x", "service_tier": "flex", "a": {"b_tokens": []}},
    }
    assert json.loads(mended(json.dumps(body).encode())) == {
        "text": "é",
        "usageMetadata": {"totalTokenCount": 4},
        "usage": {"prompt_tokens": 12, "service_tier": "flex", "a": {}},
    }


@given(usage=COUNTS, text=st.text())
def test_nothing_but_counts_is_ever_changed(usage: Any, text: str) -> None:
    """And mending twice is mending once."""
    once = mended(json.dumps({"text": text, "usage": usage}).encode())
    assert json.loads(once)["text"] == text
    assert mended(once) == once


@given(data=st.data(), text=st.text(max_size=20))
async def test_a_stream_is_mended_wherever_it_is_cut(data: st.DataObject, text: str) -> None:
    """The pieces that arrive are none of the provider's lines."""
    frame = json.dumps({"text": text, "usage": {"prompt_tokens": "x", "total_tokens": 4}}).encode()
    whole = b"data: " + frame + b"\r\n\r\n: ping\ndata: [DONE]\n\n"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    lines = b"".join([piece async for piece in MendedBody(_Pieces(pieces), events=True)]).splitlines()
    assert json.loads(lines[0].removeprefix(b"data: ")) == {"text": text, "usage": {"total_tokens": 4}}
    assert lines[1:] == [b"", b": ping", b"data: [DONE]", b""]


class _Pieces(httpx.AsyncByteStream):
    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
