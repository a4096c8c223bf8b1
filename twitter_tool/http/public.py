"""Which hosts may be asked: those whose every address is public, found out by one look-up that is then relied on."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from twitter_tool.http.addresses import Address, address_of, is_public
from twitter_tool.http.values import HttpFailure

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]


async def look_up(host: str, port: int) -> Sequence[str]:
    """The addresses of a host name, in the system's order of preference.

    Raises:
        OSError: it has none.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:  # a label of more than 63 characters, or an empty one
        raise _nowhere() from None
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicHosts:
    """The rule by which hosts are admitted.

    Attributes:
        resolve: gives the addresses of a name and port; an address written as host is not looked up.
        is_public: whether an address may be connected to.
    """

    resolve: Resolver = look_up
    is_public: Callable[[Address], bool] = is_public

    async def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """Where a host may be reached.

        Raises:
            HttpFailure: ``forbidden``, when any of its addresses is not public.
            OSError: it has no address.
        """
        found = (host,) if address_of(host) is not None else tuple(await self.resolve(host, port))
        if not found:
            raise _nowhere()
        return tuple(self._admitted(text) for text in found)

    def check_written(self, host: str) -> None:
        """Refuse a host that is written as an address and not public; names pass, since nothing is looked up.

        Raises:
            HttpFailure: ``forbidden``.
        """
        if address_of(host) is not None:
            self._admitted(host)

    def _admitted(self, text: str) -> str:
        address = address_of(text)
        if address is None or not self.is_public(address):
            raise HttpFailure("forbidden", "the host leads to an address that is not public")
        return str(address)


def _nowhere() -> OSError:
    return socket.gaierror(socket.EAI_NONAME, "the host has no address")
