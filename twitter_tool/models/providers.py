"""Which environment variable holds a provider's key. Facts about LiteLLM 1.110's providers, kept without importing it.

The names of the main providers are listed; those that LiteLLM describes in its own list of OpenAI-like providers are
read from there; for any other the rule is ``PROVIDER_API_KEY``, the provider's name in capitals.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

KEYLESS: Final = frozenset(
    (
        "custom_openai",
        "docker_model_runner",
        "hosted_vllm",
        "lemonade",
        "llamafile",
        "lm_studio",
        "ollama",
        "ollama_chat",
        "oobabooga",
        "petals",
        "triton",
        "vllm",
        "xinference",
    )
)
"""Run by their user, usually without a key."""

OWN_CREDENTIALS: Final = frozenset(
    (
        "azure",
        "azure_ai",
        "azure_text",
        "bedrock",
        "bedrock_mantle",
        "databricks",
        "gigachat",
        "oci",
        "sagemaker",
        "sagemaker_chat",
        "sap",
        "snowflake",
        "vertex_ai",
        "vertex_ai_beta",
        "watsonx",
        "watsonx_text",
    )
)
"""More than one key: tokens, profiles, instance roles. LiteLLM finds them, and says at the call when it does not."""

INTERACTIVE: Final = frozenset(("chatgpt", "github_copilot", "microsoft_365_copilot"))
"""They ask a person to sign in with a browser while the call waits."""

_VARIABLES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "ai21": ("AI21_API_KEY",),
        "ai21_chat": ("AI21_API_KEY",),
        "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
        "cohere_chat": ("COHERE_API_KEY", "CO_API_KEY"),
        "fireworks_ai": ("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY", "FIREWORKSAI_API_KEY", "FIREWORKS_AI_TOKEN"),
        "friendliai": ("FRIENDLIAI_API_KEY", "FRIENDLI_TOKEN"),
        "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "huggingface": ("HF_TOKEN", "HUGGINGFACE_API_KEY"),
        "lambda_ai": ("LAMBDA_API_KEY",),
        "meta_llama": ("LLAMA_API_KEY",),
        "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
        "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
        "replicate": ("REPLICATE_API_KEY", "REPLICATE_API_TOKEN"),
        "text-completion-openai": ("OPENAI_API_KEY",),
        "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_AI_TOKEN"),
    }
)

_FAMILIES: Final[Mapping[str, str]] = MappingProxyType({"bedrock_converse": "bedrock", "amazon-nova": "amazon_nova"})


def family(provider: str) -> str:
    """The name under which LiteLLM calls a provider that its map lists by product line."""
    if provider.startswith("vertex_ai-"):
        return "vertex_ai"
    return _FAMILIES.get(provider, provider)


def key_variables(provider: str, described: Mapping[str, str]) -> tuple[str, ...]:
    """The variables that may hold a provider's key, the preferred one first; none for one that needs no key of ours.

    Args:
        described: variable by provider, from LiteLLM's list of OpenAI-like providers.
    """
    if provider in KEYLESS or provider in OWN_CREDENTIALS:
        return ()
    if provider in described:
        return (described[provider],)
    return _VARIABLES.get(provider) or (f"{provider.upper().replace('-', '_')}_API_KEY",)
