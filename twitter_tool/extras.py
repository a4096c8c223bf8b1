"""The commands that install what is optional."""

from __future__ import annotations

from typing import Final

ANSWER: Final = 'pip install "twitter-tool[answer]"'
MEDIA: Final = 'pip install "twitter-tool[media]"'
SANDBOX: Final = 'pip install "twitter-tool[sandbox]"'
SPEECH: Final = 'pip install "twitter-tool[media,speech-model]"'
SPEECH_MODEL: Final = 'pip install "twitter-tool[speech-model]"'
