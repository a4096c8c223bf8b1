"""The only package that knows the HTTP library: bounded requests, nothing followed, nothing leaked.

One request is :meth:`Http.get`, :meth:`Http.request` or :meth:`Http.download`. No answer at all raises
:class:`HttpFailure`; an answer whose body could not be read or kept is an :class:`HttpResponse` that says why. No
exception of the HTTP library leaves this package.
"""

from twitter_tool.http.body import ERROR_BODY_S, MAX_ERROR_BYTES
from twitter_tool.http.client import Http
from twitter_tool.http.gateway import in_process, network
from twitter_tool.http.public import PublicHosts
from twitter_tool.http.quiet import quietly
from twitter_tool.http.values import FailureKind, FormPart, HttpFailure, HttpRequest, HttpResponse, Method
from twitter_tool.loopback import loopback_origin

__all__ = [
    "ERROR_BODY_S",
    "MAX_ERROR_BYTES",
    "FailureKind",
    "FormPart",
    "Http",
    "HttpFailure",
    "HttpRequest",
    "HttpResponse",
    "Method",
    "PublicHosts",
    "in_process",
    "loopback_origin",
    "network",
    "quietly",
]
