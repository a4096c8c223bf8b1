"""Sentences about pictures, videos and speech."""

from __future__ import annotations

from typing import Final

from twitter_tool import extras
from twitter_tool.output.figures import Figures
from twitter_tool.output.phrase import Phrase
from twitter_tool.settings import EXTRACTIVE

_IMAGES_OMITTED: Final = {
    "bounds_missing": 'no image limits are declared for the model, in a table [models."NAME".images]',
    "space": "there was no room for them (max_synthesis_chars, or the model's context_window)",
    "cap": "the limit on media of one call was reached",
    "unattempted": "the limits on attempts or time were reached",
    "evidence_output": "this output is text only",
}
_VIDEO_SKIPPED: Final = {
    "cap": "the limit on videos of one call was reached (max_videos_per_search)",
    "deadline": "the time for videos ran out (video_budget_ms)",
    "space": "there was no room for what they might say (max_synthesis_chars, or the model's context_window)",
    "host": "the file lies on a host that is not allowed",
    "size": "the file is larger than max_video_bytes",
    "type": "there is no MP4 file of it",
}
_NOT_SENT: Final = {
    "unbounded": "it could not be made sure that the clip is no longer than max_video_seconds",
    "key_missing": "the key of the video endpoint is not set",
}
"""Reasons that keep a video from a service; frames and speech may be looked at all the same."""
_NO_FRAMES: Final = {
    "text_only": "the model takes text only",
    "bounds_missing": 'no image limits are declared for the model, in a table [models."NAME".images]',
    "evidence_output": "this output is text only",
    "space": "there was no room for them",
}
_ABSENT: Final = {
    "no_audio": "there is no audio track",
    "declared_silent": "the clip was analysed as having no speech",
    "nothing_said": "no speech was recognised",
}
_OTHER_MODEL: Final = f'; run {extras.SPEECH} and set whisper_model = "base", or name the folder of a model'
_STT_SKIPPED: Final = {
    "budget": "the time left was too short (video_budget_ms, whisper_realtime_factor)",
    "model_missing": f"the speech model is not on this machine{_OTHER_MODEL}",
    "key_missing": "the key of the speech endpoint is not set",
    "not_configured": (f"no speech-to-text is set up; run {extras.SPEECH}, or set stt_endpoint"),
}
_PARTY: Final = {"native_video": "The video was sent to", "stt": "The audio was sent to"}


def _images_omitted(figures: Figures) -> str:
    return f"{figures.counted('image')} not shown: {figures.chosen('reason', _IMAGES_OMITTED, 'they were left out')}."


def _video_skipped(figures: Figures) -> str:
    if not_sent := figures.chosen("reason", _NOT_SENT, ""):
        return f"{figures.counted('video')} not sent to a service for analysis: {not_sent}{_variable(figures)}."
    why = figures.chosen("reason", _VIDEO_SKIPPED, "it was not possible")
    return f"{figures.counted('video')} not processed: {why}."


def _reader(figures: Figures) -> str:
    if figures.raw.get("model") == EXTRACTIVE:
        return "The quoting answer is made of text only"
    return f"The model {figures.text('model')} takes text only"


def _variable(figures: Figures) -> str:
    return f" ({figures.text('variable')})" if figures.has("variable") else ""


def _stt_skipped(figures: Figures) -> str:
    why = figures.chosen("reason", _STT_SKIPPED, "it was not possible")
    if figures.raw.get("reason") == "model_missing" and figures.has("model"):
        why = f"the speech model {figures.text('model')} is not on this machine{_OTHER_MODEL}"
    if figures.has("needs"):
        why = f"stt_endpoint is set, but {figures.listed('needs')} is not"
    return f"Speech was not transcribed: {why}{_variable(figures)}."


def _video_processed(figures: Figures) -> str:
    whose = f" of {figures.text('url')}" if figures.has("url") else ""
    length = f", {figures.counted('second', key='seconds')} of it" if figures.has("seconds") else ""
    words = "; its words were recognised apart" if figures.has("bySpeech") else ""
    return f"The video{whose} was processed ({figures.text('method', 'method unknown')}){length}{words}."


def _whose(figures: Figures) -> str:
    """Of which video, where a call has several."""
    return f" ({figures.text('url')})" if figures.has("url") else ""


def _frames_skipped(figures: Figures) -> str:
    why = figures.chosen("reason", _NO_FRAMES, figures.text("reason", ""))
    instead = ""
    if isinstance(figures.raw.get("transcript"), bool):
        none = "; there is no transcript either, and no poster can be shown"
        instead = "; a transcript stands instead" if figures.raw["transcript"] else none
    return f"No frames were taken from the video{f': {why}' if why else ''}{instead}."


def _transcript_discarded(figures: Figures) -> str:
    phrase = f" ({figures.quoted('phrase')})" if figures.has("phrase") else ""
    return (
        f"A transcript{_whose(figures)} was discarded because it held only a phrase that speech recognition makes"
        f" up{phrase}; this does not show that the clip is silent."
    )


def _third_party(figures: Figures) -> str:
    sent = figures.chosen("kind", _PARTY, "Media was sent to")
    return f"{sent} a third party ({figures.text('host', 'host unknown')}) for analysis."


MEDIA: Final[dict[str, Phrase]] = {
    "images_omitted": Phrase(_images_omitted, "{count} images not shown."),
    "images_rejected": Phrase(
        lambda f: f"{f.counted('downloaded image')} did not meet the limits for images and cannot be used.",
        "{count} images did not meet the limits.",
    ),
    "images_failed": Phrase(
        lambda f: f"{f.counted('image')} could not be downloaded, or not from a host that is allowed.",
        "{count} images could not be downloaded.",
    ),
    "media_repeated": Phrase(
        lambda f: f"{f.counted('repeated use', 'repeated uses')} of the same media handled once.",
        "{count} repeated media handled once.",
    ),
    "media_not_supported": Phrase(
        lambda f: f"{_reader(f)}, so no pictures in the media of {f.counted('post')} were looked at.",
        "The model takes no images; no pictures looked at.",
    ),
    "video_processed": Phrase(_video_processed, "A video was processed."),
    "video_skipped": Phrase(_video_skipped, "{count} videos not processed."),
    "video_trimmed": Phrase(
        lambda f: f"Only the first {f.counted('second', key='seconds')} of a video{_whose(f)} were looked at.",
        "Only the start of a video was looked at.",
    ),
    "video_failed": Phrase(
        lambda f: f"Processing a video{_whose(f)} failed: {f.text('reason', 'no reason given').rstrip('. ')}.",
        "Processing a video failed.",
    ),
    "video_poster_used": Phrase(
        lambda f: (
            f"For {f.counted('video')} only the poster picture was used; what moves or is said in it was not analysed."
        ),
        "Only poster pictures of {count} videos used.",
    ),
    "frames_partial": Phrase(
        lambda f: f"Only {f.count('obtained')} of {f.count('requested')} video frames could be taken{_whose(f)}.",
        "Some video frames could not be taken.",
    ),
    "frames_skipped": Phrase(_frames_skipped, "No video frames were taken."),
    "transcript_partial": Phrase(
        lambda f: f"A transcript{_whose(f)} may be incomplete: {f.counted('unreliable passage')} left out.",
        "A transcript may be incomplete.",
    ),
    "transcript_discarded": Phrase(_transcript_discarded, "An unreliable transcript was discarded."),
    "transcript_absent": Phrase(
        lambda f: f"A video{_whose(f)} has no transcript: {f.chosen('reason', _ABSENT, 'none could be made')}.",
        "A video has no transcript.",
    ),
    "stt_skipped": Phrase(_stt_skipped, "Speech was not transcribed."),
    "evidence_cache_hit": Phrase(
        lambda f: f"The text of {f.counted('video')} came from the private cache of earlier calls.",
        "{count} video texts from the cache.",
    ),
    "third_party_processing": Phrase(_third_party, "Media was sent to a third party."),
    "upload_may_remain": Phrase(
        lambda f: f"An uploaded clip could not be deleted and may remain at {f.text('provider', 'the provider')}.",
        "An uploaded clip may remain at the provider.",
    ),
}
