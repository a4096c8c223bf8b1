"""The built-in answer: no model and no network, only the fetched sentences that match the question, word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from twitter_tool.output.delivery import Delivery
from twitter_tool.output.extract.candidates import Sentence, candidates
from twitter_tool.output.extract.choice import MOST_BY_ONE, MOST_QUOTED, MOST_SPOKEN, Quotation, chosen
from twitter_tool.output.extract.ranking import in_order, rank
from twitter_tool.output.extract.words import Question, understood
from twitter_tool.output.render import counted
from twitter_tool.output.shown import NOTHING_SHOWN, Shown
from twitter_tool.output.voices import PartKind, Voice, voices
from twitter_tool.text import line

NO_MODEL: Final = "No model wrote this answer"
MOST_MISSING: Final = 8
_LONGEST_WORD: Final = 60
_PLAIN: Final = re.compile(r"\w+")
_MADE: Final[dict[PartKind, str]] = {"transcript": "transcript of a video", "visual": "description of a video"}


@dataclass(frozen=True, slots=True)
class Extract:
    """An answer made of quotations; ``abstained`` when nothing that was fetched answers the question."""

    text: str
    abstained: bool


def extract(question: str, delivery: Delivery, shown: Shown = NOTHING_SHOWN) -> Extract:
    """Answer with the delivered sentences that hold most of the question's words, or say that none does.

    Sentences of posts (own, quoted, reposted), of an article, of bios, of trends, and the fields of documents are
    compared with the question. Each quotation stands on ``> `` lines, followed by author, date and link. A question
    that names accounts is answered from their words; one that names no topic, with the most typical sentences; one for
    what is said or shown in a video, from what there is of videos.

    Args:
        question: any text.
        delivery: what was read.
        shown: what its videos say and show.
    """
    speaking = [voice for voice in voices(delivery, shown) if voice.said]
    asked = understood(question)
    named = [voice for voice in speaking if voice.handle is not None and voice.handle.lower() in asked.handles]
    pool = named or speaking
    sentences = candidates(pool)
    read = _read(sentences, delivery, named)
    quotations = _of_clips(asked, sentences, pool)
    if quotations:
        return _answer(_opening_of_clips(asked, quotations, read), quotations)
    ranking = rank(asked, sentences, pool)
    quotations = chosen(ranking.hits, pool, by_one=MOST_QUOTED if named or len(pool) == 1 else MOST_BY_ONE)
    if not quotations:
        return Extract(_nothing(sentences, read, ranking.missing), True)
    return _answer(_opening(asked, quotations, read), quotations)


def _of_clips(asked: Question, sentences: Sequence[Sentence], pool: Sequence[Voice]) -> list[Quotation]:
    """What videos answer to a question for what is said or shown in them; without any other topic, from the start."""
    for kinds in asked.clips:
        told = [sentence for sentence in sentences if pool[sentence.voice].said[sentence.part].kind in kinds]
        topic = asked.of_clips()
        hits = rank(topic, told, pool).hits if topic.terms else in_order(told)
        most = MOST_QUOTED if topic.terms else MOST_SPOKEN
        by_one = most if len({sentence.voice for sentence in told}) == 1 else MOST_BY_ONE
        if quotations := chosen(hits, pool, by_one=by_one, most=most, gapless=not topic.terms):
            return quotations
    return []


def _answer(opening: str, quotations: Sequence[Quotation]) -> Extract:
    return Extract("\n\n".join((opening, *map(_shown, quotations))), False)


def _opening(asked: Question, quotations: Sequence[Quotation], read: str) -> str:
    count = len(quotations)
    if not asked.terms:
        typical = "passage that is" if count == 1 else f"{count} passages that are"
        text = f"{NO_MODEL}. The question names no topic, so it quotes, word for word, "
        return f"{text}the {typical} most typical of what was read: {read}."
    matching = "passage that matches" if count == 1 else f"{count} passages that match"
    return f"{NO_MODEL}. It quotes, word for word, the {matching} the question best, out of {read}."


def _opening_of_clips(asked: Question, quotations: Sequence[Quotation], read: str) -> str:
    """Says that the words are what machines heard or saw, not what the author wrote."""
    count = len(quotations)
    made = "of what machines heard or saw in videos"
    if asked.of_clips().terms:
        passages = f"passage {made} that matches" if count == 1 else f"{count} passages {made} that match"
        return f"{NO_MODEL}. It quotes, word for word, the {passages} the question best, out of {read}."
    passages = f"first passage {made}" if count == 1 else f"first {count} passages {made}"
    return f"{NO_MODEL}. It quotes, word for word, the {passages}, out of {read}."


def _nothing(sentences: Sequence[Sentence], read: str, missing: Sequence[str]) -> str:
    if not sentences:
        return f"Nothing was fetched that could be quoted. {NO_MODEL}."
    text = f"Nothing that was fetched answers this question. {NO_MODEL}: the words of the question were looked for in "
    text += f"{read}, and none comes close enough. Other words for the same thing are not recognised."
    words = [f"\u201c{line(word, _LONGEST_WORD)}\u201d" for word in missing[:MOST_MISSING]]
    return f"{text}\n\nNot found in any of them: {', '.join(words)}." if words else text


def _read(sentences: Sequence[Sentence], delivery: Delivery, named: Sequence[Voice]) -> str:
    count = f"{len(sentences)} sentence{'' if len(sentences) == 1 else 's'}"
    if named:
        handles = dict.fromkeys(f"@{voice.handle}" for voice in named)
        return f"{count} by {', '.join(handles)}"
    return f"{count} of {counted(delivery.kind, len(delivery.units))}"


def _shown(quotation: Quotation) -> str:
    lines = [f"> {text}" for text in quotation.text.split("\n") if text.strip()]
    return "\n".join((*lines, f"- {_origin(quotation)}"))


def _origin(quotation: Quotation) -> str:
    """Author, day and link; and that a post says more than what is quoted."""
    voice = quotation.voice
    # A handle that is none may hold a link, which would be taken for the source.
    plain = voice.handle is not None and _PLAIN.fullmatch(voice.handle) is not None
    who = f"@{voice.handle}" if plain else "author unknown" if voice.date else ""
    made = _MADE.get(quotation.kind, "")
    parts = [who, voice.date or "", made, "excerpt" if voice.date and not quotation.whole else ""]
    return ": ".join(filter(None, (", ".join(filter(None, parts)), voice.url or "no link was fetched")))
