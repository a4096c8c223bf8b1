"""Evidence output in two steps, with what videos say between them."""

from __future__ import annotations

import pytest
from evidence_samples import ASKED, post
from hypothesis import given, settings
from hypothesis import strategies as st
from media_samples import SPEECH, found, frames, photo, showing, video, words

from twitter_tool.errors import InternalError, RequestError
from twitter_tool.notes import note
from twitter_tool.output.delivery import Retrieved
from twitter_tool.output.evidence import evidence, finish_evidence, select_evidence
from twitter_tool.output.reserve import MediaWish, reserve_for
from twitter_tool.output.shown import shown_of

WISH = MediaWish(videos=2)
NOTES = (
    note("video_processed", method="stt-only", seconds=30),
    note("third_party_processing", kind="stt", host="api.example.org"),
    note("video_skipped", count=1, reason="cap"),
)


def codes(result):
    return [entry.code for entry in result.notes]


def read(*posts, ceiling=60_000, said=SPEECH, notes=NOTES, wish=WISH, **more):
    retrieved = Retrieved(records=posts, **more)
    selection = select_evidence(ASKED, retrieved, ceiling=ceiling, media=reserve_for(retrieved, wish))
    shown = shown_of([found(clip, words(said, said)) for clip in selection.media.videos])
    return finish_evidence(ASKED, retrieved, selection, shown, notes, ceiling=ceiling)


def test_both_steps_without_media_are_the_one_step():
    """The same result."""
    retrieved = Retrieved(records=(showing(1, photo(), video()), post(2)), notes=(note("sandbox_data"),))
    selection = select_evidence(ASKED, retrieved, ceiling=2_000)
    assert selection.media is None
    assert finish_evidence(ASKED, retrieved, selection, ceiling=2_000) == evidence(ASKED, retrieved, ceiling=2_000)


def test_what_videos_say_stands_in_text_and_items():
    """The notes of the work come with those of the delivery, media after selection."""
    result = read(post(7, quoted=showing(5, video(), handle="bob")), post(2))
    assert "\nquoted transcript:\n> [00:00] He was not" in result.content
    assert result.items[0]["quoted"]["video"][0]["transcript"] == SPEECH
    assert codes(result) == ["images_omitted", "video_processed", "video_skipped", "third_party_processing"]
    assert "- The audio was sent to a third party (api.example.org) for analysis." in result.content


def test_images_are_never_part_of_it():
    """This output is text only, even when it is handed images."""
    one = showing(1, video())
    retrieved = Retrieved(records=(one,))
    selection = select_evidence(ASKED, retrieved, ceiling=60_000, media=reserve_for(retrieved, WISH))
    shown = shown_of([found(clip, words(), frames(3)) for clip in selection.media.videos])
    result = finish_evidence(ASKED, retrieved, selection, shown, ceiling=60_000)
    assert "image" not in result.content.partition("## Notes")[0]
    assert "transcript:" in result.content


def test_five_thousand_characters_hold_the_post_but_not_its_video():
    """It is delivered as without media work, and the plan says that there was no room."""
    retrieved = Retrieved(records=(showing(1, video()),))
    selection = select_evidence(ASKED, retrieved, ceiling=5_000, media=reserve_for(retrieved, WISH))
    assert len(selection.delivery.units) == 1
    assert selection.media.videos == ()
    assert selection.media.no_space == 1


def test_nothing_that_fits_is_refused_before_any_media_work():
    """By the first step."""
    retrieved = Retrieved(records=(showing(1, video(), words="a" * 7_000),))
    with pytest.raises(RequestError) as caught:
        select_evidence(ASKED, retrieved, ceiling=6_000, media=reserve_for(retrieved, WISH))
    assert caught.value.code == "input_budget"


def test_a_parent_that_gives_way_takes_no_media_along():
    """The items are chosen again without it, with their media."""
    result = read(showing(2, video(), words="w" * 300), parent=showing(7, video("p"), words="p" * 7_000), ceiling=8_000)
    assert result.parent is None
    assert "transcript:" in result.content
    assert result.retained["posts"] == 1


def test_room_is_kept_for_what_the_work_may_disclose():
    """At any ceiling, each kind of note can at least be told in short beside a full transcript."""
    one = showing(1, video())
    retrieved = Retrieved(records=(one,))
    notes = (
        *NOTES,
        note("video_trimmed", seconds=120),
        note("transcript_partial", count=2),
        note("evidence_cache_hit", count=1),
        note("upload_may_remain", provider="p"),
    )
    fits = []
    for ceiling in range(5_900, 7_200, 20):
        selection = select_evidence(ASKED, retrieved, ceiling=ceiling, media=reserve_for(retrieved, WISH))
        shown = shown_of([found(clip, words("s" * 9_000, "v" * 9_000)) for clip in selection.media.videos])
        result = finish_evidence(ASKED, retrieved, selection, shown, notes, ceiling=ceiling)
        assert len(result.content) <= ceiling
        if selection.media.videos:
            fits.append(ceiling)
            section = result.content.partition("\n\n## Notes\n")[2].split("\n")
            assert len(section) == len(result.notes)
    assert fits


def test_evidence_that_was_not_set_aside_is_never_cut_to_size():
    """Words for a video that had no room are a mistake of ours, not something to hide."""
    one = showing(1, video())
    retrieved = Retrieved(records=(one,))
    reserve = reserve_for(retrieved, WISH)
    selection = select_evidence(ASKED, retrieved, ceiling=2_000, media=reserve)
    with pytest.raises(InternalError):
        finish_evidence(
            ASKED, retrieved, selection, shown_of([found(reserve.assets[0], words("s" * 4_000))]), ceiling=2_000
        )


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3_000)), min_size=1, max_size=5),
    st.integers(1_000, 30_000),
    st.sampled_from(["spoken line\n", "\U0001f600", "é\n"]),
)
def test_the_ceiling_holds_with_videos(shapes, ceiling, said):
    """Whatever fits, and however much is said."""
    posts = [
        showing(number, *(video(f"{number}{n}") for n in range(videos)), words="w" * size)
        for number, (videos, size) in enumerate(shapes, 1)
    ]
    try:
        result = read(*posts, ceiling=ceiling, said=said * 3_000)
    except RequestError:
        return
    assert len(result.content) <= ceiling
    assert all(f"> {said.strip()}" in result.content for item in result.items if "video" in item)
