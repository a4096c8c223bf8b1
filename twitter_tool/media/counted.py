"""Requests to X's media hosts, counted as they are made."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Literal

from twitter_tool.http import FailureKind, HttpFailure, HttpResponse
from twitter_tool.usage import Usage

Unanswered = FailureKind | Literal["status"]
"""Why there is no answer to use; ``status`` for any but 2xx, redirects included."""


async def counted(usage: Usage, request: Awaitable[HttpResponse]) -> HttpResponse | Unanswered:
    """Make one request; it failed when nothing came back or the status is not 2xx."""
    usage.media_attempts += 1
    try:
        response = await request
    except HttpFailure as failure:
        usage.media_http_failures += 1
        return failure.kind
    if 200 <= response.status < 300:
        return response
    usage.media_http_failures += 1
    return "status"
