"""Addresses: what counts as this machine, what a service may have, and the origin that requests may be routed to."""

from __future__ import annotations

import re
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from twitter_tool.errors import SetupError, bad_settings

_VISIBLE = re.compile("[!-~]+")


def is_loopback(host: str) -> bool:
    """Whether a host as written is this machine: 127.0.0.0/8, ``::1`` or ``localhost``; nothing is looked up."""
    if host.lower() == "localhost":
        return True
    address = _address(host)
    if isinstance(address, IPv4Address):
        return address.is_loopback
    return address is not None and address == IPv6Address("::1")


def address_fault(address: str) -> str | None:
    """Why an address of a service cannot be used: it must be https or loopback, and hold no secret.

    Returns:
        A clause such as ``it has no host``, or ``None`` for a usable address. Nothing is looked up.
    """
    if not _VISIBLE.fullmatch(address) or "\\" in address:
        return "it is not an address"
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "its host or port cannot be read"
    if "@" in parts.netloc or "?" in address or "#" in address:
        return "it carries a user name, a query or a fragment"
    if not host or port == 0:
        return "it has no host"
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        return "it is neither https nor http on a loopback address"
    return None


def loopback_origin(raw: str) -> str:
    """Check the setting ``route_to`` and return it as ``http://HOST:PORT``.

    Raises:
        SetupError: ``bad_settings``, when it is anything but ``http://``, a loopback host and a port.
    """
    if not _VISIBLE.fullmatch(raw) or "?" in raw or "#" in raw or "\\" in raw:
        raise _refused(raw, "it is not a plain origin")
    try:
        parts = urlsplit(raw)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _refused(raw, "its host or port cannot be read") from None
    if parts.scheme != "http":
        raise _refused(raw, "its scheme is not http")
    if "@" in parts.netloc:
        raise _refused(raw, "it carries a user name or password")
    if parts.path not in ("", "/"):
        raise _refused(raw, "it has a path")
    if not port:
        raise _refused(raw, "it has no port between 1 and 65535")
    if host is None or not is_loopback(host):
        raise _refused(raw, "its host is not a loopback address")
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def loopback_addresses(origin: str) -> tuple[str, ...]:
    """The addresses, each a loopback one, behind an origin that :func:`loopback_origin` returned.

    Raises:
        SetupError: ``bad_settings``, when ``localhost`` is not known or leads anywhere else.
    """
    parts = urlsplit(origin)
    host = parts.hostname or ""
    if host != "localhost":
        return (host,)
    try:
        found = socket.getaddrinfo(host, parts.port, type=socket.SOCK_STREAM)
    except OSError:
        raise _refused(origin, "localhost has no address here") from None
    addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not all(is_loopback(address) for address in addresses):
        raise _refused(origin, "localhost does not lead to this machine only")
    return addresses


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _refused(raw: str, reason: str) -> SetupError:
    shown = "the value" if "@" in raw else repr(raw[:100])
    return bad_settings(
        f"route_to cannot be used: {shown}: {reason}",
        "Set TWITTER_TOOL_ROUTE_TO to http://127.0.0.1:PORT, http://[::1]:PORT or http://localhost:PORT, or unset it.",
    )
