"""Importing LiteLLM: once a process, in a thread, offline and silent.

The import takes about five seconds of processor time and, left alone, fetches a price list, loads any ``.env`` file
above its own folder into the environment, and prints. The variables that stop this are set while it runs and taken
back afterwards, so that neither the host's other code nor its child processes inherit them. A LiteLLM that the host
has imported itself is used as it is: its switches are the host's.
"""

from __future__ import annotations

import atexit
import ctypes
import importlib
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Any, Final

_QUIET: Final = {
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_MODE": "PRODUCTION",
}
_LOGGERS: Final = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai._base_client")
_ABANDONED: Final = r"coroutine '\w+\.\w*completion\w*' was never awaited"
_STOP_S: Final = 2.0

_ours: ContextVar[bool] = ContextVar("twitter_tool_models", default=False)
_lock = threading.Lock()
_import: Future[ModuleType] | None = None


def start() -> Future[ModuleType]:
    """Begin the import unless it has begun; never blocks.

    A failed import is tried again by the next call.
    """
    global _import
    with _lock:
        if _import is None or (_import.done() and _import.exception() is not None):
            _import = Future()
            _import.set_running_or_notify_cancel()  # one caller that gives up must not cancel it for the others
            # A thread that the interpreter does not wait for: a call that fails at once must not hang at its end.
            thread = threading.Thread(target=_run, args=(_import,), name="twitter-tool-litellm", daemon=True)
            thread.start()
            atexit.register(_stop, thread, _import)
        return _import


@contextmanager
def silence() -> Iterator[None]:
    """Keep what LiteLLM logs about the calls made inside out of the host's log and off the terminal.

    What it would say reaches the caller as an error of the call; at any level it may hold the prompt.
    """
    _add_filter()
    before = _ours.set(True)
    try:
        yield
    finally:
        _ours.reset(before)


@contextmanager
def unlogged() -> Iterator[None]:
    """Keep LiteLLM from queueing what is said in the calls made inside for its log receivers.

    It would leave a task on the caller's loop and a thread behind, receivers or not.
    """
    try:
        internal = importlib.import_module("litellm._internal_context").internal_sub_call
    except (ImportError, AttributeError):  # another release: a task is left behind, which does no harm
        yield
        return
    with internal():
        yield


def _run(future: Future[ModuleType]) -> None:
    try:
        with silence():
            litellm = _import_litellm()
    except Exception as error:  # whatever it is, it belongs to whoever waits for the import
        future.set_exception(error)
    else:
        future.set_result(litellm)


def _import_litellm(load: Callable[[str], ModuleType] = importlib.import_module) -> ModuleType:
    ready = sys.modules.get("litellm")
    if ready is not None:
        return load("litellm")  # waits when the host is importing it at this moment
    before = {name: os.environ.get(name) for name in _QUIET}
    os.environ.update(_QUIET)
    try:
        litellm: Any = load("litellm")
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
    # A call that is cancelled while LiteLLM prepares it in a thread leaves a coroutine of its behind.
    warnings.filterwarnings("ignore", message=_ABANDONED, category=RuntimeWarning)
    litellm.suppress_debug_info = True
    litellm.disable_hf_tokenizer_download = True
    module: ModuleType = litellm
    return module


def _stop(thread: threading.Thread, future: Future[ModuleType]) -> None:
    """End an import that is still running when the process ends.

    Killed by the interpreter in the middle of native code, it would take the exit code with it (a segmentation fault).
    """
    if not future.done() and thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
        thread.join(_STOP_S)


class _Hush(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return not _ours.get()


_HUSH: Final = _Hush()


def _add_filter() -> None:
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_HUSH)
