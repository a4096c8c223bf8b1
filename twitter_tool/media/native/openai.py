"""Services that speak OpenAI's chat completions and take a video as a data URL."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from twitter_tool.media.native.calls import CLIP, MIME, Calls, with_clip
from twitter_tool.media.native.prompt import PROMPT
from twitter_tool.media.native.reply import openai_text

MAX_TOKENS: Final = 4000


async def watch_inline(calls: Calls, *, endpoint: str, model: str, key: str | None, clip: Path) -> str:
    """The text of the model's reply; the clip goes inside the request whatever its size.

    Raises:
        NoReply: there is none.
        OSError: the clip cannot be read.
    """
    headers = {"Content-Type": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    body = await with_clip(_question(model), clip)
    url = f"{endpoint.removesuffix('/')}/chat/completions"
    return openai_text(await calls.send_json("POST", url, headers=headers, body=body), calls.secrets)


def _question(model: str) -> dict[str, Any]:
    # An object with a url: services pass over a bare string, and over other types of parts, without a word.
    video = {"type": "video_url", "video_url": {"url": f"data:{MIME};base64,{CLIP}"}}
    return {
        "model": model,
        "max_tokens": MAX_TOKENS,
        "messages": [{"role": "user", "content": [{"type": "text", "text": PROMPT}, video]}],
    }
