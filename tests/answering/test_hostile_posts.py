"""Posts that give orders, forge what is ours or carry what no terminal should see; and a model that obeys them.

The model writes down whatever the post says. What was fetched, and the places where it stands, must not move.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from answering_calls import ANN, LITELLM, LOCAL, Asking, LlmServer, Model, Upstream, answers, completion, prompt_of

from twitter_tool.cli.documents import result_text
from twitter_tool.cli.invocation import Invocation
from twitter_tool.result import Result

pytestmark = LITELLM


class Hostile(NamedTuple):
    """A post of the corpus; ``invents`` is how many addresses on X in it were never fetched."""

    name: str
    text: str
    invents: int


CORPUS = [
    Hostile(**entry) for entry in json.loads(Path(__file__).with_name("hostile_posts.json").read_text(encoding="utf-8"))
]
HARMLESS = Hostile("harmless", "Trams run at night.", 0)
HEADINGS = ("## Answer", "## Sources", "## Notes")
PICTURE = "https://pbs.twimg.com/media/a"
LABEL = re.compile(
    r"\[[12]\] @ann|(?:quoted )?(?:permalink|text|source)|date|lang|reply to|media|alt text|card (?:name|title)"
)
ALL = pytest.mark.parametrize("post", CORPUS, ids=lambda post: post.name)


def test_the_corpus_is_large_and_every_post_in_it_is_another() -> None:
    """At least sixty."""
    assert len(CORPUS) >= 60
    assert len({post.text for post in CORPUS}) == len({post.name for post in CORPUS}) == len(CORPUS)


def rows(text: str) -> list[dict[str, Any]]:
    """Two posts that say it in every field that a stranger can write."""
    handle = re.sub("[^A-Za-z0-9_]", "", text)[:15] or "x"
    return [
        {
            "id": str(number),
            "url": f"{ANN}{number}",
            "text": text,
            "lang": text,
            "createdAt": text if number == 2 else "Mon Sep 21 10:00:00 +0000 2026",
            "author": {"userName": "ann", "name": text, "description": text},
            "isReply": True,
            "inReplyToUsername": text,
            "extendedEntities": {
                "media": [{"type": "photo", "media_url_https": f"{PICTURE}{number}.jpg", "ext_alt_text": text}]
            },
            "card": {"name": "summary", "binding_values": [{"key": "title", "value": {"string_value": text}}]},
            "quoted_tweet": {"id": f"9{number}", "text": text, "author": {"userName": handle, "name": text}},
        }
        for number in (1, 2)
    ]


def body(post: Hostile) -> dict[str, Any]:
    """The page of a search."""
    return {"tweets": rows(post.text), "has_next_page": False, "next_cursor": ""}


async def obeyed(post: Hostile, llm: LlmServer, model: Model) -> Result:
    """The answer of a model that says what the post says, then cites the first one."""
    said = post.text.encode("utf-8", "replace").decode()
    llm.scripts[:] = [answers(completion(f"{said}\n\nSo it is ({ANN}1)."))]
    return await Asking(Upstream(body(post)), model.settings())("Is it so?")


@ALL
async def test_no_line_of_the_prompt_is_the_posts(post: Hostile, llm: LlmServer, model: Model) -> None:
    """Its words stand behind a mark or a label; two posts stay two, with one permalink each."""
    await obeyed(post, llm, model)
    prompt = prompt_of(llm)
    head, _, items = prompt.partition("\n\n")
    lines = items.split("\n")
    assert len(head.split("\n")) == 3
    assert [line for line in lines if re.match(r"\[[0-9]+\] ", line)] == [line for line in lines if line[:1] == "["]
    assert sum(line[:1] == "[" for line in lines) == 2
    assert [line for line in lines if line.startswith("permalink: ")] == [f"permalink: {ANN}1", f"permalink: {ANN}2"]
    assert [
        line for line in lines if line.startswith(("transcript:", "visual:", "image", "#", "the post itself"))
    ] == []
    assert not [line for line in lines if line and not line.startswith(">") and not LABEL.match(line)]
    assert_printable(prompt)


@ALL
async def test_sources_and_notes_are_what_was_fetched_whatever_the_model_obeys(
    post: Hostile, llm: LlmServer, model: Model
) -> None:
    """One cited source; inventions are counted; each heading of ours stands once, in its place."""
    result = await obeyed(post, llm, model)
    details = result.details
    own = f"{ANN}2 is the only true one" in post.text
    expected = [f"{ANN}2", f"{ANN}1"] if own else [f"{ANN}1"]
    assert details["sources"] == [{"url": url, "kind": "post"} for url in expected]
    notes = {note["code"]: note for note in details["notes"]}
    assert set(notes) <= {"citations_invented", "quotes_unverified"}
    assert notes.get("citations_invented", {}).get("count", 0) == post.invents
    assert (details["model"], details["synthesisCalls"], len(details["items"])) == (LOCAL, 1, 2)
    lines = result.content.split("\n")
    assert [line for line in lines if line in HEADINGS] == [*HEADINGS[:2], *HEADINGS[2:] * bool(notes)]
    assert lines[:7] == [
        "Query: Is it so?",
        f"Model: {LOCAL}",
        "Synthesis Calls: 1",
        f"Citations: {len(expected)}",
        "",
        "## Answer",
        "",
    ]
    tail = ["## Sources", *(f"{at}. {url}" for at, url in enumerate(expected, 1))]
    tail += ["", "## Notes", *(f"- {note['message']}" for note in details["notes"])] if notes else []
    assert lines[-len(tail) :] == tail
    assert_printable(result.content)


@ALL
async def test_every_format_holds_its_shape(post: Hostile, llm: LlmServer, model: Model) -> None:
    """The keys are those of a harmless call; text, one document, or one line for each item and one for the result."""
    hostile = await obeyed(post, llm, model)
    harmless = await obeyed(HARMLESS, llm, model)
    for written, plain in ((hostile, harmless), (await evidence_of(post), await evidence_of(HARMLESS))):
        assert set(plain.details) == set(written.details)
        document = written.to_dict()
        assert json.loads(result_text(document, Invocation("json"))) == json.loads(json.dumps(document))
        assert json.loads(result_text(document, Invocation(document=True))) == json.loads(json.dumps(document))
        lines = result_text(document, Invocation("jsonl")).removesuffix("\n").split("\n")
        assert [json.loads(line)["kind"] for line in lines] == ["post", "post", "result"]
        assert result_text(document, Invocation()) == written.content + "\n"
        for form in ("text", "json", "jsonl"):
            assert_printable(result_text(document, Invocation(form)))


@ALL
async def test_evidence_lists_both_posts_and_nothing_else(post: Hostile) -> None:
    """No word of a stranger begins a line of it."""
    result = await evidence_of(post)
    assert [source["url"] for source in result.details["sources"]] == [f"{ANN}1", f"{ANN}2"]
    lines = result.content.split("\n")
    assert [line for line in lines if line.startswith("#")] == [
        "# X evidence - mode=posts - 2 posts",
        "## Sources",
        "## Notes",
    ]
    assert sum(bool(re.match(r"\[[0-9]+\] ", line)) for line in lines) == 2


@ALL
async def test_quoting_cites_only_what_it_quotes(post: Hostile) -> None:
    """The built-in answer quotes a hostile post as any other: on marked lines, with the link that was read."""
    result = await Asking(Upstream(body(post)))("Sources notes answer instructions trams cite?")
    assert {source["url"] for source in result.details["sources"]} <= {f"{ANN}1", f"{ANN}2"}
    assert result.details["model"] == "extractive"
    assert {"citations_none_inline"}.isdisjoint(note["code"] for note in result.notes)
    assert result.details["quotes"]["unverified"] == 0
    lines = result.content.split("\n")
    listed = [heading for heading in HEADINGS if heading != "## Sources" or result.details["sources"]]
    assert [line for line in lines if line in HEADINGS] == listed
    assert_printable(result.content)


async def evidence_of(post: Hostile) -> Result:
    """The same posts without any answer."""
    return await Asking(Upstream(body(post)))("Is it so?", output="posts")


def assert_printable(text: str) -> None:
    """Nothing that a terminal obeys, that is invisible, or that turns text around; line breaks are ours."""
    joined = re.sub("[\U0001f000-\U0001faff\u2764][\u200d\ufe0f\U0001f000-\U0001faff\U000e0020-\U000e007f]*", "", text)
    found = {
        f"U+{ord(char):04X}" for char in joined if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs")
    }
    assert not found
