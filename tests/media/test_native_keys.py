"""No key comes back in what a service says of a clip: not as evidence, not in a note, however it is spelt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from video_provider import (
    KEY,
    Answer,
    a_clip,
    completion,
    described,
    failure,
    gemini,
    gemini_route,
    openai_route,
    providing,
    watched,
)

from twitter_tool.media.native import NativeFailure, NativeRoute
from twitter_tool.media.native.keyless import without_keys
from twitter_tool.media.native.reply import MAX_CHARS
from twitter_tool.media.values import Watched
from twitter_tool.text import block

OTHER = "another-secret-of-the-call"


def hyphens(text: str) -> str:
    """With its hyphens as JSON may escape them."""
    return text.replace("-", "\\u002d")


def letters(text: str) -> str:
    """Every character as JSON may escape it."""
    return "".join(f"\\u{ord(char):04X}" for char in text)


def about(text: str) -> str:
    """A JSON object other than the one that was asked for, its text put into it as it is."""
    return f'{{"about": "{text}"}}'


def parted(by: str) -> str:
    """The key with something in its middle."""
    return f"{KEY[:9]}{by}{KEY[9:]}"


def texts(outcome: Watched | NativeFailure) -> list[str]:
    """All that is kept and told."""
    kept = [outcome.visual, outcome.transcript] if isinstance(outcome, Watched) else [outcome.reason]
    return [
        *(text for text in kept if text),
        *(str(value) for note in outcome.notes for value in note.figures.values()),
    ]


def assert_keyless(outcome: Watched | NativeFailure) -> None:
    """Neither the key nor its beginning, its escapes undone or not."""
    told = texts(outcome)
    assert any("[removed]" in text for text in told)
    for secret in (KEY, OTHER):
        for spelling in (secret, secret[:9], hyphens(secret), letters(secret)):
            assert not [text for text in told if spelling in text]


SAID = {
    "both texts": described(f"the sign says {KEY}", f"[00:01] {KEY} and {OTHER}"),
    "plain words": f"plain words and {KEY}",
    "escaped texts": f'{{"visual": "a {hyphens(KEY)}", "transcript": "{letters(OTHER)}"}}',
    "a text of escapes": described(f"shows {hyphens(KEY)}"),
    "another object": about(letters(KEY)),
    "an object in a string": about(json.dumps(about(hyphens(KEY)))[1:-1]),
    "no whole object": about(hyphens(KEY)).removesuffix("}"),
    "a fence": f"```json\n{about(hyphens(KEY))}\n```",
    "parted by a colour": described(parted("\x1b[31m")),
    "parted by a tag": described(parted("\U000e0041")),
    "parted by a break": described("a", parted("\n")),
    "parted by an escaped nothing": about(parted("\\u200b")),
    "parted by an escaped break": about(parted("\\n")),
    "where the text is cut": described("v" * (MAX_CHARS - 12) + KEY + "v" * 9),
}


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
async def test_no_text_of_a_service_holds_a_key(tmp_path: Path, said: str) -> None:
    """Whatever else a service makes of a clip, it does not repeat what it was asked with."""
    async with providing(generate=Answer(gemini(said)), chat=Answer(completion(said))) as provider:
        for made in (gemini_route, openai_route):
            outcome = await watched(made(provider), a_clip(tmp_path), secrets=(OTHER,))
            if len(said) < MAX_CHARS:
                assert_keyless(outcome)
            assert not [text for text in texts(outcome) if KEY[:9] in text]


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
async def test_no_text_through_litellm_holds_a_key(tmp_path: Path, said: str) -> None:
    """The same, whatever carries the clip."""

    async def ask(_clip: Path, _prompt: str) -> str:
        return said

    route = NativeRoute(kind="litellm", model="gemini/m", key=KEY)
    outcome = await watched(route, a_clip(tmp_path), ask=ask, secrets=(OTHER,))
    assert isinstance(outcome, Watched)
    assert not [text for text in texts(outcome) if KEY[:9] in text or hyphens(KEY)[:9] in text]


WORDS = [f"BAD {KEY}", KEY, f"{'x' * 90} {KEY}", parted("\x1b[0m"), hyphens(KEY), f"{letters(KEY)} {OTHER}"]


@pytest.mark.parametrize("word", WORDS)
async def test_no_reason_of_a_service_holds_a_key(tmp_path: Path, word: str) -> None:
    """Nor the beginning of one where the reason is cut; who said it is named, and it stays one line."""
    bodies: list[dict[str, Any]] = [
        {"generate": Answer(gemini(finish=word))},
        {"generate": Answer({"promptFeedback": {"blockReason": word}})},
        {"generate": Answer(f'{{"error": "{word}"}}'.encode(), 500)},
        {"chat": Answer(completion("", refusal=word))},
        {"chat": Answer(completion("", finish=word))},
        {"chat": Answer(word.encode(), 403)},
    ]
    for body in bodies:
        async with providing(**body) as provider:
            made = gemini_route if "generate" in body else openai_route
            outcome = await watched(made(provider), a_clip(tmp_path), secrets=(OTHER,))
        assert_keyless(outcome)
        assert failure(outcome).startswith(f"native analysis (127.0.0.1:{provider.port}): ")
        assert "\n" not in failure(outcome)


@pytest.mark.parametrize("word", WORDS)
async def test_no_error_of_litellm_holds_a_key(tmp_path: Path, word: str) -> None:
    """Its words are a service's, too."""

    async def ask(_clip: Path, _prompt: str) -> str:
        raise RuntimeError(word)

    route = NativeRoute(kind="litellm", model="gemini/m", key=KEY)
    outcome = await watched(route, a_clip(tmp_path), ask=ask, secrets=(OTHER,))
    assert_keyless(outcome)
    assert failure(outcome).startswith("native analysis (gemini): ")


async def test_escapes_that_hide_no_key_are_shown_as_they_came(tmp_path: Path) -> None:
    """They may be what a screen in the video shows."""
    async with providing(chat=Answer(completion(described(r"prints \u0041\n C:\new")))) as provider:
        outcome = await watched(openai_route(provider), a_clip(tmp_path))
    assert isinstance(outcome, Watched)
    assert outcome.visual == r"prints \u0041\n C:\new"
    assert without_keys(r"\u0041 " + parted("\x1b[0m"), (KEY,)) == r"\u0041 [removed]"


@pytest.mark.parametrize("quoted", range(4))
@pytest.mark.parametrize("slash", ["/", "\\/"])
def test_a_key_is_found_under_quotes_upon_quotes(quoted: int, slash: str) -> None:
    """JSON carries JSON, and errors carry both; a slash may be escaped or not."""
    key = 'sk/with"quotes\\and-more'
    text = key
    for _ in range(quoted):
        text = json.dumps(text).replace("/", slash)
    assert "and-more" not in without_keys(f"it says {text}", (key,))


@given(st.text(alphabet='\\u0042d-ke"/\n\x1b[\u200b\ud83dx', max_size=60))
@example("0042\ufe0f")
def test_any_text_stays_cleaned(text: str) -> None:
    """Also where an escape meant what is not shown."""
    shown = without_keys(text, ("kdkdkdkd", "0042"))
    assert shown == block(shown)
    assert "kdkdkdkd" not in shown
    assert "0042" not in shown
