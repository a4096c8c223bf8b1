"""The direction of the arrows: a module imports only from floors below its own, and from its own package."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import twitter_tool

ROOT = Path(twitter_tool.__file__).parent

FLOORS: dict[str, int] = {
    "__main__": 10,
    "_version": 0,
    "errors": 0,
    "notes": 0,
    "extras": 0,
    "text": 0,
    "links": 0,
    "clock": 0,
    "settings": 0,
    "progress": 0,
    "background": 0,
    "redaction": 0,
    "credentials": 0,
    "loopback": 1,
    "sandbox": 1,
    "records": 1,
    "telemetry": 1,
    "usage": 1,
    "inflate": 1,
    "http": 2,
    "connections": 3,
    "backends": 3,
    "modes": 4,
    "media": 4,
    "models": 4,
    "output": 5,
    "config": 6,
    "result": 6,
    "schema": 6,
    "report": 8,
    "outcome": 6,
    "retrieved": 6,
    "details": 7,
    "looking": 6,
    "answering": 7,
    "streaming": 7,
    "tool": 8,
    "cli": 9,
}
HEAVY = {"litellm", "faster_whisper", "mcp", "av", "ffmpeg", "imageio_ffmpeg", "rich", "uvicorn", "opentelemetry"}


def _modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts != ("__init__",):
            yield ".".join(part for part in parts if part != "__init__"), path


def _imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Imported module names, and whether the import stands at module level."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hints = {id(child) for node in ast.walk(tree) if _for_types_only(node) for child in ast.walk(node)}
    top = set(map(id, tree.body)) | {
        id(child) for node in tree.body if isinstance(node, ast.If | ast.Try) for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in hints:
            continue
        if isinstance(node, ast.Import):
            for name in node.names:
                yield name.name, id(node) in top
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield module, id(node) in top
            if module == "twitter_tool" or module.startswith("twitter_tool."):
                for name in node.names:
                    yield f"{module}.{name.name}", id(node) in top


def _for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def test_every_place_has_a_floor() -> None:
    """A new module or package must be given a floor before anything can use it."""
    places = {name.split(".")[0] for name, _ in _modules()}
    assert places <= FLOORS.keys(), f"without a floor: {places - FLOORS.keys()}"
    assert FLOORS.keys() - places <= {"media"}, f"floors of nothing: {FLOORS.keys() - places}"


def test_a_module_imports_only_from_floors_below_and_from_its_own_package() -> None:
    """No arrow points upwards or sideways."""
    wrong = []
    for name, path in _modules():
        place = name.split(".")[0]
        for imported, _ in _imports(path):
            parts = imported.split(".")
            if parts[0] != "twitter_tool" or len(parts) < 2 or parts[1] not in FLOORS:
                continue
            target = parts[1]
            if target != place and FLOORS[target] >= FLOORS[place]:
                wrong.append(f"{name} imports {imported}")
    assert not wrong, "\n".join(wrong)


def test_only_one_package_knows_the_http_library() -> None:
    """The HTTP library stays behind one seam; the model client, whose library brings its own, is the exception."""
    users = {
        name
        for name, path in _modules()
        for imported, _ in _imports(path)
        if imported.split(".")[0] in {"httpx", "httpcore", "h11"}
    }
    assert {name.split(".")[0] for name in users if not name.startswith("models.")} == {"http"}, users


def test_heavy_libraries_are_imported_inside_functions_only() -> None:
    """Importing any module of the product never loads an extra."""
    wrong = [
        f"{name} imports {imported}"
        for name, path in _modules()
        for imported, at_top in _imports(path)
        if at_top and imported.split(".")[0] in HEAVY
    ]
    assert not wrong, "\n".join(wrong)


def test_the_sandbox_knows_nothing_of_the_tool() -> None:
    """The stand-in is written from the upstream's facts; sharing code with the tool would hide its mistakes."""
    wrong = [
        f"{name} imports {imported}"
        for name, path in _modules()
        if name.startswith("sandbox")
        for imported, _ in _imports(path)
        if imported.startswith("twitter_tool.") and not imported.startswith("twitter_tool.sandbox")
    ]
    assert not wrong, "\n".join(wrong)


def test_modules_stay_small() -> None:
    """None is over 500 lines."""
    long = {name: count for name, path in _modules() if (count := len(path.read_text().splitlines())) > 500}
    assert not long, long
