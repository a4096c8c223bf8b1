"""One call that looks at pictures and videos: posts, media hosts in this process, and services on this machine."""

from __future__ import annotations

import importlib.util
import json
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from twitter_tool import TwitterTool
from twitter_tool.result import Result


def _module(name: str, path: str) -> ModuleType:
    """A module of the other tests."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parent.parent / path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


_host = _module("scripted_host", "media/scripted_host.py")
ScriptedHost, reply, Body = _host.ScriptedHost, _host.reply, _host.Body
png = _module("picture_samples", "media/picture_samples.py").png
raw_post, last = (getattr(_module("wire_bodies", "backend/wire_bodies.py"), name) for name in ("raw_post", "last"))
_provider = _module("video_provider", "media/video_provider.py")
VideoProvider, ProviderAnswer, described, gemini = (
    _provider.VideoProvider,
    _provider.Answer,
    _provider.described,
    _provider.gemini,
)
providing = _provider.providing
_llm = _module("llm_server", "models/llm_server.py")
LlmServer, llm_answers, completion, serving = (
    _llm.LlmServer,
    _llm.answers,
    _llm.completion,
    _llm.serving,
)
_clips = _module("clip_maker", "media/clip_maker.py")
Clips, any_ffmpeg, jpeg_size = _clips.Clips, _clips.any_ffmpeg, _clips.jpeg_size

LITELLM = [
    pytest.mark.xdist_group("litellm"),  # its import alone takes a process several seconds
    pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="needs the extra answer"),
    pytest.mark.timeout(120),
    # LiteLLM silences it itself, with a filter that the test run replaces by its own.
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier.*"),
]
PICTURE = png(2, 2)
SEEING = "openai/seeing-model"
BLIND = "openai/blind-model"
BOUNDS = {"tokens_per_image": 100, "max_width": 4_000, "max_height": 4_000, "max_images": 10}
PHOTOS = {"enable_image_understanding": True}
POSTERS = {"enable_video_understanding": True}
VIDEOS = {"enable_video_understanding": True, "enable_video_processing": True}
SPOKEN = {
    "text": "The tram was early.",
    "segments": [
        {"start": 1.5, "end": 3, "text": " The tram was early.", "no_speech_prob": 0.1, "avg_logprob": -0.2},
        {"start": 21, "end": 23, "text": " Nobody believed it.", "no_speech_prob": 0.1, "avg_logprob": -0.2},
    ],
}


def photo_url(name: str) -> str:
    """Where a photo lies."""
    return f"https://pbs.twimg.com/media/{name}.png"


def clip_url(name: str) -> str:
    """Where a clip lies."""
    return f"https://video.twimg.com/ext_tw_video/{name}.mp4"


def raw_photo(name: str, **more: Any) -> dict[str, Any]:
    """A photo as the upstream sends it."""
    return {"type": "photo", "media_url_https": photo_url(name), **more}


def raw_video(name: str, *, seconds: float | None = 2, kind: str = "video", **more: Any) -> dict[str, Any]:
    """A video, or a GIF, with one rendition and a poster of the same name."""
    info: dict[str, Any] = {
        "variants": [{"content_type": "video/mp4", "url": clip_url(name), "bitrate": 256_000}],
        **({} if seconds is None else {"duration_millis": round(seconds * 1000)}),
    }
    return {"type": kind, "media_url_https": photo_url(f"{name}-poster"), "video_info": info, **more}


def with_media(number: int, *media: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A post by ann that shows these."""
    return dict(raw_post(number, extendedEntities={"media": list(media)}, **more))


class World(httpx.AsyncBaseTransport):
    """The upstream with one page of posts, and the media hosts.

    Attributes:
        hosts: what the media hosts answer, by ``METHOD address``.
        asked: of the media hosts, in order.
    """

    def __init__(self, *rows: Mapping[str, Any]) -> None:
        self.rows = rows
        self.hosts: dict[str, Any] = {}
        self.upstream = 0
        self._media = ScriptedHost(self.hosts)

    @property
    def asked(self) -> list[str]:
        return list(self._media.asked)

    @property
    def downloads(self) -> list[str]:
        """Addresses that were downloaded, in order."""
        return [words.removeprefix("GET ") for words in self.asked if words.startswith("GET ")]

    def shows(self, *names: str, data: bytes = PICTURE, kind: str = "image/png") -> World:
        """Photos by these names can be had."""
        for name in names:
            self.hosts[f"GET {photo_url(name)}"] = reply(data, kind)
        return self

    def plays(self, name: str, clip: bytes, kind: str = "video/mp4") -> World:
        """A clip, and its poster, can be had."""
        self.hosts[f"HEAD {clip_url(name)}"] = self.hosts[f"GET {clip_url(name)}"] = reply(clip, kind)
        return self.shows(f"{name}-poster")

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.host.endswith("twimg.com") or request.url.host != "api.twitterapi.io":
            found: httpx.Response = await self._media.handle_async_request(request)
            return found
        self.upstream += 1
        return httpx.Response(200, content=json.dumps(last(self.rows)))


@dataclass
class Seeing:
    """A call with everything it needs besides its arguments."""

    world: World
    settings: dict[str, Any] = field(default_factory=dict)
    environ: dict[str, str] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    further: dict[str, Any] = field(default_factory=dict)

    def tool(self) -> TwitterTool:
        """A tool that reads from the world without pauses."""
        return TwitterTool(
            **{
                "api_key": "0123456789abcdef0123456789abcdef",
                "cwd": Path.cwd(),
                "environ": {"TWITTER_TOOL_CONFIG": "/dev/null", "HOME": str(Path.cwd()), **self.environ},
                "settings": {"min_request_interval_ms": 0, "retry_base_delay_ms": 0, **self.settings},
                "transport": self.world,
                **self.further,
            }
        )

    async def __call__(self, query: str = "What is shown?", **arguments: Any) -> Result:
        self.seen.clear()
        async with self.tool() as tool:
            return await tool.call({"query": query, **arguments}, progress=self.seen.append)


def models(server: Any, *names: str, **bounds: Any) -> dict[str, Any]:
    """Settings of a chain: names with ``seeing`` take images within bounds, the others take text only."""
    first, *others = names or (SEEING,)
    usual = {"context_window": 128_000, "max_output_tokens": 2_000, "api_base": server.base}
    images = {"supports_vision": True, "images": {**BOUNDS, **bounds}}
    declared = {
        name: {**usual, **(images if "seeing" in name else {"supports_vision": False})} for name in names or (SEEING,)
    }
    return {"synthesis_model": first, "fallback_models": others, "models": declared}


def note_of(result: Result, code: str) -> dict[str, Any]:
    """The only note of this code."""
    (found,) = [entry for entry in result.notes if entry["code"] == code]
    return found


def codes(result: Result) -> list[str]:
    """The codes of the notes in their order."""
    return [entry["code"] for entry in result.notes]


def figures(result: Result, code: str) -> list[tuple[int | None, str | None]]:
    """Count and reason of every note of this code."""
    return [(entry.get("count"), entry.get("reason")) for entry in result.notes if entry["code"] == code]


def parts_of(server: Any, call: int = -1) -> tuple[str, list[str]]:
    """The text and the images that a model was given."""
    content = server.asked[call].body["messages"][1]["content"]
    if isinstance(content, str):
        return content, []
    text, *images = content
    return text["text"], [image["image_url"]["url"] for image in images]


class SpeechService:
    """Transcribes everything as a test says.

    Attributes:
        says: the body of the next answers; a status other than 200 is in ``status``.
        uploads: how many arrived.
    """

    def __init__(self) -> None:
        self.says: Any = SPOKEN
        self.status = 200
        self.uploads = 0
        self.endpoint = ""
        self.keys: list[str | None] = []

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that lead here, with no model on this machine."""
        return {"stt_endpoint": self.endpoint, "stt_model": "whisper-1"}


@contextmanager
def speech_service() -> Iterator[SpeechService]:
    """A speech service for the length of a block."""
    served = SpeechService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            served.uploads += 1
            served.keys.append(self.headers.get("authorization"))
            body = json.dumps(served.says).encode()
            self.send_response(served.status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        served.endpoint = f"http://127.0.0.1:{server.server_address[1]}/v1"
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
