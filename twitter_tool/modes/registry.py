"""The modes there are, in the order people see them. There is no second list."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twitter_tool.modes import accounts, around_post, places, search
from twitter_tool.modes.base import Mode

_ALL: Final = (
    search.POSTS,
    search.USERS,
    around_post.THREAD,
    accounts.USER,
    search.TRENDS,
    around_post.REPLIES,
    around_post.QUOTES,
    accounts.MENTIONS,
    accounts.FOLLOWERS,
    accounts.FOLLOWINGS,
    accounts.PROFILE,
    accounts.ABOUT,
    places.TWEETS,
    around_post.RETWEETERS,
    places.COMMUNITY,
    places.LIST,
    places.SPACE,
    places.ARTICLE,
)
MODES: Final[Mapping[str, Mode]] = MappingProxyType({mode.name: mode for mode in _ALL})
DEFAULT_MODE: Final = search.POSTS.name
