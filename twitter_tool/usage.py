"""Counters of one call: what was really sent and received, never an estimate of money."""

from __future__ import annotations

from dataclasses import dataclass, fields

from twitter_tool.settings import camel


@dataclass(slots=True, kw_only=True)
class Usage:
    """Physical work of one call; every counter is shown, zero included.

    ``upstream_attempts`` counts requests with their retries; ``upstream_http_failures`` non-2xx statuses and
    requests that got no response; ``successful_pages`` accepted pages and look-ups, empty ones too; ``*_returned`` raw
    entries as sent; ``*_retained`` items delivered after selection.
    """

    upstream_attempts: int = 0
    upstream_http_failures: int = 0
    successful_pages: int = 0
    posts_returned: int = 0
    posts_retained: int = 0
    accounts_returned: int = 0
    accounts_retained: int = 0
    trends_returned: int = 0
    trends_retained: int = 0
    media_attempts: int = 0
    media_head_attempts: int = 0
    media_http_failures: int = 0
    native_video_attempts: int = 0
    native_video_http_failures: int = 0
    native_video_sdk_attempts: int = 0
    native_video_sdk_failures: int = 0
    stt_attempts: int = 0
    stt_http_failures: int = 0
    synthesis_attempts: int = 0
    synthesis_failures: int = 0

    def to_dict(self) -> dict[str, int]:
        """The counters with camelCase names."""
        return {camel(item.name): getattr(self, item.name) for item in fields(self)}
