"""What a service that gets media answers: its JSON, and its words about a failure as they may be shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# Both readers were made for another provider's answers, and hold nothing of it.
from twitter_tool.backends.twitterapi.body import UnreadableBody, parse_object
from twitter_tool.backends.twitterapi.failures import shown_detail
from twitter_tool.text import Line, without_surrogates


def json_object(body: bytes | str) -> dict[str, Any] | None:
    """One JSON object within limits of depth and size; ``None`` for anything else, whatever it is."""
    try:
        return parse_object(without_surrogates(body).encode() if isinstance(body, str) else body)
    except UnreadableBody:
        return None


def shown_body(body: bytes | str | None, secrets: Iterable[str]) -> Line | None:
    """The beginning of a body that explains a refusal.

    One cleaned line with white space collapsed, at most 200 characters, without the secrets.

    Returns:
        ``None`` when there is nothing, or when it is markup.
    """
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body or ""
    return shown_detail(" ".join(text.split()), secrets)
