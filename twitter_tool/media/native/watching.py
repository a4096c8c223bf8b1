"""Having a clip watched by the service of a route: the one way in, which never raises but for cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

from twitter_tool.clock import Clock
from twitter_tool.http import Http
from twitter_tool.media.endpoints import VideoType
from twitter_tool.media.native.calls import NO_TIME, Calls
from twitter_tool.media.native.gemini import INLINE_BYTES, Gemini
from twitter_tool.media.native.keyless import shown_reason
from twitter_tool.media.native.openai import watch_inline
from twitter_tool.media.native.outcome import NativeFailure, NoReply
from twitter_tool.media.native.prompt import PROMPT
from twitter_tool.media.native.reply import read_reply
from twitter_tool.media.native.route import NativeRoute
from twitter_tool.media.values import Watched
from twitter_tool.notes import Note, note
from twitter_tool.usage import Usage

Ask = Callable[[Path, str], Awaitable[str]]
"""Has a clip watched through LiteLLM: file and question in, the reply's text out; what it raises is a failure."""
_METHODS: Final[dict[VideoType, str]] = {
    "gemini-files": "gemini-native",
    "openai-compatible": "openai-compatible",
    "litellm": "litellm-native",
}


async def watch(
    route: NativeRoute,
    clip: Path,
    *,
    http: Http,
    usage: Usage,
    clock: Clock,
    timeout_s: float,
    ask: Ask | None = None,
    secrets: Sequence[str] = (),
) -> Watched | NativeFailure:
    """Have a clip watched.

    Args:
        clip: an MP4 file, known to be no longer than allowed.
        http: connections that nothing routes to another place.
        timeout_s: for the whole of it; only the deletion of an uploaded file has 5 seconds of its own.
        ask: carries the clip, for a route through LiteLLM.
        secrets: what no message may hold, besides the route's key.

    Returns:
        What was seen and heard. It may hold neither; a note then says that the reply told nothing.
    """
    work = _Watching(route, clip, usage=usage, secrets=(*secrets, *([route.key] if route.key else ())))
    try:
        text = await work.carry_out(http, clock, timeout_s, ask)
        reply = read_reply(text, work.secrets)
    except NoReply as failure:
        return work.failed(failure.reason)
    except OSError:
        return work.failed("the clip could not be read")
    notes = [note("third_party_processing", kind="native_video", host=route.host), *work.notes]
    if not (reply.visual or reply.transcript):
        notes.append(note("video_failed", reason=work.told("the reply tells nothing")))
    return Watched(
        method=_METHODS[route.kind],
        visual=reply.visual,
        transcript=reply.transcript,
        silent=reply.silent,
        notes=tuple(notes),
    )


class _Watching:
    """One clip on its way to a service and back."""

    def __init__(self, route: NativeRoute, clip: Path, *, usage: Usage, secrets: Sequence[str]) -> None:
        self._route = route
        self._clip = clip
        self._usage = usage
        self.secrets = secrets
        self.notes: list[Note] = []

    async def carry_out(self, http: Http, clock: Clock, timeout_s: float, ask: Ask | None) -> str:
        """The text of the reply.

        Raises:
            NoReply: there is none.
            OSError: the clip cannot be read.
        """
        route = self._route
        if fault := route.fault():
            raise NoReply(fault)
        if timeout_s <= 0:
            raise NoReply(NO_TIME)
        if route.kind == "litellm":
            return await self._ask(ask, timeout_s)
        assert route.endpoint is not None
        calls = Calls(http, usage=self._usage, clock=clock, timeout_s=timeout_s, secrets=self.secrets)
        if route.kind == "openai-compatible":
            return await watch_inline(calls, endpoint=route.endpoint, model=route.model, key=route.key, clip=self._clip)
        gemini = Gemini(calls=calls, base=route.endpoint, model=route.model, key=route.key)
        try:
            return await gemini.watch(self._clip, self._clip.stat().st_size)
        finally:
            if gemini.remains:
                self.notes.append(note("upload_may_remain", provider=route.host))

    async def _ask(self, ask: Ask | None, timeout_s: float) -> str:
        if ask is None:
            raise NoReply("LiteLLM is not available")
        if self._clip.stat().st_size > INLINE_BYTES:
            raise NoReply("the clip is larger than the 12 MiB that a request can carry")
        self._usage.native_video_sdk_attempts += 1
        try:
            async with asyncio.timeout(timeout_s) as limit:
                return await ask(self._clip, PROMPT)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Nobody cancelled this call: something inside a client library was, which is a broken connection.
            self._usage.native_video_sdk_failures += 1
            raise NoReply("the connection was lost") from error
        except Exception as error:  # whatever a client library raises, the call goes on without it
            self._usage.native_video_sdk_failures += 1
            if isinstance(error, TimeoutError) and limit.expired():
                raise NoReply(NO_TIME) from None
            raise NoReply(shown_reason(str(error), self.secrets) or type(error).__name__) from error

    def failed(self, reason: str) -> NativeFailure:
        told = self.told(reason)
        return NativeFailure(reason=told, notes=(note("video_failed", reason=told), *self.notes))

    def told(self, reason: str) -> str:
        """A reason with the place where it happened."""
        return f"native analysis ({self._route.host}): {reason}"
