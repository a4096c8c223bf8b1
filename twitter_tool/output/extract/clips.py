"""Whether a question asks for what is said or shown in a video; words folded as :mod:`.words` folds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from twitter_tool.output.voices import OF_VIDEOS, PartKind

Sought = tuple[frozenset[PartKind], ...]
"""Kinds of words to look through, one set after the other until one has an answer."""

_ENGLISH: Final = """
video videos clip clips footage recording recordings transcript transcripts transcription audio speaker speakers
"""
_OTHERS: Final = """
grabacion grabaciones transcripcion gravacao gravacoes transcricao enregistrement enregistrements aufnahme aufnahmen
transkript فيديو الفيديو مقطع المقطع تسجيل التسجيل
"""
_UNSPACED: Final = """
動画 ビデオ 映像 音声 视频 視頻 影片 录像 錄影 音频 音頻 วิดีโอ คลิป 동영상 영상 비디오
"""
_SAID: Final = """
said spoken says say dicho dito dita gesagt gesprochen يقال قيل
"""
_SHOWN: Final = """
shown shows show visible seen happens muestra muestran mostra mostram montre montrent gezeigt zeigt يظهر تظهر
映って 映し 写って 显示 顯示
"""
_CLIP: Final = _ENGLISH.split() + _OTHERS.split()
_CLIP_UNSPACED: Final = _UNSPACED.split()
_INSIDE: Final = ("里", "裡", "中", "内", "內")
_IN: Final = "ใน"
CLIP_WORDS: Final = frozenset((*_CLIP, *_CLIP_UNSPACED, *_SAID.split(), *_SHOWN.split())) | {
    near for word in _CLIP_UNSPACED for near in (*(word + inside for inside in _INSIDE), _IN + word)
}
"""Words that tell where an answer is to be looked for, not what it is about."""

_A_CLIP = re.compile(rf"\b(?:{'|'.join(_CLIP)})\b|{'|'.join(_CLIP_UNSPACED)}")
_ABOUT_A_CLIP = re.compile(
    rf"\b(?:about|sobre|uber|von|concernant|عن|حول)\s+(?:\w+\s+){{0,2}}?(?:{'|'.join(_CLIP)})\b"
    rf"|(?:{'|'.join(_CLIP_UNSPACED)})(?:について|に対)|(?:关于|關於|对|對).{{0,3}}(?:{'|'.join(_CLIP_UNSPACED)})"
)
_IS_SAID = re.compile(
    r"\b(?:is|are|was|were|being|be|gets|whats|what's) said\b|\b(?:is|was|being) spoken\b"
    r"|\bse (?:dice|dijo|oye|escucha|diz|disse|ouve)\b|\b(?:e|foi) dito\b|\bes dicho\b"
    r"|\b(?:est|a ete) dit\b|\b(?:dit|entend)[- ]on\b|\bqu'on (?:dit|entend)\b"
    r"|\b(?:wird|wurde|werden)\b.{0,30}\bges(?:agt|prochen)\b|\bges(?:agt|prochen) w[iu]rde?\b|\bhort man\b"
    r"|(?:^|\s)(?:يقال|قيل)(?:\s|$|؟)"
    r"|話され|語られ|(?<!人们)(?<!人們)(?<!大家)(?<!网友)[说說讲講](?:了|的是)?什[么麼]|(?<!คน)พูด(?:ว่า)?อะไร"
)
_IS_SHOWN = re.compile(
    r"\b(?:is|are|was|were|being|be|whats|what's) (?:shown|visible|to be seen)\b"
    r"|\bse (?:ve|ven|muestra|muestran|mostra|mostram)\b|\bvoit[- ]on\b|\b(?:est|sont) montree?s?\b"
    r"|\b(?:wird|werden) .{0,30}\bgezeigt\b|\b(?:ist|sind) zu sehen\b|\bsieht man\b"
    r"|(?:^|\s)[يت]ظهر(?:\s|$|؟)|映って|写って|显示了?什么|顯示了?什麼"
)
_TRANSCRIPTS: Final[frozenset[PartKind]] = frozenset(("transcript",))
_NOTES: Final[frozenset[PartKind]] = frozenset(("visual",))


def sought_in_clips(question: str, topic: Sequence[object]) -> Sought:
    """Where in videos the answer of a question is to be looked for first; nothing when it asks for no video.

    "What is said in the video?" does, and so does "What is said?", which names nothing else. "What is said about the
    tram?" and "What do people think about the video?" ask for posts.

    Args:
        question: folded.
        topic: what else it names.
    """
    named = _A_CLIP.search(_ABOUT_A_CLIP.sub(" ", question)) is not None
    if not named and (topic or _ABOUT_A_CLIP.search(question)):
        return ()
    if _IS_SAID.search(question):
        return (_TRANSCRIPTS, _NOTES) if named else (_TRANSCRIPTS,)
    if _IS_SHOWN.search(question):
        return (_NOTES, _TRANSCRIPTS) if named else (_NOTES,)
    return (OF_VIDEOS,) if named else ()
