"""Posts in the upstream's wire shape.

Key sets and typings were observed live unless a docstring says otherwise; poll cards follow X's own
convention, which nobody has confirmed on this API.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from .accounts import author_form
from .clock import code, iso_date, legacy_date
from .records import Card, Media, Poll, Post

Json = dict[str, Any]
CardStyle = Literal["direct", "wrapped"]

_TAG = re.compile(r"(?<![\w&])#(\w*[^\W\d]\w*)")
_TICKER = re.compile(r"(?<![\w$])\$([A-Z]{1,6})\b")
_MENTION = re.compile(r"(?<![\w@])@([A-Za-z0-9_]{1,15})\b")
_LEADING_MENTIONS = re.compile(r"(?:@[A-Za-z0-9_]{1,15}\s+)+")
_REPOST_CUT = 140
_SIDES = {"photo": "photo", "animated_gif": "video", "video": "video"}
_VARIANTS = ((256_000, "480x270"), (832_000, "640x360"), (2_176_000, "1280x720"))


def repost_text(post: Post) -> str:
    """`RT @handle: ` and the original's text, cut near 140 characters (observed live)."""
    whole = f"RT @{post.author.handle}: {post.text}"
    return whole if len(whole) <= _REPOST_CUT else whole[: _REPOST_CUT - 1].rstrip() + "…"


def post_form(post: Post, *, cards: CardStyle = "direct", article: bool = True, depth: int = 3) -> Json:
    """A Tweet object.

    Args:
        post: The post.
        cards: `direct` as on search and timelines, `wrapped` as on `/twitter/tweets`.
        article: Whether the `article` key is sent; `/twitter/tweets` and thread_context omit it.
        depth: How many levels of quoted and reposted posts are nested.
    """
    original = post.repost_of or post
    parent = post.reply_to
    body: Json = {
        "type": "tweet",
        "id": str(post.id),
        "url": f"https://x.com/{post.author.handle}/status/{post.id}",
        "twitterUrl": f"https://twitter.com/{post.author.handle}/status/{post.id}",
        "text": post.text,
        "source": post.source,
        "retweetCount": len(original.reposts),
        "replyCount": len(original.replies),
        "likeCount": original.likes,
        "quoteCount": len(original.quotes),
        "viewCount": original.views,
        "createdAt": legacy_date(post.at),
        "lang": post.lang,
        "bookmarkCount": original.bookmarks,
        "isReply": parent is not None,
        "inReplyToId": str(parent.id) if parent else None,
        "conversationId": str(post.root.id),
        "displayTextRange": _display_range(post),
        "inReplyToUserId": str(parent.author.id) if parent else None,
        "inReplyToUsername": parent.author.handle if parent else None,
    }
    if post.author_form != "missing":
        body["author"] = author_form(post.author) if post.author_form == "full" else None
    body["extendedEntities"] = {"media": [_media(item, post) for item in post.media]} if post.media else {}
    body["card"] = _card(post, cards)
    body["place"] = {}
    body["entities"] = _entities(post)
    inner: dict[str, Any] = {"cards": cards, "article": article, "depth": depth - 1}
    body["quoted_tweet"] = None
    if post.quoted_gone is not None:
        body["quoted_tweet"] = {
            "type": "tweet",
            "id": str(post.quoted_gone),
            "text": "",
            "quoted_tweet": None,
            "retweeted_tweet": None,
        }
    elif post.quoted is not None and depth > 0:
        body["quoted_tweet"] = post_form(post.quoted, **inner)
    body["retweeted_tweet"] = None
    if post.repost_of is not None and depth > 0:
        body["retweeted_tweet"] = post_form(post.repost_of, **inner)
    body["isLimitedReply"] = post.limited
    body["communityInfo"] = None
    if article:
        body["article"] = _article_preview(post)
    return body


def _display_range(post: Post) -> list[int]:
    start = 0
    if post.reply_to is not None:
        leading = _LEADING_MENTIONS.match(post.text)
        start = leading.end() if leading else 0
    end = len(post.text)
    if post.media and post.text.endswith(post.media[0].short):
        end = max(start, end - len(post.media[0].short) - 1)
    return [start, end]


def _entities(post: Post) -> Json:
    text = post.text
    found: Json = {}
    tags = [{"indices": [*match.span()], "text": match[1]} for match in _TAG.finditer(text)]
    if tags:
        found["hashtags"] = tags
    symbols = [{"indices": [*match.span()], "text": match[1]} for match in _TICKER.finditer(text)]
    if symbols:
        found["symbols"] = symbols
    urls = []
    for link in post.links:
        at = text.find(link.short)
        if at >= 0:
            urls.append(
                {
                    "display_url": link.display,
                    "expanded_url": link.expanded,
                    "indices": [at, at + len(link.short)],
                    "url": link.short,
                }
            )
    if urls:
        found["urls"] = urls
    known = {account.handle.lower(): account for account in post.mentions}
    mentions = []
    for match in _MENTION.finditer(text):
        account = known.get(match[1].lower())
        if account is not None:
            mentions.append(
                {
                    "id_str": str(account.id),
                    "indices": [*match.span()],
                    "name": account.name,
                    "screen_name": account.handle,
                }
            )
    if mentions:
        found["user_mentions"] = mentions
    return found


def media_poster(media: Media) -> str:
    """The picture address of a photo, or the poster frame of a clip."""
    suffix = media.asset.rsplit(".", 1)[-1]
    if media.kind == "photo":
        return f"https://pbs.twimg.com/media/{media.key}.{suffix}"
    if media.kind == "animated_gif":
        return f"https://pbs.twimg.com/tweet_video_thumb/{media.key}.jpg"
    return f"https://pbs.twimg.com/ext_tw_video_thumb/{media.id}/pu/img/{media.key}.jpg"


def _video_info(media: Media) -> Json:
    if media.kind == "animated_gif":
        url = f"https://video.twimg.com/tweet_video/{media.key}.mp4"
        return {
            "aspect_ratio": [16, 9],
            "variants": [{"bitrate": 0, "content_type": "video/mp4", "url": url}],
        }
    base = f"https://video.twimg.com/ext_tw_video/{media.id}/pu"
    variants: list[Json] = [{"content_type": "application/x-mpegURL", "url": f"{base}/pl/{media.key}.m3u8?tag=12"}]
    for bitrate, size in _VARIANTS:
        name = code(15, media.key, size)
        url = f"{base}/vid/avc1/{size}/{name}.mp4?tag=12"
        variants.append({"bitrate": bitrate, "content_type": "video/mp4", "url": url})
    return {"aspect_ratio": [16, 9], "duration_millis": media.millis, "variants": variants}


def _media(media: Media, post: Post) -> Json:
    at = post.text.find(media.short)
    page = f"https://x.com/{post.author.handle}/status/{post.id}/{_SIDES[media.kind]}/1"
    prefix = {"photo": "3", "animated_gif": "16", "video": "7"}[media.kind]
    key = f"{prefix}_{media.id}"
    body: Json = {
        "display_url": "pic.x.com/" + media.short.rsplit("/", 1)[-1],
        "expanded_url": page,
        "id_str": str(media.id),
        "indices": [max(at, 0), max(at, 0) + len(media.short)],
        "media_key": key,
        "media_url_https": media_poster(media),
        "type": media.kind,
        "url": media.short,
        "ext_media_availability": {"status": "Available"},
        "sizes": {"large": {"h": media.height, "w": media.width}},
        "original_info": {"focus_rects": [], "height": media.height, "width": media.width},
        "media_results": {
            "id": "QXBpTWVkaWFSZXN1bHRz" + code(14, "results", media.id),
            "result": {
                "__typename": "ApiMedia",
                "id": "QXBpTWVkaWE6" + code(13, "media", media.id),
                "media_key": key,
            },
        },
    }
    if media.kind == "photo":
        body["features"] = {"large": {"faces": []}, "orig": {"faces": []}}
        body["allow_download_status"] = {"allow_download": True}
        if media.alt is not None:
            body["ext_alt_text"] = media.alt
        return body
    if media.alt is not None:
        body["ext_alt_text"] = media.alt
    if media.kind == "video":
        body["additional_media_info"] = {"monetizable": False}
    body["video_info"] = _video_info(media)
    return body


def _card(post: Post, style: CardStyle) -> Json | None:
    if post.poll is not None:
        inner = _poll_card(post.poll)
        return inner if style == "direct" else {"rest_id": inner["url"], "legacy": inner}
    card = post.card
    if card is None:
        return None
    if card.form == "map":
        return {
            "name": card.name,
            "url": card.link.short,
            "binding_values": {
                "title": {"string_value": card.title},
                "description": {"string_value": card.description},
                "domain": {"string_value": card.domain},
            },
        }
    if style == "direct":
        return _link_card(card)
    if card.form == "opaque":
        return {"rest_id": card.link.short}
    return {"rest_id": card.link.short, "legacy": _link_card(card)}


def _link_card(card: Card) -> Json:
    url = {"key": "card_url", "value": {"scribe_key": "card_url", "string_value": card.link.short}}
    values = [
        {"key": "description", "value": {"string_value": card.description}},
        {"key": "domain", "value": {"string_value": card.domain}},
        {"key": "title", "value": {"string_value": card.title}},
        url,
    ]
    return {"binding_values": values, "name": card.name, "url": card.link.short}


def _poll_card(poll: Poll) -> Json:
    def text(key: str, value: str) -> Json:
        return {"key": key, "value": {"string_value": value, "type": "STRING"}}

    values: list[Json] = []
    for number, (label, count) in enumerate(poll.choices, 1):
        values += [text(f"choice{number}_label", label), text(f"choice{number}_count", str(count))]
    moment = iso_date(poll.ends).replace(".000000Z", "Z")
    values += [
        text("end_datetime_utc", moment),
        text("last_updated_datetime_utc", moment),
        {"key": "counts_are_final", "value": {"boolean_value": poll.final, "type": "BOOLEAN"}},
        text("duration_minutes", str(poll.minutes)),
        text("api", "capi://passthrough/1"),
    ]
    name = f"poll{len(poll.choices)}choice_text_only"
    return {"binding_values": values, "name": name, "url": f"card://{poll.number}"}


def _article_preview(post: Post) -> Json | None:
    article = post.article
    if article is None:
        return None
    return {
        "title": article.title,
        "preview_text": article.preview,
        "cover_media_img_url": media_poster(article.cover),
    }


def card_name(post: Post) -> str | None:
    """The name of the card a post carries, as `card_name:` asks for it."""
    if post.poll is not None:
        return f"poll{len(post.poll.choices)}choice_text_only"
    return post.card.name if post.card else None
