"""Reading what a speech endpoint answers: three formats, each with or without what it should hold."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from twitter_tool.media.replies import json_object
from twitter_tool.media.values import Segment

ReplyFormat = Literal["verbose_json", "json", "text"]
FORMATS: Final[tuple[ReplyFormat, ...]] = get_args(ReplyFormat)
"""From the one that tells most to the one that every service knows."""
_REFUSING: Final = frozenset((400, 415, 422))
_NAMED: Final = re.compile(r"response[\s_-]*format|verbose[\s_-]*json|timestamp[\s_-]*granularit", re.IGNORECASE)
_MARKUP: Final = re.compile(r"\s*<(?:!doctype|\?xml|html|head|body)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A readable answer.

    Attributes:
        segments: the passages; when there are any, ``text`` means nothing.
        lost: passages that were announced and could not be read.
        text: the transcript without times.
    """

    segments: tuple[Segment, ...] = ()
    lost: int = 0
    text: str = ""

    @property
    def has_segments(self) -> bool:
        """Whether the answer came in passages, readable ones or not."""
        return bool(self.segments) or self.lost > 0


def refuses_format(status: int, body: bytes | None) -> bool:
    """Whether a refusal is about the format that was asked for, so that another one may be taken.

    A 400, 415 or 422 whose words name the response format, ``verbose_json`` or the timestamp granularity.
    """
    return status in _REFUSING and body is not None and _NAMED.search(body.decode("utf-8", "replace")) is not None


def read_transcript(body: bytes, wanted: ReplyFormat) -> Said | None:
    """Read a 2xx answer; services send other formats than they were asked for.

    Returns:
        ``None`` when it holds no transcript.
    """
    found = json_object(body)
    if found is not None:
        return _from_object(found)
    if wanted != "text":
        return None
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if _MARKUP.match(text) or text.lstrip().startswith("{"):
        return None
    return Said(text=_unquoted(text))


def _from_object(found: Mapping[str, Any]) -> Said | None:
    entries = found.get("segments")
    if isinstance(entries, list) and entries:
        segments = tuple(segment for segment in map(_segment, entries) if segment is not None)
        return Said(segments=segments, lost=len(entries) - len(segments))
    text = found.get("text")
    return Said(text=text) if isinstance(text, str) else None


def _segment(entry: object) -> Segment | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
        return None
    start = _number(_first_word(entry.get("words")).get("start"))
    if start is None:
        start = _number(entry.get("start"))
    end = _number(entry.get("end"))
    return Segment(
        start=math.nan if start is None else start,
        end=math.nan if end is None else end,
        text=entry["text"],
        no_speech_prob=_number(entry.get("no_speech_prob")),
        avg_logprob=_number(entry.get("avg_logprob")),
    )


def _first_word(words: object) -> Mapping[str, Any]:
    first = words[0] if isinstance(words, Sequence) and words else None
    return first if isinstance(first, dict) else {}


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _unquoted(text: str) -> str:
    """The text inside, when a service sends its plain text as a JSON string."""
    if not text.lstrip().startswith('"'):
        return text
    try:
        inner = json.loads(text)
    except ValueError:  # a transcript that begins with a quotation
        return text
    return inner if isinstance(inner, str) else text
