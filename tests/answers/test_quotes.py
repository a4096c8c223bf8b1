"""Which quotations of an answer are checked, where they are looked for, and what is said about those not found."""

from __future__ import annotations

import pytest
from answer_samples import account, article, document, post, posts, trend
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool import text
from twitter_tool.output.delivery import Delivery
from twitter_tool.output.quotes import QuoteCheck, check
from twitter_tool.output.voices import voices
from twitter_tool.output.wording import message
from twitter_tool.records import ArticlePreview, Card, Media

ANN = "https://x.com/ann/status/1"
BOB = "https://x.com/bob/status/2"
FETCHED = posts(
    post(1, "The new tram line is late every day.\nI don't like it at all, said nobody.", handle="ann"),
    post(2, "I rode it twice and it was great fun. Tickets cost 2 &amp; a half coins.", handle="bob"),
    post(3, "新しい図書館はとても明るくて静かです。また行きたい。", handle="cho"),
)


def checked(answer: str, delivery: Delivery = FETCHED, question: str = "") -> QuoteCheck:
    return check(answer, delivery, question)


def verdicts(answer: str, delivery: Delivery = FETCHED, question: str = "") -> list[str]:
    return [passage.verdict for passage in checked(answer, delivery, question).passages]


@pytest.mark.parametrize(
    "marks",
    [
        '"{}"',
        "'{}'",
        "“{}”",
        "‘{}’",
        "„{}“",
        "‚{}‘",
        "«{}»",
        "« {} »",
        "‹{}›",
        "「{}」",
        "『{}』",
        "> {}",
        " > {}",
        ">{}",
    ],
)
def test_words_in_any_quotation_marks_or_on_a_quoted_line_are_checked(marks: str) -> None:
    """A true one is verified, an untrue one is not."""
    assert verdicts(marks.format("tram line is late every day")) == ["verified"]
    assert verdicts(marks.format("tram line is never late")) == ["unverified"]


@pytest.mark.parametrize(
    "answer",
    [
        "They call it “quite late indeed”.",
        '"Never on time" is the verdict.',
        "「とても静か」という。",
        "Nothing is quoted here at all, not even this.",
        "It's the riders' view that the operators' trams aren't on time.",
        'A 5" rail and a 6" rail were laid side by side here.',
        '`"this is code, not somebody\'s words"`',
        '```\n"this is code, not a word of anybody"\n```',
        "```\n> this is code, not a word of anybody",
        '``"this is code, not a word of anybody"``',
        "> https://x.com/ann/status/1",
        "> — @ann, 2026-09-21 https://x.com/ann/status/1",
        "",
    ],
)
def test_short_passages_code_and_ordinary_text_are_no_quotations(answer: str) -> None:
    """Fewer than four words, or fewer than twelve characters where no spaces are written."""
    assert checked(answer) == QuoteCheck(0, 0, 0, (), ())


def test_words_of_the_question_are_exempt() -> None:
    """The answer may repeat what it was asked."""
    answer = 'You asked "why are the trams so late" and somebody says "they never ever come here".'
    assert verdicts(answer, question="Why are the trams so LATE today?") == ["unverified"]


@pytest.mark.parametrize(
    "quoted",
    [
        "THE NEW TRAM LINE IS LATE",
        "the  new\ntram line is late",
        "the new **tram** line is late",
        "The new tram line is late every day,",
        "...the new tram line is late",
        "new tram … late every day",
        "new tram [...] late every day",
        "[The] new tram line is late",
        "it says the new tram line [that one] late",
        "the new tram line is late every day. I don’t like it",
        "I don't like it at all",
        "it was great fun. Tickets cost 2 & a half",
        "it was great fun. Tickets cost 2 &amp; a half",
        "図書館はとても明るくて静かです",
        "図書館はとても 明るくて静かです。",
        "図書館は…静かです。また行きたい",
    ],
)
def test_what_does_not_change_the_words_does_not_matter(quoted: str) -> None:
    """Case, blanks, breaks, emphasis, the kind of marks, entities, closing punctuation and marked gaps."""
    expected = "unverified" if quoted.startswith("it says") else "verified"
    assert verdicts(f"“{quoted}”") == [expected]


@pytest.mark.parametrize(
    "quoted",
    [
        "the new tram line is early every day",
        "late every day … the new tram",
        "like it at all, said somebody",
        "The new tram line is late every day I rode it twice",
        "the new tram lin is late",
        "図書館はとても暗くて静かです",
        "The new [tram line is late every] night",
    ],
)
def test_changed_words_are_not_verified(quoted: str) -> None:
    """Nor words in another order, across posts, or cut in the middle."""
    assert verdicts(f"“{quoted}”") == ["unverified"]


def test_part_of_a_word_is_not_the_word() -> None:
    """Otherwise a quotation could turn into its contrary."""
    fetched = posts(post(1, "I dislike the new line very much"))
    assert verdicts("“like the new line very much”", fetched) == ["unverified"]
    assert verdicts("“dislike the new line very”", fetched) == ["verified"]


def test_a_quotation_belongs_to_the_first_source_linked_after_it() -> None:
    """And is looked for there only."""
    assert verdicts(f"“tram line is late every day” ({ANN}), unlike {BOB}") == ["verified"]
    assert verdicts(f"{ANN} “tram line is late every day” {BOB} {ANN}") == ["elsewhere"]
    assert verdicts(f"“tram line is late every day” (https://e.org, https://x.com/no/status/9, {ANN})") == ["verified"]


def test_without_a_link_after_it_the_last_one_before_it_counts() -> None:
    """Within the paragraph; a link of another paragraph does not count."""
    assert verdicts(f"{BOB} {ANN} “tram line is late every day”") == ["verified"]
    assert verdicts(f"{ANN} {BOB} “tram line is late every day”") == ["elsewhere"]
    assert verdicts(f"{BOB}\n\n“tram line is late every day”\n\n{BOB}") == ["verified"]
    assert checked(f"{BOB}\n\n“tram line is late every day”\n\n{BOB}").passages[0].url is None


def test_items_of_a_list_are_paragraphs_of_their_own() -> None:
    """But a line right below quoted lines belongs to them."""
    answer = f"- {ANN}: “tram line is late every day”\n- {BOB}: “twice and it was great fun”"
    assert verdicts(answer) == ["verified", "verified"]
    assert verdicts(f"> tram line is late every day\n- {BOB}") == ["elsewhere"]
    assert verdicts(f"{BOB}\n# Late\n“tram line is late every day” {ANN}") == ["verified"]


def test_links_and_names_on_a_quoted_line_are_not_part_of_the_quotation() -> None:
    """A quoted line may tell whose words it has."""
    for line in (
        f"> @ann: The new tram line is late every day. ({ANN})",
        f"> **@ann** (21 Sep): The new tram line is late every day. [post]({ANN})",
        f"> “The new tram line is late every day.” — @ann, 2026-09-21, <{ANN}>",
        f"> The new tram line is late every day. (@ann, {ANN})",
        f"- > The new tram line is late every day.\n  {ANN}",
    ):
        (passage,) = checked(line).passages
        assert (passage.verdict, passage.url) == ("verified", ANN), line


def test_a_link_among_the_quoted_words_does_not_take_them_away_from_their_author() -> None:
    """A quoted post may itself link to another fetched post."""
    fetched = posts(post(1, f"This is what I mean: {BOB} is right.", handle="ann"), post(2, "Nothing.", handle="bob"))
    assert verdicts(f"> This is what I mean: {BOB} is right.\n- @ann: {ANN}", fetched) == ["verified"]


def test_one_post_fetched_under_two_addresses_is_one_source() -> None:
    """A link to either stands for the words of both copies."""
    fetched = posts(post(1, "Cut copy of", handle="ann"), post(1, "The whole text of it.", url=f"{ANN}?s=20"))
    assert verdicts(f"“The whole text of it.” {ANN}?s=20", fetched) == ["verified"]


def test_code_inside_a_quotation_is_a_gap() -> None:
    """The words around it are checked."""
    fetched = posts(post(1, "Just call `sorted` on it and all is well."))
    assert verdicts("> Just call `sorted` on it and all is well.", fetched) == ["verified"]
    assert verdicts("> Just call `sorted` on it and all is lost.", fetched) == ["unverified"]


def test_a_quoted_passage_of_several_lines_is_checked_line_by_line() -> None:
    """Its own lines survive in the evidence."""
    assert verdicts(f"> The new tram line is late every day.\n> I don't like it at all, said nobody.\n{ANN}") == [
        "verified",
        "verified",
    ]


def test_outer_marks_count_and_inner_ones_belong_to_the_words() -> None:
    """One passage, not two."""
    fetched = posts(post(1, "She said 'this will never work here' and left the town."))
    assert verdicts("“She said ‘this will never work here’ and left the town.”", fetched) == ["verified"]
    assert verdicts('"She said "this will never work here" and left"', fetched) == ["verified"]


def test_a_post_is_linked_with_what_it_quotes_and_reposts() -> None:
    """The quoted post's own link stands for its own words only."""
    fetched = posts(
        post(1, "Look at what they write now.", quoted=post(2, "The bridge will be closed all week."), handle="ann")
    )
    inner = "https://x.com/alice/status/2"
    assert verdicts(f"“The bridge will be closed all week” {ANN}", fetched) == ["verified"]
    assert verdicts(f"“The bridge will be closed all week” {inner}", fetched) == ["verified"]
    (wrong,) = checked(f"“Look at what they write now” {inner}", fetched).passages
    assert (wrong.verdict, wrong.found_in) == ("elsewhere", ANN)


@pytest.mark.parametrize(
    ("delivery", "words"),
    [
        (posts(post(1, "x", card=Card(title=text.block("Trams of the whole world")))), "Trams of the whole world"),
        (
            posts(post(1, "x", article=ArticlePreview(title=text.block("How we built the line")))),
            "How we built the line",
        ),
        (posts(post(1, "x", media=(Media(alt=text.block("A red tram at night")),))), "A red tram at night"),
        (posts(parent=post(1, "Who of you was there?")), "Who of you was there"),
        (Delivery(kind="account", units=(account("grok", "Writes about trams and bees."),)), "about trams and bees"),
        (Delivery(kind="trend", units=(trend("The day of trams"),)), "the day of trams"),
        (Delivery(kind="trend", units=(trend("a", description="Trending in all of Marlow"),)), "in all of Marlow"),
        (document(("title", "An hour about trams")), "an hour about trams"),
        (document(("accountBasedIn", "New South Wales, Australia")), "accountBasedIn: New South Wales, Australia"),
        (article("The first block ends.", "The second one follows."), "first block ends. The second one"),
        (article("x", title=text.block("A title of four")), "A title of four"),
        (article("x", url=None), "metrics of no kind"),
    ],
)
def test_everything_that_is_delivered_may_be_quoted(delivery: Delivery, words: str) -> None:
    """Cards, previews, alternative texts, the parent, bios, trends, fields, titles and blocks."""
    expected = "unverified" if words == "metrics of no kind" else "verified"
    assert verdicts(f"“{words}”", delivery) == [expected]


def test_the_note_counts_what_was_not_found_and_names_where_it_was_found_instead() -> None:
    """One note for all of them."""
    answer = f"“twice and it was great fun” {ANN}\n\n“nobody ever wrote this down” {ANN}\n\n“late every day. I don't”"
    found = checked(answer)
    assert (found.checked, found.verified, found.unverified) == (3, 1, 2)
    (note,) = found.notes
    assert note.code == "quotes_unverified"
    assert note.figures == {
        "passages": [f"“twice and it was great fun” (found in {BOB} instead)", "“nobody ever wrote this down”"],
        "count": 2,
    }
    assert f"found in {BOB} instead" in message(note)


def test_a_passage_in_a_note_is_one_short_clean_line() -> None:
    """Whatever the answer has."""
    (note,) = checked("“nobody\n\x1b[2J ever \u202ewrote this\n" + "very " * 200 + "”").notes
    (passage,) = note.figures["passages"]
    assert passage.startswith("“nobody ⏎ ever wrote this ⏎ very very")
    assert len(passage) < 90


def test_only_the_first_five_hundred_quotations_are_checked() -> None:
    """More would say nothing more."""
    assert checked("“these words were never written”\n\n" * 700).checked == 500


def test_no_quotation_gives_no_note() -> None:
    """Nor do only verified ones."""
    assert checked("Nothing.").notes == ()
    assert checked(f"“tram line is late every day” {ANN}").notes == ()


def faithful(delivery: Delivery) -> list[str]:
    """Answers that quote every delivered text word for word, in several ways."""
    shapes = ("{quoted}\n- @{handle}: {url}\n", "As @{handle} put it, “{line}” ({url}).\n", "{url}: «{line}»\n")
    answers = []
    for shape in shapes:
        paragraphs = []
        for voice in voices(delivery):
            for part in voice.said:
                lines = [line for line in part.text.split("\n") if line]
                quoted = "\n".join(f"> {line}" for line in lines)
                for line in lines:
                    values = {"quoted": quoted, "line": line, "handle": voice.handle, "url": voice.url or ""}
                    paragraphs.append(shape.format(**values))
        answers.append("\n".join(paragraphs))
    return answers


def test_faithful_answers_about_all_recorded_bodies_raise_no_alarm(recorded: list[Delivery]) -> None:
    """Every line of every text that was ever recorded, quoted and linked."""
    total = 0
    for delivery in recorded:
        for answer in faithful(delivery):
            found = check(answer, delivery, "q")
            assert found.notes == ()
            total += found.checked
    assert total > 300


pieces = st.one_of(
    st.sampled_from(
        [
            *(
                '"',
                "'",
                "“",
                "”",
                "«",
                "»",
                "「",
                "」",
                "> ",
                "\n",
                "\n\n",
                "- ",
                "# ",
                "```",
                "`",
                "...",
                "[",
                "]",
                "…",
            ),
            *(ANN, BOB, "the new tram line ", "late every day", "\\", "\x1f", "\ud800", "图书馆", "&amp;", "@ann: "),
        ]
    ),
    st.text(max_size=6),
)


@given(st.lists(pieces, max_size=40).map("".join), st.text(max_size=30))
def test_whatever_an_answer_says_the_counts_agree(answer: str, question: str) -> None:
    """And nothing raises."""
    found = checked(answer, question=question)
    assert found.checked == len(found.passages) == found.verified + found.unverified
    assert len(found.notes) == (found.unverified > 0)
    assert all(passage.text == text.line(passage.text, 81) for passage in found.passages)


@pytest.mark.parametrize(
    "answer",
    [
        '"' * 100_000,
        "“" * 100_000,
        "`" * 100_000,
        "> " * 50_000,
        ">" + " " * 100_000 + "x",
        "> a b c d\n" * 20_000,
        "“a b c d” " * 20_000,
        "[" * 100_000,
        "> " + "[" * 3_900,
        ("> " + " " * 3_900 + "\n") * 30,
        "“" + "... a " * 600 + "” " + ANN,
        "- '" * 40_000,
    ],
)
def test_a_hostile_answer_takes_no_long_time(answer: str) -> None:
    """Linear in its length; a step that is quadratic in it would run into the time limit of the test."""
    fetched = posts(*(post(number, "a b c " * 50) for number in range(1, 100)))
    check(answer, fetched, "q")
