"""Which addresses are public: globally routable, of one machine, and no way round to one that is not."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

Address = IPv4Address | IPv6Address

# Lists of our own, since those of the standard library differ between its releases. From IANA's registries of special
# addresses (RFC 6890 and its successors); the last one is where a large cloud serves its virtual machines.
_NOT_PUBLIC_4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
        "168.63.129.16/32",
    )
)
_GLOBAL_6: Final = IPv6Network("2000::/3")
# Teredo is part of the first one and 6to4 the third: tunnels to an IPv4 address, which no picture is served from.
_NOT_PUBLIC_6: Final = tuple(
    IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)
_NAT64: Final = IPv6Network("64:ff9b::/96")


def address_of(host: str) -> Address | None:
    """A host that is written as an address, brackets left out; ``None`` for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """Whether a request may go there.

    Not public are private, shared, loopback, link-local, multicast, reserved, documentation and unspecified addresses,
    those of cloud metadata services, and IPv6 forms of any of them. The IPv6 form of an IPv4 address counts as that
    address.
    """
    if isinstance(address, IPv6Address):
        inner = _embedded(address)
        if inner is None:
            is_global = address in _GLOBAL_6 and address.scope_id is None
            return is_global and not any(address in network for network in _NOT_PUBLIC_6)
        address = inner
    return not any(address in network for network in _NOT_PUBLIC_4)


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 one stands for, where a network translates between them."""
    return address.ipv4_mapped or (IPv4Address(int(address) & 0xFFFF_FFFF) if address in _NAT64 else None)
