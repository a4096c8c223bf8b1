"""What the documentation pages consist of: fenced blocks, headings, links and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")))
_FENCE = re.compile(r"^```(.*)$")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$")


@dataclass(frozen=True)
class Fence:
    """A fenced block: the words behind the opening marks, the text, and the line it begins on."""

    page: Path
    line: int
    info: str
    text: str

    @property
    def where(self) -> str:
        """Page and line, as the name of a test."""
        return f"{self.page.name}:{self.line}"


def name_of(page: Path) -> str:
    """A page as people name it."""
    return page.relative_to(ROOT).as_posix()


def fences(page: Path) -> list[Fence]:
    """The fenced blocks of a page, in order."""
    found: list[Fence] = []
    info, begun, lines = "", 0, list[str]()
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        mark = _FENCE.match(line)
        if mark and not begun:
            info, begun, lines = mark[1], number, []
        elif mark:
            found.append(Fence(page, begun, info, "".join(f"{text}\n" for text in lines)))
            begun = 0
        elif begun:
            lines.append(line)
    assert not begun, f"{page.name}: the block of line {begun} is not closed"
    return found


def all_fences(info: str) -> list[Fence]:
    """The blocks of one kind, of all pages."""
    return [fence for page in PAGES for fence in fences(page) if fence.info == info]


def prose(page: Path) -> list[str]:
    """The lines of a page outside of fenced blocks."""
    lines, inside = [], False
    for line in page.read_text("utf-8").splitlines():
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            lines.append(line)
    assert not inside
    return lines


def anchors(page: Path) -> set[str]:
    """What the headings of a page can be linked by."""
    found: set[str] = set()
    for line in prose(page):
        heading = _HEADING.match(line)
        if heading:
            kept = "".join(char for char in heading[1].lower() if char.isalnum() or char in " -_")
            found.add(kept.replace(" ", "-"))
    return found


def links(page: Path) -> list[str]:
    """The targets of a page's links."""
    return [target for line in prose(page) for target in _LINK.findall(line)]


def table(page: Path, heading: str) -> Iterator[list[str]]:
    """The rows of the first table under a heading, without its head."""
    lines = iter(prose(page))
    for line in lines:
        if re.fullmatch(rf"#+ {re.escape(heading)}", line):
            break
    rows = []
    for line in lines:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows or line.startswith("#"):
            break
    assert len(rows) > 2, f"{page.name} has no table under {heading!r}"
    return iter(rows[2:])


def quoted(cell: str) -> list[str]:
    """The words of a cell that stand in backticks."""
    return re.findall(r"`([^`]+)`", cell)
