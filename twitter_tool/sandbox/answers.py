"""A finished answer, and what the faults make of it."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, Literal

from .clock import code
from .documented import as_documented
from .faults import Fault
from .wire import Json

Delivery = Literal["whole", "slow_body", "slow_headers", "cut_body", "drop_connection"]

OVERSIZE: Final = 16 * 1024 * 1024
BOMB: Final = 64 * 1024 * 1024
MANY: Final = 500_001
DEEP: Final = 5_000
DIGITS: Final = 5_000
RATE_TEXT: Final = "For free-tier users, the QPS limit is one request every 5 seconds."
HTML: Final = "<html><head><title>{title}</title></head><body><h1>{title}</h1><p>invented page</p></body></html>"
ITEM_KEYS: Final = ("tweets", "replies", "users", "followers", "followings", "trends", "article", "detail")
_COUNTERS: Final = frozenset(
    {"followers", "following", "followers_count", "following_count", "friends_count", "statuses_count"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Status, headers and body, and how they are put on the connection."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delivery: Delivery = "whole"
    seconds: float = 0.0


def encode(data: Any, *, escape: bool = False) -> bytes:
    """JSON in UTF-8; `escape` writes everything beyond ASCII as escapes, lone surrogates included."""
    return json.dumps(data, ensure_ascii=escape, separators=(",", ":")).encode("utf-8")


def rejection(status: int) -> Answer:
    """A refused key. 401 follows a vendor draft, 403 was observed by one client; which is live is unknown."""
    if status == 403:
        return Answer(status=403, body=encode({"error": "Forbidden"}))
    body = {"status": "error", "code": 401, "message": "invalid api key"}
    return Answer(status=401, body=encode(body))


def json_answer(status: int, data: Any) -> Answer:
    return Answer(status=status, body=encode(data))


def _error(status: int, data: Json, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, body=encode(data), headers=named)


def _html(status: int, title: str) -> Answer:
    body = HTML.format(title=title).encode()
    return Answer(status=status, body=body, content_type="text/html; charset=utf-8")


def replacement(fault: Fault) -> Answer | None:
    """The answer that a fault gives instead of the asked one, if it is of that kind."""
    match fault.name:
        case "http_401" | "http_403":
            return rejection(401 if fault.name == "http_401" else 403)
        case "http_402":
            text = "Credits is not enough.Please recharge"
            return _error(402, {"error": "Unauthorized", "message": text})
        case "http_500":
            return _error(500, {"message": "Internal server error"})
        case "http_502":
            return _error(502, {"detail": "Bad Gateway"})
        case "http_503":
            return _error(503, {"message": "Service temporarily unavailable"})
        case "rate_limit":
            return _error(429, {"error": "Too Many Requests", "message": RATE_TEXT})
        case "rate_limit_retry_after":
            body = {"error": "Too Many Requests", "message": RATE_TEXT}
            return _error(429, body, retry_after=fault.text("5"))
        case "html_502":
            return _html(502, "502 Bad Gateway")
        case "html_200":
            return _html(200, "Just a moment")
        case "redirect":
            return Answer(status=302, headers={"location": fault.text("/twitter/elsewhere")})
        case "status_error" | "status_failed":
            status = "error" if fault.name == "status_error" else "failed"
            return _error(200, {"status": status, "msg": fault.text("upstream timeout")})
        case "error_key":
            return _error(200, {"error": "Internal", "message": "please retry"})
        case "gzip_bomb":
            bomb = gzip_bomb(int(fault.number(BOMB)))
            return Answer(body=bomb, headers={"content-encoding": "gzip"})
        case _:
            return None


@lru_cache(maxsize=4)
def gzip_bomb(size: int) -> bytes:
    """A gzip body that decodes to a JSON object of `size` bytes, about a thousandth of that on the wire."""
    head, tail = b'{"tweets":[],"padding":"', b'"}'
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [packer.compress(head)]
    left = max(0, size - len(head) - len(tail))
    block = b"0" * 65_536
    while left:
        parts.append(packer.compress(block[:left] if left < len(block) else block))
        left -= min(left, len(block))
    parts += [packer.compress(tail), packer.flush()]
    return b"".join(parts)


def _items_key(body: Json) -> str | None:
    return next((key for key in ITEM_KEYS if key in body), None)


def _drop_items(body: Json) -> Json:
    if isinstance(body.get("data"), dict) and "tweets" in body["data"]:
        return body | {"data": {key: value for key, value in body["data"].items() if key != "tweets"}}
    gone = "data" if "data" in body else _items_key(body)
    return {key: value for key, value in body.items() if key != gone}


def _null_data(body: Json) -> Json:
    key = "data" if "data" in body else _items_key(body)
    return body if key is None else body | {key: None}


def _walk(value: Any, change: Callable[[Json], Json]) -> Any:
    if isinstance(value, list):
        return [_walk(item, change) for item in value]
    if isinstance(value, dict):
        return change({key: _walk(item, change) for key, item in value.items()})
    return value


def _string_counters(item: Json) -> Json:
    return {
        key: str(value)
        if isinstance(value, int) and not isinstance(value, bool) and (key.endswith("Count") or key in _COUNTERS)
        else value
        for key, value in item.items()
    }


def _null_author(item: Json) -> Json:
    return item | {"author": None} if "author" in item else item


def _break_text(body: Json) -> Json:
    """Puts half a surrogate pair into the first text of the answer."""
    done = False

    def change(item: Json) -> Json:
        nonlocal done
        for key in ("text", "name", "title"):
            if not done and isinstance(item.get(key), str):
                done = True
                return item | {key: item[key] + " \ud800 and on"}
        return item

    broken: Json = _walk(body, change)
    return broken


def reshape(path: str, body: Json, faults: Iterable[Fault]) -> Any:
    """The JSON of an answer after the faults that change its members."""
    data: Any = body
    for fault in faults:
        match fault.name:
            case "docs_shape":
                data = as_documented(path, data)
            case "string_numbers":
                data = _walk(data, _string_counters)
            case "null_authors":
                data = _walk(data, _null_author)
            case "wrong_shape":
                data = _drop_items(data)
            case "data_null":
                data = _null_data(data)
            case "json_array":
                key = _items_key(data)
                inner = data.get(key) if key else [data]
                data = inner if isinstance(inner, list) else [inner]
            case "lone_surrogate":
                data = _break_text(data)
            case _:
                pass
    return data


def distort(answer: Answer, faults: Iterable[Fault]) -> Answer:
    """The answer after the faults that change its bytes or its way onto the connection."""
    for fault in faults:
        body = answer.body
        number = fault.number
        match fault.name:
            case "invalid_json":
                answer = replace(answer, body=body[: max(1, len(body) // 2)])
            case "nan_json":
                answer = replace(answer, body=_with_member(body, b'"score":NaN'))
            case "oversize":
                size = int(number(OVERSIZE))
                padding = b'"padding":"' + b"x" * max(0, size - len(body)) + b'"'
                answer = replace(answer, body=_with_member(body, padding))
            case "deep_json":
                levels = int(number(DEEP))
                answer = replace(answer, body=_with_member(body, b'"deep":' + b"[" * levels + b"]" * levels))
            case "many_nodes":
                nodes = b",".join([b"0"] * int(number(MANY)))
                answer = replace(answer, body=_with_member(body, b'"nodes":[' + nodes + b"]"))
            case "big_integer":
                answer = replace(answer, body=_with_member(body, b'"big":' + b"9" * int(number(DIGITS))))
            case "slow_body":
                answer = replace(answer, delivery="slow_body", seconds=number(0.25))
            case "slow_headers":
                answer = replace(answer, delivery="slow_headers", seconds=number(1.0))
            case "cut_body":
                answer = replace(answer, delivery="cut_body")
            case "drop_connection":
                answer = replace(answer, delivery="drop_connection")
            case _:
                pass
    return answer


def _with_member(body: bytes, member: bytes) -> bytes:
    if not body.endswith(b"}"):
        return b"{" + member + b"}"
    return body[:-1] + (b"" if body == b"{}" else b",") + member + b"}"


def compress(answer: Answer, accepted: str) -> Answer:
    """The answer as gzip when the client takes it; the same bytes each time."""
    offers = {offer.split(";")[0].strip().lower() for offer in accepted.split(",")}
    if "gzip" not in offers or "content-encoding" in answer.headers or len(answer.body) < 200:
        return answer
    headers = {**answer.headers, "content-encoding": "gzip", "vary": "accept-encoding"}
    return replace(answer, body=gzip.compress(answer.body, 6, mtime=0), headers=headers)


def trace_id(number: int) -> str:
    """The `x-trace-id` of the n-th request of a server."""
    return "sbx-" + code(12, "trace", number).lower()
