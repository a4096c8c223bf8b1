"""A faithful local stand-in for the upstream API, over an invented world.

`Sandbox` is an ASGI application: hand it to an in-process client, or serve it on a loopback port with
`twitter_tool.sandbox.serve`. Importing this package builds nothing and loads nothing beyond the standard
library.
"""

from __future__ import annotations

from .app import ConnectionDropped, Sandbox
from .clock import WORLD_NOW
from .faults import FAULT_HELP, FAULT_NAMES, Fault, FaultName, parse_faults
from .hints import hints

__all__ = [
    "FAULT_HELP",
    "FAULT_NAMES",
    "WORLD_NOW",
    "ConnectionDropped",
    "Fault",
    "FaultName",
    "Sandbox",
    "hints",
    "parse_faults",
]
