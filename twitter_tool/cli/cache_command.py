"""The action behind `cache`: show what the private cache of video text holds, or empty it."""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from twitter_tool.cli import documents
from twitter_tool.cli.invocation import Invocation
from twitter_tool.cli.run import loaded_settings
from twitter_tool.cli.streams import write_err, write_out
from twitter_tool.clock import SYSTEM_CLOCK, iso_utc
from twitter_tool.errors import bad_settings
from twitter_tool.text import line

if TYPE_CHECKING:
    from twitter_tool.media.cache import CacheFacts

PATH_CAP: Final = 1_000
_UNITS: Final = (("MB", 1_000_000), ("KB", 1_000))


def run_cache(clear: bool, invocation: Invocation) -> int:
    """Print what is in the cache, or remove all of it; whether it is turned on makes no difference.

    Raises:
        SetupError: ``bad_settings``, when it cannot be looked at or emptied.
    """
    from twitter_tool.media.cache import EvidenceCache, cache_folder

    settings = loaded_settings(invocation).settings
    folder = cache_folder(settings["evidence_cache_dir"], os.environ)
    cache = EvidenceCache(folder, days=int(settings["evidence_cache_days"]), clock=SYSTEM_CLOCK)
    cleared = cache.clear() if clear else None
    facts = cache.facts()
    if not cache.usable:
        place = line(str(folder), PATH_CAP)
        raise bad_settings(str(cache.trouble), f"Mend {place}, or name another folder as evidence_cache_dir.")
    if cache.trouble is not None:
        write_err(f"note: {cache.trouble}\n")
    document = cache_document(facts, enabled=bool(settings["evidence_cache"]), cleared=cleared)
    write_out(documents.report_text(document, invocation, cache_table(document)))
    return 0


def cache_document(facts: CacheFacts, *, enabled: bool, cleared: int | None) -> dict[str, Any]:
    """The state of the cache as plain JSON values; times in UTC, ``None`` without an entry."""
    document = {
        "path": str(line(str(facts.path), PATH_CAP)),
        "enabled": enabled,
        "entries": facts.entries,
        "bytes": facts.size,
        "oldest": _time(facts.oldest),
        "newest": _time(facts.newest),
        "days": facts.days,
    }
    return document if cleared is None else document | {"cleared": cleared}


def cache_table(document: dict[str, Any]) -> str:
    """The same for people; after clearing, one line."""
    if "cleared" in document:
        count = document["cleared"]
        return f"{count} {'entry' if count == 1 else 'entries'} removed from {document['path']}\n"
    rows = (
        ("path", document["path"]),
        ("enabled", "yes" if document["enabled"] else "no; evidence_cache = true turns it on"),
        ("entries", document["entries"]),
        ("size", _size(document["bytes"])),
        ("oldest", document["oldest"] or "-"),
        ("newest", document["newest"] or "-"),
        ("expiry", f"after {document['days']} {'day' if document['days'] == 1 else 'days'}"),
    )
    return "".join(f"{name:<7}  {value}\n" for name, value in rows)


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else iso_utc(moment)


def _size(count: int) -> str:
    for unit, size in _UNITS:
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
