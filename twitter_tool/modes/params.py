"""Parameter types shared by the modes, and the base of every mode's parameter model.

Limits and descriptions live on the fields; the tool schema, the command line and the documentation are made from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from twitter_tool import links

MAX_TIME: Final = 253_402_300_799
"""9999-12-31T23:59:59Z in unix seconds."""
MAX_INTEGER: Final = 2**63 - 1
MAX_IDS: Final = 100
MAX_NAME: Final = 1000
"""Far over any handle or id; an address cannot carry text of any length."""


class Params(BaseModel):
    """The parameters of one mode besides ``query``, ``mode`` and ``output``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _fault(problem: str) -> PydanticCustomError:
    return PydanticCustomError("value", "{problem}", {"problem": problem})


def _whole(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _fault(f"must be a whole number, not {shown(value)}")
    if isinstance(value, float):
        if not value.is_integer():  # NaN and infinities are not either
            raise _fault(f"must be a whole number, not {shown(value)}")
        value = int(value)
    if abs(value) > MAX_INTEGER:
        raise _fault("must be a smaller number")
    return value


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        raise _fault(f"must be a string, not {shown(value)}")
    text = value.strip()
    if len(text) > MAX_NAME:
        raise _fault(f"must have at most {MAX_NAME} characters, not {len(text)}")
    return text


def _named(value: str) -> str:
    if not value:
        raise _fault("must not be blank")
    return value


def _handle(value: str) -> str:
    handle = _linked_handle(value).lstrip("@").strip()
    if not handle:
        raise _fault("must name an account, such as nasa")
    return handle


def _linked_handle(value: str) -> str:
    """A handle as it is, or the one in a link to an account; other links are no handle and are refused."""
    if "://" not in value:
        return value
    handle = links.linked_handle(value)
    if handle is None:
        raise _fault(f"is a link that leads to no account on X: {shown(value)}")
    return handle


_NOUNS: Final = {"lists": "list", "communities": "community", "spaces": "Space"}


def _place(place: Literal["lists", "communities", "spaces"]) -> Callable[[str], str]:
    """A reader of a place's id, given as it is or in a link to it."""

    def read(value: str) -> str:
        if "://" not in value:
            return value
        found = links.linked_place(value, place)
        if found is None:
            raise _fault(f"is a link that leads to no {_NOUNS[place]} on X: {shown(value)}")
        return found

    return read


def _post(value: Any) -> Any:
    found = _post_id(value) if isinstance(value, str) else None
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**25:
        raise _fault(f'must be in quotes, "{value}": a JSON number may have lost digits')
    if found is None:
        raise _fault(
            "must be a post id (a string of 1 to 25 digits) or a link to a post on x.com or twitter.com, not"
            f" {shown(value)}"
        )
    return found


def _post_id(reference: str) -> str | None:
    return links.post_id(reference) if len(reference) <= links.MAX_URL else None


def _posts(value: Any) -> Any:
    if not isinstance(value, list | tuple) or not value:
        raise _fault(f"must be a non-empty list of post ids or links to posts, not {shown(value)}")
    found: dict[str, None] = {}
    for entry in value:
        if not isinstance(entry, str):
            raise _fault(f"must hold strings only, not {shown(entry)}; a JSON number may have lost digits")
        post = _post_id(entry)
        if post is None:
            raise _fault(f"has an entry that is neither a post id nor a link to a post: {shown(entry)}")
        found[post] = None
    if len(found) > MAX_IDS:
        raise _fault(f"names {len(found)} different posts; one call reads at most {MAX_IDS}")
    return tuple(found)


def _handles(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise _fault(f"must be a list of handles, not {shown(value)}")
    if len(value) > 20:
        raise _fault(f"has {len(value)} handles; at most 20 are allowed")
    found = []
    for entry in value:
        handle = entry.strip().removeprefix("@") if isinstance(entry, str) else ""
        if not links.is_handle(handle):
            raise _fault(f"has an entry that is no handle (1 to 15 letters, digits or underscores): {shown(entry)}")
        found.append(handle)
    return tuple(found)


def _day(value: Any) -> Any:
    if not isinstance(value, str):
        raise _fault(f"must be a date such as 2026-09-01, not {shown(value)}")
    if not value:
        return None
    text = value.strip()
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise _fault(f"must be a date such as 2026-09-01, not {shown(value)}")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise _fault(f"is not a real date: {text}") from None


def _flag(value: Any) -> Any:
    if not isinstance(value, bool):
        raise _fault(f"must be true or false, not {shown(value)}")
    return value


def shown(value: Any) -> str:
    """A caller's value as it appears in an error: ``repr``, shortened."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, or a list nested as deep
        return f"<{type(value).__name__} too large to show>"
    return text if len(text) <= 80 else text[:77] + "..."


WHOLE = BeforeValidator(_whole)
"""Makes an ``int`` accept integers and integral finite floats only; stands after the limits."""
Whole = Annotated[int, WHOLE]
Limit = Annotated[int, Field(ge=1, le=1000), WHOLE]
Count = Annotated[int, Field(ge=1, le=50), WHOLE]
TrendCount = Annotated[int, Field(ge=30), WHOLE]
PageSize = Annotated[int, Field(ge=20, le=200), WHOLE]
Start = Annotated[int, Field(ge=0, le=MAX_TIME), WHOLE]
End = Annotated[int, Field(ge=1, le=MAX_TIME), WHOLE]
Flag = Annotated[bool, BeforeValidator(_flag)]
Name = Annotated[str, BeforeValidator(_text), AfterValidator(_named)]
OptionalName = Annotated[str, BeforeValidator(_text)]
OptionalHandle = Annotated[str, BeforeValidator(_text), AfterValidator(_linked_handle)]
ListId = Annotated[str, BeforeValidator(_text), AfterValidator(_named), AfterValidator(_place("lists"))]
CommunityId = Annotated[str, BeforeValidator(_text), AfterValidator(_named), AfterValidator(_place("communities"))]
SpaceId = Annotated[str, BeforeValidator(_text), AfterValidator(_named), AfterValidator(_place("spaces"))]
Handle = Annotated[str, BeforeValidator(_text), AfterValidator(_handle)]
PostRef = Annotated[str, BeforeValidator(_post)]
PostRefs = Annotated[
    tuple[str, ...], BeforeValidator(_posts, json_schema_input_type=list[str]), Field(json_schema_extra={"minItems": 1})
]
Handles = Annotated[
    tuple[str, ...],
    BeforeValidator(_handles, json_schema_input_type=list[str]),
    Field(json_schema_extra={"maxItems": 20}),
]
Day = Annotated[date | None, BeforeValidator(_day, json_schema_input_type=str)]
Seconds = Annotated[int, Field(ge=0), WHOLE]
QueryType = Literal["Latest", "Top"]
ReplySort = Literal["Relevance", "Latest", "Likes"]

LIMIT: Final = "At most this many items."
"""The description of ``limit`` wherever it applies."""
