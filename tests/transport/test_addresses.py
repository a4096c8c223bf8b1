"""Which addresses count as public."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.http.addresses import address_of, is_public

PUBLIC_4 = ("1.1.1.1", "8.8.8.8", "104.244.42.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "223.9.9.9")
PUBLIC_6 = ("2606:4700::1111", "2a04:9d40::1", "2001:4860:4860::8888", "2400:cb00::1")
NOT_PUBLIC_4 = {
    "this network": "0.0.0.0",
    "private, large": "10.1.2.3",
    "private, middle": "172.31.255.255",
    "private, small": "192.168.0.1",
    "shared by a carrier": "100.64.0.1",
    "shared, where one cloud has its metadata": "100.100.100.200",
    "loopback": "127.0.0.1",
    "loopback, not the usual one": "127.200.1.1",
    "link-local, where clouds have their metadata": "169.254.169.254",
    "protocol assignments": "192.0.0.192",
    "documentation": "203.0.113.7",
    "benchmarks": "198.19.255.1",
    "old relays": "192.88.99.1",
    "multicast": "224.0.0.1",
    "reserved": "240.0.0.1",
    "broadcast": "255.255.255.255",
    "a cloud's service for its machines": "168.63.129.16",
}
NOT_PUBLIC_6 = {
    "unspecified": "::",
    "loopback": "::1",
    "link-local": "fe80::1",
    "link-local with its zone": "fe80::1%1",
    "global with a zone": "2606:4700::1111%1",
    "unique local": "fd12:3456::1",
    "unique local, where one cloud has its metadata": "fd00:ec2::254",
    "site-local": "fec0::1",
    "multicast": "ff02::1",
    "documentation": "2001:db8::1",
    "newer documentation": "3fff::1",
    "discard only": "100::1",
    "local translation": "64:ff9b:1::808:808",
    "IPv4-compatible": "::7f00:1",
    "a tunnel to a private address": "2002:0a00:0001::1",
    "a Teredo tunnel": "2001:0:7f00:1::1",
    "segment routing": "5f00::1",
}


@pytest.mark.parametrize("text", [*PUBLIC_4, *PUBLIC_6])
def test_addresses_of_the_open_network_are_public(text: str) -> None:
    """Neighbours of every private block among them."""
    assert is_public(ip_address(text))


@pytest.mark.parametrize("text", NOT_PUBLIC_4.values(), ids=NOT_PUBLIC_4.keys())
def test_special_addresses_are_not_public(text: str) -> None:
    """In whatever form the same address is written."""
    address = IPv4Address(text)
    for form in (address, mapped(address), translated(address), tunnelled(address)):
        assert not is_public(form), form


@pytest.mark.parametrize("text", NOT_PUBLIC_6.values(), ids=NOT_PUBLIC_6.keys())
def test_special_addresses_of_the_new_kind_are_not_public(text: str) -> None:
    """Whatever lies outside the one block of global addresses, and what is set aside inside it."""
    assert not is_public(IPv6Address(text))


@given(st.ip_addresses(v=4))
def test_a_translated_address_counts_as_the_one_that_is_meant(address: IPv4Address) -> None:
    """A network that has only the new addresses reaches the old ones in this way."""
    assert is_public(mapped(address)) == is_public(translated(address)) == is_public(address)


@given(st.ip_addresses())
def test_no_address_is_public_that_the_standard_library_knows_to_be_special(
    address: IPv4Address | IPv6Address,
) -> None:
    """Two lists made by different people, and ours is at least as strict."""
    special = address.is_private or address.is_loopback or address.is_link_local or address.is_multicast
    if special or address.is_reserved or address.is_unspecified:
        assert not is_public(address) or stands_for_another(address)


def test_only_a_written_address_is_an_address() -> None:
    """Names are not, nor are the short and numeric forms that a look-up understands."""
    assert address_of("1.2.3.4") == IPv4Address("1.2.3.4")
    assert address_of("::1") == IPv6Address("::1")
    for host in ("pbs.twimg.com", "127.1", "2130706433", "0x7f000001", "", "[::1]"):
        assert address_of(host) is None


def mapped(address: IPv4Address) -> IPv6Address:
    return IPv6Address(f"::ffff:{address}")


def translated(address: IPv4Address) -> IPv6Address:
    return IPv6Address(f"64:ff9b::{address}")


def tunnelled(address: IPv4Address) -> IPv6Address:
    return IPv6Address(0x2002 << 112 | int(address) << 80 | 1)


def stands_for_another(address: IPv4Address | IPv6Address) -> bool:
    return isinstance(address, IPv6Address) and address in (mapped(lowest(address)), translated(lowest(address)))


def lowest(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFF_FFFF)
