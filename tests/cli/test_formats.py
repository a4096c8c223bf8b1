"""What is printed where, in each format, and with which exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from twitter_tool.cli import documents
from twitter_tool.cli.invocation import Invocation, guessed
from twitter_tool.errors import invalid_request

Run = Callable[..., Any]
READ = ("--sandbox", "posts", "tram", "--count", "2")


def test_text_is_the_content_and_nothing_else(run: Run) -> None:
    """Progress is on the other stream."""
    outcome = run(*READ)
    assert outcome.code == 0
    assert outcome.out.startswith("# X evidence - mode=posts - 2 posts\n")
    assert outcome.out.endswith("\n")
    assert not outcome.out.endswith("\n\n")
    assert outcome.err == "page 1/5 \u00b7 0 posts\npage 1/5 \u00b7 2 posts\n"


def test_json_is_one_document_with_the_same_content(run: Run) -> None:
    """A program and a person read the same thing."""
    document = json.loads(run(*READ, "--format", "json").out)
    assert document["content"].startswith("# X evidence")
    assert document["details"]["backend"] == "sandbox"


def test_jsonl_is_one_line_per_item_and_a_last_line_with_the_rest(run: Run) -> None:
    """Items can be piped on before anything else is looked at."""
    *items, last = map(json.loads, run(*READ, "--format", "jsonl").out.splitlines())
    whole = json.loads(run(*READ, "--format", "json").out)
    assert items == whole["details"]["items"]
    assert last["kind"] == "result"
    assert "items" not in last["details"]
    assert last["details"]["sources"] == whole["details"]["sources"]


def test_a_failure_in_text_leaves_stdout_empty(run: Run) -> None:
    """A pipe behind the command gets nothing it could take for a result."""
    outcome = run("posts", "tram")
    assert (outcome.code, outcome.out) == (3, "")
    first, second = outcome.err.splitlines()
    assert first.startswith("error (missing_credentials): ")
    assert second.startswith("hint: ")


@pytest.mark.parametrize("words", [("posts", "tram"), ("psots",), ("posts", "--nope")])
def test_a_failure_in_json_and_jsonl_is_one_document(run: Run, words: tuple[str, ...]) -> None:
    """Whoever refused, the parser or the tool; the option may stand anywhere."""
    pretty = run(*words, "--format", "json")
    assert json.loads(pretty.out)["error"]["message"]
    (line,) = run("--format=jsonl", *words).out.splitlines()
    assert json.loads(line) == json.loads(pretty.out)
    assert pretty.err == ""


def test_an_incomplete_result_is_still_printed_whole_when_strict(run: Run) -> None:
    """The exit code says it, the document says why."""
    words = ("--sandbox", "--max-pages", "1", "posts", "tram", "--count", "50")
    lax, strict = run(*words), run(*words, "--strict")
    assert (lax.code, strict.code) == (0, 7)
    assert "# X evidence" in strict.out
    assert run("--strict", *READ).code == 0


def test_quiet_silences_progress_and_verbose_tells_the_work(run: Run) -> None:
    """Both leave the result as it is."""
    assert run(*READ, "--quiet").err == ""
    told = run(*READ, "--quiet", "--verbose").err
    assert "upstreamAttempts  1\n" in told
    assert "totalMs" in told
    assert "synthesisAttempts" not in told
    assert "videoMs" not in told


@pytest.mark.parametrize("place", ["before", "after"])
def test_global_options_work_before_and_after_the_command(run: Run, place: str) -> None:
    """People add them at the end, programs at the beginning."""
    options, words = ("--sandbox", "--format", "json", "--quiet"), ("posts", "tram")
    outcome = run(*options, *words) if place == "before" else run(*words, *options)
    assert json.loads(outcome.out)["details"]["backend"] == "sandbox"
    assert outcome.err == ""


def test_of_a_global_option_given_twice_the_later_one_wins(run: Run) -> None:
    """A wrapper can append to a line that it was given."""
    outcome = run("--format", "jsonl", "--sandbox", "posts", "tram", "--format", "json")
    assert "details" in json.loads(outcome.out)


def test_the_page_budget_of_the_line_is_above_the_environment(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As every option given for this one call."""
    monkeypatch.setenv("TWITTER_TOOL_MAX_PAGES", "3")
    report = json.loads(run("config", "--format", "json", "--max-pages", "2").out)
    assert report["settings"]["max_pages"] == {"value": 2, "source": "option"}


def test_a_settings_file_that_does_not_exist_is_refused(run: Run) -> None:
    """It was named on purpose."""
    outcome = run(*READ, "--config", "missing.toml")
    assert outcome.code == 3
    assert "bad_settings" in outcome.err


def test_what_a_caller_typed_cannot_reach_the_terminal_raw(run: Run) -> None:
    """Escapes and bytes that are no text are taken out of what is quoted back."""
    outcome = run("\x1b[31mtram\x1b]0;owned\x07\u202e\udcff")
    assert outcome.code == 2
    assert all(char.isprintable() for char in outcome.err.replace("\n", ""))
    option = run("posts", "--\x1b[31mno")
    assert "\x1b" not in option.err


def test_an_unexpected_fault_is_an_internal_error_without_a_traceback(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --debug the traceback is on stderr, without the key."""
    from twitter_tool.cli import run as actions

    def fail(*anything: Any, **further: Any) -> int:
        raise KeyError("secret-value-of-the-key\x1b[31m")

    monkeypatch.setenv("TWITTERAPI_IO_API_KEY", "secret-value-of-the-key")
    monkeypatch.setattr(actions, "_read", fail)
    plain = run("posts", "tram")
    assert (plain.code, plain.out) == (1, "")
    assert plain.err.startswith("error (internal): ")
    assert len(plain.err.splitlines()) == 2
    debug = run("posts", "tram", "--debug", "--format", "json")
    assert json.loads(debug.out)["error"]["code"] == "internal"
    assert "Traceback" in debug.err
    assert "    raise KeyError" in debug.err
    assert "secret-value" not in plain.err + debug.err + debug.out
    assert "\x1b" not in debug.err


def test_progress_after_a_failure_is_followed_by_the_error(run: Run) -> None:
    """The events that led there are not lost."""
    outcome = run("--sandbox", "profile", "nobody_sbx")
    assert outcome.code == 4
    assert outcome.err.splitlines()[0].startswith("reading ")
    assert "error (not_found): " in outcome.err


@pytest.mark.parametrize(
    ("words", "form", "document"),
    [
        (["posts", "--format", "json"], "json", False),
        (["--format=jsonl", "posts"], "jsonl", False),
        (["--format", "json", "--format", "jsonl"], "jsonl", False),
        (["--format", "xml"], "text", False),
        (["posts", "--", "--format", "json"], "text", False),
        (["--output", "call", "posts"], "text", False),
        (["--config", "x", "call"], "text", True),
        (["posts", "call"], "text", False),
    ],
)
def test_the_format_of_a_refusal_is_read_from_a_line_that_cannot_be_parsed(
    words: list[str], form: str, document: bool
) -> None:
    """A program gets its document although its line made no sense."""
    found = guessed(words)
    assert (found.format, found.document) == (form, document)


def test_json_has_no_raw_character_that_some_reader_takes_for_a_line_end() -> None:
    """Escaping keeps the value the same."""
    value = {"text": "a\u2028b\u2029c\x85d\x9be\x7f"}
    text = documents.json_text(value, compact=True)
    assert len(text.splitlines()) == 1
    assert json.loads(text) == value


def test_messages_of_failures_are_one_line() -> None:
    """Breaks are shown as marks; a hint may hold lines to copy."""
    document = documents.failure_document(invalid_request("a\nb", "c\r\nd"))
    _, shown = documents.failure_texts(document, Invocation())
    assert shown == "error (invalid_request): a \u23ce b\nhint: c\nd\n"
