"""Images and clips, carried by the real LiteLLM: what arrives at a server on loopback, and what is never sent."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from llm_server import (
    OWN_SHAPES,
    LlmServer,
    Script,
    answers,
    chunk,
    completion,
    refuses,
    serving,
    stalls,
    streams,
)
from model_samples import bounds, model

from twitter_tool.models.litellm_client import LiteLLMClient
from twitter_tool.models.reply import ModelFailure, Prompt, PromptImage, Reply
from twitter_tool.models.routes import HANDLER, SDK, video_form
from twitter_tool.models.video import MAX_CLIP_BYTES, VideoModel, VideoTarget

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="needs the extra answer"),
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier.*"),
    pytest.mark.filterwarnings("ignore:Accessing the .* attribute on the instance is deprecated.*"),
]
SECRET = "sk-test-0123456789abcdef"
PNG = b"\x89PNG\r\n\x1a\n" + b"p" * 40
JPEG = b"\xff\xd8\xff\xe0" + b"j" * 41 + b"\xff\xd9"
CLIP = b"\0\0\0\x18ftypmp42" + b"v" * 100
P, J, C = (b64encode(data).decode() for data in (PNG, JPEG, CLIP))
PROMPT = Prompt(
    system="Rules.", user="Question. 界", images=(PromptImage("image/png", PNG), PromptImage("image/jpeg", JPEG))
)
TEXT_ONLY = frozenset(("deepseek", "sambanova"))
"""LiteLLM joins the texts of a message for them and drops the rest, for DeepSeek unless its map has the model."""
GUARDED = sorted(SDK | HANDLER)


def base_of(server: LlmServer, provider: str) -> str:
    return server.origin if provider.startswith(("ollama", "anthropic")) else server.base


async def look(client: LiteLLMClient, server: LlmServer, provider: str, **options: Any) -> Reply:
    facts = model(f"{provider}/m", api_base=base_of(server, provider), images=bounds())
    return await client.complete(facts, PROMPT, max_output_tokens=50, **options)


def in_order(body: Any, *parts: str) -> bool:
    """Whether a body holds each of these once, one after the other."""
    text = json.dumps(body, ensure_ascii=False)
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places) and all(text.count(part) == 1 for part in parts)


@pytest.mark.parametrize("provider", [name for name in GUARDED if name not in TEXT_ONLY])
async def test_every_guarded_provider_gets_the_text_and_then_the_images(client: LiteLLMClient, provider: str) -> None:
    """In their order, each once and byte for byte."""
    async with serving(answers(OWN_SHAPES.get(provider, completion()))) as server:
        reply = await look(client, server, provider)
    assert reply.text == "An answer."
    (asked,) = server.asked
    assert in_order(asked.body, PROMPT.user, P, J)


IMAGE_URLS = [
    {"type": "image_url", "image_url": {"url": url}}
    for url in (f"data:image/png;base64,{P}", f"data:image/jpeg;base64,{J}")
]
SHAPES: dict[str, Any] = {
    "openai": [{"type": "text", "text": PROMPT.user}, *IMAGE_URLS],
    "hosted_vllm": [{"type": "text", "text": PROMPT.user}, *IMAGE_URLS],
    "anthropic": [
        {"type": "text", "text": PROMPT.user},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": P}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": J}},
    ],
    "gemini": [
        {"text": PROMPT.user},
        {"inline_data": {"data": P, "mime_type": "image/png"}},
        {"inline_data": {"data": J, "mime_type": "image/jpeg"}},
    ],
    "ollama_chat": PROMPT.user,
}


@pytest.mark.parametrize("provider", sorted(SHAPES))
@pytest.mark.parametrize("streamed", [False, True])
async def test_images_arrive_in_the_form_of_their_provider(
    client: LiteLLMClient, provider: str, streamed: bool
) -> None:
    """Each with its own type."""
    async with serving(refuses("503 S", "down")) as server:
        with pytest.raises(ModelFailure, match="down"):
            await look(client, server, provider, on_text=(lambda _event: None) if streamed else None)
    (asked,) = server.asked
    message = asked.body["contents" if provider == "gemini" else "messages"][-1]
    content = message["parts"][-3:] if provider == "gemini" else message["content"]
    assert content == SHAPES[provider]
    assert message.get("images") == ([P, J] if provider == "ollama_chat" else None)


async def test_an_answer_about_images_streams_like_any_other(client: LiteLLMClient) -> None:
    """LiteLLM takes no detour to count them."""
    events: list[str] = []
    async with serving(streams(chunk("An "), chunk("answer."), chunk(finish="stop"))) as server:
        reply = await look(client, server, "openai", on_text=lambda event: events.append(event.text))
    assert reply.text == "".join(events) == "An answer."
    assert in_order(server.asked[0].body, PROMPT.user, P, J)


@pytest.mark.parametrize("provider", sorted(TEXT_ONLY))
async def test_a_question_that_would_lose_its_images_is_not_sent(client: LiteLLMClient, provider: str) -> None:
    """The model would answer about images that it has not seen; the failure is one that the next model mends."""
    async with serving(answers(completion())) as server:
        with pytest.raises(ModelFailure) as caught:
            await look(client, server, provider)
    assert server.asked == []
    assert caught.value.kind == "invalid-request"
    assert "not sent" in caught.value.message


def target(provider: str, server: LlmServer, **changes: Any) -> VideoTarget:
    facts = {
        "name": f"{provider}/m",
        "provider": provider,
        "call_name": f"{provider}/m",
        "form": video_form(provider, ()) or "video_url",
        "api_base": base_of(server, provider),
        "api_key": "no-key",
    }
    return VideoTarget(**{**facts, **changes})


def clip_of(folder: Path, data: bytes) -> Path:
    path = folder / f"{len(data)}.mp4"
    path.write_bytes(data)
    return path


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    return clip_of(tmp_path, CLIP)


async def watch(
    client: LiteLLMClient, server: LlmServer, clip: Path, provider: str = "openai", **changes: Any
) -> Reply:
    return await VideoModel(target(provider, server, **changes), client).watch(clip, "What is said?")


@pytest.mark.parametrize("provider", [name for name in GUARDED if video_form(name, ()) is not None])
async def test_a_clip_arrives_whole_after_the_question(client: LiteLLMClient, clip: Path, provider: str) -> None:
    """One request, and the reply with how it ended."""
    async with serving(answers(OWN_SHAPES.get(provider, completion()))) as server:
        reply = await watch(client, server, clip, provider)
    assert (reply.text, reply.finish_reason) == ("An answer.", "stop")
    (asked,) = server.asked
    assert in_order(asked.body, "What is said?", C)
    assert "video/mp4" in json.dumps(asked.body)


async def test_a_clip_arrives_in_the_form_of_its_provider(client: LiteLLMClient, clip: Path) -> None:
    """Gemini's own one, and that of OpenAI-compatible servers."""
    async with serving(answers(OWN_SHAPES["gemini"]), answers(completion())) as server:
        await watch(client, server, clip, "gemini")
        await watch(client, server, clip, "openai")
    gemini, openai = (asked.body for asked in server.asked)
    assert gemini["contents"][0]["parts"][1] == {"inline_data": {"data": C, "mime_type": "video/mp4"}}
    assert gemini["generationConfig"]["max_output_tokens"] == 4_000
    assert openai == {
        "model": "m",
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What is said?"},
                    {"type": "video_url", "video_url": {"url": f"data:video/mp4;base64,{C}"}},
                ],
            }
        ],
        "max_tokens": 4_000,
    }


@pytest.mark.parametrize("provider", [name for name in GUARDED if video_form(name, ()) is None])
async def test_a_request_that_would_lose_its_clip_is_not_sent(client: LiteLLMClient, clip: Path, provider: str) -> None:
    """The model would describe what it has not seen."""
    async with serving(answers(completion())) as server:
        with pytest.raises(ModelFailure, match="not sent"):
            await watch(client, server, clip, provider)
    assert server.asked == []


async def test_the_other_form_would_lose_the_clip(client: LiteLLMClient, clip: Path) -> None:
    """So the form is a matter of the provider; the check finds it out should LiteLLM change its mind."""
    async with serving(answers(OWN_SHAPES["gemini"])) as server:
        with pytest.raises(ModelFailure, match="not sent"):
            await watch(client, server, clip, "gemini", form="video_url")
    assert server.asked == []


async def test_a_clip_is_sent_up_to_the_size_that_a_request_can_carry(client: LiteLLMClient, tmp_path: Path) -> None:
    """12 MiB are, one byte more is not."""
    largest, larger = (clip_of(tmp_path, bytes(MAX_CLIP_BYTES + more)) for more in (0, 1))
    async with serving(answers(completion())) as server:
        assert (await watch(client, server, largest)).text == "An answer."
        with pytest.raises(ModelFailure) as caught:
            await watch(client, server, larger)
    assert len(server.asked) == 1
    assert "12 MiB" in caught.value.message


async def test_a_clip_that_is_gone_is_a_failure(client: LiteLLMClient, tmp_path: Path) -> None:
    """Its path is not told."""
    async with serving(answers(completion())) as server:
        with pytest.raises(ModelFailure) as caught:
            await watch(client, server, tmp_path / "gone.mp4")
    assert server.asked == []
    assert str(tmp_path) not in f"{caught.value}"


@pytest.mark.parametrize(
    ("script", "word"),
    [
        (answers(completion("Half a sen", finish_reason="length")), "output limit"),
        (answers(completion("Half a sen", finish_reason="content_filter")), "filter"),
        (answers(completion("", finish_reason="content_filter")), "filter"),
        (answers(completion(None)), "no text"),
        (refuses("429 T", "slow down"), "slow down"),
        (refuses("500 S", "down"), "down"),
    ],
)
async def test_a_clip_without_a_whole_reply_is_a_failure_of_one_request(
    client: LiteLLMClient, clip: Path, script: Script, word: str
) -> None:
    """A part of a description could leave out what matters; nothing is tried again."""
    async with serving(script) as server:
        with pytest.raises(ModelFailure, match=word):
            await watch(client, server, clip)
        assert len(server.asked) == 1


async def test_the_key_of_a_video_model_is_sent_and_never_told(client: LiteLLMClient, clip: Path) -> None:
    """Neither in a failure nor in what the model says."""
    echo = f"Incorrect API key: {SECRET}"
    async with serving(refuses("401 U", echo), answers(completion(echo))) as server:
        with pytest.raises(ModelFailure) as caught:
            await watch(client, server, clip, api_key=SECRET)
        reply = await watch(client, server, clip, api_key=SECRET)
    assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {SECRET}"}
    assert caught.value.kind == "auth"
    assert SECRET not in f"{caught.value} {caught.value.detail} {reply.text}"


@pytest.mark.timeout(60)
@pytest.mark.usefixtures("client")
async def test_a_clip_may_have_a_time_limit_of_its_own(clip: Path) -> None:
    """Silence ends with it, or else with that of the client."""
    async with serving(stalls) as server:
        for usual, own in ((10_000, 0.5), (0.5, None)):
            other = LiteLLMClient(timeout_s=usual)
            with pytest.raises(ModelFailure, match="in time") as caught:
                await VideoModel(target("openai", server), other).watch(clip, "?", timeout_s=own)
            await other.aclose()
            assert caught.value.kind == "transport"


async def test_cancelling_while_a_clip_is_watched_closes_the_connection(client: LiteLLMClient, clip: Path) -> None:
    """As with answers."""
    async with serving(stalls) as server:
        task = asyncio.ensure_future(watch(client, server, clip))
        await server.arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.all_closed()


async def test_the_text_alone_can_be_asked_for(client: LiteLLMClient, clip: Path) -> None:
    """That is what a caller that knows nothing of models takes."""
    async with serving(answers(completion())) as server:
        assert await VideoModel(target("openai", server), client).ask(clip, "?") == "An answer."
