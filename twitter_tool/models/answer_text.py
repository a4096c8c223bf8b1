"""Reading an answer, whole or piece by piece, out of what LiteLLM returns."""

from __future__ import annotations

import math
from typing import Any, Final

from twitter_tool.models.reply import FailureKind, ModelFailure, Reply, TokenUsage

MAX_ANSWER_CHARS: Final = 100_000
"""Several times what the output limit allows; more is no answer."""
_THOUGHT: Final = ("<think>", "</think>")


class AnswerReader:
    """Collects the text of one answer.

    A thought that a model writes in front of its answer, between ``<think>`` and ``</think>``, is no part of it.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._chars = 0
        self._held = ""
        self._thinking: bool | None = None  # unknown until the first characters are there
        self._started = False
        self._called_tool = False
        self._finish: str | None = None

    @property
    def finish_reason(self) -> str | None:
        """How the answer ended, as far as is known."""
        return self._finish

    def take(self, choice: Any, message: Any) -> str:
        """Take a message, or the delta of one; returns the new part of the answer, possibly none.

        Raises:
            ModelFailure: the text is longer than any answer.
        """
        if isinstance(reason := getattr(choice, "finish_reason", None), str):
            self._finish = reason
        if getattr(message, "tool_calls", None) or getattr(message, "function_call", None):
            self._called_tool = True
        piece = self._outside_thought(_text_of(getattr(message, "content", None)))
        if not self._started:
            piece = piece.lstrip()
            self._started = bool(piece)
        self._chars += len(piece)
        if self._chars > MAX_ANSWER_CHARS:
            raise ModelFailure("unknown", f"the answer is longer than {MAX_ANSWER_CHARS} characters")
        self._parts.append(piece)
        return piece

    def finish(self, usage: TokenUsage | None) -> Reply:
        """The whole answer.

        Raises:
            ModelFailure: there is no text.
        """
        if self._thinking is None:
            self._parts.append(self._held)
        text = "".join(self._parts).strip()
        if text:
            return Reply(text=text, finish_reason=self._finish, usage=usage)
        kind: FailureKind = "empty"
        match self._finish:
            case _ if self._called_tool:
                kind, message = "invalid-request", "the model called a tool instead of answering"
            case "length":
                message = "the output limit was reached before the answer began"
            case "content_filter":
                message = "the provider's content filter withheld the answer"
            case _:
                message = "the answer had no text"
        raise ModelFailure(kind, message, usage=usage)

    def _outside_thought(self, piece: str) -> str:
        opening, closing = _THOUGHT
        if self._thinking is False:
            return piece
        self._held += piece
        if self._thinking is None:
            start = self._held.lstrip()
            if len(start) < len(opening) and opening.startswith(start):
                return ""
            self._thinking = start.startswith(opening)
        if not self._thinking:
            released, self._held = self._held, ""
            return released
        _, found, after = self._held.partition(closing)
        if not found:
            self._held = self._held[: len(opening)] + self._held[len(opening) :][-len(closing) :]
            return ""
        self._thinking, self._held = False, ""
        return after


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text")
    return "\n".join(part for part in parts if isinstance(part, str))


def usage_of(raw: Any) -> TokenUsage | None:
    """The token counts of a response; ``None`` when it has none, and when all of them are zero.

    LiteLLM turns missing counts into zeros, so zeros alone say nothing. Whatever is no count is left out.
    """
    details = getattr(raw, "prompt_tokens_details", None)
    usage = TokenUsage(
        input=_count(getattr(raw, "prompt_tokens", None)),
        output=_count(getattr(raw, "completion_tokens", None)),
        cache_read=_count(getattr(details, "cached_tokens", None)),
        cache_write=_count(getattr(details, "cache_creation_tokens", None)),
        total_tokens=_count(getattr(raw, "total_tokens", None)),
    )
    counts = (usage.input, usage.output, usage.cache_read, usage.cache_write, usage.total_tokens)
    return usage if any(counts) else None


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        return None
    return int(value)
