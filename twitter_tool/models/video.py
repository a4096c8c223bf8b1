"""Having a model watch a clip through LiteLLM: which model, with which key, and the one call.

The clip travels inside the request. LiteLLM passes it on in one of two content parts, depending on the provider; in the
other one it would leave the clip out without a word, and the model would describe what it has not seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from twitter_tool import extras
from twitter_tool.credentials import KEY_VARIABLE, is_variable_name
from twitter_tool.errors import SetupError
from twitter_tool.models.catalogue import Catalogue, installed
from twitter_tool.models.declared import Declared, read_declared
from twitter_tool.models.facts import Skipped
from twitter_tool.models.keys import find_key, openai_base
from twitter_tool.models.limits import base64_length
from twitter_tool.models.litellm_client import LiteLLMClient, media_url
from twitter_tool.models.reply import ModelFailure, Reply
from twitter_tool.models.resolve import provider_of
from twitter_tool.models.routes import VideoForm, video_form
from twitter_tool.notes import Note, note
from twitter_tool.settings import Settings
from twitter_tool.text import line

MAX_CLIP_BYTES: Final = 12 * 1024 * 1024
"""Of a clip inside a request; LiteLLM has no common way to upload a longer one first."""
MAX_OUTPUT_TOKENS: Final = 4_000
_CLIP_TYPE: Final = "video/mp4"
_SHOWN: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoTarget:
    """A model that can be given a clip.

    Attributes:
        name: as the settings spell it.
        provider, call_name, api_base, api_key: as in :class:`~twitter_tool.models.facts.ModelFacts`.
        form: the content part that carries the clip to this provider.
    """

    name: str
    provider: str
    call_name: str
    form: VideoForm
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoGap:
    """Why the configured model cannot be given clips.

    Attributes:
        reason: ``unusable`` is a name or an address that will not do, or a provider that LiteLLM hands no videos.
        message: a clause for people without any key.
        variable: which should hold the key, when that is what is missing.
    """

    reason: Literal["not_configured", "not_installed", "key_missing", "unusable"]
    message: str
    variable: str | None = None

    def note(self, videos: int | None = None) -> Note:
        """The disclosure; ``videos`` is how many are not watched for this reason."""
        if self.reason == "key_missing":
            return note("video_skipped", count=videos, reason="key_missing", variable=self.variable)
        return note("video_failed", reason=f"native video analysis is not possible: {self.message}")


def video_target(
    settings: Settings, environ: Mapping[str, str], *, lists: Callable[[], Catalogue | None] = installed
) -> VideoTarget | VideoGap:
    """Settle which model is given clips, where and with which key; nothing is imported or asked.

    The address is the one under ``[models]``, else the provider's own. The key is that of ``video_api_key_env`` where
    somebody has set it, else the one that belongs to the address, as for answers. The model need not be in LiteLLM's
    map.

    Args:
        environ: where the key is looked for.
        lists: gives the lists of the installed LiteLLM, or ``None`` when it is not installed.
    """
    name = settings["video_model"]
    if not name:
        return VideoGap(reason="not_configured", message="video_model is not set")
    known = lists()
    if known is None:
        return VideoGap(reason="not_installed", message=f"LiteLLM is not installed; run {extras.ANSWER}")
    try:
        return _settled(name, settings, known, environ)
    except SetupError as error:
        return VideoGap(reason="unusable", message=error.message)


def _settled(name: str, settings: Settings, known: Catalogue, environ: Mapping[str, str]) -> VideoTarget | VideoGap:
    row = known.find(name)
    provider = row.provider if row is not None else provider_of(name, known)
    form = video_form(provider, known.keys)
    if form is None:
        return VideoGap(reason="unusable", message=f"LiteLLM passes no video on to {line(provider, _SHOWN)}")
    entry = _entry(name, settings)
    if isinstance(entry, VideoGap):
        return entry
    if provider == "custom_openai" and entry.api_base is None:
        return VideoGap(reason="unusable", message=f"the model {line(name, _SHOWN)!r} has no address")
    key = find_key(name, provider, entry, known, environ)
    if isinstance(key, Skipped):
        return VideoGap(reason="key_missing", message=key.why, variable=key.missing or None)
    return VideoTarget(
        name=name,
        provider=provider,
        call_name=row.call_name if row is not None else name,
        form=form,
        api_base=entry.api_base or (openai_base(environ) if provider == "openai" else None),
        api_key=key[1],
    )


def _entry(name: str, settings: Settings) -> Declared | VideoGap:
    """Address and variable of the key, from the settings of videos and from what is declared about the model."""
    raw = settings["models"].get(name)
    declared = Declared() if raw is None else read_declared(name, raw).entry
    variable = settings["video_api_key_env"] if settings.origin("video_api_key_env") != "default" else None
    if variable is not None and not is_variable_name(variable):
        return VideoGap(reason="unusable", message="video_api_key_env is not the name of an environment variable")
    if variable == KEY_VARIABLE:
        return VideoGap(reason="unusable", message=f"{KEY_VARIABLE} holds a key that no other host may get")
    return Declared(api_base=declared.api_base, api_key_env=variable or declared.api_key_env)


@dataclass(frozen=True, slots=True)
class VideoModel:
    """Watches clips. One call is one request, guarded and bounded as the calls of answers are."""

    target: VideoTarget
    client: LiteLLMClient

    async def ask(self, clip: Path, prompt: str) -> str:
        """The text of :meth:`watch`, with the time limit of the client."""
        return (await self.watch(clip, prompt)).text

    async def watch(self, clip: Path, prompt: str, *, timeout_s: float | None = None) -> Reply:
        """Send a clip and a question about it.

        Args:
            clip: an MP4 file of at most 12 MiB.
            timeout_s: from sending to the last byte, in seconds; ``None`` is that of the client.

        Returns:
            The untrusted text and how it ended; never one that was cut or withheld in part.

        Raises:
            ModelFailure: there is no usable reply, or the clip is too large or cannot be read; then nothing was sent.
            asyncio.CancelledError: the caller gave up; the connection is closed.
        """
        size, url = await asyncio.to_thread(_loaded, clip)
        reply = await self.client.send(
            self.target,
            [{"role": "user", "content": [{"type": "text", "text": prompt}, _part(self.target.form, url)]}],
            least_bytes=base64_length(size),
            max_output_tokens=MAX_OUTPUT_TOKENS,
            timeout_s=timeout_s,
        )
        if reply.finish_reason in ("length", "content_filter"):
            what = "cut at the output limit" if reply.finish_reason == "length" else "withheld in part by a filter"
            raise ModelFailure("unknown", f"the reply was {what}", usage=reply.usage)
        return reply


def _loaded(clip: Path) -> tuple[int, str]:
    """Length of a clip, and its data URL."""
    try:
        with clip.open("rb") as file:
            data = file.read(MAX_CLIP_BYTES + 1)
    except OSError as error:
        raise ModelFailure("unknown", f"the clip cannot be read: {type(error).__name__}") from None
    if len(data) > MAX_CLIP_BYTES:
        raise ModelFailure("invalid-request", "the clip is larger than the 12 MiB that a request can carry")
    return len(data), media_url(_CLIP_TYPE, data)


def _part(form: VideoForm, url: str) -> dict[str, Any]:
    if form == "file":
        return {"type": "file", "file": {"file_data": url}}
    return {"type": "video_url", "video_url": {"url": url}}
