"""What to try first: ids and handles of the invented world."""

from __future__ import annotations

from .world import build_world


def hints() -> list[tuple[str, str]]:
    """Examples to start from, as pairs of what it is and its id or handle.

    Ids of posts are what `tweetId` and `tweet_ids` take, handles come without `@`.
    """
    world = build_world()
    scenes = world.scenes
    return [
        ("search: what people say about the tram line", '"tram line" -filter:replies'),
        ("search: posts of one account", "from:tramwatch_sbx"),
        ("account search: one keyword", "tram"),
        ("post with a thread", str(scenes.thread.id)),
        ("post with many replies", str(scenes.discussed.id)),
        ("post with quotes", str(scenes.quoted.id)),
        ("post with reposts", str(scenes.thread.id)),
        ("quote of a quote", str(scenes.quote_of_quote.id)),
        ("quote of a deleted post", str(scenes.quote_of_gone.id)),
        ("repost with a cut text", str(scenes.repost.id)),
        ("post with video and speech", str(scenes.video.id)),
        ("post with a GIF", str(scenes.gif.id)),
        ("post with photos and alt text", str(scenes.photo.id)),
        ("post with a poll", str(scenes.poll.id)),
        ("post with a link card", str(scenes.card.id)),
        ("post over 700 characters", str(scenes.long_post.id)),
        ("post with an article", str(scenes.article.id)),
        ("another post with an article", str(scenes.second_article.id)),
        ("post from 2019", str(scenes.old.id)),
        ("deleted post", str(scenes.gone_id)),
        ("account with many posts about the tram line", "tramwatch_sbx"),
        ("account with many followers", "sallowtram_sbx"),
        ("account with a pinned post", "marrowpost_sbx"),
        ("account that is mentioned often", "sallowtram_sbx"),
        ("silent account", scenes.silent),
        ("protected account", "quietfen_sbx"),
        ("suspended account", "cheapseats_sbx"),
        ("unavailable account", "mothlamp_sbx"),
        ("unknown account", "nobody_sbx"),
        ("account id", str(scenes.thread.author.id)),
        ("list", scenes.list_id),
        ("community", scenes.community_id),
        ("Space that has ended", scenes.spaces[0].id),
        ("Space that is scheduled", scenes.spaces[1].id),
        ("unknown Space", "1SbxNoSuchRoo"),
        ("woeid: worldwide", "1"),
        ("woeid: Japan", "23424856"),
    ]
