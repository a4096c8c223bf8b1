"""Speech of a clip as text: which recogniser may be used, and the way through them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from twitter_tool.credentials import is_usable_key
from twitter_tool.http import Http
from twitter_tool.media.endpoints import endpoint_fault, is_local, named_key, names_key
from twitter_tool.media.ffmpeg import Ffmpeg, sound_seconds
from twitter_tool.media.speech import (
    Failed,
    LocalSpeech,
    RemoteSpeech,
    SpeechFailure,
    find_weights,
    fits_budget,
    local_speech_available,
    transcribe_remotely,
)
from twitter_tool.media.timing import Deadline
from twitter_tool.media.values import Heard
from twitter_tool.notes import Note, note
from twitter_tool.settings import Settings
from twitter_tool.text import line
from twitter_tool.usage import Usage

MODEL_CAP: Final = 100
HOST_CAP: Final = 200
LENGTH_SLACK_S: Final = 1.0
"""A clip may hold so much more sound than the upstream's length, which is rounded and speaks of the pictures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognisers:
    """What may transcribe speech in one call.

    Attributes:
        local: on this machine; asked first.
        remote: an endpoint, asked when there is no local one or it gave nothing usable.
        gap: says why something that was asked for, or everything, is absent.
        realtime_factor: seconds of work expected for each second of speech, for the local one.
    """

    local: LocalSpeech | None
    remote: RemoteSpeech | None
    gap: Note | None
    realtime_factor: float

    @property
    def route(self) -> str:
        """What transcribes, as an identity of its work; blank when nothing does."""
        parts = [self.local.identity] if self.local is not None else []
        parts += [self.remote.identity] if self.remote is not None else []
        return " then ".join(parts)


def recognisers(settings: Settings, environ: Mapping[str, str]) -> Recognisers:
    """Settle who may transcribe: the local model first, then the endpoint.

    Without ``whisper_model`` an installed package of weights is used, unless an endpoint is configured: installing
    weights asks for local speech, an endpoint asks for another place.
    """
    remote, remote_gap = _remote(settings, environ)
    wanted = settings["whisper_model"]
    local: LocalSpeech | None = None
    gap: Note | None = None
    if wanted or not (settings["stt_endpoint"] and settings["stt_model"]):
        weights = find_weights(wanted) if local_speech_available() else None
        if weights is not None:
            local = LocalSpeech(
                weights,
                compute_type=settings["whisper_compute_type"],
                threads=int(settings["whisper_threads"]),
                vad=bool(settings["whisper_vad"]),
                language=settings["stt_language"],
            )
        elif wanted:
            gap = note("stt_skipped", reason="model_missing", model=line(wanted, MODEL_CAP))
    if local is None and remote is None and gap is None:
        gap = remote_gap or note("stt_skipped", reason="not_configured")
    return Recognisers(local=local, remote=remote, gap=gap, realtime_factor=float(settings["whisper_realtime_factor"]))


def _remote(settings: Settings, environ: Mapping[str, str]) -> tuple[RemoteSpeech | None, Note | None]:
    endpoint, model = settings["stt_endpoint"], settings["stt_model"]
    if endpoint and not model:
        return None, note("stt_skipped", reason="not_configured", needs=["stt_model"])
    if not endpoint or not model:
        return None, None
    if endpoint_fault(settings, "stt"):  # the loader dropped it and said so; these settings were made by hand
        return None, note("stt_skipped", reason="not_configured")
    # On this machine: what the default variable holds is meant for another host.
    key = named_key(settings, environ, "stt") if names_key(settings, "stt") else ""
    usable = bool(key) and is_usable_key(key)
    if not usable and not is_local(endpoint):
        return None, note("stt_skipped", reason="key_missing", variable=settings["stt_api_key_env"])
    speech = RemoteSpeech(
        endpoint=endpoint, model=model, key=key if usable else None, language=settings["stt_language"]
    )
    return speech, None


class Hearing:
    """Transcribes the clips of one call.

    Args:
        http: reaches the endpoint.
        max_seconds: of a clip that are listened to.
    """

    def __init__(self, who: Recognisers, *, http: Callable[[], Http], usage: Usage, max_seconds: float) -> None:
        self._who = who
        self._http = http
        self._usage = usage
        self._max_seconds = max_seconds

    @property
    def route(self) -> str:
        """What transcribes, as an identity of its work; blank when nothing does."""
        return self._who.route

    @property
    def gap(self) -> Note | None:
        """Says why something that was asked for, or everything, is absent."""
        return self._who.gap

    def warm(self) -> None:
        """Begin to load the local model, so that it is there when the clip is."""
        if self._who.local is not None:
            self._who.local.warm()

    async def hear(
        self,
        clip: Path,
        *,
        ffmpeg: Ffmpeg,
        duration_s: float | None,
        folder: Path,
        deadline: Deadline,
        on_progress: Callable[[float, float | None], None] | None = None,
    ) -> Heard:
        """Transcribe a clip: on this machine first, then, if that is not possible, at the endpoint.

        Args:
            folder: for files in between; the caller removes it.

        Returns:
            The transcript, or none and the notes that say why.
        """
        notes: list[Note] = []
        who = self._who
        if who.gap is not None:
            notes.append(who.gap)
        audio_s = self._max_seconds if duration_s is None else min(duration_s, self._max_seconds)
        if who.local is not None:
            if not self._fits(who.local, audio_s, deadline):
                notes.append(note("stt_skipped", reason="budget"))
            else:
                try:
                    heard = await self._locally(who.local, clip, ffmpeg, folder, deadline, audio_s, on_progress)
                    return replace(heard, notes=(*notes, *heard.notes))
                except SpeechFailure as failure:
                    notes.append(note("video_failed", reason=f"local speech recognition failed: {failure.reason}"))
        if who.remote is not None:
            heard = await self._remotely(who.remote, clip, ffmpeg, folder, deadline)
            return replace(heard, notes=(*notes, *heard.notes))
        return Heard(notes=tuple(notes))

    def _fits(self, local: LocalSpeech, audio_s: float, deadline: Deadline) -> bool:
        """Whether there is time for a clip, and for those of other calls that come before it."""
        return fits_budget(audio_s + local.queued_s, self._who.realtime_factor, deadline.left)

    async def _locally(
        self,
        local: LocalSpeech,
        clip: Path,
        ffmpeg: Ffmpeg,
        folder: Path,
        deadline: Deadline,
        expected_s: float,
        on_progress: Callable[[float, float | None], None] | None,
    ) -> Heard:
        samples = folder / "speech.raw"
        if not await ffmpeg.samples(clip, seconds=self._max_seconds, into=samples, timeout_s=deadline.left):
            return await _without_sound(clip, ffmpeg, deadline)
        found_s = sound_seconds(samples)
        more_than_told = found_s > expected_s + LENGTH_SLACK_S
        if more_than_told and not self._fits(local, found_s, deadline):
            return Heard(notes=(note("stt_skipped", reason="budget"),))
        return await local.transcribe(samples, timeout_s=deadline.left, on_progress=on_progress)

    async def _remotely(
        self, remote: RemoteSpeech, clip: Path, ffmpeg: Ffmpeg, folder: Path, deadline: Deadline
    ) -> Heard:
        mp3 = folder / "audio.mp3"
        if not await ffmpeg.mp3(clip, seconds=self._max_seconds, into=mp3, timeout_s=deadline.left):
            return await _without_sound(clip, ffmpeg, deadline)
        found = await transcribe_remotely(self._http(), remote, mp3, usage=self._usage, timeout_s=deadline.left)
        host = line(urlsplit(remote.endpoint).netloc, HOST_CAP)
        if isinstance(found, Failed):
            return Heard(notes=(note("video_failed", reason=f"the speech endpoint {host} failed: {found.reason}"),))
        shared = note("third_party_processing", kind="stt", host=host)
        return replace(found, notes=(*found.notes, shared))


async def _without_sound(clip: Path, ffmpeg: Ffmpeg, deadline: Deadline) -> Heard:
    """Why no sound could be taken out of a clip."""
    if not deadline.left:
        return Heard(notes=(note("stt_skipped", reason="budget"),))
    facts = await ffmpeg.probe(clip, timeout_s=deadline.left)
    if facts is None:
        return Heard(notes=(note("video_failed", reason="the file is no MP4 video that can be read"),))
    if not facts.has_audio:
        return Heard(notes=(note("transcript_absent", reason="no_audio"),))
    return Heard(notes=(note("video_failed", reason="the sound of the video could not be read"),))
