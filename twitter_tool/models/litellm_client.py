"""One physical call of a model through LiteLLM, with everything it does behind one's back dealt with.

Requests of the providers in :mod:`twitter_tool.models.routes` go through :class:`~twitter_tool.models.guard.Guard`: one
request a call, to the configured origin only, no redirects, a bounded body, no telemetry headers. Other providers bring
clients of their own: for them the total time and the length of the text are bounded, the rest is as LiteLLM does it.
"""

from __future__ import annotations

import asyncio
import contextlib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import httpx

from twitter_tool.errors import SetupError
from twitter_tool.http import network, quietly
from twitter_tool.models import engine
from twitter_tool.models.answer_text import AnswerReader, usage_of
from twitter_tool.models.classify import classify
from twitter_tool.models.facts import ModelFacts, Target
from twitter_tool.models.guard import Exchange, Guard
from twitter_tool.models.limits import base64_length, size_of
from twitter_tool.models.reply import ModelFailure, OnText, Prompt, Reply, TextEvent, TokenUsage
from twitter_tool.models.routes import LibraryClient, library_client, route_of
from twitter_tool.models.symptoms import symptoms_of
from twitter_tool.models.words import shown_message, shown_words, without_secrets
from twitter_tool.redaction import StreamRedactor, long_secrets

ANSWER_TIMEOUT_S: Final = 300.0


class LiteLLMClient:
    """Asks models. Lives on one event loop, for one call of the tool or many.

    Args:
        timeout_s: for one physical call, from its start to the last byte of the answer, in seconds.
        use_proxy_env: obey the proxy variables, except for loopback addresses.
        secrets: values that no message may hold, and the long ones no answer, besides the keys of the models.
    """

    def __init__(
        self, *, timeout_s: float = ANSWER_TIMEOUT_S, use_proxy_env: bool = False, secrets: Iterable[str] = ()
    ) -> None:
        self._timeout_s = timeout_s
        self._use_proxy_env = use_proxy_env
        self._secrets = tuple(secrets)
        self._network: httpx.AsyncBaseTransport | None = None
        self._left_to_litellm = False

    def start_import(self) -> None:
        """Begin to import LiteLLM in a thread, so that it is there when the evidence is."""
        engine.start()

    async def ready(self) -> Any:
        """Wait for LiteLLM.

        Raises:
            SetupError: ``missing_model``, when it cannot be imported.
        """
        try:
            return await asyncio.wrap_future(engine.start())
        except Exception as error:
            message = f"LiteLLM cannot be imported: {type(error).__name__}"
            hint = 'Run pip install --upgrade "twitter-tool[answer]", or set synthesis_model to extractive.'
            raise SetupError("missing_model", message, hint=hint) from error

    async def complete(
        self,
        model: ModelFacts,
        prompt: Prompt,
        *,
        max_output_tokens: int,
        reasoning_effort: str | None = None,
        on_text: OnText | None = None,
    ) -> Reply:
        """Ask a model once.

        Args:
            on_text: receives the answer while it is being written; without it the answer is not streamed.

        Raises:
            ModelFailure: there is no answer.
            asyncio.CancelledError: the caller gave up; the connection is closed.
        """
        return await self.send(
            model,
            [{"role": "system", "content": prompt.system}, {"role": "user", "content": _user_content(prompt)}],
            least_bytes=_least_bytes(prompt),
            max_output_tokens=max_output_tokens,
            reasoning_effort=reasoning_effort,
            on_text=on_text,
        )

    async def send(
        self,
        model: Target,
        messages: Sequence[Mapping[str, Any]],
        *,
        least_bytes: int,
        max_output_tokens: int,
        timeout_s: float | None = None,
        reasoning_effort: str | None = None,
        on_text: OnText | None = None,
    ) -> Reply:
        """Send messages in OpenAI's form, once.

        Args:
            least_bytes: of a request's body that carries everything; a shorter one is not sent. Only guarded
                providers can be watched for that.
            timeout_s: instead of that of the client, in seconds.

        Raises:
            ModelFailure: there is no answer.
            asyncio.CancelledError: the caller gave up; the connection is closed.
        """
        timeout_s = self._timeout_s if timeout_s is None else timeout_s
        try:
            litellm = await self.ready()
        except SetupError as error:
            raise ModelFailure("unknown", error.message) from error
        exchange = Exchange()
        arguments = _arguments(model, messages, max_output_tokens, reasoning_effort, timeout_s)
        with engine.silence(), engine.unlogged(), quietly():
            client = self._library_client(litellm, model, exchange, least_bytes)
            try:
                async with asyncio.timeout(timeout_s) as limit:
                    show = None if on_text is None else _Shown(on_text, model.name, self._all_secrets(model))
                    reply = await _ask(litellm, arguments, client, exchange, show)
                    return _without_keys(reply, self._all_secrets(model))
            except ModelFailure as failure:
                raise self._redacted(failure, exchange, model) from None
            except asyncio.CancelledError as error:
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
                # Nobody cancelled this call: something inside LiteLLM was, which is no more than a broken connection.
                raise self._failure(error, exchange, model) from None
            except Exception as error:
                if isinstance(error, TimeoutError) and limit.expired():
                    exchange.note("timeout")
                raise self._failure(error, exchange, model) from None
            finally:
                if client is not None:
                    await client.http_client.aclose()

    async def aclose(self) -> None:
        """Close every connection; to be awaited before the loop ends."""
        if self._network is not None:
            with quietly():
                await self._network.aclose()
            self._network = None
        if self._left_to_litellm:
            litellm = await self.ready()
            await litellm.close_litellm_async_clients()
            self._left_to_litellm = False

    def _library_client(
        self, litellm: Any, model: Target, exchange: Exchange, least_bytes: int
    ) -> LibraryClient | None:
        route = route_of(model.provider)
        if route == "own":
            self._left_to_litellm = True
            return None
        if self._network is None:
            self._network = network(use_proxy_env=self._use_proxy_env)
        guard = Guard(self._network, exchange, api_base=model.api_base, least_bytes=least_bytes)
        return library_client(
            litellm, route, guard, call_name=model.call_name, api_base=model.api_base, api_key=model.api_key
        )

    def _failure(self, error: BaseException, exchange: Exchange, model: Target) -> ModelFailure:
        symptoms = symptoms_of(error, exchange)
        kind = classify(symptoms)
        secrets = self._all_secrets(model)
        return ModelFailure(
            kind,
            shown_message(symptoms, kind, secrets),
            status=symptoms.status,
            detail=without_secrets(symptoms.text, secrets),
        )

    def _redacted(self, failure: ModelFailure, exchange: Exchange, model: Target) -> ModelFailure:
        message = shown_words(failure.message, self._all_secrets(model))
        return ModelFailure(failure.kind, message, status=exchange.status, usage=failure.usage)

    def _all_secrets(self, model: Target) -> tuple[str, ...]:
        return self._secrets if model.api_key is None else (*self._secrets, model.api_key)


def media_url(mime: str, data: bytes) -> str:
    """A file as a data URL, which is how a request carries it."""
    return f"data:{mime};base64,{b64encode(data).decode('ascii')}"


def _user_content(prompt: Prompt) -> str | list[dict[str, Any]]:
    """The text alone where there is nothing else, since some servers take only that; else the text, then the images."""
    if not prompt.images:
        return prompt.user
    urls = (media_url(image.mime, image.data) for image in prompt.images)
    images = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [{"type": "text", "text": prompt.user}, *images]


def _least_bytes(prompt: Prompt) -> int:
    if not prompt.images:
        return 0
    return size_of(prompt.user).utf8 + sum(base64_length(len(image.data)) for image in prompt.images)


def _arguments(
    model: Target,
    messages: Sequence[Mapping[str, Any]],
    max_output_tokens: int,
    reasoning_effort: str | None,
    timeout_s: float,
) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "model": model.call_name,
        "messages": messages,
        "max_tokens": max_output_tokens,
        "timeout": timeout_s,
        # Either alone leaves some provider with retries of its own.
        "max_retries": 0,
        "num_retries": 0,
        "caching": False,
    }
    if model.api_key is not None:
        arguments["api_key"] = model.api_key
    if model.api_base is not None:
        arguments["api_base"] = model.api_base
    if reasoning_effort is not None:
        arguments["reasoning_effort"] = reasoning_effort
        arguments["allowed_openai_params"] = ["reasoning_effort"]
    return arguments


async def _ask(
    litellm: Any,
    arguments: Mapping[str, Any],
    client: LibraryClient | None,
    exchange: Exchange,
    show: _Shown | None,
) -> Reply:
    native = {} if client is None else {"client": client.native}
    reader = AnswerReader()
    if show is None:
        response = await litellm.acompletion(**arguments, **native)
        choices = getattr(response, "choices", None) or ()
        if choices:
            reader.take(choices[0], getattr(choices[0], "message", None))
        return reader.finish(_usage(response, exchange, client))
    stream = await litellm.acompletion(**arguments, **native, stream=True, stream_options={"include_usage": True})
    usage: TokenUsage | None = None
    try:
        async for chunk in stream:
            usage = _usage(chunk, exchange, client) or usage
            choices = getattr(chunk, "choices", None) or ()
            if choices:
                delta = getattr(choices[0], "delta", None)
                exchange.answering = exchange.answering or _says_something(delta)
                show.take(reader.take(choices[0], delta))
    finally:
        with contextlib.suppress(Exception):  # whatever matters about the stream is known by now
            await stream.aclose()
    if client is not None and not exchange.ended:
        if not exchange.answering:
            raise ModelFailure("server", "the answer could not be read", usage=usage)
        raise ModelFailure("transport", "the answer ended in the middle", usage=usage)
    reply = reader.finish(usage)
    show.finish()
    return reply


class _Shown:
    """Shows an answer while it is being written, without the keys that a server may put into it."""

    def __init__(self, on_text: OnText, model: str, secrets: Iterable[str]) -> None:
        self._on_text = on_text
        self._model = model
        self._redactor = StreamRedactor(secrets)

    def take(self, piece: str) -> None:
        self._show(self._redactor.take(piece))

    def finish(self) -> None:
        self._show(self._redactor.finish())

    def _show(self, text: str) -> None:
        if text:
            with contextlib.suppress(Exception):  # display only: what it does must not change the answer
                self._on_text(TextEvent(kind="text", text=text, model=self._model))


def _without_keys(reply: Reply, secrets: Iterable[str]) -> Reply:
    """The reply as it is, or, where a long secret shows up in it once it is cleaned, cleaned and without that."""
    secrets = long_secrets(secrets)
    cleaned = without_secrets(reply.text, ())
    redacted = without_secrets(reply.text, secrets)
    return reply if redacted == cleaned else replace(reply, text=redacted)


def _says_something(delta: Any) -> bool:
    """Whether a delta came from the model: LiteLLM ends every stream with an empty one of its own."""
    return any(getattr(delta, name, None) for name in ("content", "reasoning_content", "tool_calls"))


def _usage(response: Any, exchange: Exchange, client: LibraryClient | None) -> TokenUsage | None:
    """The counts that came over the wire: where the provider sends none, LiteLLM estimates some."""
    if client is not None and not exchange.reports_usage:
        return None
    return usage_of(getattr(response, "usage", None))
