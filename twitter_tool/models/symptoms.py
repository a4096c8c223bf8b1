"""What can be known about a failed call, gathered from an exception of LiteLLM without importing it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from twitter_tool.models.guard import Exchange, WireFault

_MAX_DETAIL: Final = 64 * 1024
_PREFIX: Final = re.compile(r"^(?:litellm\.)?[A-Za-z]*(?:Error|Exception|Timeout)(?: ?- ?|: ?)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptoms:
    """The facts of one failure, the surest first.

    Attributes:
        fault: what went wrong on the wire.
        status: the HTTP status that arrived, or the one that LiteLLM states when nothing is known of the wire.
        types: class names of the exception, its bases and its causes.
        code: the provider's own error code or type.
        text: the provider's words, as sent; LiteLLM's when the provider said nothing.
        said: whether the words are the provider's.
        answering: part of an answer had arrived.
        unseen: nothing was seen of it on the wire: LiteLLM refused the call itself, or sent it past the guard.
    """

    fault: WireFault | None = None
    status: int | None = None
    types: frozenset[str] = frozenset()
    code: str = ""
    text: str = ""
    said: bool = False
    answering: bool = False
    unseen: bool = False


def symptoms_of(error: BaseException, exchange: Exchange) -> Symptoms:
    """Read an exception of a call, with what its transport saw.

    LiteLLM makes up status 500 for everything that has none, and 408 for a timeout: where the transport saw the
    exchange, only its status counts.
    """
    body = _wire_error(exchange.head) or _error_body(error)
    words = next((value for key in ("message", "detail", "error") if isinstance(value := body.get(key), str)), "")
    code = " ".join(str(body[key]) for key in ("code", "type", "status") if isinstance(body.get(key), str | int))
    said = bool(words.strip())
    return Symptoms(
        fault=exchange.fault,
        status=exchange.status if exchange.requests else _stated_status(error),
        types=frozenset(kind.__name__ for link in _chain(error) for kind in type(link).__mro__),
        code=code[:200],
        text=(words if said else _own_words(error))[:_MAX_DETAIL],
        said=said,
        answering=exchange.answering,
        unseen=not exchange.requests,
    )


def _stated_status(error: BaseException) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) and not isinstance(status, bool) else None


def _wire_error(head: bytes) -> Mapping[str, Any]:
    """The error object of a body, however a provider wraps it; empty when the body holds none."""
    try:
        body = json.loads(head)
    except (ValueError, RecursionError):
        return {}
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return {}
    inner = body.get("error")
    if isinstance(inner, dict):
        return inner
    return body if isinstance(inner, str) or {"message", "detail"} & body.keys() else {}


def _error_body(error: BaseException) -> Mapping[str, Any]:
    for link in _chain(error):
        body = getattr(link, "body", None)
        if isinstance(body, Mapping):
            inner = body.get("error")
            return inner if isinstance(inner, Mapping) else body
    return {}


def _own_words(error: BaseException) -> str:
    message = getattr(error, "message", None)
    text = message if isinstance(message, str) and message else str(error)
    while (shorter := _PREFIX.sub("", text, count=1)) != text:
        text = shorter
    return text.partition("Traceback (most recent call last)")[0].strip()


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__
