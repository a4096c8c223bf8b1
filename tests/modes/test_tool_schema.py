"""Schema, names and descriptions are all made from the one list of modes."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any

import pytest
from pydantic import Field

from twitter_tool import schema
from twitter_tool.modes import request
from twitter_tool.modes.params import Params
from twitter_tool.modes.registry import DEFAULT_MODE, MODES
from twitter_tool.modes.request import COMMON, modes_taking, parse
from twitter_tool.schema import tool_schema


def test_the_schema_is_one_flat_closed_object_that_needs_only_the_question() -> None:
    """Models fill flat objects best."""
    found = tool_schema()
    assert found["type"] == "object"
    assert found["required"] == ["query"]
    assert found["additionalProperties"] is False
    assert not {"anyOf", "oneOf", "allOf", "$defs"} & found.keys()
    for name, value in found["properties"].items():
        assert value["type"] in {"string", "integer", "boolean", "array"}, name
        assert not {"anyOf", "oneOf", "allOf", "$ref", "title"} & value.keys(), name


def test_the_schema_has_every_parameter_of_every_mode_and_no_other() -> None:
    """And the three that all modes share."""
    own = {name for mode in MODES.values() for name in mode.params.model_fields}
    assert set(tool_schema()["properties"]) == own | set(COMMON)
    assert tool_schema()["properties"]["mode"]["enum"] == list(MODES)
    assert tool_schema()["properties"]["mode"]["default"] == DEFAULT_MODE


def test_each_description_names_the_modes_that_take_the_parameter() -> None:
    """And for the mode itself, each with its summary."""
    properties = tool_schema()["properties"]
    for name, value in properties.items():
        if name in COMMON:
            continue
        told = value["description"]
        for mode in modes_taking(name):
            assert mode in told, (name, mode)
    for mode_name, mode in MODES.items():
        assert f"{mode_name}: {mode.summary.rstrip('.')}" in properties["mode"]["description"]


def test_limits_are_the_widest_of_all_modes_and_each_mode_tells_its_own() -> None:
    """So the schema refuses nothing that a mode accepts."""
    properties = tool_schema()["properties"]
    assert properties["count"]["minimum"] == 1
    assert "maximum" not in properties["count"]
    assert "1 to 50, default 20" in properties["count"]["description"]
    assert (properties["limit"]["minimum"], properties["limit"]["maximum"]) == (1, 1000)
    assert (properties["pageSize"]["minimum"], properties["pageSize"]["maximum"]) == (20, 200)
    assert properties["queryType"]["enum"] == ["Latest", "Top"]
    assert properties["replySort"]["enum"] == ["Relevance", "Latest", "Likes"]
    assert properties["ids"] == {
        "type": "array",
        "minItems": 1,
        "items": {"type": "string"},
        "description": properties["ids"]["description"],
    }
    assert properties["allowed_x_handles"]["maxItems"] == 20


def test_the_wrappings() -> None:
    """The same schema in the two forms that agents' clients expect."""
    parameters = tool_schema("json")
    openai, anthropic = tool_schema("openai"), tool_schema("anthropic")
    assert openai == {
        "type": "function",
        "function": {"name": "twitter", "description": schema.DESCRIPTION, "parameters": parameters},
    }
    assert anthropic == {"name": "twitter", "description": schema.DESCRIPTION, "input_schema": parameters}


@pytest.mark.parametrize("name", sorted(MODES))
def test_a_mode_says_everything_about_itself(name: str) -> None:
    """What people and models read about it stands in its declaration."""
    mode = MODES[name]
    assert mode.name == name
    assert mode.summary.endswith(".")
    assert mode.cites
    assert mode.paths
    assert all(path.startswith("/twitter/") for path in mode.paths)
    assert mode.params.__doc__
    for field_name, field in mode.params.model_fields.items():
        assert field.description, field_name
    assert set(mode.positional) <= set(mode.params.model_fields) | {"query"}
    required = {field_name for field_name, field in mode.params.model_fields.items() if field.is_required()}
    assert required <= set(mode.positional)


class TideParams(Params):
    """Parameters of a mode that only this test has."""

    harbour: Annotated[str, Field(description="The harbour's name.")]
    limit: Annotated[int | None, Field(description="Stop after this many items.", ge=1, le=1000)] = None


def test_a_further_mode_is_one_declaration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it is in the registry, parsing, refusals and schema know it."""
    tides = replace(MODES["list"], name="tides", summary="Tides of a harbour.", params=TideParams)
    monkeypatch.setattr(schema, "MODES", MappingProxyType({**MODES, "tides": tides}))
    monkeypatch.setattr(request, "MODES", MappingProxyType({**MODES, "tides": tides}))
    properties: dict[str, Any] = tool_schema()["properties"]
    assert properties["harbour"]["description"] == "Required in mode tides: The harbour's name."
    assert "tides" in properties["limit"]["description"]
    assert "tides" in properties["mode"]["enum"]
    assert parse({"query": "q", "mode": "tides", "harbour": "Tarbert"}).mode is tides
    with pytest.raises(request.RequestError, match="harbour") as caught:
        parse({"query": "q", "mode": "list", "listId": "1", "harbour": "Tarbert"})
    assert "tides" in str(caught.value.hint)
