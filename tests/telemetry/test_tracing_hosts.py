"""Hosts that trace in their own ways, or not at all."""

from __future__ import annotations

import ast
import subprocess
import sys
import timeit
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased
from traced_calls import Spans, page, tool, upstream

import twitter_tool
from twitter_tool import telemetry

POSTS = {"query": "q", "mode": "posts", "output": "posts"}
CALL = """
import sys
from twitter_tool import TwitterTool
with TwitterTool(sandbox=True, cwd=sys.argv[1], environ={"TWITTER_TOOL_CONFIG": "/dev/null", **%r}) as tool:
    tool.read_sync("tram", output="posts", count=2)
print(*[name for name in sys.modules if name.startswith("opentelemetry")])
"""
HOST = """
import sys
from opentelemetry import trace
from twitter_tool import TwitterTool
with TwitterTool(sandbox=True, cwd=sys.argv[1], environ={"TWITTER_TOOL_CONFIG": "/dev/null"}) as tool:
    print(len(tool.read_sync("tram", output="posts", count=2).items))
print(*[name for name in sys.modules if name.startswith("opentelemetry.sdk")])
"""


def _run(home: Path, *words: str) -> str:
    command = [sys.executable, "-W", "error", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=home, timeout=50).stdout.strip()


@pytest.mark.parametrize("environ", [{}, {"TWITTER_TOOL_TRACE_CONTENT": "true"}], ids=["plain", "with content"])
def test_a_process_that_does_not_trace_never_imports_opentelemetry(home: Path, environ: dict[str, str]) -> None:
    """Though it is installed: a call is not to wait for it."""
    assert _run(home, "-c", CALL % environ, str(home)) == ""


def test_a_process_with_the_api_alone_works_and_loads_no_sdk(home: Path) -> None:
    """Libraries import the API without any host that traces."""
    assert _run(home, "-c", HOST, str(home)) == "2"


def test_the_command_line_does_not_import_it(home: Path) -> None:
    """Nor its help."""
    code = "import sys\nfrom twitter_tool.cli.main import main\ntry:\n    main(sys.argv[1:])\nexcept SystemExit: pass\n"
    code += "sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    _run(home, "-c", code, "posts", "tram", "--sandbox", "--count", "1", "--quiet", "--output", "posts")
    _run(home, "-c", code, "posts", "--help")


def test_only_one_module_knows_opentelemetry_and_none_imports_it_at_its_head() -> None:
    """Names stand in one place."""
    root = Path(twitter_tool.__file__).parent
    users = {
        path.name for path in root.rglob("*.py") for name in _imported(path) if name.split(".")[0] == "opentelemetry"
    }
    assert users == {"telemetry.py"}


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@contextmanager
def _host(provider: TracerProvider, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another host than the one of this process; OpenTelemetry has no other way to take its place."""
    with monkeypatch.context() as patched:
        patched.setattr(trace, "_TRACER_PROVIDER", provider)
        yield
    provider.shutdown()


class _Broken(SpanProcessor):
    """A processor that fails wherever it can."""

    def __init__(self, where: str) -> None:
        self._where = where
        self.calls = 0

    def _fail(self, where: str) -> None:
        if where == self._where:
            self.calls += 1
            raise RuntimeError("a fault of the host")

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        self._fail("start")

    def on_end(self, span: Any) -> None:
        self._fail("end")


@pytest.mark.parametrize("where", ["start", "end"])
async def test_a_processor_that_fails_costs_the_span_and_not_the_call(
    where: str, home: Path, monkeypatch: pytest.MonkeyPatch, spans: Spans
) -> None:
    """The pages were paid for."""
    broken = _Broken(where)
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(broken)
    with _host(provider, monkeypatch):
        async with tool(upstream(page(1)), home) as reader:
            assert len((await reader.call(POSTS)).items) == 1
    assert broken.calls == 2


async def test_a_call_that_is_not_sampled_has_no_sampled_request(
    home: Path, monkeypatch: pytest.MonkeyPatch, spans: Spans
) -> None:
    """The span of the call is the parent even where it is dropped, and the sampler asks the parent."""
    asked: list[bool] = []

    class Watching(ParentBased):
        def should_sample(self, parent_context: Any, *words: Any, **named: Any) -> Any:
            asked.append(trace.get_current_span(parent_context).get_span_context().is_valid)
            return super().should_sample(parent_context, *words, **named)

    with _host(TracerProvider(sampler=Watching(ALWAYS_OFF), shutdown_on_exit=False), monkeypatch):
        async with tool(upstream(page(1)), home) as reader:
            await reader.call(POSTS)
    assert asked == [False, True]


def test_spans_cost_next_to_nothing_where_nobody_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less than 50 microseconds each, on a slow machine; a page takes a thousand times as long."""
    monkeypatch.delitem(sys.modules, "opentelemetry.trace")

    def traced() -> None:
        with telemetry.request_span("https://api.example.org", "/page", resends=0) as span:
            span.answered(200)

    assert min(timeit.repeat(traced, number=1_000, repeat=5)) / 1_000 < 50e-6


def test_an_address_that_cannot_be_read_is_left_out(spans: Spans) -> None:
    """The call itself will say what is wrong with it."""
    for base in ("http://[::1", "http://127.0.0.1:port/v1", "nonsense"):
        with telemetry.model_span(
            provider="openai", call_name="openai/a", max_output_tokens=1, api_base=base, api_key=None
        ):
            pass
    assert not [name for span in spans.all for name in span.attributes or {} if name.startswith("server.")]
