"""The requests to a service that watches clips: counted, bounded, their failures in words."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import secrets as tokens
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from twitter_tool.clock import Clock
from twitter_tool.http import Http, HttpFailure, HttpResponse, Method
from twitter_tool.media.native.keyless import shown_reason
from twitter_tool.media.native.outcome import NoReply
from twitter_tool.media.replies import json_object
from twitter_tool.usage import Usage

MAX_REPLY_BYTES: Final = 1024 * 1024
MIME: Final = "video/mp4"
NO_TIME: Final = "the time for it ran out"
CLIP: Final = f"clip:{tokens.token_hex(16)}"
"""Stands in a payload where the clip belongs; nobody who writes a part of a payload can know it."""
_CHUNK: Final = 3 * 256 * 1024  # a multiple of three, so that the encoded chunks are one encoded whole


class Calls:
    """The requests of one analysis.

    Args:
        timeout_s: for all of them together, in seconds.
        secrets: what no message may hold.
    """

    def __init__(
        self, http: Http, *, usage: Usage, clock: Clock, timeout_s: float, secrets: Sequence[str] = ()
    ) -> None:
        self._http = http
        self._usage = usage
        self._clock = clock
        self._deadline = clock.monotonic() + timeout_s
        self.secrets = secrets

    async def send(
        self,
        method: Method,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | Path | None = None,
        timeout_s: float | None = None,
        on_sent: Callable[[], None] | None = None,
    ) -> HttpResponse:
        """Make one request; the answer's status is 2xx.

        Args:
            timeout_s: instead of what is left of the time for all requests.
            on_sent: called when the request begins to be on the wire.

        Raises:
            NoReply: there was no time for it, no answer, another status, or the answer's body could not be read.
        """
        left = self._left() if timeout_s is None else timeout_s
        self._usage.native_video_attempts += 1
        try:
            response = await self._http.request(
                method,
                url,
                headers={"Accept": "application/json", **headers},
                body=body,
                max_bytes=MAX_REPLY_BYTES,
                timeout_s=left,
                on_sent=on_sent,
            )
        except HttpFailure as failure:
            self._usage.native_video_http_failures += 1
            words = "it did not answer in time" if failure.kind == "timeout" else failure.reason
            raise NoReply(words) from failure
        if not 200 <= response.status < 300:
            self._usage.native_video_http_failures += 1
            raise NoReply(self._refusal(response), refused=response.status < 500)
        if response.failure is not None:
            raise NoReply(f"the answer could not be read: {response.failure.reason}") from response.failure
        return response

    async def send_json(
        self, method: Method, url: str, *, headers: Mapping[str, str], body: bytes | Path | None = None
    ) -> dict[str, Any]:
        """Make one request whose answer is a JSON object.

        Raises:
            NoReply: as :meth:`send`, and for any other answer.
        """
        response = await self.send(method, url, headers=headers, body=body)
        found = json_object(response.body or b"")
        if found is None:
            raise NoReply("the answer is not a JSON object")
        return found

    async def pause(self, seconds: float) -> None:
        """Wait so long, or as long as there is time.

        Raises:
            NoReply: no time is left.
        """
        await self._clock.sleep(min(seconds, self._left()))

    def _left(self) -> float:
        left = self._deadline - self._clock.monotonic()
        if left <= 0:
            raise NoReply(NO_TIME)
        return left

    def _refusal(self, response: HttpResponse) -> str:
        if response.status < 400:
            return f"HTTP {response.status}: it redirects, which is not followed"
        words = shown_reason((response.body or b"").decode("utf-8", "replace"), self.secrets)
        return f"HTTP {response.status}{f': {words}' if words else ''}"


async def with_clip(payload: Mapping[str, Any], clip: Path) -> bytes:
    """A payload as JSON, the clip's bytes in base64 in place of :data:`CLIP`.

    Raises:
        OSError: the clip cannot be read.
    """
    return await asyncio.to_thread(_with_clip, payload, clip)


def _with_clip(payload: Mapping[str, Any], clip: Path) -> bytes:
    head, tail = json.dumps(payload).encode().split(CLIP.encode())
    body = io.BytesIO()
    body.write(head)
    with clip.open("rb") as file:
        while chunk := file.read(_CHUNK):
            body.write(base64.b64encode(chunk))
    body.write(tail)
    return body.getvalue()  # one buffer from start to end: a clip may be large
