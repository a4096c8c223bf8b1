"""The last look before a model is asked, and what an answer says of posts that did not come."""

from __future__ import annotations

from pathlib import Path

import pytest
from answering_calls import Asking, Upstream, posts

from twitter_tool import TwitterTool
from twitter_tool.errors import InternalError
from twitter_tool.models.limits import ChainRoom


async def test_a_prompt_over_the_budget_is_never_sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Should the selection ever be wrong, the request itself is looked at once more before each call."""
    monkeypatch.setattr(ChainRoom, "holds", lambda self, prompt: False)
    limits = {"api_base": "http://127.0.0.1:9/v1", "context_window": 8_192, "max_output_tokens": 64}
    settings = {"synthesis_model": "openai/m", "models": {"openai/m": limits}}
    environ = {"TWITTER_TOOL_CONFIG": "/dev/null"}
    async with TwitterTool(sandbox=True, cwd=tmp_path, environ=environ, settings=settings) as tool:
        with pytest.raises(InternalError, match="nothing was sent"):
            await tool.read("tram", "posts", output="answer")


async def test_an_answer_names_the_posts_that_did_not_come() -> None:
    """As evidence does."""
    result = await Asking(Upstream(posts("one")))("one", mode="tweets", ids=["1", "999"])
    missing = next(note for note in result.notes if note["code"] == "ids_missing")
    assert "999" in missing["ids"]
