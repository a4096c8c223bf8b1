"""Scripts that are written without spaces between words."""

from __future__ import annotations

import re
from typing import Final

IDEOGRAPHS: Final = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HIRAGANA: Final = "\u3041-\u309f"
KATAKANA: Final = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
SOUTH_EAST_ASIAN: Final = "\u0e01-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\ua9e0-\ua9ff"

UNSPACED: Final = re.compile(f"[{IDEOGRAPHS}{HIRAGANA}{KATAKANA}{SOUTH_EAST_ASIAN}]")
"""A character of Japanese, Chinese, Thai, Lao, Burmese or Khmer."""


def unspaced_count(text: str) -> int:
    """How many characters of such scripts a text has."""
    return 0 if text.isascii() else len(UNSPACED.findall(text))
