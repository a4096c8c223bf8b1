"""Speech recognition at an endpoint that speaks OpenAI's protocol: one upload, at most one for each reply format."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from twitter_tool.credentials import is_usable_key
from twitter_tool.http import FormPart, Http, HttpFailure, HttpResponse
from twitter_tool.loopback import address_fault
from twitter_tool.media.endpoints import is_local
from twitter_tool.media.replies import shown_body
from twitter_tool.media.speech.judged import judge, judge_text
from twitter_tool.media.speech.local import whisper_language
from twitter_tool.media.speech.transcripts import FORMATS, ReplyFormat, Said, read_transcript, refuses_format
from twitter_tool.media.values import Heard
from twitter_tool.redaction import long_secrets, redact
from twitter_tool.usage import Usage

MAX_REPLY_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteSpeech:
    """A service that transcribes.

    Attributes:
        endpoint: https, or http on this machine; ``/audio/transcriptions`` comes after it.
        key: sent as a bearer token; optional on this machine.
        language: an ISO-639-1 code, or ``auto``.
    """

    endpoint: str
    model: str
    key: str | None = field(default=None, repr=False)
    language: str = "auto"

    @property
    def identity(self) -> str:
        """What decides about the outcome: another service, model or language may hear something else."""
        return f"{self.endpoint} {self.model} {whisper_language(self.language) or 'auto'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A transcription that a service did not give.

    Attributes:
        reason: for people; cleaned, with at most 200 characters of the service's own words, and without the key.
        status: of its answer, if there was one.
    """

    reason: str
    status: int | None = None


async def transcribe_remotely(
    http: Http, remote: RemoteSpeech, mp3: Path, *, usage: Usage, timeout_s: float
) -> Heard | Failed:
    """Upload a clip's sound and judge what comes back; a redirect is a refusal.

    Args:
        mp3: the sound.
        usage: every upload is counted, and every one without an answer of status 2xx.
        timeout_s: seconds for all uploads together.
    """
    fault = _address_fault(remote)
    if fault is not None:
        return Failed(reason=fault)
    deadline = asyncio.get_running_loop().time() + timeout_s
    outcome: Heard | Failed = Failed(reason="no format of the answer was accepted")
    for wanted in FORMATS:
        left = deadline - asyncio.get_running_loop().time()
        if left <= 0:
            return Failed(reason="there was no time left")
        usage.stt_attempts += 1
        try:
            response = await _upload(http, remote, mp3, wanted, left)
        except HttpFailure as failure:
            usage.stt_http_failures += 1
            return Failed(reason=failure.reason)
        if 200 <= response.status < 300:
            return _heard(response, remote, wanted)
        usage.stt_http_failures += 1
        outcome = _refused(response, remote)
        if not refuses_format(response.status, response.body):
            break
    return outcome


def _address_fault(remote: RemoteSpeech) -> str | None:
    """Checked here once more, where the sound would leave, whatever was checked when the settings were read."""
    fault = address_fault(remote.endpoint)
    if fault is not None:
        return f"nothing was sent to the endpoint: {fault}"
    if remote.key is None:
        return None if is_local(remote.endpoint) else "nothing was sent to the endpoint: there is no key for it"
    return None if is_usable_key(remote.key) else "nothing was sent to the endpoint: its key cannot be sent in a header"


async def _upload(http: Http, remote: RemoteSpeech, mp3: Path, wanted: ReplyFormat, timeout_s: float) -> HttpResponse:
    return await http.request(
        "POST",
        f"{remote.endpoint.rstrip('/')}/audio/transcriptions",
        headers={} if remote.key is None else {"Authorization": f"Bearer {remote.key}"},
        form=_form(remote, mp3, wanted),
        max_bytes=MAX_REPLY_BYTES,
        timeout_s=timeout_s,
    )


def _form(remote: RemoteSpeech, mp3: Path, wanted: ReplyFormat) -> Sequence[FormPart]:
    language = whisper_language(remote.language)
    fields = [("model", remote.model), ("response_format", wanted)]
    if language is not None:
        fields.append(("language", language))
    if wanted == "verbose_json":
        fields.append(("timestamp_granularities[]", "segment"))
    return (
        *(FormPart(name=name, value=value) for name, value in fields),
        FormPart(name="file", path=mp3, filename="audio.mp3", content_type="audio/mpeg"),
    )


def _refused(response: HttpResponse, remote: RemoteSpeech) -> Failed:
    words = shown_body(response.body, _secrets(remote))
    said = f": {words}" if words else ""
    return Failed(reason=f"it answered with status {response.status}{said}", status=response.status)


def _heard(response: HttpResponse, remote: RemoteSpeech, wanted: ReplyFormat) -> Heard | Failed:
    if response.body is None:
        why = "it could not be read" if response.failure is None else response.failure.reason
        return Failed(reason=f"its answer was of no use: {why}", status=response.status)
    said = read_transcript(response.body, wanted)
    if said is None:
        return Failed(reason="its answer holds no transcript", status=response.status)
    return _judged(said, long_secrets(_secrets(remote)))


def _judged(said: Said, secrets: frozenset[str]) -> Heard:
    if not said.has_segments:
        return judge_text(redact(said.text, secrets))
    segments = [replace(segment, text=redact(segment.text, secrets)) for segment in said.segments]
    return judge(segments, lost=said.lost)


def _secrets(remote: RemoteSpeech) -> tuple[str, ...]:
    return () if remote.key is None else (remote.key,)
