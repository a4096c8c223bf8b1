"""Who listens to a video in a call: the recogniser on this machine, the endpoint, or nobody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest
from looking_calls import VIDEOS, Seeing, World, codes, note_of, raw_video, with_media

from twitter_tool.media.ffmpeg import sound_seconds
from twitter_tool.media.speech import SpeechFailure
from twitter_tool.media.values import Heard
from twitter_tool.text import block


@dataclass
class Whisper:
    """Stands in for the recogniser on this machine."""

    weights: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    fault: ClassVar[str] = ""
    queued_s: ClassVar[float] = 0.0
    listened_to: ClassVar[list[float]] = []
    warmed: ClassVar[list[bool]] = []
    identity: ClassVar[str] = "whisper"

    def __init__(self, weights: Any, **options: Any) -> None:
        self.options = options

    def warm(self) -> None:
        self.warmed.append(True)

    async def transcribe(
        self, samples: Path, *, timeout_s: float, on_progress: Callable[[float, float | None], None] | None = None
    ) -> Heard:
        self.listened_to.append(round(sound_seconds(samples), 1))
        if self.fault:
            raise SpeechFailure(self.fault)
        return Heard(transcript=block("[00:00] heard here"))


@pytest.fixture
def whisper(monkeypatch: pytest.MonkeyPatch) -> type[Whisper]:
    """A recogniser that is installed, with weights."""
    monkeypatch.setattr("twitter_tool.media.hearing.LocalSpeech", Whisper)
    monkeypatch.setattr("twitter_tool.media.hearing.find_weights", lambda name: object())
    monkeypatch.setattr("twitter_tool.media.hearing.local_speech_available", lambda: True)
    monkeypatch.setattr(Whisper, "listened_to", [])
    monkeypatch.setattr(Whisper, "warmed", [])
    return Whisper


def clip(clips: Any, seconds: float) -> bytes:
    """A clip of so many seconds with sound."""
    data: bytes = clips.counted(round(seconds * 30), sounds=(float(seconds),)).read_bytes()
    return data


async def heard(world: World, settings: dict[str, Any], **more: Any) -> Any:
    """The result of a call for evidence."""
    return await Seeing(world, {**VIDEOS, **settings}, **more)(mode="posts", output="posts")


async def test_the_recogniser_on_this_machine_is_used(whisper: type[Whisper], clips: Any) -> None:
    """And nothing is sent anywhere."""
    result = await heard(World(with_media(1, raw_video("v"))).plays("v", clip(clips, 2)), {})
    assert result.items[0]["video"] == [{"method": "transcript-only", "transcript": "[00:00] heard here"}]
    assert "third_party_processing" not in codes(result)


async def test_it_is_asked_before_the_endpoint(whisper: type[Whisper], speech: Any, clips: Any) -> None:
    """Where both are configured."""
    settings = {**speech.settings, "whisper_model": "base"}
    result = await heard(World(with_media(1, raw_video("v"))).plays("v", clip(clips, 2)), settings)
    assert result.items[0]["video"][0]["transcript"] == "[00:00] heard here"
    assert speech.uploads == 0


async def test_the_endpoint_stands_in_when_it_fails(
    whisper: type[Whisper], speech: Any, clips: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What failed is told all the same."""
    monkeypatch.setattr(whisper, "fault", "its process crashed")
    settings = {**speech.settings, "whisper_model": "base"}
    result = await heard(World(with_media(1, raw_video("v"))).plays("v", clip(clips, 2)), settings)
    assert speech.uploads == 1
    assert "its process crashed" in note_of(result, "video_failed")["reason"]
    assert "tram" in result.items[0]["video"][0]["transcript"]


@pytest.mark.parametrize("queued_s", [0.0, 1_000.0])
async def test_the_endpoint_stands_in_when_there_is_no_time_for_it(
    whisper: type[Whisper], speech: Any, clips: Any, monkeypatch: pytest.MonkeyPatch, queued_s: float
) -> None:
    """For this clip, or for those that come before it."""
    monkeypatch.setattr(whisper, "queued_s", queued_s)
    settings = {**speech.settings, "whisper_model": "base", "whisper_realtime_factor": 0.5 if queued_s else 10}
    settings["video_budget_ms"] = 15_000
    result = await heard(World(with_media(1, raw_video("v"))).plays("v", clip(clips, 2)), settings)
    assert note_of(result, "stt_skipped")["reason"] == "budget"
    assert (whisper.listened_to, speech.uploads) == ([], 1)


async def test_only_the_seconds_that_may_be_used_are_reckoned_and_heard(whisper: type[Whisper], clips: Any) -> None:
    """A video of ten minutes costs no more than its first two seconds."""
    world = World(with_media(1, raw_video("v", seconds=600))).plays("v", clip(clips, 5))
    settings = {"max_video_seconds": 2, "video_budget_ms": 15_000, "whisper_realtime_factor": 2}
    assert "stt_skipped" not in codes(await heard(world, settings))
    assert whisper.listened_to == [2.0]


async def test_sound_that_outlasts_what_the_upstream_says_is_reckoned_as_it_is(
    whisper: type[Whisper], clips: Any
) -> None:
    """Work that cannot be done in time is not begun because of a wrong number."""
    world = World(with_media(1, raw_video("v", seconds=1))).plays("v", clip(clips, 5))
    result = await heard(world, {"video_budget_ms": 10_000, "whisper_realtime_factor": 5})
    assert note_of(result, "stt_skipped")["reason"] == "budget"
    assert whisper.listened_to == []


@pytest.mark.parametrize("kind", ["video", "animated_gif"])
async def test_the_model_is_loaded_only_for_what_can_speak(whisper: type[Whisper], clips: Any, kind: str) -> None:
    """A GIF has no sound, and hundreds of megabytes are not loaded for it."""
    world = World(with_media(1, raw_video("v", kind=kind))).plays("v", clip(clips, 2))
    result = await heard(world, {})
    assert bool(whisper.warmed) == bool(whisper.listened_to) == (kind == "video")
    assert ("transcript_absent" in codes(result)) is (kind != "video")


@pytest.mark.parametrize(
    ("named", "sent"), [({}, None), ({"stt_api_key_env": "STT_API_KEY"}, "Bearer a-key-for-speech")]
)
async def test_the_usual_key_goes_to_an_endpoint_on_this_machine_only_when_it_was_named(
    speech: Any, clips: Any, named: dict[str, str], sent: str | None
) -> None:
    """It may have been meant for another host."""
    world = World(with_media(1, raw_video("v"))).plays("v", clip(clips, 2))
    await heard(world, {**speech.settings, **named}, environ={"STT_API_KEY": "a-key-for-speech"})
    assert speech.keys == [sent]
