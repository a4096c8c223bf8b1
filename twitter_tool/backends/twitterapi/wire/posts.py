"""Posts with their author, links, card, article preview, media and one level of context."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from twitter_tool import links
from twitter_tool.backends.twitterapi.wire.values import (
    as_dict,
    as_list,
    field,
    moment,
    number,
    one_line,
    string,
)
from twitter_tool.records import (
    NO_AUTHOR,
    ArticlePreview,
    Author,
    Card,
    Expansion,
    Media,
    Metrics,
    Post,
    Variant,
)
from twitter_tool.text import Line, block, handle_line, line

MAX_EXPANSIONS: Final = 20
_SHORT_LINK = re.compile(r"https?://t\.co/[A-Za-z0-9]+")
_SHORT_TOKEN = re.compile(
    r"([(\[{<\"'\u201c\u2018\u00ab\u2039\u300c\u300e\uff08\u3010\u300a\u3008]*)"
    r"(https?://t\.co/[A-Za-z0-9]+)"
    r"([)\]}>\"'\u201d\u2019\u00bb\u203a\u300d\u300f\uff09\u3011\u300b\u3009.,;:!?]*)"
)
_BLANKS = re.compile(r"(\s+)")
_MEDIA_ID = re.compile(r"[0-9]{1,20}")


def post(raw: Any) -> Post | None:
    """A listed post, or ``None`` when it is unusable: not an object, or without a ``text`` string."""
    if type(raw) is not dict or type(raw.get("text")) is not str:
        return None
    quoted, reposted = _context(raw.get("quoted_tweet")), _context(raw.get("retweeted_tweet"))
    own = _post(raw, raw["text"])
    if quoted is None and reposted is None:
        return own
    inner = as_dict(raw.get("retweeted_tweet")).get("text")
    replaced = (
        reposted is not None and raw["text"].startswith("RT @") and type(inner) is str and len(inner) > len(raw["text"])
    )
    return replace(
        own,
        quoted=quoted,
        reposted=reposted,
        text=None if replaced else own.text,
        text_replaced=replaced,
        media=_without_mirrored_alt(own.media, quoted, reposted),
    )


def post_identity(value: Post) -> str | None:
    """A post's id: as sent when it is 1-25 digits, else the one in its permalink."""
    raw = value.identities[0]
    if raw is not None and links.is_post_id(raw):
        return raw
    return links.permalink_id(value.permalink) if value.permalink else None


def is_full(raw: Any) -> bool:
    """Whether a pin carries a post: a ``text`` string that is not blank, or media."""
    if type(raw) is not dict or type(raw.get("text")) is not str:
        return False
    return bool(raw["text"].strip()) or bool(_media(raw))


def _context(raw: Any) -> Post | None:
    if type(raw) is not dict:
        return None
    text = raw["text"] if type(raw.get("text")) is str else ""
    found = _post(raw, text)
    if string(text) or string(raw.get("url")) or found.media:
        return found
    return None


def _post(raw: dict[str, Any], text: str) -> Post:
    url = string(raw.get("url"))
    permalink = links.permalink(url)
    expansions = _expansions(raw.get("entities"))
    is_reply = raw.get("isReply") is True
    raw_id = string(raw.get("id"))
    return Post(
        id=one_line(raw_id, 100),
        permalink=permalink,
        link_invalid=url is not None and permalink is None,
        text=block(_expanded(text, expansions)),
        created=moment(raw.get("createdAt")),
        lang=one_line(raw.get("lang"), 30),
        is_reply=is_reply,
        reply_to=_handle(raw.get("inReplyToUsername")) if is_reply else None,
        author=_author(raw.get("author")),
        metrics=Metrics(
            likes=number(raw.get("likeCount")),
            reposts=number(raw.get("retweetCount")),
            replies=number(raw.get("replyCount")),
            views=number(raw.get("viewCount")),
            quotes=number(raw.get("quoteCount")),
        ),
        links=expansions,
        card=_card(raw.get("card")),
        article=article_preview(raw.get("article")),
        media=_media(raw),
        identities=(raw_id, url),
    )


def author(raw: Any) -> Author:
    """The author form of a user, as it stands in posts and articles."""
    return _author(raw)


def _author(raw: Any) -> Author:
    if type(raw) is not dict:
        return NO_AUTHOR
    get = raw.get
    return Author(
        id=one_line(get("id"), 100),
        handle=_handle(get("userName")) or _handle(get("screen_name")) or _handle(get("username")),
        name=field(get("name"), 200),
        followers=number(get("followers")),
        following=number(get("following")),
        posts=number(get("statusesCount")),
        media=number(get("mediaCount")),
    )


def _handle(raw: Any) -> Line | None:
    return handle_line(raw)[0] or None if type(raw) is str and raw else None


def _expansions(entities: Any) -> tuple[Expansion, ...]:
    if type(entities) is not dict:
        return ()
    found: dict[str, Expansion] = {}
    for entry in as_list(entities.get("urls")):
        if type(entry) is not dict:
            continue
        short, target = entry.get("url"), links.link(entry.get("expanded_url"))
        if target is None or type(short) is not str or not _SHORT_LINK.fullmatch(short) or short in found:
            continue
        found[short] = Expansion(links.Link(short), target)
        if len(found) == MAX_EXPANSIONS:
            break
    return tuple(found.values())


def _expanded(text: str, expansions: tuple[Expansion, ...]) -> str:
    """The text with every whole ``t.co`` token replaced by the destination that the upstream gave for it."""
    if not expansions or "://t.co/" not in text:
        return text
    targets = {entry.short: entry.url for entry in expansions}
    tokens = _BLANKS.split(text)
    for at, token in enumerate(tokens):
        if "://t.co/" in token and (found := _SHORT_TOKEN.fullmatch(token)):
            before, short, after = found.groups()
            tokens[at] = f"{before}{targets.get(links.Link(short), short)}{after}"
    return "".join(tokens)


def _card(raw: Any) -> Card | None:
    """A link preview in any of its four forms: direct, under ``legacy``, opaque (absent), or with a binding map."""
    if type(raw) is not dict:
        return None
    card = raw["legacy"] if type(raw.get("legacy")) is dict else raw
    bindings = _bindings(card.get("binding_values"))
    found = Card(
        name=field(card.get("name"), 300),
        title=field(bindings.get("title"), 300),
        description=field(bindings.get("description"), 400),
        domain=field(bindings.get("domain"), 300),
        url=links.link(card.get("url")) or links.link(bindings.get("card_url")),
    )
    return found if any((found.name, found.title, found.description, found.domain, found.url)) else None


def _bindings(raw: Any) -> dict[str, Any]:
    if type(raw) is dict:
        pairs = list(raw.items())
    else:
        rows = [row for row in as_list(raw) if type(row) is dict and type(row.get("key")) is str]
        pairs = [(row["key"], row.get("value")) for row in rows]
    return {key: as_dict(value).get("string_value") for key, value in pairs}


def article_preview(raw: Any) -> ArticlePreview | None:
    """The preview of an article on a post: three strings, never a body."""
    if type(raw) is not dict:
        return None
    found = ArticlePreview(
        title=field(raw.get("title"), 300),
        preview=field(raw.get("preview_text"), 500),
        cover_url=links.link(raw.get("cover_media_img_url")),
    )
    return found if found.title or found.preview or found.cover_url else None


def _media(raw: dict[str, Any]) -> tuple[Media, ...]:
    extended = raw.get("extendedEntities")
    if type(extended) is not dict:
        extended = raw.get("extended_entities")
    rows = as_list(as_dict(extended).get("media"))
    found = tuple(media for row in rows if (media := _medium(row)) is not None)
    if found:
        return found
    rows = as_list(as_dict(raw.get("entities")).get("media"))
    return tuple(media for row in rows if (media := _medium(row)) is not None)


def _medium(raw: Any) -> Media | None:
    if type(raw) is not dict:
        return None
    info = as_dict(raw.get("video_info"))
    variants = []
    for row in as_list(info.get("variants")):
        if type(row) is not dict or row.get("content_type") != "video/mp4":
            continue
        url = links.link(row.get("url"))
        if url is not None:
            variants.append(Variant(url, number(row.get("bitrate"))))
    variants.sort(key=lambda variant: variant.bitrate or 0)
    url = links.link(raw.get("media_url_https")) or links.link(raw.get("media_url"))
    if url is None and not variants:
        return None
    media_id = raw.get("id_str")
    return Media(
        kind=one_line(raw.get("type"), 100),
        id=line(media_id, 20) if type(media_id) is str and _MEDIA_ID.fullmatch(media_id) else None,
        url=url,
        alt=field(raw.get("ext_alt_text"), 400),
        duration_ms=number(info.get("duration_millis")),
        variants=tuple(variants),
    )


def _without_mirrored_alt(media: tuple[Media, ...], *originals: Post | None) -> tuple[Media, ...]:
    """The wrapper's media; a copy of an original's asset loses its accessibility text, which is the original's."""
    owned: set[tuple[object, ...]] = set()
    for original in originals:
        for asset in original.media if original else ():
            owned |= asset.asset_keys
    if not owned:
        return media
    return tuple(replace(asset, alt=None) if asset.asset_keys & owned else asset for asset in media)
