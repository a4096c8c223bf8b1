"""What the doctor says about pictures, videos and speech: programs, models, services, and what is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from twitter_tool import extras
from twitter_tool.config import Loaded
from twitter_tool.credentials import is_usable_key
from twitter_tool.errors import SetupError
from twitter_tool.media.cache_folder import FILE_NAME, cache_folder, folder_fault
from twitter_tool.media.endpoints import VIDEO_TYPES, is_local, named_key
from twitter_tool.report.checks import TEXT_CAP, CheckStatus, check, safe
from twitter_tool.settings import Settings
from twitter_tool.text import line

if TYPE_CHECKING:
    from twitter_tool.media.speech import Weights
    from twitter_tool.models.facts import Chain, ModelFacts

_CARRIER: Final = f"{os.sep}imageio_ffmpeg{os.sep}"
_BOUNDS: Final = {"tokens_per_image": 1_600, "max_width": 1_568, "max_height": 1_568, "max_images": 4}
"""A beginning that suits the usual services; the model's own documentation has its numbers."""


_NAME_ONE: Final = 'synthesis_model = "NAME of a model that takes pictures"'


class Machine:
    """What is installed here. Tests put another one in its place; nothing is run, loaded or downloaded."""

    def ffmpeg(self, configured: str | None) -> str | None:
        """The program's path."""
        from twitter_tool.media.ffmpeg import find_ffmpeg

        return find_ffmpeg(configured)

    def has_ffmpeg_python(self) -> bool:
        """Whether the package is there that the program is called with."""
        from twitter_tool.media.ffmpeg.binary import builder_installed

        return builder_installed()

    def has_whisper(self) -> bool:
        """Whether faster-whisper is installed."""
        from twitter_tool.media.speech import local_speech_available

        return local_speech_available()

    def weights(self, name: str | None, environ: Mapping[str, str]) -> Weights | None:
        """The weights of a speech model."""
        from twitter_tool.media.speech import find_weights

        return find_weights(name, environ=environ)


@dataclass(frozen=True, slots=True)
class _Finding:
    """What is so, whatever it is used for."""

    status: CheckStatus
    message: str
    fix: str | None = None


def media_checks(
    loaded: Loaded, environ: Mapping[str, str], machine: Machine, chain: Chain | SetupError
) -> Iterator[dict[str, Any]]:
    """The checks, in the order in which they are shown.

    Args:
        chain: the models of the settings, or why they cannot be used.
    """
    settings = loaded.settings
    used = bool(settings["enable_video_understanding"] and settings["enable_video_processing"])
    yield _shown("pictures", _pictures(settings, chain))
    yield _shown("video processing", _processing(loaded))
    for name, finding in (
        ("ffmpeg", _ffmpeg(settings, environ, machine)),
        ("video endpoint", _video_endpoint(loaded, environ)),
        ("speech", _speech(settings, environ, machine)),
        ("speech endpoint", _speech_endpoint(loaded, environ)),
    ):
        yield _shown(name, finding if used else _unused(finding))
    yield _shown("evidence cache", _cache(settings, environ))


def _shown(name: str, finding: _Finding) -> dict[str, Any]:
    return check(name, finding.status, finding.message, finding.fix)


def _unused(finding: _Finding) -> _Finding:
    """A finding while nothing is done with videos: what is absent is not missed."""
    if finding.status == "off":
        return finding
    status: CheckStatus = "ok" if finding.status == "ok" else "off"
    return _Finding(status, f"{finding.message} Not used while video processing is off.", finding.fix)


def _pictures(settings: Settings, chain: Chain | SetupError) -> _Finding:
    """Who looks at pictures; where only videos are wanted, which are listened to as well, nobody needs to."""
    finding = _viewer(settings, chain)
    needed = settings["enable_image_understanding"] or not settings["enable_video_processing"]
    return finding if needed or finding.status == "ok" else _Finding("off", finding.message, finding.fix)


def _viewer(settings: Settings, chain: Chain | SetupError) -> _Finding:
    from twitter_tool.models.limits import image_ability

    switches = ("enable_image_understanding", "enable_video_understanding")
    if not any(settings[name] for name in switches):
        return _Finding("off", "Pictures are not looked at; with enable_image_understanding = true answers use them.")
    if isinstance(chain, SetupError):
        return _Finding("missing", "The named models cannot be used, as said under answers.")
    if not chain.models:
        message = "No model is named, and the built-in quoting answer looks at no pictures."
        return _Finding("missing", message, _NAME_ONE)
    first = chain.models[0]
    name = line(first.name, TEXT_CAP)
    match image_ability(chain.models):
        case "images":
            bounds = first.image_input
            most = "" if bounds is None else f", at most {bounds.max_images} of {bounds.max_width}x{bounds.max_height}"
            return _Finding("ok", f"{name} is given pictures{most} pixels in one call.")
        case "bounds_missing":
            message = f"{name} takes pictures, but their cost and limits are not set; none are attached."
            return _Finding("missing", message, _bounds_block(first))
        case "text_only" if first.supports_vision is False:
            return _Finding("missing", f"{name} takes text only. Name a model first that takes pictures.", _NAME_ONE)
        case _:
            message = f"Nothing says that {name} takes pictures. If it does, declare it with their cost and limits."
            return _Finding("missing", message, _bounds_block(first))


def _bounds_block(model: ModelFacts) -> str:
    """What to paste into the user's settings."""
    name = json.dumps(line(model.name, TEXT_CAP), ensure_ascii=False)
    return "\n".join((f"[models.{name}.images]", *(f"{key} = {value}" for key, value in _BOUNDS.items())))


def _processing(loaded: Loaded) -> _Finding:
    settings = loaded.settings
    if settings["enable_video_understanding"] and settings["enable_video_processing"]:
        most, seconds = settings["max_videos_per_search"], settings["max_video_seconds"]
        return _Finding("ok", f"Videos are downloaded and analysed: {most} in a call, the first {seconds} seconds.")
    if _was_ignored(loaded, "enable_video_processing"):
        message = "enable_video_processing has no effect without enable_video_understanding."
        return _Finding("missing", message, "enable_video_understanding = true")
    if settings["enable_video_understanding"]:
        return _Finding("off", "Of videos only the still picture is used; enable_video_processing = true changes that.")
    return _Finding("off", "Videos are not looked at; --enable-video-processing does it for one call.")


def _ffmpeg(settings: Settings, environ: Mapping[str, str], machine: Machine) -> _Finding:
    configured = settings["ffmpeg_path"]
    found = machine.ffmpeg(configured)
    if found is not None:
        where = "as ffmpeg_path says" if configured else "in a package" if _CARRIER in found else "on PATH"
        return _Finding("ok", f"ffmpeg was found {where}: {safe(found, environ)}.")
    if not machine.has_ffmpeg_python():
        return _Finding("missing", "The package ffmpeg-python is not installed.", extras.MEDIA)
    if configured:
        message = f"ffmpeg_path names no program that can be run: {safe(configured, environ)}."
        return _Finding("missing", message, "correct ffmpeg_path, or remove it to have ffmpeg found")
    return _Finding("missing", "ffmpeg is neither on PATH nor in an installed package.", extras.MEDIA)


def _video_endpoint(loaded: Loaded, environ: Mapping[str, str]) -> _Finding:
    settings = loaded.settings
    if not settings["video_model"]:
        return _Finding("off", "Videos are sent nowhere: video_model is not set.")
    kind = settings["video_endpoint_type"]
    if kind not in VIDEO_TYPES:
        message = "video_endpoint_type is unknown, so no service watches videos."
        return _Finding("missing", message, "set video_endpoint_type to one of " + ", ".join(VIDEO_TYPES))
    if _was_ignored(loaded, "video_endpoint"):
        return _not_authorised("video")
    return _through_litellm(settings, environ) if kind == "litellm" else _at_endpoint(settings, environ)


def _at_endpoint(settings: Settings, environ: Mapping[str, str]) -> _Finding:
    """A service of its own address."""
    from twitter_tool.media.native import NativeRoute, native_route

    kind, model = settings["video_endpoint_type"], safe(settings["video_model"], environ)
    route = native_route(settings, environ)
    if isinstance(route, NativeRoute):
        key = "no key is sent" if route.key is None else f"{safe(settings['video_api_key_env'], environ)} is set"
        return _Finding("ok", f"{kind} at {safe(route.host, environ)}, model {model}; {key}.")
    if route is None:
        return _Finding("missing", "video_endpoint is not set, so no service watches videos.")
    if route.reason == "key_missing":
        return _key_missing(f"{kind}, model {model}", settings["video_api_key_env"], environ)
    return _Finding("missing", safe(f"{route.detail[:1].upper()}{route.detail[1:]}.", environ))


def _through_litellm(settings: Settings, environ: Mapping[str, str]) -> _Finding:
    """A model that LiteLLM finds."""
    from twitter_tool.models.video import VideoGap, video_target

    about = f"litellm, model {safe(settings['video_model'], environ)}"
    target = video_target(settings, environ)
    if isinstance(target, VideoGap):
        fix = extras.ANSWER if target.reason == "not_installed" else None
        if target.variable:
            fix = f'export {safe(target.variable, environ)}="your key"'
        return _Finding("missing", f"{about}: {safe(target.message, environ)}.", fix)
    host = target.provider if target.api_base is None else urlsplit(target.api_base).netloc
    return _Finding("ok", f"{about}, at {safe(host, environ)}. It was not tried: that would need the network.")


def _speech(settings: Settings, environ: Mapping[str, str], machine: Machine) -> _Finding:
    wanted = settings["whisper_model"]
    if not wanted and settings["stt_endpoint"] is not None:
        return _Finding("off", "Speech goes to the configured endpoint; whisper_model would have it transcribed here.")
    if not machine.has_whisper():
        return _Finding("missing", "faster-whisper is not installed, so no speech is transcribed here.", extras.SPEECH)
    weights = machine.weights(wanted, environ)
    if weights is not None:
        return _Finding("ok", f"faster-whisper is installed, and so is the speech model {safe(weights.name, environ)}.")
    if not wanted:
        return _Finding("missing", "faster-whisper is installed, but no speech model is.", extras.SPEECH)
    message = f"The speech model {safe(wanted, environ)} was not found here, and none is ever downloaded."
    return _Finding("missing", message, f'{extras.SPEECH}\nwhisper_model = "base", or the path of a model\'s folder')


def _speech_endpoint(loaded: Loaded, environ: Mapping[str, str]) -> _Finding:
    settings = loaded.settings
    if _was_ignored(loaded, "stt_endpoint"):
        return _not_authorised("stt")
    endpoint, model = settings["stt_endpoint"], settings["stt_model"]
    if endpoint is None:
        return _Finding("off", "Speech is sent nowhere: stt_endpoint is not set.")
    where = safe(urlsplit(endpoint).netloc, environ)
    if model is None:
        return _Finding("missing", f"{where} is set, but not which model is to be asked there.", 'stt_model = "NAME"')
    about = f"{where}, model {safe(model, environ)}"
    if is_usable_key(named_key(settings, environ, "stt")):
        return _Finding("ok", f"{about}; {safe(settings['stt_api_key_env'], environ)} is set.")
    if is_local(endpoint):
        return _Finding("ok", f"{about}; no key is sent.")
    return _key_missing(about, settings["stt_api_key_env"], environ)


def _cache(settings: Settings, environ: Mapping[str, str]) -> _Finding:
    if not settings["evidence_cache"]:
        return _Finding("off", "What videos say and show is not kept between calls; evidence_cache = true would.")
    folder = cache_folder(settings["evidence_cache_dir"], environ)
    path, days = safe(folder / FILE_NAME, environ), settings["evidence_cache_days"]
    if fault := folder_fault(folder):
        return _Finding("missing", f"{path} is not used: {fault}.")
    return _Finding("ok", f"What videos say and show is kept for {days} days in {path}.")


def _key_missing(about: str, variable: str, environ: Mapping[str, str]) -> _Finding:
    name = safe(variable, environ)
    return _Finding("missing", f"{about}; {name} holds no usable key.", f'export {name}="your key"')


def _not_authorised(service: str) -> _Finding:
    message = f"{service}_endpoint was ignored: it needs https and the name of its own key variable."
    fix = f'{service}_api_key_env = "NAME_OF_A_VARIABLE"  # and {service}_endpoint = "https://..."'
    return _Finding("missing", message, fix)


def _was_ignored(loaded: Loaded, key: str) -> bool:
    """Whether a setting was taken back for what it needs, not for who set it or for its value."""
    reasons = ("needs_other_setting", "endpoint_not_authorised")
    return any(
        note.code == "setting_ignored" and note.figures.get("reason") in reasons and key in note.figures.get("keys", ())
        for note in loaded.notes
    )
