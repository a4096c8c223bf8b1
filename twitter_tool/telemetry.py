"""OpenTelemetry spans, and the only module that knows it: every name of a span or an attribute stands here.

Nothing here imports OpenTelemetry first. A host that traces has imported its API before it makes the first call, so
one look into ``sys.modules`` tells whether anybody listens; without that, no span costs more than this look. Names
follow the semantic conventions of OpenTelemetry where these have one, and begin with ``twitter_tool.`` where not.

A span holds names, figures and codes: never a key, a query string, or the words of an error. What was asked and
answered is added only where the setting ``trace_content`` is on.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from twitter_tool._version import __version__
from twitter_tool.errors import ErrorCode, TwitterToolError
from twitter_tool.redaction import redact
from twitter_tool.text import without_surrogates

if TYPE_CHECKING:
    from opentelemetry.trace import Span

TRACER: Final = "twitter_tool"

CALL_SPAN: Final = "twitter_tool.call"
REQUEST_METHOD: Final = "GET"
MODEL_OPERATION: Final = "chat"

ERROR_TYPE: Final = "error.type"

MODE: Final = "twitter_tool.mode"
OUTPUT: Final = "twitter_tool.output"
BACKEND: Final = "twitter_tool.backend"
MODEL: Final = "twitter_tool.model"
COMPLETE: Final = "twitter_tool.complete"
STOP_REASON: Final = "twitter_tool.stop_reason"
PAGES: Final = "twitter_tool.pages"
REQUESTS: Final = "twitter_tool.requests"
MODEL_CALLS: Final = "twitter_tool.model_calls"
POSTS_RETAINED: Final = "twitter_tool.posts_retained"
ACCOUNTS_RETAINED: Final = "twitter_tool.accounts_retained"
TRENDS_RETAINED: Final = "twitter_tool.trends_retained"
NOTES: Final = "twitter_tool.notes"
QUERY: Final = "twitter_tool.query"
CONTENT: Final = "twitter_tool.content"

HTTP_REQUEST_METHOD: Final = "http.request.method"
HTTP_REQUEST_RESEND_COUNT: Final = "http.request.resend_count"
HTTP_RESPONSE_STATUS_CODE: Final = "http.response.status_code"
SERVER_ADDRESS: Final = "server.address"
SERVER_PORT: Final = "server.port"
URL_FULL: Final = "url.full"
URL_TEMPLATE: Final = "url.template"

GEN_AI_OPERATION_NAME: Final = "gen_ai.operation.name"
GEN_AI_PROVIDER_NAME: Final = "gen_ai.provider.name"
GEN_AI_REQUEST_MODEL: Final = "gen_ai.request.model"
GEN_AI_REQUEST_MAX_TOKENS: Final = "gen_ai.request.max_tokens"
GEN_AI_RESPONSE_FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
GEN_AI_USAGE_INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
GEN_AI_USAGE_OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
GEN_AI_SYSTEM_INSTRUCTIONS: Final = "gen_ai.system_instructions"
GEN_AI_INPUT_MESSAGES: Final = "gen_ai.input.messages"
GEN_AI_OUTPUT_MESSAGES: Final = "gen_ai.output.messages"

_USAGE: Final[Mapping[str, str]] = {
    "successfulPages": PAGES,
    "upstreamAttempts": REQUESTS,
    "synthesisAttempts": MODEL_CALLS,
    "postsRetained": POSTS_RETAINED,
    "accountsRetained": ACCOUNTS_RETAINED,
    "trendsRetained": TRENDS_RETAINED,
}
_PROVIDERS: Final[Mapping[str, str]] = {
    "azure": "azure.ai.openai",
    "azure_ai": "azure.ai.inference",
    "bedrock": "aws.bedrock",
    "bedrock_converse": "aws.bedrock",
    "cohere_chat": "cohere",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "vertex_ai": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
"""Where the conventions have another name for a provider than LiteLLM."""
_FINISH_REASONS: Final = frozenset(("stop", "length", "content_filter", "tool_calls"))
"""Others are a server's own words."""

_secrets: ContextVar[tuple[str, ...] | None] = ContextVar("twitter_tool_trace_content", default=None)
"""What must not be in a content attribute of the call under way; ``None`` where it shows no content."""


class Traced:
    """A span, or nothing where nobody traces: then every method returns at once."""

    __slots__ = ("_native",)

    def __init__(self, native: Span | None) -> None:
        self._native = native

    def fail(self, error_type: str) -> None:
        """Mark the span as failed with one of our own words; an earlier mark stays."""
        if self._native is not None:
            from opentelemetry.trace import StatusCode

            self._native.set_attribute(ERROR_TYPE, error_type)
            self._native.set_status(StatusCode.ERROR, error_type)
            self._native = None

    def _set(self, attributes: Mapping[str, Any]) -> None:
        if self._native is not None:
            self._native.set_attributes({name: value for name, value in attributes.items() if value is not None})


class CallSpan(Traced):
    """One call of the tool."""

    __slots__ = ()

    def asked(self, *, mode: str, output: str, backend: str) -> None:
        """The arguments are understood."""
        self._set({MODE: mode, OUTPUT: output, BACKEND: backend})

    def show_content(self, query: str, *, secrets: Iterable[str]) -> None:
        """From here on, this span and those of its models hold what is asked and answered, without these secrets."""
        if self._native is not None:
            _secrets.set(tuple(secrets))
            self._set({QUERY: _shown(query)})

    def delivered(self, details: Mapping[str, Any], content: str) -> None:
        """There is a result; ``details`` as in its document."""
        if self._native is None:
            return
        usage = details["usage"]
        self._set(
            {
                COMPLETE: details["complete"],
                STOP_REASON: details["stopReason"],
                MODEL: details["model"],
                NOTES: [entry["code"] for entry in details["notes"]],
                **{name: usage[counter] for counter, name in _USAGE.items()},
            }
        )
        if _secrets.get() is not None:
            self._set({CONTENT: _shown(content)})


class RequestSpan(Traced):
    """One physical request to the upstream."""

    __slots__ = ()

    def answered(self, status: int) -> None:
        """Response headers came."""
        self._set({HTTP_RESPONSE_STATUS_CODE: status})
        if not 200 <= status < 300:
            self.fail(str(status))


class ModelSpan(Traced):
    """One physical call of a model."""

    __slots__ = ("_secret",)

    def __init__(self, native: Span | None, secret: str | None = None) -> None:
        super().__init__(native)
        self._secret = secret

    def asked(self, system: str, user: str) -> None:
        """What is sent, shown only where content is."""
        if self._shows_content():
            self._set(
                {
                    GEN_AI_SYSTEM_INSTRUCTIONS: json.dumps([self._part(system)], ensure_ascii=False),
                    GEN_AI_INPUT_MESSAGES: self._message("user", user),
                }
            )

    def spent(self, input_tokens: int | None, output_tokens: int | None) -> None:
        """The tokens as reported; what is unknown stays away."""
        self._set({GEN_AI_USAGE_INPUT_TOKENS: input_tokens, GEN_AI_USAGE_OUTPUT_TOKENS: output_tokens})

    def replied(self, text: str, finish_reason: str | None) -> None:
        """There is an answer; its text is shown only where content is."""
        known = finish_reason if finish_reason in _FINISH_REASONS else None
        self._set({GEN_AI_RESPONSE_FINISH_REASONS: None if known is None else [known]})
        if self._shows_content():
            self._set({GEN_AI_OUTPUT_MESSAGES: self._message("assistant", text, finish_reason=known or "unknown")})

    def refused(self, kind: str, status: int | None) -> None:
        """There is no answer."""
        self._set({HTTP_RESPONSE_STATUS_CODE: status})
        self.fail(kind)

    def _shows_content(self) -> bool:
        return self._native is not None and _secrets.get() is not None

    def _message(self, role: str, text: str, **more: str) -> str:
        return json.dumps([{"role": role, "parts": [self._part(text)], **more}], ensure_ascii=False)

    def _part(self, text: str) -> dict[str, str]:
        return {"type": "text", "content": _shown(text, () if self._secret is None else (self._secret,))}


T = TypeVar("T", bound=Traced)


@contextlib.contextmanager
def call_span() -> Iterator[CallSpan]:
    """Trace one call of the tool.

    Enter and leave it within one task: OpenTelemetry's current span belongs to the context of a task.
    """
    with _started(CALL_SPAN, "INTERNAL", {}) as native:
        before = _secrets.set(None)
        try:
            with _failures(CallSpan(native)) as span:
                yield span
        finally:
            _secrets.reset(before)


@contextlib.contextmanager
def request_span(origin: str, path: str, *, resends: int) -> Iterator[RequestSpan]:
    """Trace one physical GET request.

    Args:
        origin: what is asked; a route or proxy to another place is not told.
        path: without its query.
        resends: how often the same request was sent before.
    """
    if not _listening():
        yield RequestSpan(None)
        return
    attributes = {
        HTTP_REQUEST_METHOD: REQUEST_METHOD,
        URL_TEMPLATE: path,
        URL_FULL: f"{origin}{path}",
        **_server(origin),
        **({HTTP_REQUEST_RESEND_COUNT: resends} if resends else {}),
    }
    with (
        _started(f"{REQUEST_METHOD} {path}", "CLIENT", attributes) as native,
        _failures(RequestSpan(native)) as span,
    ):
        yield span


@contextlib.contextmanager
def model_span(
    *, provider: str, call_name: str, max_output_tokens: int, api_base: str | None, api_key: str | None
) -> Iterator[ModelSpan]:
    """Trace one physical call of a model.

    Args:
        provider: as LiteLLM calls it.
        call_name: ``provider/model``.
        api_base: told by host and port only.
        api_key: taken out of content, where content is shown at all.
    """
    if not _listening():
        yield ModelSpan(None)
        return
    model = call_name.removeprefix(f"{provider}/")
    attributes = {
        GEN_AI_OPERATION_NAME: MODEL_OPERATION,
        GEN_AI_PROVIDER_NAME: _PROVIDERS.get(provider, provider),
        GEN_AI_REQUEST_MODEL: model,
        GEN_AI_REQUEST_MAX_TOKENS: max_output_tokens,
        **({} if api_base is None else _server(api_base)),
    }
    with (
        _started(f"{MODEL_OPERATION} {model}", "CLIENT", attributes) as native,
        _failures(ModelSpan(native, api_key)) as span,
    ):
        yield span


def _listening() -> bool:
    return sys.modules.get("opentelemetry.trace") is not None


@contextlib.contextmanager
def _started(name: str, kind: str, attributes: Mapping[str, Any]) -> Iterator[Span | None]:
    """A span that is the current one inside; ``None`` where nobody traces.

    A processor of the host's that raises costs the span, never the call: that one may have been paid for.
    """
    native: Span | None = None
    if _listening():
        with contextlib.suppress(Exception):
            from opentelemetry.trace import SpanKind, get_tracer

            tracer = get_tracer(TRACER, __version__)
            native = tracer.start_span(name, kind=SpanKind[kind], attributes=dict(attributes))
    if native is None:
        yield None
        return
    from opentelemetry.trace import use_span

    try:
        with use_span(native, record_exception=False, set_status_on_exception=False):
            yield native
    finally:
        with contextlib.suppress(Exception):
            native.end()


@contextlib.contextmanager
def _failures(span: T) -> Iterator[T]:
    """Mark the span with what ended it early: an error code of ours, and nothing of its words."""
    try:
        yield span
    except BaseException as error:
        if isinstance(error, TwitterToolError) and error.pages_accepted is not None:
            span._set({PAGES: error.pages_accepted})
        span.fail(_code(error))
        raise


def _code(error: BaseException) -> ErrorCode:
    if isinstance(error, TwitterToolError):
        return error.code
    return "internal" if isinstance(error, Exception) else "cancelled"


def _server(origin: str) -> dict[str, Any]:
    try:
        parts = urlsplit(origin)
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    except ValueError:  # the call itself will say so
        return {}
    known: Sequence[tuple[str, Any]] = ((SERVER_ADDRESS, parts.hostname), (SERVER_PORT, port))
    return {name: value for name, value in known if value is not None}


def _shown(text: str, further: Iterable[str] = ()) -> str:
    return redact(without_surrogates(text), (*(_secrets.get() or ()), *further))
