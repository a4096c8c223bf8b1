"""What is shown of a provider's error message: one line, without secrets and without markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from twitter_tool.models.guard import WireFault
from twitter_tool.models.reply import FailureKind
from twitter_tool.models.symptoms import Symptoms
from twitter_tool.redaction import redact
from twitter_tool.text import Line, block, line

MESSAGE_CAP: Final = 200
_MARKUP: Final = re.compile(r"<(?:!doctype|/?[a-z][a-z0-9]*[\s>/])", re.IGNORECASE)

_OF_FAULT: Final[dict[WireFault, str]] = {
    "cleartext": "the address is neither https nor on this machine, and the request was not sent",
    "address": "the request would have gone to another address than the one configured, and was not sent",
    "again": "a second request for the same answer was refused",
    "connect": "no connection",
    "cut": "the connection was lost before the answer ended",
    "encoded": "the answer came in an encoding that was not asked for",
    "oversize": "the answer was larger than allowed",
    "redirect": "the address answered with a redirect, which is not followed",
    "stripped": "LiteLLM has no form in which this provider takes images or videos, and the request was not sent",
    "timeout": "the answer did not come in time",
}
_OF_KIND: Final[dict[FailureKind, str]] = {
    "quota": "nothing is left to spend",
    "auth": "the key was refused",
    "unknown-model": "the model was not found",
    "invalid-request": "the request was refused",
    "rate-limit": "too many requests",
    "server": "the service failed",
    "transport": "the connection failed",
    "empty": "the answer had no text",
    "unknown": "the call failed",
}


def without_secrets(raw: str, secrets: Iterable[str]) -> str:
    """Cleaned text without secrets: cleaning comes first, since it can join a key that something invisible divides."""
    return redact(block(raw), secrets)


def shown_words(raw: str, secrets: Iterable[str]) -> Line:
    """One cleaned line without secrets."""
    return line(without_secrets(raw, secrets), MESSAGE_CAP)


def shown_message(symptoms: Symptoms, kind: FailureKind, secrets: Iterable[str]) -> str:
    """One line for people: the provider's words where it said something readable, ours otherwise."""
    if symptoms.fault is not None:
        return _OF_FAULT[symptoms.fault]
    words = "" if _MARKUP.search(symptoms.text) else shown_words(symptoms.text, secrets)
    if symptoms.status is None or symptoms.unseen:
        return words or _OF_KIND[kind]
    if 200 <= symptoms.status < 300 and not (symptoms.said and words):
        return "the answer ended in the middle" if symptoms.answering else "the answer could not be read"
    return words if symptoms.said and words else f"{_OF_KIND[kind]} (status {symptoms.status})"
