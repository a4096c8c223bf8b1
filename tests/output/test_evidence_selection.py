"""Selection under the ceiling: whole items, greedily in order, every one rendered once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evidence_samples import ASKED, account, article, document, post
from hypothesis import given, settings
from hypothesis import strategies as st

from twitter_tool import links, text
from twitter_tool.errors import RequestError
from twitter_tool.notes import note
from twitter_tool.output.delivery import Retrieved
from twitter_tool.output.evidence import evidence, question_fits
from twitter_tool.output.render import block
from twitter_tool.output.room import CharRoom
from twitter_tool.output.select import choose, source_line
from twitter_tool.records import Author, Trend


def codes(result):
    return [entry.code for entry in result.notes]


def figures(result, code):
    return next(dict(entry.figures) for entry in result.notes if entry.code == code)


def ids(result):
    return [item["id"] for item in result.items]


def test_a_bundle_that_does_not_fit_is_skipped_and_a_later_one_enters():
    """15,000 then 1,000 characters under 12,000: only the second, numbered one, and one left out."""
    result = evidence(ASKED, Retrieved(records=(post(1, "a" * 15_000), post(2, "b" * 1_000))), ceiling=12_000)
    assert ids(result) == ["2"]
    assert "\n\n[1] @ann" in result.content
    assert figures(result, "items_omitted") == {"count": 1}
    assert result.retained == {"posts": 1, "accounts": 0, "trends": 0}


def test_a_quoted_post_travels_with_its_root():
    """A root whose quoted post is too long is left out together with it."""
    root = post(1, "short", quoted=post(2, "q" * 15_000))
    result = evidence(ASKED, Retrieved(records=(root, post(3))), ceiling=12_000)
    assert ids(result) == ["3"]
    assert "https://x.com/ann/status/2" not in result.content


def test_nothing_that_fits_is_an_error():
    """One item longer than the ceiling: refused with advice, never cut."""
    with pytest.raises(RequestError) as caught:
        evidence(ASKED, Retrieved(records=(post(1, "a" * 70_000),)), ceiling=60_000)
    assert caught.value.code == "input_budget"
    assert "60000" in caught.value.message
    assert "max_synthesis_chars" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "record", [document(("a", "x" * 2000)), article("x" * 2000, title=None), account("ann", bio=text.block("x" * 2000))]
)
def test_nothing_that_fits_is_an_error_for_every_kind(record):
    """Fields, blocks and accounts follow the same rule as posts."""
    with pytest.raises(RequestError):
        evidence(ASKED, Retrieved(records=(record,)), ceiling=1500)


def test_a_question_without_room_for_evidence_is_refused_before_reading():
    """A question as long as the ceiling is refused; an ordinary one passes."""
    with pytest.raises(RequestError) as caught:
        question_fits(replace(ASKED, query="q" * 70_000), ceiling=60_000)
    assert caught.value.code == "input_budget"
    question_fits(ASKED, ceiling=1000)
    with pytest.raises(RequestError):
        question_fits(replace(ASKED, query="q\n" * 200), ceiling=1000)


def test_a_question_that_passes_leaves_room_to_say_that_nothing_was_found():
    """At the very edge of what passes, an empty result still fits and says so."""
    longest = max(size for size in range(1000) if fits("q" * size))
    asked = replace(ASKED, query="q" * longest)
    notes = (note("truncated", reason="page_cap", pages=5, kind="posts"), note("sandbox_data"))
    result = evidence(asked, Retrieved(records=(), notes=notes), ceiling=1000)
    assert len(result.content) <= 1000
    assert "- Nothing found" in result.content or "No posts were found" in result.content


def fits(query):
    try:
        question_fits(replace(ASKED, query=query), ceiling=1000)
    except RequestError:
        return False
    return True


def test_the_asked_post_takes_room_first_and_is_counted_when_it_has_none():
    """It is kept before any item; one that is too long is left out and counted."""
    kept = evidence(ASKED, Retrieved(records=(post(1, "a" * 900), post(2)), parent=post(7, "p" * 900)), ceiling=2000)
    assert kept.parent is not None
    assert ids(kept) == ["2"]
    left_out = evidence(ASKED, Retrieved(records=(post(2),), parent=post(7, "p" * 5000)), ceiling=2000)
    assert left_out.parent is None
    assert figures(left_out, "items_omitted") == {"count": 1}


def test_a_long_asked_post_never_pushes_every_item_out():
    """When no item would fit beside it, the asked post gives way and is counted."""
    result = evidence(ASKED, Retrieved(records=(post(1, "a" * 900),), parent=post(7, "p" * 900)), ceiling=2000)
    assert ids(result) == ["1"]
    assert result.parent is None
    assert figures(result, "items_omitted") == {"count": 1}


def test_a_partial_article_says_what_is_left_out():
    """Three of five blocks fit: three whole ones are shown, and the body is called partial."""
    words = ["a" * 300, "b" * 300, "c" * 5000, "d" * 5000, "e" * 300]
    result = evidence(ASKED, Retrieved(records=(article(*words, over_limit=4),)), ceiling=2500)
    assert [block["text"][0] for block in result.items[0]["blocks"]] == ["a", "b", "e"]
    assert figures(result, "article_partial") == {"blocksOmitted": 2, "fieldsOmitted": 0, "blocksOverLimit": 4}
    assert "partial article, not the whole body: 2 blocks did not fit" in result.content
    assert "items_omitted" not in codes(result)


def test_article_metadata_that_does_not_fit_is_counted_as_fields():
    """A long preview is left out whole, the body stays."""
    result = evidence(ASKED, Retrieved(records=(article("body", preview=text.block("p" * 3000)),)), ceiling=2000)
    assert figures(result, "article_partial") == {"blocksOmitted": 0, "fieldsOmitted": 1, "blocksOverLimit": 0}
    assert "preview" not in result.items[0]


def test_an_article_without_a_body_is_partial_and_one_with_all_of_it_is_not():
    """A title alone is shown as a partial article; a whole one never carries the note."""
    assert figures(evidence(ASKED, Retrieved(records=(article(),)), ceiling=2000), "article_partial")
    assert "article_partial" not in codes(evidence(ASKED, Retrieved(records=(article("a"),)), ceiling=2000))
    beyond = evidence(ASKED, Retrieved(records=(article("a", over_limit=4),)), ceiling=2000)
    assert figures(beyond, "article_partial") == {"blocksOmitted": 0, "fieldsOmitted": 0, "blocksOverLimit": 4}


def test_document_fields_are_left_out_whole():
    """Fields that do not fit, and fields beyond those that were read, are one count with the total."""
    whole = document(("a", "x" * 100), ("b", "y" * 3000), ("c", "z"), total_fields=10)
    result = evidence(ASKED, Retrieved(records=(whole,)), ceiling=2000)
    assert result.items[0]["fields"] == {"a": "x" * 100, "c": "z"}
    assert figures(result, "fields_cut") == {"count": 8, "total": 10}
    complete = evidence(ASKED, Retrieved(records=(document(("a", 1)),)), ceiling=2000)
    assert codes(complete) == []


def test_many_items_under_a_small_ceiling_render_each_once():
    """Ten thousand posts cost ten thousand renderings, however few of them fit."""
    calls = []

    def counting(unit, number):
        calls.append(number)
        return block(unit, number)

    retrieved = Retrieved(records=tuple(post(number, "a" * (number % 400)) for number in range(10_000)))
    selection = choose(retrieved, CharRoom(5_000), render=counting)
    assert len(calls) == 10_000
    assert calls[0] == 1
    assert max(calls) == len(selection.delivery.units) + 1
    assert selection.omitted == 10_000 - len(selection.delivery.units)


sizes = st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 12)), min_size=1, max_size=25)


@given(sizes, st.one_of(st.none(), st.integers(0, 3000)), st.integers(300, 20_000))
def test_the_taken_items_are_the_greedy_ones(given_sizes, parent_size, room):
    """Parent first, then each item that fits at its next number with the Sources lines it newly adds."""
    records = tuple(post(number, "w" * size) for size, number in given_sizes)
    parent = None if parent_size is None else post(99, "p" * parent_size)
    selection = choose(Retrieved(records=records, parent=parent), CharRoom(room))
    left, listed, expected, with_parent = room, [], [], False
    if parent is not None:
        text_of_parent = selection_text(parent)
        cost = len(text_of_parent) + len(source_line(1, parent.permalink))
        with_parent = cost <= left
        if with_parent:
            left -= cost
            listed.append(parent.permalink)
    for record in records:
        cost = 2 + len(block(record, len(expected) + 1))
        new = record.permalink not in listed
        cost += len(source_line(len(listed) + 1, record.permalink)) if new else 0
        if cost <= left:
            left -= cost
            expected.append(record)
            listed += [record.permalink] if new else []
    assert list(selection.delivery.units) == expected
    assert (selection.delivery.parent is not None) == with_parent
    assert selection.omitted == len(records) - len(expected) + (parent is not None and not with_parent)


def selection_text(parent):
    alone = choose(Retrieved(records=(), parent=parent), CharRoom(10**6))
    return "\n\n" + alone.blocks[0]


known_notes = st.lists(
    st.sampled_from(
        [
            note("truncated", reason="page_cap", pages=5, kind="posts"),
            note("read_from", what="thread", id="7", count=2, pages=1),
            note("ids_missing", count=40, ids=[str(n) * 19 for n in range(40)]),
            note("setting_adjusted", key="max_pages", given=500, used=100),
            note("setting_ignored", keys=["stt_endpoint"], reason="user_only"),
            note("sandbox_data"),
            note("settings_unreadable", path="/home/ann/.twitter-tool.toml", reason="not TOML"),
        ]
    ),
    max_size=6,
).map(tuple)


@given(sizes, known_notes, st.one_of(st.integers(1000, 4000), st.integers(4000, 120_000)), st.booleans())
@settings(max_examples=300)
def test_the_ceiling_holds_and_every_item_is_delivered_or_counted(given_sizes, notes, ceiling, long_handles):
    """For any ceiling: content within it, delivered plus left out is everything read, notes whole in details."""
    handle = "h" * (60 if long_handles else 3)
    records = tuple(
        post(number, "w" * size, author=Author(handle=text.line(handle, 100))) for size, number in given_sizes
    )
    try:
        result = evidence(ASKED, Retrieved(records=records, notes=notes), ceiling=ceiling)
    except RequestError:
        assert all(len(block(record, 1)) > ceiling // 2 - 250 for record in records)
        return
    assert len(result.content) <= ceiling
    left_out = figures(result, "items_omitted")["count"] if "items_omitted" in codes(result) else 0
    assert len(result.items) + left_out == len(records)
    assert {entry.code for entry in notes} <= set(codes(result))
    assert result.retained["posts"] == len(result.items)
    section = result.content.partition("\n\n## Notes\n")[2].split("\n")
    assert len([line for line in section if line]) <= len(result.notes)
    if "notes_shortened" not in codes(result):
        assert len([line for line in section if line]) == len(result.notes)


def test_room_that_an_item_needs_is_not_taken_by_sources_it_shares():
    """A second item with an address already listed costs no second Sources line."""
    first, second = post(1, "a"), post(1, "b")
    room = 2 + len(block(first, 1)) + len(source_line(1, str(first.permalink))) + 2 + len(block(second, 2))
    both = choose(Retrieved(records=(first, second)), CharRoom(room))
    assert len(both.delivery.units) == 2
    assert len(choose(Retrieved(records=(first, second)), CharRoom(room - 1)).delivery.units) == 1


def test_accounts_and_trends_follow_the_same_rule():
    """A long one is skipped, a later short one enters with the next number."""
    long_bio = account("ann", bio=text.block("x" * 3000))
    result = evidence(ASKED, Retrieved(records=(long_bio, account("bob"))), ceiling=2000)
    assert [item["handle"] for item in result.items] == ["bob"]
    assert result.retained == {"posts": 0, "accounts": 1, "trends": 0}
    trends = (Trend(name=text.block("n" * 3000)), Trend(name=text.block("b"), search=links.search_url("b")))
    result = evidence(ASKED, Retrieved(records=trends), ceiling=2000)
    assert [item["name"] for item in result.items] == ["b"]
    assert result.retained == {"posts": 0, "accounts": 0, "trends": 1}
    assert figures(result, "items_omitted") == {"count": 1}
