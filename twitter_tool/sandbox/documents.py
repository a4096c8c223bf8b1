"""Articles, Spaces and trends in the upstream's wire shape."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from .accounts import author_form, profile_form
from .clock import digest, legacy_date
from .records import Post, Space
from .wire import Json, media_poster


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place with trends, most talked about first."""

    woeid: int
    name: str
    trends: tuple[str, ...]


def trend_rows(place: Place) -> list[Json]:
    """Rows nested once more under `trend`; `meta_description` is missing, inside, or beside it, and a rank may
    be missing (all observed live)."""
    rows: list[Json] = []
    for number, name in enumerate(place.trends, 1):
        query = name if name.startswith("#") or " " not in name else f'"{name}"'
        trend: Json = {"name": name, "target": {"query": query}, "rank": number}
        row: Json = {"trend": trend}
        volume = 48_200 // number + digest("volume", place.woeid, name) % 90
        form = digest("trend", name) % 4
        if form in (0, 1):
            trend["meta_description"] = f"{volume / 1000:.1f}K posts" if volume > 9999 else f"{volume:,} posts"
        elif form == 2:
            row["meta_description"] = f"{volume:,} posts"
        if number % 19 == 0:
            trend.pop("rank")
        rows.append(row)
    return rows


def article_form(post: Post) -> Json:
    """The article of a post: a flat list of blocks, `viewCount` a string (observed live)."""
    article = post.article
    if article is None:
        raise ValueError(f"post {post.id} carries no article")
    return {
        "author": author_form(post.author),
        "replyCount": len(post.replies),
        "likeCount": post.likes,
        "quoteCount": len(post.quotes),
        "viewCount": str(post.views),
        "createdAt": legacy_date(post.at),
        "title": article.title,
        "preview_text": article.preview,
        "cover_media_img_url": media_poster(article.cover),
        "contents": [dict(block) for block in article.blocks],
    }


_SETTINGS: Final[Json] = {
    "conversation_controls": 0,
    "disallow_join": False,
    "is_employee_only": False,
    "is_locked": False,
    "is_muted": False,
    "is_space_available_for_clipping": True,
    "is_space_available_for_replay": True,
    "no_incognito": False,
    "narrow_cast_space_type": 0,
    "max_guest_sessions": 10,
    "max_admin_capacity": 2,
}


def space_form(space: Space) -> Json:
    """A Space (documented by the vendor; time formats and state words were never seen live)."""
    host = profile_form(space.host, short=True)
    admin = host | {
        "participant_info": {
            "periscope_user_id": f"1Sbx{digest('periscope', space.host.id) % 10**9}",
            "start_time": _moment(space, space.created + 4),
            "is_muted_by_admin": False,
            "is_muted_by_guest": True,
        }
    }
    started = space.state != "NotStarted"
    return {
        "id": space.id,
        "title": space.title,
        "state": space.state,
        "created_at": _moment(space, space.created),
        "scheduled_start": _moment(space, space.scheduled),
        "updated_at": None if space.epoch else _moment(space, space.updated),
        "media_key": f"28_{space.media_id}" if started else None,
        "is_subscribed": False,
        "settings": dict(_SETTINGS),
        "stats": {
            "total_replay_watched": space.replays,
            "total_live_listeners": space.live,
            "total_participants": space.live + len(space.speakers) + 1 if started else 0,
        },
        "creator": host,
        "participants": {
            "admins": [admin] if started else [],
            "speakers": [
                {"id": str(account.id), "name": account.name, "userName": account.handle} for account in space.speakers
            ],
            "listeners": [{"id": str(account.id), "name": account.name} for account in space.listeners],
        },
    }


def _moment(space: Space, at: int) -> str:
    return str(at * 1000) if space.epoch else f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%S}Z"
