"""Every note code has a sentence with its figures and a short form, and no figure can break a line."""

from __future__ import annotations

import json

import pytest
from evidence_samples import hostile
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.notes import NOTE_CODES, Note, note
from twitter_tool.output.wording import MAX_SHORT, ORDER, message, note_dict, short

SENTENCES = [
    (
        note("truncated", reason="page_cap", pages=1, kind="replies"),
        ["stopped early", "limit of 1 page", "replies", "incomplete"],
    ),
    (
        note("truncated", reason="cursor_cycle", pages=2, kind="posts"),
        ["stopped early", "repeated a page cursor", "2 pages"],
    ),
    (note("truncated", reason="cursor_missing", pages=2, kind="posts"), ["another page but gave no cursor", "posts"]),
    (note("window_shortfall", hours=9.5), ["9.5 hours before the end"]),
    (note("window_trimmed_newer", count=1, bandHours=6), ["1 post", "04:00 UTC", "6 hours"]),
    (note("window_trimmed_newer", count=3), ["3 posts"]),
    (note("window_trimmed_older", count=2), ["2 posts", "start was moved back"]),
    (note("nothing_found", truncated=False, kind="accounts"), ["Nothing found", "no accounts"]),
    (note("nothing_found", truncated=True, kind="accounts"), ["No accounts", "stopped early", "more may exist"]),
    (note("search_hint", mode="users"), ["parts of words", "single keyword"]),
    (note("search_hint", mode="posts"), ["every word", "OR", "quoted phrase"]),
    (note("search_hint"), ["every word", "single keyword"]),
    (note("read_from", what="thread", id="7", count=3, pages=2), ["thread of post 7", "3 posts", "2 pages"]),
    (note("read_from", what="timeline", handle="ann", count=1, pages=1), ["timeline of @ann", "1 post on 1 page"]),
    (note("read_from", what="timeline", id="42", count=1), ["timeline of account 42", "1 post."]),
    (note("read_from", what="replies", id="7", count=1), ["replies to post 7: 1 reply."]),
    (note("read_from", what="replies", id="7", count=2), ["2 replies"]),
    (note("read_from", what="quotes", id="7", count=1, pages=1), ["quote-posts of post 7", "1 quote-post"]),
    (note("read_from", what="retweeters", id="7", count=2, pages=1), ["reposted post 7", "2 accounts"]),
    (note("read_from", what="mentions", handle="@ann", count=2), ["mention @ann", "2 posts"]),
    (note("read_from", what="followers", handle="ann", count=2), ["followers of @ann"]),
    (note("read_from", what="followings", handle="ann", count=2), ["@ann follows"]),
    (note("read_from", what="profile", handle="ann"), ["profile of @ann."]),
    (note("read_from", what="about", handle="ann"), ["about page of @ann."]),
    (note("read_from", what="tweets", count=4), ["looked up by id: 4 posts"]),
    (note("read_from", what="community", id="9", count=4, pages=1), ["community 9: 4 posts"]),
    (note("read_from", what="list", id="9", count=4, pages=1), ["list 9: 4 posts"]),
    (note("read_from", what="posts", count=4, timeZone="Asia/Tokyo"), ["days in Asia/Tokyo"]),
    (note("replies_root_unverified"), ["original post that starts its thread", "not checked", "Newest first"]),
    (note("pin_not_returned", ids=["200"]), ["pinned post (200)", "not returned", "not looked up"]),
    (note("pin_unrecognised"), ["unknown form"]),
    (note("pin_merged", count=1), ["1 copy of a pinned post was merged"]),
    (note("pins_not_fetched", count=2), ["2 accounts", "not fetched"]),
    (
        note("ids_missing", count=2, ids=["4", "5"]),
        ["2 requested posts were not returned: 4, 5.", "not show that they were deleted"],
    ),
    (note("article_source", reason="ambiguous"), ["no source", "more than one post", "Do not guess"]),
    (
        note("article_partial", blocksOmitted=1, fieldsOmitted=2, blocksOverLimit=3),
        ["partial", "1 block did", "2 metadata fields", "3 blocks lay beyond"],
    ),
    (note("article_partial", blocksOmitted=0, fieldsOmitted=0, blocksOverLimit=0), ["partial", "no text"]),
    (
        note("article_blocks_skipped", unsupported=1, empty=2, malformed=0, mediaOmitted=4),
        ["1 of an unsupported type, 2 empty, 4 with media."],
    ),
    (note("bio_shortened", count=1), ["1 bio was shortened to 700"]),
    (note("fields_cut", count=50, total=250), ["50 of 250"]),
    (note("sources_invalid", count=1), ["1 link or handle sent", "may not be cited"]),
    (note("items_omitted", count=2), ["2 retrieved items were left out whole", "local limit"]),
    (note("notes_shortened", count=2), ["2 notes were shortened or left out"]),
    (note("citations_invented", count=1), ["1 link to X"]),
    (note("citations_none_inline", listed=20, leftOut=3), ["20 fetched sources", "3 more are left out"]),
    (note("quotes_unverified", count=1, passages=["four words or more"]), ["1 quoted passage", "four words or more"]),
    (note("images_omitted", count=2, reason="evidence_output"), ["2 images", "text only"]),
    (note("images_omitted", count=2, reason="bounds_missing"), ["no image limits"]),
    (note("images_rejected", count=1), ["1 downloaded image"]),
    (note("images_omitted", count=1, reason="space"), ["1 image not shown", "no room"]),
    (note("images_omitted", count=6, reason="cap"), ["6 images", "limit on media"]),
    (note("images_omitted", count=6, reason="unattempted"), ["attempts or time"]),
    (note("images_failed", count=1), ["1 image could not", "host that is allowed"]),
    (note("media_repeated", count=1), ["1 repeated use"]),
    (note("media_not_supported", model="ollama/x", count=2), ["ollama/x", "2 posts"]),
    (note("video_processed", method="frames+stt", seconds=12), ["frames+stt", "12 seconds"]),
    (note("video_processed", method="stt-only", seconds=8, url="https://x.com/a/status/1"), ["of https://x.com/a/sta"]),
    (note("video_skipped", count=1, reason="size"), ["1 video not processed", "larger than max_video_bytes"]),
    (note("video_skipped", count=2, reason="cap"), ["2 videos not processed", "max_videos_per_search"]),
    (note("video_skipped", count=2, reason="space"), ["no room for what they might say"]),
    (note("video_skipped", count=1, reason="deadline"), ["video_budget_ms"]),
    (note("video_skipped", count=1, reason="host"), ["host that is not allowed"]),
    (note("video_skipped", count=1, reason="type"), ["no MP4"]),
    (note("video_skipped", count=1, reason="unbounded"), ["1 video not sent to a service", "max_video_seconds"]),
    (note("video_skipped", count=1, reason="key_missing"), ["1 video not sent to a service", "key"]),
    (note("video_trimmed", seconds=120), ["first 120 seconds"]),
    (note("video_failed", reason="SAFETY"), ["SAFETY"]),
    (note("video_poster_used", count=1), ["poster picture", "not analysed"]),
    (note("frames_partial", obtained=3, requested=8), ["3 of 8"]),
    (note("video_failed", reason="ffmpeg ended with 1."), ["failed: ffmpeg ended with 1."]),
    (note("frames_skipped", reason="no clip"), ["No frames were taken from the video: no clip."]),
    (note("frames_skipped", reason="text_only", transcript=True), ["the model takes text only; a transcript stands"]),
    (note("frames_skipped", reason="text_only", transcript=False), ["there is no transcript either, and no poster"]),
    (note("frames_skipped", reason="bounds_missing"), ["no image limits", '[models."NAME".images].']),
    (note("transcript_partial", count=2), ["2 unreliable passages"]),
    (
        note("transcript_partial", count=2, url="https://x.com/a/status/1"),
        ["transcript (https://x.com/a/status/1) may"],
    ),
    (
        note("video_failed", reason="no", url="https://x.com/a/status/1"),
        ["a video (https://x.com/a/status/1) failed: no."],
    ),
    (note("video_processed", method="gemini-native", bySpeech=True), ["(gemini-native); its words were recognised"]),
    (note("transcript_discarded", phrase="thank you."), ["'thank you.'", "does not show that the clip is silent"]),
    (note("transcript_absent", reason="no_audio"), ["no audio track"]),
    (note("transcript_absent", reason="declared_silent"), ["analysed as having no speech"]),
    (note("transcript_absent", reason="nothing_said"), ["no speech was recognised"]),
    (note("stt_skipped", reason="model_missing"), ['pip install "twitter-tool[media,speech-model]"']),
    (
        note("stt_skipped", reason="model_missing", model="small"),
        ["model small is not", "whisper_model"],
    ),
    (note("stt_skipped", reason="not_configured", needs=["stt_model"]), ["stt_endpoint is set, but stt_model is not."]),
    (note("stt_skipped", reason="key_missing", variable="SPEECH_KEY"), ["is not set (SPEECH_KEY)."]),
    (note("video_skipped", count=2, reason="key_missing", variable="A_KEY"), ["2 videos not sent", "(A_KEY)."]),
    (note("media_not_supported", model="extractive", count=1), ["The quoting answer is made of text only"]),
    (note("stt_skipped", reason="budget"), ["too short", "whisper_realtime_factor"]),
    (note("stt_skipped", reason="key_missing"), ["key of the speech endpoint"]),
    (note("stt_skipped", reason="not_configured"), ["no speech-to-text is set up", "stt_endpoint"]),
    (note("evidence_cache_hit", count=1), ["1 video", "cache"]),
    (note("third_party_processing", kind="stt", host="api.example.org"), ["audio", "api.example.org"]),
    (note("upload_may_remain", provider="Gemini"), ["Gemini"]),
    (note("model_fallback", failed="a/b", answered="c/d"), ["a/b", "c/d"]),
    (note("images_dropped_for_fallback"), ["no images"]),
    (note("extractive_answer"), ["No model wrote this"]),
    (note("sandbox_data"), ["invented data"]),
    (
        note("setting_adjusted", key="max_pages", given="five", used=5),
        ["max_pages", "adjusted to 5", "'five' was given"],
    ),
    (
        note("setting_adjusted", key="max_pages", given=50, used=20),
        ["adjusted to 20 (50 was given); max_pages_ceiling is 20."],
    ),
    (note("setting_adjusted", key="max_pages", given=500, used=20), ["max_pages_ceiling is 20"]),
    (note("setting_adjusted", key="max_pages", used=2), ["The setting max_pages was adjusted to 2."]),
    (note("setting_ignored", keys=[], count=3, reason="unknown_key"), ["Settings ignored (3 settings in all)"]),
    (note("setting_ignored", keys=["a"], count=30, reason="unknown_key"), ["(a; 30 settings in all)", "no such"]),
    (note("setting_ignored", keys=["a", "b"], reason="user_only"), ["a, b", "user level"]),
    (
        note("setting_ignored", keys=["save_media"], reason="unusable", detail="the folder could not be made"),
        ["(save_media): they could not be used: the folder could not be made."],
    ),
    (
        note("setting_ignored", keys=["use_proxy_env"], reason="unknown_value"),
        ["are not known; accepted: true, false."],
    ),
    (note("setting_ignored", keys=["models"], reason="unknown_value"), ["their values are not known."]),
    (note("settings_unreadable", path="/x/y.toml", reason="not TOML"), ["/x/y.toml", "not TOML"]),
]


@pytest.mark.parametrize(("made", "parts"), SENTENCES, ids=[made.code for made, _ in SENTENCES])
def test_a_sentence_carries_what_must_be_known(made, parts):
    """Each sentence names its figures and says what they mean."""
    sentence = message(made)
    assert [part for part in parts if part not in sentence] == []
    assert sentence.endswith(".")


def test_every_code_has_its_words_and_its_place():
    """No note can be made that cannot be told, and the examples above cover all of them."""
    assert {made.code for made, _ in SENTENCES} == set(NOTE_CODES) == set(ORDER)


def test_long_lists_of_ids_name_ten_and_count_the_rest():
    """The sentence lists ten ids, the figures hold all."""
    ids = [str(number) for number in range(100, 140)]
    made = note("ids_missing", count=40, ids=ids)
    assert f": {', '.join(ids[:10])} and 30 more." in message(made)
    assert note_dict(made)["ids"] == ids


@pytest.mark.parametrize("code", NOTE_CODES)
def test_a_note_without_figures_still_reads(code):
    """Missing figures never fail a call and leave no hole in the sentence."""
    for figures in ({}, {"count": None}, {"count": 10**30, "pages": True, "ids": 5, "keys": {}, "reason": ["x"]}):
        sentence = message(Note(code, figures))
        assert sentence
        assert "None" not in sentence
        assert "{" not in short(Note(code, figures))
        assert len(short(Note(code, figures))) <= MAX_SHORT


def test_an_impossible_count_is_not_printed():
    """Infinite or boolean counts read as some."""
    for count in (float("inf"), float("nan"), True, "3"):
        assert message(note("bio_shortened", count=count)).startswith("some bios")


@given(
    st.sampled_from(NOTE_CODES),
    st.dictionaries(
        st.sampled_from(["count", "reason", "kind", "ids", "keys", "given"]),
        st.one_of(hostile, st.integers(), st.floats(), st.lists(hostile, max_size=12), st.none(), st.booleans()),
        max_size=6,
    ),
)
def test_figures_cannot_break_a_sentence(code, figures):
    """Whatever a figure holds, sentence and short form are one encodable line, the short form at most 60 characters."""
    made = Note(code, figures)
    for words in (message(made), short(made)):
        assert len(words.splitlines()) == 1
        words.encode("utf-8")
    assert len(short(made)) <= MAX_SHORT


def test_a_note_becomes_plain_values():
    """Code, sentence and figures side by side; a figure never replaces the code or the sentence."""
    made = note("truncated", reason="page_cap", pages=5, kind="posts")
    assert note_dict(made) == {
        "code": "truncated",
        "message": message(made),
        "reason": "page_cap",
        "pages": 5,
        "kind": "posts",
    }
    assert note_dict(Note("sandbox_data", {"code": "x", "message": "y", "keys": ("a",)})) == {
        "code": "sandbox_data",
        "message": message(note("sandbox_data")),
        "keys": ["a"],
    }
    json.dumps(note_dict(made))


@pytest.mark.parametrize(
    "figures",
    [
        {"key": "max_pages", "given": 0, "used": 1},
        {"key": "max_pages", "given": 500, "used": 100},
        {"key": "max_pages", "given": "many", "used": 5},
        {"key": "max_pages", "used": 2},
        {"key": "max_frames", "given": 50, "used": 16},
    ],
)
def test_the_ceiling_is_named_only_where_it_was_the_cause(figures):
    """A value outside of its own range was never as far as the ceiling."""
    assert "max_pages_ceiling" not in message(note("setting_adjusted", **figures))
