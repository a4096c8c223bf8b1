"""Serves the sandbox on a loopback port with uvicorn."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from ipaddress import ip_address
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from .app import Sandbox
from .faults import Fault
from .hints import hints

if TYPE_CHECKING:
    import uvicorn

__all__ = ["SandboxServerMissing", "hints", "running", "serve"]

_SHUTDOWN_SECONDS: Final = 1


class SandboxServerMissing(ImportError):
    """uvicorn is not installed."""

    def __init__(self) -> None:
        super().__init__('serving the sandbox needs uvicorn: pip install "twitter-tool[sandbox]"')


def serve(
    port: int,
    *,
    key: str | None = None,
    faults: Iterable[Fault] = (),
    host: str = "127.0.0.1",
    on_ready: Callable[[str], None],
) -> None:
    """Serves the sandbox until SIGINT or SIGTERM, then returns.

    Args:
        port: Where to listen; 0 takes a free port.
        key: The one key that is accepted; `None` accepts any non-empty key.
        faults: Faults to show from the start.
        host: A loopback address.
        on_ready: Called once with the base URL as soon as requests are answered.

    Raises:
        SandboxServerMissing: uvicorn is not installed.
        ValueError: The host is no loopback address.
        OSError: The port is taken.
    """
    app = Sandbox(key, faults=faults)
    with _listening(host, port) as listener:
        server = _server(app, on_started=lambda: on_ready(_base_url(listener)), signals=True)
        asyncio.run(server.serve(sockets=[listener]))


@asynccontextmanager
async def running(app: Sandbox, port: int = 0, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """Serves the sandbox on the current event loop for the length of a block; gives the base URL.

    Raises:
        SandboxServerMissing: uvicorn is not installed.
        ValueError: The host is no loopback address.
        OSError: The port is taken.
    """
    started = asyncio.Event()
    with _listening(host, port) as listener:
        server = _server(app, on_started=started.set, signals=False)
        task = asyncio.ensure_future(server.serve(sockets=[listener]))
        try:
            waiter = asyncio.ensure_future(started.wait())
            await asyncio.wait({task, waiter}, return_when=asyncio.FIRST_COMPLETED)
            waiter.cancel()
            if task.done():
                task.result()
            yield _base_url(listener)
        finally:
            server.should_exit = True
            await task


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    name = "127.0.0.1" if host == "localhost" else host
    try:
        loopback = ip_address(name).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise ValueError(f"the sandbox listens on loopback addresses only, not on {host!r}")
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    # The protocol is named because asyncio turns off Nagle's delay only where it can see that it is TCP.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((name, port))
        listener.listen(128)
        yield listener


def _base_url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _server(app: Sandbox, *, on_started: Callable[[], None], signals: bool) -> uvicorn.Server:
    try:
        import uvicorn
    except ModuleNotFoundError as error:
        if error.name != "uvicorn":
            raise
        raise SandboxServerMissing from None

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            if self.started:
                on_started()

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            # uvicorn raises the signal again after its shutdown, which would end the program noisily.
            if not signals or threading.current_thread() is not threading.main_thread():
                yield
                return
            names = (signal.SIGINT, signal.SIGTERM)
            before: dict[signal.Signals, Any] = {name: signal.signal(name, self._stop) for name in names}
            try:
                yield
            finally:
                for name, handler in before.items():
                    signal.signal(name, handler)

        def _stop(self, number: int, frame: FrameType | None) -> None:
            self.handle_exit(number, frame)

    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        access_log=False,
        log_level="critical",
        log_config=None,
        # Forwarding headers could make a remote client look like a local one.
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    return Server(config)
