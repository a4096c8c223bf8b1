"""The invented world: always the same, consistent with itself, and of every shape that matters."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from importlib.resources import files

import pytest

import twitter_tool.sandbox
from twitter_tool.sandbox.accounts import about_form, profile_form
from twitter_tool.sandbox.clock import NOW, Dice, snowflake_seconds
from twitter_tool.sandbox.documents import article_form, space_form, trend_rows
from twitter_tool.sandbox.wire import post_form
from twitter_tool.sandbox.world import build_world

PINNED = "d5e2ada8cb1a089e89ba9538c538f1fbbf292137c40c1180093bb7037052f0ce"
DICE = [487, 804, 346, 203, 674]


def canonical():
    """Everything the world can send, as one JSON text."""
    world = build_world()
    data = {
        "posts": [post_form(post) for post in world.posts],
        "accounts": [profile_form(account) for account in world.accounts],
        "about": [about_form(account) for account in world.accounts],
        "followers": {account.handle: [other.handle for other in account.followers] for account in world.accounts},
        "followings": {account.handle: [other.handle for other in account.followings] for account in world.accounts},
        "articles": [article_form(post) for post in world.posts if post.article],
        "spaces": [space_form(space) for space in world.spaces.values()],
        "trends": {woeid: trend_rows(place) for woeid, place in world.places.items()},
        "media": world.media_paths,
    }
    return json.dumps(data, ensure_ascii=False, sort_keys=True)


@pytest.fixture(scope="module")
def world():
    return build_world()


def test_the_world_is_the_same_bytes_each_time():
    """Everything it can send has one fixed digest, so that a change is always on purpose."""
    assert hashlib.sha256(canonical().encode()).hexdigest() == PINNED


def test_the_dice_never_change():
    """A seed gives the same numbers on every version and machine."""
    dice = Dice(7)
    assert [dice.below(1000) for _ in range(5)] == DICE


def test_another_process_with_another_hash_seed_makes_the_same_world():
    """Nothing depends on the order of sets or on the hash of a text."""
    code = (
        "from twitter_tool.sandbox.world import build_world; w = build_world();"
        "print(sum(p.id for p in w.posts), sum(p.likes * p.id for p in w.posts), sum(a.id for a in w.accounts))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_importing_the_package_is_cheap_and_builds_nothing():
    """An import builds no world and loads no server, client or validation library."""
    code = (
        "import sys, twitter_tool.sandbox as s; from twitter_tool.sandbox.world import build_world as b;"
        "print(b.cache_info().currsize, 'uvicorn' in sys.modules, 'httpx' in sys.modules, 'pydantic' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert result.stdout.split() == ["0", "False", "False", "False"]


def test_there_are_enough_accounts_and_posts(world):
    """At least forty people with a character, a crowd to follow them, and many pages of posts."""
    rich = [account for account in world.accounts if not account.crowd]
    assert len(rich) >= 40
    assert len(world.accounts) - len(rich) >= 260
    assert len(world.posts) >= 1_500


def test_every_handle_is_plainly_invented(world):
    """All handles have the ending that marks them, and are found by name in any case and by id."""
    for account in world.accounts:
        assert re.fullmatch(r"[A-Za-z0-9_]{1,11}_sbx", account.handle)
        assert world.account(account.handle.upper()) is account
        assert world.account_by_id(str(account.id)) is account


def test_ids_are_unique_and_agree_with_the_dates(world):
    """The time inside an id is the time of the post, or the day the account was made."""
    everything = [*world.posts, *world.accounts]
    assert len({item.id for item in everything}) == len(everything)
    assert all(snowflake_seconds(post.id) == post.at for post in world.posts)
    assert all(snowflake_seconds(account.id) == account.joined for account in world.accounts)


def test_nothing_happens_after_now_nor_before_its_cause(world):
    """Posts are younger than their authors and than what they answer, quote or repeat."""
    for post in world.posts:
        assert post.author.joined < post.at <= NOW
        for earlier in (post.reply_to, post.quoted, post.repost_of):
            assert earlier is None or earlier.at < post.at or earlier.id < post.id


def test_counters_agree_with_what_the_listings_return(world):
    """Replies, quotes and reposts are counted from the posts there are, and following goes both ways."""
    replies = Counter(post.reply_to.id for post in world.posts if post.reply_to)
    quotes = Counter(post.quoted.id for post in world.posts if post.quoted)
    reposts = Counter(post.repost_of.id for post in world.posts if post.repost_of)
    for post in world.posts:
        if post.repost_of is None:
            sent = post_form(post)
            numbers = (sent["replyCount"], sent["quoteCount"], sent["retweetCount"])
            assert numbers == (replies[post.id], quotes[post.id], reposts[post.id])
    for account in world.accounts:
        assert all(account in other.followers for other in account.followings)
        assert len(set(account.followers)) == len(account.followers)


def test_posts_vary(world):
    """No two original posts have the same text, and no template shows through."""
    texts = Counter(
        post.text for post in world.posts if post.reply_to is None and not post.repost_of and not post.quoted
    )
    assert max(texts.values()) == 1
    assert not [post for post in world.posts if "{" in post.text or "}" in post.text]


def test_posts_come_in_several_languages(world):
    """Besides English there are at least three others with many posts each, and posts without words."""
    languages = Counter(post.lang for post in world.posts)
    assert {"en", "es", "ja", "ar", "qme"} <= set(languages)
    assert min(languages[code] for code in ("es", "ja", "ar")) > 30


def test_every_shape_of_post_occurs(world):
    """Each kind of media, card, author, length, nesting and account state has an example."""
    kinds = {media.kind for post in world.posts for media in post.media}
    assert kinds == {"photo", "animated_gif", "video"}
    assert any(media.alt for post in world.posts for media in post.media)
    assert {post.card.form for post in world.posts if post.card} == {"plain", "opaque", "map"}
    assert {post.author_form for post in world.posts} == {"full", "missing", "null"}
    assert sum(len(post.text) > 700 for post in world.posts) >= 4
    assert any(post.quoted and post.quoted.quoted and post.quoted.quoted.quoted for post in world.posts)
    assert any(post.reply_to and post.reply_to.reply_to and post.reply_to.reply_to.reply_to for post in world.posts)
    assert any(post.views is None for post in world.posts)
    assert {state for account in world._handles.values() for state in [account.state]} == {
        "open",
        "protected",
        "suspended",
        "unavailable",
    }


def test_a_protected_account_has_posts_that_nobody_can_read(world):
    """They exist, and their ids lead to nothing."""
    hidden = world.account("quietfen_sbx").posts
    assert hidden
    assert all(world.post(post.id) is None for post in hidden)


def test_an_article_has_every_kind_of_block(world):
    """The sample article has each known kind, and one that is unknown."""
    blocks = {block["type"] for block in world.scenes.article.article.blocks}
    known = {
        "unstyled",
        "header-one",
        "header-two",
        "header-three",
        "blockquote",
        "unordered-list-item",
        "ordered-list-item",
        "markdown",
        "divider",
        "image",
        "gif",
        "video/mp4",
    }
    assert known < blocks
    assert len(blocks - known) == 1


def test_style_offsets_count_utf16_units(world):
    """Behind an emoji the marked words are only right when it counts as two."""
    block = next(block for block in world.scenes.article.article.blocks if "🚋" in block.get("text", ""))
    mark = block["inlineStyleRanges"][0]
    units = block["text"].encode("utf-16-le")
    marked = units[mark["offset"] * 2 : (mark["offset"] + mark["length"]) * 2].decode("utf-16-le")
    assert marked == "Then the rails were greased"


def test_the_package_stays_small():
    """Pictures, clips and data together are less than two megabytes."""
    root = files(twitter_tool.sandbox)
    data = [path for name in ("assets", "data") for path in root.joinpath(name).iterdir()]
    assert sum(len(path.read_bytes()) for path in data) < 2_000_000
