"""Reading what a model that watched a clip says. Pure, and indifferent to what a provider makes of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from twitter_tool.media.native.keyless import without_keys
from twitter_tool.media.native.outcome import NoReply
from twitter_tool.media.replies import json_object
from twitter_tool.redaction import long_secrets
from twitter_tool.text import Block, block, line

MAX_CHARS: Final = 50_000
"""Of each text that is kept, many times what is ever shown."""
_READ_CHARS: Final = 4 * MAX_CHARS
"""Of each text that is looked through for keys: so many that what a cut leaves of one is not kept."""
_SHOWN: Final = 100
_FENCE: Final = "```"
_LABEL: Final = re.compile(r"[A-Za-z0-9_+-]*[ \t]*(?:\r?\n|(?=\{))")
_CUT: Final = frozenset(("max_tokens", "length", "max_output_tokens"))
_ENDED: Final = frozenset(("", "stop", "finish_reason_unspecified"))
_UNBLOCKED: Final = frozenset(("", "block_reason_unspecified", "blocked_reason_unspecified"))
_BLOCKED: Final = frozenset(
    ("content_filter", "safety", "recitation", "refusal", "error", "tool_calls", "function_call")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoReply:
    """What a model said about a clip.

    Attributes:
        visual, transcript: cleaned, with line breaks; ``None`` without any text.
        silent: it described the clip and stated that nothing is spoken.
    """

    visual: Block | None = None
    transcript: Block | None = None
    silent: bool = False


def read_reply(raw: str, secrets: Collection[str] = ()) -> VideoReply:
    """Split a reply into what is seen and what is said.

    A JSON object, in a code fence or not, with a string ``visual`` or ``transcript`` is split. Anything else is a
    description as a whole: words that are not marked as speech never become a transcript.

    A reply of two empty strings says nothing, and so nothing about speech either.

    Args:
        secrets: taken out of what is kept; those shorter than eight characters are not looked for.

    Raises:
        NoReply: there is no text at all.
    """
    text, found = _unfenced(raw.strip())
    if not text.strip():
        raise NoReply("the reply is empty")
    visual, transcript = (found or {}).get("visual"), (found or {}).get("transcript")
    known = long_secrets(secrets)
    if not isinstance(visual, str) and not isinstance(transcript, str):
        return VideoReply(visual=_kept(text, known))
    seen = _kept(visual, known) if isinstance(visual, str) else None
    said = _kept(transcript, known) if isinstance(transcript, str) else None
    return VideoReply(visual=seen, transcript=said, silent=isinstance(transcript, str) and said is None and bool(seen))


def gemini_text(body: Mapping[str, Any], secrets: Collection[str] = ()) -> str:
    """The text of an answer of ``generateContent`` (ai.google.dev/api/generate-content); thoughts are left out.

    Args:
        secrets: taken out of the provider's reason.

    Raises:
        NoReply: it was blocked, is not finished, or holds no text; the provider's reason is named.
    """
    feedback = _mapping(body.get("promptFeedback"))
    if (block_reason := _word(feedback.get("blockReason"), secrets)).lower() not in _UNBLOCKED:
        raise NoReply(f"the request was blocked ({block_reason})")
    candidate = _mapping(_first(body.get("candidates")))
    finish = _word(candidate.get("finishReason"), secrets)
    if finish.lower() in _CUT:
        raise NoReply(_cut_off(finish))
    if finish.lower() not in _ENDED:
        raise NoReply(f"the reply was refused or blocked ({finish})")
    parts = _mapping(candidate.get("content")).get("parts")
    texts = [
        part["text"]
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, Mapping) and "text" in part and part.get("thought") is not True
    ]
    if not all(isinstance(text, str) for text in texts):
        raise NoReply("the reply is not text")
    return _some("".join(texts), finish)


def openai_text(body: Mapping[str, Any], secrets: Collection[str] = ()) -> str:
    """The text of a chat completion as OpenAI-compatible services send it.

    Args:
        secrets: taken out of the provider's reason.

    Raises:
        NoReply: it was refused, is not finished, or its content is not text; the provider's reason is named.
    """
    choice = _mapping(_first(body.get("choices")))
    message = _mapping(choice.get("message"))
    finish = _word(choice.get("finish_reason"), secrets)
    if finish.lower() in _CUT:
        raise NoReply(_cut_off(finish))
    if finish.lower() in _BLOCKED:
        raise NoReply(f"the reply was refused or blocked ({finish})")
    content = message.get("content")
    if content is None or content == "":
        if refusal := _word(message.get("refusal"), secrets):
            raise NoReply(f"the model refused ({refusal})")
        return _some("", finish)
    if not isinstance(content, str):
        raise NoReply("the reply is not text")
    return _some(content, finish)


def _unfenced(text: str) -> tuple[str, dict[str, Any] | None]:
    """The text without a code fence around the whole of it, and the JSON object that it is, if it is one."""
    if not text.startswith(_FENCE):
        return text, json_object(text)
    inner = text[len(_FENCE) :]
    if label := _LABEL.match(inner):
        inner = inner[label.end() :]
    inner = inner.rstrip().removesuffix(_FENCE)
    found = json_object(inner)
    if found is None and _FENCE in inner:  # several fences: none is around the whole
        return text, None
    return inner, found


def _kept(text: str, secrets: frozenset[str]) -> Block | None:
    whole = without_keys(text[:_READ_CHARS], secrets)
    return block(whole[:MAX_CHARS]) or None  # cleaned again: the cut may have left half of an emoji


def _some(text: str, finish: str) -> str:
    if not text.strip():
        raise NoReply(f"the reply is empty{f' ({finish})' if finish else ''}")
    return text


def _cut_off(finish: str) -> str:
    return f"the reply was cut off at the token limit ({finish})"


def _word(value: Any, secrets: Collection[str]) -> str:
    return line(without_keys(value, secrets), _SHOWN) if isinstance(value, str) else ""


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
