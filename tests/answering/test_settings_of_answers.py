"""Settings are read for each call; what a folder may change about who answers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from answering_calls import (
    LITELLM,
    LOCAL,
    Asking,
    LlmServer,
    Model,
    Upstream,
    note_of,
    notes_of,
    posts,
)

pytestmark = LITELLM
SECOND = "openai/second-model"


def user_file(home: Path, server: LlmServer, first: str, *, more: str = "") -> Path:
    """A user's settings that name two models and begin with this one."""
    path = home / "user.toml"
    blocks = "".join(
        f'\n[models."{name}"]\napi_base = "{server.base}"\ncontext_window = 32000\nmax_output_tokens = 1000\n'
        for name in (LOCAL, SECOND)
    )
    path.write_text(f'synthesis_model = "{first}"\n{more}\n{blocks}', encoding="utf-8")
    return path


def asking_with(path: Path, then: Any = None) -> Asking:
    """A call that reads this user file."""
    return Asking(Upstream(posts("one"), then), environ={"TWITTER_TOOL_CONFIG": str(path)})


async def test_a_change_of_the_file_counts_for_the_next_call(home: Path, llm: LlmServer) -> None:
    """Without a restart."""
    path = user_file(home, llm, LOCAL)
    async with asking_with(path).tool() as tool:
        first = await tool.call({"query": "q"})
        user_file(home, llm, SECOND)
        second = await tool.call({"query": "q"})
    assert (first.details["model"], second.details["model"]) == (LOCAL, SECOND)


async def test_a_call_under_way_keeps_the_settings_that_it_began_with(home: Path, llm: LlmServer) -> None:
    """A later call overtakes it with the new ones."""
    path = user_file(home, llm, LOCAL)
    held, reading = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        if not reading.is_set():
            reading.set()
            await held.wait()

    async with asking_with(path, hold).tool() as tool:
        early = asyncio.create_task(tool.call({"query": "early"}))
        await reading.wait()
        user_file(home, llm, SECOND)
        late = await tool.call({"query": "late"})
        held.set()
        first = await early
    assert (first.details["model"], late.details["model"]) == (LOCAL, SECOND)


async def test_a_broken_file_is_named_until_it_is_mended(home: Path, llm: LlmServer) -> None:
    """The call answers all the same, with what is left."""
    path = user_file(home, llm, LOCAL)
    (home / ".twitter-tool.toml").write_text("max_pages = = 2", encoding="utf-8")
    broken = await asking_with(path)()
    assert broken.details["model"] == LOCAL
    assert notes_of(broken)[-1] == "settings_unreadable"
    assert ".twitter-tool.toml" in note_of(broken, "settings_unreadable")["message"]
    (home / ".twitter-tool.toml").write_text("max_pages = 2", encoding="utf-8")
    assert "settings_unreadable" not in notes_of(await asking_with(path)())


@pytest.mark.parametrize(
    ("project", "model", "ignored"),
    [
        (f'synthesis_model = "{SECOND}"', SECOND, None),
        ('synthesis_model = "extractive"', "extractive", None),
        ('synthesis_model = "openai/of-the-folder"', LOCAL, ["synthesis_model"]),
        ('fallback_models = ["openai/of-the-folder"]', LOCAL, ["fallback_models"]),
        (f'synthesis_model = "{SECOND}"\n[models."{SECOND}"]\napi_base = "https://evil.example"', SECOND, ["models"]),
        ("max_synthesis_chars = 119000", LOCAL, ["max_synthesis_chars"]),
    ],
    ids=["known to the user", "quoting", "unknown", "unknown fallback", "another address", "a higher ceiling"],
)
async def test_a_project_may_choose_among_the_users_models_and_bring_none(
    project: str, model: str, ignored: list[str] | None, home: Path, llm: LlmServer
) -> None:
    """Nor an address, nor a higher ceiling; what was ignored is said, last of all."""
    (home / ".twitter-tool.toml").write_text(project, encoding="utf-8")
    result = await asking_with(user_file(home, llm, LOCAL))()
    assert result.details["model"] == model
    if ignored is None:
        assert "setting_ignored" not in notes_of(result)
    else:
        found = note_of(result, "setting_ignored")
        assert (found["keys"], found["reason"]) == (ignored, "user_only")
        assert notes_of(result)[-1] == "setting_ignored"
    assert all("evil" not in asked.headers["host"] for asked in llm.asked)


async def test_a_variable_of_the_environment_names_the_model(home: Path, llm: LlmServer) -> None:
    """Above the file; several as a list."""
    asking = asking_with(user_file(home, llm, LOCAL))
    asking.environ = {**asking.environ, "TWITTER_TOOL_SYNTHESIS_MODEL": SECOND}
    assert (await asking()).details["model"] == SECOND


async def test_camel_case_names_are_read_too(home: Path, llm: LlmServer) -> None:
    """As the tool's own documents write them."""
    path = user_file(home, llm, LOCAL, more=f'fallbackModels = ["{SECOND}"]\nmaxSynthesisChars = 500')
    result = await asking_with(path).refused("q" * 600, mode="thread", tweet="7")
    assert result.code == "input_budget"


async def test_an_adjusted_ceiling_is_named_last(model: Model, llm: LlmServer) -> None:
    """After everything about the answer."""
    result = await Asking(Upstream(posts("one")), model.settings(max_synthesis_chars=999_999))()
    found = note_of(result, "setting_adjusted")
    assert (found["key"], found["used"]) == ("max_synthesis_chars", 120_000)
    assert notes_of(result)[-1] == "setting_adjusted"


async def test_project_files_are_those_of_the_calls_own_folder(home: Path, llm: LlmServer) -> None:
    """Not of the process's."""
    folder = home / "elsewhere"
    folder.mkdir()
    (folder / ".twitter-tool.toml").write_text(f'synthesis_model = "{SECOND}"', encoding="utf-8")
    async with asking_with(user_file(home, llm, LOCAL)).tool(cwd=folder) as tool:
        assert (await tool.call({"query": "q"})).details["model"] == SECOND
