"""Sentences about what was read and what was left out."""

from __future__ import annotations

from typing import Final

from twitter_tool.output.figures import Figures
from twitter_tool.output.phrase import Phrase

_STOPPED: Final = {
    "page_cap": "the limit of {pages} was reached",
    "cursor_cycle": "the upstream repeated a page cursor after {pages}",
    "cursor_missing": "the upstream announced another page but gave no cursor for it after {pages}",
}
_NOTHING_PROVEN: Final = {
    "account": " An unknown handle and an account without posts get the same answer, so this does not tell them apart.",
    "window": " This does not show that none exist: the post may not start its thread, the window may be empty, or the"
    " upstream may not cover it.",
    "ids": " None of the ids asked for was returned.",
}
_READ: Final = {
    "thread": ("the thread of {target}", "post"),
    "timeline": ("the timeline of {target}", "post"),
    "replies": ("the replies to {target}", "reply"),
    "quotes": ("the quote-posts of {target}", "quote-post"),
    "retweeters": ("the accounts that reposted {target}", "account"),
    "mentions": ("posts that mention {target}", "post"),
    "followers": ("the followers of {target}", "account"),
    "followings": ("the accounts that {target} follows", "account"),
    "profile": ("the profile of {target}", "account"),
    "about": ("the about page of {target}", "account"),
    "tweets": ("posts looked up by id", "post"),
    "community": ("the community {target}", "post"),
    "list": ("the list {target}", "post"),
    "article": ("the article of {target}", "article"),
}
_ID_OF_POST: Final = frozenset({"thread", "replies", "quotes", "retweeters", "article"})
_ARTICLE_SOURCE: Final = {
    "missing": "the post that carries it was not returned",
    "ambiguous": "more than one post claimed its id",
    "invalid": "the returned post has no link that may be cited",
    "conflicting": "the returned post names another id, handle or author",
    "malformed": "the look-up of its post was unreadable",
    "failed": "the upstream refused the look-up of its post",
    "oversize": "the look-up of its post was too large to read",
}


def _truncated(figures: Figures) -> str:
    why = figures.chosen("reason", _STOPPED, "it ended after {pages}").format(
        pages=figures.counted("page", key="pages")
    )
    return (
        f"Retrieval stopped early: {why}. More {figures.text('kind', 'items')} may remain, so these results may be"
        " incomplete."
    )


def _nothing_found(figures: Figures) -> str:
    kind = figures.text("kind", "items")
    if figures.has("truncated"):
        return f"No {kind} were found in what was read, but retrieval stopped early: more may exist." + figures.chosen(
            "cause", _NOTHING_PROVEN, ""
        )
    proven = figures.chosen("cause", _NOTHING_PROVEN, "")
    return f"Nothing found: the upstream returned no {kind} for this request.{proven}"


def _search_hint(figures: Figures) -> str:
    accounts = (
        "Account search matches parts of words without regard to word boundaries; a single keyword may find more."
    )
    posts = "Post search needs every word to match; use a few keywords, OR between alternatives, or a quoted phrase."
    return figures.chosen("mode", {"users": accounts, "posts": posts}, f"{posts} {accounts}")


def _read_from(figures: Figures) -> str:
    what = figures.text("what", "the upstream")
    place, noun = _READ.get(what, (f"{what} {{target}}", "item"))
    handle = figures.text("handle", "").lstrip("@")
    identity = figures.text("id", "")
    if handle and identity:
        target = f"account {identity} (asked for as @{handle})"
    elif handle:
        target = f"@{handle}"
    else:
        target = f"{'post ' if what in _ID_OF_POST else 'account ' if what == 'timeline' else ''}{identity}"
    sentence = f"Read from {place.replace('{target}', target).strip()}"
    if figures.raw.get("count") is not None:
        sentence += f": {figures.counted(noun, 'replies' if noun == 'reply' else None)}"
    if figures.raw.get("pages") is not None:
        sentence += f" on {figures.counted('page', key='pages')}"
    if figures.has("timeZone"):
        sentence += f"; days in {figures.text('timeZone')}"
    return sentence + "."


def _root_unverified(figures: Figures) -> str:
    return (
        "Dated replies need an original post that starts its thread; this was not checked, and the upstream may not"
        " cover every reply. Newest first is the upstream's documented order, not a sort made here."
    )


def _trimmed_newer(figures: Figures) -> str:
    sentence = f"{figures.counted('post')} from after the requested days {_were(figures)} dropped."
    if figures.has("bandHours"):
        sentence += f" The upstream cuts days at 04:00 UTC, {figures.counted('hour', key='bandHours')} past their end."
    return sentence


def _ids_missing(figures: Figures) -> str:
    listed = figures.listed("ids")
    return (
        f"{figures.counted('requested post')} {_were(figures)} not returned{f': {listed}' if listed else ''}."
        f" That does not show that {'it was' if figures.count('count') == '1' else 'they were'} deleted."
    )


def _pin_not_returned(figures: Figures) -> str:
    listed = figures.listed("ids")
    return f"The content of a pinned post{f' ({listed})' if listed else ''} was not returned, and it was not looked up."


def _article_partial(figures: Figures) -> str:
    parts = [
        (figures.counted("block", key="blocksOmitted"), "blocksOmitted", "did not fit the character ceiling"),
        (figures.counted("metadata field", key="fieldsOmitted"), "fieldsOmitted", "did not fit the character ceiling"),
        (figures.counted("block", key="blocksOverLimit"), "blocksOverLimit", "lay beyond the limit of 1000 blocks"),
    ]
    left_out = ", ".join(f"{count} {why}" for count, key, why in parts if figures.has(key))
    if not left_out:
        return "This is a partial article: no text of its body could be read."
    return f"This is a partial article, not the whole body: {left_out}."


def _blocks_skipped(figures: Figures) -> str:
    parts = (
        ("unsupported", "of an unsupported type"),
        ("empty", "empty"),
        ("malformed", "malformed"),
        ("mediaOmitted", "with media"),
    )
    listed = ", ".join(f"{figures.count(key)} {words}" for key, words in parts if figures.has(key))
    return f"Blocks of the article that are not shown: {listed or 'some'}. Inline styles and the cover are left out."


def _fields_cut(figures: Figures) -> str:
    total = f" of {figures.count('total')}" if figures.has("total") else ""
    return (
        f"{figures.count()}{total} metadata fields are not shown: at most 200 are read, and only whole ones"
        " that fit the character ceiling are shown."
    )


def _were(figures: Figures) -> str:
    return "was" if figures.count() == "1" else "were"


RETRIEVAL: Final[dict[str, Phrase]] = {
    "truncated": Phrase(_truncated, "Retrieval stopped early; results may be incomplete."),
    "window_shortfall": Phrase(
        lambda f: (
            f"The upstream stops {f.counted('hour', key='hours')} before the end of the requested days, so posts from"
            " that time are missing."
        ),
        "The end of the requested days is not covered.",
    ),
    "window_trimmed_newer": Phrase(_trimmed_newer, "{count} posts after the requested days dropped."),
    "window_trimmed_older": Phrase(
        lambda f: (
            f"{f.counted('post')} from before the requested days {_were(f)} dropped; the start was moved back to be"
            " sure to read the whole first day."
        ),
        "{count} posts before the requested days dropped.",
    ),
    "nothing_found": Phrase(_nothing_found, "Nothing found."),
    "search_hint": Phrase(_search_hint, "Fewer or simpler search words may find more."),
    "read_from": Phrase(_read_from, "Read {count} items."),
    "replies_root_unverified": Phrase(_root_unverified, "Not checked that the post starts its thread."),
    "pin_not_returned": Phrase(_pin_not_returned, "A pinned post's content was not returned."),
    "pin_unrecognised": Phrase(
        lambda f: "The upstream sent a pinned post in an unknown form; nothing was concluded from it.",
        "A pinned post was not recognised.",
    ),
    "pin_merged": Phrase(
        lambda f: f"{f.counted('copy', 'copies')} of a pinned post {_were(f)} merged into it.",
        "Copies of a pinned post merged.",
    ),
    "pins_not_fetched": Phrase(
        lambda f: f"The pinned posts of {f.counted('account')} are listed by id only; their content was not fetched.",
        "Pinned posts are ids only, not fetched.",
    ),
    "ids_missing": Phrase(_ids_missing, "{count} requested posts were not returned."),
    "article_source": Phrase(
        lambda f: (
            "The article has no source that may be cited: "
            f"{f.chosen('reason', _ARTICLE_SOURCE, 'its post could not be confirmed')}. Do not guess a link for it."
        ),
        "The article has no citable source; do not guess one.",
    ),
    "article_partial": Phrase(_article_partial, "This is a partial article."),
    "article_blocks_skipped": Phrase(_blocks_skipped, "Some blocks of the article are not shown."),
    "bio_shortened": Phrase(
        lambda f: f"{f.counted('bio')} {_were(f)} shortened to 700 characters.",
        "{count} bios shortened.",
    ),
    "fields_cut": Phrase(_fields_cut, "{count} metadata fields are not shown."),
    "sources_invalid": Phrase(
        lambda f: (
            f"{f.counted('link or handle', 'links or handles')} sent by the upstream may not be cited"
            f" and {_were(f)} left out."
        ),
        "{count} links that may not be cited left out.",
    ),
    "items_omitted": Phrase(
        lambda f: (
            f"{f.counted('retrieved item')} {_were(f)} left out whole for want of room"
            " (max_synthesis_chars, or a model's context window); this is a local limit, not the upstream's."
        ),
        "{count} retrieved items left out for want of room.",
    ),
    "notes_shortened": Phrase(
        lambda f: f"{f.counted('note')} {_were(f)} shortened or left out here to stay within the character ceiling.",
        "{count} notes shortened or left out.",
    ),
}
