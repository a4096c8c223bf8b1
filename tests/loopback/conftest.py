"""Everything here talks to a served sandbox over real sockets, far from the user's settings and keys."""

from __future__ import annotations

from served_sandbox import home, served, server

__all__ = ["home", "served", "server"]
