"""Reads X (Twitter) into bounded, cited evidence: every word it quotes was fetched, and so was every post's link.

Importing this package imports nothing else; names are loaded when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from twitter_tool._version import __version__

if TYPE_CHECKING:
    from twitter_tool.errors import TwitterToolError
    from twitter_tool.result import Result
    from twitter_tool.schema import tool_schema
    from twitter_tool.tool import TwitterTool

__all__ = ["Result", "TwitterTool", "TwitterToolError", "__version__", "tool_schema"]

_HOMES = {
    "Result": "twitter_tool.result",
    "TwitterTool": "twitter_tool.tool",
    "TwitterToolError": "twitter_tool.errors",
    "tool_schema": "twitter_tool.schema",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
