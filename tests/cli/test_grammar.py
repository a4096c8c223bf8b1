"""What a command line means as a tool call."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from twitter_tool.cli.advice import ALIASES
from twitter_tool.cli.arguments import number
from twitter_tool.cli.spelling import as_typed, spellings
from twitter_tool.cli.table import table

Arguments = Callable[..., dict[str, Any]]


@pytest.mark.parametrize("mode", ["posts", "users"])
def test_searches_join_their_words_into_one_expression(arguments_of: Arguments, mode: str) -> None:
    """Quoting a search is not needed, and its output is the posts."""
    assert arguments_of(mode, "tram", "line 7") == {"mode": mode, "query": "tram line 7", "output": "posts"}


def test_a_search_may_be_given_as_an_option(arguments_of: Arguments) -> None:
    """`-q` works in every mode."""
    assert arguments_of("posts", "-q", "-from:nasa tram")["query"] == "-from:nasa tram"


@pytest.mark.parametrize(
    ("words", "own"),
    [
        (["thread", "7"], {"tweet": "7"}),
        (["replies", "7"], {"tweet": "7"}),
        (["quotes", "7"], {"tweet": "7"}),
        (["retweeters", "7"], {"tweet": "7"}),
        (["article", "https://x.com/a/status/7"], {"tweet": "https://x.com/a/status/7"}),
        (["user", "@nasa"], {"user": "@nasa"}),
        (["user", "--user-id", "42"], {"userId": "42"}),
        (["mentions", "nasa"], {"user": "nasa"}),
        (["followers", "nasa"], {"user": "nasa"}),
        (["followings", "nasa"], {"user": "nasa"}),
        (["profile", "nasa"], {"user": "nasa"}),
        (["about", "nasa"], {"user": "nasa"}),
        (["trends", "1"], {"woeid": 1}),
        (["trends", "-1"], {"woeid": -1}),
        (["community", "12"], {"communityId": "12"}),
        (["list", "12"], {"listId": "12"}),
        (["space", "1abc"], {"spaceId": "1abc"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_without_a_question_the_posts_are_read_and_the_query_is_the_line_as_typed(
    arguments_of: Arguments, words: list[str], own: dict[str, Any]
) -> None:
    """The locator alone is a whole command."""
    typed = " ".join(word for word in words if not word.startswith("--"))
    assert arguments_of(*words) == {"mode": words[0], "query": typed, "output": "posts", **own}


def test_words_after_the_locator_are_the_question_and_ask_for_an_answer(arguments_of: Arguments) -> None:
    """The kind of output is then left to the tool's own default."""
    expected = {"mode": "thread", "tweet": "7", "query": "what is argued?"}
    assert arguments_of("thread", "7", "what", "is argued?") == expected
    assert arguments_of("thread", "7", "-q", "what is argued?") == expected
    assert arguments_of("--output", "posts", "thread", "7", "what is argued?") == expected | {"output": "posts"}


@pytest.mark.parametrize(
    "words", [("thread", "7", ""), ("thread", "7", "-q", "  "), ("posts", ""), ("posts", "-q", "")]
)
def test_a_blank_question_is_refused_and_not_taken_for_none(run: Callable[..., Any], words: tuple[str, ...]) -> None:
    """An unset shell variable must not silently change what is asked."""
    outcome = run(*words)
    assert outcome.code == 2
    assert ("the QUERY" if words[0] == "posts" else "the QUESTION") + " is blank" in outcome.err


def test_a_search_asks_for_an_answer_only_when_told_to(arguments_of: Arguments) -> None:
    """Its words are an expression, not a question."""
    assert arguments_of("posts", "tram", "--output", "answer")["output"] == "answer"


def test_the_question_of_an_account_by_id_goes_behind_the_option(arguments_of: Arguments) -> None:
    """The id stands for the handle."""
    given = arguments_of("user", "--user-id", "42", "-q", "what does she say?")
    assert given == {"mode": "user", "userId": "42", "query": "what does she say?"}


def test_ids_may_be_several_words_or_joined_by_commas(arguments_of: Arguments) -> None:
    """A list is typed in whichever way is at hand."""
    given = arguments_of("tweets", "1,2", "https://x.com/a/status/3", "-q", "which is oldest?")
    assert given["ids"] == ["1", "2", "https://x.com/a/status/3"]
    assert given["query"] == "which is oldest?"
    assert arguments_of("tweets", "1", "2")["query"] == "tweets 1 2"


def test_options_carry_the_values_as_typed_with_digits_as_numbers(arguments_of: Arguments) -> None:
    """Whether they are allowed is for the model to say."""
    given = arguments_of(
        "posts", "tram", "--query-type", "best", "--count", "99", "--from-date", "yesterday",
        "--allowed-x-handles", "a,@b", "--allowed-x-handles", "c",
    )  # fmt: skip
    assert given["queryType"] == "best"
    assert given["count"] == 99
    assert given["from_date"] == "yesterday"
    assert given["allowed_x_handles"] == ["a", "@b", "c"]


@pytest.mark.parametrize("typed", ["likes", "LIKES", "Likes", " likes "])
def test_one_of_a_few_words_may_be_typed_in_any_case(arguments_of: Arguments, typed: str) -> None:
    """The tool call gets the one spelling that it knows."""
    assert arguments_of("replies", "7", "--reply-sort", typed)["replySort"] == "Likes"
    assert arguments_of("posts", "tram", "--query-type", "top")["queryType"] == "Top"


@pytest.mark.parametrize(("word", "value"), [("--include-replies", True), ("--no-include-replies", False)])
def test_booleans_have_two_spellings_and_a_third_state(arguments_of: Arguments, word: str, value: bool) -> None:
    """What was not said is not sent."""
    assert arguments_of("quotes", "7", word)["includeReplies"] is value
    assert "includeReplies" not in arguments_of("quotes", "7")


def test_negative_numbers_are_values_wherever_they_stand(arguments_of: Arguments) -> None:
    """They look like options to a parser, and never are."""
    assert arguments_of("trends", "-1", "--count", "-5")["count"] == -5
    assert arguments_of("posts", "tram", "-7")["query"] == "tram -7"
    assert arguments_of("trends", "--", "-1")["woeid"] == -1


def test_words_that_begin_with_a_dash_go_behind_two_dashes(arguments_of: Arguments) -> None:
    """An exclusion in a search must not be mistaken for an option."""
    assert arguments_of("posts", "--", "tram", "-from:nasa")["query"] == "tram -from:nasa"


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7), ("-7", -7), ("007", 7), ("1.5", "1.5"), ("٧", "٧"), ("", ""), ("-", "-"), ("1" * 5000, "1" * 5000)],
)
def test_only_plain_digits_become_numbers(text: str, value: int | str) -> None:
    """Everything else reaches the model as typed, and is refused there in its own words."""
    assert number(text) == value


@pytest.mark.parametrize(
    ("words", "problem", "advice"),
    [
        (["posts"], "search expression", "posts QUERY"),
        (["thread"], "POST", "Usage: twitter-tool thread [OPTIONS] POST [QUESTION]... "),
        (["tweets"], "no ID is given", "tweets ID"),
        (["user"], "no HANDLE is given, nor --user-id", "user HANDLE"),
        (["tweets", "7", "what is it?"], "'what is it?'", 'A question goes behind -q: twitter-tool tweets ID... -q "'),
        (["tweets", "7", "why"], "'why'", "-q"),
        (["completion"], "argument {bash|zsh|fish} is missing", "Usage: twitter-tool completion "),
        (["replies", "7", "--since-time", "2026-11-01"], "--since-time must", "`date -d 2026-11-01 +%s`"),
        (["replies", "7", "--reply-sort", "Likes", "--since-time", "1"], "--reply-sort 'Likes'", "drop --reply-sort;"),
        (["posts", "tram", "--limit", "3"], "--limit", "Here it is --count."),
        (["user", "ann", "--count", "3"], "--count", "Here it is --limit."),
        (["posts", "tram", "--handles", "a"], "--handles", "--allowed-x-handles or --excluded-x-handles?"),
        (["--count", "3", "posts", "tram"], "--count", "Options of a command stand behind it."),
        (["posts", "tram", "-q", "bus"], "twice", "once"),
        (["thread", "7", "why?", "-q", "how?"], "twice", "once"),
        (["user", "--user-id", "42", "what does she say?"], "handle", "-q"),
        (["posts", "tram", "--frm", "2026-09-01"], "--frm", "--from-date"),
        (["posts", "tram", "-from:nasa"], "no option -from:nasa", "put -- before them all"),
        (["psots", "tram"], "psots", "'posts'"),
        (["what is new with the trams?"], "no command", "posts QUERY"),
        (["posts", "tram", "--count", "many"], "--count must", "--count:"),
        (["posts", "tram", "--query-type", "best"], "--query-type must be 'Latest' or 'Top', not", "Top"),
        (["posts", "tram", "--allowed-x-handles", ""], "--allowed-x-handles", "handles"),
        (["trends", "Madrid"], "WOEID must", "23424977"),
        (["replies", "nope"], "POST must", "link"),
        (["posts", "tram", "--output", "both"], "--output must", "'posts'"),
        (["profile", "nasa", "--limit", "5"], "--limit", "profile --help"),
        (["--max-pages", "many", "posts", "tram"], "--max-pages", "--help"),
        (["--format", "xml", "posts", "tram"], "xml", "--help"),
        (["completion", "tcsh"], "tcsh", "completion --help"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_meant_is_refused_with_advice(
    run: Callable[..., Any], words: list[str], problem: str, advice: str
) -> None:
    """The message says what was wrong, the hint what to type instead; the result's stream stays empty."""
    outcome = run("--sandbox", *words)
    assert outcome.code == 2
    assert outcome.out == ""
    error, hint = outcome.err.splitlines()
    assert error.startswith("error (invalid_request): ")
    assert problem in error
    assert hint.startswith("hint: ")
    assert advice in hint


def test_without_a_command_the_main_page_goes_to_stderr(run: Callable[..., Any]) -> None:
    """Nothing was asked, so there is no result; a program that wants documents gets one."""
    bare = run()
    assert (bare.code, bare.out) == (2, "")
    assert "Reading X:" in bare.err
    asked = run("--format", "json")
    assert asked.code == 2
    assert '"invalid_request"' in asked.out
    assert asked.err == ""


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["search", "tram"], "Here it is: twitter-tool posts QUERY."),
        (["find"], "posts QUERY"),
        (["timeline", "nasa"], "user HANDLE"),
        (["tweet", "7"], "tweets ID"),
        (["reposts"], "retweeters POST"),
        (["retweets"], "retweeters POST"),
        (["follower"], "followers HANDLE"),
        (["following"], "followings HANDLE"),
        (["likes", "7"], "Who liked a post cannot be read"),
        (["help"], "Type twitter-tool --help."),
        (["help", "posts"], "Type twitter-tool posts --help."),
        (["help", "nothing"], "Type twitter-tool --help."),
        (["version"], "Type twitter-tool --version."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_words_of_other_tools_lead_to_the_command_that_does_the_same(
    run: Callable[..., Any], words: list[str], advice: str
) -> None:
    """Nobody has to read the list to find that a search is `posts`."""
    outcome = run(*words)
    assert (outcome.code, outcome.out) == (2, "")
    assert advice in outcome.err


def test_every_word_of_other_tools_leads_to_a_command_and_none_hides_one() -> None:
    """Also after a mode is renamed."""
    assert {line.split()[0] for line in ALIASES.values()} <= set(table()["modes"])
    assert not set(ALIASES) & set(table()["modes"])


def test_a_misspelt_option_leads_to_the_page_that_lists_it(run: Callable[..., Any]) -> None:
    """Options of every command stand on the main page only."""
    error = run("tweets", "7", "--enable-video-procesing").err
    assert "Did you mean --enable-video-processing" in error
    assert "`twitter-tool --help` lists the options of every command." in error
    assert "`twitter-tool replies --help` lists" in run("replies", "7", "--reply-srt", "x").err


@pytest.mark.parametrize("words", [["profile", "nasa", "--count", "3"], ["trends", "1", "--since", "1"]])
def test_an_option_that_resembles_none_gets_no_guess(run: Callable[..., Any], words: list[str]) -> None:
    """A wrong guess is worse than none."""
    assert "Did you mean" not in run(*words).err


@pytest.mark.parametrize("words", [["posts", "tram", "-v"], ["posts", "tram", "-n", "3"], ["thread", "7", "-why"]])
def test_advice_about_dashes_is_for_words_of_a_search(run: Callable[..., Any], words: list[str]) -> None:
    """A single letter is an option that does not exist."""
    error = run(*words).err
    assert "there is no option -" in error
    assert "put -- before" not in error


def test_a_document_names_parameters_as_a_tool_call_does(run: Callable[..., Any]) -> None:
    """Programs know no options."""
    error = json.loads(run("replies", "nope", "--reply-sort", "best", "--format", "json").out)["error"]
    assert error["message"].startswith("tweet must be")
    assert "replySort must be" in error["message"]
    assert "case matters" in error["message"]


def test_what_was_typed_is_quoted_unchanged() -> None:
    """Only the names that the checks speak of are replaced, not words that happen to be names."""
    names = spellings(table()["modes"]["replies"])
    text = "tweet must be so, not 'x; tweet must be replySort'; limit must be 1; your tweet and limit"
    assert (
        as_typed(text, names)
        == "POST must be so, not 'x; tweet must be replySort'; --limit must be 1; your tweet and limit"
    )
    assert as_typed("Drop the dates or drop replySort; limit: Least.", names) == (
        "Drop the dates or drop --reply-sort; --limit: Least."
    )
    assert as_typed(text, {}) == text
