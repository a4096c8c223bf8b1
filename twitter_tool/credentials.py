"""Keys: where the retrieval key comes from, what cannot be a key, and what can name the variable of one."""

from __future__ import annotations

import re
from typing import Final

KEY_VARIABLE: Final = "TWITTERAPI_IO_API_KEY"
_KEY = re.compile(r"[!-~]{1,1024}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_KEY_LIKE = re.compile(r"(?:(?:sk|pk|gsk|xai|hf)[-_]|AIza).*|.{65,}")


def is_usable_key(key: str) -> bool:
    """Whether a request header can carry this key: visible ASCII without blanks."""
    return _KEY.fullmatch(key) is not None


def is_variable_name(text: str) -> bool:
    """Whether a text can be the name of the variable that holds a key, and does not look like a key itself."""
    return _VARIABLE.fullmatch(text) is not None and _KEY_LIKE.fullmatch(text) is None
