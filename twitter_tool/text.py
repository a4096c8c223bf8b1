"""The one guard between untrusted text and anything that is printed.

Everything that came over the wire, from a model or from a caller's mistake passes here once and becomes
either a :data:`Block` (cleaned, line breaks kept as ``\\n``) or a :data:`Line` (cleaned, one line). The renderer takes
only these two, so the type checker proves that nothing raw is printed.

Removed: controls, ANSI sequences, bidirectional and zero-width characters, soft hyphens, tag characters outside
emoji flags, noncharacters, fillers, and variation selectors that select nothing. Kept: U+200D inside emoji sequences;
U+200C and U+200D between two letters or marks of one of the scripts that spell with them. A lone surrogate becomes
U+FFFD; a tab becomes a space.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NewType

Line = NewType("Line", str)
Block = NewType("Block", str)

BREAK_MARK: Final = " \u23ce "
ELLIPSIS: Final = "\u2026"

_BREAKS = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_BLANK_RUN = re.compile(r"\n{3,}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ANSI = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI
    # OSC, DCS, SOS, PM, APC. Their body holds no other opening: every character is looked at once.
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n\r\x0b\x0c\x85\u2028\u2029]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-~]"  # two-character escapes
)
# Cc without the line breaks, Cf without the visible prepended marks, noncharacters, U+2065 and tag characters.
REMOVABLE: Final = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff"
    "\ufff0-\ufffb\ufffe\uffff\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
)
# Fillers that show nothing, and variation selectors, which show nothing except after the right character.
INVISIBLE: Final = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
_REMOVABLE = re.compile(f"[{REMOVABLE}{INVISIBLE}]")
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_REMOVABLE_RUN = re.compile(f"\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f|[{REMOVABLE}{INVISIBLE}]")

_JOINING_SCRIPTS: Final = frozenset(
    (
        "ARABIC",
        "SYRIAC",
        "MONGOLIAN",
        "DEVANAGARI",
        "BENGALI",
        "GURMUKHI",
        "GUJARATI",
        "ORIYA",
        "TAMIL",
        "TELUGU",
        "KANNADA",
        "MALAYALAM",
        "SINHALA",
    )
)
_EMOJI = re.compile(
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_KEYCAPS: Final = "0123456789#*"
_FILLERS: Final = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
_EMOJI_MODIFIERS: Final = "\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"


def block(raw: str) -> Block:
    """Clean text that may span lines: breaks become ``\\n``, more than one blank line in a row becomes one."""
    if _is_plain(raw):
        return Block(raw.strip())
    lines = (line.rstrip() for line in _clean(raw).split("\n"))
    return Block(_BLANK_RUN.sub("\n\n", "\n".join(lines)).strip())


def split_breaks(raw: str) -> list[str]:
    """The raw lines of a text, at every character that breaks a line."""
    return _BREAKS.split(raw)


def inner_line(raw: str) -> Line:
    """Clean one raw line of a larger text; its indentation stays."""
    return Line(raw if _is_plain(raw) and not raw.endswith(" ") else _clean(raw).rstrip())


def field_block(raw: str, cap: int) -> tuple[Block, bool]:
    """Clean a metadata field: a run of breaks is one break, and a break counts as the mark it is shown as.

    Returns the text, at most ``cap`` characters as one line plus an ellipsis, and whether it was cut.
    """
    if _is_plain(raw):
        text = raw.strip()
        if len(text) <= cap:
            return Block(text), False
    else:
        text = "\n".join(_shown_lines(_clean(raw)))
    shown = len(text) + text.count("\n") * (len(BREAK_MARK) - 1)
    if shown <= cap:
        return Block(text), False
    width, end = 0, 0
    for end, char in enumerate(text):  # noqa: B007 - the index of the first character that does not fit
        width += len(BREAK_MARK) if char == "\n" else 1
        if width > cap:
            break
    # Cleaned again: the cut may have left half of an emoji sequence, and with it a joiner that joins nothing.
    return Block(_clean(text[:end]).rstrip() + ELLIPSIS), True


def line(raw: str, cap: int) -> Line:
    """Clean one field into one line of at most ``cap`` characters plus an ellipsis."""
    if len(raw) <= cap and _is_plain(raw):
        return Line(raw.strip())
    return as_line(field_block(raw, cap)[0])


def as_line(text: Block) -> Line:
    """A block shown on one line, its breaks as visible marks."""
    return Line(BREAK_MARK.join(_shown_lines(text)) if "\n" in text else text)


def handle_line(raw: str, cap: int = 100) -> tuple[Line, bool]:
    """Clean a handle: no joiner survives. Returns it and whether any character was removed or changed."""
    text = raw.strip()
    if text.isascii() and text.isprintable():
        return line(text, cap), False
    kept = _REMOVABLE.sub("", _BREAKS.sub("\n", _ANSI.sub("", _SURROGATE.sub("\ufffd", text)))).replace("\t", " ")
    return line(kept, cap), kept != text


def without_surrogates(raw: str) -> str:
    """Replace lone surrogates, which no encoder accepts, by U+FFFD."""
    return raw if raw.isascii() else _SURROGATE.sub("\ufffd", raw)


def _is_plain(raw: str) -> bool:
    """Whether nothing in this text needs cleaning."""
    return raw.isprintable() and (raw.isascii() or _INVISIBLE.search(raw) is None)


def _shown_lines(text: str) -> list[str]:
    return [part for part in map(str.strip, text.split("\n")) if part]


def _clean(raw: str) -> str:
    text = _SURROGATE.sub("\ufffd", raw)
    if "\x1b" in text or _REMOVABLE.search(text):
        text = _REMOVABLE_RUN.sub(_keep_or_drop, _ANSI.sub("", text))
    return _BREAKS.sub("\n", text).replace("\t", " ")


def _keep_or_drop(match: re.Match[str]) -> str:
    found = match.group()
    if len(found) > 1:  # a whole emoji flag: black flag, tags, cancel tag
        return found
    text, start, end = match.string, match.start(), match.end()
    if _INVISIBLE.match(found):
        return found if start and _selects(text[start - 1], found) else ""
    if found not in "\u200c\u200d" or start == 0 or end == len(text):
        return ""
    before, after = text[start - 1], text[end]
    if found == "\u200d" and _EMOJI.match(after):
        while before in _EMOJI_MODIFIERS and start > 1:
            start -= 1
            before = text[start - 1]
        if _EMOJI.match(before):
            return found
        return ""
    script = _joining_script(before)
    return found if script is not None and script == _joining_script(after) else ""


def _selects(base: str, selector: str) -> bool:
    """Whether a variation selector changes how this character is shown: emoji, ideographs and Mongolian only."""
    if selector in "\ufe0e\ufe0f":
        return _EMOJI.match(base) is not None or base in _KEYCAPS
    name = unicodedata.name(base, "")
    if selector in "\u180b\u180c\u180d\u180f":
        return name.startswith("MONGOLIAN")
    return selector not in _FILLERS and name.startswith("CJK ")


def _joining_script(char: str) -> str | None:
    if unicodedata.category(char)[0] not in "LM":
        return None
    name = unicodedata.name(char, "").partition(" ")[0]
    return name if name in _JOINING_SCRIPTS else None
