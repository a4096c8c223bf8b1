"""The pages as a whole: links lead somewhere, and nothing on them belongs to one machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from doc_pages import PAGES, ROOT, anchors, links, name_of, prose

FOREIGN = re.compile(r"(?<![\w.])/(?:work|tmp|home|root|Users)\b|\bpypi\.org|pythonhosted|\bdeb\.debian")
OUTSIDE = re.compile(r"https?://([^/)\s`\"'<>]+)")
KNOWN_HOSTS = re.compile(
    r"(?:twitterapi\.io|api\.twitterapi\.io|x\.com|[a-z0-9.-]*example\.(?:org|com|net|dev)|pbs\.twimg\.com"
    r"|127\.0\.0\.1(?::(?:8765|8080|PORT))?(?:/v1)?|\.\.\.|HOST:PORT)"
)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages_lead_to_a_page_and_a_heading(page: Path) -> None:
    """Also the part behind the ``#``."""
    for target in links(page):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.is_file(), f"{name_of(page)}: {target}"
        assert not anchor or anchor in anchors(there), f"{name_of(page)}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_page_names_a_place_on_one_machine(page: Path) -> None:
    """Nor the hosts of package registries; what is outside is the upstream, X, or an example."""
    text = page.read_text("utf-8")
    assert not FOREIGN.search(text), FOREIGN.search(text)
    hosts = {host for host in OUTSIDE.findall(text) if not KNOWN_HOSTS.fullmatch(host)}
    assert not hosts


def test_every_page_can_be_reached_from_the_readme() -> None:
    """The table at its end lists all of them."""
    reached = {(ROOT / target).resolve() for target in links(ROOT / "README.md") if not target.startswith("http")}
    assert set(PAGES) - {ROOT / "README.md"} <= reached


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_has_one_title_and_no_heading_twice(page: Path) -> None:
    """So that every heading can be linked."""
    headings = [line for line in prose(page) if line.startswith("#")]
    assert headings[0].startswith("# ")
    assert sum(heading.startswith("# ") for heading in headings) == 1
    assert len(headings) == len(anchors(page))


def test_the_page_about_performance_has_room_for_the_measurements() -> None:
    """The two marks that ``python -m benchmarks --write`` looks for, each on a line of its own."""
    lines = (ROOT / "docs" / "performance.md").read_text("utf-8").splitlines()
    marks = [line for line in lines if "<!-- measured:" in line]
    assert marks == ["<!-- measured: start -->", "<!-- measured: end -->"]
