"""Disclosures that follow from what was delivered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from twitter_tool.media.assets import distinct, repeats
from twitter_tool.notes import Note, NoteCode, note
from twitter_tool.output.delivery import Delivery, EmptyCause, Excerpt, Retrieved
from twitter_tool.output.reserve import MediaReserve
from twitter_tool.output.select import Selection, candidates, kind_of
from twitter_tool.records import Account, Article, Document, Post

_OF_VIDEOS: Final[tuple[NoteCode, ...]] = (
    "video_processed",
    "video_skipped",
    "video_trimmed",
    "video_failed",
    "transcript_partial",
    "transcript_discarded",
    "transcript_absent",
    "stt_skipped",
    "evidence_cache_hit",
    "third_party_processing",
    "upload_may_remain",
)
"""What turning videos into text may disclose."""


def made_notes(selection: Selection, retrieved: Retrieved) -> tuple[Note, ...]:
    """What the delivery lacks, left out, shortened or may not cite."""
    return tuple(_made(selection, retrieved))


def possible_notes(retrieved: Retrieved) -> tuple[Note, ...]:
    """Every disclosure that delivering any part of this may cause, with its widest figures."""
    units = candidates(retrieved)
    everything = Delivery(kind=kind_of(retrieved), units=units, parent=retrieved.parent)
    fields = sum(len(unit.fields) for unit in units if isinstance(unit, Excerpt))
    body = sum(len(unit.blocks) for unit in units if isinstance(unit, Excerpt))
    widest = Selection(
        delivery=everything,
        omitted=0 if fields or body else len(units) + (retrieved.parent is not None),
        fields_omitted=fields,
        blocks_omitted=body,
    )
    return made_notes(widest, retrieved)


def possible_media_notes(media: MediaReserve) -> tuple[Note, ...]:
    """Every disclosure that turning these videos into text may cause, each once."""
    videos = [asset for asset in media.assets if asset.kind != "photo"]
    if not videos or not media.wish.videos:
        return ()
    repeated = (note("media_repeated", count=repeats(videos)),) if repeats(videos) else ()
    return (*repeated, *(note(code, count=len(videos)) for code in _OF_VIDEOS))


def _made(selection: Selection, retrieved: Retrieved) -> Iterator[Note]:
    delivery = selection.delivery
    if not delivery.units:
        yield _nothing_found(retrieved)
    if selection.omitted:
        yield note("items_omitted", count=selection.omitted)
    for unit in delivery.units:
        if isinstance(unit, Excerpt):
            yield from _excerpt_notes(unit, selection)
    accounts = [unit for unit in delivery.units if isinstance(unit, Account)]
    posts = [post for unit in delivery.units if isinstance(unit, Post) for post in unit.family()]
    uncited = [*posts, *(delivery.parent.family() if delivery.parent else ())]
    shortened = sum(account.bio_shortened for account in accounts)
    if shortened:
        yield note("bio_shortened", count=shortened)
    pinning = sum(bool(account.pinned_ids) for account in accounts)
    if pinning:
        yield note("pins_not_fetched", count=pinning)
    invalid = sum(post.link_invalid for post in uncited) + sum(account.profile is None for account in accounts)
    if invalid:
        yield note("sources_invalid", count=invalid)
    pictures = distinct(media for post in posts for media in post.media if media.url is not None)
    if pictures:
        yield note("images_omitted", count=pictures, reason="evidence_output")


def _nothing_found(retrieved: Retrieved) -> Note:
    codes = {known.code for known in retrieved.notes}
    cause: EmptyCause | None = retrieved.empty_cause
    if cause is None and "replies_root_unverified" in codes:
        cause = "window"
    if cause is None and "ids_missing" in codes:
        cause = "ids"
    return note("nothing_found", truncated="truncated" in codes, kind=retrieved.empty_kind, cause=cause)


def _excerpt_notes(excerpt: Excerpt, selection: Selection) -> Iterator[Note]:
    record = excerpt.record
    if isinstance(record, Document):
        unshown = max(record.total_fields, len(record.fields)) - len(record.fields) + selection.fields_omitted
        if unshown:
            yield note("fields_cut", count=unshown, total=max(record.total_fields, len(record.fields)))
        return
    yield from _article_notes(record, selection)


def _article_notes(article: Article, selection: Selection) -> Iterator[Note]:
    if selection.blocks_omitted or selection.fields_omitted or article.over_limit or not article.blocks:
        yield note(
            "article_partial",
            blocksOmitted=selection.blocks_omitted,
            fieldsOmitted=selection.fields_omitted,
            blocksOverLimit=article.over_limit,
        )
    if article.unsupported or article.empty or article.malformed or article.media_omitted:
        yield note(
            "article_blocks_skipped",
            unsupported=article.unsupported,
            empty=article.empty,
            malformed=article.malformed,
            mediaOmitted=article.media_omitted,
        )
