"""What goes in and what comes back: requests, responses, failures, parts of a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import httpx

FailureKind = Literal["forbidden", "connect", "timeout", "cut", "stalled", "oversize", "encoding", "disk"]
Method = Literal["HEAD", "GET", "POST", "DELETE"]


class HttpFailure(Exception):
    """No usable answer.

    Attributes:
        kind: ``forbidden`` when nothing was asked, since the host is not public; ``connect`` or ``timeout`` before
            response headers; ``cut``, ``stalled``, ``oversize`` or ``encoding`` after them; ``disk`` for a file of
            ours that cannot be read or written.
        reason: plain words without address, path or secret.
    """

    def __init__(self, kind: FailureKind, reason: str) -> None:
        super().__init__(reason)
        self.kind: FailureKind = kind
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A request ready to be sent; made by :meth:`Http.prepare`, once for each sending."""

    _native: httpx.Request


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """What came back.

    Attributes:
        headers: names in lower case.
        body: the decoded bytes, or ``None`` when they could not be read. Of a download, ``b""`` once the file is
            there and ``None`` when there is none.
        failure: why there is no body; ``None`` also for a download that was not wanted.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes | None
    failure: HttpFailure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPart:
    """One part of a multipart form: either a text, or a file that is read while it is being sent.

    Attributes:
        filename: as the receiver is told; the name of ``path`` when left out.
        content_type: guessed from the name when left out; a text without a name has none.

    Raises:
        ValueError: neither ``value`` nor ``path``, or both.
    """

    name: str
    value: str | None = None
    path: Path | None = None
    filename: str | None = None
    content_type: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.path is None):
            raise ValueError("a part of a form has either a value or a path")
