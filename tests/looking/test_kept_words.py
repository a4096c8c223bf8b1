"""Words of videos that are kept between calls: each part for itself, with everything that was said about it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from looking_calls import (
    SPOKEN,
    VIDEOS,
    ProviderAnswer,
    Seeing,
    World,
    codes,
    gemini,
    note_of,
    raw_video,
    with_media,
)

from twitter_tool.clock import Clock

KEYED = {"WATCH_KEY": "a-key-of-the-watching-service"}
DOUBTFUL = {"start": 1, "end": 2, "text": " x", "no_speech_prob": 0.9, "avg_logprob": -2}


@pytest.fixture
def talking(clips: Any) -> bytes:
    """Two seconds with sound."""
    data: bytes = clips.counted(60, sounds=(2.0,)).read_bytes()
    return data


def kept(folder: Path, *settings: dict[str, Any], world: World, **more: Any) -> Seeing:
    """Calls that keep what they find."""
    cache = {"evidence_cache": True, "evidence_cache_dir": str(folder / "kept")}
    merged = {name: value for table in (VIDEOS, cache, *settings) for name, value in table.items()}
    return Seeing(world, {**merged, **more}, environ=KEYED)


def watching(provider: Any) -> dict[str, Any]:
    """Settings that lead to a service that watches."""
    return {"video_endpoint": provider.origin, "video_model": "gemini-x", "video_api_key_env": "WATCH_KEY"}


async def evidence(seeing: Seeing) -> Any:
    """The result of a call for evidence."""
    return await seeing(mode="posts", output="posts")


async def test_what_was_seen_and_what_was_heard_are_both_kept(
    provider: Any, speech: Any, talking: bytes, tmp_path: Path
) -> None:
    """A service that says nothing of speech leaves it to a recogniser; the next call needs neither."""
    provider.answers["generate"] = [ProviderAnswer(gemini(json.dumps({"visual": "a cat"})))]
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    seeing = kept(tmp_path, watching(provider), speech.settings, world=world)
    first = await evidence(seeing)
    assert first.items[0]["video"][0].keys() == {"method", "transcript", "visual"}
    assert note_of(first, "video_processed")["bySpeech"] is True
    again = await evidence(seeing)
    assert again.items == first.items
    assert (provider.steps, speech.uploads, len(world.downloads)) == (["generate"], 1, 1)
    assert note_of(again, "video_processed") == note_of(first, "video_processed")
    assert note_of(again, "evidence_cache_hit")["count"] == 1


async def test_a_service_that_failed_once_is_asked_again(
    provider: Any, speech: Any, talking: bytes, tmp_path: Path
) -> None:
    """The kept transcript does not stand in the way of what the service can say, and is no hit where it is not used."""
    provider.answers["generate"] = [ProviderAnswer({}, status=503), ProviderAnswer(gemini())]
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    seeing = kept(tmp_path, watching(provider), speech.settings, world=world)
    assert note_of(await evidence(seeing), "video_processed")["method"] == "transcript-only"
    again = await evidence(seeing)
    assert note_of(again, "video_processed")["method"] == "gemini-native"
    assert "evidence_cache_hit" not in codes(again)
    third = await evidence(seeing)
    assert (provider.steps, third.items) == (["generate", "generate"], again.items)
    assert note_of(third, "evidence_cache_hit")["count"] == 1


async def test_kept_words_stand_in_when_the_service_fails_again(
    provider: Any, speech: Any, talking: bytes, tmp_path: Path
) -> None:
    """Nothing is recognised twice."""
    provider.answers["generate"] = [ProviderAnswer({}, status=503)]
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    seeing = kept(tmp_path, watching(provider), speech.settings, world=world)
    first, again = await evidence(seeing), await evidence(seeing)
    assert (again.items, speech.uploads) == (first.items, 1)
    assert note_of(again, "evidence_cache_hit")["count"] == 1


async def test_kept_words_are_shown_when_the_clip_cannot_be_had_any_more(
    provider: Any, speech: Any, talking: bytes, tmp_path: Path
) -> None:
    """What failed is told beside them."""
    provider.answers["generate"] = [ProviderAnswer({}, status=503)]
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    seeing = kept(tmp_path, watching(provider), speech.settings, world=world)
    first = await evidence(seeing)
    world.hosts.clear()
    again = await evidence(seeing)
    assert again.items == first.items
    assert {"video_failed", "evidence_cache_hit"} <= set(codes(again))


async def test_what_a_kept_transcript_lacks_is_said_again(speech: Any, clips: Any, tmp_path: Path) -> None:
    """That only the beginning was listened to, and that passages were left out."""
    speech.says = {**SPOKEN, "segments": [SPOKEN["segments"][0], DOUBTFUL]}
    whole = clips.counted(150, sounds=(5.0,)).read_bytes()
    world = World(with_media(1, raw_video("v", seconds=None))).plays("v", whole)
    seeing = kept(tmp_path, speech.settings, world=world, max_video_seconds=2)
    first, again = await evidence(seeing), await evidence(seeing)
    assert speech.uploads == 1
    for code in ("video_trimmed", "transcript_partial", "video_processed"):
        assert note_of(again, code) == note_of(first, code)


async def test_without_a_recogniser_what_was_seen_is_enough(provider: Any, talking: bytes, tmp_path: Path) -> None:
    """The clip is not downloaded again for words that nobody could recognise; the note says so each time."""
    provider.answers["generate"] = [ProviderAnswer(gemini(json.dumps({"visual": "a cat"})))]
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    endpoint = {"stt_endpoint": "http://127.0.0.1:9/v1", "whisper_model": "/nowhere/weights"}
    seeing = kept(tmp_path, watching(provider), endpoint, world=world)
    first, again = await evidence(seeing), await evidence(seeing)
    assert len(world.downloads) == 1
    assert note_of(again, "stt_skipped") == note_of(first, "stt_skipped")


async def test_another_length_or_source_is_not_answered_from_the_cache(
    speech: Any, talking: bytes, tmp_path: Path
) -> None:
    """Words of the first ten seconds are none of the first hundred, and a stand-in's video is not X's."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    await evidence(kept(tmp_path, speech.settings, world=world))
    longer = await evidence(kept(tmp_path, speech.settings, world=world, max_video_seconds=30))
    routed = kept(tmp_path, speech.settings, world=world)
    routed.further["sandbox"] = True
    elsewhere = await evidence(routed)
    assert "evidence_cache_hit" not in codes(longer) + codes(elsewhere)
    assert "evidence_cache_hit" in codes(await evidence(kept(tmp_path, speech.settings, world=world)))


async def test_a_damaged_cache_is_begun_anew_and_the_sentence_says_so(
    speech: Any, talking: bytes, tmp_path: Path
) -> None:
    """The call has its words all the same, and the next one finds them."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    seeing = kept(tmp_path, speech.settings, world=world)
    first = await evidence(seeing)
    (file,) = [path for path in (tmp_path / "kept").iterdir() if path.read_bytes().startswith(b"SQLite")]
    data = file.read_bytes()
    place = data.index(b"CREATE TABLE evidence") - 12
    file.write_bytes(data[:place] + b"\xed" + data[place + 1 :])
    mended = await evidence(seeing)
    assert mended.items == first.items
    assert note_of(mended, "setting_ignored")["reason"] == "replaced"
    assert "set aside" in mended.content
    assert "could not be used" not in mended.content
    assert "evidence_cache_hit" in codes(await evidence(seeing))


async def test_a_fault_at_the_end_costs_nothing_that_was_made_before(
    speech: Any, talking: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The words are shown, and the fault is told."""

    async def breaks(*_: Any, **__: Any) -> None:
        raise RuntimeError("it broke")

    monkeypatch.setattr("twitter_tool.media.keeping.Keeping.keep", breaks)
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    result = await evidence(kept(tmp_path, speech.settings, world=world))
    assert result.items[0]["video"][0]["transcript"].startswith("[00:01]")
    assert note_of(result, "video_failed")["reason"] == "RuntimeError: it broke"


async def test_kept_words_are_used_for_as_many_days_as_the_settings_say(
    speech: Any, talking: bytes, tmp_path: Path
) -> None:
    """After that the video is listened to again."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    seeing = kept(tmp_path, speech.settings, world=world, evidence_cache_days=2)
    now = datetime(2026, 11, 1, tzinfo=UTC)
    seeing.further["clock"] = Clock(now=lambda: now)
    await evidence(seeing)
    now += timedelta(days=2)
    await evidence(seeing)
    assert speech.uploads == 1
    now += timedelta(seconds=1)
    await evidence(seeing)
    assert speech.uploads == 2
