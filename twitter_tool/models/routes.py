"""How LiteLLM sends a provider's request: through a transport of ours or not, and in which form a video goes along."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Literal

import httpx

from twitter_tool.models.guard import CONNECT_S, Guard

Route = Literal["sdk", "handler", "own"]


@dataclass(frozen=True, slots=True)
class LibraryClient:
    """What LiteLLM takes, and what must be closed after the call."""

    native: Any
    http_client: httpx.AsyncClient


OPENAI_BASE: Final = "https://api.openai.com/v1"

SDK: Final = frozenset(
    (
        "cerebras",
        "custom_openai",
        "deepinfra",
        "llamafile",
        "lm_studio",
        "moonshot",
        "nebius",
        "nvidia_nim",
        "openai",
        "perplexity",
        "sambanova",
    )
)
"""Asked through the OpenAI client library, which takes an HTTP client."""

HANDLER: Final = frozenset(
    (
        "anthropic",
        "deepseek",
        "fireworks_ai",
        "gemini",
        "groq",
        "hosted_vllm",
        "mistral",
        "ollama",
        "ollama_chat",
        "openrouter",
        "together_ai",
        "xai",
    )
)
"""Asked through LiteLLM's own HTTP handler, which takes a transport."""


VideoForm = Literal["file", "video_url"]

_FILE: Final = frozenset(("bedrock", "gemini", "vertex_ai", "vertex_ai_beta"))
_STRIPS: Final = frozenset(
    ("anthropic", "deepseek", "mistral", "ollama", "ollama_chat", "publicai", "sambanova")
)  # of those that are guarded, or described in LiteLLM's list
_VIDEO_URL: Final = frozenset(
    (
        "ai21_chat",
        "aiml",
        "amazon_nova",
        "azure",
        "baseten",
        "bedrock_mantle",
        "bigmodel",
        "clf_ai_gateway",
        "cloudflare",
        "cohere_chat",
        "cometapi",
        "compactifai",
        "dashscope",
        "databricks",
        "datarobot",
        "edenai",
        "featherless_ai",
        "friendliai",
        "galadriel",
        "github",
        "huggingface",
        "hyperbolic",
        "inception",
        "lambda_ai",
        "lemonade",
        "litellm_proxy",
        "maritalk",
        "meta_llama",
        "minimax",
        "modelscope",
        "morph",
        "novita",
        "nscale",
        "oobabooga",
        "opencode_go",
        "ovhcloud",
        "qwen_ai_platform",
        "qwencloud",
        "snowflake",
        "tencent",
        "vercel_ai_gateway",
        "volcengine",
        "wandb",
        "xinference",
        "zai",
    )
)


def video_form(provider: str, described: Container[str]) -> VideoForm | None:
    """The content part in which LiteLLM 1.110 passes a video on to a provider; ``None`` where it would leave it out.

    Measured against a local server, for Bedrock and Vertex AI in LiteLLM's own code.

    Args:
        described: providers in LiteLLM's list of OpenAI-like ones.
    """
    if provider in _FILE:
        return "file"
    if provider in _STRIPS:
        return None
    if provider in SDK or provider in HANDLER or provider in _VIDEO_URL or provider in described:
        return "video_url"
    return None


def route_of(provider: str) -> Route:
    """Which of the two takes a provider's requests; ``own`` for those that cannot be guarded."""
    if provider in SDK:
        return "sdk"
    return "handler" if provider in HANDLER else "own"


def library_client(
    litellm: Any, route: Route, guard: Guard, *, call_name: str, api_base: str | None, api_key: str | None
) -> LibraryClient | None:
    """The object that LiteLLM takes as ``client`` on a route; ``None`` leaves the sending to LiteLLM."""
    if route == "own":
        return None
    http_client = httpx.AsyncClient(
        transport=guard, timeout=httpx.Timeout(None, connect=CONNECT_S), trust_env=False, follow_redirects=False
    )
    if route == "handler":
        handler: Any = import_module("litellm.llms.custom_httpx.http_handler").AsyncHTTPHandler(
            transport=guard, follow_redirects=False
        )
        handler.client = http_client  # ours to close: the handler would do it in a task of its own, some time later
        return LibraryClient(handler, http_client)
    if api_base is None:
        # The client library knows OpenAI's address only; with another provider's key it must not be asked. An address
        # of OpenAI's in the environment has become the model's own when the chain was settled.
        api_base = litellm.get_llm_provider(model=call_name, api_key=api_key)[3]
        assert api_base or call_name.startswith("openai/"), call_name
    api_base = api_base or OPENAI_BASE
    guard.pin(api_base, bearer=api_key)
    client: Any = import_module("openai").AsyncOpenAI(
        api_key=api_key,
        base_url=api_base,
        http_client=http_client,
        max_retries=0,
    )
    return LibraryClient(client, http_client)
