"""One accepted answer of the upstream: its body, and the places where a reading expects something in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from twitter_tool.backends.twitterapi import failures
from twitter_tool.backends.twitterapi.plan import Json, WalkPlan
from twitter_tool.errors import TwitterToolError, UpstreamError

_ABSENT: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A body that reports no failure.

    Attributes:
        body: the JSON object.
        what: what was asked for, for errors.
        attempts: requests made until it came.
    """

    body: Json
    what: str
    attempts: int = 1

    def rows(self, plan: WalkPlan) -> list[Any]:
        """The rows of a page, wherever this endpoint puts them; null is an empty page when nothing follows.

        Raises:
            UpstreamError: there are none, or the account they would belong to is gone.
        """
        gone = any(key in self.body and self.body[key] is None for key in plan.null_is_missing)
        null = False
        for path in plan.items:
            found = self._at(path)
            if isinstance(found, list) and (found or not gone):
                return found
            null = null or found is None
        if gone:
            raise self.nothing()
        if null and self.body.get("has_next_page") is not True:
            return []
        raise self.malformed(".".join(plan.items[0]))

    def array(self, name: str) -> list[Any]:
        """The rows of a look-up that has no further pages; null is an empty one.

        Raises:
            UpstreamError: there are none.
        """
        found = self._at((name,))
        if isinstance(found, list):
            return found
        if found is None:
            return []
        raise self.malformed(name)

    def object(self, *names: str) -> Json:
        """The first of these members that is an object.

        Raises:
            UpstreamError: ``not_found`` when one is null instead, ``upstream_malformed`` when none is there.
        """
        for name in names:
            found = self.body.get(name)
            if isinstance(found, dict):
                return found
        if any(name in self.body and self.body[name] is None for name in names):
            raise self.nothing()
        raise self.malformed(" or ".join(names))

    def nothing(self) -> UpstreamError:
        """The upstream answered, with nothing in it."""
        return failures.nothing_returned(self.what, attempts=self.attempts)

    def malformed(self, name: str) -> UpstreamError:
        """The upstream answered in a shape that is not known."""
        return failures.unreadable(f"it has no usable {name}", status=200, what=self.what, attempts=self.attempts)

    def _at(self, path: tuple[str, ...]) -> Any:
        value: Any = self.body
        for key in path:
            value = value.get(key, _ABSENT) if isinstance(value, dict) else _ABSENT
        return value


@contextmanager
def after(pages: int) -> Iterator[None]:
    """Name in an error how many pages had been accepted before it."""
    try:
        yield
    except TwitterToolError as error:
        if pages > 0:
            error.pages_accepted = pages
            counted = "1 page" if pages == 1 else f"{pages} pages"
            again = f"{counted} had been read before and may be billed again when the call is repeated."
            error.hint = f"{error.hint} {again}" if error.hint else again
        raise
