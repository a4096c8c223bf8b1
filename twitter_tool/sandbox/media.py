"""The pictures and clips of the invented world, at the addresses of the real media hosts."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Final

from .answers import Answer, json_answer
from .world import World

_PREFIXES: Final = (
    "/media/",
    "/ext_tw_video/",
    "/ext_tw_video_thumb/",
    "/tweet_video/",
    "/tweet_video_thumb/",
    "/amplify_video/",
    "/amplify_video_thumb/",
    "/profile_images/",
    "/profile_banners/",
)
_TYPES: Final = {"png": "image/png", "jpg": "image/jpeg", "mp4": "video/mp4"}


def is_media_path(path: str) -> bool:
    """Whether a path belongs to one of the media hosts."""
    return path.startswith(_PREFIXES)


@lru_cache(maxsize=16)
def asset(name: str) -> bytes:
    """The bytes of one of the files beside this module."""
    return files(__package__).joinpath("assets", name).read_bytes()


def media_answer(world: World, method: str, path: str) -> Answer:
    """The bytes behind a media path; playlists and unknown paths are not there."""
    name = _asset_name(world, path)
    if name is None:
        return json_answer(404, {"detail": "Not Found"})
    if method not in ("GET", "HEAD"):
        return json_answer(405, {"detail": "Method Not Allowed"})
    kind = _TYPES[name.rsplit(".", 1)[-1]]
    return Answer(body=asset(name), content_type=kind, headers={"accept-ranges": "none"})


def _asset_name(world: World, path: str) -> str | None:
    if path.startswith("/profile_images/"):
        return "avatar.jpg"
    if path.startswith("/profile_banners/"):
        return "skyline.jpg"
    if path.endswith(".m3u8"):
        return None
    return world.media_paths.get(path)
