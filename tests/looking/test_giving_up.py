"""A call that is given up in the middle of media work leaves no process, no file and no connection."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from looking_calls import VIDEOS, Seeing, World, raw_video, with_media


def sleeper(folder: Path) -> tuple[Path, Path]:
    """A program that never ends, in the place of ffmpeg, and the pipe into which it writes its process id."""
    program, told = folder / "slow-ffmpeg", folder / "pid"
    os.mkfifo(told)
    program.write_text(
        f"#!{sys.executable}\nimport os, signal\n"
        f"with open({str(told)!r}, 'w') as told:\n    told.write(str(os.getpid()))\nsignal.pause()\n",
        "utf-8",
    )
    program.chmod(0o755)
    return program, told


def is_running(pid: int) -> bool:
    """Whether a process exists that is not just waiting to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at processes through /proc")
async def test_a_cancelled_call_ends_the_program_that_works_for_it(
    clips: Any, speech: Any, tmp_path: Path, temp: Path
) -> None:
    """It is gone when the cancellation arrives, and so is the temporary folder."""
    program, told = sleeper(tmp_path)
    world = World(with_media(1, raw_video("v"))).plays("v", clips.counted(60).read_bytes())
    seeing = Seeing(world, {**VIDEOS, **speech.settings, "ffmpeg_path": str(program)})
    call = asyncio.ensure_future(seeing(mode="posts", output="posts"))
    pid = await started(told)
    assert is_running(pid)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not is_running(pid)
    assert left_in(temp) == []


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at processes through /proc")
async def test_a_program_that_does_not_end_is_ended_at_the_deadline(
    clips: Any, speech: Any, tmp_path: Path, temp: Path
) -> None:
    """The call goes on without the video."""
    program, told = sleeper(tmp_path)
    world = World(with_media(1, raw_video("v"))).plays("v", clips.counted(60).read_bytes())
    settings = {**VIDEOS, **speech.settings, "ffmpeg_path": str(program), "video_budget_ms": 1_500}
    call = asyncio.ensure_future(Seeing(world, settings)(mode="posts", output="posts"))
    pid = await started(told)
    result = await call
    assert len(result.items) == 1
    assert "video" not in result.items[0]
    assert not is_running(pid)
    assert left_in(temp) == []


def left_in(folder: Path) -> list[Path]:
    """What was not removed."""
    return list(folder.iterdir())


async def started(told: Path) -> int:
    """The id of the process, once it runs."""
    return int(await asyncio.to_thread(told.read_text, "utf-8"))
