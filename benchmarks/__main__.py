"""Every measurement, by one command: ``python -m benchmarks`` prints a table; ``--write`` puts it in the docs.

Figures are ratios or counts taken in one run on one machine, next to a yardstick that runs in turn with what is
measured. Nothing here is asserted; the tests assert counts and behaviour, never seconds.
"""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path

from benchmarks import answers, frames, memory, pacing, pages, speech, startup, video_memory
from benchmarks.report import Row, table

DOC = Path(__file__).parent.parent / "docs" / "performance.md"
START, END = "<!-- measured: start -->", "<!-- measured: end -->"


def main() -> None:
    """Measure, print, and write when asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the table in docs/performance.md")
    parser.add_argument(
        "--only",
        choices=["startup", "pages", "memory", "pacing", "answers", "frames", "speech", "video-memory"],
        help="one group of measurements",
    )
    options = parser.parse_args()
    groups = {
        "startup": startup.rows,
        "pages": pages.rows,
        "memory": memory.rows,
        "pacing": pacing.rows,
        "answers": answers.rows,
        "frames": frames.rows,
        "speech": speech.rows,
        "video-memory": video_memory.rows,
    }
    rows: list[Row] = []
    for name, measure in groups.items():
        if options.only in (None, name):
            print(f"measuring {name} ...", file=sys.stderr)
            rows += measure()
    text = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}.\n\n{table(rows)}"
    print(text)
    if options.write:
        page = DOC.read_text(encoding="utf-8")
        before, rest = page.split(START)
        DOC.write_text(f"{before}{START}\n{text}{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
