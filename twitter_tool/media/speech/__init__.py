"""Speech to text: on this machine in a process of its own, or at a configured endpoint.

``judged`` decides what of the recognised speech can be believed. ``weights`` finds a local model and never downloads
one, ``local`` has a clip transcribed by it: ``keeper`` has the process, ``child`` talks to it, ``worker`` is what runs
there. ``remote`` uploads a clip. Importing this package imports nothing else, so that the child process begins to load
its model at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twitter_tool.media.speech.judged import judge, judge_text
    from twitter_tool.media.speech.local import (
        LocalSpeech,
        SpeechFailure,
        close_all,
        fits_budget,
        local_speech_available,
    )
    from twitter_tool.media.speech.remote import Failed, RemoteSpeech, transcribe_remotely
    from twitter_tool.media.speech.weights import Weights, WeightsError, find_weights

__all__ = [
    "Failed",
    "LocalSpeech",
    "RemoteSpeech",
    "SpeechFailure",
    "Weights",
    "WeightsError",
    "close_all",
    "find_weights",
    "fits_budget",
    "judge",
    "judge_text",
    "local_speech_available",
    "transcribe_remotely",
]

_HOMES = {
    "judged": ("judge", "judge_text"),
    "local": ("LocalSpeech", "SpeechFailure", "close_all", "fits_budget", "local_speech_available"),
    "remote": ("Failed", "RemoteSpeech", "transcribe_remotely"),
    "weights": ("Weights", "WeightsError", "find_weights"),
}


def __getattr__(name: str) -> Any:
    import importlib

    for home, names in _HOMES.items():
        if name in names:
            value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
