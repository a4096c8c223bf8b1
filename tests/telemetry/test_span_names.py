"""The names are those of the conventions and of the page about them."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import httpx
import pytest
from opentelemetry import semconv
from traced_calls import Models, Spans, attributes, model, page, reply, tool, upstream, with_models

from twitter_tool import telemetry
from twitter_tool.errors import TwitterToolError
from twitter_tool.models.reply import ModelFailure

PAGE = (Path(__file__).parents[2] / "docs" / "telemetry.md").read_text("utf-8")
NAMES = {
    value
    for name, value in vars(telemetry).items()
    if name.isupper() and not name.startswith("_") and isinstance(value, str) and "." in value
}
ATTRIBUTES = NAMES - {telemetry.CALL_SPAN}


def _conventions() -> set[str]:
    folder = Path(semconv.__path__[0])
    texts = (path.read_text("utf-8") for path in folder.rglob("attributes/*_attributes.py"))
    return {name for text in texts for name in re.findall(r'^[A-Z_]+: Final = "([a-z_.]+)"', text, re.M)}


def test_every_name_that_is_not_our_own_is_one_of_the_conventions() -> None:
    """As the package of the conventions spells it."""
    assert {name for name in ATTRIBUTES if not name.startswith("twitter_tool.")} <= _conventions()


def test_the_names_of_providers_are_those_of_the_conventions() -> None:
    """Where these have one."""
    module = importlib.import_module("opentelemetry.semconv._incubating.attributes.gen_ai_attributes")
    known = {member.value for member in module.GenAiProviderNameValues}
    assert set(telemetry._PROVIDERS.values()) <= known


def test_the_page_has_a_row_for_every_attribute_and_no_other() -> None:
    """So that nobody looks for one that never comes."""
    rows = re.findall(r"^\| `([a-z_.]+)` \|", PAGE.partition("## Attributes")[2], re.M)
    assert sorted(rows) == sorted(set(rows))
    assert set(rows) == ATTRIBUTES


async def test_every_attribute_of_the_page_is_set_by_some_call_and_no_other_is(
    spans: Spans, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two calls are enough: one with a retry, content and a fallback, one that fails."""
    client = Models(ModelFailure("rate-limit", "no", status=429), reply(input=1, output=2))
    with_models(monkeypatch, client, model("openai/a"), model("openai/b"))
    answers = upstream(page(1, cursor="c"), httpx.Response(503), page(3))
    async with tool(answers, home, TWITTER_TOOL_TRACE_CONTENT="true") as asker:
        await asker.call({"query": "q", "mode": "posts", "output": "answer", "count": 4})
        with pytest.raises(TwitterToolError):
            await asker.call({"query": "q", "mode": "nonsense"})
    assert {name for span in spans.all for name in attributes(span)} == ATTRIBUTES
