"""Answers on the command line: formats, exit codes, and a fresh machine."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from answering_calls import LITELLM, LOCAL, LlmServer, refuses, sections

from twitter_tool.cli.main import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line in this process; gives its exit code and what it printed."""

    def run_words(*words: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(list(words))
        out, err = capsysbinary.readouterr()
        return code, out.decode("utf-8"), err.decode("utf-8")

    return run_words


@pytest.fixture
def config(home: Path, far_llm: LlmServer) -> str:
    """A user file that names a model behind the scripted server."""
    path = home / "user.toml"
    path.write_text(
        f'synthesis_model = "{LOCAL}"\n\n[models."{LOCAL}"]\napi_base = "{far_llm.base}"\n'
        "context_window = 128000\nmax_output_tokens = 8192\n",
        encoding="utf-8",
    )
    return str(path)


def test_on_a_fresh_machine_the_sandbox_gives_a_cited_answer(run: Run) -> None:
    """No key, no settings, no network."""
    code, out, err = run("posts", "tram line", "--sandbox", "--output", "answer")
    head, text, sources, notes = sections(out.removesuffix("\n"))
    assert code == 0
    assert head["Model"] == "extractive"
    assert int(head["Citations"]) == len(sources) > 0
    assert all(source.partition(". ")[2] in text for source in sources)
    assert len(notes) == 2
    assert "error" not in err


def test_a_question_is_answered_without_asking_for_an_answer(run: Run) -> None:
    """Where the command reads one thing, the words after it are the question."""
    code, out, _ = run("trends", "1", "what is popular", "--sandbox", "--quiet")
    assert code == 0
    assert out.startswith("Query: what is popular\nModel: extractive\n")


class TestWithAModel:
    """The settings name one."""

    pytestmark = LITELLM

    def test_text_is_the_answer_alone_and_progress_goes_elsewhere(self, run: Run, config: str) -> None:
        """Nothing of LiteLLM is on stdout."""
        code, out, err = run("posts", "tram line", "--sandbox", "--output", "answer", "--config", config)
        assert code == 0
        assert out.startswith(f"Query: tram line\nModel: {LOCAL}\nSynthesis Calls: 1\n")
        assert f"synthesizing with {LOCAL}" in err

    def test_json_is_the_whole_document(self, run: Run, config: str) -> None:
        """Of a tool call as well."""
        words = ("--sandbox", "--quiet", "--config", config)
        code, out, _ = run("posts", "tram line", "--output", "answer", "--format", "json", *words)
        document = json.loads(out)
        assert code == 0
        assert document["details"]["model"] == LOCAL
        assert document["details"]["usage"]["synthesisTokens"]["reportedCalls"] == 1
        code, out, _ = run("call", *words, stdin=b'{"query": "tram line"}')
        assert code == 0
        assert json.loads(out)["content"] == document["content"]

    def test_jsonl_is_the_items_and_then_the_answer(self, run: Run, config: str) -> None:
        """The last line is the result without items."""
        words = ("--sandbox", "--quiet", "--config", config, "--format", "jsonl")
        _, out, _ = run("posts", "tram line", "--output", "answer", *words)
        rows = [json.loads(line) for line in out.splitlines()]
        assert [row["kind"] for row in rows] == ["post"] * (len(rows) - 1) + ["result"]
        assert "items" not in rows[-1]["details"]
        assert "## Answer" in rows[-1]["content"]

    def test_pages_are_bounded_by_the_option(self, run: Run, config: str) -> None:
        """A cut-off walk is told in the answer, and with ``--strict`` by the exit code, the document still whole."""
        words = ("--sandbox", "--quiet", "--config", config, "--max-pages", "1", "--strict", "--format", "json")
        code, out, _ = run("posts", "from:tramwatch_sbx", "--count", "50", "--output", "answer", *words)
        details = json.loads(out)["details"]
        assert code == 7
        assert details["complete"] is False
        assert "truncated" in [note["code"] for note in details["notes"]]
        assert details["usage"]["successfulPages"] == 1

    def test_a_model_that_fails_is_exit_code_6(self, run: Run, config: str, far_llm: LlmServer) -> None:
        """With a hint and an empty stdout."""
        far_llm.scripts[:] = [refuses("401 Unauthorized", "bad key")]
        code, out, err = run("posts", "tram", "--sandbox", "--output", "answer", "--config", config)
        assert (code, out) == (6, "")
        assert "error (answer_failed): " in err
        assert "hint: " in err

    def test_a_question_over_the_budget_is_exit_code_6(self, run: Run, config: str, far_llm: LlmServer) -> None:
        """Nobody is asked."""
        code, out, err = run("trends", "1", "q" * 70_000, "--sandbox", "--config", config)
        assert (code, out) == (6, "")
        assert "error (input_budget): " in err
        assert far_llm.asked == []

    def test_a_model_that_nobody_knows_is_exit_code_3(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        """The same as a document."""
        monkeypatch.setenv("TWITTER_TOOL_SYNTHESIS_MODEL", "openai/no-such-model-anywhere")
        code, out, _ = run("posts", "tram", "--sandbox", "--output", "answer", "--format", "json")
        assert code == 3
        assert json.loads(out)["error"]["code"] == "missing_model"
