"""The answer that quotes: what it says, and that it says nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from answer_samples import account, article, document, evidence_samples, post, posts, trend
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twitter_tool import text
from twitter_tool.output.citations import cite
from twitter_tool.output.delivery import Delivery, Excerpt, Retrieved
from twitter_tool.output.evidence import evidence
from twitter_tool.output.extractive import extract
from twitter_tool.output.quotes import check
from twitter_tool.output.sources import sources
from twitter_tool.output.voices import voices
from twitter_tool.records import Author, Moment

TRAM = "What do people say about the new tram?"


def quoted(answer: str) -> list[str]:
    return [line[2:] for line in answer.split("\n") if line.startswith("> ")]


def test_an_answer_quotes_word_for_word_and_names_author_day_and_link() -> None:
    """Below each quotation, in the order of their match."""
    fetched = posts(
        post(1, "Nice weather today.", handle="ann"),
        post(2, "@ann The new tram is late. Every single day!", handle="bob"),
        post(3, "A tram is a tram.", handle="cho"),
    )
    assert extract("Why is the new tram late?", fetched).text == (
        "No model wrote this answer. It quotes, word for word, the passage that matches the question best, out of 4 "
        "sentences of 3 posts.\n\n"
        "> The new tram is late. Every single day!\n"
        "- @bob, 2026-09-21: https://x.com/bob/status/2"
    )


def test_without_an_answer_it_says_so_and_names_the_words_it_did_not_find() -> None:
    """It never quotes something off topic instead."""
    fetched = posts(post(1, "The new tram is late."), post(2, "I like bees."))
    found = extract("¿Quién ganó el Mundial?", fetched)
    assert found.abstained
    assert found.text == (
        "Nothing that was fetched answers this question. No model wrote this answer: the words of the question were "
        "looked for in 2 sentences of 2 posts, and none comes close enough. Other words for the same thing are not "
        "recognised.\n\nNot found in any of them: “ganó”, “Mundial”."
    )
    assert "Not found" not in extract("tram bees rails weather", posts(post(1, "tram bees rails weather"))).text


def test_without_anything_to_quote_it_says_so() -> None:
    """Of an empty delivery and of posts without words."""
    for fetched in (posts(), posts(post(1, text=None)), posts(post(1, "🚋🚋"))):
        found = extract(TRAM, fetched)
        assert (found.text, found.abstained) == (
            "Nothing was fetched that could be quoted. No model wrote this answer.",
            True,
        )


def test_at_most_six_passages_and_two_by_one_author_are_quoted() -> None:
    """However much was fetched."""
    told = [
        f"The tram is {word} {word[::-1]} {word.upper()}x {word}ish"
        for word in ["abc", "bcd", "cde", "def", "efg", "fgh", "ghi"]
    ]
    alone = posts(*(post(n, said, handle="ann") for n, said in enumerate(told, 1)))
    assert len(quoted(extract("Which tram?", alone).text)) == 2
    many = posts(*(post(n, said, handle=f"u{n}") for n, said in enumerate(told, 1)))
    assert len(quoted(extract("Which tram?", many).text)) == 6


def test_what_says_nearly_the_same_is_quoted_once() -> None:
    """A copy, a repost and a small change add nothing."""
    words = "The new tram is late every single morning of the week"
    fetched = posts(
        post(1, f"{words}.", handle="ann"),
        post(2, f"{words}!", handle="bob"),
        post(3, "RT", handle="cho", reposted=post(1, f"{words}.", handle="ann")),
        post(4, "Nobody told me that the new tram has windows", handle="dan"),
    )
    assert len(quoted(extract("the new tram", fetched).text)) == 2


def test_quoted_and_reposted_posts_are_quoted_with_their_own_author_and_link() -> None:
    """Never as the words of who shared them."""
    inner = post(2, "The bridge closes on Monday for repairs.", handle="cho")
    for nesting in ({"quoted": inner}, {"reposted": inner}):
        answer = extract("When does the bridge close?", posts(post(1, "Oh no", handle="ann", **nesting))).text
        expected = "> The bridge closes on Monday for repairs.\n- @cho, 2026-09-21: https://x.com/cho/status/2"
        assert answer.endswith(expected)


def test_the_question_that_the_posts_answer_is_no_answer() -> None:
    """A parent's own statements may be."""
    parent = post(1, "What do you think of the new tram?", handle="ann")
    fetched = posts(post(2, "The new tram is a joy.", handle="bob"), parent=parent)
    assert quoted(extract(TRAM, fetched).text) == ["The new tram is a joy."]
    assert extract(TRAM, posts(post(2, "Bees!"), parent=parent)).abstained
    stated = post(1, "The new tram opens on Monday.", handle="ann")
    assert quoted(extract(TRAM, posts(post(2, "Bees!"), parent=stated)).text) == ["The new tram opens on Monday."]


def test_a_short_post_is_quoted_whole_and_a_long_one_in_part() -> None:
    """The line with the link says when a post says more."""
    short = extract("Is the tram late?", posts(post(1, "The tram was late for years. Not any more."))).text
    assert quoted(short) == ["The tram was late for years. Not any more."]
    assert "excerpt" not in short
    long = extract("Is the tram late?", posts(post(1, f"The tram was late. {'We saw birds of every kind. ' * 6}"))).text
    assert quoted(long) == ["The tram was late."]
    assert "@alice, 2026-09-21, excerpt: https://x.com/alice/status/1" in long


def test_neighbouring_sentences_of_a_long_text_are_one_quotation() -> None:
    """Each line of it on a quoted line."""
    words = (
        "Lots of other things were said here, about birds and boats and the weather, at some length and by all of us, "
    )
    words += "before anybody came to the point. "
    fetched = posts(post(1, f"{words}The tram line is late. The tram line is full.\nThe tram line is red. {words}"))
    answer = extract("How is the tram line?", fetched).text
    assert answer.count("https://") == 1
    assert quoted(answer) == ["The tram line is late. The tram line is full.", "The tram line is red."]


def test_posts_without_author_day_or_link_are_quoted_all_the_same() -> None:
    """What is not known is not claimed."""
    bare = post(1, "The tram is late.", permalink=None, author=Author(), created=Moment())
    assert extract("Is the tram late?", posts(bare)).text.endswith("> The tram is late.\n- no link was fetched")
    unnamed = post(1, "The tram is late.", author=Author())
    expected = "- author unknown, 2026-09-21: https://x.com/alice/status/1"
    assert extract("Is the tram late?", posts(unnamed)).text.endswith(expected)


def test_a_question_that_names_an_account_is_answered_from_its_words() -> None:
    """In any case of the handle; an account that was not read changes nothing."""
    fetched = posts(
        post(1, "The tram is late every day.", handle="ann"), post(2, "The tram is never late at all.", handle="bob")
    )
    answer = extract("What does @ANN say about the tram?", fetched).text
    assert quoted(answer) == ["The tram is late every day."]
    assert "out of 1 sentence by @ann" in answer
    assert len(quoted(extract("What does @ann think?", fetched).text)) == 1
    assert len(quoted(extract("What does @nobody say about the tram?", fetched).text)) == 2


def test_a_question_without_a_topic_gets_what_is_most_typical() -> None:
    """And is told so."""
    fetched = posts(
        post(1, "The tram line to the harbour is full in the morning.", handle="ann"),
        post(2, "A full tram line every morning, as far as the harbour goes.", handle="bob"),
        post(3, "My cat ate a whole fish pie yesterday evening.", handle="cho"),
        post(4, "ok", handle="dan"),
    )
    answer = extract("Summarise the main points", fetched).text
    assert "The question names no topic" in answer
    assert quoted(answer)[0].startswith(("The tram line", "A full tram"))
    assert "ok" not in quoted(answer)


@pytest.mark.parametrize(
    ("question", "delivery", "expected"),
    [
        (
            "Who writes about bees?",
            Delivery(
                kind="account", units=(account("ann", "Trams. Buses."), account("bob", "I keep bees and ride trams."))
            ),
            "> I keep bees and ride trams.\n- @bob: https://x.com/bob",
        ),
        (
            "Who is in Lisbon?",
            Delivery(kind="account", units=(account("ann", "Trams.", location=text.block("Lisbon, Portugal")),)),
            "> location: Lisbon, Portugal\n- @ann: https://x.com/ann",
        ),
        (
            "Is there anything about trams?",
            Delivery(kind="trend", units=(trend("#Bees"), trend("#TramDay", description="Trending in Marlow"))),
            "> #TramDay\n- https://x.com/search?q=%23TramDay",
        ),
        (
            "Where is this account based?",
            document(("name", "Ann"), ("accountBasedIn", "Portugal"), ("verified", True)),
            "> accountBasedIn: Portugal\n- @ann: https://x.com/ann",
        ),
        (
            "How many listeners were live?",
            document(
                ("live_listeners", 214), ("listeners[0].name", "Live Bob"), ("id", "1026981315657857294"), space="1Ab"
            ),
            "> live_listeners: 214\n- https://x.com/i/spaces/1Ab",
        ),
        (
            "When does the harbour tram open?",
            article("Bees are fine.", "The harbour tram will open in May.", "That is all."),
            "> The harbour tram will open in May.\n- @ann: https://x.com/ann/status/50",
        ),
    ],
)
def test_every_kind_of_result_is_quoted_with_its_own_source(question: str, delivery: Delivery, expected: str) -> None:
    """Bios, trends, fields and blocks."""
    assert extract(question, delivery).text.partition("\n\n")[2] == expected


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("トラムは静かですか？", "新しいトラムはとても静かです。"),
        ("新电车安静吗？", "新电车非常安静。"),
        ("รถรางเงียบไหม", "รถรางใหม่เงียบมาก"),
        ("트램은 조용합니까?", "새 트램은 아주 조용합니다."),
        ("क्या ट्राम नई है?", "नई ट्राम आ गई है।"),
        ("трамвай новый?", "Новый трамвай пришёл."),
        ("Ist die Straßenbahn neu?", "Die STRASSENBAHN ist sehr neu."),
    ],
)
def test_many_scripts_are_understood(question: str, words: str) -> None:
    """With and without spaces between words."""
    fetched = posts(post(1, "Something else altogether.", handle="ann"), post(2, words, handle="bob"))
    assert quoted(extract(question, fetched).text) == [words]


HOSTILE = [
    *('"', '""', "'", "*", "^tram", "tram*", "tram AND", "OR", "NOT", "NEAR(", 'NEAR("a" "b", 2)', "words:", "-tram"),
    *("(tram", "tram) OR 1", "'; DROP TABLE said; --", "\x00", "\ud800", "\u202e", "{tram}", "[", "+", "%", "_", ":"),
    *("said MATCH", "tram " * 5000, "x" * 100_000, "電車" * 5000, "؟", "🎉", "\n\n", "@", "@@", "#", "1", "a"),
]


@pytest.mark.parametrize("question", HOSTILE)
def test_no_question_is_taken_as_search_syntax(question: str) -> None:
    """It answers or abstains, and never fails."""
    extract(question, posts(post(1, "The tram is late."), post(2, "said words OR AND NOT NEAR")))


def test_the_index_is_in_memory_and_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever happens in between."""
    opened: list[str] = []
    connections: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(place: str) -> sqlite3.Connection:
        opened.append(place)
        connections.append(connect(place))
        return connections[-1]

    monkeypatch.setattr(sqlite3, "connect", noted)
    extract(TRAM, posts(post(1, "The new tram is late.")))
    assert opened == [":memory:"]
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connections[0].execute("SELECT 1")


def test_ten_thousand_sentences_take_no_long_time() -> None:
    """Comparing every sentence with every other one would run into the time limit of the test."""
    words = [f"word{number}" for number in range(200)]

    def told(n: int) -> str:
        return "\n".join(f"{' '.join(words[(n * s) % 180 :][:14])} tram {n}" for s in range(1, 11))

    fetched = posts(*(post(n, told(n), handle=f"u{n % 90}") for n in range(1, 1001)))
    for question in ("Why is the tram late?", " ".join(words), "Summarise"):
        extract(question, fetched)


def held(delivery: Delivery) -> Iterator[str]:
    for voice in voices(delivery):
        yield from (part.text for part in voice.said)


def assert_faithful(question: str, delivery: Delivery) -> None:
    found = extract(question, delivery)
    texts = list(held(delivery))
    assert "No model wrote this answer" in found.text
    for line in quoted(found.text):
        assert any(line in one for one in texts), line
    assert found.abstained == (not quoted(found.text))
    assert set(cite(found.text, delivery).sources) <= set(sources(delivery))
    assert check(found.text, delivery, question).unverified == 0
    for line in found.text.split("\n")[2:]:
        assert line == "" or line.startswith(("> ", "- ", "Not found in any of them: ")), line


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.one_of(st.text(max_size=40), st.sampled_from(["summary", "tram"])), evidence_samples.record_lists)
def test_whatever_is_asked_and_read_only_fetched_words_are_quoted(question: str, records: tuple[object, ...]) -> None:
    """Each on a line of its own, verified, with a delivered source or none."""
    retrieved = Retrieved(records=records)
    assert_faithful(question, evidence(evidence_samples.ASKED, retrieved, ceiling=200_000).delivery)


words = st.sampled_from(
    ["tram", "late", "new", "電車", "静か", "ترام", "tranvía", "bees", "?", ".", "。", "\n", "@ann", "“", '"', "`", ">"]
)
told = st.lists(words, min_size=1, max_size=14).map(" ".join)


@settings(deadline=None)
@given(st.lists(words, max_size=8).map(" ".join), st.lists(told, max_size=6))
def test_matching_posts_are_quoted_faithfully(question: str, told: list[str]) -> None:
    """With any mix of scripts, marks and breaks."""
    assert_faithful(question, posts(*(post(n, said, handle=f"u{n}") for n, said in enumerate(told, 1))))


def test_recorded_bodies_are_quoted_faithfully(recorded: list[Delivery]) -> None:
    """For a question about everything and for one with their own words."""
    for delivery in recorded:
        assert_faithful("Summarise", delivery)
        for said in list(held(delivery))[:3]:
            assert_faithful(said, delivery)


def test_an_answer_cites_exactly_what_it_quotes() -> None:
    """So that its sources are those of its quotations, in their order."""
    fetched = posts(
        post(1, "The tram is late.", handle="ann"),
        post(2, "Bees.", handle="bob"),
        post(3, "Late tram, red tram, odd tram!", handle="cho"),
    )
    found = extract("Is the tram late?", fetched)
    cited = cite(found.text, fetched, expects_links=False)
    origins = [line.rpartition(": ")[2] for line in found.text.split("\n") if line.startswith("- ")]
    assert [source.url for source in cited.sources] == origins
    assert cited.notes == ()
    assert len(cited.sources) == 2


def test_an_excerpt_of_nothing_is_nothing() -> None:
    """A document without fields."""
    (unit,) = document().units
    assert isinstance(unit, Excerpt)
    assert extract("anything", document()).abstained
