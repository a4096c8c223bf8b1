"""What of the recognised speech can be believed: recognisers make up words where nobody speaks.

A passage falls when the recogniser itself took it for no speech and was unsure of its words, or when it holds no letter
and no digit. What is then left falls as a whole when it is nothing but one of the phrases that recognisers are known
to make up, said once or over and over.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from twitter_tool.media.moments import clock_label
from twitter_tool.media.values import Heard, Segment
from twitter_tool.notes import note
from twitter_tool.text import Block, block

MAX_NO_SPEECH_PROB: Final = 0.6
MIN_AVG_LOGPROB: Final = -1.0
MADE_UP: Final = (
    "thanks for watching",
    "thank you for watching",
    "thank you",
    "please subscribe",
    "subscribe",
    "bye",
    "you",
)
"""Phrases that recognisers write for noise and silence; they may end with a full stop or an exclamation mark."""
MAX_SECONDS: Final = 1_000_000.0
"""A passage that claims to begin later than this, some eleven days, has no readable time."""

_STOPS: Final = r".!…。！．"


def _only(phrase: str) -> re.Pattern[str]:
    # Stops, white space or the end of the text after each time, so that there is one way only to divide the text.
    words = phrase.replace(" ", r"\s+")
    return re.compile(rf"(?:{words}(?:\s*[{_STOPS}][\s{_STOPS}]*+|\s++|$))+")


_ONLY: Final = tuple((phrase, _only(phrase)) for phrase in MADE_UP)


def judge(segments: Sequence[Segment], *, lost: int = 0) -> Heard:
    """Keep the passages that can be believed, one line each: ``[mm:ss] text``.

    Args:
        segments: in the order in which they are spoken; one whose ``start`` is no readable second gets no label.
        lost: passages that could not be read at all; counted with those that are left out.

    Returns:
        The transcript, with ``transcript_partial`` when passages were left out; or none, with ``transcript_discarded``
        for a made-up phrase or ``transcript_absent`` when nothing is left.
    """
    kept: list[tuple[float, str]] = []
    dropped = lost
    for segment in segments:
        text = _one_line(segment.text)
        if not text:
            continue
        if _is_doubtful(segment) or not _has_words(text):
            dropped += 1
        else:
            kept.append((segment.start, text))
    phrase = made_up_phrase(" ".join(text for _, text in kept))
    if phrase is not None:
        return _discarded(phrase)
    if not kept:
        return _nothing_said()
    transcript = Block("\n".join(_labelled(start, text) for start, text in kept))
    return Heard(transcript=transcript, notes=(note("transcript_partial", count=dropped),) if dropped else ())


def judge_text(text: str) -> Heard:
    """Judge a transcript that came as plain text, without times and without any measure of certainty."""
    cleaned = block(text)
    phrase = made_up_phrase(cleaned)
    if phrase is not None:
        return _discarded(phrase)
    return Heard(transcript=cleaned) if _has_words(cleaned) else _nothing_said()


def made_up_phrase(text: str) -> str | None:
    """The phrase of :data:`MADE_UP` that is all there is in a text, in any case, once or repeated; else ``None``."""
    folded = text.strip().casefold()
    return next((phrase for phrase, only in _ONLY if only.fullmatch(folded)), None)


def _is_doubtful(segment: Segment) -> bool:
    silence, certainty = segment.no_speech_prob, segment.avg_logprob
    if silence is None or certainty is None:
        return False
    return silence > MAX_NO_SPEECH_PROB and certainty < MIN_AVG_LOGPROB


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _one_line(raw: str) -> str:
    # A break inside a passage means nothing, and a line of its own could look like another passage.
    return block(" ".join(raw.split()))


def _labelled(start: float, text: str) -> str:
    if not (math.isfinite(start) and 0 <= start <= MAX_SECONDS):
        return text
    return f"[{clock_label(start)}] {text}"


def _discarded(phrase: str) -> Heard:
    return Heard(notes=(note("transcript_discarded", phrase=phrase),))


def _nothing_said() -> Heard:
    return Heard(notes=(note("transcript_absent", reason="nothing_said"),))
