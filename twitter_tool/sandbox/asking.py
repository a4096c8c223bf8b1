"""A request to the API: its parameters, and how a wrong one is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .paging import Cursors, Ending, Page, UnknownCursor, turn
from .wire import Json
from .world import World

PAGE_SIZE: Final = 20


class Refusal(Exception):
    """An answer with another status than 200."""

    def __init__(self, status: int, body: Json) -> None:
        super().__init__(status)
        self.status = status
        self.body = body


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request: the query parameters, the world, and the faults that change pages."""

    path: str
    params: Mapping[str, str]
    world: World
    credits: int
    faults: frozenset[str] = frozenset()

    def text(self, name: str) -> str:
        return self.params.get(name, "")

    def flag(self, name: str, default: bool) -> bool:
        value = self.text(name).lower()
        return default if not value else value in ("true", "1")

    def whole(self, name: str) -> int | None:
        """A whole number, absent when not given.

        Raises:
            Refusal: 422 in the list form when it is something else.
        """
        value = self.text(name).strip()
        if not value:
            return None
        digits = value.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
            problem = {
                "type": "int_parsing",
                "loc": ["query", name],
                "msg": "Input should be a valid integer, unable to parse string as an integer",
                "input": value,
            }
            raise Refusal(422, {"detail": [problem]})
        return int(value)

    def page(
        self,
        rows: Sequence[Any],
        target: object,
        *,
        size: int = PAGE_SIZE,
        ending: Ending = "plain",
        numeric: bool = False,
    ) -> Page:
        cursors = Cursors(scope=f"{self.path}|{target}", numeric=numeric)
        try:
            return turn(
                rows,
                cursors=cursors,
                size=size,
                cursor=self.text("cursor"),
                ending=ending,
                faults=self.faults,
            )
        except UnknownCursor:
            raise Refusal(400, {"detail": "invalid cursor"}) from None


Handler = Callable[[Ask], Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A path, the parameters it cannot do without (one of each group), and its handler."""

    handler: Handler
    required: tuple[tuple[str, ...], ...] = ()
    validation_list: bool = False
    """Whether a missing parameter is answered with 422 in the list form instead of 400."""


def check_required(endpoint: Endpoint, params: Mapping[str, str]) -> None:
    """Refuses a request that lacks a parameter.

    Raises:
        Refusal: 400 with a text, or 422 with a list where the upstream validates by itself.
    """
    for names in endpoint.required:
        if any(params.get(name) for name in names):
            continue
        if endpoint.validation_list:
            problem = {"type": "missing", "loc": ["query", names[0]], "msg": "Field required", "input": None}
            raise Refusal(422, {"detail": [problem]})
        raise Refusal(400, {"detail": f"{' or '.join(names)} is required"})
