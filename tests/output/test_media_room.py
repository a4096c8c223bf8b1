"""Room for what media may add: set aside post by post, never at the cost of a post, and always enough."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest
from evidence_samples import account, document, post
from hypothesis import given, settings
from hypothesis import strategies as st
from media_samples import found, frames, photo, picture, showing, video, words

from twitter_tool.models.declared import ImageBounds
from twitter_tool.models.facts import ModelFacts
from twitter_tool.models.limits import ChainRoom
from twitter_tool.output.delivery import Retrieved
from twitter_tool.output.manifest import MAX_ENTRY
from twitter_tool.output.prompt import opening, prompt, system_prompt
from twitter_tool.output.reserve import MediaPlan, MediaWish, reserve_for
from twitter_tool.output.room import CharRoom
from twitter_tool.output.select import choose, drawn
from twitter_tool.output.shown import shown_of

EVERYTHING = MediaWish(photos=True, posters=True, videos=1, frames=8, attachments=4, max_images=20)
WORDS_ONLY = MediaWish(videos=1)
TEXT = 4_001 + 1_501 + 101


@dataclass
class Ledger:
    """A room that notes what is claimed; posts count nothing."""

    left: int = 10**9
    images: int = 10**9
    claims: list[tuple[int, int]] = field(default_factory=list)

    def take(self, text: str, *, chars: int = 0, images: int = 0) -> bool:
        if chars > self.left or images > self.images:
            return False
        self.left -= chars
        self.images -= images
        if not text:
            self.claims.append((chars, images))
        return True


def planned(*posts, wish=EVERYTHING, room=None, parent=None) -> MediaPlan:
    retrieved = Retrieved(records=posts, parent=parent)
    selection = choose(retrieved, room or Ledger(), lists_sources=False, media=reserve_for(retrieved, wish))
    assert selection.media is not None
    return selection.media


def ids(found_assets):
    return [str(asset.places[0].post.id) for asset in found_assets]


def test_a_photo_and_a_video_share_the_images_of_a_request():
    """One photo, one video of eight frames, three images at most: three slots, and both are wanted."""
    plan = planned(showing(1, photo(), video()), wish=replace(EVERYTHING, max_images=3))
    assert plan.slots == 3
    assert ids(plan.photos) == ids(plan.videos) == ids(plan.posters) == ["1"]
    assert (plan.images_no_space, plan.frames_no_space, plan.no_space, plan.over_cap) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("media", "wish", "slots"),
    [
        ((photo("a"), photo("b"), video()), {}, 2 + 8),
        ((photo("a"), photo("b"), video()), {"attachments": 1}, 1 + 8),
        ((photo("a"), photo("b"), video()), {"attachments": 0}, 8),
        ((photo("a"), photo("b"), video()), {"photos": False}, 8),
        ((photo("a"), video("v"), video("w")), {}, 1 + 8 + 1),
        ((photo("a"), video("v"), video("w")), {"videos": 2}, 1 + 16),
        ((photo("a"), video("v"), video("w")), {"videos": 0}, 3),
        ((photo("a"), video("v"), video("w")), {"videos": 0, "posters": False}, 1),
        ((photo("a"), video("v")), {"frames": 0}, 2),
        ((photo("a"), video("v")), {"max_images": 0}, 0),
        ((), {}, 0),
    ],
)
def test_slots_are_for_attachments_and_frames(media, wish, slots):
    """Photos and posters together up to their limit; frames for each processed video, whose poster needs no slot of
    its own, since it is only used when there are no frames."""
    assert planned(showing(1, *media), wish=replace(EVERYTHING, **wish)).slots == slots


def test_nothing_is_attached_where_nothing_may_be():
    """Without images of a request, or with a limit of no attachments, no photo or poster is a candidate."""
    one = showing(1, photo(), video())
    for wish in (replace(EVERYTHING, max_images=0), replace(EVERYTHING, attachments=0)):
        plan = planned(one, wish=wish)
        assert (plan.photos, plan.posters, len(plan.videos)) == ((), (), 1)
    plan = planned(one, wish=replace(EVERYTHING, photos=False))
    assert (plan.photos, len(plan.posters)) == ((), 1)


def test_more_photos_than_may_be_attached_are_candidates():
    """The next one stands in for one that cannot be downloaded; it takes a slot that is there already."""
    plan = planned(*(showing(n, photo(str(n))) for n in range(1, 10)))
    assert plan.slots == 4
    assert ids(plan.photos) == [str(n) for n in range(1, 10)]
    assert plan.images_no_space == 0


def test_the_words_of_a_video_are_set_aside_at_their_longest():
    """4,001 characters of transcript, 1,501 of notes, 101 of the method, and the labels, for each place."""
    room = Ledger()
    planned(showing(1, video()), wish=WORDS_ONLY, room=room)
    ((chars, images),) = room.claims
    assert TEXT < chars < TEXT + 200
    assert images == 0
    room = Ledger()
    planned(showing(1, video()), showing(2, video()), wish=WORDS_ONLY, room=room)
    assert room.claims == [(chars, 0), (chars, 0)]


def test_every_slot_has_room_for_an_entry_of_the_manifest_and_a_reference():
    """2,001 characters of the entry, the number and the line of the reference; the heading comes with the first."""
    room = Ledger()
    planned(showing(1, photo("a"), photo("b")), room=room)
    (first, one), (second, other) = room.claims
    assert (one, other) == (1, 1)
    assert MAX_ENTRY + 1 < second < MAX_ENTRY + 120
    assert second < first < second + 120


def test_a_video_that_has_no_room_leaves_its_post_alone():
    """Five thousand characters hold the post, not what the video may say."""
    one = showing(1, video())
    retrieved = Retrieved(records=(one,))
    selection = choose(retrieved, CharRoom(5_000), media=reserve_for(retrieved, WORDS_ONLY))
    plan = selection.media
    assert selection.delivery.units == (one,)
    assert plan is not None
    assert (plan.videos, plan.no_space, plan.over_cap) == ((), 1, 0)


def test_a_text_ceiling_has_no_room_for_images():
    """Asked for images all the same, it gives none, and everything else."""
    plan = planned(showing(1, photo(), video()), room=CharRoom(60_000))
    assert plan.slots == 0
    assert (len(plan.videos), plan.images_no_space, plan.frames_no_space) == (1, 1, 8)


def test_posts_come_first_then_words_then_images():
    """As room shrinks, a post gives up slots one by one, then its last video, then its first, and stays."""
    one = showing(1, photo(), video("v"), video("w"))
    wish = replace(EVERYTHING, videos=2, frames=2)
    seen = []
    for left in range(30_000, 0, -500):
        plan = planned(one, wish=wish, room=Ledger(left))
        seen.append((len(plan.videos), plan.slots))
    assert seen[0] == (2, 5)
    assert seen[-1] == (0, 0)
    assert list(dict.fromkeys(seen))[:6] == [(2, 5), (2, 4), (2, 3), (2, 2), (2, 1), (2, 0)]
    counts = [videos for videos, _ in seen]
    assert counts == sorted(counts, reverse=True)
    assert {videos for videos, _ in seen} == {0, 1, 2}


def test_room_that_ran_out_is_counted_by_what_it_was_for():
    """Photos and posters apart from frames, videos apart from those over their limit."""
    one = showing(1, photo("a"), photo("b"), video("v"), video("w"))
    plan = planned(one, room=Ledger(TEXT + 200 + 2 * (MAX_ENTRY + 120)))
    assert (plan.slots, plan.images_no_space, plan.frames_no_space) == (2, 1, 8)
    assert (len(plan.videos), plan.over_cap, plan.no_space) == (1, 1, 0)
    plan = planned(one, wish=replace(EVERYTHING, videos=2), room=Ledger(3_000))
    assert (plan.videos, plan.no_space, plan.over_cap) == ((), 2, 0)


def test_only_delivered_posts_have_media():
    """A post that is left out costs nothing, and what it shares with a later one is that one's."""
    big = showing(1, photo("a"), video("v"), words="x" * 9_000)
    small = showing(2, photo("b"), photo("a"), video("v"), handle="bob")
    retrieved = Retrieved(records=(big, small))
    selection = choose(retrieved, CharRoom(8_000), media=reserve_for(retrieved, WORDS_ONLY))
    assert selection.delivery.units == (small,)
    plan = selection.media
    assert plan is not None
    assert [[place.post for place in asset.places] for asset in plan.videos] == [[small]]
    assert [place.unit for asset in plan.assets for place in asset.places] == [1, 1, 1]
    assert plan.assets[0].poster == small.media[0].url
    assert plan.repeated == 0


def test_assets_stand_in_the_order_of_their_first_delivered_place():
    """Own media first, then the quoted post's, then the reposted post's."""
    one = showing(1, photo("c"), quoted=showing(2, photo("q")), reposted=showing(3, photo("r"), video("v")))
    two = showing(4, photo("d"), video("w"))
    plan = planned(one, two, wish=replace(EVERYTHING, videos=3))
    assert ids(plan.photos) == ["1", "2", "3", "4"]
    assert ids(plan.videos) == ["3", "4"]
    assert ids(plan.assets) == ["1", "2", "3", "3", "4", "4"]


def test_a_video_shown_again_costs_its_words_again_but_no_second_place_in_the_limit():
    """It is printed at both posts; another video is over the limit."""
    first, again, other = showing(1, video("v")), showing(2, video("v")), showing(3, video("w"))
    room = Ledger()
    plan = planned(first, again, other, wish=WORDS_ONLY, room=room)
    (clip,) = plan.videos
    assert [place.post for place in clip.places] == [first, again]
    assert (plan.over_cap, plan.repeated) == (1, 1)
    assert len(room.claims) == 2


def test_a_place_without_room_for_the_words_is_no_place():
    """The video is processed for the post that had room."""
    first, again = showing(1, video("v")), showing(2, video("v"))
    plan = planned(first, again, wish=WORDS_ONLY, room=Ledger(TEXT + 400))
    (clip,) = plan.videos
    assert [place.post for place in clip.places] == [first]
    assert (plan.repeated, plan.no_space) == (0, 0)


def test_a_photo_shown_again_takes_no_second_slot():
    """Only the line with its number stands at the other post too."""
    first, again = showing(1, photo()), showing(2, photo())
    room = Ledger()
    plan = planned(first, again, room=room)
    assert (plan.slots, plan.repeated) == (1, 1)
    assert [images for _, images in room.claims] == [1, 0]
    assert room.claims[1][0] < 100
    assert [place.post for place in plan.photos[0].places] == [first, again]


def test_the_parent_and_what_is_no_post_have_no_media():
    """They cost nothing and are not looked at."""
    assert planned(post(1), parent=showing(7, photo(), video())) == MediaPlan()
    for record in (account("ann"), document(("a", 1))):
        room = Ledger()
        assert planned(record, room=room) == MediaPlan()
        assert room.claims == []


def test_without_a_wish_there_is_no_plan():
    """Selection then knows nothing of media."""
    assert choose(Retrieved(records=(showing(1, video()),)), Ledger()).media is None


def test_posts_after_a_full_reserve_still_enter():
    """What is set aside for media of the first post is not given to the next, but what is left is."""
    one, two = showing(1, video(), words="a"), post(2, "b" * 300)
    room = CharRoom(TEXT + 1_500)
    retrieved = Retrieved(records=(one, two))
    selection = choose(retrieved, room, media=reserve_for(retrieved, WORDS_ONLY))
    assert len(selection.delivery.units) == 2
    assert selection.media is not None
    assert len(selection.media.videos) == 1


def model(window, *, images=None, request_bytes=None):
    return ModelFacts(
        name="openai/m",
        provider="openai",
        call_name="openai/m",
        context_window=window,
        max_output_tokens=1_000,
        supports_vision=images is not None,
        max_request_bytes=request_bytes,
        images=images,
    )


BOUNDS = ImageBounds(tokens_per_image=100, max_width=9, max_height=9, max_images=12, max_bytes=2_000)


def test_the_smallest_model_of_a_chain_decides_about_videos():
    """A fallback of 16,000 tokens has no room for three bytes a character, whatever the first one has."""
    one = showing(1, video())
    large = ChainRoom([model(128_000)], system="s", max_chars=60_000)
    small = ChainRoom([model(128_000), model(16_000)], system="s", max_chars=60_000)
    narrow = ChainRoom([model(128_000, request_bytes=25_000)], system="s", max_chars=60_000)
    assert [len(planned(one, wish=WORDS_ONLY, room=room).videos) for room in (large, small, narrow)] == [1, 0, 0]


medias = st.builds(
    lambda kind, name: photo(name) if kind == "photo" else video(name, kind=kind, poster=name[0]),
    st.sampled_from(["photo", "video", "animated_gif"]),
    st.sampled_from(["aa", "ab", "b", "c", "d", "e"]),
)
urls = st.sampled_from(["", None, "https://x.com/é/status/8?s=20", "https://x.com/a/status/1?" + "x" * 780])


@st.composite
def shown_posts(draw, depth=1):
    nested = shown_posts(depth=0)
    context = {name: draw(st.one_of(st.none(), nested)) for name in (("quoted", "reposted") if depth else ())}
    said = draw(st.sampled_from(["t", "日本 " * 40, "a\nb\n" * 60]))
    return post(
        draw(st.integers(1, 99)), said, url=draw(urls), media=tuple(draw(st.lists(medias, max_size=3))), **context
    )


wishes = st.builds(
    MediaWish,
    photos=st.booleans(),
    posters=st.booleans(),
    videos=st.integers(0, 3),
    frames=st.integers(0, 4),
    attachments=st.integers(0, 5),
    max_images=st.just(12),
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(shown_posts(), min_size=1, max_size=6),
    wishes,
    st.sampled_from([9_000, 20_000, 60_000, 200_000]),
    st.sampled_from([4_000, 12_000, 60_000]),
    st.sampled_from([None, 30_000, 100_000, 300_000]),
    st.sampled_from(["spoken line\n", "\U0001f600", "é\n", '"']),
    st.randoms(use_true_random=False),
)
def test_whatever_media_give_the_request_fits(posts, wish, window, chars, request_bytes, said, chance):
    """With texts at their longest in any script, any image failing and another one taking its slot, and any model."""
    chain = [model(window, images=BOUNDS, request_bytes=request_bytes), model(window)]
    retrieved = Retrieved(records=tuple(posts))
    room = ChainRoom(chain, system=system_prompt("post"), max_chars=chars)
    now = datetime(2026, 11, 30, tzinfo=UTC)
    head = opening("q", now=now, zone="UTC", kind="post", count=len(posts))
    if not room.take(head):
        return
    selection = choose(retrieved, room, lists_sources=False, media=reserve_for(retrieved, wish))
    plan = selection.media
    assert plan is not None
    shown = shown_of(pretended(plan, wish, said, chance))
    made = prompt(
        "q",
        drawn(selection, shown),
        now=now,
        zone="UTC",
        kind="post",
        count=len(selection.delivery.units),
        shown=shown,
        plain_blocks=drawn(selection, shown.without_images()),
    )
    assert len(made.images) <= min(plan.slots, wish.max_images)
    assert ChainRoom(chain, system=system_prompt("post"), max_chars=chars).holds(made)


def pretended(plan: MediaPlan, wish: MediaWish, said: str, chance: random.Random):
    """Found as media work would find it: photos, then videos, then posters of what gave nothing."""
    slots, attached, results = plan.slots, 0, []
    for asset in plan.photos:
        if chance.random() < 0.7 and slots and attached < wish.attachments:
            slots, attached = slots - 1, attached + 1
            results.append(found(asset, None, [picture(data=b"x" * 2_000)]))
    for asset in plan.videos:
        if chance.random() < 0.8:
            taken = min(slots, chance.randint(0, wish.frames))
            slots -= taken
            text = words(said * 5_000, said * 5_000, said * 200)
            results.append(found(asset, text, [replace(one, data=b"x" * 2_000) for one in frames(taken)]))
    held = {id(one.asset) for one in results}
    for asset in plan.posters:
        if id(asset) not in held and slots and attached < wish.attachments:
            slots, attached = slots - 1, attached + 1
            results.append(found(asset, None, [picture("poster", data=b"x" * 2_000)]))
    return results


@given(st.lists(shown_posts(), max_size=6), wishes, st.integers(0, 60_000))
@settings(deadline=None)
def test_what_is_planned_keeps_to_the_wish(posts, wish, left):
    """Limits hold, every asset appears once, every place is one of its own, and posts are the same as without media."""
    retrieved = Retrieved(records=tuple(posts))
    reserve = reserve_for(retrieved, wish)
    plan = planned(*posts, wish=wish, room=Ledger(left))
    assert len(plan.videos) <= wish.videos
    assert plan.slots <= wish.max_images
    assert not (wish.photos is False and plan.photos)
    assert len(set(plan.assets)) == len(plan.assets) == len(reserve.assets)
    assert set(plan.photos) | set(plan.videos) | set(plan.posters) <= set(plan.assets)
    moving = [asset for asset in plan.assets if asset.kind != "photo"]
    if wish.videos:
        assert len(plan.videos) + plan.over_cap + plan.no_space == len(moving)
    known = {(id(place.post), id(place.media)) for asset in reserve.assets for place in asset.places}
    assert {(id(place.post), id(place.media)) for asset in plan.assets for place in asset.places} <= known
    assert all(asset.places for asset in plan.assets)


def test_a_reserve_is_made_of_the_posts_alone():
    """Their positions are the units of the places."""
    one, two = showing(1, photo()), showing(2, video())
    reserve = reserve_for(Retrieved(records=(one, two), parent=showing(7, photo("p"))), WORDS_ONLY)
    assert [(asset.kind, [place.unit for place in asset.places]) for asset in reserve.assets] == [
        ("photo", [0]),
        ("video", [1]),
    ]
    assert reserve.wish == WORDS_ONLY
