"""The promise that holds for any content: our words begin every line, and the text says what the items say."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from evidence_samples import (
    ASKED,
    Entry,
    accounts,
    articles,
    documents,
    entries,
    hostile,
    nested_posts,
    parse,
    posts,
    record_lists,
    trends,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from twitter_tool import text
from twitter_tool.errors import RequestError
from twitter_tool.media.assets import Asset, Place
from twitter_tool.media.found import Found
from twitter_tool.media.values import Picture, VideoText
from twitter_tool.notes import note
from twitter_tool.output.delivery import Asked, Retrieved
from twitter_tool.output.evidence import Evidence, evidence, finish_evidence, question_fits, select_evidence
from twitter_tool.output.render import blocks
from twitter_tool.output.shown import shown_of
from twitter_tool.records import Account, Media, Post, Trend

POST_LABELS = (
    r"permalink: |lang: |reply to: |date: |media: |pinned: yes$|author counts: |text:$|text: \(|alt texts omitted: \d"
    r"|alt text \d \(|link destination \(not fetched\): |link destinations omitted: \d|card link \(not fetched\): "
    r"|card (?:name|title|description|domain): |article title \(|article preview \(|article cover \("
)
MADE = "video evidence (untrusted, made by machine from the clip)"
MEDIA_LABELS = (
    rf"{re.escape(MADE)}: |transcript:$|visual:$|image references: \d+(?:, \d+)* \(only if images delivered\)$"
)
OWN_STARTS = re.compile(
    "|".join(
        [
            r"# X evidence - |Untrusted third-party text follows\.|Query: |Read: |## Sources$|## Notes$|\d+\. https?://|$",
            r"> |- |\[\d+\] (?:@|rank |article |about |space )|the post itself: @",
            rf"(?:parent )?(?:quoted |reposted )?(?:source: @|{POST_LABELS})",
            r"(?:name|bio|location|joined|posts|media|website \(not fetched\)|pinned ids \(not fetched\)|profile): ",
            r"(?:description|query|search|space): ",
            r"(?:heading [123]|quotation|list item|numbered list item|markdown|divider|text):$",
        ]
    )
)
hostile_questions = hostile.map(lambda words: Asked(mode="posts", query=words, read_at="2026", read_from=words))
hostile_notes = st.builds(
    lambda code, reason: note(code, reason=reason, kind=reason, ids=[reason], count=2, given=reason, key=reason),
    st.sampled_from(["truncated", "video_failed", "ids_missing", "setting_adjusted", "settings_unreadable"]),
    hostile,
)


def read(asked: Asked, retrieved: Retrieved, ceiling: int) -> Evidence:
    try:
        return evidence(asked, retrieved, ceiling=ceiling)
    except RequestError as error:
        assert error.code == "input_budget"  # noqa: PT017 - the only error there is
        assume(False)
        raise


@given(
    asked=hostile_questions,
    records=record_lists,
    parent=st.one_of(st.none(), nested_posts),
    notes=st.lists(hostile_notes, max_size=3).map(tuple),
    ceiling=st.integers(1000, 20_000),
)
@settings(max_examples=400)
def test_no_untrusted_character_begins_a_line(asked, records, parent, notes, ceiling):
    """Whatever the fields, the question and the notes hold, every line begins with words of ours."""
    try:
        question_fits(asked, ceiling=ceiling)
    except RequestError:
        return
    result = read(asked, Retrieved(records=records, parent=parent, notes=notes), ceiling)
    content = result.content
    assert len(content) <= ceiling
    content.encode("utf-8")
    lines = content.split("\n")
    assert content.splitlines() == lines
    assert [line for line in lines if not OWN_STARTS.match(line)] == []
    units = result.delivery.units
    assert sum(1 for line in lines if re.match(r"\[\d+\] ", line)) == len(units)
    for label, kind, address in (
        ("permalink: ", Post, "permalink"),
        ("profile: ", Account, "profile"),
        ("search: ", Trend, "search"),
    ):
        if all(isinstance(unit, kind) for unit in units):
            valid = sum(getattr(unit, address) is not None for unit in units)
            assert sum(line.startswith(label) for line in lines) == valid
    assert [line for line in lines if re.match(r"(transcript|visual|image references|video evidence)\b", line)] == []


video_texts = st.builds(
    VideoText,
    method=hostile.map(lambda raw: text.line(raw, 200)),
    transcript=st.one_of(st.none(), hostile.map(text.block)),
    visual=st.one_of(st.none(), hostile.map(text.block)),
)
clips = st.tuples(st.one_of(st.none(), video_texts), st.integers(0, 2))


@st.composite
def posts_with_clips(draw: st.DrawFn) -> tuple[tuple[Post, ...], list[Found]]:
    """Posts, and up to two assets of each and of those that it quotes or reposts."""
    records = tuple(draw(st.lists(posts, min_size=1, max_size=3)))
    found: list[Found] = []
    for unit, root in enumerate(records):
        for one in root.family():
            relation = None if one is root else "quoted" if one is root.quoted else "reposted"
            place = Place(unit=unit, root=root, post=one, relation=relation, media=Media())
            for said, count in draw(st.lists(clips, max_size=2)):
                image = [Picture(kind="poster", mime="image/png", data=b"", width=1, height=1) for _ in range(count)]
                found.append(Found(asset=Asset(kind="video", places=(place,)), text=said, pictures=tuple(image)))
    return records, found


@given(posts_with_clips())
@settings(max_examples=300)
def test_no_untrusted_character_of_a_clip_begins_a_line(shape):
    """Not in the items with images, nor in the list of the images; labels stand only where there is evidence."""
    records, found = shape
    shown = shown_of(found)
    items = read(ASKED, Retrieved(records=records), 60_000).delivery
    lines = "\n\n".join(blocks(items, shown)).split("\n")
    own = re.compile(rf"{OWN_STARTS.pattern}|(?:quoted |reposted )?(?:{MEDIA_LABELS})")
    assert "\n".join(lines).splitlines() == lines
    assert [line for line in lines if not own.match(line)] == []
    labels = [line for line in lines if re.match(rf"(?:quoted |reposted )?{re.escape(MADE)}: ", line)]
    assert len(labels) == sum(one.text is not None for one in found)
    assert sum(bool(re.match(r"\[\d+\] ", line)) for line in lines) == len(records)
    heading, *entries = shown.manifest.split("\n")
    assert len(entries) == len(shown.images) == sum(len(one.pictures) for one in found)
    assert heading == "" or all(line.startswith(f"{n}. ") for n, line in enumerate(entries, 1))
    assert shown.manifest.splitlines() == [line for line in (heading, *entries) if line]


@given(posts_with_clips())
@settings(max_examples=300)
def test_the_text_with_clips_reads_back_as_the_items(shape):
    """Method, transcript and visual notes of each video, under the post that it belongs to."""
    records, found = shape
    retrieved = Retrieved(records=records)
    selection = select_evidence(ASKED, retrieved, ceiling=60_000)
    result = finish_evidence(ASKED, retrieved, selection, shown_of(found), ceiling=60_000)
    for number, (lines, item) in enumerate(zip(parse(result.content).items, result.items, strict=True), 1):
        READERS["post"](number, lines, item)
    worded = [one.text for one in found if one.text and (one.text.transcript or one.text.visual)]
    if not any(one.pictures for one in found):
        worded = [one.text for one in found if one.text]
    assert json.dumps(result.items).count('"method":') == len(worded)


@given(records=record_lists, parent=st.one_of(st.none(), posts))
@settings(max_examples=400)
def test_the_text_reads_back_as_the_items(records, parent):
    """Taking the content apart gives the items, the parent, the sources and the notes of the same result."""
    result = read(ASKED, Retrieved(records=records, parent=parent), 60_000)
    parsed = parse(result.content)
    assert parsed.header[0].startswith("# X evidence - mode=thread - ")
    assert len(parsed.items) == len(result.items)
    for number, (lines, item) in enumerate(zip(parsed.items, result.items, strict=True), 1):
        READERS[item["kind"]](number, lines, item)
    if result.parent is not None:
        check_post(parsed.parent, result.parent, "the post itself: ", "parent ")
    else:
        assert parsed.parent == []
    assert parsed.sources == [f"{n}. {source.url}" for n, source in enumerate(result.sources, 1)]
    assert len(parsed.notes) == len(result.notes)
    items = json.loads(json.dumps(result.items))
    assert items == result.items
    assert None not in json.loads(json.dumps(items), object_pairs_hook=lambda pairs: [value for _, value in pairs])


@given(records=record_lists, parent=st.one_of(st.none(), posts))
def test_the_body_is_a_function_of_the_delivery(records, parent):
    """Rendering the delivery again gives the blocks that stand in the content, so a prompt shows the same text."""
    result = read(ASKED, Retrieved(records=records, parent=parent), 60_000)
    again = "".join(f"\n\n{block}" for block in blocks(result.delivery))
    start = len("\n".join(result.content.split("\n")[:4]))
    assert result.content[start:].startswith(again)
    rest = result.content[start + len(again) :]
    assert rest == "" or rest.startswith("\n\n## ")


def one_line(value: Any) -> str:
    return " ⏎ ".join(part.strip() for part in value.split("\n") if part.strip())


def number_shown(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else str(value)


def values(found: list[Entry], label: str) -> list[str]:
    return [entry.value for entry in found if entry.label == label]


def only(found: list[Entry], label: str) -> str | None:
    got = values(found, label)
    assert len(got) <= 1, label
    return got[0] if got else None


def check_line(found: list[Entry], label: str, value: Any) -> None:
    assert only(found, label) == (one_line(value) if value else None), label


def counts(item: dict[str, Any], names: tuple[str, ...]) -> str:
    return ", ".join(f"{number_shown(item[name])} {name}" for name in names if name in item)


def check_post(lines: list[str], item: dict[str, Any], opening: str, prefix: str) -> None:
    created = item.get("createdAt")
    dated = re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", created or "")
    when = created if dated else None if created else "unknown time"
    metrics = counts(item.get("metrics", {}), ("likes", "reposts", "replies", "views", "quotes"))
    handle = item.get("author", {}).get("handle", "unknown")
    assert lines[0] == opening + " - ".join(filter(None, [f"@{handle}", when, metrics]))
    nested = {"quoted": [], "reposted": []}
    own: list[str] = []
    place = own
    for line in lines[1:]:
        for relation in nested:
            if line.startswith(f"{prefix}{relation} source: "):
                place = nested[relation]
        place.append(line)
    found = entries([line if line.startswith("> ") else line.removeprefix(prefix) for line in own])
    assert all(line.startswith((prefix, "> ")) for line in own)
    check_line(found, "date", None if dated else created)
    assert only(found, "permalink") == item.get("url", "unavailable" if prefix else None)
    check_line(found, "lang", item.get("lang"))
    target = f"@{item['replyTo']}" if item.get("replyTo") else "unknown"
    assert only(found, "reply to") == (target if item.get("isReply") else None)
    assert only(found, "pinned") == ("yes" if item.get("pinned") else None)
    media = item.get("media", [])
    assert only(found, "media") == (", ".join(one.get("kind", "unknown") for one in media) or None)
    alts = [
        (f"alt text {n} (accessibility text, not a visual analysis)", one.get("alt")) for n, one in enumerate(media, 1)
    ]
    for label, alt in alts:
        check_line(found, label, alt)
    author = counts(item.get("author", {}), ("followers", "following", "posts", "media"))
    assert only(found, "author counts") == (author or None)
    written = next(entry for entry in found if entry.label == "text")
    assert written.text == item.get("text", "")
    pairs = item.get("links", [])
    assert values(found, "link destination (not fetched)") == [pair["url"] for pair in pairs][:4]
    assert only(found, "link destinations omitted") == (str(len(pairs) - 4) if len(pairs) > 4 else None)
    card = item.get("card", {})
    for key in ("name", "title", "description", "domain"):
        check_line(found, f"card {key}", card.get(key))
    check_line(found, "card link (not fetched)", card.get("url"))
    preview = item.get("article", {})
    check_line(found, "article title (preview, not the body)", preview.get("title"))
    check_line(found, "article preview (not the body)", preview.get("preview"))
    check_line(found, "article cover (not fetched)", preview.get("coverUrl"))
    check_videos(found, item.get("video", []))
    for relation, below in nested.items():
        assert bool(below) == (relation in item)
        if below:
            assert "kind" not in item[relation]
            check_post(below, item[relation], f"{prefix}{relation} source: ", f"{prefix}{relation} ")


def check_videos(found: list[Entry], videos: list[dict[str, Any]]) -> None:
    shown: list[dict[str, Any]] = []
    for entry in found:
        if entry.label == MADE:
            shown.append({"method": entry.value})
        elif entry.label in ("transcript", "visual"):
            shown[-1][entry.label] = entry.text
    assert shown == videos


def check_account(number: int, lines: list[str], item: dict[str, Any]) -> None:
    metrics = item.get("metrics", {})
    facts = ", ".join(
        filter(None, [counts(metrics, ("followers", "following")), "verified" if item.get("verified") else ""])
    )
    assert lines[0] == " - ".join(filter(None, [f"[{number}] @{item['handle']}", facts]))
    found = entries(lines[1:])
    for label, key in (("name", "name"), ("bio", "bio"), ("location", "location"), ("joined", "createdAt")):
        check_line(found, label, item.get(key))
    for label in ("posts", "media"):
        assert only(found, label) == (number_shown(metrics[label]) if label in metrics else None)
    assert only(found, "website (not fetched)") == item.get("website")
    assert only(found, "pinned ids (not fetched)") == (", ".join(item.get("pinnedIds", [])) or None)
    assert only(found, "profile") == item.get("url")


def check_trend(number: int, lines: list[str], item: dict[str, Any]) -> None:
    assert lines[0] == f"[{number}] rank {number_shown(item['rank']) if 'rank' in item else 'unknown'}"
    found = entries(lines[1:])
    for key in ("name", "description", "query"):
        check_line(found, key, item.get(key))
    assert only(found, "search") == item.get("url")


def scalar(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return one_line(value) if isinstance(value, str) else number_shown(value)


def check_document(number: int, lines: list[str], item: dict[str, Any]) -> None:
    assert number == 1
    assert lines[0] in (f"[1] about @{item['id']}", f"[1] space {item['id']}")
    assert lines[1] == f"space: {item['url']}"
    expected = [(f"- {key}", scalar(value)) for key, value in item["fields"].items()]
    assert [(entry.label, entry.value) for entry in entries(lines[2:])] == expected


def check_article(number: int, lines: list[str], item: dict[str, Any]) -> None:
    assert lines[0] == f"[1] article {item['id']}"
    found = entries(lines[1:])
    assert only(found, "permalink") == item.get("url")
    flat = {key: item[key] for key in ("title", "preview", "createdAt") if key in item}
    for outer in ("author", "metrics"):
        flat |= {f"{outer}.{key}": value for key, value in item.get(outer, {}).items()}
    fields = [entry for entry in found if entry.label.startswith("- ")]
    assert [(entry.label, entry.value) for entry in fields] == [(f"- {key}", scalar(v)) for key, v in flat.items()]
    shown = [entry for entry in found if not entry.label.startswith("- ") and entry.label != "permalink"]
    assert [entry.text for entry in shown] == [block["text"] for block in item["blocks"]]
    assert [entry.label == "text" for entry in shown] == [block["type"] in ("", "unstyled") for block in item["blocks"]]


READERS = {
    "post": lambda number, lines, item: check_post(lines, item, f"[{number}] ", ""),
    "account": check_account,
    "trend": check_trend,
    "document": check_document,
    "article": check_article,
}


@pytest.mark.parametrize(
    ("records", "kinds"),
    [
        (posts, {"post"}),
        (accounts, {"account"}),
        (trends, {"trend"}),
        (documents, {"document"}),
        (articles, {"article"}),
    ],
)
def test_the_kinds_of_items(records, kinds):
    """Each record becomes an item of its own kind, or nothing at all when it holds nothing."""

    @given(records)
    @settings(max_examples=20)
    def holds(record):
        assert {item["kind"] for item in read(ASKED, Retrieved(records=(record,)), 60_000).items} <= kinds

    holds()
