"""Videos of posts: what is downloaded, who listens and watches, what is shown, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from looking_calls import (
    VIDEOS,
    ProviderAnswer,
    Seeing,
    World,
    clip_url,
    codes,
    described,
    figures,
    gemini,
    note_of,
    raw_post,
    raw_video,
    reply,
    with_media,
)

NO_FFMPEG = {"ffmpeg_path": "/nowhere/ffmpeg"}


@pytest.fixture
def talking(clips: Any) -> bytes:
    """Two seconds of pictures with a track of sound."""
    data: bytes = clips.counted(60, sounds=(2.0,)).read_bytes()
    return data


@pytest.fixture
def mute(clips: Any) -> bytes:
    """Two seconds of pictures without sound."""
    data: bytes = clips.counted(60).read_bytes()
    return data


def watching(provider: Any, **more: Any) -> dict[str, Any]:
    """Settings that have clips watched by the service, as Gemini."""
    return {"video_endpoint": provider.origin, "video_model": "gemini-x", "video_api_key_env": "WATCH_KEY", **more}


KEYED = {"WATCH_KEY": "a-key-of-the-watching-service"}


def below(home: Path) -> list[Path]:
    """Files and folders of ours."""
    return [path for path in home.rglob("*") if "twitter-tool" in path.name]


async def test_what_is_said_stands_under_the_post_with_the_second_of_every_passage(speech: Any, talking: bytes) -> None:
    """In the text as quoted lines, and in the items for programs."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    result = await Seeing(world, {**VIDEOS, **speech.settings})(mode="posts", output="posts")
    assert "\ntranscript:\n> [00:01] The tram was early.\n> [00:21] Nobody believed it.\n" in result.content
    assert result.items[0]["video"] == [
        {"method": "transcript-only", "transcript": "[00:01] The tram was early.\n[00:21] Nobody believed it."}
    ]
    assert (note_of(result, "video_processed")["method"], note_of(result, "video_processed")["seconds"]) == (
        "transcript-only",
        2,
    )
    assert note_of(result, "third_party_processing")["kind"] == "stt"


async def test_work_on_videos_is_counted_and_timed(speech: Any, talking: bytes) -> None:
    """Sizes and downloads, uploads of sound, and the time that videos took within preprocessing."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    result = await Seeing(world, {**VIDEOS, **speech.settings})(mode="posts", output="posts")
    usage, timings = result.details["usage"], result.details["timings"]
    assert (usage["mediaAttempts"], usage["mediaHeadAttempts"], usage["sttAttempts"]) == (2, 1, 1)
    assert 0 < timings["videoMs"] <= timings["preprocessingMs"]


async def test_processing_alone_does_nothing_without_understanding(talking: bytes) -> None:
    """The note says that one setting needs the other."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    result = await Seeing(world, {"enable_video_processing": True})(mode="posts", output="posts")
    assert world.asked == []
    assert note_of(result, "setting_ignored")["keys"] == ["enable_video_processing"]


async def test_the_words_of_a_quoted_post_s_video_stand_under_the_quoted_post(speech: Any, talking: bytes) -> None:
    """Also when the quoting post repeats the video."""
    quoted = with_media(7, raw_video("v"))
    world = World(with_media(1, raw_video("v"), quoted_tweet=quoted)).plays("v", talking)
    result = await Seeing(world, {**VIDEOS, **speech.settings})(mode="posts", output="posts")
    assert "\nquoted transcript:\n> [00:01]" in result.content
    assert "\ntranscript:" not in result.content
    assert "video" not in result.items[0]
    assert result.items[0]["quoted"]["video"][0]["transcript"].startswith("[00:01]")


async def test_one_video_is_processed_and_the_others_are_counted(speech: Any, talking: bytes) -> None:
    """The usual limit is one; of the others nothing is downloaded in this output."""
    world = World(with_media(1, raw_video("v")), with_media(2, raw_video("w"))).plays("v", talking).plays("w", talking)
    result = await Seeing(world, {**VIDEOS, **speech.settings})(mode="posts", output="posts")
    assert world.downloads == [clip_url("v")]
    assert figures(result, "video_skipped") == [(1, "cap")]


async def test_more_videos_are_processed_when_that_is_set(speech: Any, talking: bytes) -> None:
    """Each under its own post."""
    world = World(with_media(1, raw_video("v")), with_media(2, raw_video("w"))).plays("v", talking).plays("w", talking)
    settings = {**VIDEOS, **speech.settings, "max_videos_per_search": 2}
    result = await Seeing(world, settings)(mode="posts", output="posts")
    assert [len(item["video"]) for item in result.items] == [1, 1]


async def test_a_video_that_two_posts_show_is_processed_once_and_told_under_both(speech: Any, talking: bytes) -> None:
    """One download, one transcript, two places."""
    world = World(with_media(1, raw_video("v")), with_media(2, raw_video("v"))).plays("v", talking)
    result = await Seeing(world, {**VIDEOS, **speech.settings})(mode="posts", output="posts")
    assert len(world.downloads) == speech.uploads == 1
    assert result.items[0]["video"] == result.items[1]["video"]


async def test_a_video_whose_words_would_not_fit_is_not_downloaded(speech: Any, talking: bytes) -> None:
    """Room for the longest words is set aside before any work; without it nothing is fetched or paid."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    settings = {**VIDEOS, **speech.settings, "max_synthesis_chars": 5_000}
    result = await Seeing(world, settings)(mode="posts", output="posts")
    assert (world.asked, speech.uploads) == ([], 0)
    assert figures(result, "video_skipped") == [(1, "space")]
    assert len(result.items) == 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "video/webm"}, "type"),
        ({"clip": b"\0" * 3_000, "cap": 2_000}, "size"),
        ({"address": "https://video.example.org/v.mp4"}, "host"),
    ],
)
async def test_a_video_that_may_not_be_downloaded_is_skipped_with_its_reason(
    speech: Any, talking: bytes, changes: dict[str, Any], reason: str
) -> None:
    """A wrong type, a file over the limit, another host."""
    video = raw_video("v")
    if "address" in changes:
        video["video_info"]["variants"][0]["url"] = changes["address"]
    world = World(with_media(1, video)).plays("v", changes.get("clip", talking), changes.get("kind", "video/mp4"))
    settings = {**VIDEOS, **speech.settings, **({"max_video_bytes": changes["cap"]} if "cap" in changes else {})}
    result = await Seeing(world, settings)(mode="posts", output="posts")
    assert figures(result, "video_skipped") == [(1, reason)]
    assert "video" not in result.items[0]


async def test_a_video_that_cannot_be_had_is_told(speech: Any) -> None:
    """The call does not fail for it."""
    world = World(with_media(1, raw_video("v")))
    result = await Seeing(world, {**VIDEOS, **speech.settings})(mode="posts", output="posts")
    assert "could not be downloaded" in note_of(result, "video_failed")["reason"]


async def test_a_gif_is_never_listened_to(speech: Any, mute: bytes) -> None:
    """It has no sound; the note says so."""
    world = World(with_media(1, raw_video("v", seconds=None, kind="animated_gif"))).plays("v", mute)
    result = await Seeing(world, {**VIDEOS, **speech.settings})(mode="posts", output="posts")
    assert speech.uploads == 0
    assert note_of(result, "transcript_absent")["reason"] == "no_audio"


async def test_a_video_without_sound_is_not_sent_anywhere(speech: Any, mute: bytes) -> None:
    """There is nothing to transcribe."""
    world = World(with_media(1, raw_video("v"))).plays("v", mute)
    result = await Seeing(world, {**VIDEOS, **speech.settings})(mode="posts", output="posts")
    assert speech.uploads == 0
    assert note_of(result, "transcript_absent")["reason"] == "no_audio"


async def test_a_configured_ffmpeg_that_is_not_there_is_not_replaced_by_another_one(
    speech: Any, talking: bytes
) -> None:
    """The note names the setting."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    result = await Seeing(world, {**VIDEOS, **speech.settings, **NO_FFMPEG})(mode="posts", output="posts")
    assert "ffmpeg_path names no program" in note_of(result, "video_failed")["reason"]
    assert "stt_skipped" not in codes(result)


async def test_without_ffmpeg_and_a_recogniser_both_are_told(
    talking: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each with the command that brings it, so that nobody has to try twice."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("twitter_tool.media.ffmpeg.binary.CARRIER", "no_such_package")
    monkeypatch.setattr("twitter_tool.media.hearing.local_speech_available", lambda: False)
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    result = await Seeing(world, VIDEOS)(mode="posts", output="posts")
    assert 'ffmpeg was not found; install it, or run pip install "twitter-tool[media]"' in result.content
    assert note_of(result, "stt_skipped")["reason"] == "not_configured"


async def test_without_the_package_that_calls_ffmpeg_it_is_named(
    talking: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program on the system is of no use then."""
    monkeypatch.setattr("twitter_tool.media.ffmpeg.binary.BUILDER", "no_such_package")
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    result = await Seeing(world, VIDEOS)(mode="posts", output="posts")
    assert "ffmpeg-python is not installed" in note_of(result, "video_failed")["reason"]


async def test_an_endpoint_without_a_model_does_not_switch_off_speech_on_this_machine(
    speech: Any, talking: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And where there is none here either, what the endpoint lacks is named."""
    settings = {**VIDEOS, **speech.settings}
    del settings["stt_model"]
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    asked: list[str | None] = []
    monkeypatch.setattr("twitter_tool.media.hearing.find_weights", lambda name: asked.append(name))
    monkeypatch.setattr("twitter_tool.media.hearing.local_speech_available", lambda: True)
    result = await Seeing(world, settings)(mode="posts", output="posts")
    assert asked == [None]
    assert note_of(result, "stt_skipped")["needs"] == ["stt_model"]
    assert "stt_endpoint is set, but stt_model is not" in result.content


async def test_a_phrase_that_recognition_makes_up_is_no_transcript(speech: Any, talking: bytes) -> None:
    """A plain answer of one such phrase is discarded like a judged one."""
    speech.says = {"text": "Thank you. Thank you"}
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    result = await Seeing(world, {**VIDEOS, **speech.settings})(mode="posts", output="posts")
    assert "transcript_discarded" in codes(result)
    assert "video" not in result.items[0]


async def test_a_missing_local_model_is_told_and_the_endpoint_listens(speech: Any, talking: bytes) -> None:
    """What is configured second is used when the first cannot be."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    settings = {**VIDEOS, **speech.settings, "whisper_model": "/nowhere/weights"}
    result = await Seeing(world, settings)(mode="posts", output="posts")
    assert note_of(result, "stt_skipped")["reason"] == "model_missing"
    assert result.items[0]["video"][0]["transcript"]


async def test_an_endpoint_without_its_key_is_not_asked(talking: bytes) -> None:
    """Off this machine a key is needed; the note says which thing is missing."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    settings = {
        **VIDEOS,
        "stt_endpoint": "https://speech.example.org/v1",
        "stt_model": "whisper-1",
        "stt_api_key_env": "SPEECH_KEY",
    }
    result = await Seeing(world, settings)(mode="posts", output="posts")
    assert note_of(result, "stt_skipped")["reason"] == "key_missing"


async def test_a_service_that_watches_the_clip_replaces_frames_and_transcription(
    speech: Any, provider: Any, talking: bytes
) -> None:
    """Its words are the evidence, with its name as the method."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    settings = {**VIDEOS, **speech.settings, **watching(provider)}
    result = await Seeing(world, settings, environ=KEYED)(mode="posts", output="posts")
    assert speech.uploads == 0
    assert result.items[0]["video"] == [{"method": "gemini-native", "visual": "a cat", "transcript": "[00:01] hello"}]
    assert "\nvisual:\n> a cat" in result.content
    assert (note_of(result, "third_party_processing")["kind"], result.details["usage"]["nativeVideoAttempts"]) == (
        "native_video",
        1,
    )


async def test_a_service_that_says_there_is_no_speech_is_believed(speech: Any, provider: Any, talking: bytes) -> None:
    """Then nobody else listens."""
    provider.answers["generate"] = [ProviderAnswer(gemini(described(visual="a cat", transcript="")))]
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    settings = {**VIDEOS, **speech.settings, **watching(provider)}
    result = await Seeing(world, settings, environ=KEYED)(mode="posts", output="posts")
    assert speech.uploads == 0
    assert note_of(result, "transcript_absent")["reason"] == "declared_silent"


async def test_a_service_that_tells_nothing_leaves_the_work_to_the_others(
    speech: Any, provider: Any, talking: bytes
) -> None:
    """Two empty strings are no evidence."""
    provider.answers["generate"] = [ProviderAnswer(gemini(described(visual="", transcript="")))]
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    settings = {**VIDEOS, **speech.settings, **watching(provider)}
    result = await Seeing(world, settings, environ=KEYED)(mode="posts", output="posts")
    assert speech.uploads == 1
    assert result.items[0]["video"][0]["method"] == "transcript-only"


async def test_a_service_that_fails_leaves_the_work_to_the_others(speech: Any, provider: Any, talking: bytes) -> None:
    """Its status and words are told, and its key is not."""
    provider.answers["generate"] = [ProviderAnswer({"error": f"no {KEYED['WATCH_KEY']}"}, status=500)]
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    settings = {**VIDEOS, **speech.settings, **watching(provider)}
    result = await Seeing(world, settings, environ=KEYED)(mode="posts", output="posts")
    reason = note_of(result, "video_failed")["reason"]
    assert "500" in reason
    assert KEYED["WATCH_KEY"] not in reason
    assert result.items[0]["video"][0]["transcript"]


async def test_a_service_without_its_key_is_told_once_and_not_asked(speech: Any, talking: bytes) -> None:
    """The usual place needs a key; frames and speech are looked at all the same."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    settings = {**VIDEOS, **speech.settings, "video_model": "gemini-x"}
    result = await Seeing(world, settings)(mode="posts", output="posts")
    assert figures(result, "video_skipped") == [(1, "key_missing")]
    assert result.items[0]["video"][0]["transcript"]


async def test_of_a_long_video_only_the_allowed_seconds_are_sent(speech: Any, provider: Any, clips: Any) -> None:
    """The service gets a shorter file than was downloaded, and the note names the length."""
    whole = clips.counted(150, options=("-bf", "0", "-g", "15")).read_bytes()
    world = World(with_media(1, raw_video("v", seconds=5))).plays("v", whole)
    settings = {**VIDEOS, **watching(provider), "max_video_seconds": 2}
    result = await Seeing(world, settings, environ=KEYED)(mode="posts", output="posts")
    sent = provider.of("generate").json["contents"][0]["parts"][0]["inline_data"]["data"]
    assert 0 < len(sent) * 3 / 4 < len(whole) * 0.7
    assert note_of(result, "video_trimmed")["seconds"] == 2


async def test_the_length_that_the_upstream_names_is_no_proof(provider: Any, clips: Any) -> None:
    """A file that is longer than it is said to be is cut before a service gets it."""
    whole = clips.counted(150, options=("-bf", "0", "-g", "15")).read_bytes()
    world = World(with_media(1, raw_video("v", seconds=1))).plays("v", whole)
    settings = {**VIDEOS, **watching(provider), "max_video_seconds": 2}
    result = await Seeing(world, settings, environ=KEYED)(mode="posts", output="posts")
    sent = provider.of("generate").json["contents"][0]["parts"][0]["inline_data"]["data"]
    assert 0 < len(sent) * 3 / 4 < len(whole) * 0.7
    assert note_of(result, "video_trimmed")["seconds"] == 2


async def test_a_long_video_that_cannot_be_cut_is_sent_to_nobody(provider: Any, talking: bytes) -> None:
    """Without ffmpeg it cannot be made sure how long the clip is, so the service never gets it."""
    world = World(with_media(1, raw_video("v", seconds=600))).plays("v", talking)
    settings = {**VIDEOS, **watching(provider), **NO_FFMPEG}
    result = await Seeing(world, settings, environ=KEYED)(mode="posts", output="posts")
    assert provider.steps == []
    assert (1, "unbounded") in figures(result, "video_skipped")


async def test_a_video_of_exactly_the_allowed_length_is_sent_as_it_is(provider: Any, talking: bytes) -> None:
    """It is not longer, so nothing is cut and nothing is said."""
    world = World(with_media(1, raw_video("v", seconds=2))).plays("v", talking)
    settings = {**VIDEOS, **watching(provider), **NO_FFMPEG, "max_video_seconds": 2}
    result = await Seeing(world, settings, environ=KEYED)(mode="posts", output="posts")
    assert "video_trimmed" not in codes(result)
    assert result.items[0]["video"][0]["visual"] == "a cat"


async def test_words_of_a_video_are_kept_for_the_next_call_when_that_is_set(
    speech: Any, talking: bytes, tmp_path: Path
) -> None:
    """The second call downloads and sends nothing, and says where the words came from."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    cache = {"evidence_cache": True, "evidence_cache_dir": str(tmp_path / "kept")}
    seeing = Seeing(world, {**VIDEOS, **speech.settings, **cache})
    first = await seeing(mode="posts", output="posts")
    asked = len(world.asked)
    again = await seeing(mode="posts", output="posts")
    assert (len(world.asked), speech.uploads) == (asked, 1)
    assert again.items[0]["video"] == first.items[0]["video"]
    assert note_of(again, "evidence_cache_hit")["count"] == 1
    assert "third_party_processing" not in codes(again)


async def test_nothing_is_kept_unless_that_is_set(speech: Any, talking: bytes, home: Path) -> None:
    """No file of ours appears below the home folder."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    await Seeing(world, {**VIDEOS, **speech.settings})(mode="posts", output="posts")
    assert below(home) == []


async def test_what_was_downloaded_can_be_kept_in_a_folder(speech: Any, talking: bytes, tmp_path: Path) -> None:
    """Files are named by the id of their post."""
    world = World(with_media(31, raw_video("v"))).plays("v", talking)
    seeing = Seeing(world, {**VIDEOS, **speech.settings}, further={"save_media": tmp_path / "saved"})
    await seeing(mode="posts", output="posts")
    assert "media 1/1 · saved as 31-video-1.mp4" in seeing.seen
    assert [path.name for path in (tmp_path / "saved").iterdir()] == ["31-video-1.mp4"]
    assert (tmp_path / "saved" / "31-video-1.mp4").read_bytes() == talking


async def test_progress_tells_what_is_being_done_with_a_video(speech: Any, talking: bytes) -> None:
    """Each step begins with the position of the asset."""
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    seeing = Seeing(world, {**VIDEOS, **speech.settings})
    await seeing(mode="posts", output="posts")
    media = [event for event in seeing.seen if event.startswith("media")]
    assert media[0] == "media 1/1"
    assert [event.split(" · ")[1].split(" ")[0] for event in media[1:]] == ["downloading", "transcribing"]
    assert media[-1].startswith("media 1/1 · transcribing 2 s of sound · at most ")


async def test_nothing_says_that_it_transcribes_where_nothing_does(
    talking: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The note says why."""
    monkeypatch.setattr("twitter_tool.media.hearing.local_speech_available", lambda: False)
    seeing = Seeing(World(with_media(1, raw_video("v"))).plays("v", talking), VIDEOS)
    result = await seeing(mode="posts", output="posts")
    assert note_of(result, "stt_skipped")["reason"] == "not_configured"
    assert not any("transcribing" in event for event in seeing.seen)


async def test_the_temporary_folder_is_gone_after_the_call(
    speech: Any, talking: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever happened."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    world = World(with_media(1, raw_video("v"))).plays("v", talking)
    await Seeing(world, {**VIDEOS, **speech.settings})(mode="posts", output="posts")
    assert list((tmp_path / "temp").iterdir()) == []


async def test_a_file_that_is_no_video_gives_nothing_and_the_call_goes_on(speech: Any) -> None:
    """Bytes that nothing can read are a note."""
    world = World(with_media(1, raw_video("v")), raw_post(2)).plays("v", b"this is no video at all" * 200)
    result = await Seeing(world, {**VIDEOS, **speech.settings})(mode="posts", output="posts")
    assert len(result.items) == 2
    assert speech.uploads == 0
    assert "video" not in result.items[0]


async def test_a_poor_rendition_is_taken_when_the_better_one_cannot_be_had(speech: Any, talking: bytes) -> None:
    """The next address is tried."""
    video = raw_video("v")
    better = {"content_type": "video/mp4", "url": clip_url("better"), "bitrate": 900_000}
    video["video_info"]["variants"].append(better)
    world = World(with_media(1, video)).plays("v", talking)
    world.hosts[f"HEAD {clip_url('better')}"] = reply(talking, "video/mp4")
    world.hosts[f"GET {clip_url('better')}"] = reply(b"", None, 503)
    result = await Seeing(world, {**VIDEOS, **speech.settings})(mode="posts", output="posts")
    assert world.downloads == [clip_url("better"), clip_url("v")]
    assert result.items[0]["video"]
