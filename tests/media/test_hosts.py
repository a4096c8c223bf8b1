"""Which addresses media may be fetched from."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from twitter_tool.media.hosts import is_media_address

ALLOWED = [
    "https://pbs.twimg.com/media/a.jpg",
    "https://pbs.twimg.com/media/a?format=jpg&name=large",
    "https://video.twimg.com/ext_tw_video/1/pu/vid/avc1/720x1280/b.mp4?tag=12",
    "https://video-s.twimg.com/a.mp4",
    "https://twimg.com/x",
    "https://twimg.com",
    "https://a.b.c.twimg.com/x",
    "HTTPS://PBS.TWIMG.COM/x",
    "https://pbs.twimg.com:443/x",
    "https://pbs.twimg.com/x#@evil.test/",
    "https://pbs.twimg.com?@evil.test/",
    "https://pbs.twimg.com/https://evil.test/",
]
REFUSED = [
    "http://pbs.twimg.com/x.png",
    "https://127.0.0.1/x",
    "https://[::1]/x",
    "https://localhost/x",
    "https://pbs.twimg.com.evil.test/x",
    "https://eviltwimg.com/x",
    "https://evil-twimg.com/x",
    "https://twimg.com.",
    "https://pbs.twimg.com./x",
    "https://.twimg.com/x",
    "https://a..twimg.com/x",
    "https://-.twimg.com/x",
    "https://pbs.twimg.com:80/x",
    "https://pbs.twimg.com:8443/x",
    "https://pbs.twimg.com:0443/x",
    "https://pbs.twimg.com:/x",
    "https://pbs.twimg.com:443:443/x",
    "https://pbs.twimg.com@evil.test/x",
    "https://evil.test@pbs.twimg.com/x",
    "https://u:p@pbs.twimg.com/x",
    "https://@pbs.twimg.com/x",
    "https://evil.test\\.twimg.com/x",
    "https://evil.test\\@pbs.twimg.com/x",
    "https://pbs.twimg.com\\@evil.test/x",
    "https://pbs.twimg.com/a\\b",
    "https://evil.test/.twimg.com",
    "https://evil.test?.twimg.com",
    "https://evil.test#.twimg.com",
    "https://evil.test%2f.twimg.com/x",
    "https://evil.test%00.twimg.com/x",
    "https://pbs.twimg.com%2eevil.test/x",
    "https://pbs。twimg。com/x",
    "https://ｐbs.twimg.com/x",
    "https://pbs.twimg.c\u043em/x",
    "https://tw\u0131mg.com/x",
    "https://\u212aa.twimg.com/x",
    "https://pbs.twimg.com/\u202e.jpg",
    "https://pbs.twimg.com/\xe9.jpg",
    " https://pbs.twimg.com/x",
    "https://pbs.twimg.com/x ",
    "https://pbs.twimg.com/x\n",
    "https://pbs.twimg.com/x\r\nHost: evil.test",
    "https://pbs.tw\timg.com/x",
    "ht\ntps://pbs.twimg.com/x",
    "https://pbs.twimg.com\x00/x",
    "https:pbs.twimg.com/x",
    "https:/pbs.twimg.com/x",
    "https:///pbs.twimg.com/x",
    "//pbs.twimg.com/x",
    "pbs.twimg.com/x",
    "ftp://pbs.twimg.com/x",
    "file:///pbs.twimg.com/x",
    "data:image/png;base64,AAAA",
    "https://[pbs.twimg.com]/x",
    "https://[pbs.twimg.com/x",
    "https://pbs_1.twimg.com/x",
    "https://" + "a" * 64 + ".twimg.com/x",
    "https://pbs.twimg.com/" + "a" * 2048,
    "",
]


@pytest.mark.parametrize("url", ALLOWED)
def test_the_media_hosts_of_x_are_allowed(url: str) -> None:
    """The domain itself and its subdomains over https, on the usual port, in any case."""
    assert is_media_address(url)


@pytest.mark.parametrize("url", REFUSED)
def test_everything_else_is_refused(url: str) -> None:
    """Other schemes, hosts and ports, credentials, and whatever can be read in two ways."""
    assert not is_media_address(url)


PIECES = [
    "twimg.com",
    "pbs.",
    "a",
    ".",
    "@",
    "\\",
    "/",
    "evil.test",
    ":443",
    ":80",
    ":",
    "%2e",
    "[",
    "]",
    "#",
    "?",
    "\t",
    "-",
]


@given(st.lists(st.sampled_from(PIECES), max_size=4).map("".join), st.sampled_from(["", "/x", "@twimg.com/x"]))
@example("pbs.twimg.com", "/x")
def test_what_is_allowed_leads_the_http_library_to_the_domain(authority: str, rest: str) -> None:
    """Whatever the spelling: no address passes that the library which sends the request would read differently."""
    url = f"https://{authority}{rest}"
    if is_media_address(url):
        read = httpx.URL(url)
        assert (read.scheme, read.port, read.userinfo) == ("https", None, b"")
        assert read.host == "twimg.com" or read.host.endswith(".twimg.com")


@given(st.text())
def test_no_text_is_too_strange_to_be_judged(text: str) -> None:
    """Arbitrary text is refused and brings up no error."""
    assert not is_media_address(text)
