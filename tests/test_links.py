"""Which ids, handles and links are taken, shown and cited."""

from __future__ import annotations

import re
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool import links
from twitter_tool.links import link, permalink, post_id, profile_url, search_url, space_url

LOOKALIKE_HOSTS = [
    "example.org",
    "fxtwitter.com",
    "x.com.evil.test",
    "evil-x.com",
    "notx.com",
    "twitter.com.evil.test",
    "x.co",
    "xcom",
    "х.com",  # Cyrillic
    "x.com.",
    "x..com",
    ".x.com",
    "xn--x-com",
    "x.com:x",
]


@pytest.mark.parametrize(
    ("given_as", "expected"),
    [
        (" 12345 ", "12345"),
        ("007", "007"),
        ("1" * 25, "1" * 25),
        ("https://twitter.com/a/statuses/12345", "12345"),
        ("https://mobile.twitter.com/a/status/12345/photo/1?s=20", "12345"),
        ("https://x.com/i/web/status/12345", "12345"),
        ("https://X.COM/a/status/7", "7"),
        ("ftp://u:p@x.com/a/status/7", "7"),
        ("https://x.com/a/status/" + "9" * 30, "9" * 30),
        ("https://x.com/a/status/7#top", "7"),
    ],
)
def test_post_references_that_are_understood(given_as, expected):
    """An id, or a link to a post on X of any spelling; scheme and user name of a reference do not matter."""
    assert post_id(given_as) == expected


@pytest.mark.parametrize(
    "given_as",
    [
        "https://x.com/a/status/12345garbage",
        "https://x.com/search?q=/status/12345",
        "https://x.com/a#/status/12345",
        "x.com/a/status/12345",
        "https://x.com/i/article/12345",
        "https://x.com/a/status/",
        "https://x.com/a/xstatus/5",
        "https://x.com\\@evil.test/a/status/5",
        "https://x.com/a/status/1\u200b2",
        "https://x.com:99999/a/status/5",
        "https:///a/status/5",
        *(f"https://{host}/a/status/1" for host in LOOKALIKE_HOSTS if host != "x.com:x"),
        "1" * 26,
        "-1",
        "1.0",
        "\uff11\uff12",
        "\u0661\u0662",
        "12\n34",
        "nope",
        "",
        "[::1",
    ],
)
def test_post_references_that_are_refused(given_as):
    """Other hosts, look-alikes, other pages, digits of other scripts and half numbers are no references."""
    assert post_id(given_as) is None


def test_a_bare_id_is_one_to_twenty_five_ascii_digits():
    """The same rule as for references, without the links."""
    assert links.is_post_id("7")
    assert not links.is_post_id("7\n")
    assert not links.is_post_id("1" * 26)
    assert not links.is_post_id("٧")


@pytest.mark.parametrize(
    "url",
    [
        "https://x.com/ann/status/7",
        "https://mobile.twitter.com/Ann/status/1/photo/1?s=20",
        "https://mobile.twitter.com/Alice/status/111/photo/1?s=20&text=a%0Ab",
        "http://x.com/ann/status/7",
        "HTTPS://X.com/ann/status/7",
        "https://x.com:443/ann/statuses/7/",
        "https://x.com/i/web/status/5#frag",
        "https://x.com/éa/status/7",
        "https://x.com/a@b/status/7",
    ],
)
def test_a_citable_permalink_is_kept_word_for_word(url):
    """Query, suffix, case and mobile host stay: the fetched address is used verbatim."""
    assert permalink(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "https://x.com/ann/status/1\t",
        " https://x.com/ann/status/1",
        "https://x.com/ann/status/1\n[9] @x",
        "https://x.com/ann/st\natus/1",
        "https://x.com/ann/status/1\u2028",
        "https://x.com/ann/status/1\u200b",
        "https://x.com/ann/status/1?x=\u202e",
        "https://x.com/ann/status/1?x=\x7f",
        "https://x.com/ann/status/1?x=\ud800",
        "https://x.com/ann/status/1?x=\ue000",
        "https://x.com/ann/status/1?x=\u0378",
        "https://x.com/ann/status/1?x=\xa0",
        "https://u:p@x.com/ann/status/1",
        "https://@x.com/ann/status/1",
        "https://x.com@evil.test/ann/status/1",
        "https://x.com\\@evil.test/ann/status/1",
        "https://x.com/ann\\b/status/1",
        "https://evil.test\\.x.com/ann/status/1",
        "https://x.com/search?q=/status/111",
        "https://x.com/ann",
        "https://x.com/ann/status/1abc",
        "javascript:alert(1)//x.com/a/status/1",
        "ftp://x.com/ann/status/1",
        "//x.com/ann/status/1",
        "x.com/ann/status/1",
        "https://x.com/ann/status/1?" + "q" * 2048,
        "",
        None,
        7,
        *(f"https://{host}/ann/status/1" for host in LOOKALIKE_HOSTS),
    ],
)
def test_an_address_that_may_not_be_cited_is_dropped_whole(url):
    """Blanks, controls, invisible characters, credentials, other hosts or pages: nothing is repaired."""
    assert permalink(url) is None


@pytest.mark.parametrize(
    "url", ["https://example.org/a", "http://e.org:8080/x?y#z", "https://e.org/ü", "https://t.co/abc"]
)
def test_a_destination_fit_to_be_shown_is_kept(url):
    """Any http or https address without traps may be shown as not fetched."""
    assert link(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "https://u:p@e.org/",
        " https://e.org",
        "https://e.org/a b",
        "https://e.org\n",
        "https://e.org/\u2028",
        "https://e.org/\u200b",
        "https://e.org/\x1b[0m",
        "https://",
        "https://[::1",
        "https://e.org:port/",
        "https://e.org\\@f.org",
        "https://e.org/a\\b",
        "https://e.org/" + "a" * 2035,
        {"url": "https://e.org"},
        None,
    ],
)
def test_a_destination_with_a_trap_is_dropped(url):
    """Other schemes, credentials, blanks, controls, invisible characters, broken hosts and excess length."""
    assert link(url) is None


def test_the_length_limit_of_addresses_is_inclusive():
    """2,048 characters pass, one more does not, for plain addresses and for unusual ones."""
    assert link("https://e.org/é" + "a" * (2048 - 15)) is not None
    assert link("https://e.org/é" + "a" * (2049 - 15)) is None
    assert link("https://e.org/" + "a" * (2048 - 14)) is not None
    assert link("https://e.org/" + "a" * (2049 - 14)) is None


@pytest.mark.parametrize("host", ["x.com", "twitter.com", "mobile.twitter.com", "X.com", "a.b.x.com"])
def test_hosts_of_x(host):
    """The two names and their subdomains, whatever the case."""
    assert links.is_x_host(host)


@pytest.mark.parametrize(
    "host", [*LOOKALIKE_HOSTS, None, "", "\u212a.x.com", "x.com/", "x.com\n", "-.x.com", "a_b.x.com"]
)
def test_hosts_that_only_look_like_x(host):
    """Never a substring test."""
    assert not links.is_x_host(host)


@pytest.mark.parametrize("handle", ["grok", "A_1", "a" * 15])
def test_a_plain_handle_makes_a_profile_address(handle):
    """Letters, digits, underscores, at most fifteen."""
    assert profile_url(handle) == f"https://x.com/{handle}"


@pytest.mark.parametrize(
    "handle", ["search?q=x", "a\nb", "search", "SEARCH", "", "a" * 16, "é", "a b", "a/b", "@a", "a\u200b"]
)
def test_any_other_handle_makes_none(handle):
    """A handle that would lead elsewhere is listed without an address."""
    assert profile_url(handle) is None


def test_a_search_address_encodes_the_expression_like_a_browser():
    """Spaces and reserved signs are percent-encoded, a few harmless signs stay."""
    assert search_url("#AI & co") == "https://x.com/search?q=%23AI%20%26%20co"
    assert search_url("!'()*~-_.") == "https://x.com/search?q=!'()*~-_."
    assert search_url("a+b/c") == "https://x.com/search?q=a%2Bb%2Fc"
    assert search_url("é\ud800") == "https://x.com/search?q=%C3%A9%3F"


def test_a_space_address_needs_a_plain_id():
    """Only a plain token makes the address of a Space."""
    assert space_url("1ExSpAcEyNgQz") == "https://x.com/i/spaces/1ExSpAcEyNgQz"
    assert space_url("a/b") is None
    assert space_url("a\n") is None
    assert space_url("") is None


@pytest.mark.parametrize(
    ("url", "handle"),
    [
        ("https://x.com/ann/status/50", "ann"),
        ("https://twitter.com/Ann/status/50/", "Ann"),
        ("https://x.com/ann/status/50?s=20", "ann"),
        ("https://x.com/i/web/status/50", None),
        ("https://x.com/ann/status/50/photo/1", None),
        ("https://x.com/ann/statuses/50", None),
        ("https://x.com/" + "a" * 16 + "/status/50", None),
    ],
)
def test_an_article_is_only_cited_by_the_exact_path_of_its_post(url, handle):
    """Handle, status, id and at most a trailing slash: any other path names no author."""
    found = permalink(url)
    assert found is not None
    assert links.article_permalink_handle(found) == handle


def test_the_id_in_a_permalink_is_the_one_of_its_path():
    """Query and fragment never count."""
    assert links.permalink_id("https://x.com/a/status/7?x=/status/9#/status/8") == "7"


@given(st.text(max_size=40), st.sampled_from(["https://x.com/a/status/1", "https://x.com/", "https://", ""]))
def test_whatever_is_accepted_is_unchanged_printable_and_one_line(tail, start):
    """No accepted address differs from what was sent, breaks a line, hides a character or fails to encode."""
    raw = start + tail
    for accepted in (permalink(raw), link(raw)):
        if accepted is not None:
            assert accepted == raw
            assert accepted.splitlines() == [accepted]
            assert accepted.isprintable()
            assert " " not in accepted
            accepted.encode("utf-8")


NEVER = re.compile(r"(?!)")
PIECES = ["https://", "http://", "x.com", "e.org", ".", "-", "@", ":", "443", "/", "status", "7", "ann", "?", "#"]
PIECES += ["[", "]", "\\", "%", "é", "\u200b", " ", "_", "a" * 16]
url_parts = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)


@given(url_parts, st.sampled_from(["https://x.com/ann/status/", "https://x.com/", "https://", ""]))
def test_the_short_way_for_plain_addresses_accepts_nothing_more(tail, start):
    """Addresses of the two common shapes are decided exactly as the full checks decide them."""
    raw = start + tail
    with mock.patch.multiple(links, _PLAIN_LINK=NEVER, _PLAIN_PERMALINK=NEVER):
        slow = (link(raw), permalink(raw))
    assert (link(raw), permalink(raw)) == slow
