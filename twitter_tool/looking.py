"""What a call may look at besides text, and looking at it: from the settings and a selection to what is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from twitter_tool.clock import Clock
from twitter_tool.media.assets import Asset
from twitter_tool.media.keeping import Keeping
from twitter_tool.models.declared import ImageBounds
from twitter_tool.notes import Note, note
from twitter_tool.output.delivery import Retrieved
from twitter_tool.output.reserve import MediaPlan, MediaReserve, MediaWish, reserve_for
from twitter_tool.output.select import Selection
from twitter_tool.output.shown import NOTHING_SHOWN, Shown, shown_of
from twitter_tool.progress import Progress
from twitter_tool.settings import EXTRACTIVE, Settings
from twitter_tool.text import line
from twitter_tool.usage import Usage

if TYPE_CHECKING:
    from twitter_tool.http import Http
    from twitter_tool.media.native import Ask, NativeRoute
    from twitter_tool.media.pipeline import MediaTask, MediaWork
    from twitter_tool.media.save import MediaSaver
    from twitter_tool.media.values import Bounds
    from twitter_tool.media.video import VideoWorker
    from twitter_tool.models.litellm_client import LiteLLMClient

MODEL_CAP: Final = 200
TROUBLE_CAP: Final = 300
PROMPT_VERSION: Final = "1"
"""Changes with what a service is asked about a clip, so that kept answers to another question are not used."""
Ability = Literal["images", "text_only", "bounds_missing", "evidence_output"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What looking gave.

    Attributes:
        shown: with the posts.
        notes: about pictures and videos.
        set_up: notes about settings that could not be used.
        video_s: seconds that videos took.
    """

    shown: Shown = NOTHING_SHOWN
    notes: tuple[Note, ...] = ()
    set_up: tuple[Note, ...] = ()
    video_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking:
    """The pictures and videos of one call.

    Attributes:
        settings: of the call.
        environ: where the keys that the settings name are looked for.
        ability: whether the model that is asked first takes images, and if not, why.
        model: the name of that model, for people.
        bounds: of images, when it takes them.
        media, endpoints: connections to X's media hosts and to configured services, made when first used.
        client: carries clips to a model through LiteLLM, for that route.
        source: where the videos come from when it is not X itself.
        save_to: a folder that keeps what was downloaded.
        secrets: what no message may hold.
    """

    settings: Settings
    environ: Mapping[str, str]
    ability: Ability
    media: Callable[[], Http]
    endpoints: Callable[[], Http]
    usage: Usage
    progress: Progress
    clock: Clock
    model: str = EXTRACTIVE
    bounds: ImageBounds | None = None
    client: LiteLLMClient | None = None
    source: str = ""
    save_to: Path | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def photos(self) -> bool:
        """Whether photos are wanted."""
        return bool(self.settings["enable_image_understanding"])

    @property
    def videos(self) -> bool:
        """Whether videos are wanted, be it only as their posters."""
        return bool(self.settings["enable_video_understanding"])

    @property
    def processing(self) -> bool:
        """Whether videos are downloaded and analysed."""
        return self.videos and bool(self.settings["enable_video_processing"])

    def reserve(self, retrieved: Retrieved) -> MediaReserve | None:
        """What selection has to leave room for; ``None`` when nothing is to be looked at."""
        if not (self.photos or self.videos):
            return None
        images = self.bounds is not None
        processing = self.processing
        reserve = reserve_for(
            retrieved,
            MediaWish(
                photos=images and self.photos,
                posters=images and self.videos,
                videos=int(self.settings["max_videos_per_search"]) if processing else 0,
                frames=int(self.settings["max_frames"]) if processing and images else 0,
                attachments=int(self.settings["max_media_per_search"]),
                max_images=self.bounds.max_images if self.bounds is not None else 0,
            ),
        )
        return reserve if reserve.assets else None

    async def look(self, selection: Selection) -> Looked:
        """Look at the media of what was selected.

        Raises:
            asyncio.CancelledError: the caller gave up. Nothing else is raised: what failed is in the notes.
        """
        plan = selection.media
        if plan is None:
            return Looked()
        notes = list(self._known(plan))
        task = self._task(plan)
        if not task.assets:
            return Looked(notes=tuple(notes))
        kit = self._kit(task)
        notes.extend(kit.notes)
        result = await kit.work.carry_out(task)
        notes.extend(result.notes)
        notes.extend(kit.keeping.notes())
        set_up = list(kit.keeping.set_up_notes())
        if kit.work.saver is not None and kit.work.saver.failures:
            trouble = line("; ".join(kit.work.saver.failures), TROUBLE_CAP)
            set_up.append(note("setting_ignored", keys=["save_media"], reason="unusable", detail=trouble))
        return Looked(shown=shown_of(result.found), notes=tuple(notes), set_up=tuple(set_up), video_s=result.video_s)

    def _known(self, plan: MediaPlan) -> Iterator[Note]:
        """What can be said before anything is fetched."""
        pictured = [asset for asset in plan.assets if self._wants_picture(asset)]
        if self.ability == "text_only" and pictured:
            posts = {id(place.post) for asset in pictured for place in asset.places}
            yield note("media_not_supported", model=line(self.model, MODEL_CAP), count=len(posts))
        if self.ability == "bounds_missing" and pictured:
            yield note("images_omitted", count=len(pictured), reason="bounds_missing")
        if self.ability == "images" and pictured and not self.settings["max_media_per_search"]:
            yield note("images_omitted", count=len(pictured), reason="cap")
        if plan.images_no_space:
            yield note("images_omitted", count=plan.images_no_space, reason="space")
        if plan.no_space:
            yield note("video_skipped", count=plan.no_space, reason="space")
        if plan.repeated:
            yield note("media_repeated", count=plan.repeated)

    def _wants_picture(self, asset: Asset) -> bool:
        """Whether a model that takes images would have been given this one, or its poster."""
        if asset.kind == "photo":
            return self.photos
        return self.videos and not self.processing

    def _task(self, plan: MediaPlan) -> MediaTask:
        from twitter_tool.media.pipeline import MediaTask

        return MediaTask(
            photos=plan.photos,
            videos=plan.videos,
            posters=plan.posters,
            slots=plan.slots,
            attachments=int(self.settings["max_media_per_search"]),
            over_cap=plan.over_cap,
            no_room=plan.images_no_space,
            short_of="space" if plan.frames_no_space else "cap",
        )

    def _kit(self, task: MediaTask) -> _Kit:
        # Only a call that looks at something loads any of this.
        from twitter_tool.media.pictures import PictureLoader, attempts_for
        from twitter_tool.media.pipeline import MediaWork
        from twitter_tool.media.save import MediaSaver
        from twitter_tool.media.values import Bounds

        settings = self.settings
        bounds = None
        if self.bounds is not None:
            bounds = Bounds(
                max_width=self.bounds.max_width, max_height=self.bounds.max_height, max_bytes=self.bounds.max_bytes
            )
        saver = MediaSaver(self.save_to) if self.save_to is not None else None
        loader = None
        if bounds is not None and (task.photos or task.posters):
            loader = PictureLoader(
                self.media(),
                bounds=bounds,
                usage=self.usage,
                clock=self.clock,
                attempts=attempts_for(int(settings["max_media_per_search"])),
            )
        keeping, worker = Keeping(), None
        notes: tuple[Note, ...] = ()
        if task.videos:
            worker, keeping, notes = self._video_worker(bounds, saver, len(task.videos))
        work = MediaWork(
            loader=loader,
            worker=worker,
            video_budget_s=float(settings["video_budget_ms"]) / 1000,
            progress=self.progress,
            clock=self.clock,
            saver=saver,
        )
        return _Kit(work=work, keeping=keeping, notes=notes)

    def _video_worker(
        self, bounds: Bounds | None, saver: MediaSaver | None, videos: int
    ) -> tuple[VideoWorker, Keeping, tuple[Note, ...]]:
        from twitter_tool.media.cache import EvidenceCache, cache_folder
        from twitter_tool.media.ffmpeg import Ffmpeg, ffmpeg_gap, find_ffmpeg
        from twitter_tool.media.hearing import Hearing, recognisers
        from twitter_tool.media.video import VideoWorker
        from twitter_tool.media.video_work import VideoLimits

        settings = self.settings
        binary = find_ffmpeg(settings["ffmpeg_path"])
        seconds = int(settings["max_video_seconds"])
        who = recognisers(settings, self.environ)
        native, ask, notes = self._native(videos)
        keeping = Keeping(
            window_s=seconds,
            watches="" if native is None else f"{native.identity} {PROMPT_VERSION}",
            hears=who.route,
            source=self.source,
        )
        if settings["evidence_cache"]:
            folder = cache_folder(settings["evidence_cache_dir"], self.environ)
            keeping.cache = EvidenceCache(folder, days=int(settings["evidence_cache_days"]), clock=self.clock)
        worker = VideoWorker(
            media=self.media,
            endpoints=self.endpoints,
            ffmpeg=Ffmpeg(binary) if binary is not None else None,
            hearing=Hearing(who, http=self.endpoints, usage=self.usage, max_seconds=seconds),
            native=native,
            ask=ask,
            limits=VideoLimits(
                seconds=seconds,
                max_bytes=int(settings["max_video_bytes"]),
                frames=int(settings["max_frames"]),
                # Every kind of service carries small clips inside the request.
                prefers_inline=settings["video_endpoint_type"] is not None,
            ),
            bounds=bounds,
            frames_gap=None if self.ability == "images" else self.ability,
            usage=self.usage,
            clock=self.clock,
            keeping=keeping,
            saver=saver,
            secrets=self.secrets,
            no_ffmpeg=ffmpeg_gap(settings["ffmpeg_path"]) or "",
        )
        return worker, keeping, notes

    def _native(self, videos: int) -> tuple[NativeRoute | None, Ask | None, tuple[Note, ...]]:
        """Who watches clips, and what carries a clip there when that is LiteLLM."""
        from twitter_tool.media.native import NativeRoute, native_route

        route = native_route(self.settings, self.environ)
        if route is None:
            return None, None, ()
        if not isinstance(route, NativeRoute):
            return None, None, (route.note(videos),)
        if route.kind != "litellm":
            return route, None, ()
        from twitter_tool.models.video import VideoGap, VideoModel, video_target

        target = video_target(self.settings, self.environ)
        if isinstance(target, VideoGap):
            return None, None, (target.note(videos),)
        if self.client is None:
            return None, None, ()
        return (
            replace(route, provider=target.provider, endpoint=target.api_base, key=target.api_key),
            VideoModel(target, self.client).ask,
            (),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kit:
    """What does the work of one call."""

    work: MediaWork
    keeping: Keeping
    notes: tuple[Note, ...]
