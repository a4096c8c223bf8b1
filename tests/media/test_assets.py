"""Which pictures and videos are the same, whose they are, and in which order they come."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from picture_samples import photo, post, video

from twitter_tool.links import Link
from twitter_tool.media.assets import Asset, assets_of, distinct, duration_of, repeats
from twitter_tool.records import Media, Post, Variant
from twitter_tool.text import line


def names(assets: tuple[Asset, ...]) -> list[str]:
    """The last part of the address of each asset's first copy."""
    return [str(asset.poster).rpartition("/")[2].partition(".")[0] for asset in assets]


def places(asset: Asset) -> list[tuple[int, str | None]]:
    return [(place.unit, place.relation) for place in asset.places]


def one_asset(*media: Media) -> bool:
    """Whether media in posts of their own are one asset; both ways of counting must agree."""
    found = len(assets_of([post(item) for item in media]))
    assert found == distinct(media)
    return found == 1


def test_media_come_per_post_own_then_quoted_then_reposted() -> None:
    """And posts in the order in which they were delivered."""
    first = post(photo("a"), photo("b"), quoted=post(photo("c")), reposted=post(photo("d"), video("v")))
    found = assets_of([first, post(photo("e"))])
    assert names(found) == ["a", "b", "c", "d", "poster", "e"]
    assert [places(asset) for asset in found[1:4]] == [[(0, None)], [(0, "quoted")], [(0, "reposted")]]


def test_a_place_names_the_delivered_post_and_the_one_that_owns_the_media() -> None:
    """By object, so that posts without id or link cannot be taken for each other."""
    quoted = post(photo("c"))
    first, second = post(quoted=quoted), post(photo("c"))
    (found,) = assets_of([first, second])
    assert [place.root for place in found.places] == [first, second]
    assert found.places[0].root is first
    assert found.places[0].post is quoted
    assert found.places[1].post is second
    assert found.places[0].media is quoted.media[0]


@pytest.mark.parametrize(
    ("media", "kind"),
    [
        (photo(), "photo"),
        (video("v.mp4"), "video"),
        (video("v.mp4", kind="animated_gif"), "gif"),
        (video("v.mp4", kind="broadcast"), "video"),
        (video("v.mp4", kind=None), "video"),
        (video("v.mp4", poster=None), "video"),
        (video(), "video"),
        (video(kind="animated_gif"), "gif"),
        (replace(video("v.mp4"), kind=line("photo", 9)), "photo"),
        (video("v.mp4", kind="photo", poster=None), "video"),
        (video(kind="poll"), None),
        (video(kind=None), None),
        (video(poster=None), None),
        (Media(kind=line("photo", 9)), None),
    ],
)
def test_a_kind_follows_from_what_was_sent(media: Media, kind: str | None) -> None:
    """Unknown kinds are videos when they have MP4 renditions, else nothing that could be looked at."""
    assert [asset.kind for asset in assets_of([post(media)])] == ([kind] if kind else [])
    assert distinct([media]) == (1 if kind else 0)


def test_photos_are_the_same_by_their_exact_address() -> None:
    """An id does not make two addresses one picture, nor two ids one address two pictures."""
    assert one_asset(photo("a", id=line("1", 20)), photo("a", id=line("2", 20)))
    assert not one_asset(photo("a", id=line("1", 20)), photo("b", id=line("1", 20)))
    assert not one_asset(photo("a"), replace(photo("a"), url=Link("https://pbs.twimg.com/media/a.jpg?name=large")))


def test_a_poster_is_not_the_photo_at_the_same_address() -> None:
    """One is looked at as a picture, the other only stands for a video."""
    clip = video("v.mp4", poster="a")
    assert not one_asset(replace(photo(), url=clip.url), clip)
    assert not one_asset(replace(photo(), url=clip.url), replace(clip, variants=()))


def test_videos_without_an_id_are_the_same_when_everything_agrees() -> None:
    """Order and repetition of renditions do not matter; their addresses, the poster and the length do."""
    plain = video("a.mp4", "b.mp4")
    assert one_asset(plain, replace(plain, variants=(*plain.variants[::-1], plain.variants[0])))
    assert one_asset(plain, replace(plain, variants=tuple(Variant(item.url, 7) for item in plain.variants)))
    assert not one_asset(video("a.mp4?tag=12"), video("a.mp4?tag=14"))
    assert not one_asset(video("a.mp4"), video("b.mp4"))
    assert not one_asset(video("a.mp4"), video("a.mp4", "b.mp4"))
    assert not one_asset(video("a.mp4"), video("a.mp4", milliseconds=9_999))
    assert not one_asset(video("a.mp4"), video("a.mp4", poster="other"))


def test_an_id_makes_addresses_that_differ_in_their_query_the_same() -> None:
    """Only when kind, files, poster and length agree as well."""
    known = video("a.mp4?tag=12", number="7")
    assert one_asset(known, video("a.mp4?tag=14", number="7"))
    assert one_asset(known, replace(known, url=Link(f"{known.url}?name=small")))
    assert not one_asset(known, video("a.mp4?tag=14", number="8"))
    assert not one_asset(known, video("a.mp4?tag=14", number="7", milliseconds=1))
    assert not one_asset(known, video("other.mp4?tag=12", number="7"))
    assert not one_asset(known, video("a.mp4?tag=12", number="7", kind="animated_gif"))
    assert not one_asset(known, video("a.mp4?tag=14", number="7", poster="other"))


def test_a_later_copy_joins_two_earlier_ones() -> None:
    """Their places come together, at the position of the first."""
    left, right = video("a.mp4?tag=1", number="7"), replace(video("a.mp4?tag=2", number="7"), id=None)
    assert not one_asset(left, right)
    bridge = replace(right, id=left.id)
    found = assets_of([post(left), post(photo("x")), post(right), post(bridge)])
    assert [places(asset) for asset in found] == [[(0, None), (2, None), (3, None)], [(1, None)]]
    assert found[0].media is left
    assert distinct([left, photo("x"), right, bridge]) == 2


def test_addresses_of_the_first_place_are_used_as_they_are() -> None:
    """Agreement compares shortened addresses and never rewrites them."""
    first, second = video("a.mp4?tag=14", number="7"), video("a.mp4?tag=12", number="7")
    (found,) = assets_of([post(first), post(second)])
    assert [item.url for item in found.media.variants] == ["https://video.twimg.com/a.mp4?tag=14"]
    assert found.poster == "https://pbs.twimg.com/poster.jpg"


def test_what_a_wrapper_repeats_belongs_to_the_original() -> None:
    """Its own place is dropped; media of its own stay."""
    quoted = post(photo("shared"), photo("c"))
    found = assets_of([post(photo("shared"), photo("own"), quoted=quoted)])
    assert [(name, places(asset)) for name, asset in zip(names(found), found, strict=True)] == [
        ("own", [(0, None)]),
        ("shared", [(0, "quoted")]),
        ("c", [(0, "quoted")]),
    ]
    assert found[1].places[0].post is quoted
    assert repeats(found) == 0


def test_ownership_ends_with_the_bundle() -> None:
    """The same media in another delivered post keep a place there."""
    original = post(photo("a"))
    found = assets_of([post(photo("a"), reposted=original), post(photo("a")), original])
    assert places(found[0]) == [(0, "reposted"), (1, None), (2, None)]
    assert repeats(found) == 2


def test_a_quoted_and_a_reposted_post_both_keep_what_they_share() -> None:
    """Both were fetched, and neither wraps the other."""
    (found,) = assets_of([post(photo("a"), quoted=post(photo("a")), reposted=post(photo("a")))])
    assert places(found) == [(0, "quoted"), (0, "reposted")]
    assert repeats([found]) == 1


def test_a_post_that_lists_a_picture_twice_shows_it_once() -> None:
    """One place for each post."""
    (found,) = assets_of([post(photo("a"), photo("a"))])
    assert places(found) == [(0, None)]
    assert repeats([found]) == 0


def test_an_asset_is_narrowed_to_some_delivered_posts() -> None:
    """Its first remaining place then gives the addresses."""
    (found,) = assets_of([post(video("a.mp4?t=1", number="7")), post(video("a.mp4?t=2", number="7"))])
    narrowed = found.within({1})
    assert narrowed is not None
    assert places(narrowed) == [(1, None)]
    assert narrowed.media is found.places[1].media
    assert narrowed.kind == "video"
    assert found.within([0, 1, 5]) is not None
    assert found.within({2}) is None


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        (10_000, 10.0),
        (1_234.5, 1.2345),
        (None, None),
        (0, None),
        (-1, None),
        (math.nan, None),
        (math.inf, None),
        (10**400, None),
    ],
)
def test_a_length_is_a_finite_positive_number_or_not_known(sent: float | None, seconds: float | None) -> None:
    """Milliseconds as sent become seconds."""
    clip = video("a.mp4", milliseconds=sent)
    assert duration_of(clip) == seconds
    assert assets_of([post(clip)])[0].duration_s == seconds


def test_nothing_is_made_of_posts_without_media() -> None:
    """An empty delivery has no assets and no repeats."""
    assert assets_of([]) == assets_of([post(), post(quoted=post())]) == ()
    assert repeats([]) == distinct([]) == 0


_media = st.one_of(
    st.builds(photo, st.sampled_from("ab")),
    st.builds(
        video,
        st.sampled_from(["a.mp4?t=1", "a.mp4?t=2", "b.mp4"]),
        number=st.sampled_from([None, "1", "2"]),
        kind=st.sampled_from(["video", "animated_gif", "poll"]),
    ),
)
_lists = st.lists(_media, max_size=3)
_posts = st.builds(
    lambda own, quoted, reposted: post(
        *own,
        quoted=None if quoted is None else post(*quoted),
        reposted=None if reposted is None else post(*reposted),
    ),
    _lists,
    st.none() | _lists,
    st.none() | _lists,
)


Where = tuple[int, str | None]


def expected_places(posts: list[Post]) -> list[frozenset[Where]]:
    """Written without regard to speed: groups grow until no two share an identity, then wrappers lose their places."""
    groups: list[tuple[set[object], set[Where]]] = []
    for unit, root in enumerate(posts):
        for relation, member in ((None, root), ("quoted", root.quoted), ("reposted", root.reposted)):
            for item in member.media if member is not None else ():
                if item.asset_kind is None:
                    continue
                keys: set[object] = set(item.asset_keys)
                places: set[Where] = {(unit, relation)}
                for group in [group for group in groups if group[0] & keys]:
                    groups.remove(group)
                    keys |= group[0]
                    places |= group[1]
                groups.append((keys, places))
    return [
        frozenset(
            (unit, relation)
            for unit, relation in places
            if relation or not {(unit, "quoted"), (unit, "reposted")} & places
        )
        for _, places in groups
    ]


@given(st.lists(_posts, max_size=4))
def test_every_copy_has_one_asset_and_every_post_one_place_in_it(posts: list[Post]) -> None:
    """As a slow and simple way of grouping finds them, and in the order of delivery."""
    found = assets_of(posts)
    expected = expected_places(posts)
    assert sorted(map(places, found), key=str) == sorted(map(_in_order, expected), key=str)
    assert len(expected) == distinct(item for unit in posts for member in unit.family() for item in member.media)
    starts = [places(asset)[0] for asset in found]
    assert starts == _in_order(starts)


def _in_order(found: Iterable[Where]) -> list[Where]:
    return sorted(found, key=lambda where: (where[0], [None, "quoted", "reposted"].index(where[1])))
