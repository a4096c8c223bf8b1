"""The invented world: the town of Marrowick, its new tram line, and the people who talk about it.

Built once, on first use, from the text files beside this module, with fixed dates and a fixed seed. Counters
agree with what the listings return: a post has as many replies, quotes and reposts as can be read, and an
account as many followers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Final

from .builder import Builder
from .clock import WORLD_NOW, code
from .crowd import add_crowd, add_people, connect
from .documents import Place
from .places import places
from .records import Account, Media, Post, Space
from .scenes import Scenes, play
from .talk import add_talk

__all__ = ["WORLD_NOW", "World", "build_world"]

LIST_MEMBERS: Final = (
    "tramwatch",
    "sallowtram",
    "idapetrel",
    "celiaboone",
    "marrowpost",
    "anwenpike",
    "lorcanbay",
    "dougalmire",
)
COMMUNITY_TOPICS: Final = ("repair", "press")


@dataclass(slots=True, kw_only=True, repr=False)
class World:
    """Everything there is, with the lookups that the endpoints need. Posts are newest first."""

    accounts: list[Account]
    posts: list[Post]
    spaces: dict[str, Space]
    places: dict[int, Place]
    media_paths: dict[str, str]
    scenes: Scenes
    _handles: dict[str, Account]
    _ids: dict[str, Account]
    _posts: dict[int, Post]
    _listed: dict[str, list[Post]]
    _gone_quotes: dict[int, list[Post]]
    _mentioned: dict[int, list[Post]] = field(default_factory=dict)

    def account(self, handle: str) -> Account | None:
        """An account by its handle, in any case."""
        return self._handles.get(handle.lower())

    def account_by_id(self, number: str) -> Account | None:
        return self._ids.get(number)

    def post(self, number: int) -> Post | None:
        """A post that can be read; those of protected and suspended accounts cannot."""
        return self._posts.get(number)

    def below(self, post: Post) -> list[Post]:
        """All replies to a post and to its replies, oldest first."""
        found: list[Post] = []
        waiting = list(post.replies)
        while waiting:
            reply = waiting.pop()
            found.append(reply)
            waiting += reply.replies
        return sorted(found, key=lambda reply: reply.id)

    def quotes_of(self, number: int) -> list[Post]:
        """The posts that quote a post, also of one that is gone."""
        post = self.post(number)
        return post.quotes if post else self._gone_quotes.get(number, [])

    def mentions_of(self, account: Account) -> list[Post]:
        """The posts of others that name an account; reposts are not among them."""
        return self._mentioned.get(account.id, [])

    def community(self, number: str) -> list[Post]:
        return self._listed.get(f"community {number}", [])

    def list_timeline(self, number: str) -> list[Post]:
        return self._listed.get(f"list {number}", [])


@cache
def build_world() -> World:
    """The world; every call gives the same one."""
    builder = Builder()
    rich = add_people(builder)
    crowd = add_crowd(builder)
    connect(rich, crowd)
    scenes = play(builder)
    add_talk(builder, rich, crowd, scenes)
    return _gather(builder, scenes)


def _gather(builder: Builder, scenes: Scenes) -> World:
    everybody = list(builder.accounts.values())
    builder.posts.sort(key=lambda post: -post.id)
    visible = [post for post in builder.posts if post.visible]
    gone: dict[int, list[Post]] = {}
    mentioned: dict[int, list[Post]] = {}
    for post in builder.posts:
        post.author.posts.append(post)
    for post in visible:
        if post.reply_to is not None:
            post.reply_to.replies.append(post)
        if post.quoted is not None:
            post.quoted.quotes.append(post)
        if post.quoted_gone is not None:
            gone.setdefault(post.quoted_gone, []).append(post)
        if post.repost_of is not None:
            post.repost_of.reposts.append(post)
            continue
        for account in dict.fromkeys(post.mentions):
            if account is not post.author:
                mentioned.setdefault(account.id, []).append(post)
    members = {f"{handle}_sbx" for handle in LIST_MEMBERS}
    listed = {
        f"list {scenes.list_id}": [post for post in visible if post.author.handle in members],
        f"community {scenes.community_id}": [
            post
            for post in visible
            if post.topic in COMMUNITY_TOPICS and post.reply_to is None and post.repost_of is None
        ],
    }
    return World(
        accounts=[account for account in everybody if account.state in ("open", "protected")],
        posts=visible,
        spaces={space.id: space for space in scenes.spaces},
        places=places(),
        media_paths=_media_paths(visible),
        scenes=scenes,
        _handles=builder.accounts,
        _ids={str(account.id): account for account in everybody},
        _posts={post.id: post for post in visible},
        _listed=listed,
        _gone_quotes=gone,
        _mentioned=mentioned,
    )


def _media_paths(posts: list[Post]) -> dict[str, str]:
    """Which file is behind which path of the media hosts."""
    paths: dict[str, str] = {}
    for post in posts:
        for media in post.media:
            _add_paths(paths, media)
        if post.article is not None:
            _add_paths(paths, post.article.cover)
            for media in post.article.media:
                _add_paths(paths, media)
    return paths


def _add_paths(paths: dict[str, str], media: Media) -> None:
    still = media.asset.replace(".mp4", ".jpg")
    if media.kind == "photo":
        paths[f"/media/{media.key}.{media.asset.rsplit('.', 1)[-1]}"] = media.asset
        # The other spelling of a picture's address: /media/KEY?format=jpg&name=large
        paths[f"/media/{media.key}"] = media.asset
    elif media.kind == "animated_gif":
        paths[f"/tweet_video/{media.key}.mp4"] = media.asset
        paths[f"/tweet_video_thumb/{media.key}.jpg"] = still
    else:
        paths[f"/ext_tw_video_thumb/{media.id}/pu/img/{media.key}.jpg"] = still
        for size in ("480x270", "640x360", "1280x720"):
            name = code(15, media.key, size)
            paths[f"/ext_tw_video/{media.id}/pu/vid/avc1/{size}/{name}.mp4"] = media.asset
