"""What a post's videos and pictures gave, as labelled lines under the post; and how long those lines can get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from twitter_tool.media.values import VideoText
from twitter_tool.output.quoted import quoted_lines

METHOD_CAP: Final = 100
TRANSCRIPT_CAP: Final = 4_000
VISUAL_CAP: Final = 1_500
MOST_IMAGES: Final = 999  # in one request; a number has at most three digits

_EVIDENCE: Final = "video evidence (untrusted, made by machine from the clip): "
_TRANSCRIPT: Final = "transcript:"
_VISUAL: Final = "visual:"
_REFERENCES: Final = "image references: "
_CONDITION: Final = " (only if images delivered)"
_WIDEST_PREFIX: Final = "reposted "
_ELLIPSES: Final = 3


def media_lines(texts: Sequence[VideoText], references: Sequence[int], prefix: str) -> Iterator[str]:
    """A block for each video, then which images belong to the post."""
    for text in texts:
        yield f"{prefix}{_EVIDENCE}{text.method}"
        if text.transcript:
            yield f"{prefix}{_TRANSCRIPT}"
            yield from quoted_lines(text.transcript)
        if text.visual:
            yield f"{prefix}{_VISUAL}"
            yield from quoted_lines(text.visual)
    if references:
        yield f"{prefix}{_REFERENCES}{', '.join(map(str, references))}{_CONDITION}"


def longest_text() -> int:
    """The most characters that the block of one video takes at one place, line breaks included."""
    labels = sum(len(f"\n{_WIDEST_PREFIX}{label}") for label in (_EVIDENCE, _TRANSCRIPT, _VISUAL))
    return labels + METHOD_CAP + TRANSCRIPT_CAP + VISUAL_CAP + _ELLIPSES


def longest_references(count: int) -> int:
    """The most characters of a line with references to so many images, its line break included."""
    return len(f"\n{_WIDEST_PREFIX}{_REFERENCES}{_CONDITION}") + count * len(f"{MOST_IMAGES}, ")
