"""The objects inside the envelopes: posts, accounts, articles, Spaces, trends."""

from __future__ import annotations

import pytest

SEARCH = "/twitter/tweet/advanced_search"
TWEETS = "/twitter/tweets"

POST_KEYS = {
    "type", "id", "url", "twitterUrl", "text", "source", "retweetCount", "replyCount", "likeCount", "quoteCount",
    "viewCount", "createdAt", "lang", "bookmarkCount", "isReply", "inReplyToId", "conversationId", "displayTextRange",
    "inReplyToUserId", "inReplyToUsername", "author", "extendedEntities", "card", "place", "entities", "quoted_tweet",
    "retweeted_tweet", "isLimitedReply", "communityInfo",
}  # fmt: skip
AUTHOR_KEYS = {
    "type", "userName", "url", "twitterUrl", "id", "name", "isVerified", "isBlueVerified", "verifiedType",
    "profilePicture", "coverPicture", "description", "location", "followers", "following", "status", "canDm",
    "canMediaTag", "createdAt", "entities", "fastFollowersCount", "favouritesCount", "hasCustomTimelines",
    "isTranslator", "mediaCount", "statusesCount", "withheldInCountries", "affiliatesHighlightedLabel",
    "possiblySensitive", "pinnedTweetIds", "profile_bio", "isAutomated", "automatedBy",
}  # fmt: skip
PROFILE_KEYS = {
    "id", "name", "userName", "location", "url", "description", "entities", "protected", "isVerified",
    "isBlueVerified", "verifiedType", "followers", "following", "favouritesCount", "statusesCount", "mediaCount",
    "createdAt", "coverPicture", "profilePicture", "canDm", "affiliatesHighlightedLabel", "isAutomated", "automatedBy",
    "pinnedTweetIds",
}  # fmt: skip
SNAKE_KEYS = {
    "id", "name", "screen_name", "location", "url", "description", "email", "protected", "verified",
    "followers_count", "following_count", "friends_count", "favourites_count", "statuses_count",
    "media_tweets_count", "created_at", "profile_banner_url", "profile_image_url_https", "can_dm",
}  # fmt: skip


async def one(api, hint, what):
    """The post of a hint as search sends it."""
    post = api.sandbox.world.post(int(hint[what]))
    body = await api.body(SEARCH, query=f"from:{post.author.handle} max_id:{post.id} include:nativeretweets")
    assert body["tweets"][0]["id"] == hint[what]
    return body["tweets"][0]


async def batch(api, hint, *what):
    body = await api.body(TWEETS, tweet_ids=",".join(hint[name] for name in what))
    return {row["id"]: row for row in body["tweets"]}


async def test_a_post_has_every_key_and_its_author_too(api, hint):
    """Posts and their authors have exactly the keys of live rows, with the bio in its second place."""
    row = await one(api, hint, "post with a thread")
    assert set(row) == POST_KEYS | {"article"}
    assert set(row["author"]) == AUTHOR_KEYS
    assert row["author"]["description"] == ""
    assert row["author"]["profile_bio"]["description"]
    assert row["url"] == f"https://x.com/tramwatch_sbx/status/{row['id']}"


async def test_ids_are_strings_and_counters_are_numbers(api, hint):
    """No id is a JSON number, which would lose digits, and every count is one."""
    row = await one(api, hint, "post with a thread")
    assert row["id"].isdigit()
    assert row["author"]["id"].isdigit()
    assert all(isinstance(row[key], int) for key in row if key.endswith("Count"))


async def test_posts_from_before_2023_have_no_view_count(api, hint):
    """Views were not counted then, so the value is null and not zero."""
    assert (await one(api, hint, "post from 2019"))["viewCount"] is None


async def test_the_article_key_is_missing_on_batches_and_threads_only(api, hint):
    """Search shows a preview of the article; those two endpoints never have the key."""
    article = await one(api, hint, "post with an article")
    assert set(article["article"]) == {"title", "preview_text", "cover_media_img_url"}
    assert "article" not in (await batch(api, hint, "post with an article"))[hint["post with an article"]]
    thread = await api.body("/twitter/tweet/thread_context", tweetId=hint["post with an article"])
    assert thread["tweets"]
    assert not any("article" in row for row in thread["tweets"])


async def test_a_link_card_is_direct_in_lists_and_wrapped_in_batches(api, hint):
    """The same card has another level around it when posts are looked up by id."""
    listed = await one(api, hint, "post with a link card")
    sent = (await batch(api, hint, "post with a link card"))[hint["post with a link card"]]["card"]
    assert isinstance(listed["card"]["binding_values"], list)
    assert sent["legacy"] == listed["card"]
    assert listed["card"]["url"] == listed["entities"]["urls"][0]["url"]


async def test_a_batch_also_has_an_opaque_card_and_one_with_an_object_map(api):
    """A card may be only an id, or have its values as an object instead of a list."""
    scenes = api.sandbox.world.scenes
    body = await api.body(TWEETS, tweet_ids=f"{scenes.opaque_card.id},{scenes.map_card.id}")
    cards = {row["id"]: row["card"] for row in body["tweets"]}
    assert set(cards[str(scenes.opaque_card.id)]) == {"rest_id"}
    assert isinstance(cards[str(scenes.map_card.id)]["binding_values"], dict)


async def test_a_poll_counts_in_strings(api, hint):
    """Labels and votes are string values of a card, and whether it is over is a boolean one."""
    card = (await one(api, hint, "post with a poll"))["card"]
    values = {item["key"]: item["value"] for item in card["binding_values"]}
    assert card["name"] == "poll4choice_text_only"
    assert values["choice1_label"]["string_value"] == "Glad Row"
    assert values["choice1_count"]["string_value"] == "418"
    assert values["counts_are_final"]["boolean_value"] is True


async def test_a_repost_has_a_cut_text_and_the_whole_original_inside(api, hint):
    """The outer text ends with an ellipsis; the complete text, the counts and the media are inside."""
    row = await one(api, hint, "repost with a cut text")
    original = row["retweeted_tweet"]
    assert row["text"].startswith("RT @tramwatch_sbx: ")
    assert row["text"].endswith("…")
    assert len(row["text"]) <= 140 < len(original["text"])
    assert row["likeCount"] == original["likeCount"]
    assert original["extendedEntities"]["media"]


async def test_a_quote_of_a_quote_is_nested(api, hint):
    """Quoted posts hold the posts they quote, three levels deep."""
    row = await one(api, hint, "quote of a quote")
    assert row["quoted_tweet"]["quoted_tweet"]["quoted_tweet"]["id"] == hint["post with video and speech"]


async def test_a_quote_of_a_deleted_post_has_a_stub(api, hint):
    """What was quoted is an id without text, and the post that quotes it can still be found."""
    row = await one(api, hint, "quote of a deleted post")
    stub = {"type": "tweet", "id": hint["deleted post"], "text": "", "quoted_tweet": None, "retweeted_tweet": None}
    assert row["quoted_tweet"] == stub
    found = await api.body("/twitter/tweet/quotes", tweetId=hint["deleted post"])
    assert [item["id"] for item in found["tweets"]] == [row["id"]]


async def test_an_author_can_be_missing_or_null(api, hint):
    """Among many replies one lacks the key, and another one has it with null."""
    rows = (await api.walk("/twitter/tweet/replies/v2", tweetId=hint["post with many replies"]))[:9]
    posts = {row["id"]: row for page in rows for row in page["tweets"]}
    scenes = api.sandbox.world.scenes
    assert "author" not in posts[str(scenes.authorless.id)]
    assert posts[str(scenes.null_author.id)]["author"] is None


async def test_entities_point_at_their_text(api):
    """The indices of tags, mentions, symbols, links and media cut exactly those words out of the text."""
    for query in ("#Line7", "@sallowtram_sbx", "$KLP", "filter:links"):
        for row in (await api.body(SEARCH, query=query))["tweets"]:
            text, entities = row["text"], row["entities"]
            for tag in entities.get("hashtags", []):
                assert text[slice(*tag["indices"])] == "#" + tag["text"]
            for mention in entities.get("user_mentions", []):
                assert text[slice(*mention["indices"])].lower() == "@" + mention["screen_name"].lower()
            for symbol in entities.get("symbols", []):
                assert text[slice(*symbol["indices"])] == "$" + symbol["text"]
            for url in entities.get("urls", []):
                assert text[slice(*url["indices"])] == url["url"]
            for media in row["extendedEntities"].get("media", []):
                assert text[slice(*media["indices"])] == media["url"]


async def test_a_reply_is_displayed_after_its_leading_mentions(api, hint):
    """The range to display begins behind the handles and goes to the end."""
    body = await api.body("/twitter/tweet/replies/v2", tweetId=hint["post with many replies"])
    reply = next(row for row in body["tweets"] if row["isReply"] and row["text"].startswith("@celiaboone_sbx "))
    start, end = reply["displayTextRange"]
    assert reply["text"][:start] == "@celiaboone_sbx "
    assert end == len(reply["text"])


async def test_a_video_has_three_mp4_variants_and_a_playlist(api, hint):
    """The playlist has no bitrate; a GIF has no duration."""
    media = (await one(api, hint, "post with video and speech"))["extendedEntities"]["media"][0]
    variants = media["video_info"]["variants"]
    assert [item.get("bitrate") for item in variants] == [None, 256000, 832000, 2176000]
    assert media["video_info"]["duration_millis"] == 8590
    assert media["ext_alt_text"]
    gif = (await one(api, hint, "post with a GIF"))["extendedEntities"]["media"][0]
    assert gif["type"] == "animated_gif"
    assert "duration_millis" not in gif["video_info"]


async def test_row_0_of_the_replies_is_the_post_itself_and_replies_to_replies_are_mixed_in(api, hint):
    """Whoever counts replies must leave out the first row, and direct ones are not marked."""
    number = hint["post with many replies"]
    pages = await api.walk("/twitter/tweet/replies/v2", tweetId=number, queryType="Latest")
    assert pages[0]["tweets"][0]["id"] == number
    rest = [row for page in pages for row in page["tweets"] if row["id"] != number]
    assert {row["inReplyToId"] == number for row in rest} == {True, False}
    assert {row["conversationId"] for row in rest} == {number}


@pytest.mark.parametrize("order", ["Relevance", "Latest", "Likes"])
async def test_replies_come_in_three_orders(api, hint, order):
    """Likes are sorted strictly, and the latest only roughly."""
    body = await api.body("/twitter/tweet/replies/v2", tweetId=hint["post with many replies"], queryType=order)
    rows = body["tweets"][1:]
    if order == "Likes":
        likes = [row["likeCount"] for row in rows]
        assert likes == sorted(likes, reverse=True)
    if order == "Latest":
        numbers = [int(row["id"]) for row in rows]
        # Only roughly newest first.
        assert numbers != sorted(numbers, reverse=True)
        assert numbers[0] > numbers[-1]


async def test_relevance_is_the_order_of_replies_when_none_is_asked_for(api, hint):
    """Leaving the order out gives the same rows as naming it."""
    number = hint["post with many replies"]
    asked = await api.body("/twitter/tweet/replies/v2", tweetId=number, queryType="Relevance")
    assert (await api.body("/twitter/tweet/replies/v2", tweetId=number))["tweets"] == asked["tweets"]


async def test_dated_replies_take_a_window_in_seconds_and_only_original_posts(api, hint):
    """The start belongs to the window and the end does not; a reply's own id has no replies there."""
    world = api.sandbox.world
    post = world.post(int(hint["post with many replies"]))
    cut = world.below(post)[10].at
    path = "/twitter/tweet/replies"
    later = await api.walk(path, tweetId=post.id, sinceTime=cut)
    earlier = await api.walk(path, tweetId=post.id, untilTime=cut)
    found = [{row["id"] for page in pages for row in page["tweets"]} for pages in (later, earlier)]
    assert not found[0] & found[1]
    assert found[0] | found[1] == {str(reply.id) for reply in world.below(post)}
    assert str(world.below(post)[10].id) in found[0]
    assert (await api.body(path, tweetId=world.below(post)[0].id))["tweets"] == []


async def test_a_thread_has_the_ancestors_the_post_and_the_replies_below(api, hint):
    """Asked from the middle, it reaches up to the root and down to the leaves."""
    world = api.sandbox.world
    middle = world.post(int(hint["post with a thread"])).replies[-1].replies[0]
    body = await api.body("/twitter/tweet/thread_context", tweetId=middle.id)
    ids = {row["id"] for row in body["tweets"]}
    assert {hint["post with a thread"], str(middle.id), str(middle.reply_to.id)} <= ids
    assert {str(reply.id) for reply in world.below(middle)} <= ids


async def test_quotes_can_leave_out_replies(api, hint):
    """All rows quote the post; on request those that are replies as well are left out."""
    everything = await api.body("/twitter/tweet/quotes", tweetId=hint["post with quotes"])
    assert all(row["quoted_tweet"]["id"] == hint["post with quotes"] for row in everything["tweets"])
    without = await api.body("/twitter/tweet/quotes", tweetId=hint["post with quotes"], includeReplies="false")
    assert not any(row["isReply"] for row in without["tweets"])


async def test_the_user_id_wins_over_the_handle_and_replies_are_optional(api, hint):
    """Given both, the id decides whose timeline it is, and replies come only when asked for."""
    path = "/twitter/user/last_tweets"
    body = await api.body(path, userId=hint["account id"], userName="sallowtram_sbx")
    assert {row["author"]["userName"] for row in body["data"]["tweets"]} == {"tramwatch_sbx"}
    assert not any(row["isReply"] for row in body["data"]["tweets"])
    more = await api.body(path, userId=hint["account id"], includeReplies="true")
    assert any(row["isReply"] for row in more["data"]["tweets"])


async def test_a_timeline_has_own_reposts_and_a_pin_on_its_first_page_only(api):
    """The pinned post is the one that the profile names, and later pages have null there."""
    pages = await api.walk("/twitter/user/last_tweets", userName="marrowpost_sbx")
    profile = await api.body("/twitter/user/info", userName="marrowpost_sbx")
    assert pages[0]["data"]["pin_tweet"]["id"] == profile["data"]["pinnedTweetIds"][0]
    assert all(page["data"]["pin_tweet"] is None for page in pages[1:])
    tram = await api.body("/twitter/user/last_tweets", userName="sallowtram_sbx")
    assert any(row["retweeted_tweet"] for row in tram["data"]["tweets"])


async def test_some_rows_of_timelines_lack_url_and_views(api):
    """A small part of the rows has neither key, so neither may be relied on."""
    rows = []
    for name in ("tramwatch_sbx", "sallowtram_sbx", "idapetrel_sbx", "theovane_sbx", "marrowpost_sbx"):
        pages = await api.walk("/twitter/user/last_tweets", userName=name, includeReplies="true")
        rows += [row for page in pages for row in page["data"]["tweets"]]
    lacking = [row for row in rows if "url" not in row]
    assert 0 < len(lacking) < len(rows) / 8
    assert not any("viewCount" in row for row in lacking)


async def test_mentions_are_by_others_and_no_reposts(api):
    """Every row names the account in its text and is written by somebody else."""
    rows = (await api.body("/twitter/user/mentions", userName="SallowTram_sbx"))["tweets"]
    assert rows
    assert all("@sallowtram_sbx" in row["text"] and row["retweeted_tweet"] is None for row in rows)
    assert all(row["author"]["userName"] != "sallowtram_sbx" for row in rows)


async def test_a_profile_is_found_in_any_case_and_dated_in_iso(api):
    """The handle comes back as it is spelled, with the keys and the date format of profiles."""
    data = (await api.body("/twitter/user/info", userName="TRAMWATCH_sbx"))["data"]
    assert set(data) == PROFILE_KEYS
    assert data["userName"] == "tramwatch_sbx"
    assert data["createdAt"] == "2023-02-11T00:00:00.000000Z"
    assert data["entities"]["url"]["urls"][0]["expanded_url"] == "https://line7watch.example.net"


async def test_listed_accounts_are_in_snake_case(api):
    """Accounts in listings have other key names than profiles, and search has one more that is null."""
    found = (await api.body("/twitter/user/search", query="tram"))["users"][0]
    assert set(found) == SNAKE_KEYS | {"username", "isBlueVerified"}
    assert found["username"] is None
    for key in ("followers", "followings"):
        row = (await api.body(f"/twitter/user/{key}", userName="sallowtram_sbx"))[key][0]
        assert set(row) == SNAKE_KEYS | {"userName"}
        assert row["userName"] == row["screen_name"]


async def test_followers_of_a_profile_are_as_many_as_it_says(api):
    """Walking all pages gives as many different accounts as the profile counts."""
    pages = await api.walk("/twitter/user/followers", userName="sallowtram_sbx")
    rows = {row["id"] for page in pages for row in page["followers"]}
    profile = await api.body("/twitter/user/info", userName="sallowtram_sbx")
    assert len(rows) == profile["data"]["followers"] > 400


async def test_about_has_its_numbers_in_strings(api):
    """Counts and times are digits in text, and an affiliation is named in both of its places."""
    data = (await api.body("/twitter/user_about", userName="jodyrusk_sbx"))["data"]
    changes = data["about_profile"]["username_changes"]
    assert changes["count"] == "2"
    assert changes["last_changed_at_msec"].isdigit()
    affiliated = (await api.body("/twitter/user_about", userName="celiaboone_sbx"))["data"]
    assert affiliated["about_profile"]["affiliate_username"] == "marrowpost_sbx"
    assert affiliated["affiliates_highlighted_label"]["label"]["userLabelType"] == "BusinessLabel"


async def test_a_batch_keeps_silent_about_what_it_lacks_and_has_its_own_order(api, hint):
    """Deleted, hidden and senseless ids are left out, and the rest comes newest first."""
    hidden = api.sandbox.world.account("quietfen_sbx").posts[0].id
    names = ("post from 2019", "post with a poll", "deleted post", "post with a thread")
    body = await api.body(TWEETS, tweet_ids=",".join([*(hint[name] for name in names), str(hidden), "x", "", "7"]))
    expected = sorted((hint[name] for name in names if name != "deleted post"), key=int, reverse=True)
    assert [row["id"] for row in body["tweets"]] == expected


async def test_a_batch_takes_fifty_ids_and_refuses_fifty_one(api):
    """One id too many refuses the whole request, with the advice to divide it."""
    ids = [str(post.id) for post in api.sandbox.world.posts[:51]]
    assert len((await api.body(TWEETS, tweet_ids=",".join(ids[:50])))["tweets"]) == 50
    answer = await api.get(TWEETS, tweet_ids=",".join(ids))
    assert answer.status_code == 400
    assert answer.json() == {"detail": "max 50 tweet_ids per request, please batch into multiple calls"}


async def test_trends_are_nested_and_at_least_thirty(api):
    """A smaller count is not respected; rows vary in their keys, and some differ only in case."""
    body = await api.body("/twitter/trends", woeid=1, count=5)
    rows = body["trends"]
    assert len(rows) == 30
    assert rows[0]["trend"]["target"]["query"]
    places = {"meta_description" in row: 0 for row in rows} | {"meta_description" in row["trend"]: 0 for row in rows}
    assert set(places) == {True, False}
    assert any("rank" not in row["trend"] for row in rows)
    names = [row["trend"]["name"].lower() for row in rows]
    assert len(set(names)) < len(names)
    assert body["metadata"]["woeid"] == {"name": "Worldwide", "id": 1}


async def test_a_space_has_its_people_and_another_one_has_nulls(api, hint):
    """One that has ended lists who spoke; one that is planned has only its start."""
    ended = (await api.body("/twitter/spaces/detail", space_id=hint["Space that has ended"]))["detail"]
    assert ended["state"] == "Ended"
    assert ended["participants"]["speakers"][0]["userName"] == "tramwatch_sbx"
    assert "participant_info" in ended["participants"]["admins"][0]
    planned = (await api.body("/twitter/spaces/detail", space_id=hint["Space that is scheduled"]))["detail"]
    assert (planned["media_key"], planned["updated_at"], planned["title"]) == (None, None, "")
    assert planned["scheduled_start"].isdigit()


async def test_an_article_counts_its_views_in_a_string(api, hint):
    """Views are digits in text although likes beside them are a number."""
    article = (await api.body("/twitter/article", tweet_id=hint["post with an article"]))["article"]
    assert article["viewCount"].isdigit()
    assert isinstance(article["likeCount"], int)
    assert article["author"]["userName"] == "idapetrel_sbx"


async def test_the_article_of_a_repost_is_not_found(api, hint):
    """Only the id of the post that carries the article leads to it."""
    body = await api.body("/twitter/article", tweet_id=hint["repost with a cut text"])
    assert body["status"] == "failed"
