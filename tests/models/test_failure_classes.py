"""Which sort of failure it is: the wire first, then status and exception type, then words."""

from __future__ import annotations

import pytest

from twitter_tool.models.classify import classify, supported_effort
from twitter_tool.models.guard import Exchange, WireFault
from twitter_tool.models.symptoms import Symptoms, symptoms_of


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("429 quota exceeded per minute", "rate-limit"),
        ("insufficient_quota 429", "quota"),
        ("429 billing hard limit", "quota"),
        ("403 quota exceeded", "auth"),
        ("402, not 429: pay first", "rate-limit"),
        ("500 invalid api key", "server"),
        ("404 api key not found", "unknown-model"),
        ("quota exceeded", "quota"),
        ("out of credits", "quota"),
        ("invalid api key", "auth"),
        ("Unauthorized", "auth"),
        ("the model does not exist", "unknown-model"),
        ("connection aborted", "transport"),
        ("the operation was aborted", "transport"),
        ("the request was cancelled", "transport"),
        ("read timed out", "transport"),
        ("socket hang up", "transport"),
        ("maximum context length exceeded", "invalid-request"),
        ("unexpected tool call", "invalid-request"),
        ("overloaded_error", "rate-limit"),
        ("rate_limit_exceeded", "rate-limit"),
        ("bad gateway", "server"),
        ("empty response", "empty"),
        ("error 4290", "unknown"),
        ("version 1.502 of it", "unknown"),
        ("context length is 500 tokens", "invalid-request"),
        ("something inexplicable", "unknown"),
    ],
)
def test_words_alone_are_read_in_order(message: str, kind: str) -> None:
    """Whole status numbers first, then what the sentence speaks of."""
    assert classify(Symptoms(text=message)) == kind


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid-request"),
        (401, "auth"),
        (402, "quota"),
        (403, "auth"),
        (404, "unknown-model"),
        (408, "transport"),
        (409, "unknown"),
        (413, "invalid-request"),
        (422, "invalid-request"),
        (429, "rate-limit"),
        (500, "server"),
        (503, "server"),
        (529, "server"),
    ],
)
def test_a_status_counts_more_than_words(status: int, kind: str) -> None:
    """Whatever the text says."""
    assert classify(Symptoms(status=status, text="invalid api key, overloaded", said=True)) == kind


def test_429_means_quota_only_when_nothing_is_left_to_spend() -> None:
    """The code of the error object says so as well as its words."""
    assert classify(Symptoms(status=429, code="insufficient_quota", text="You exceeded it")) == "quota"
    assert classify(Symptoms(status=429, text="Quota exceeded for requests per minute")) == "rate-limit"


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("connect", "transport"),
        ("cut", "transport"),
        ("timeout", "transport"),
        ("redirect", "unknown"),
        ("oversize", "unknown"),
        ("address", "unknown"),
        ("again", "unknown"),
        ("encoded", "unknown"),
    ],
)
def test_what_the_wire_saw_counts_most(fault: WireFault, kind: str) -> None:
    """LiteLLM calls all of these a status 500."""
    assert classify(Symptoms(fault=fault, status=500, types=frozenset({"InternalServerError"}))) == kind


@pytest.mark.parametrize(
    ("type_name", "kind"),
    [
        ("RateLimitError", "rate-limit"),
        ("AuthenticationError", "auth"),
        ("NotFoundError", "unknown-model"),
        ("ContextWindowExceededError", "invalid-request"),
        ("Timeout", "transport"),
        ("InternalServerError", "server"),
    ],
)
def test_without_a_status_the_type_of_the_exception_decides(type_name: str, kind: str) -> None:
    """Its bases and causes count as well: a subclass is what its base is."""
    bases = {"ContextWindowExceededError": "BadRequestError", "Timeout": "APIConnectionError"}
    types = frozenset({type_name, bases.get(type_name, "Exception"), "Exception"})
    assert classify(Symptoms(types=types, text="nothing helpful")) == kind


def test_an_unreadable_answer_is_the_services_fault_and_a_broken_off_one_the_connections() -> None:
    """Unless the body itself says what is wrong."""
    assert classify(Symptoms(status=200, text="model not found in registry")) == "server"
    assert classify(Symptoms(status=200, answering=True)) == "transport"
    assert classify(Symptoms(status=200, code="429", text="slow down", said=True)) == "rate-limit"


@pytest.mark.parametrize(
    ("body", "text", "code"),
    [
        (b'{"error": {"message": "m", "code": "c", "type": "t"}}', "m", "c t"),
        (b'[{"error": {"message": "m", "status": "S"}}]', "m", "S"),
        (b'{"error": "m"}', "m", ""),
        (b'{"detail": "m"}', "m", ""),
        (b'{"message": "m"}', "m", ""),
    ],
)
def test_the_error_object_is_found_however_a_provider_wraps_it(body: bytes, text: str, code: str) -> None:
    """The bytes on the wire are read, not what LiteLLM made of them."""
    symptoms = symptoms_of(ValueError("litellm.APIError: made up"), Exchange(requests=1, status=503, head=body))
    assert (symptoms.text, symptoms.code, symptoms.said, symptoms.status) == (text, code, True, 503)


@pytest.mark.parametrize("body", [b"<html>no</html>", b"", b"[]", b"7", b'"x"', b'{"choices": []}', b"[" * 100_000])
def test_a_body_without_an_error_object_leaves_litellms_own_words(body: bytes) -> None:
    """Its prefixes and tracebacks are taken off."""
    error = ValueError("litellm.APIError: XException - words\nTraceback (most recent call last)\n  File ...")
    symptoms = symptoms_of(error, Exchange(requests=1, status=500, head=body))
    assert (symptoms.text, symptoms.said) == ("words", False)


def test_a_status_that_litellm_made_up_does_not_count() -> None:
    """No response arrived, whatever the exception says."""
    error = ValueError("x")
    error.status_code = 500
    assert symptoms_of(error, Exchange(requests=1, fault="connect")).status is None
    assert symptoms_of(error, Exchange()).status == 500


@pytest.mark.parametrize(
    ("message", "effort"),
    [
        ("reasoning_effort 'none' is not supported. Supported values: [low, high]", "low"),
        ("Unsupported value for reasoning_effort. Allowed: ['none', 'medium']", "medium"),
        ("Invalid reasoning effort: supported values are [XHIGH]", "xhigh"),
        ("reasoning.effort is invalid, expected one of [default, max]", "max"),
        ("400 Invalid response_format. Supported values: [low, high]. Request included reasoning_effort=none.", None),
        ("reasoning_effort 'none' is not supported.", None),
        ("reasoning_effort 'none' is not supported. Supported values: [json, text]", None),
        ("reasoning_effort must be set. Supported values: [low, high]", None),
        ("Supported values: [low, high]", None),
        ("Invalid response_format 'x' (it also had reasoning_effort=none). Supported values: [text, low]", None),
        ("Invalid tool_choice; reasoning_effort=none was also sent. Allowed values: [max, auto]", None),
        ("Unsupported parameter: temperature with reasoning effort none. Supported values: [low, high]", None),
        ("reasoning_effort 'none' is not supported. Invalid response_format. Supported values: [low]", None),
        ("", None),
    ],
)
def test_another_effort_is_tried_only_when_the_refusal_lists_it(message: str, effort: str | None) -> None:
    """The first listed one that is an effort; a refusal of something else repairs nothing."""
    assert supported_effort(message) == effort
