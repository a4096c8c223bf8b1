"""Services that get media: which kinds there are, whether a custom endpoint may be used, and the key that goes there.

Pure. A key belongs to the host that it was given for: a variable that the tool reads by default never supplies the key
of an endpoint that somebody configured.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args
from urllib.parse import urlsplit

from twitter_tool.credentials import KEY_VARIABLE
from twitter_tool.loopback import address_fault, is_loopback
from twitter_tool.settings import Settings

Service = Literal["video", "stt"]
VideoType = Literal["gemini-files", "openai-compatible", "litellm"]
SERVICES: Final[tuple[Service, ...]] = get_args(Service)
VIDEO_TYPES: Final[tuple[VideoType, ...]] = get_args(VideoType)


def endpoint_fault(settings: Settings, service: Service) -> str | None:
    """Why the custom endpoint of a service may not be used, as a clause.

    Returns:
        ``None`` when it may, or when none is set.
    """
    endpoint = settings[f"{service}_endpoint"]
    if endpoint is None:
        return None
    if fault := address_fault(endpoint):
        return fault
    if not names_key(settings, service) and not is_local(endpoint):
        return f"{service}_api_key_env does not name the variable of its key"
    return None


def names_key(settings: Settings, service: Service) -> bool:
    """Whether the variable of a service's key was named, and is not the tool's default."""
    return settings.origin(f"{service}_api_key_env") != "default"


def named_key(settings: Settings, environ: Mapping[str, str], service: Service) -> str:
    """What the variable of a service's key holds; blank when it holds nothing, or the key of the posts' host."""
    variable = settings[f"{service}_api_key_env"]
    return "" if variable == KEY_VARIABLE else environ.get(variable, "").strip()


def is_local(endpoint: str) -> bool:
    """Whether an address that can be used leads to this machine, where a key is optional."""
    return is_loopback(urlsplit(endpoint).hostname or "")
