"""The list of the images of a request."""

from __future__ import annotations

from evidence_samples import post
from hypothesis import given
from hypothesis import strategies as st
from media_samples import assets, found, frames, photo, picture, showing, video

from twitter_tool import links
from twitter_tool.output.manifest import HEADING, MAX_ENTRY, longest_entry
from twitter_tool.output.shown import shown_of

LONG = "https://x.com/ann/status/7?" + "x" * 1_900


def entries(*about):
    heading, *lines = shown_of(about).manifest.split("\n")
    assert heading == HEADING
    return lines


def test_each_image_has_a_line_with_its_post_and_its_kind():
    """Photos, frames with their place in the clip, posters, in the order of the images."""
    first, second, third = showing(1, video()), showing(2, photo()), showing(3, video("g", kind="animated_gif"))
    clip, image, gif = assets(first, second, third)
    assert entries(
        found(clip, None, frames(2)), found(gif, None, [picture("poster")]), found(image, None, [picture()])
    ) == [
        "1. https://x.com/ann/status/2 - photo",
        "2. https://x.com/ann/status/1 - video frame 1/2 @ 00:01",
        "3. https://x.com/ann/status/1 - video frame 2/2 @ 00:05",
        "4. https://x.com/ann/status/3 - GIF poster",
    ]


def test_a_nested_image_names_the_post_that_shows_it():
    """How it is nested, and the enclosing permalink."""
    root = post(7, quoted=showing(5, photo(), handle="bob"), reposted=showing(6, video(), handle="cho"))
    image, clip = assets(root)
    assert entries(found(image, None, [picture()]), found(clip, None, frames(1))) == [
        "1. https://x.com/bob/status/5 - photo - quoted by https://x.com/ann/status/7",
        "2. https://x.com/cho/status/6 - video frame 1/1 @ 00:01 - reposted by https://x.com/ann/status/7",
    ]


def test_a_shared_poster_names_every_post_that_shows_it():
    """Its own post first, each once."""
    posts = [showing(1, video()), showing(2, video()), showing(3, video("w", poster="v"))]
    shared = picture("poster")
    assert entries(*(found(clip, None, [shared]) for clip in assets(*posts))) == [
        "1. https://x.com/ann/status/1 - video poster"
        " - shared with https://x.com/ann/status/2, https://x.com/ann/status/3"
    ]


def test_a_post_without_a_permalink_is_named_without_one():
    """No address is made up, neither for the post nor for the one that shows it."""
    root = post(7, url=None, quoted=showing(5, photo(), url="https://evil.test/a/status/5"))
    (image,) = assets(root)
    assert entries(found(image, None, [picture()])) == [
        "1. a post without a permalink - photo - quoted by a post without a permalink"
    ]


def test_an_overlong_permalink_is_left_out_not_cut():
    """What is printed of an address is the whole address."""
    assert links.permalink(LONG) is not None
    (image,) = assets(showing(7, photo(), url=LONG))
    assert entries(found(image, None, [picture()])) == ["1. a post without a permalink - photo"]


def test_a_long_list_of_sharers_ends_in_an_ellipsis():
    """After the last whole link that keeps the entry within 2,000 characters."""
    posts = [showing(number, video()) for number in range(1, 200)]
    (line,) = entries(found(assets(*posts)[0], None, [picture("poster")]))
    text = line.removeprefix("1. ")
    assert MAX_ENTRY - 40 < len(text) <= MAX_ENTRY + 1
    listed = text.removesuffix("…").partition(" - shared with ")[2].split(", ")
    assert listed == [f"https://x.com/ann/status/{number}" for number in range(2, 2 + len(listed))]


@given(
    st.lists(
        st.sampled_from(
            ["https://x.com/é/status/8?s=20", "https://x.com/\U0001f600/status/8", LONG, LONG[:800], LONG[:700], None]
        ),
        min_size=1,
        max_size=8,
    ),
    st.booleans(),
)
def test_no_entry_takes_more_than_its_room(urls, nested):
    """Nor more than three bytes for each of its characters."""
    posts = [showing(number, video(), url=url) for number, url in enumerate(urls)]
    if nested:
        posts = [
            post(90 + number, url=url, quoted=one) for number, (one, url) in enumerate(zip(posts, urls, strict=True))
        ]
    (line,) = entries(found(assets(*posts)[0], None, [picture("poster")]))
    assert len("\n" + line) <= longest_entry()
    assert len(line.encode()) <= 3 * (MAX_ENTRY + 1)
