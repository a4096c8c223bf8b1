"""Written answers: what is settled before anything is fetched, and the way from what was read to a cited answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from twitter_tool.clock import Clock
from twitter_tool.errors import InternalError, RequestError, SetupError
from twitter_tool.looking import Looked, Looking
from twitter_tool.models import chain as model_chain
from twitter_tool.models.facts import Chain
from twitter_tool.models.limits import ChainRoom
from twitter_tool.models.reply import OnText, Prompt
from twitter_tool.modes.window import local_zone
from twitter_tool.notes import Note, note
from twitter_tool.outcome import Outcome
from twitter_tool.output.answer_text import answer_text, closing, model_text
from twitter_tool.output.citations import cite
from twitter_tool.output.delivery import Delivery, Retrieved
from twitter_tool.output.evidence import HINT, MOST_ITEMS, merged
from twitter_tool.output.items import items, parent_item
from twitter_tool.output.made_notes import made_notes
from twitter_tool.output.prompt import opening, prompt, system_prompt
from twitter_tool.output.quotes import check
from twitter_tool.output.render import counted
from twitter_tool.output.select import GAP, Selection, choose, drawn, kind_of, usable
from twitter_tool.output.shown import Shown
from twitter_tool.output.wording import message
from twitter_tool.progress import Progress
from twitter_tool.records import ItemKind
from twitter_tool.settings import EXTRACTIVE, Settings
from twitter_tool.text import Block
from twitter_tool.usage import Usage

_EMPTY: Final = ("nothing_found", "truncated")
"""What an answer about nothing says: that nothing was found, and what kept more from being looked at."""


@dataclass(slots=True)
class Quoted:
    """What the quoting answer said of itself: whether it found nothing to quote."""

    abstained: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """One answer to write.

    Attributes:
        query: the caller's trimmed question.
        chain: the models that may be asked.
        ceiling: most characters of the input of a model.
        now, zone: the time that the prompt states.
        client: makes the physical calls of the models.
        looking: looks at the pictures and videos of what was selected.
    """

    query: str
    chain: Chain
    ceiling: int
    now: datetime
    zone: str
    client: model_chain.ModelClient
    usage: Usage
    progress: Progress
    clock: Clock
    looking: Looking
    on_text: OnText | None = None

    def preflight(self) -> None:
        """Refuse, before anything is fetched, a question that leaves no room for evidence in some model.

        Raises:
            RequestError: ``input_budget``.
        """
        if not self._room("post").take(self._opening("post", MOST_ITEMS) + GAP):
            raise RequestError(
                "input_budget",
                "the question leaves no room for evidence in the input budget",
                hint="Shorten the question, raise max_synthesis_chars, or use models with a larger context window.",
            )

    async def outcome(self, retrieved: Retrieved) -> Outcome:
        """Select, ask, cite and check.

        Raises:
            RequestError: ``input_budget``; items were read, but no whole one fits.
            AnswerError: no model answered.
        """
        selection = self._selected(retrieved)
        delivery = selection.delivery
        made = tuple(entry for entry in made_notes(selection, retrieved) if entry.code != "images_omitted")
        known = (*retrieved.notes, *self.chain.notes)
        if not delivery.units:
            return self._nothing(delivery, merged(known, made))
        looked = await self.looking.look(selection)
        plain = looked.shown.without_images()
        asked = prompt(
            self.query,
            drawn(selection, looked.shown),
            now=self.now,
            zone=self.zone,
            kind=delivery.kind,
            count=len(delivery.units),
            shown=looked.shown,
            plain_blocks=drawn(selection, plain) if looked.shown.images else None,
        )
        started = self.clock.monotonic()
        quoted = Quoted()
        written = await self._ask(asked, delivery, plain, quoted)
        spent = self.clock.monotonic() - started
        return self._finished(
            delivery, written, quoted, spent, (*known, *looked.set_up), (*made, *looked.notes), looked
        )

    async def _ask(self, asked: Prompt, delivery: Delivery, shown: Shown, quoted: Quoted) -> model_chain.Answer:
        room = self._room(delivery.kind)

        def checked(sent: Prompt) -> None:
            if not room.holds(sent):
                raise InternalError("the prompt is over the input budget; nothing was sent")

        def quoting() -> str:
            from twitter_tool.output.extractive import extract  # only needed when no model writes

            found = extract(self.query, delivery, shown)
            quoted.abstained = found.abstained
            return found.text

        return await model_chain.answer(
            self.chain,
            asked,
            client=self.client,
            usage=self.usage,
            progress=self.progress,
            clock=self.clock,
            check=checked,
            extractive=quoting,
            on_text=self.on_text,
        )

    def _finished(
        self,
        delivery: Delivery,
        written: model_chain.Answer,
        quoted: Quoted,
        spent: float,
        known: tuple[Note, ...],
        made: tuple[Note, ...],
        looked: Looked,
    ) -> Outcome:
        quoting = written.model == EXTRACTIVE
        text = model_text(written.text)
        cited = cite(text, delivery, expects_links=not quoting)
        if quoting:  # every link in it stands in a post that was fetched, so none is an invention
            cited = replace(cited, notes=(), sources=() if quoted.abstained else cited.sources)
        quotes = check(text, delivery, self.query, looked.shown.without_images())
        further = (*cited.notes, *quotes.notes, *written.notes, *((note("extractive_answer"),) if quoting else ()))
        notes = merged(known, (*made, *further))
        return Outcome(
            content=answer_text(
                query=self.query,
                model=written.model,
                calls=written.synthesis_calls,
                text=text,
                sources=cited.sources,
                notes=notes,
            ),
            closing=closing(cited.sources, notes),
            sources=cited.sources,
            notes=notes,
            items=items(delivery, looked.shown),
            parent=parent_item(delivery),
            retained=delivery.retained(),
            model=written.model,
            synthesis_calls=written.synthesis_calls,
            synthesis_s=spent,
            video_s=looked.video_s,
            tokens=written.tokens,
            quotes={"checked": quotes.checked, "verified": quotes.verified, "unverified": quotes.unverified},
        )

    def _nothing(self, delivery: Delivery, notes: tuple[Note, ...]) -> Outcome:
        """No model is asked about nothing."""
        text = Block(" ".join(message(entry) for entry in notes if entry.code in _EMPTY))
        return Outcome(
            content=answer_text(query=self.query, model="none", calls=0, text=text, sources=(), notes=notes),
            closing=closing((), notes),
            sources=(),
            notes=notes,
            items=items(delivery),
            parent=parent_item(delivery),
            retained=delivery.retained(),
        )

    def _selected(self, retrieved: Retrieved) -> Selection:
        kind = kind_of(retrieved)
        room = self._room(kind)
        fixed = self._opening(kind, len(retrieved.records))
        media = self.looking.reserve(retrieved)
        selection = None
        if room.take(fixed):
            selection = choose(retrieved, room, lists_sources=False, media=media)
            if selection.delivery.parent is not None and not selection.delivery.units and usable(retrieved):
                # A long parent must not push every item out: what was asked for are the items.
                again = self._room(kind)
                again.take(fixed)
                alone = choose(replace(retrieved, parent=None), again, lists_sources=False, media=media)
                selection = replace(alone, omitted=alone.omitted + 1)
        if selection is None or (usable(retrieved) and not selection.delivery.units):
            read = counted(kind, len(retrieved.records))
            raise RequestError(
                "input_budget", f"{read} read, but no whole one fits the input budget of the models", hint=HINT
            )
        return selection

    def _room(self, kind: ItemKind) -> ChainRoom:
        rules = system_prompt(kind) if self.chain.models else ""
        return ChainRoom(self.chain.models, system=rules, max_chars=self.ceiling)

    def _opening(self, kind: ItemKind, count: int) -> str:
        return opening(self.query, now=self.now, zone=self.zone, kind=kind, count=count)


def zone_name(settings: Settings) -> str:
    """The local zone's name for the prompt; an unusable setting only matters where days are asked for."""
    try:
        return local_zone(settings)[1]
    except SetupError:
        return "UTC"
