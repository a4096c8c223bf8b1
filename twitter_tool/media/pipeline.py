"""All media work of one call, in order: photos, then videos, then posters of the videos that gave nothing."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from twitter_tool.clock import Clock
from twitter_tool.media.assets import Asset
from twitter_tool.media.found import Found
from twitter_tool.media.pictures import PictureLoader
from twitter_tool.media.save import MediaSaver
from twitter_tool.media.timing import MEDIA_PHASE_S, POSTER_GRACE_S, Deadline
from twitter_tool.media.values import Picture, PictureKind
from twitter_tool.media.video import VideoWorker
from twitter_tool.media.video_work import Seen
from twitter_tool.notes import Note, note
from twitter_tool.progress import Progress
from twitter_tool.text import line

REASON_CAP: Final = 200
_OF_ONE: Final = (
    "frames_partial",
    "transcript_absent",
    "transcript_discarded",
    "transcript_partial",
    "video_failed",
    "video_trimmed",
)
"""What is said of one video."""
_COUNTED: Final = ("video_skipped",)
"""What is said of all videos together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaTask:
    """What is to be looked at.

    Attributes:
        photos: to attach, in order.
        videos: to process, in order.
        posters: videos whose poster may stand for them, in order; those of ``videos`` only when they gave nothing.
        slots: images that may be attached, frames included.
        attachments: photos and posters that may be attached.
        over_cap: videos that were not taken because of the limit on videos of one call.
        no_room: of ``photos`` and ``posters``, those that there was no room for; they only stand in for others.
        short_of: what keeps frames from having more slots.
    """

    photos: Sequence[Asset] = ()
    videos: Sequence[Asset] = ()
    posters: Sequence[Asset] = ()
    slots: int = 0
    attachments: int = 0
    over_cap: int = 0
    no_room: int = 0
    short_of: Literal["space", "cap"] = "cap"

    @property
    def assets(self) -> list[Asset]:
        """Everything that may be looked at, each once, in the order of attempts."""
        return list(dict.fromkeys((*self.photos, *self.videos, *self.posters)))


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaResult:
    """What was found, every disclosure, and the seconds that videos took."""

    found: tuple[Found, ...] = ()
    notes: tuple[Note, ...] = ()
    video_s: float = 0.0


@dataclass(slots=True, kw_only=True)
class MediaWork:
    """Looks at the media of one call; never fails it.

    Attributes:
        loader: downloads pictures; ``None`` when no images can be used.
        worker: processes videos; ``None`` when they are not processed.
        video_budget_s: for all videos together.
    """

    loader: PictureLoader | None
    worker: VideoWorker | None
    video_budget_s: float
    progress: Progress
    clock: Clock
    saver: MediaSaver | None = None
    _found: dict[Asset, Found] = field(default_factory=dict)
    _notes: list[Note] = field(default_factory=list)
    _omitted: Counter[str] = field(default_factory=Counter)
    _numbers: dict[Asset, int] = field(default_factory=dict)
    _slots: int = 0
    _attachments: int = 0
    _no_room: int = 0
    _short_of: Literal["space", "cap"] = "cap"

    async def carry_out(self, task: MediaTask) -> MediaResult:
        """Do the work.

        Raises:
            asyncio.CancelledError: the caller gave up; no process, file or connection is left.
        """
        self._slots, self._attachments = task.slots, task.attachments
        self._no_room, self._short_of = task.no_room, task.short_of
        self._numbers = {asset: number for number, asset in enumerate(task.assets, 1)}
        phase = Deadline.after(self.clock, MEDIA_PHASE_S)
        await self._photos(task.photos, phase)
        started = self.clock.monotonic()
        if self.worker is not None and task.videos:
            phase = await self._videos(task.videos, phase)
        if task.over_cap:
            self._notes.append(note("video_skipped", count=task.over_cap, reason="cap"))
        video_s = self.clock.monotonic() - started
        await self._posters([asset for asset in task.posters if asset not in self._found], phase)
        found = tuple(self._found[asset] for asset in self._numbers if asset in self._found)
        return MediaResult(found=found, notes=self._all_notes(), video_s=video_s)

    async def _photos(self, photos: Sequence[Asset], phase: Deadline) -> None:
        loaded = await self._attach(photos, "photo", phase)
        for asset, picture in loaded:
            self._found[asset] = Found(asset=asset, pictures=(picture,))

    async def _videos(self, videos: Sequence[Asset], phase: Deadline) -> Deadline:
        assert self.worker is not None
        deadline = Deadline.after(self.clock, self.video_budget_s)
        late = 0
        for asset in videos:
            self._tell(asset)
            await asyncio.sleep(0)  # an observer may have given the call up
            if not deadline.left:
                late += 1
                continue
            seen = await self._process(self.worker, asset, deadline)
            self._notes.extend(_of_its_video(entry, asset) if len(videos) > 1 else entry for entry in seen.notes)
            if seen.is_evidence:
                self._slots -= len(seen.frames)
                self._found[asset] = Found(asset=asset, text=seen.text, pictures=seen.frames)
        if late:
            self._notes.append(note("video_skipped", count=late, reason="deadline"))
        return Deadline(self.clock, max(phase.at, deadline.at) + POSTER_GRACE_S)

    async def _process(self, worker: VideoWorker, asset: Asset, deadline: Deadline) -> Seen:
        def stage(words: str) -> None:
            self._tell(asset, words)

        try:
            return await worker.process(asset, deadline=deadline, frames=self._slots, stage=stage)
        except Exception as error:
            # Whatever a damaged clip or a tool brings up: media never fails a call, and the note says what it was.
            words = line(f"{type(error).__name__}: {error}", REASON_CAP)
            return Seen(notes=(note("video_failed", reason=words),))

    async def _posters(self, videos: Sequence[Asset], phase: Deadline) -> None:
        with_poster = [asset for asset in videos if asset.poster is not None]
        loaded = await self._attach(with_poster, "poster", phase)
        for asset, picture in loaded:
            self._found[asset] = Found(asset=asset, pictures=(picture,))
        if loaded:
            self._notes.append(note("video_poster_used", count=len(loaded)))

    async def _attach(self, assets: Sequence[Asset], kind: PictureKind, phase: Deadline) -> list[tuple[Asset, Picture]]:
        """Load pictures in order until there is room for no more; a round asks only for as many as are wanted."""
        loaded: list[tuple[Asset, Picture]] = []
        if self.loader is None:
            return loaded
        waiting = list(assets)
        while waiting and (wanted := min(self._slots, self._attachments)) > 0:
            round_of, waiting = waiting[:wanted], waiting[wanted:]
            for asset in round_of:
                self._tell(asset)
            await asyncio.sleep(0)  # an observer may have given the call up
            tasks = [self.loader.load(str(asset.poster), kind, phase.at) for asset in round_of]
            for asset, outcome in zip(round_of, await asyncio.gather(*tasks), strict=True):
                if isinstance(outcome, Picture):
                    loaded.append((asset, outcome))
                    self._slots -= 1
                    self._attachments -= 1
                    if self.saver is not None:
                        self._save(self.saver, asset, outcome)
                elif outcome == "unattempted":
                    self._omitted["unattempted"] += 1
        told = min(self._no_room, len(waiting))  # selection has counted them already
        self._no_room -= told
        self._omitted["cap"] += len(waiting) - told
        return loaded

    def _save(self, saver: MediaSaver, asset: Asset, picture: Picture) -> None:
        saved = saver.picture(asset.places[0].post.id, picture)
        if saved is not None:
            self._tell(asset, f"saved as {saved.name}")

    def _tell(self, asset: Asset, words: str = "") -> None:
        self.progress.emit(f"media {self._numbers[asset]}/{len(self._numbers)}{f' · {words}' if words else ''}")

    def _all_notes(self) -> tuple[Note, ...]:
        notes: list[Note] = []
        counts: Counter[str] = Counter()
        for entry in self._notes:
            if entry.code == "images_omitted":
                self._omitted[self._short_of] += entry.figures["count"]
            elif entry.code == "images_rejected":
                counts["images_rejected"] += entry.figures["count"]
            else:
                _add(notes, entry)
        if self.loader is not None:
            counts["images_failed"] += self.loader.failed
            counts["images_rejected"] += self.loader.rejected
        found = [note("images_omitted", count=count, reason=reason) for reason, count in self._omitted.items() if count]
        if counts["images_rejected"]:
            found.append(note("images_rejected", count=counts["images_rejected"]))
        if counts["images_failed"]:
            found.append(note("images_failed", count=counts["images_failed"]))
        return (*found, *notes)


def _of_its_video(entry: Note, asset: Asset) -> Note:
    """A note about one of several videos, with the link of the post that the video belongs to."""
    url = asset.places[0].post.permalink
    if entry.code not in _OF_ONE or url is None:
        return entry
    return note(entry.code, **entry.figures, url=url)


def _add(notes: list[Note], entry: Note) -> None:
    """Add a disclosure; what is counted is added up with others of its kind."""
    if entry.code in _COUNTED:
        for place, known in enumerate(notes):
            if known.code == entry.code and _but_count(known) == _but_count(entry):
                count = known.figures["count"] + entry.figures["count"]
                notes[place] = note(entry.code, **{**entry.figures, "count": count})
                return
    notes.append(entry)


def _but_count(entry: Note) -> dict[str, object]:
    return {key: value for key, value in entry.figures.items() if key != "count"}
