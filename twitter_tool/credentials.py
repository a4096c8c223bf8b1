"""The retrieval key: where it comes from, and what cannot be one."""

from __future__ import annotations

import re
from typing import Final

KEY_VARIABLE: Final = "TWITTERAPI_IO_API_KEY"
_KEY = re.compile(r"[!-~]{1,1024}")


def is_usable_key(key: str) -> bool:
    """Whether a request header can carry this key: visible ASCII without blanks."""
    return _KEY.fullmatch(key) is not None
