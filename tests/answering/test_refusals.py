"""What is refused before anything is fetched, and in which order."""

from __future__ import annotations

from typing import Any

import pytest
from answering_calls import LITELLM, LOCAL, WIDE, Asking, LlmServer, Model, Upstream, posts

pytestmark = LITELLM
UNKNOWN = {"synthesis_model": "openai/no-such-model-anywhere"}


@pytest.mark.parametrize(
    ("arguments", "key", "code"),
    [
        ({"mode": "thread", "tweet": "7", "query": " "}, None, "invalid_request"),
        ({"mode": "thread"}, None, "invalid_request"),
        ({"mode": "nope"}, None, "invalid_request"),
        ({"mode": "thread", "tweet": "7", "count": 3}, None, "invalid_request"),
        ({"mode": "thread", "tweet": "7"}, None, "missing_credentials"),
        ({"mode": "thread", "tweet": "7"}, "0123456789abcdef", "missing_model"),
    ],
    ids=["blank question", "no post", "mode", "parameter of another mode", "key", "model"],
)
async def test_the_request_comes_before_the_key_and_the_key_before_the_models(
    arguments: dict[str, Any], key: str | None, code: str
) -> None:
    """Whatever else is wrong as well, the first of them is what is told, and nothing is requested."""
    upstream = Upstream(posts("a"))
    asking = Asking(upstream, UNKNOWN, key=key)
    error = await asking.refused(**{"query": "q" * 70_000, **arguments})
    assert error.code == code
    assert upstream.requests == []


async def test_a_model_without_limits_is_refused_before_the_question_is_measured(model: Model) -> None:
    """One bad member is enough, however good the first one is."""
    upstream = Upstream(posts("a"))
    settings = model.settings(LOCAL, "openai/other", facts={"openai/other": {"context_window": None}})
    error = await Asking(upstream, settings).refused("q" * 70_000, mode="thread", tweet="7")
    assert error.code == "bad_settings"
    assert "input budget" in error.message
    assert upstream.requests == []


@pytest.mark.parametrize(
    ("question", "facts", "fallback"),
    [
        ("q" * 70_000, {}, {}),
        ("界" * 3_000, {"context_window": 8_000}, {}),
        ("q" * 10_000, {}, {"context_window": 8_000}),
        ("\n".join(["image references: 1, 2, 3"] * 2_700), {}, {}),
    ],
    ids=["over the ceiling", "bytes, not characters", "a small fallback", "lines like image references"],
)
@pytest.mark.parametrize("arguments", [{"mode": "thread", "tweet": "7"}, {"mode": "trends", "woeid": 1}], ids=str)
async def test_a_question_too_long_for_any_member_is_refused_before_retrieval(
    question: str,
    facts: dict[str, Any],
    fallback: dict[str, Any],
    arguments: dict[str, Any],
    llm: LlmServer,
    model: Model,
) -> None:
    """It is measured as written, in every mode; neither upstream nor a model hears of it."""
    upstream = Upstream(posts("a"))
    settings = model.settings(LOCAL, "openai/other", facts={LOCAL: facts, "openai/other": fallback})
    error = await Asking(upstream, settings).refused(question, **arguments)
    assert error.code == "input_budget"
    assert error.exit_code == 6
    assert "input budget" in error.message
    assert upstream.requests == []
    assert llm.asked == []


async def test_an_overlong_search_expression_is_refused_as_one_even_when_it_is_over_the_budget_too(
    model: Model,
) -> None:
    """The expression is what to mend."""
    upstream = Upstream(posts("a"))
    error = await Asking(upstream, model.settings()).refused("q" * 70_000)
    assert error.code == "invalid_request"
    assert upstream.requests == []


async def test_a_question_that_just_fits_is_asked(llm: LlmServer, model: Model) -> None:
    """The refusal is no round figure: a thousand characters less, and it is answered."""
    asking = Asking(Upstream(posts("short")), model.settings())
    result = await asking("q" * 56_000, mode="thread", tweet="7")
    assert result.details["synthesisCalls"] == 1
    assert len(llm.asked) == 1


async def test_an_unknown_model_is_refused_with_the_nearest_names() -> None:
    """And with a block that can be pasted into the settings."""
    upstream = Upstream(posts("a"))
    error = await Asking(upstream, {"synthesis_model": "anthropic/claude-haiku-4-55"}).refused()
    assert (error.code, error.exit_code) == ("missing_model", 3)
    assert "claude-haiku" in (error.hint or "")
    assert '[models."anthropic/claude-haiku-4-55"]' in (error.hint or "")
    assert upstream.requests == []


async def test_a_hosted_model_without_its_key_is_refused_with_the_name_of_the_variable() -> None:
    """Keys of other providers in the environment change nothing."""
    upstream = Upstream(posts("a"))
    asking = Asking(upstream, {"synthesis_model": "anthropic/claude-haiku-4-5"}, {"OPENAI_API_KEY": "sk-of-another"})
    error = await asking.refused()
    assert error.code == "missing_model"
    assert "ANTHROPIC_API_KEY" in (error.hint or "")
    assert "sk-of-another" not in str(error.to_dict())
    assert upstream.requests == []


async def test_without_the_extra_a_named_model_is_refused_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before anything is read."""
    monkeypatch.setattr("twitter_tool.models.catalogue.importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("twitter_tool.models.catalogue.installed.__defaults__", (lambda name: None,))
    upstream = Upstream(posts("a"))
    error = await Asking(upstream, {"synthesis_model": LOCAL, "models": {LOCAL: WIDE}}).refused()
    assert error.code == "missing_model"
    assert 'pip install "twitter-tool[answer]"' in (error.hint or "")
    assert upstream.requests == []


async def test_a_key_in_the_environment_alone_never_makes_a_model_answer() -> None:
    """Without a named model nothing leaves this machine but the requests for posts."""
    asking = Asking(Upstream(posts("Trams are argued about.")), {}, {"OPENAI_API_KEY": "sk-key", "XAI_API_KEY": "k"})
    result = await asking("What is argued about trams?")
    assert result.details["model"] == "extractive"


@pytest.mark.parametrize("wrong", [UNKNOWN, {"synthesis_model": LOCAL, "models": {LOCAL: {"context_window": -1}}}])
async def test_evidence_needs_no_usable_model(wrong: dict[str, Any]) -> None:
    """No model is looked up for it, so a bad name cannot fail it."""
    result = await Asking(Upstream(posts("a")), wrong)(output="posts")
    assert result.details["model"] == "none"
    assert result.details["usage"]["synthesisAttempts"] == 0
    assert result.details["timings"]["synthesisMs"] == 0


@pytest.mark.parametrize("mode", ["tweets", "article"])
async def test_two_reads_that_do_not_fit_the_page_budget_are_refused_before_the_model_is_looked_at(mode: str) -> None:
    """The request is what to mend."""
    arguments: dict[str, Any] = {"article": {"tweet": "7"}, "tweets": {"ids": [str(n) for n in range(1, 251)]}}[mode]
    upstream = Upstream(posts("a"))
    error = await Asking(upstream, {"max_pages": 1, **UNKNOWN}).refused(mode=mode, **arguments)
    assert error.code == "invalid_request"
    assert upstream.requests == []
