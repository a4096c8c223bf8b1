"""The words and fields of a failed upstream request: what failed, what was asked, what to do next."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from twitter_tool.backends.twitterapi.retry import MAX_WAIT_S
from twitter_tool.errors import BodyFault, ErrorCode, SetupError, TwitterToolError, UpstreamError
from twitter_tool.http import HttpFailure
from twitter_tool.redaction import redact
from twitter_tool.text import Line, as_line, block, line

DETAIL_CHARS: Final = 200
# A tag ends where the next one begins: otherwise a text of nothing but "<" takes time that grows with its square.
_MARKUP = re.compile(r"<\s*[A-Za-z!/?]|<[^<>]*>")
_BILLED: Final = "the request was answered, so it may already be billed"
_LOOK_ALIKE: Final = "deleted, suspended and protected ones (and Spaces that are live) look the same"
_RETRYABLE_STATUSES: Final = frozenset((500, 502, 504))


def shown_detail(raw: str | None, secrets: Iterable[str]) -> Line | None:
    """Upstream's words fit to be shown: one line, at most 200 characters, no known secret, no markup."""
    if raw is None or _MARKUP.search(raw):
        return None
    # Cleaned first, since a removed character may have parted a secret, and before the cut, which could leave its head.
    whole = as_line(block(raw))
    return line(redact(whole, tuple(secrets)), DETAIL_CHARS - 1) or None


def http_failure(
    status: int, *, what: str, detail: Line | None, attempts: int, asked_s: int | None = None
) -> TwitterToolError:
    """A status other than 2xx, after the last attempt."""
    code, words, hint = _refusal(status)
    says = f": {detail}" if detail else ""
    message = f"{words} while reading {_asked(what)}{says} (HTTP {status}{_after(attempts)})"
    if status == 404:
        message += f"; upstream returned nothing, and {_LOOK_ALIKE}"
    if asked_s is not None:
        message += f"; upstream asks to wait {asked_s} s, more than the {MAX_WAIT_S} s that this tool waits"
        hint = f"Wait {asked_s} s before calling again."
    if code in ("credentials_refused", "credits_exhausted"):
        return SetupError(code, message, hint=hint, http_status=status, attempts=attempts)
    return UpstreamError(
        code,
        message,
        hint=hint,
        retryable=code == "upstream_unavailable" or status in _RETRYABLE_STATUSES,
        http_status=status,
        attempts=attempts,
        retry_after_seconds=asked_s,
    )


def no_answer(failure: HttpFailure, *, what: str, attempts: int) -> UpstreamError:
    """No response headers arrived, at the last attempt either."""
    tries = f" (after {attempts} attempts)" if attempts > 1 else ""
    words = "upstream did not answer in time" if failure.kind == "timeout" else "upstream could not be reached"
    return UpstreamError(
        "upstream_unavailable",
        f"{words} while reading {_asked(what)}: {failure.reason}{tries}",
        hint="Check the network connection, then call again; nothing was received.",
        retryable=True,
        attempts=attempts,
    )


def unreadable(
    reason: str, *, status: int, what: str, attempts: int, body_fault: BodyFault = "malformed"
) -> UpstreamError:
    """A 2xx whose body cannot be used: ``reason`` is a clause of our own such as ``it is not valid JSON``."""
    return UpstreamError(
        "upstream_malformed",
        f"malformed response while reading {_asked(what)}: {reason} (HTTP {status}{_after(attempts)}); {_BILLED}",
        hint="Calling again may be billed again; if it keeps happening, upstream has changed or something in between "
        "alters its answers.",
        http_status=status,
        attempts=attempts,
        body_fault=body_fault,
    )


def nothing_returned(what: str, *, detail: Line | None = None, status: int = 200, attempts: int = 1) -> UpstreamError:
    """A 2xx that says there is no such thing."""
    says = f" ({detail})" if detail else ""
    return UpstreamError(
        "not_found",
        f"not found: upstream returned nothing for {_asked(what)}{says} (HTTP {status}{_after(attempts)}); "
        f"{_LOOK_ALIKE}",
        hint=_NOT_FOUND_HINT,
        http_status=status,
        attempts=attempts,
        body_fault="not_found",
    )


def body_failure(what: str, *, detail: Line | None, status: int = 200, attempts: int = 1) -> UpstreamError:
    """A 2xx whose body reports a failure."""
    return UpstreamError(
        "upstream_rejected",
        f"upstream reported a failure while reading {_asked(what)}: {detail or 'unknown'} "
        f"(HTTP {status}{_after(attempts)})",
        hint="Check the id, handle or query; if they are right, upstream has a fault of its own: try again later.",
        http_status=status,
        attempts=attempts,
        body_fault="failed",
    )


_NOT_FOUND_HINT: Final = "Check the id or handle, and whether it can be seen on X without logging in."
_REFUSALS: Final[dict[int, tuple[ErrorCode, str, str]]] = {
    401: ("credentials_refused", "key refused", "Check TWITTERAPI_IO_API_KEY: upstream does not accept this key."),
    402: ("credits_exhausted", "payment required", "Recharge the credits of this key at twitterapi.io."),
    404: ("not_found", "not found", _NOT_FOUND_HINT),
    429: (
        "upstream_unavailable",
        "rate limited",
        "Wait, then call again; if it happens often, raise min_request_interval_ms to what the key's plan allows.",
    ),
    503: ("upstream_unavailable", "temporarily unavailable", "Wait a minute and call again."),
}
_REFUSALS[403] = _REFUSALS[401]


def _refusal(status: int) -> tuple[ErrorCode, str, str]:
    if status in _REFUSALS:
        return _REFUSALS[status]
    if status < 400:
        return "upstream_rejected", "redirect refused", "Check route_to and any proxy: upstream itself never redirects."
    if status < 500:
        return "upstream_rejected", "request refused", "Check the arguments: upstream does not accept this request."
    return "upstream_rejected", "upstream failed", "Call again later; a failed request may be billed."


def _asked(what: str) -> Line:
    return line(what, 300)


def _after(attempts: int) -> str:
    return f", after {attempts} attempts" if attempts > 1 else ""
