"""Where requests may be routed: this machine and nowhere else."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from twitter_tool.errors import SetupError
from twitter_tool.loopback import is_loopback, loopback_addresses, loopback_origin


@pytest.mark.parametrize(
    ("raw", "origin"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://127.9.8.7:1", "http://127.9.8.7:1"),
        ("http://[::1]:65535", "http://[::1]:65535"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("HTTP://LocalHost:8080/", "http://localhost:8080"),
    ],
)
def test_a_loopback_origin_with_a_port_is_accepted(raw: str, origin: str) -> None:
    """A lone slash at the end is the same origin."""
    assert loopback_origin(raw) == origin


@pytest.mark.parametrize(
    "raw",
    ["", "127.0.0.1:8080", "https://127.0.0.1:8080", "ftp://127.0.0.1:8080", "http://127.0.0.1", "http://127.0.0.1:0",
     "http://127.0.0.1:65536", "http://127.0.0.1:", "http://127.0.0.1:80x", "http://127.0.0.1:8080/path",
     "http://127.0.0.1:8080?", "http://127.0.0.1:8080/?q=1", "http://127.0.0.1:8080#top", "http://10.0.0.1:8080",
     "http://0.0.0.0:8080", "http://128.0.0.1:8080", "http://example.org:8080", "http://localhost.example.org:8080",
     "http://127.0.0.1.example.org:8080", "http://127.1:8080", "http://0177.0.0.1:8080", "http://2130706433:8080",
     "http://[::ffff:127.0.0.1]:8080", "http://[::]:8080", "http://[fe80::1]:8080", "http://[::1:8080",
     "http://127.0.0.1\\@example.org:8080", " http://127.0.0.1:8080", "http://127.0.0.1:80\n80", "http://127.0.0.1:８０"],
)  # fmt: skip
def test_anything_else_is_refused_as_a_bad_setting(raw: str) -> None:
    """No other scheme, host, spelling of an address, path, query or missing port."""
    with pytest.raises(SetupError) as caught:
        loopback_origin(raw)
    assert caught.value.code == "bad_settings"
    assert "127.0.0.1:PORT" in (caught.value.hint or "")


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    """The message must not carry it on."""
    with pytest.raises(SetupError) as caught:
        loopback_origin("http://me:hunter22@127.0.0.1:8080")
    assert "hunter22" not in caught.value.message


def test_localhost_must_lead_to_this_machine_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name server or a hosts file could say otherwise."""
    found: list[Any] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_more: found)
    found[:] = [(2, 1, 6, "", ("127.0.0.1", 80)), (10, 1, 6, "", ("::1", 80, 0, 0))]
    assert loopback_addresses("http://localhost:80") == ("127.0.0.1", "::1")
    found.append((2, 1, 6, "", ("93.184.216.34", 80)))
    with pytest.raises(SetupError, match="this machine only"):
        loopback_addresses("http://localhost:80")


def test_localhost_without_an_address_is_a_bad_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Said before any request."""

    def unknown(*_args: Any, **_more: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(SetupError, match="no address"):
        loopback_addresses("http://localhost:80")


def test_hosts_are_judged_as_written() -> None:
    """Nothing is looked up."""
    assert all(is_loopback(host) for host in ("localhost", "LOCALHOST", "127.0.0.1", "127.255.255.254", "::1"))
    assert not any(
        is_loopback(host) for host in ("", "localhost.", "x.localhost", "1.2.3.4", "::2", "::ffff:127.0.0.1")
    )
