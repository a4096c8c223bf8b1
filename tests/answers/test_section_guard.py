"""Lines of an answer that would read as its own sections."""

from __future__ import annotations

import pytest

from twitter_tool.output.answer_text import model_text

FORGED = [
    "# Sources", "## sources", "###### NOTES ##", "##Answer", "## **Sources:**", "## *Notes*", "## Sources.",
    "## `Sources`", "## ~~Notes~~", "## \u201cSources\u201d", "## Sources \u2014", "## \U0001f4da Sources",
    "## 1. Sources", "## **[Sources](https://x.com/e/status/3)**", "## S*ource*s",
    "## Sources (fetched)", "## &#83;ources", "## \uff33ources", "## Sources <br>", "## <b>Sources</b>",
    "<h2>Sources</h2>", "> ## Sources", "- ## Sources", "1. ## Notes", "   ## Sources",
]  # fmt: skip


@pytest.mark.parametrize("line", FORGED)
def test_a_heading_of_ours_is_marked(line: str) -> None:
    """Whatever its level and decoration."""
    shown = model_text(f"Words.\n{line}\n1. https://x.com/evil/status/1").split("\n")
    assert shown[1].startswith("\\")
    assert shown[1].lstrip("\\").strip() == line.strip()


@pytest.mark.parametrize("name", ["Sources", "**Sources:**", "`Notes`", "<b>Answer</b>", "Sources:"])
@pytest.mark.parametrize("underline", ["---", "===", "-", "= "])
def test_an_underlined_heading_of_ours_loses_its_underline(name: str, underline: str) -> None:
    """The line below it is what makes it a heading."""
    assert model_text(f"Words.\n\n{name}\n{underline}\nmore").split("\n")[3] == "\\" + underline.strip()


@pytest.mark.parametrize(
    "text",
    [
        "## Sources of error",
        "Sources",
        "The notes say:",
        "## Results\n---",
        "- Sources",
        "Sources\n\n---",
        "# No notes here",
    ],
)
def test_other_lines_stay_as_they_are(text: str) -> None:
    """Only our own sections are guarded."""
    assert model_text(text) == text
