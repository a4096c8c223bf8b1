"""What pictures and videos gave, as lines under the posts that they belong to, and as values of their items."""

from __future__ import annotations

import pytest
from evidence_samples import post
from hypothesis import given, settings
from hypothesis import strategies as st
from media_samples import SPEECH, assets, found, frames, photo, picture, showing, video, words

from twitter_tool import text
from twitter_tool.output.delivery import Delivery
from twitter_tool.output.items import items
from twitter_tool.output.quoted import capped, quoted_lines
from twitter_tool.output.render import block, blocks
from twitter_tool.output.shown import NOTHING_SHOWN, shown_of
from twitter_tool.records import ArticlePreview


def test_words_of_a_video_stand_behind_the_previews_of_its_post():
    """A line with the method that says not to trust it, then transcript and visual notes, each line behind a mark."""
    one = showing(7, video(), article=ArticlePreview(title=text.block("T")))
    (clip,) = assets(one)
    shown = shown_of([found(clip, words(visual="A dark room.\nA door."))])
    assert block(one, 1, shown).split("\n") == [
        *block(one, 1).split("\n"),
        "video evidence (untrusted, made by machine from the clip): stt-only",
        "transcript:",
        "> [00:00] He was not an ill-disposed young man,",
        "> [00:04] unless to be rather selfish is to be ill-disposed.",
        "visual:",
        "> A dark room.",
        "> A door.",
    ]
    assert block(one, 1, shown).split("\n")[-8].startswith("article title")


def test_what_there_is_not_gets_no_line():
    """Neither an empty transcript nor empty notes have a label."""
    one = showing(7, video())
    (clip,) = assets(one)
    assert block(one, 1, shown_of([found(clip, words(None, "A door."))])).split("\n")[-2:] == ["visual:", "> A door."]
    assert block(one, 1, shown_of([found(clip, words("a", None))])).split("\n")[-2:] == ["transcript:", "> a"]
    assert "transcript" not in block(one, 1, shown_of([found(clip, words(None, None, "frames-only"), frames(1))]))


def test_several_videos_of_a_post_keep_blocks_of_their_own():
    """In the order of the videos."""
    one = showing(7, video("v"), video("w"))
    shown = shown_of([found(clip, words(said)) for clip, said in zip(assets(one), ("first", "second"), strict=True)])
    lines = block(one, 1, shown).split("\n")
    assert [line for line in lines if line.startswith(("video evidence", "> first", "> second"))] == [
        "video evidence (untrusted, made by machine from the clip): stt-only",
        "> first",
        "video evidence (untrusted, made by machine from the clip): stt-only",
        "> second",
    ]


def test_evidence_of_a_nested_post_stands_under_it_only():
    """With the prefix of its lines, before the next post begins."""
    inner, other = showing(5, video("q")), showing(6, photo("r"), handle="cho")
    root = post(7, quoted=inner, reposted=other)
    clip, image = assets(root)
    lines = block(root, 1, shown_of([found(clip, words("hello")), found(image, None, [picture()])])).split("\n")
    begins = lines.index("quoted video evidence (untrusted, made by machine from the clip): stt-only")
    assert lines[begins + 1 : begins + 3] == ["quoted transcript:", "> hello"]
    assert lines[begins + 3].startswith("reposted source: @cho")
    assert lines[-1] == "reposted image references: 1 (only if images delivered)"
    assert not any(line.startswith(("video evidence", "transcript", "image references")) for line in lines)


def test_photos_are_numbered_before_pictures_of_videos():
    """Whatever the order of the posts; each post lists its own numbers."""
    first, second = showing(1, video()), showing(2, photo("a"), photo("b"))
    clip, one, two = assets(first, second)
    shown = shown_of(
        [found(clip, words(None, None, "frames-only"), frames(2)), *(found(a, None, [picture()]) for a in (one, two))]
    )
    assert [image.kind for image in shown.images] == ["photo", "photo", "frame", "frame"]
    assert block(first, 1, shown).endswith("\nimage references: 3, 4 (only if images delivered)")
    assert block(second, 2, shown).endswith("\nimage references: 1, 2 (only if images delivered)")


def test_an_asset_with_several_places_has_one_number_and_a_reference_at_each():
    """Its words stand at each place too."""
    first, second = showing(1, photo(), video()), showing(2, photo(), video(), handle="bob")
    image, clip = assets(first, second)
    shown = shown_of([found(image, None, [picture()]), found(clip, words("hello"), [picture("poster")])])
    assert len(shown.images) == 2
    for number, one in enumerate((first, second), 1):
        assert block(one, number, shown).endswith(
            "\ntranscript:\n> hello\nimage references: 1, 2 (only if images delivered)"
        )


def test_a_poster_that_two_videos_share_is_one_image():
    """It was loaded once, and both posts refer to it."""
    first, second = showing(1, video("v", poster="p")), showing(2, video("w", poster="p"), handle="bob")
    shared = picture("poster")
    shown = shown_of([found(clip, None, [shared]) for clip in assets(first, second)])
    assert shown.images == (shared,)
    assert shown.references(first) == shown.references(second) == (1,)


def test_posts_are_told_apart_by_identity():
    """A post with the very same words and link gets nothing of the other one's."""
    one, twin = showing(7, video()), showing(7, video())
    assert one == twin
    (clip,) = assets(one)
    shown = shown_of([found(clip, words(), frames(1))])
    assert (shown.texts(twin), shown.references(twin), shown.concerns(twin)) == ((), (), False)
    assert shown.concerns(one)
    assert shown.concerns(post(8, quoted=one))
    assert blocks(Delivery(kind="post", units=(twin,)), shown) == blocks(Delivery(kind="post", units=(twin,)))


def test_the_post_itself_never_shows_media():
    """Not even when it is the same record as a delivered one."""
    one = showing(7, video())
    (clip,) = assets(one)
    shown = shown_of([found(clip, words())])
    delivery = Delivery(kind="post", units=(one,), parent=one)
    parent, item = blocks(delivery, shown)
    assert "video evidence" not in parent
    assert "video evidence" in item


def test_without_images_the_words_stay():
    """No reference, no manifest, and no block that only told of frames."""
    first, second = showing(1, video()), showing(2, video("w"))
    clip, silent = assets(first, second)
    shown = shown_of(
        [found(clip, words("hello"), frames(2)), found(silent, words(None, None, "frames-only"), frames(1))]
    )
    plain = shown.without_images()
    assert shown.manifest
    assert (plain.images, plain.manifest) == ((), "")
    assert block(first, 1, plain).endswith("\ntranscript:\n> hello")
    assert block(second, 2, plain) == block(second, 2)
    assert plain.without_images() is plain


def test_nothing_shown_changes_nothing():
    """Text and values are those of a call without media."""
    one = showing(7, photo(), video(), quoted=showing(5, photo("b")))
    assert block(one, 1, NOTHING_SHOWN) == block(one, 1) == block(one, 1, shown_of([]))
    assert shown_of([]).manifest == ""
    delivery = Delivery(kind="post", units=(one,))
    assert items(delivery, NOTHING_SHOWN) == items(delivery)


def test_items_hold_what_videos_say_and_show():
    """As a list on the post that owns the video, quoted and reposted ones alike, without absent texts."""
    root = showing(
        7, video("a"), video("b"), quoted=showing(5, video("c")), reposted=showing(6, video("d"), handle="cho")
    )
    said = (words(), words(None, "A door.", "gemini-native"), words("x", "y"), words(None, None, "frames-only"))
    shown = shown_of([found(clip, one) for clip, one in zip(assets(root), said, strict=True)])
    (item,) = items(Delivery(kind="post", units=(root,)), shown)
    assert item["video"] == [
        {"method": "stt-only", "transcript": SPEECH},
        {"method": "gemini-native", "visual": "A door."},
    ]
    assert item["quoted"]["video"] == [{"method": "stt-only", "transcript": "x", "visual": "y"}]
    assert item["reposted"]["video"] == [{"method": "frames-only"}]
    assert list(item)[-3:] == ["video", "quoted", "reposted"]


def test_long_texts_are_cut_alike_in_text_and_items():
    """At 4,000 characters of transcript and 1,500 of visual notes as they are shown, 100 of the method, each with an
    ellipsis."""
    one = showing(7, video())
    (clip,) = assets(one)
    shown = shown_of([found(clip, words("spoken line\n" * 2_000, "v" * 9_000, "m" * 300))])
    (said,) = shown.texts(one)
    assert said.method == "m" * 100 + "…"
    assert said.visual == "v" * 1_497 + "…"
    assert said.transcript is not None
    assert 3_980 < rendered(said.transcript) <= 4_001
    assert said.transcript.endswith("\nspoken…")
    (item,) = items(Delivery(kind="post", units=(one,)), shown)
    assert item["video"] == [{"method": said.method, "transcript": said.transcript, "visual": said.visual}]
    assert block(one, 1, shown).endswith("\nvisual:\n> " + said.visual)


def rendered(words: text.Block) -> int:
    """Characters of quoted lines, the break before each included."""
    return sum(len("\n" + line) for line in quoted_lines(words))


@pytest.mark.parametrize(("size", "cut"), [(4_000 - 3, False), (4_000 - 2, True)])
def test_the_mark_and_the_break_of_a_line_count(size, cut):
    """One line may have three characters fewer than the cap."""
    kept = capped(text.block("a" * size), 4_000)
    assert kept.endswith("…") is cut
    assert rendered(kept) == 4_000 + cut


def test_a_cut_leaves_no_half_of_an_emoji():
    """A joiner that joins nothing any more is no visible text."""
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    kept = capped(text.block("a" * 94 + family), 100)
    assert kept == "a" * 94 + "\U0001f468\u200d\U0001f469…"


def test_characters_of_four_bytes_get_no_more_bytes_than_were_set_aside():
    """Three bytes a character; a text of emoji alone is cut earlier."""
    kept = capped(text.block("\U0001f600" * 5_000), 4_000)
    assert len(("\n> " + kept).encode()) <= 3 * 4_001
    assert len(kept) == 3_000


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from(["a", "é", "日", "\U0001f600", "\n", " ", '"', "\\"]), max_size=200).map("".join),
    st.integers(10, 120),
)
def test_no_text_takes_more_than_its_room(raw, cap):
    """Neither more characters, nor more than three bytes for each of them; what fits stays whole."""
    whole = text.block(raw)
    kept = capped(whole, cap)
    shown = "".join("\n" + line for line in quoted_lines(kept))
    assert len(shown) <= cap + 1
    assert len(shown.encode()) <= 3 * (cap + 1)
    if kept != whole:
        assert kept.endswith("…")
        assert whole.startswith(kept[:-1])
        assert rendered(whole) > cap or len("\n".join(quoted_lines(whole)).encode()) > 3 * cap - 1
