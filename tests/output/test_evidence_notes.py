"""Disclosures in evidence: which follow from the delivery, their order, and how they give way to a ceiling."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evidence_samples import ASKED, account, article, post

from twitter_tool import links, text
from twitter_tool.media.assets import distinct
from twitter_tool.notes import NOTE_CODES, note
from twitter_tool.output.delivery import Retrieved
from twitter_tool.output.evidence import evidence
from twitter_tool.output.notes_section import fitted
from twitter_tool.output.wording import message, short
from twitter_tool.records import Media, Variant


def result_of(*records, ceiling=60_000, **more):
    return evidence(ASKED, Retrieved(records=records, **more), ceiling=ceiling)


def made(*records, **more):
    return {entry.code: dict(entry.figures) for entry in result_of(*records, **more).notes}


def photo(name, **changes):
    return Media(kind=text.line("photo", 100), url=links.link(f"https://pbs.twimg.com/{name}.jpg"), **changes)


def video(name, *, poster="p", number=None, files=("v",)):
    variants = tuple(Variant(links.Link(f"https://video.twimg.com/{file}.mp4")) for file in files)
    url = links.link(f"https://pbs.twimg.com/{poster}.jpg") if poster else None
    return Media(
        kind=text.line("video", 100),
        id=text.line(number, 25) if number else None,
        url=url,
        variants=variants,
        duration_ms=len(name),
    )


def test_links_that_may_not_be_cited_are_counted_context_included():
    """Own, quoted and the asked post's count; a post for which no link was sent does not."""
    bad = "https://evil.test/a/status/1"
    assert "sources_invalid" not in made(post(1, url=None), post(2))
    found = made(post(1, url=bad, quoted=post(2, url=bad)), post(3), parent=post(4, url=bad))
    assert found["sources_invalid"] == {"count": 3}


def test_links_of_items_left_out_are_not_counted():
    """The count speaks of what is shown."""
    found = result_of(post(1, "a" * 3000, url="https://evil.test/a/status/1"), post(2), ceiling=2000)
    assert [entry.code for entry in found.notes] == ["items_omitted"]


def test_account_disclosures_are_counted():
    """Accounts without an address, shortened bios and pinned ids that were not fetched."""
    pinned = account("ann", pinned_ids=(text.line("1", 25), text.line("2", 25)), bio_shortened=True)
    assert made(pinned, account("search"), account("bob", bio_shortened=True)) == {
        "bio_shortened": {"count": 2},
        "pins_not_fetched": {"count": 1},
        "sources_invalid": {"count": 1},
    }


def test_pictures_are_counted_once_per_asset():
    """Photos and posters of delivered items with their context; a video without a poster has no picture."""
    original = post(2, media=(photo("a"), video("long", poster="q")))
    wrapper = post(1, media=(photo("a"), video("x", poster=None)), reposted=original)
    assert made(wrapper)["images_omitted"] == {"count": 2, "reason": "evidence_output"}
    assert "images_omitted" not in made(post(1), parent=post(7, media=(photo("z"),)))
    assert "images_omitted" not in made(post(1, media=(video("x", poster=None),)))


def test_assets_that_agree_through_a_third_are_one():
    """The same media id under different addresses is the same asset, and agreement carries over."""
    first, second = video("x", number="9", files=("v?a=1",)), video("x", number="9", files=("v?a=2",))
    assert distinct([first, second]) == 1
    assert distinct([first, replace(second, id=None)]) == 2
    assert distinct([first, replace(second, id=None), second]) == 1
    assert distinct([]) == 0


def test_article_blocks_that_are_not_shown_are_counted_by_cause():
    """Four causes, zeros included, once there is anything to say."""
    found = made(article("a", unsupported=2, empty=1))
    assert found["article_blocks_skipped"] == {"unsupported": 2, "empty": 1, "malformed": 0, "mediaOmitted": 0}
    assert "article_blocks_skipped" not in made(article("a"))


@pytest.mark.parametrize(
    ("more", "figures", "words"),
    [
        ({}, {"truncated": False, "kind": "posts"}, "Nothing found: the upstream returned no posts for this request."),
        (
            {"notes": (note("truncated", reason="page_cap", pages=1, kind="posts"),)},
            {"truncated": True, "kind": "posts"},
            "No posts were found in what was read, but retrieval stopped early: more may exist.",
        ),
        (
            {"empty_cause": "account", "empty_kind": "timeline posts"},
            {"truncated": False, "kind": "timeline posts", "cause": "account"},
            "An unknown handle and an account without posts get the same answer",
        ),
        (
            {"notes": (note("replies_root_unverified"),), "empty_kind": "replies"},
            {"truncated": False, "kind": "replies", "cause": "window"},
            "This does not show that none exist",
        ),
        (
            {"notes": (note("ids_missing", count=1, ids=["7"]),)},
            {"truncated": False, "kind": "posts", "cause": "ids"},
            "None of the ids asked for was returned.",
        ),
    ],
)
def test_nothing_found_claims_no_more_than_is_known(more, figures, words):
    """Stopping early, an unknown handle, a dated window and missing ids each keep the claim honest."""
    result = result_of(**more)
    assert dict(result.notes[0].figures) == figures
    assert result.notes[0].code == "nothing_found"
    assert words in result.content


def test_notes_stand_in_a_fixed_order():
    """Selection, media, sources, retrieval, settings, whatever order they were made in."""
    known = (
        note("setting_adjusted", key="a", given=1, used=2),
        note("read_from", what="thread", id="7", count=2, pages=1),
        note("truncated", reason="page_cap", pages=1, kind="posts"),
        note("video_processed", method="frames+stt", seconds=3),
    )
    records = (post(1, "a" * 9000), post(2, url="https://evil.test/a/status/1", media=(photo("a"),)))
    result = result_of(*records, notes=known, ceiling=5000)
    assert [entry.code for entry in result.notes] == [
        "items_omitted",
        "images_omitted",
        "video_processed",
        "sources_invalid",
        "truncated",
        "read_from",
        "setting_adjusted",
    ]
    lines = result.content.partition("## Notes\n")[2].split("\n")
    assert lines == [f"- {message(entry)}" for entry in result.notes]


def test_equal_notes_collapse_and_different_ones_do_not():
    """The same disclosure twice is one; two of a kind with other figures are two."""
    twice = note("setting_adjusted", key="a", given=1, used=2)
    other = note("setting_adjusted", key="b", given=1, used=2)
    assert result_of(post(1), notes=(twice, other, twice)).notes == (twice, other)


def test_a_note_made_here_replaces_an_earlier_one_of_its_kind():
    """There are never two counts of the same thing."""
    result = result_of(account("ann", bio_shortened=True), notes=(note("bio_shortened", count=7),))
    assert [dict(entry.figures) for entry in result.notes] == [{"count": 1}]


MANY = tuple(note("setting_adjusted", key=f"setting_{number}", given="x" * 200, used=2) for number in range(40))


DIFFERENT = tuple(note(code) for code in NOTE_CODES if code not in ("notes_shortened", "items_omitted"))


def test_sentences_give_way_to_short_forms_and_the_reader_is_told():
    """The weightiest sentences stay whole, the last line counts what gave way, details keep everything."""
    records = tuple(post(number, "w" * 300) for number in range(9))
    truncated = note("truncated", reason="page_cap", pages=5, kind="posts")
    result = result_of(*records, notes=(*MANY, truncated), ceiling=3000)
    lines = result.content.partition("## Notes\n")[2].split("\n- ")
    assert any(message(truncated) in line for line in lines)
    assert result.notes[-1].code == "notes_shortened"
    assert lines[-1] in (message(result.notes[-1]), short(result.notes[-1]))
    assert list(result.notes[:-1]) == [result.notes[0], truncated, *MANY]
    assert result.notes[0].code == "items_omitted"
    whole = sum(message(entry) in line for entry in result.notes[:-1] for line in lines)
    assert result.notes[-1].figures["count"] == len(result.notes) - 1 - whole


def test_items_keep_their_room_however_many_notes_there_are():
    """Notes take at most a quarter of the ceiling away from items."""
    result = result_of(post(1, "w" * 1100), notes=DIFFERENT, ceiling=2000)
    assert [item["id"] for item in result.items] == ["1"]
    assert len(result.content) <= 2000


@pytest.mark.parametrize("ceiling", range(1200, 2400, 37))
def test_every_known_note_keeps_room_for_its_short_form(ceiling):
    """However full of items the content is, what was known before is told at least in short."""
    known = (note("truncated", reason="page_cap", pages=5, kind="posts"), note("sandbox_data"))
    result = result_of(*(post(number, "w" * 5) for number in range(60)), notes=known, ceiling=ceiling)
    section = result.content.partition("## Notes\n")[2].split("\n")
    assert len(section) == len(result.notes)
    for entry in result.notes:
        assert f"- {message(entry)}" in section or f"- {short(entry)}" in section


def test_shortened_notes_keep_their_order():
    """The order of the section does not depend on which of its notes are short."""
    first, second = note("read_from", what="thread", id="7", count=2, pages=1), note("sandbox_data")
    third = note("setting_adjusted", key="a", given="x" * 300, used=2)
    room = len("\n\n## Notes") + sum(3 + len(words) for words in (short(first), message(second), short(third))) + 60
    _, lines = fitted((first, second, third), room)
    assert lines[1:3] == [message(second), short(third)]
    assert lines[0] in (short(first), message(first))


def test_equal_short_forms_are_said_once():
    """Forty adjusted settings without room for sentences are one short line and a count."""
    closing = note("notes_shortened", count=40)
    room = len("\n\n## Notes") + sum(3 + len(words) for words in (short(MANY[0]), short(closing))) + 100
    _, lines = fitted(MANY, room)
    assert lines == [short(MANY[0]), message(closing)]


@pytest.mark.parametrize("room", range(0, 1400, 7))
def test_the_notes_section_never_exceeds_its_room(room):
    """For any room, the section fits; every note is shown, shortened or counted."""
    notes = (*MANY[:4], note("truncated", reason="page_cap", pages=5, kind="posts"), note("sandbox_data"))
    all_notes, lines = fitted(notes, room)
    used = len("\n\n## Notes") + sum(len("\n- ") + len(line) for line in lines)
    assert not lines or used <= room
    assert all_notes[: len(notes)] == notes
    whole = sum(line in {message(entry) for entry in notes} for line in lines)
    if len(all_notes) > len(notes):
        assert all_notes[-1].figures["count"] == len(notes) - whole
        assert not lines or lines[-1] in (message(all_notes[-1]), short(all_notes[-1]))
    else:
        assert whole == len(notes)


def test_the_last_room_goes_to_the_weightiest_note():
    """With room for one short form beside the closing line, it is the one about incomplete results."""
    truncated = note("truncated", reason="page_cap", pages=5, kind="posts")
    closing = note("notes_shortened", count=3)
    room = len("\n\n## Notes") + 3 + len(short(closing)) + 3 + len(short(truncated))
    _, lines = fitted((*MANY[:2], truncated), room)
    assert lines == [short(truncated), short(closing)]
