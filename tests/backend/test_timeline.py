"""Posts and accounts told apart over pages, and pinned posts put in their place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire_bodies import Body, raw_account, raw_post

from twitter_tool.backends.twitterapi.timeline import Accounts, Posts
from twitter_tool.backends.twitterapi.wire import accounts as wire_accounts
from twitter_tool.backends.twitterapi.wire import posts as wire_posts

U = "https://x.com/ann/status/300"


def anonymous(url: str | None = None, text: str = "t", **more: Any) -> Body:
    return {"text": text, **({"url": url} if url else {}), **more}


def gathered(*pages: tuple[Any, list[Body]]) -> tuple[Posts, dict[str, dict[str, Any]]]:
    """Pages of (pin, rows), and the notes by code."""
    posts = Posts()
    for pin, rows in pages:
        posts.pin(pin)
        for row in rows:
            post = wire_posts.post(row)
            assert post is not None
            posts.add(post)
    return posts, {entry.code: dict(entry.figures) for entry in posts.finish()}


def shown(posts: Posts) -> list[tuple[str | None, str | None, bool]]:
    return [(post.id, post.text, post.pinned) for post in posts.records]


def kept(rows: list[Body]) -> list[str | None]:
    return [text for _, text, _ in shown(gathered((None, rows))[0])]


def test_posts_with_the_same_id_are_one() -> None:
    """The first stays."""
    assert kept([raw_post(1, text="first"), raw_post(1, text="second"), raw_post(2)]) == ["first", "t2"]


def test_posts_with_the_same_link_are_one_and_names_of_duplicates_count_too() -> None:
    """A chain of aliases collapses into its first member."""
    rows = [
        {"id": "1", "url": "A", "text": "first"},
        {"id": "1", "url": "B", "text": "second"},
        {"url": "B", "text": "third"},
    ]
    assert kept(rows) == ["first"]


def test_links_are_compared_as_they_were_sent() -> None:
    """Two hosts are two posts, as far as anybody knows."""
    rows = [anonymous("https://x.com/a/status/1", "x"), anonymous("https://twitter.com/a/status/1", "y")]
    assert kept(rows) == ["x", "y"]


def test_posts_without_any_name_are_all_kept() -> None:
    """Blank names are no names."""
    assert kept([anonymous(), anonymous(), {"id": " ", "url": "", "text": "t"}]) == ["t", "t", "t"]


def test_numbers_are_no_ids() -> None:
    """They may have lost digits, so they tell nothing apart."""
    assert kept([{"id": 1, "text": "a"}, {"id": 1, "text": "b"}]) == ["a", "b"]


def test_accounts_with_the_same_id_or_the_same_handle_in_any_case_are_one() -> None:
    """With the same chaining."""
    accounts = Accounts()
    for row in (
        raw_account("grok", id="1"),
        raw_account("GROK"),
        raw_account("renamed", id="1"),
        raw_account("Renamed", id="2"),
        raw_account("other", id="2"),
        raw_account("new", id="3"),
    ):
        account = wire_accounts.account(row)
        assert account is not None
        accounts.add(account)
    assert [account.handle for account in accounts.records] == ["grok", "new"]


names = st.sampled_from([None, "1", "2", "3", "4", ""])
urls = st.sampled_from([None, "A", "B", "https://x.com/a/status/1", "https://x.com/a/status/2"])
rows_of_posts = st.lists(
    st.builds(lambda name, url, text: {"id": name, "url": url, "text": text}, names, urls, st.text(max_size=2)),
    max_size=12,
)


@given(rows_of_posts)
def test_telling_posts_apart_keeps_their_order_and_changes_nothing_the_second_time(rows: list[Body]) -> None:
    """The kept posts are a subsequence of what came, and no two of them share a name."""
    posts, _ = gathered((None, rows))
    read = [wire_posts.post(row) for row in rows]
    at = 0
    for post in posts.records:
        at = read.index(post, at) + 1
    for position in (0, 1):
        named = [post.identities[position] for post in posts.records if post.identities[position]]
        assert len(named) == len(set(named))
    before = list(posts.records)
    again = Posts()
    for post in before:
        again.add(post)
    assert again.records == before
    for found in read:
        if found is not None and any(found.identities):
            posts.add(found)
    assert posts.records == before


@given(st.lists(st.tuples(st.sampled_from(["ann", "ANN", "bob", "cy"]), names), max_size=12))
def test_telling_accounts_apart_keeps_their_order_and_no_two_share_a_name(rows: list[tuple[str, str | None]]) -> None:
    """The same for accounts."""
    accounts = Accounts()
    read = []
    for handle, account_id in rows:
        account = wire_accounts.account(raw_account(handle, id=account_id))
        assert account is not None
        read.append(account)
        accounts.add(account)
    at = 0
    for account in accounts.records:
        at = read.index(account, at) + 1
    handles = [account.handle.lower() for account in accounts.records]
    assert len(handles) == len(set(handles))


def test_no_pin_says_nothing() -> None:
    """Null is the usual case."""
    posts, notes = gathered((None, [raw_post(1)]))
    assert shown(posts) == [("1", "t1", False)]
    assert notes == {}


def test_a_whole_pin_stands_before_the_posts_of_its_page_and_is_marked() -> None:
    """Its copy in the timeline is the same post."""
    posts, notes = gathered((raw_post(2), [raw_post(1)]))
    assert shown(posts) == [("2", "t2", True), ("1", "t1", False)]
    posts, notes = gathered((raw_post(2), [raw_post(2), raw_post(1)]))
    assert shown(posts) == [("2", "t2", True), ("1", "t1", False)]
    assert notes == {}


def test_a_whole_pin_on_a_later_page_marks_the_post_where_it_stands() -> None:
    """Or follows what was read before it."""
    posts, notes = gathered((None, [raw_post(1), raw_post(2)]), (raw_post(2), [raw_post(3)]))
    assert shown(posts) == [("1", "t1", False), ("2", "t2", True), ("3", "t3", False)]
    posts, _ = gathered((None, [raw_post(1)]), (raw_post(9), [raw_post(2)]))
    assert [name for name, _, _ in shown(posts)] == ["1", "9", "2"]
    assert notes == {}


def test_a_pin_repeated_on_every_page_is_one_post() -> None:
    """Also one that has neither id nor link."""
    assert len(gathered((raw_post(2), [raw_post(1)]), (raw_post(2), [raw_post(3)]))[0].records) == 3
    pin = anonymous(text="pinned words")
    posts, notes = gathered((pin, [raw_post(1)]), (pin, [raw_post(2)]))
    assert shown(posts) == [(None, "pinned words", True), ("1", "t1", False), ("2", "t2", False)]
    assert notes == {}


def test_a_pin_of_pictures_only_is_a_whole_post() -> None:
    """Text is not the only content."""
    pin = raw_post(
        2, text="", extendedEntities={"media": [{"type": "photo", "media_url_https": "https://p.org/a.jpg"}]}
    )
    posts, notes = gathered((pin, []))
    assert [(post.id, post.pinned) for post in posts.records] == [("2", True)]
    assert notes == {}


NOT_WHOLE = ["200", "https://x.com/ann/status/200", {"id": "200"}, {"id": "200", "text": " "}, {"id": "200", "text": 5}]


@pytest.mark.parametrize("pin", [*NOT_WHOLE, {"url": "https://x.com/ann/status/200"}])
def test_a_pin_of_which_only_the_name_came_marks_its_post_in_the_timeline(pin: Any) -> None:
    """Also when the name comes on a later page than the post."""
    for pages in (((pin, [raw_post(1), raw_post(200)]),), ((None, [raw_post(1), raw_post(200)]), (pin, []))):
        posts, notes = gathered(*pages)
        assert shown(posts) == [("1", "t1", False), ("200", "t200", True)]
        assert notes == {}


@pytest.mark.parametrize("pin", NOT_WHOLE)
def test_a_pin_whose_post_did_not_come_is_said_to_be_missing(pin: Any) -> None:
    """A copy without content is no post either."""
    for rows in ([raw_post(1)], [], [raw_post(200, text="")]):
        posts, notes = gathered((pin, rows))
        assert notes == {"pin_not_returned": {"count": 1, "ids": ["200"]}}
        assert not any(post.pinned for post in posts.records)


@pytest.mark.parametrize(
    "pin", [{"opaque": "x"}, {}, [], 200, True, "nope", "", {"id": 200}, {"id": "9" * 26}, {"url": "https://e.org/1"}]
)
def test_a_pin_without_a_usable_name_is_not_recognised(pin: Any) -> None:
    """And nothing is concluded from it."""
    posts, notes = gathered((pin, [raw_post(1), raw_post(200)]))
    assert notes == {"pin_unrecognised": {"count": 1}}
    assert not any(post.pinned for post in posts.records)


def test_a_whole_pin_replaces_a_copy_known_by_its_link_only_in_its_place() -> None:
    """And says that one copy was merged."""
    short = anonymous("https://twitter.com/ann/status/9", "short")
    posts, notes = gathered((None, [short, raw_post(1)]), (raw_post(9), []))
    assert shown(posts) == [("9", "t9", True), ("1", "t1", False)]
    assert posts.records[0].permalink == "https://x.com/ann/status/9"
    assert notes == {"pin_merged": {"count": 1}}


def test_a_copy_known_by_its_link_only_that_comes_after_the_pin_is_merged_too() -> None:
    """Whatever the order of arrival."""
    posts, notes = gathered((raw_post(9), [anonymous("https://twitter.com/ann/status/9", "short"), raw_post(1)]))
    assert shown(posts) == [("9", "t9", True), ("1", "t1", False)]
    assert notes == {"pin_merged": {"count": 1}}


def test_a_whole_pin_takes_the_place_of_an_empty_copy() -> None:
    """The copy was nothing to look at."""
    posts, _ = gathered((None, [raw_post(9, text=""), raw_post(1)]), (raw_post(9), []))
    assert shown(posts) == [("9", "t9", True), ("1", "t1", False)]


@pytest.mark.parametrize("pin", ["9", raw_post(9)])
def test_all_copies_that_become_the_same_pin_are_merged_into_the_first_place(pin: Any) -> None:
    """Whether the pin came whole or by its id."""
    rows = [
        raw_post(1),
        anonymous("https://twitter.com/ann/status/9", "short"),
        raw_post(9, url="https://mobile.x.com/ann/status/9"),
        anonymous("https://x.com/i/status/9", "shorter"),
    ]
    posts, notes = gathered((None, rows), (pin, []))
    assert shown(posts) == [("1", "t1", False), ("9", "t9", True)]
    assert notes == {"pin_merged": {"count": 2}}


def test_copies_known_by_different_links_only_are_merged_by_an_id() -> None:
    """One of them stays, and the other is counted."""
    rows = [anonymous("https://twitter.com/ann/status/9", "a"), anonymous("https://x.com/ann/status/9", "b")]
    posts, notes = gathered(("9", rows))
    assert shown(posts) == [(None, "a", True)]
    assert notes == {"pin_merged": {"count": 1}}


def test_two_known_ids_never_share_a_pin_even_with_the_same_link() -> None:
    """Whether the pin came whole or as a stub, first or last."""
    posts, notes = gathered(({"id": "200", "url": U}, [raw_post(300, url=U)]))
    assert shown(posts) == [("300", "t300", False)]
    assert notes == {"pin_not_returned": {"count": 1, "ids": ["200"]}}
    whole = raw_post(200, url=U)
    for pages in (((whole, [raw_post(300, url=U)]),), ((None, [raw_post(300, url=U)]), (whole, []))):
        posts, notes = gathered(*pages)
        assert {(name, pinned) for name, _, pinned in shown(posts)} == {("200", True), ("300", False)}
        assert notes == {}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                [None, "1", "2", "https://x.com/a/status/1", {"id": "2"}, {"o": 1}, raw_post(1), raw_post(2)]
            ),
            rows_of_posts,
        ),
        max_size=4,
    )
)
def test_whatever_pins_come_no_two_posts_of_one_id_are_left(pages: list[tuple[Any, list[Body]]]) -> None:
    """And only what was named as a pin is marked as one."""
    posts, _ = gathered(*pages)
    named = [post.identities[0] for post in posts.records if post.identities[0]]
    assert len(named) == len(set(named))
    for post in posts.records:
        if post.pinned:
            assert wire_posts.post_identity(post) in {"1", "2"}
