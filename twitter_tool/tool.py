"""One call, start to end: arguments, plan, retrieval, selection, result."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from twitter_tool.answering import Answering, zone_name
from twitter_tool.backends.twitterapi.answer import after
from twitter_tool.backends.twitterapi.client import Client
from twitter_tool.backends.twitterapi.read import Reader
from twitter_tool.backends.twitterapi.retry import TIMEOUT_S
from twitter_tool.background import Background
from twitter_tool.clock import SYSTEM_CLOCK, Clock
from twitter_tool.config import Loaded, load, working_directory
from twitter_tool.connections import Connections
from twitter_tool.credentials import KEY_VARIABLE, is_usable_key
from twitter_tool.details import SANDBOX, TWITTERAPI, asked_of, details_of, timings_of
from twitter_tool.errors import SetupError, TwitterToolError
from twitter_tool.http import in_process
from twitter_tool.looking import Looking
from twitter_tool.models.facts import Chain
from twitter_tool.models.limits import image_ability, image_bounds
from twitter_tool.models.litellm_client import LiteLLMClient
from twitter_tool.models.reply import OnText
from twitter_tool.models.resolve import resolve_chain
from twitter_tool.modes.base import PlanContext
from twitter_tool.modes.request import parse
from twitter_tool.notes import Note, note
from twitter_tool.outcome import Outcome, of_evidence
from twitter_tool.output.delivery import Asked, Retrieved
from twitter_tool.output.evidence import finish_evidence, question_fits, select_evidence
from twitter_tool.progress import Observer, Progress
from twitter_tool.redaction import redact
from twitter_tool.result import Result
from twitter_tool.retrieved import read_plan, retrieved_of, with_zone
from twitter_tool.settings import EXTRACTIVE, Settings
from twitter_tool.streaming import Piece, PieceMaker
from twitter_tool.telemetry import CallSpan, call_span
from twitter_tool.usage import Usage

if TYPE_CHECKING:
    import httpx

SANDBOX_KEY: Final = "sandbox"
TELLING_KEY: Final = 8
"""A shorter key may be a word of our own sentences; real ones are much longer."""


class TwitterTool:
    """Reads X. One instance serves many concurrent calls; they share connections and pacing, not state.

    Use it as a context manager (``async with`` or ``with``), or call :meth:`aclose` or :meth:`close` when done.

    Args:
        api_key: the twitterapi.io key; ``None`` takes ``TWITTERAPI_IO_API_KEY`` from the environment at each call.
        settings: values that stand above the settings files and the environment, by name.
        cwd: where the project's settings file is looked for; the process's own directory when ``None``.
        config_path: replaces the user's settings file.
        environ: replaces the process environment.
        transport: replaces the network, for tests: an ``httpx`` asynchronous transport.
        sandbox: read the local stand-in, in this process unless ``transport`` reaches one: no key is read or sent, and
            results say so.
        clock: where time, waiting and chance come from.
        timeout_s: for one attempt of a request, from dispatch to the last byte of its answer, in seconds.
        save_media: a folder that keeps the pictures and clips that were downloaded, named by the id of their post.

    Raises:
        TwitterToolError: from every call that gives no result; see :mod:`twitter_tool.errors`.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        settings: Mapping[str, Any] | None = None,
        cwd: str | Path | None = None,
        config_path: str | Path | None = None,
        environ: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        sandbox: bool = False,
        clock: Clock = SYSTEM_CLOCK,
        timeout_s: float = TIMEOUT_S,
        save_media: str | Path | None = None,
    ) -> None:
        self._api_key = api_key
        self._options = dict(settings or {})
        self._cwd = Path(cwd) if cwd is not None else None
        self._config_path = Path(config_path) if config_path is not None else None
        self._environ = environ
        self._sandbox = sandbox
        self._clock = clock
        self._timeout_s = timeout_s
        self._save_media = Path(save_media) if save_media is not None else None
        self._connections = Connections(_stand_in() if sandbox and transport is None else transport)
        self._background = Background()

    async def read(
        self, query: str, mode: str = "posts", *, progress: Observer | None = None, **arguments: Any
    ) -> Result:
        """Read with snake_case keywords: ``read("q", "replies", tweet="7", reply_sort="Latest", output="posts")``.

        Args:
            query: the question, or the search expression of ``posts`` and ``users``.
            mode: what to read.
            progress: receives one string per event; display only.
            arguments: the mode's parameters and ``output``, as in the tool schema but in snake_case.
        """
        given = {"query": query, "mode": mode, **{_schema_name(name): value for name, value in arguments.items()}}
        return await self.call(given, progress=progress)

    def read_sync(
        self, query: str, mode: str = "posts", *, progress: Observer | None = None, **arguments: Any
    ) -> Result:
        """:meth:`read` for code without an event loop."""
        return self._background.run(self.read(query, mode, progress=progress, **arguments))

    async def call(
        self, arguments: Mapping[str, Any], *, drop_nulls: bool = False, progress: Observer | None = None
    ) -> Result:
        """Carry out one tool call with the names of the tool schema.

        Args:
            arguments: for example ``{"query": "q", "mode": "thread", "tweet": "7", "output": "posts"}``.
            drop_nulls: drop ``None`` arguments first, for callers whose schema forces every name to be present.
            progress: receives one string per event; display only.
        """
        if drop_nulls and isinstance(arguments, Mapping):
            arguments = {name: value for name, value in arguments.items() if value is not None}
        return await self._reported(arguments, progress, None)

    async def stream(
        self, query: str, mode: str = "posts", *, progress: Observer | None = None, **arguments: Any
    ) -> AsyncGenerator[Piece, None]:
        """:meth:`read`, with the answer as it is being written; see :class:`twitter_tool.streaming.Piece`.

        The last piece holds the same result that :meth:`read` would have returned. Leaving the loop early cancels the
        call; close the generator then (``contextlib.aclosing``) to have that happen at once.
        """
        given = {"query": query, "mode": mode, **{_schema_name(name): value for name, value in arguments.items()}}
        async with aclosing(self.stream_call(given, progress=progress)) as pieces:
            async for piece in pieces:
                yield piece

    async def stream_call(
        self, arguments: Mapping[str, Any], *, progress: Observer | None = None
    ) -> AsyncGenerator[Piece, None]:
        """:meth:`call`, with the answer as it is being written."""
        maker = PieceMaker()
        async with aclosing(maker.pieces(self._reported(arguments, progress, maker.take))) as pieces:
            async for piece in pieces:
                yield piece

    async def _reported(
        self, arguments: Mapping[str, Any], progress: Observer | None, on_text: OnText | None
    ) -> Result:
        reporter = Progress(progress)
        try:
            with self._connections.in_use():
                result = await self._call(arguments, reporter, on_text)
            await reporter.settle()
            return result
        except TwitterToolError as error:
            self._without_key(error)
            raise
        finally:
            reporter.close()

    def call_sync(
        self, arguments: Mapping[str, Any], *, drop_nulls: bool = False, progress: Observer | None = None
    ) -> Result:
        """:meth:`call` for code without an event loop."""
        return self._background.run(self.call(arguments, drop_nulls=drop_nulls, progress=progress))

    async def aclose(self) -> None:
        """Close the connections of the running event loop; calls still under way on it are cancelled.

        The tool may be used again: the next call opens new ones.
        """
        await self._connections.aclose()

    def close(self) -> None:
        """Close what the synchronous methods opened; those still under way end with ``asyncio.CancelledError``."""
        self._background.stop(self.aclose)

    async def __aenter__(self) -> TwitterTool:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __enter__(self) -> TwitterTool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _call(self, arguments: Mapping[str, Any], progress: Progress, on_text: OnText | None = None) -> Result:
        with call_span() as span:
            result = await self._carry_out(arguments, progress, on_text, span)
            span.delivered(result.details, result.content)
            return result

    async def _carry_out(
        self, arguments: Mapping[str, Any], progress: Progress, on_text: OnText | None, span: CallSpan
    ) -> Result:
        started = self._clock.monotonic()
        request = parse(arguments)
        span.asked(mode=request.mode.name, output=request.output, backend=self._backend)
        loaded = self._load()
        settings = loaded.settings
        if settings["trace_content"]:
            span.show_content(request.query, secrets=self._telling_keys())
        plan = request.mode.plan(request.params, PlanContext(query=request.query, settings=settings))
        asked = asked_of(request, plan, settings, now=self._clock.now(), backend=self._backend)
        ceiling = int(settings["max_synthesis_chars"])
        usage = Usage()
        if request.output == "posts":
            question_fits(asked, ceiling=ceiling)
        pool, key = self._connections.pool(settings), self._key()
        models = LiteLLMClient(use_proxy_env=bool(settings["use_proxy_env"]), secrets=(key,))
        chain = resolve_chain(settings, self._environment) if request.output == "answer" else None
        looking = self._looking(settings, chain, models, usage, progress, key)
        answering = None
        if chain is not None:
            answering = Answering(
                query=request.query,
                chain=chain,
                ceiling=ceiling,
                now=self._clock.now(),
                zone=zone_name(settings),
                client=models,
                usage=usage,
                progress=progress,
                clock=self._clock,
                looking=looking,
                on_text=on_text,
            )
            answering.preflight()
            if chain.models:
                models.start_import()
        reader = Reader(
            client=Client(
                http=pool,
                key=key,
                interval_s=settings.interval_s,
                retry_base_s=settings.retry_base_s,
                usage=usage,
                progress=progress,
                clock=self._clock,
                timeout_s=self._timeout_s,
            ),
            budget=settings.page_budget,
            ceiling=settings.page_ceiling,
            usage=usage,
            progress=progress,
            secrets=(key,),
        )
        reading = await read_plan(reader, plan, settings)
        read = self._clock.monotonic()
        retrieved = retrieved_of(request, plan, reading, self._notes(loaded))
        with after(reading.pages):
            try:
                if answering is None:
                    found = await _evidence(asked, retrieved, looking, ceiling)
                else:
                    found = await answering.outcome(with_zone(retrieved, plan, reading))
            finally:
                await models.aclose()
        usage.posts_retained = found.retained["posts"]
        usage.accounts_retained = found.retained["accounts"]
        usage.trends_retained = found.retained["trends"]
        timings = timings_of(
            retrieval_s=read - started,
            preprocessing_s=self._clock.monotonic() - read - found.synthesis_s,
            synthesis_s=found.synthesis_s,
            video_s=found.video_s,
        )
        details = details_of(request, plan, settings, reading, found, backend=self._backend)
        counted = usage.to_dict() | ({} if found.tokens is None else {"synthesisTokens": found.tokens})
        details |= {"usage": counted, "timings": timings, "items": found.items}
        return Result(content=found.content, details=details, closing=found.closing)

    def _looking(
        self,
        settings: Settings,
        chain: Chain | None,
        models: LiteLLMClient,
        usage: Usage,
        progress: Progress,
        key: str,
    ) -> Looking:
        members = () if chain is None else chain.models
        return Looking(
            settings=settings,
            environ=self._environment,
            ability="evidence_output" if chain is None else image_ability(members),
            model=members[0].name if members else EXTRACTIVE,
            bounds=image_bounds(members),
            media=lambda: self._connections.media(settings),
            endpoints=lambda: self._connections.endpoints(settings),
            usage=usage,
            progress=progress,
            clock=self._clock,
            client=models,
            source=settings["route_to"] or ("sandbox" if self._sandbox else ""),
            save_to=self._save_media,
            secrets=(key,),
        )

    def _load(self) -> Loaded:
        return load(
            cwd=self._cwd if self._cwd is not None else working_directory(),
            environ=self._environment,
            options=self._options,
            config_path=self._config_path,
            sandbox=self._sandbox,
        )

    @property
    def _backend(self) -> str:
        return SANDBOX if self._sandbox else TWITTERAPI

    @property
    def _environment(self) -> Mapping[str, str]:
        return os.environ if self._environ is None else self._environ

    def _without_key(self, error: TwitterToolError) -> None:
        """Take the key out of an error that repeats it: it was given where a handle, an id or a mode belongs."""
        keys = self._telling_keys()
        error.message = redact(error.message, keys)
        error.hint = None if error.hint is None else redact(error.hint, keys)
        error.args = (error.message,)

    def _telling_keys(self) -> tuple[str, ...]:
        key = self._given_key()
        return () if self._sandbox or len(key) < TELLING_KEY else (key,)

    def _given_key(self) -> str:
        return (self._environment.get(KEY_VARIABLE, "") if self._api_key is None else self._api_key).strip()

    def _key(self) -> str:
        if self._sandbox:
            return SANDBOX_KEY
        key = self._given_key()
        if not key:
            raise SetupError(
                "missing_credentials",
                f"no key for twitterapi.io: {KEY_VARIABLE} is not set",
                hint=f"Set {KEY_VARIABLE}, or add --sandbox to read the local stand-in without a key.",
            )
        if not is_usable_key(key):
            raise SetupError(
                "missing_credentials",
                f"the value of {KEY_VARIABLE} cannot be a key: it has blanks or characters that no request can carry",
                hint="Copy the key again from the provider's dashboard, without quotes or line breaks.",
            )
        return key

    def _notes(self, loaded: Loaded) -> tuple[Note, ...]:
        return (*((note("sandbox_data"),) if self._sandbox else ()), *loaded.notes)


def _stand_in() -> httpx.AsyncBaseTransport:
    from twitter_tool.sandbox.app import Sandbox  # an invented world is only made when it is read

    return in_process(Sandbox())


async def _evidence(asked: Asked, retrieved: Retrieved, looking: Looking, ceiling: int) -> Outcome:
    selection = select_evidence(asked, retrieved, ceiling=ceiling, media=looking.reserve(retrieved))
    looked = await looking.look(selection)
    retrieved = replace(retrieved, notes=(*retrieved.notes, *looked.set_up))
    found = finish_evidence(asked, retrieved, selection, looked.shown, looked.notes, ceiling=ceiling)
    return of_evidence(found, video_s=looked.video_s)


_SNAKE_NAMES: Final = frozenset(("from_date", "to_date", "allowed_x_handles", "excluded_x_handles"))


def _schema_name(name: str) -> str:
    """``reply_sort`` as the schema spells it, ``replySort``; some names are snake_case there too."""
    if name in _SNAKE_NAMES or "_" not in name.strip("_"):
        return name
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)
