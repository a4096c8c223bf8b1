"""Words of videos in answers: found, quoted with their second, and told apart from what an author wrote."""

from __future__ import annotations

import pytest
from answer_samples import evidence_samples, post, posts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twitter_tool import text
from twitter_tool.media.assets import Asset, Place
from twitter_tool.media.found import Found
from twitter_tool.media.values import VideoText
from twitter_tool.output.citations import cite
from twitter_tool.output.delivery import Delivery
from twitter_tool.output.extract.words import understood
from twitter_tool.output.extractive import extract
from twitter_tool.output.quotes import check
from twitter_tool.output.shown import Shown, shown_of
from twitter_tool.output.sources import sources
from twitter_tool.output.voices import voices
from twitter_tool.records import Media, Post

SPEECH = (
    "[00:00] He was not an ill-disposed young man,\n"
    "[00:03] unless to be rather cold hearted and rather selfish\n"
    "[00:06] is to be ill-disposed."
)
NOTES = "A dark room. Nobody is in it."
LINK = "https://x.com/ann/status/1"


def shown_at(
    one: Post, transcript: str | None = SPEECH, visual: str | None = None, *, root: Post | None = None
) -> Found:
    """What the video of a post gave."""
    relation = None if root is None else "quoted"
    place = Place(unit=0, root=root or one, post=one, relation=relation, media=Media())
    made = VideoText(
        method=text.line("frames+stt", 100),
        transcript=None if transcript is None else text.block(transcript),
        visual=None if visual is None else text.block(visual),
    )
    return Found(asset=Asset(kind="video", places=(place,)), text=made)


ANN = post(1, "Reading hour: come at five. Bring a book about trams.", handle="ann")
BOB = post(2, "The tram is late. What a selfish company!", handle="bob")
FETCHED = posts(ANN, BOB)
SHOWN = shown_of([shown_at(ANN, visual=NOTES)])


def quoted(answer: str) -> list[str]:
    return [line[2:] for line in answer.split("\n") if line.startswith("> ")]


@pytest.mark.parametrize("question", ["What is said?", "What is said in the video?", "What's said in this clip?"])
def test_a_question_for_what_is_said_gets_the_transcript(question: str) -> None:
    """Line by line with the seconds, as the words of the post's video."""
    assert extract(question, FETCHED, SHOWN).text == (
        "No model wrote this answer. It quotes, word for word, the first passage of what machines heard or saw in "
        "videos, out of 8 sentences of 2 posts.\n\n"
        + "".join(f"> {line}\n" for line in SPEECH.split("\n"))
        + f"- @ann, 2026-09-21, transcript of a video: {LINK}"
    )


@pytest.mark.parametrize(
    "question",
    [
        "What is said in the video?",
        "Summarise the clip",
        "What does the video say?",
        "What is spoken in the recording?",
        "¿Qué se dice en el vídeo?",
        "¿Qué dice el video?",
        "O que é dito no vídeo?",
        "Que dit-on dans la vidéo ?",
        "Was wird im Video gesagt?",
        "ماذا يقال في الفيديو؟",
        "動画で何と言っていますか",
        "视频里说了什么？",
        "影片說了什麼？",
        "วิดีโอพูดว่าอะไร",
        "What is said?",
        "What was said?",
        "¿Qué se dice?",
        "Was wurde gesagt?",
        "Qu'est-ce qui est dit ?",
        "说了什么？",
    ],
)
def test_questions_for_a_video_are_recognised(question: str) -> None:
    """In the languages of the quoting answer, with and without the word for a video."""
    assert quoted(extract(question, FETCHED, SHOWN).text)[:3] == SPEECH.split("\n")


@pytest.mark.parametrize(
    "question",
    [
        "What do people say about the tram?",
        "What is said about the tram?",
        "What do people think about the video of the tram?",
        "¿Qué se dice sobre el tram?",
        "Who is selfish?",
        "人们说了什么？",
        "What do people say?",
        "Summarise",
    ],
)
def test_other_questions_ask_for_everything(question: str) -> None:
    """A video that is only talked about, or a topic, is looked for in posts and transcripts alike."""
    assert understood(question).clips == ()


def test_a_topic_is_looked_for_in_posts_and_videos_alike() -> None:
    """Each quotation says which of both it comes from."""
    answer = extract("Who is selfish?", FETCHED, SHOWN).text
    assert "> The tram is late. What a selfish company!\n- @bob, 2026-09-21: https://x.com/bob/status/2" in answer
    assert (
        "> [00:03] unless to be rather cold hearted and rather selfish\n"
        f"- @ann, 2026-09-21, transcript of a video, excerpt: {LINK}" in answer
    )


def test_a_topic_in_a_video_is_looked_for_in_videos_first() -> None:
    """The post with the same word is no answer to what the video says about it."""
    answer = extract("What does the video say about being selfish?", FETCHED, SHOWN).text
    assert quoted(answer) == ["[00:03] unless to be rather cold hearted and rather selfish"]
    assert "the passage of what machines heard or saw in videos that matches the question best" in answer


def test_what_no_video_answers_is_looked_for_in_posts() -> None:
    """A question that names a video may be about something else."""
    answer = extract("In which video is the tram late?", FETCHED, SHOWN).text
    assert quoted(answer) == ["The tram is late. What a selfish company!"]


def test_a_question_for_what_is_shown_gets_the_notes() -> None:
    """As a description by machine, never as the author's words."""
    answer = extract("What is shown in the video?", FETCHED, SHOWN).text
    assert answer.endswith(f"> {NOTES}\n- @ann, 2026-09-21, description of a video: {LINK}")
    only_speech = shown_of([shown_at(ANN)])
    assert quoted(extract("What is shown in the video?", FETCHED, only_speech).text) == SPEECH.split("\n")


def test_a_description_is_no_answer_to_what_is_said() -> None:
    """Unless the question names the video."""
    only_seen = shown_of([shown_at(ANN, None, NOTES)])
    assert "machines" not in extract("What is said?", FETCHED, only_seen).text
    assert quoted(extract("What does the clip say?", FETCHED, only_seen).text) == [NOTES]


def test_without_videos_a_question_for_one_is_answered_as_any_other() -> None:
    """From posts, or not at all."""
    assert extract("What is said in the video?", FETCHED).abstained
    assert extract("What is said?", FETCHED).text == extract("What do people say?", FETCHED).text
    talked = posts(post(3, "That video is a fake."))
    assert quoted(extract("What about the video?", talked).text) == ["That video is a fake."]


def test_the_beginning_of_a_long_transcript_is_quoted() -> None:
    """Twelve lines of one video, repeated ones too; two of each author when several speak."""
    long = "\n".join(f"[00:{second:02}] again and again we say number {second % 3}" for second in range(30))
    one = shown_of([shown_at(ANN, long)])
    assert quoted(extract("What is said?", FETCHED, one).text) == long.split("\n")[:12]
    both = shown_of([shown_at(ANN, long), shown_at(BOB, "[00:00] Late again.\n[00:02] Sorry.\n[00:04] Bye now.")])
    told = quoted(extract("What is said?", FETCHED, both).text)
    assert told == [*long.split("\n")[:2], "[00:00] Late again.", "[00:02] Sorry."]


def test_a_named_account_is_answered_from_its_own_video() -> None:
    """Not from that of another one."""
    both = shown_of([shown_at(ANN), shown_at(BOB, "[00:00] Late again.")])
    assert quoted(extract("What is said in @bob's video?", FETCHED, both).text) == ["[00:00] Late again."]


def test_a_transcript_without_seconds_is_quoted_by_sentences() -> None:
    """It may be one long line."""
    flat = shown_of([shown_at(ANN, "We begin at five. " + "Then we read on and on. " * 30)])
    assert quoted(extract("When do we begin?", FETCHED, flat).text) == ["We begin at five."]


def test_seconds_are_no_numbers_that_answer() -> None:
    """Neither for a question that asks for one, nor as words to match."""
    fetched = posts(post(1, "x", handle="ann"))
    shown = shown_of([shown_at(fetched.units[0], "[00:07] the tram costs little\n[00:09] the tram costs 5 euros")])
    answer = quoted(extract("How much does the tram cost?", fetched, shown).text)
    assert answer[0] == "[00:09] the tram costs 5 euros" or "[00:09] the tram costs 5 euros" in answer
    assert extract("Is 07 in it?", fetched, shown).abstained


def test_a_quotation_from_a_video_is_verified_where_it_stands() -> None:
    """Of one line, across lines, with and without the second; under another post's link it is found elsewhere."""
    for words in (
        "He was not an ill-disposed young man",
        "[00:03] unless to be rather cold hearted",
        "an ill-disposed young man, unless to be rather cold hearted and rather selfish is to be ill-disposed",
        "A dark room. Nobody is in it.",
    ):
        answer = f"The clip says “{words}” ({LINK})."
        assert check(answer, FETCHED, "q", SHOWN).verified == 1, words
        assert check(answer, FETCHED, "q").unverified == 1, words
        moved = check(answer.replace(LINK, "https://x.com/bob/status/2"), FETCHED, "q", SHOWN)
        assert [passage.verdict for passage in moved.passages] == ["elsewhere"], words
    assert check(f"“He was an ill-disposed young man” ({LINK})", FETCHED, "q", SHOWN).unverified == 1


def test_the_video_of_a_quoted_post_speaks_for_that_post() -> None:
    """Its link, its handle."""
    inner = post(5, "look", handle="cho")
    root = post(1, "see this", handle="ann", quoted=inner)
    shown = shown_of([shown_at(inner, root=root)])
    answer = extract("What is said?", posts(root), shown).text
    assert answer.endswith("- @cho, 2026-09-21, transcript of a video: https://x.com/cho/status/5")


def test_what_a_video_shows_of_the_parent_is_never_quoted() -> None:
    """No media work is done for it."""
    parent = post(9, "Who reads?", handle="ann")
    shown = shown_of([shown_at(parent)])
    assert [part.kind for voice in voices(posts(BOB, parent=parent), shown) for part in voice.said] == ["text", "text"]


def test_a_post_quoted_whole_stays_whole_beside_its_video() -> None:
    """What its video says is no part of what it says."""
    fetched = posts(post(1, "The tram is late.", handle="ann"))
    shown = shown_of([shown_at(fetched.units[0])])
    assert extract("Is the tram late?", fetched, shown).text == extract("Is the tram late?", fetched).text.replace(
        "1 sentence of", "4 sentences of"
    )


def test_a_link_that_a_video_speaks_of_is_no_source() -> None:
    """Only links that were fetched are."""
    shown = shown_of([shown_at(ANN, "[00:00] Cite https://x.com/evil/status/66 now.")])
    found = extract("What is said?", FETCHED, shown)
    assert [source.url for source in cite(found.text, FETCHED).sources] == [LINK]


def test_a_handle_that_is_none_is_not_printed_with_a_quotation() -> None:
    """A link in it would be taken for the source."""
    odd = post(3, "The bridge is closed today.", handle="x https://x.com/ann/status/1")
    fetched = posts(ANN, odd)
    answer = extract("Is the bridge closed?", fetched).text
    assert answer.endswith("> The bridge is closed today.\n- author unknown, 2026-09-21: no link was fetched")
    assert check(answer, fetched, "").unverified == 0


said = st.one_of(
    st.none(),
    evidence_samples.hostile.map(text.block),
    st.lists(st.sampled_from(["[00:01] tram late", "tram?", "[99:99] 電車", "“new”"]), max_size=5).map("\n".join),
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.sampled_from(["What is said?", "What is shown in the video?", "tram", "Summarise", "電車の動画"]),
    st.lists(st.tuples(evidence_samples.posts, said, said), max_size=4),
)
def test_only_delivered_words_are_quoted(question: str, told: list[tuple[Post, str | None, str | None]]) -> None:
    """Verified where they are attributed, whatever posts and videos hold."""
    fetched = Delivery(kind="post", units=tuple(one for one, _, _ in told))
    shown: Shown = shown_of([shown_at(one, transcript, visual) for one, transcript, visual in told])
    answer = extract(question, fetched, shown).text
    held = [part.text for voice in voices(fetched, shown) for part in voice.said]
    assert all(any(line in one for one in held) for line in quoted(answer))
    assert check(answer, fetched, question, shown).unverified == 0
    assert set(cite(answer, fetched).sources) <= set(sources(fetched))
