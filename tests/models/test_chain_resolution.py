"""Which models a call may ask, settled from the settings before anything is fetched."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from model_samples import catalogue, settings

from twitter_tool.errors import SetupError
from twitter_tool.models.catalogue import Catalogue
from twitter_tool.models.facts import Chain
from twitter_tool.models.keys import PLACEHOLDER_KEY
from twitter_tool.models.resolve import resolve_chain
from twitter_tool.settings import Settings

KEYS = {"OPENAI_API_KEY": "sk-openai", "ANTHROPIC_API_KEY": "sk-anthropic", "XAI_API_KEY": "sk-xai"}
LOCAL = {"api_base": "http://127.0.0.1:8080/v1", "context_window": 8_192, "max_output_tokens": 1_024}


def resolve(given: Settings, environ: dict[str, str] | None = None, *, known: Catalogue | None = None) -> Chain:
    lists = known or catalogue()
    return resolve_chain(given, KEYS if environ is None else environ, lists=lambda: lists)


def refused(given: Settings, environ: dict[str, str] | None = None) -> SetupError:
    with pytest.raises(SetupError) as caught:
        resolve(given, environ)
    return caught.value


def test_no_model_at_all_means_the_quoting_answer() -> None:
    """Nothing is looked up for it, and a key that happens to be there is not used."""

    def never() -> None:
        raise AssertionError("the lists were read")

    assert resolve_chain(settings(), KEYS, lists=never) == Chain(extractive=True)


def test_the_first_model_comes_first_and_the_others_in_their_order() -> None:
    """One that is named twice is asked once."""
    chain = resolve(settings("openai/gpt-sample", "xai/grok-sample", "openai/gpt-sample", "claude-sample"))
    assert [model.name for model in chain.models] == ["openai/gpt-sample", "xai/grok-sample", "claude-sample"]
    assert not chain.extractive


def test_without_a_first_model_the_fallbacks_are_the_chain() -> None:
    """They are not a fallback of nothing."""
    assert [model.name for model in resolve(settings(None, "xai/grok-sample")).models] == ["xai/grok-sample"]


def test_extractive_ends_the_chain_wherever_it_stands() -> None:
    """It never fails, so nothing after it is ever asked, or even looked up."""
    chain = resolve(settings("xai/grok-sample", "extractive", "openai/nobody-knows"))
    assert ([model.name for model in chain.models], chain.extractive) == (["xai/grok-sample"], True)
    assert resolve(settings("extractive")) == Chain(extractive=True)


def test_facts_come_from_the_map() -> None:
    """By full name or by a bare one that belongs to one provider; LiteLLM is asked for the full name."""
    for name in ("openai/gpt-sample", "gpt-sample"):
        (model,) = resolve(settings(name)).models
        assert (model.name, model.call_name, model.provider) == (name, "openai/gpt-sample", "openai")
        assert (model.context_window, model.max_output_tokens, model.supports_vision) == (100_000, 8_000, True)
        assert (model.api_key_env, model.api_key, model.api_base) == ("OPENAI_API_KEY", "sk-openai", None)


@pytest.mark.parametrize(
    ("name", "provider", "window", "output"),
    [
        ("claude-sample", "anthropic", 200_000, 8_000),
        ("bedrock/us.anthropic.sample-v1", "bedrock", 100_000, 8_000),
        ("ollama/llama-sample", "ollama", 8_192, 8_000),
    ],
)
def test_map_entries_are_read_in_every_spelling(name: str, provider: str, window: int, output: int) -> None:
    """Digits as text, product lines as providers."""
    (model,) = resolve(settings(name)).models
    assert (model.provider, model.context_window, model.max_output_tokens) == (provider, window, output)


def test_the_older_output_limit_stands_in_for_the_newer_one() -> None:
    """Some entries have only that."""
    (model,) = resolve(settings("perplexity/old-sample"), {"PERPLEXITY_API_KEY": "k"}).models
    assert (model.max_output_tokens, model.api_key_env) == (900, "PERPLEXITY_API_KEY")


def test_a_declared_model_needs_no_map_entry() -> None:
    """Its limits are its own, and no key is sent when none is named."""
    (model,) = resolve(settings("openai/local-model", models={"openai/local-model": LOCAL})).models
    assert (model.context_window, model.max_output_tokens, model.api_base) == (8_192, 1_024, LOCAL["api_base"])
    assert (model.supports_vision, model.api_key, model.api_key_env) == (None, PLACEHOLDER_KEY, None)


def test_a_declaration_overrides_the_map_and_leaves_the_rest_to_it() -> None:
    """Key by key."""
    declared = {"gpt-sample": {"max_output_tokens": 500, "supports_vision": False, "max_request_bytes": 9_000}}
    (model,) = resolve(settings("gpt-sample", models=declared)).models
    assert (model.context_window, model.max_output_tokens) == (100_000, 500)
    assert (model.supports_vision, model.max_request_bytes) == (False, 9_000)


def test_a_hosted_providers_key_never_goes_to_another_address() -> None:
    """With an address of one's own only the key that is named for it is sent."""
    elsewhere = {"gpt-sample": {"api_base": "https://llm.example/v1"}}
    (model,) = resolve(settings("gpt-sample", models=elsewhere)).models
    assert (model.api_key, model.api_key_env) == (PLACEHOLDER_KEY, None)
    elsewhere["gpt-sample"]["api_key_env"] = "OTHER_KEY"
    (model,) = resolve(settings("gpt-sample", models=elsewhere), {**KEYS, "OTHER_KEY": " sk-other\n"}).models
    assert (model.api_key, model.api_key_env) == ("sk-other", "OTHER_KEY")


@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "OPENAI_API_BASE"])
def test_an_address_of_openai_in_the_environment_is_settled_before_anything_is_fetched(variable: str) -> None:
    """It is checked like a declared one, and concerns OpenAI's models only."""
    near = {**KEYS, variable: "http://127.0.0.1:9/v1/"}
    models = resolve(settings("gpt-sample", "xai/grok-sample"), near).models
    assert [model.api_base for model in models] == ["http://127.0.0.1:9/v1", None]
    far = {**KEYS, variable: "http://192.0.2.2/v1"}
    error = refused(settings("gpt-sample"), far)
    assert (error.code, variable in error.message) == ("bad_settings", True)
    assert resolve(settings("xai/grok-sample"), far).models
    declared = {"gpt-sample": {"api_base": "https://llm.example/v1"}}
    assert resolve(settings("gpt-sample", models=declared), far).models[0].api_base == "https://llm.example/v1"


def test_a_named_key_replaces_the_providers_own() -> None:
    """Even when the provider's variable is set."""
    declared = {"gpt-sample": {"api_key_env": "WORK_KEY"}}
    (model,) = resolve(settings("gpt-sample", models=declared), {**KEYS, "WORK_KEY": "sk-work"}).models
    assert model.api_key == "sk-work"
    error = refused(settings("gpt-sample", models=declared))
    assert error.code == "missing_model"
    assert "WORK_KEY is not set" in error.message


def test_a_named_key_is_optional_on_this_machine_only() -> None:
    """A local server seldom wants one."""
    local = {"openai/m": {**LOCAL, "api_key_env": "LOCAL_KEY"}}
    assert resolve(settings("openai/m", models=local), {}).models[0].api_key == PLACEHOLDER_KEY
    assert resolve(settings("openai/m", models=local), {"LOCAL_KEY": "sk-1"}).models[0].api_key == "sk-1"
    far = {"openai/m": {**LOCAL, "api_base": "https://llm.example/v1", "api_key_env": "LOCAL_KEY"}}
    assert "LOCAL_KEY" in refused(settings("openai/m", models=far), {}).message


@pytest.mark.parametrize("name", ["ollama/llama-sample", "bedrock/us.anthropic.sample-v1"])
def test_providers_that_need_no_key_or_several_are_not_stopped_for_one(name: str) -> None:
    """A local server, or credentials that LiteLLM finds itself."""
    assert resolve(settings(name), {}).models


@pytest.mark.parametrize(
    ("environ", "variable"),
    [({"GOOGLE_API_KEY": "g"}, "GOOGLE_API_KEY"), ({"GOOGLE_API_KEY": "g", "GEMINI_API_KEY": "m"}, "GEMINI_API_KEY")],
)
def test_a_provider_may_have_several_variables(environ: dict[str, str], variable: str) -> None:
    """The preferred one counts first."""
    assert resolve(settings("gemini/flash-sample"), environ).models[0].api_key_env == variable


def test_the_variable_of_a_listed_provider_is_read_from_litellms_list() -> None:
    """Not every one follows the rule."""
    declared = {"scaleway/m": {"context_window": 8_000, "max_output_tokens": 900}}
    assert resolve(settings("scaleway/m", models=declared), {"SCW_SECRET_KEY": "k"}).models[0].api_key == "k"


def test_a_key_is_never_shown_by_a_model() -> None:
    """Not even in a traceback."""
    assert "sk-openai" not in repr(resolve(settings("gpt-sample")))


def test_no_model_that_can_run_is_an_error_that_names_the_variables() -> None:
    """All of them, with what else would help."""
    error = refused(settings("gpt-sample", "xai/grok-sample"), {"OPENAI_API_KEY": "two words"})
    assert error.code == "missing_model"
    assert "OPENAI_API_KEY holds no usable key" in error.message
    assert "XAI_API_KEY is not set" in error.message
    assert "settings" not in error.message, "a model may have been named for one call only"
    assert error.hint is not None
    assert "extractive" in error.hint
    assert "two words" not in f"{error.message} {error.hint}"


def test_only_some_that_cannot_run_are_skipped() -> None:
    """Each with what is missing."""
    chain = resolve(settings("xai/grok-sample", "gpt-sample", "github_copilot/gpt-sample"), {"OPENAI_API_KEY": "k"})
    assert [model.name for model in chain.models] == ["gpt-sample"]
    assert [(item.name, item.reason, item.missing, item.after) for item in chain.skipped] == [
        ("xai/grok-sample", "key_missing", "XAI_API_KEY", 0),
        ("github_copilot/gpt-sample", "sign_in", "another model", 1),
    ]


def test_models_without_a_key_are_skipped_when_the_quoting_answer_follows() -> None:
    """It can always run."""
    chain = resolve(settings("gpt-sample", "extractive"), {})
    assert (chain.models, chain.extractive, len(chain.skipped)) == ((), True, 1)


def test_without_litellm_the_error_names_the_command_that_installs_it() -> None:
    """No model is judged by a map that is not there."""
    with pytest.raises(SetupError, match="not installed") as caught:
        resolve_chain(settings("openai/nobody-knows"), KEYS, lists=lambda: None)
    assert caught.value.code == "missing_model"
    assert caught.value.hint is not None
    assert 'pip install "twitter-tool[answer]"' in caught.value.hint
    chain = resolve_chain(settings("gpt-sample", "extractive"), KEYS, lists=lambda: None)
    assert [item.reason for item in chain.skipped] == ["not_installed"]


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("openai/gpt-samle", "openai/gpt-samle"),
        ("xai/gpt-sample", "xai/gpt-sample"),
        ("custom_openai/m", "custom_openai/m"),
        ("text-embedding-sample", "text-embedding-sample"),
        ("grok-sample", "openai/grok-sample"),
        ("vendor/flash", "openai/vendor/flash"),
        ("openai/", "openai/openai"),
        ("/x", "openai/x"),
    ],
)
def test_an_unknown_name_is_refused_with_a_block_that_makes_it_a_model(name: str, own: str) -> None:
    """Pasted as it is, it leads to no second refusal; a name without a known provider is given one, and an address."""
    error = refused(settings(name))
    assert error.code == "missing_model"
    assert repr(name) in error.message
    assert error.hint is not None
    block = tomllib.loads(error.hint[error.hint.index("[models.") :])["models"]
    assert list(block) == [own]
    assert own in error.hint.partition("[models.")[0] or own == name
    (model,) = resolve(settings(own, models=block)).models
    assert (model.context_window, model.max_output_tokens) == (8_192, 1_024)
    assert (model.api_base is not None) == (own != name or name.startswith("custom_openai/"))


def test_an_unknown_name_gets_the_nearest_known_ones() -> None:
    """Those of the same provider first."""
    assert "openai/gpt-sample" in (refused(settings("openai/gpt-samle")).hint or "")
    assert "xai/grok-sample" in (refused(settings("xai/grok-2")).hint or "")


def test_one_unknown_member_refuses_the_whole_chain() -> None:
    """Even a last one that would hardly be asked."""
    assert refused(settings("gpt-sample", "openai/nobody-knows")).code == "missing_model"


def test_a_model_that_does_not_write_is_refused() -> None:
    """An embedding answers nothing."""
    assert "does not write answers" in refused(settings("text-embedding-sample")).message


@pytest.mark.parametrize(
    ("models", "missing"),
    [
        ({"openai/m": {"api_base": "http://127.0.0.1:1/v1"}}, "context_window and max_output_tokens"),
        ({"openai/m": {"context_window": 8_000}}, "max_output_tokens"),
        ({"groq/open-ended": {}}, "max_output_tokens"),
    ],
)
def test_a_model_without_limits_refuses_the_whole_chain(models: dict[str, Any], missing: str) -> None:
    """Known or declared: without its input budget nothing could be selected for it."""
    error = refused(settings("gpt-sample", *models, models=models))
    assert error.code == "bad_settings"
    assert "input budget" in error.message
    assert f"{missing} not known" in error.message


def test_a_known_model_without_limits_is_a_matter_of_settings() -> None:
    """It exists, so it is not an unknown one."""
    assert refused(settings("groq/open-ended")).code == "bad_settings"


@pytest.mark.parametrize(
    ("name", "word"), [("opnai/m", "openai"), ("nowhere-at-all/m", "OpenAI-compatible"), ("local-model", "provider")]
)
def test_a_declared_model_needs_a_provider_that_exists(name: str, word: str) -> None:
    """Else the call could only fail after everything has been fetched."""
    error = refused(settings(name, models={name: LOCAL}))
    assert error.code == "missing_model"
    assert word in f"{error.message} {error.hint}"


def test_a_provider_without_an_address_of_its_own_needs_one() -> None:
    """Otherwise the question would go to somebody else."""
    declared = {"custom_openai/m": {"context_window": 8_000, "max_output_tokens": 900}}
    assert refused(settings("custom_openai/m", models=declared)).code == "bad_settings"


def test_hostile_names_stay_on_one_line() -> None:
    """A name comes from a file and ends up on a terminal."""
    error = refused(settings("openai/a\nb\x1b[31m" + "c" * 500))
    assert "\n" not in error.message
    assert "\x1b" not in f"{error.message}{error.hint}"
    assert len(error.message) < 300
