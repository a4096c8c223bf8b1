"""Room for a video that one post shows in several places: its words are printed in each of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from media_samples import photo, showing, video

from twitter_tool.output.delivery import Retrieved
from twitter_tool.output.reserve import MediaPlan, MediaWish, reserve_for
from twitter_tool.output.select import choose
from twitter_tool.records import Post

WORDS = MediaWish(videos=1)
FRAMES = MediaWish(videos=1, frames=2, posters=True, attachments=4, max_images=20)


@dataclass
class Noted:
    """A room that notes what media claim of it; posts cost nothing.

    Attributes:
        left: characters for media.
        claims: of characters, in order.
    """

    left: int = 10**9
    claims: list[int] = field(default_factory=list)

    def take(self, text: str, *, chars: int = 0, images: int = 0) -> bool:
        if text:
            return True
        if chars > self.left:
            return False
        self.left -= chars
        self.claims.append(chars)
        return True


def planned(post: Post, wish: MediaWish, room: Noted) -> MediaPlan:
    """What there is room for."""
    retrieved = Retrieved(records=(post,))
    plan = choose(retrieved, room, media=reserve_for(retrieved, wish)).media
    assert plan is not None
    return plan


def claims(post: Post, wish: MediaWish) -> list[int]:
    """What the media of a post claim, in order."""
    room = Noted()
    planned(post, wish, room)
    return room.claims


def twice() -> Post:
    """A post that quotes one post and reposts another, which both show the same video."""
    return showing(1, quoted=showing(2, video()), reposted=showing(3, video()))


def test_the_words_of_a_video_have_room_in_each_place_of_a_post():
    """They are not shared out among the places."""
    (once,) = claims(showing(1, video()), WORDS)
    assert claims(twice(), WORDS) == [2 * once]


def test_a_place_that_repeats_its_own_quote_is_none():
    """The words stand under the quoted post alone."""
    (once,) = claims(showing(1, video()), WORDS)
    assert claims(showing(1, video(), quoted=showing(2, video())), WORDS) == [once]


def test_further_places_have_room_for_the_references_to_the_frames_too():
    """At the first place each frame brings its own."""
    (words,), (words_twice,) = claims(showing(1, video()), WORDS), claims(twice(), WORDS)
    first, *slots = claims(showing(1, video()), FRAMES)
    both, *same = claims(twice(), FRAMES)
    assert (first, slots) == (words, same)
    assert words_twice < both < words_twice + 100


@pytest.mark.parametrize("wish", [WORDS, FRAMES])
def test_a_video_without_room_for_all_its_places_in_a_post_is_not_processed(wish):
    """Half of a post would be told and the other half not."""
    needed = claims(twice(), wish)[0]
    for left, processed in ((needed, 1), (needed - 1, 0)):
        plan = planned(twice(), wish, Noted(left))
        assert (len(plan.videos), plan.no_space) == (processed, 1 - processed)


def test_a_photo_in_two_places_of_a_post_takes_one_slot_and_a_line_in_each():
    """Words are not reserved for it."""
    wish = replace(FRAMES, photos=True, videos=0)
    alone = claims(showing(1, photo()), wish)
    line, *slots = sorted(claims(showing(1, quoted=showing(2, photo()), reposted=showing(3, photo())), wish))
    assert slots == alone
    assert 0 < line < 100
