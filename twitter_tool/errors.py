"""Errors, split by who must act.

    TwitterToolError
    |- RequestError        the caller changes the arguments   invalid_request, input_budget
    |- SetupError          the operator changes the set-up    missing_credentials, credentials_refused,
    |                                                         credits_exhausted, missing_model, bad_settings
    |- UpstreamError       nothing to change here             upstream_rejected, upstream_malformed, not_found,
    |                                                         account_unavailable, upstream_unavailable
    |- AnswerError         another model, or the evidence     answer_failed
    `- InternalError       a fault of ours                    internal

Cancellation is ``asyncio.CancelledError`` and never one of these; the command line turns it into the
``cancelled`` document with :func:`error_document`.
"""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

ErrorCode = Literal[
    "internal",
    "invalid_request",
    "missing_credentials",
    "credentials_refused",
    "credits_exhausted",
    "missing_model",
    "bad_settings",
    "upstream_rejected",
    "upstream_malformed",
    "not_found",
    "account_unavailable",
    "upstream_unavailable",
    "input_budget",
    "answer_failed",
    "cancelled",
]
ERROR_CODES: Final[tuple[str, ...]] = get_args(ErrorCode)

EXIT_INCOMPLETE: Final = 7
EXIT_CODES: Final[dict[ErrorCode, int]] = {
    "internal": 1,
    "invalid_request": 2,
    "missing_credentials": 3,
    "credentials_refused": 3,
    "credits_exhausted": 3,
    "missing_model": 3,
    "bad_settings": 3,
    "upstream_rejected": 4,
    "upstream_malformed": 4,
    "not_found": 4,
    "account_unavailable": 4,
    "upstream_unavailable": 5,
    "input_budget": 6,
    "answer_failed": 6,
    "cancelled": 130,
}


class TwitterToolError(Exception):
    """A call that gave no result.

    Attributes:
        code: one of :data:`ERROR_CODES`.
        message: what failed and what was asked, one line.
        hint: what to do next, or ``None``.
        retryable: whether the same call may succeed later without any change.
        http_status: the upstream's status, when one was received.
        attempts: physical upstream requests made by the failing step, when any was made.
        pages_accepted: pages read before the failure; reading them again may be billed again.
        retry_after_seconds: a ``Retry-After`` that was longer than the tool waits.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        hint: str | None = None,
        retryable: bool = False,
        http_status: int | None = None,
        attempts: int | None = None,
        pages_accepted: int | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.hint = hint
        self.retryable = retryable
        self.http_status = http_status
        self.attempts = attempts
        self.pages_accepted = pages_accepted
        self.retry_after_seconds = retry_after_seconds

    @property
    def exit_code(self) -> int:
        """The process exit code of the command line for this error."""
        return EXIT_CODES[self.code]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of a failed call, ``{"error": {...}}``; unknown values are absent."""
        return error_document(
            self.code,
            self.message,
            hint=self.hint,
            retryable=self.retryable,
            httpStatus=self.http_status,
            attempts=self.attempts,
            pagesAccepted=self.pages_accepted,
            retryAfterSeconds=self.retry_after_seconds,
        )


class RequestError(TwitterToolError):
    """The arguments must change (``invalid_request``, ``input_budget``)."""


class SetupError(TwitterToolError):
    """Keys, credits, models or settings must change."""


BodyFault = Literal["oversize", "malformed", "failed", "not_found"]


class UpstreamError(TwitterToolError):
    """The upstream refused, failed, or sent something unreadable.

    Attributes:
        body_fault: for a received 2xx, what was wrong with it; ``None`` for HTTP and transport failures.
    """

    def __init__(self, code: ErrorCode, message: str, *, body_fault: BodyFault | None = None, **figures: Any) -> None:
        super().__init__(code, message, **figures)
        self.body_fault: BodyFault | None = body_fault


class AnswerError(TwitterToolError):
    """No model of the chain gave an answer (``answer_failed``)."""


class InternalError(TwitterToolError):
    """A fault of the tool itself (``internal``)."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__("internal", message, hint=hint)


def invalid_request(message: str, hint: str | None = None) -> RequestError:
    """The arguments of a call are not usable; nothing was sent."""
    return RequestError("invalid_request", message, hint=hint)


def bad_settings(message: str, hint: str | None = None) -> SetupError:
    """The settings are not usable; nothing was sent."""
    return SetupError("bad_settings", message, hint=hint)


def error_document(
    code: ErrorCode, message: str, *, hint: str | None = None, retryable: bool = False, **figures: object
) -> dict[str, Any]:
    """The document printed for a failure; figures that are ``None`` are left out."""
    error: dict[str, Any] = {"code": code, "message": message}
    if hint is not None:
        error["hint"] = hint
    error["retryable"] = retryable
    error.update({key: value for key, value in figures.items() if value is not None})
    return {"error": error}
