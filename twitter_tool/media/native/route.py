"""Which service, if any, watches the clips of a call. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import urlsplit

from twitter_tool.credentials import is_usable_key
from twitter_tool.loopback import address_fault
from twitter_tool.media.endpoints import VideoType, endpoint_fault, is_local, named_key, names_key
from twitter_tool.notes import Note, note
from twitter_tool.settings import Settings
from twitter_tool.text import line

GEMINI_BASE: Final = "https://generativelanguage.googleapis.com"
"""Google's public host of the Gemini API (ai.google.dev/api)."""
_SHOWN: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeRoute:
    """A service that watches clips.

    Attributes:
        endpoint: base address, without ``/v1beta`` for Gemini and with ``/v1`` or the like for OpenAI-compatible ones;
            ``None`` for ``litellm``, which knows the way itself.
        model: as the service spells it.
        key: ``None`` where none is sent, or where LiteLLM finds it.
        provider: who gets the clip through LiteLLM, for people; the part of the model's name before the slash when left
            out.
    """

    kind: VideoType
    model: str
    endpoint: str | None = None
    key: str | None = field(default=None, repr=False)
    provider: str | None = None

    @property
    def host(self) -> str:
        """Who gets the clip, for people: host and port, or the provider that LiteLLM goes to."""
        if self.endpoint is not None:
            return line(urlsplit(self.endpoint).netloc, _SHOWN)
        return line(self.provider or self.model.partition("/")[0], _SHOWN)

    @property
    def identity(self) -> str:
        """What tells this service's work from another's: kind, place and model, without the key."""
        return " ".join((self.kind, self.endpoint or "-", self.model))

    def fault(self) -> str | None:
        """Why no request may be made on this route, as a clause; routes can be made by hand."""
        if not self.model.strip():
            return "no model is named"
        if self.key is not None and not is_usable_key(self.key):
            return "the key holds what no request header can carry"
        if self.kind == "litellm":
            return None
        if self.endpoint is None:
            return "there is no endpoint"
        if fault := address_fault(self.endpoint):
            return f"the endpoint cannot be used: {fault}"
        if self.key is None and not is_local(self.endpoint):
            return "there is no key"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRoute:
    """A service was asked for that cannot be used.

    Attributes:
        reason: ``key_missing``, or ``refused`` for an endpoint or key that must not be used.
        detail: why it is refused, a clause.
        variable: which should hold the key.
    """

    reason: Literal["key_missing", "refused"]
    detail: str = ""
    variable: str | None = None

    def note(self, videos: int | None = None) -> Note:
        """The disclosure; ``videos`` is how many are not watched for this reason."""
        if self.reason == "key_missing":
            return note("video_skipped", count=videos, reason="key_missing", variable=self.variable)
        return note("video_failed", reason=self.detail)


def native_route(settings: Settings, environ: Mapping[str, str]) -> NativeRoute | NoRoute | None:
    """Settle who watches clips.

    The conditions for a custom endpoint are those of the loader, looked at again: settings can be made by hand.

    Args:
        environ: where the variable that ``video_api_key_env`` names is looked up.

    Returns:
        ``None`` when nothing is configured, ``NoRoute`` when it is and cannot be used.
    """
    kind, model = settings["video_endpoint_type"], settings["video_model"]
    if not model:
        return None
    key = named_key(settings, environ, "video")
    explicit = names_key(settings, "video")
    match kind:
        case "litellm":
            # What asking that model takes is settled where LiteLLM is known; the key is here to keep it out of notes.
            return NativeRoute(kind="litellm", model=model, key=key if explicit and is_usable_key(key) else None)
        case "gemini-files" | "openai-compatible":
            custom = settings["video_endpoint"]
            endpoint = custom or (GEMINI_BASE if kind == "gemini-files" else None)
            if endpoint is None:
                return None
            if fault := endpoint_fault(settings, "video"):
                return NoRoute(reason="refused", detail=f"the video endpoint cannot be used: {fault}")
            if custom and not explicit:  # on this machine: what the default variable holds is meant for another host
                key = ""
            if not key and not is_local(endpoint):
                return NoRoute(reason="key_missing", variable=settings["video_api_key_env"])
            return _checked(NativeRoute(kind=kind, endpoint=endpoint, model=model, key=key or None))
        case _:
            return None


def _checked(route: NativeRoute) -> NativeRoute | NoRoute:
    fault = route.fault()
    return (
        route if fault is None else NoRoute(reason="refused", detail=f"native video analysis is not possible: {fault}")
    )
