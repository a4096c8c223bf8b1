"""LiteLLM's lists, read from its folder without importing it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest
from model_samples import catalogue

from twitter_tool.models.catalogue import KEYS_FILE, MAP_FILE, PROVIDERS_FILE, installed
from twitter_tool.models.providers import key_variables

ROW = {"litellm_provider": "openai", "mode": "chat", "max_input_tokens": 9, "max_output_tokens": 8}


def spec_of(folder: Path) -> Any:
    """What the import system says about a package in that folder."""

    def find(name: str) -> ModuleSpec:
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        return spec

    return find


def write(folder: Path, name: str, content: Any) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def test_all_three_lists_are_read(tmp_path: Path) -> None:
    """Models, names of providers, and variables of keys."""
    write(tmp_path, MAP_FILE, {"gpt": ROW, "broken": 7})
    write(tmp_path, PROVIDERS_FILE, {"providers": {"chatty": {}, "chatty/part": {}}})
    write(tmp_path, KEYS_FILE, {"listed": {"api_key_env": "LISTED_TOKEN"}, "odd": 5})
    found = installed(spec_of(tmp_path))
    assert found is not None
    assert found.find("openai/gpt") is not None
    assert found.find("broken") is None
    assert {"openai", "chatty", "listed", "ollama", "bedrock"} <= found.providers
    assert "chatty/part" not in found.providers
    assert key_variables("listed", found.keys) == ("LISTED_TOKEN",)


def test_the_map_alone_is_enough(tmp_path: Path) -> None:
    """The other lists may move in another release."""
    write(tmp_path, MAP_FILE, {"gpt": ROW})
    write(tmp_path, PROVIDERS_FILE, "{")
    found = installed(spec_of(tmp_path))
    assert found is not None
    assert key_variables("some-host", found.keys) == ("SOME_HOST_API_KEY",)


@pytest.mark.parametrize("content", [None, "", "{", "[]", "7"])
def test_a_folder_without_a_readable_map_knows_nothing(tmp_path: Path, content: str | None) -> None:
    """It is no reason to fall over."""
    if content is not None:
        write(tmp_path, MAP_FILE, content)
    found = installed(spec_of(tmp_path))
    assert found is None or found.find("gpt") is None


def test_nothing_is_known_without_litellm() -> None:
    """Nor is anything imported to find out."""
    assert installed(lambda _name: None) is None


def test_the_map_is_read_once_and_again_when_it_changes(tmp_path: Path) -> None:
    """It is large, and an upgrade must show in the next call of a long-lived process."""
    write(tmp_path, MAP_FILE, {"gpt": ROW})
    first = installed(spec_of(tmp_path))
    assert installed(spec_of(tmp_path)) is first
    write(tmp_path, MAP_FILE, {"gpt": ROW, "other": ROW})
    os.utime(tmp_path / MAP_FILE, ns=(1, 1))
    again = installed(spec_of(tmp_path))
    assert again is not None
    assert again.find("other") is not None


def test_nearest_names_are_few_and_start_with_the_providers_own() -> None:
    """At most eight."""
    known = catalogue()
    assert known.nearest("openai/gpt-smple")[0] == "openai/gpt-sample"
    assert known.nearest("gpt-sample-2")
    assert len(known.nearest("openai/x")) <= 8
    assert "openai/text-embedding-sample" not in known.nearest("openai/text-embedding")


def test_settling_a_chain_imports_no_model_library() -> None:
    """It happens before every answer, and the import costs seconds."""
    script = (
        "import sys; from twitter_tool.models import chain, litellm_client, resolve; "
        "from twitter_tool.settings import Settings; "
        "s = Settings().replaced('user', synthesis_model='gpt-4o', fallback_models=('extractive',)); "
        "resolve.resolve_chain(s, {'OPENAI_API_KEY': 'k'}); "
        "print(sorted({'litellm', 'openai', 'tiktoken', 'tokenizers'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


@pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="needs the extra answer")
def test_the_installed_map_knows_the_main_models() -> None:
    """The names that the documentation uses, with limits that can be used."""
    found = installed()
    assert found is not None
    for name in ("gpt-4o", "openai/gpt-4o", "anthropic/claude-haiku-4-5", "gemini/gemini-2.5-flash", "ollama/llama3"):
        entry = found.find(name)
        assert entry is not None, name
        assert entry.writes
        assert entry.context_window
        assert entry.max_output_tokens
    assert found.find("openai/claude-haiku-4-5") is None
    assert {"openai", "anthropic", "hosted_vllm", "openrouter", "lm_studio", "scaleway"} <= found.providers
