"""Peak memory of a call that downloads, cuts and listens to a video of 32 MiB.

``python -m benchmarks.video_memory PORT`` is the measured process; the video is served by the one that starts it.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from benchmarks.memory import _memory_mb
from benchmarks.report import Row

SIZE: Final = 32 * 1024 * 1024
_PIECE: Final = 64 * 1024
AIM_MB: Final = 100
AIM: Final = f"at most {AIM_MB} MB"
WHAT: Final = "peak memory of a 32 MiB video, evidence"


def rows() -> list[Row]:
    """Megabytes over the idle process, and what the programs that work for it take besides."""
    from twitter_tool.media.ffmpeg import find_ffmpeg

    binary = find_ffmpeg(None)
    if binary is None:
        return [Row(WHAT, "not measured: no ffmpeg", "idle process", AIM, None)]
    with _served(_padded(_clip(binary))) as port:
        command = [sys.executable, "-m", "benchmarks.video_memory", str(port)]
        told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    idle, peak, children = map(float, told)
    over = peak - idle
    return [
        Row(WHAT, f"{over:.1f} MB", "idle process", AIM, over <= AIM_MB),
        Row("the same, largest of the programs that work for it", f"{children:.0f} MB", "-", "-", None),
    ]


def _clip(binary: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "clip.mp4")
        pictures, sound = "testsrc=size=1280x720:rate=30:duration=10", "sine=duration=10"
        sources = ["-f", "lavfi", "-i", pictures, "-f", "lavfi", "-i", sound]
        made = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest"]
        subprocess.run([binary, "-nostdin", "-loglevel", "error", *sources, *made, str(path)], check=True)
        return path.read_bytes()


def _padded(clip: bytes) -> bytes:
    """The clip with a box of nothing behind it, which every reader of MP4 passes over."""
    rest = SIZE - len(clip)
    return clip + rest.to_bytes(4, "big") + b"free" + bytes(rest - 8)


@contextmanager
def _served(clip: bytes) -> Iterator[int]:
    variant = {"content_type": "video/mp4", "url": "https://video.twimg.com/ext_tw_video/1.mp4", "bitrate": 1_000}
    media = {"type": "video", "video_info": {"duration_millis": 10_000, "variants": [variant]}}
    post = {
        "id": "1",
        "url": "https://x.com/ann/status/1",
        "text": "a video",
        "createdAt": "Mon Sep 21 10:00:00 +0000 2026",
        "author": {"userName": "ann"},
        "extendedEntities": {"media": [media]},
    }
    page = json.dumps({"tweets": [post], "has_next_page": False, "next_cursor": ""}).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._open()

        def do_GET(self) -> None:
            body = self._open()
            for start in range(0, len(body), _PIECE):
                self.wfile.write(body[start : start + _PIECE])

        def _open(self) -> bytes:
            body, kind = (clip, "video/mp4") if self.path.endswith(".mp4") else (page, "application/json")
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            return body

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def _measured(port: int) -> None:
    from twitter_tool import TwitterTool

    settings = {
        "route_to": f"http://127.0.0.1:{port}",
        "min_request_interval_ms": 0,
        "enable_video_understanding": True,
        "enable_video_processing": True,
    }
    environ = {"TWITTER_TOOL_CONFIG": "/dev/null"}
    with TwitterTool(api_key="0123456789abcdef", settings=settings, environ=environ) as tool:
        Path("/proc/self/clear_refs").write_text("5")  # the peak of the imports is forgotten
        idle = _memory_mb("VmRSS")
        result = tool.read_sync("video", "posts", output="posts")
    if result.details["usage"]["mediaAttempts"] != 2:
        raise SystemExit("the video was not downloaded")
    print(idle, _memory_mb("VmHWM"), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)


if __name__ == "__main__":
    _measured(int(sys.argv[1]))
