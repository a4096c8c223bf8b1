"""The effective settings of one call: a frozen value, made once and passed down.

Nothing below the loader reads files or the environment. ``KEYS`` is the one table of setting names, kinds, defaults and
ranges; the loader, the ``config`` command and the documentation are made from it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

Kind = Literal["bool", "int", "number", "string", "strings", "table"]
EXTRACTIVE: Final = "extractive"
"""Stands in the place of a model's name for the answer that only quotes."""
Origin = Literal["default", "user", "project", "env", "option"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One setting.

    Attributes:
        name: snake_case, as in TOML; the camelCase spelling is accepted too.
        low, high: inclusive range of a number.
        user_only: honoured from the user file and the environment only.
        about: one sentence for people.
    """

    name: str
    kind: Kind
    default: Any
    about: str
    low: float | None = None
    high: float | None = None
    user_only: bool = False


def _threads() -> int:
    return min(8, os.cpu_count() or 1)


KEYS: Final[tuple[Key, ...]] = (
    Key(
        name="synthesis_model",
        kind="string",
        default=None,
        about="Model that writes answers, or `extractive`.",
    ),
    Key(
        name="fallback_models",
        kind="strings",
        default=(),
        about="Models tried in order after `synthesis_model`.",
    ),
    Key(
        name="models",
        kind="table",
        default=MappingProxyType({}),
        user_only=True,
        about="Facts about models, by name.",
    ),
    Key(
        name="max_synthesis_chars",
        kind="int",
        default=60_000,
        low=1_000,
        high=120_000,
        about="Ceiling of the whole text, in characters.",
    ),
    Key(
        name="max_pages",
        kind="int",
        default=5,
        low=1,
        high=100,
        about="Pages (or look-ups) one call may read.",
    ),
    Key(
        name="max_pages_ceiling",
        kind="int",
        default=20,
        low=1,
        high=100,
        about="Upper bound of `max_pages`, free pages included.",
    ),
    Key(
        name="min_request_interval_ms",
        kind="number",
        default=5_000,
        low=0,
        high=600_000,
        about="Least gap between two requests with one key, in milliseconds.",
    ),
    Key(
        name="retry_base_delay_ms",
        kind="number",
        default=5_000,
        low=0,
        high=600_000,
        about="First retry delay, doubled each time, in milliseconds.",
    ),
    Key(
        name="time_zone",
        kind="string",
        default=None,
        about="IANA zone of `from_date` and `to_date`; the host's when unset.",
    ),
    Key(
        name="enable_image_understanding",
        kind="bool",
        default=False,
        about="Attach photos to the model's input.",
    ),
    Key(
        name="enable_video_understanding",
        kind="bool",
        default=False,
        about="Use what videos show and say.",
    ),
    Key(
        name="enable_video_processing",
        kind="bool",
        default=False,
        user_only=True,
        about="Download and analyse videos.",
    ),
    Key(
        name="max_media_per_search",
        kind="int",
        default=4,
        low=0,
        high=20,
        about="Photos and posters attached per call.",
    ),
    Key(
        name="video_endpoint_type",
        kind="string",
        default="gemini-files",
        user_only=True,
        about="`gemini-files`, `openai-compatible` or `litellm`.",
    ),
    Key(
        name="video_endpoint",
        kind="string",
        default=None,
        user_only=True,
        about="Base URL of the video service.",
    ),
    Key(
        name="video_model",
        kind="string",
        default=None,
        user_only=True,
        about="Model that watches videos.",
    ),
    Key(
        name="video_api_key_env",
        kind="string",
        default="GOOGLE_API_KEY",
        user_only=True,
        about="Name of the variable with the video key.",
    ),
    Key(
        name="stt_endpoint",
        kind="string",
        default=None,
        user_only=True,
        about="Base URL of the speech service.",
    ),
    Key(
        name="stt_model",
        kind="string",
        default=None,
        user_only=True,
        about="Model that transcribes remotely.",
    ),
    Key(
        name="stt_api_key_env",
        kind="string",
        default="STT_API_KEY",
        user_only=True,
        about="Name of the variable with the speech key.",
    ),
    Key(
        name="stt_language",
        kind="string",
        default="auto",
        about="ISO-639-1 language of speech, or `auto`.",
    ),
    Key(
        name="ffmpeg_path",
        kind="string",
        default=None,
        user_only=True,
        about="The ffmpeg binary; found when unset.",
    ),
    Key(
        name="whisper_model",
        kind="string",
        default=None,
        user_only=True,
        about="Local speech model: a size or a folder.",
    ),
    Key(
        name="whisper_compute_type",
        kind="string",
        default="int8",
        user_only=True,
        about="Number format of the local speech model.",
    ),
    Key(
        name="whisper_threads",
        kind="int",
        default=_threads(),
        low=1,
        high=64,
        user_only=True,
        about="CPU threads of local speech.",
    ),
    Key(
        name="whisper_realtime_factor",
        kind="number",
        default=2,
        low=0.1,
        high=60,
        user_only=True,
        about="Seconds of work expected per second of speech.",
    ),
    Key(
        name="whisper_vad",
        kind="bool",
        default=True,
        user_only=True,
        about="Skip what is not speech before transcribing.",
    ),
    Key(
        name="max_video_seconds",
        kind="int",
        default=120,
        low=1,
        high=600,
        about="Seconds of a video that are used.",
    ),
    Key(
        name="max_video_bytes",
        kind="int",
        default=33_554_432,
        low=1_024,
        high=67_108_864,
        about="Largest video downloaded, in bytes.",
    ),
    Key(
        name="max_frames",
        kind="int",
        default=8,
        low=1,
        high=16,
        about="Frames taken from a video.",
    ),
    Key(
        name="max_videos_per_search",
        kind="int",
        default=1,
        low=1,
        high=3,
        about="Videos processed per call.",
    ),
    Key(
        name="video_budget_ms",
        kind="int",
        default=180_000,
        low=1,
        high=300_000,
        about="Time for all video work of a call, in milliseconds.",
    ),
    Key(
        name="evidence_cache",
        kind="bool",
        default=False,
        user_only=True,
        about="Keep video text between calls.",
    ),
    Key(
        name="evidence_cache_days",
        kind="int",
        default=30,
        low=1,
        high=3_650,
        user_only=True,
        about="Days that kept video text stays valid.",
    ),
    Key(
        name="evidence_cache_dir",
        kind="string",
        default=None,
        user_only=True,
        about="Folder of the kept video text.",
    ),
    Key(
        name="use_proxy_env",
        kind="bool",
        default=False,
        user_only=True,
        about="Obey HTTP_PROXY, HTTPS_PROXY and NO_PROXY.",
    ),
    Key(
        name="route_to",
        kind="string",
        default=None,
        user_only=True,
        about="Loopback origin that stands in for the upstream and the media hosts.",
    ),
    Key(
        name="trace_content",
        kind="bool",
        default=False,
        user_only=True,
        about="Put what is asked and answered into OpenTelemetry spans.",
    ),
)
KEY_TABLE: Final[Mapping[str, Key]] = MappingProxyType({key.name: key for key in KEYS})


def camel(name: str) -> str:
    """``max_pages`` as ``maxPages``."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The effective values of one call, by key name, with where each came from.

    ``settings["max_pages"]`` reads one; the properties are those the retrieval uses.
    """

    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({key.name: key.default for key in KEYS}))
    origins: Mapping[str, Origin] = field(default_factory=lambda: MappingProxyType({}))

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def origin(self, name: str) -> Origin:
        """Where the value of a key came from."""
        return self.origins.get(name, "default")

    def replaced(self, origin: Origin, **values: Any) -> Settings:
        """A copy with some values replaced."""
        return Settings(
            values=MappingProxyType({**self.values, **values}),
            origins=MappingProxyType({**self.origins, **dict.fromkeys(values, origin)}),
        )

    @property
    def page_budget(self) -> int:
        """Requests that one call may charge to its budget."""
        return int(min(self["max_pages"], self["max_pages_ceiling"]))

    @property
    def page_ceiling(self) -> int:
        """Requests that one call may make in all, free pages included."""
        return int(self["max_pages_ceiling"])

    @property
    def interval_s(self) -> float:
        """Least gap between two dispatches with one key, in seconds."""
        return float(self["min_request_interval_ms"]) / 1000

    @property
    def retry_base_s(self) -> float:
        """First retry delay in seconds."""
        return float(self["retry_base_delay_ms"]) / 1000
