"""Gemini: small clips inside the request, larger ones as a file that is deleted again (ai.google.dev/api/files)."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import SplitResult, quote, urlsplit

from twitter_tool.media.native.calls import CLIP, MIME, Calls, with_clip
from twitter_tool.media.native.outcome import NoReply
from twitter_tool.media.native.prompt import PROMPT
from twitter_tool.media.native.reply import gemini_text
from twitter_tool.media.replies import json_object
from twitter_tool.text import without_surrogates

INLINE_BYTES: Final = 12 * 1024 * 1024
"""A larger clip is uploaded, where that is possible: a request may have 20 MB, and base64 adds a third."""
POLLS: Final = 60
POLL_S: Final = 1.0
DELETE_S: Final = 5.0
_FILE_NAME: Final = re.compile(r"files/[A-Za-z0-9_-]{1,128}")
_NETLOC: Final = re.compile(r"(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_VISIBLE: Final = re.compile("[!-~]{1,4096}")
_SCHEMA: Final = {
    "type": "OBJECT",
    "properties": {"visual": {"type": "STRING"}, "transcript": {"type": "STRING"}},
    "required": ["visual", "transcript"],
}
_JSON: Final = {"Content-Type": "application/json"}
T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Gemini:
    """One clip on its way through Gemini.

    Attributes:
        base: without ``/v1beta``.
        key: ``None`` where none is needed.
        remains: whether an uploaded file may not have been deleted.
    """

    calls: Calls
    base: str
    model: str
    key: str | None = field(repr=False)
    remains: bool = False

    async def watch(self, clip: Path, size: int) -> str:
        """The text of the model's reply.

        Args:
            size: of the clip, in bytes.

        Raises:
            NoReply: there is none.
            OSError: the clip cannot be read.
        """
        if size <= INLINE_BYTES:
            data = {"inline_data": {"mime_type": MIME, "data": CLIP}}
            return await self._generate(await with_clip(_question(data), clip))
        name = await self._upload(clip, size)
        try:
            uri = await self._processed(name)
            data = {"file_data": {"file_uri": uri, "mime_type": MIME}}
            return await self._generate(json.dumps(_question(data)).encode())
        finally:
            self.remains = not await outlasting(self._delete(name))

    async def _generate(self, body: bytes) -> str:
        model = quote(without_surrogates(self.model), safe="")
        url = f"{self._root}/v1beta/models/{model}:generateContent"
        answer = await self.calls.send_json("POST", url, headers={**_JSON, **self._key_header}, body=body)
        return gemini_text(answer, self.calls.secrets)

    async def _upload(self, clip: Path, size: int) -> str:
        """Upload the clip; returns the name of the file there."""
        started = await self.calls.send(
            "POST",
            f"{self._root}/upload/v1beta/files",
            headers={
                **_JSON,
                **self._key_header,
                "X-Goog-Upload-Protocol": "resumable",
                "X-Goog-Upload-Command": "start",
                "X-Goog-Upload-Header-Content-Length": str(size),
                "X-Goog-Upload-Header-Content-Type": MIME,
            },
            body=b'{"file": {"display_name": "clip"}}',
        )
        url = started.headers.get("x-goog-upload-url", "")
        if not is_same_place(url, self.base):
            raise NoReply("the address for the upload is not on the same host, so nothing was sent there")
        name = await self._send_file(url, clip)
        self.remains = name is None
        if name is None:  # without its name it cannot be deleted
            raise NoReply("the uploaded file has no usable name")
        return name

    async def _send_file(self, url: str, clip: Path) -> str | None:
        # The address for the upload is a permission of its own: the key has no business there.
        headers = {"Content-Type": MIME, "X-Goog-Upload-Offset": "0", "X-Goog-Upload-Command": "upload, finalize"}
        try:
            sent = await self.calls.send("POST", url, headers=headers, body=clip, on_sent=self._may_remain)
        except NoReply as failure:
            self.remains = self.remains and not failure.refused
            raise
        name = _file_of(json_object(sent.body or b"") or {}).get("name")
        return name if isinstance(name, str) and _FILE_NAME.fullmatch(name) else None

    def _may_remain(self) -> None:
        self.remains = True

    async def _processed(self, name: str) -> str:
        """Wait until the file can be watched; returns its address for the model."""
        for poll in range(POLLS):
            if poll:
                await self.calls.pause(POLL_S)
            file = _file_of(await self.calls.send_json("GET", self._file(name), headers=self._key_header))
            if file.get("state") == "ACTIVE":
                uri = file.get("uri")
                return uri if isinstance(uri, str) and _VISIBLE.fullmatch(uri) else self._file(name)
            if file.get("state") == "FAILED":
                raise NoReply("the uploaded clip could not be processed there (FAILED)")
        raise NoReply(f"the uploaded clip was not ready after {POLLS} look-ups")

    async def _delete(self, name: str) -> bool:
        """Delete the file, within a time of its own; whether that worked."""
        try:
            await self.calls.send("DELETE", self._file(name), headers=self._key_header, timeout_s=DELETE_S)
        except NoReply:  # disclosed by what this returns
            return False
        return True

    @property
    def _root(self) -> str:
        return self.base.removesuffix("/")

    def _file(self, name: str) -> str:
        return f"{self._root}/v1beta/{name}"

    @property
    def _key_header(self) -> dict[str, str]:
        return {} if self.key is None else {"x-goog-api-key": self.key}


async def outlasting(work: Coroutine[Any, Any, T]) -> T:
    """Finish a short piece of work even if the caller is cancelled, who then is cancelled after it."""
    task = asyncio.ensure_future(work)
    given_up: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            given_up = error
    if given_up is not None:
        raise given_up
    return task.result()


def is_same_place(url: str, base: str) -> bool:
    """Whether a URL that a provider gave has scheme, host and port of the base address, and hides nothing."""
    if not _VISIBLE.fullmatch(url) or "#" in url:
        return False
    try:
        given, wanted = urlsplit(url), urlsplit(base)
        places = [(parts.scheme, parts.hostname, _port(parts)) for parts in (given, wanted)]
    except ValueError:
        return False
    return _NETLOC.fullmatch(given.netloc) is not None and places[0] == places[1]


def _port(parts: SplitResult) -> int:
    usual = 443 if parts.scheme == "https" else 80
    return usual if parts.port is None else parts.port


def _question(data: dict[str, Any]) -> dict[str, Any]:
    return {
        "contents": [{"role": "user", "parts": [data, {"text": PROMPT}]}],
        "generationConfig": {"responseMimeType": "application/json", "responseSchema": _SCHEMA},
    }


def _file_of(body: dict[str, Any]) -> dict[str, Any]:
    """The description of a file, which an upload wraps and a look-up does not."""
    inner = body.get("file")
    return inner if isinstance(inner, dict) else body
