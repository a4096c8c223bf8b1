"""Which sort of failure it is. Pure: facts of the wire first, then status and exception types, then words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twitter_tool.models.guard import WireFault
from twitter_tool.models.reply import FailureKind
from twitter_tool.models.symptoms import Symptoms

_FAULTS: Final[Mapping[WireFault, FailureKind]] = MappingProxyType(
    {
        "cleartext": "unknown",
        "address": "unknown",
        "again": "unknown",
        "connect": "transport",
        "cut": "transport",
        "encoded": "unknown",
        "oversize": "unknown",
        "redirect": "unknown",
        "stripped": "invalid-request",
        "timeout": "transport",
    }
)

_STATUSES: Final[Mapping[int, FailureKind]] = MappingProxyType(
    {
        400: "invalid-request",
        401: "auth",
        402: "quota",
        403: "auth",
        404: "unknown-model",
        408: "transport",
        413: "invalid-request",
        422: "invalid-request",
        429: "rate-limit",
    }
)

_TYPES: Final[tuple[tuple[str, FailureKind], ...]] = (
    ("RateLimitError", "rate-limit"),
    ("AuthenticationError", "auth"),
    ("PermissionDeniedError", "auth"),
    ("NotFoundError", "unknown-model"),
    ("BadRequestError", "invalid-request"),
    ("UnprocessableEntityError", "invalid-request"),
    ("APIConnectionError", "transport"),
    ("TransportError", "transport"),
    ("InternalServerError", "server"),
    ("ServiceUnavailableError", "server"),
)

# Underscores and dashes have become blanks, everything is lower case.
_WORDS: Final[tuple[tuple[FailureKind, re.Pattern[str]], ...]] = (
    ("quota", re.compile(r"\bquota\b|\bbilling\b|\bsubscription\b|\bcredits?\b")),
    (
        "auth",
        re.compile(r"\b(?:invalid|incorrect|missing|no) (?:\w+ )?api key|\bforbidden\b|\bunauthor|\bauthentication\b"),
    ),
    ("unknown-model", re.compile(r"\bdoes not exist\b|\bnot found\b|\bunknown model\b|\bno such model\b")),
    (
        "invalid-request",
        re.compile(r"\binvalid request\b|\bmalformed\b|\bcontext (?:length|window)\b|\btoo long\b|\btool call"),
    ),
    ("rate-limit", re.compile(r"\btoo many requests\b|\brate limit|\boverloaded\b")),
    ("server", re.compile(r"\bbad gateway\b|\bunavailable\b|\binternal (?:server )?error\b|\bserver error\b")),
    (
        "transport",
        re.compile(
            r"\btime(?:d )?outs?\b|\btimed out\b|\breset\b|\bhang up\b|\bpremature|\babort(?:ed)?\b|\bcancell?ed\b"
            r"|\bconnection\b|\bdisconnect|\bunreachable\b"
        ),
    ),
    ("empty", re.compile(r"\bempty\b|\bno (?:usable )?text\b")),
)
# A number that a sentence may hold for other reasons is no status.
_NUMBER: Final = re.compile(
    r"(?<![\d.])(?:4(?:0[0-9]|1[0-8]|2[0-9]|31|51)|5(?:0[0-9]|2[0-9]|11))(?![\d.]*\d)"
    r"(?! (?:tokens?|characters?|bytes?|m?s)\b)"
)
_ORDER: Final = (429, 402, 401, 403, 404, 400, 422)


def classify(symptoms: Symptoms) -> FailureKind:
    """The class of a failure.

    A provider's own words never count as the caller's cancellation: "was cancelled" is a fault of the transport.
    """
    if symptoms.fault is not None:
        return _FAULTS[symptoms.fault]
    words = _plain(f"{symptoms.code} {symptoms.text}")
    status = symptoms.status
    if status is not None and not 200 <= status < 300:
        return _of_status(status, words)
    if status is not None:  # an answer arrived and could not be read: at best it says itself what is wrong
        kind = _of_words(words) if symptoms.said else "unknown"
        if kind == "unknown":
            kind = "transport" if symptoms.answering else "server"
        return kind
    for name, kind in _TYPES:
        if name in symptoms.types:
            return "quota" if kind == "rate-limit" and _used_up(words) else kind
    return _of_words(words)


def _of_status(status: int, words: str) -> FailureKind:
    if status == 429 and _used_up(words):
        return "quota"
    if status >= 500:
        return "server"
    return _STATUSES.get(status, "unknown")


def _of_words(words: str) -> FailureKind:
    numbers = {int(found) for found in _NUMBER.findall(words)}
    for status in _ORDER:
        if status in numbers:
            return _of_status(status, words)
    if any(number >= 500 for number in numbers):
        return "server"
    return next((kind for kind, pattern in _WORDS if pattern.search(words)), "unknown")


def _used_up(words: str) -> bool:
    """Whether a refusal for too many requests means that nothing is left to spend, rather than that it is too early."""
    return (
        re.search(
            r"\binsufficient quota\b|\bbilling\b|\bout of credits?\b|\binsufficient (?:credits?|balance)\b", words
        )
        is not None
    )


def _plain(text: str) -> str:
    return re.sub(r"[_\-\s]+", " ", text).lower()


_EFFORTS: Final = frozenset(("minimal", "low", "medium", "high", "xhigh", "max"))
# Between the refusal and the field stand only words that belong to both; another field in between is what is refused.
_BETWEEN = (
    r"(?:[\s'\"`:=,_-]|\b(?:value|values|parameter|setting|option|for|of|the|is|are|was|with|this|model|none)\b){0,30}"
)
_REFUSED = r"\b(?:not supported|unsupported|invalid|not valid|does not support)\b"
_FIELD = r"reasoning[ _.]?effort\b"
_EFFORT: Final = re.compile(
    rf"{_FIELD}{_BETWEEN}(?:['\"`][\w.-]{{1,20}}['\"`]{_BETWEEN})?{_REFUSED}"
    rf"|\b(?:unsupported|invalid|does not support)\b{_BETWEEN}{_FIELD}",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(
    r"^((?:(?!\b(?:invalid|unsupported)\b)[^\[\]]){0,200}?)\b(?:supported|allowed|valid|available|expected)\b"
    r"[^\[\]]{0,80}\[([^\[\]]{1,300})\]",
    re.IGNORECASE | re.DOTALL,
)


def supported_effort(message: str) -> str | None:
    """The reasoning effort to try instead, when a message refuses the one sent and lists those it takes in brackets."""
    refused = _EFFORT.search(message)
    if refused is None:
        return None
    listed = _LISTED.match(message[refused.end() :])
    if listed is None:
        return None
    values = (value.strip(" \t\n'\"`").lower() for value in listed.group(2).split(","))
    return next((value for value in values if value in _EFFORTS), None)
