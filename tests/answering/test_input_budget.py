"""What reaches a model when not everything fits: whole posts, in order, as many as the smallest model can take."""

from __future__ import annotations

import pytest
from answering_calls import (
    ANN,
    LITELLM,
    LOCAL,
    Asking,
    LlmServer,
    Model,
    Upstream,
    note_of,
    notes_of,
    posts,
    prompt_of,
    raw_post,
    system_of,
)

pytestmark = LITELLM
SECOND = "openai/second-model"


async def test_a_post_that_does_not_fit_is_left_out_whole_and_a_later_smaller_one_is_taken(
    llm: LlmServer, model: Model
) -> None:
    """It becomes number one, and the note says that it was left out here."""
    asking = Asking(Upstream(posts("a" * 15_000, "b" * 1_000)), model.settings(max_synthesis_chars=12_000))
    result = await asking()
    assert "\n\n[1] @ann" in prompt_of(llm)
    assert "b" * 1_000 in prompt_of(llm)
    assert "aaa" not in prompt_of(llm)
    assert [item["id"] for item in result.items] == ["2"]
    assert note_of(result, "items_omitted")["count"] == 1
    assert result.details["usage"]["postsRetained"] == 1
    assert result.details["complete"] is True


async def test_a_quoted_post_travels_with_the_one_that_quotes_it(llm: LlmServer, model: Model) -> None:
    """Both are in or both are out."""
    rows = [raw_post(1, quoted_tweet=raw_post(2, text="q" * 15_000)), raw_post(3, text="small")]
    result = await Asking(Upstream(posts(*rows)), model.settings(max_synthesis_chars=12_000))()
    assert [item["id"] for item in result.items] == ["3"]
    assert f"{ANN}1" not in prompt_of(llm)
    assert "qqq" not in prompt_of(llm)


@pytest.mark.parametrize("small", [LOCAL, SECOND], ids=["the first", "the fallback"])
async def test_the_smallest_member_decides_wherever_it_stands(small: str, llm: LlmServer, model: Model) -> None:
    """The large one sees no more than the small one could."""
    asking = Asking(
        Upstream(posts(*("word " * 200 for _ in range(20)))),
        model.settings(LOCAL, SECOND, facts={small: {"context_window": 16_000}}),
    )
    result = await asking(count=20)
    text = system_of(llm) + "\n" + prompt_of(llm)
    assert len(text.encode()) + 1_024 + 4_000 <= 16_000
    assert 0 < len(result.items) < 20
    assert note_of(result, "items_omitted")["count"] == 20 - len(result.items)
    one_more = len(text.encode()) + 1_024 + 4_000 + 1_050
    assert one_more > 16_000, "another post would not have fitted"


async def test_bytes_count_not_characters(llm: LlmServer, model: Model) -> None:
    """Three for each of these."""
    settings = model.settings(facts={LOCAL: {"context_window": 20_000}})
    result = await Asking(Upstream(posts("界" * 5_000, "a" * 5_000)), settings)()
    assert [item["id"] for item in result.items] == ["2"]


async def test_a_limit_of_request_bytes_counts_what_json_makes_of_the_text(llm: LlmServer, model: Model) -> None:
    """A quotation mark takes two."""
    settings = model.settings(facts={LOCAL: {"max_request_bytes": 10_000}})
    result = await Asking(Upstream(posts('"' * 4_000, "a" * 4_000)), settings)()
    assert [item["id"] for item in result.items] == ["2"]


async def test_when_nothing_fits_no_model_is_asked(llm: LlmServer, model: Model) -> None:
    """The error says that something was read, and what to do."""
    settings = model.settings(facts={LOCAL: {"context_window": 8_000}})
    error = await Asking(Upstream(posts("x" * 70_000)), settings).refused()
    assert (error.code, error.exit_code) == ("input_budget", 6)
    assert "no whole one fits" in error.message
    assert error.hint
    assert llm.asked == []


async def test_accounts_are_selected_whole_as_well(llm: LlmServer, model: Model) -> None:
    """Under the same ceilings, with the same note."""
    rows = [{"screen_name": f"user{n}", "description": "bio " * 100} for n in range(40)]
    body = {"followers": rows, "has_next_page": False, "next_cursor": ""}
    result = await Asking(Upstream(body), model.settings(max_synthesis_chars=8_000))(
        mode="followers", user="ann", limit=40
    )
    assert 0 < len(result.items) < 40
    assert note_of(result, "items_omitted")["count"] == 40 - len(result.items)
    assert f"Evidence: {len(result.items)} accounts" in prompt_of(llm)


async def test_fields_of_a_document_are_selected_whole_as_well(llm: LlmServer, model: Model) -> None:
    """What does not fit is counted."""
    data = {"id": "1abc", "title": "short", "long": "x" * 9_000, "state": "Ended"}
    settings = model.settings(max_synthesis_chars=6_000)
    result = await Asking(Upstream({"data": data, "status": "success"}), settings)(mode="space", spaceId="1abc")
    assert "xxx" not in prompt_of(llm)
    assert "- state: Ended" in prompt_of(llm)
    assert note_of(result, "fields_cut")["count"] == 1


async def test_a_long_parent_pushes_no_reply_out(llm: LlmServer, model: Model) -> None:
    """What was asked for are the replies."""
    rows = [raw_post(7, text="p" * 9_000), raw_post(8, text="reply " * 500)]
    body = {"replies": rows, "tweets": rows, "has_next_page": False, "next_cursor": ""}
    result = await Asking(Upstream(body), model.settings(max_synthesis_chars=12_000))(mode="replies", tweet="7")
    assert [item["id"] for item in result.items] == ["8"]
    assert "parent" not in result.details
    assert note_of(result, "items_omitted")["count"] == 1


async def test_the_ceiling_of_characters_holds_for_the_whole_input(llm: LlmServer, model: Model) -> None:
    """Rules included, to the last character."""
    sizes = []
    for ceiling in range(5_000, 5_040):
        llm.asked.clear()
        asking = Asking(Upstream(posts(*("w" * 10 for _ in range(50)))), model.settings(max_synthesis_chars=ceiling))
        await asking(count=50)
        sizes.append(ceiling - len(system_of(llm)) - 1 - len(prompt_of(llm)))
    assert min(sizes) >= 0
    assert max(sizes) < 200, "room for another post was left unused"


async def test_quoting_is_bound_by_the_ceiling_alone(llm: LlmServer) -> None:
    """It has no context window."""
    rows = posts(*(f"trams number {n} " * 100 for n in range(50)))
    result = await Asking(Upstream(rows), {"max_synthesis_chars": 20_000})("trams", count=50)
    assert 0 < len(result.items) < 50
    assert "items_omitted" in notes_of(result)
