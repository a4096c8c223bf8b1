"""Speech recognition at an endpoint: what is uploaded, which answers are believed, and what is told of the others."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twitter_tool.http import Http
from twitter_tool.media.speech import Failed, RemoteSpeech, transcribe_remotely
from twitter_tool.media.speech.remote import MAX_REPLY_BYTES
from twitter_tool.media.speech.transcripts import Said, read_transcript, refuses_format
from twitter_tool.media.values import Heard
from twitter_tool.notes import note
from twitter_tool.usage import Usage

SOUND = bytes(range(256)) * 40
KEY = "sk-a-key-that-nobody-may-see"
SEGMENTS = {
    "text": "This must not be used.",
    "segments": [
        {"start": 12.5, "end": 14, "text": " First.", "no_speech_prob": 0.1, "avg_logprob": -0.2},
        {"start": 61, "end": 63, "text": "Second.", "no_speech_prob": 0.95, "avg_logprob": -0.2},
        {"start": 70, "end": 71, "text": "Guessed.", "no_speech_prob": 0.9, "avg_logprob": -1.5},
    ],
}


@dataclass
class Upload:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    fields: list[tuple[str, str]] = field(default_factory=list)
    sound: bytes = b""
    file: tuple[str | None, str] = (None, "")

    @property
    def format(self) -> str:
        return dict(self.fields)["response_format"]


@dataclass
class Answer:
    """What the service says."""

    status: int = 200
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def raw(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Service:
    """A speech service on this machine.

    Attributes:
        answer: decides on the answer to an upload.
        uploads: those that arrived.
        hold: while it is cleared, answers wait.
    """

    def __init__(self) -> None:
        self.uploads: list[Upload] = []
        self.answer: Callable[[Upload], Answer] = lambda _: Answer(body=SEGMENTS)
        self.hold = threading.Event()
        self.hold.set()
        self.asked = threading.Event()
        self.endpoint = ""


@pytest.fixture
def service() -> Iterator[Service]:
    served = Service()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            served.uploads.append(_parsed(self.path, dict(self.headers.items()), raw))
            served.asked.set()
            served.hold.wait()
            answer = served.answer(served.uploads[-1])
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.raw)))
            self.end_headers()
            self.wfile.write(answer.raw)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                self.close_connection = True

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        served.endpoint = f"http://127.0.0.1:{server.server_address[1]}/v1"
        try:
            yield served
        finally:
            served.hold.set()
            server.shutdown()
            thread.join()


def _parsed(path: str, headers: dict[str, str], raw: bytes) -> Upload:
    upload = Upload(path=path, headers={name.lower(): value for name, value in headers.items()})
    whole = BytesParser(policy=HTTP).parsebytes(
        b"Content-Type: " + upload.headers["content-type"].encode() + b"\r\n\r\n" + raw
    )
    for part in whole.iter_parts():
        name = part.get_param("name", header="content-disposition")
        if name == "file":
            upload.sound, upload.file = part.get_payload(decode=True), (part.get_filename(), part.get_content_type())
        else:
            upload.fields.append((str(name), part.get_payload(decode=True).decode()))
    return upload


@pytest.fixture
def mp3(tmp_path: Path) -> Path:
    path = tmp_path / "some name.mp3"
    path.write_bytes(SOUND)
    return path


@dataclass
class Outcome:
    """What came of it, and the counters."""

    found: Heard | Failed
    usage: Usage

    @property
    def heard(self) -> Heard:
        assert isinstance(self.found, Heard), self.found
        return self.found

    @property
    def failed(self) -> Failed:
        assert isinstance(self.found, Failed), self.found
        return self.found

    @property
    def counted(self) -> tuple[int, int]:
        return self.usage.stt_attempts, self.usage.stt_http_failures


async def send(service: Service, mp3: Path, *, timeout_s: float = 30, **changes: Any) -> Outcome:
    http, usage = Http(), Usage()
    try:
        remote = RemoteSpeech(**{"endpoint": service.endpoint, "model": "whisper-1", "key": KEY, **changes})
        found = await transcribe_remotely(http, remote, mp3, usage=usage, timeout_s=timeout_s)
    finally:
        await http.aclose()
    return Outcome(found, usage)


async def test_the_upload_is_what_such_services_expect(service: Service, mp3: Path) -> None:
    """The model, the sound as audio.mp3, the most telling format with times of passages, and the key as bearer."""
    await send(service, mp3)
    [upload] = service.uploads
    assert upload.path == "/v1/audio/transcriptions"
    assert upload.headers["authorization"] == f"Bearer {KEY}"
    assert sorted(upload.fields) == [
        ("model", "whisper-1"),
        ("response_format", "verbose_json"),
        ("timestamp_granularities[]", "segment"),
    ]
    assert (upload.file, upload.sound) == (("audio.mp3", "audio/mpeg"), SOUND)


@pytest.mark.parametrize(("language", "sent"), [("auto", None), ("AUTO", None), ("", None), ("de", "de"), ("EN", "en")])
async def test_the_language_is_sent_only_when_it_is_known(
    service: Service, mp3: Path, language: str, sent: str | None
) -> None:
    """To be recognised is what happens without it."""
    await send(service, mp3, language=language)
    assert dict(service.uploads[0].fields).get("language") == sent


async def test_an_endpoint_on_this_machine_needs_no_key(service: Service, mp3: Path) -> None:
    """No header is invented; a slash at the end of the address is one too many."""
    outcome = await send(service, mp3, key=None, endpoint=f"{service.endpoint}/")
    assert outcome.heard.transcript is not None
    assert "authorization" not in service.uploads[0].headers
    assert service.uploads[0].path == "/v1/audio/transcriptions"


async def test_passages_are_judged_as_local_ones_are(service: Service, mp3: Path) -> None:
    """With their seconds; the text beside them is not used."""
    outcome = await send(service, mp3)
    assert outcome.heard == Heard(transcript=outcome.heard.transcript, notes=(note("transcript_partial", count=1),))
    assert outcome.heard.transcript == "[00:12] First.\n[01:01] Second."
    assert outcome.counted == (1, 0)


async def test_text_beside_passages_is_never_used_instead_of_them(service: Service, mp3: Path) -> None:
    """Even when no passage is believed."""
    service.answer = lambda _: Answer(body={**SEGMENTS, "segments": SEGMENTS["segments"][2:]})
    assert (await send(service, mp3)).heard == Heard(notes=(note("transcript_absent", reason="nothing_said"),))


@pytest.mark.parametrize(
    ("body", "transcript", "codes"),
    [
        ({"text": "A whole sentence.\nAnd one more."}, "A whole sentence.\nAnd one more.", []),
        ({"text": "A sentence.", "segments": []}, "A sentence.", []),
        ({"text": "A sentence.", "segments": None}, "A sentence.", []),
        ({"text": "Thank you."}, None, ["transcript_discarded"]),
        ({"text": "Thank you. thank you"}, None, ["transcript_discarded"]),
        ({"text": ""}, None, ["transcript_absent"]),
        ({"segments": [{"text": "No time and no probability."}]}, "No time and no probability.", []),
        ({"segments": [{"text": "Said.", "start": "3"}, {"text": 4}, 5]}, "Said.", ["transcript_partial"]),
        ({"segments": [{"text": "Bye!", "start": 1}]}, None, ["transcript_discarded"]),
        ({"segments": [{"text": "With words.", "start": 1, "words": [{"word": "With", "start": 8.2}]}]},
         "[00:08] With words.", []),
        ({"segments": [{"text": "Odd words.", "start": 1, "words": [{"word": "Odd"}, 7]}]}, "[00:01] Odd words.", []),
        ({"segments": [{"text": "Odd words.", "start": True, "words": "none"}]}, "Odd words.", []),
    ],
)  # fmt: skip
async def test_whatever_shape_an_answer_has_it_is_judged(
    service: Service, mp3: Path, body: dict[str, Any], transcript: str | None, codes: list[str]
) -> None:
    """Services send less than they were asked for; phrases that recognisers make up are found in every shape."""
    service.answer = lambda _: Answer(body=body)
    outcome = await send(service, mp3)
    assert outcome.heard.transcript == transcript
    assert [entry.code for entry in outcome.heard.notes] == codes


REFUSALS = [
    "response_format 'verbose_json' is not compatible with model",
    "Unsupported response format",
    "unknown value: VERBOSE_JSON",
    "timestamp_granularities is not supported",
    "timestamp granularity cannot be chosen",
]


@pytest.mark.parametrize("status", [400, 415, 422])
@pytest.mark.parametrize("words", REFUSALS)
async def test_a_refused_format_is_followed_by_a_simpler_one(
    service: Service, mp3: Path, status: int, words: str
) -> None:
    """The detailed one, then plain JSON, then text; each upload and each refusal is counted."""

    def answer(upload: Upload) -> Answer:
        if upload.format != "text":
            return Answer(status=status, body={"error": {"message": words}})
        return Answer(body=b"Spoken as text.\n")

    service.answer = answer
    outcome = await send(service, mp3)
    assert [upload.format for upload in service.uploads] == ["verbose_json", "json", "text"]
    assert ["timestamp_granularities[]" in dict(upload.fields) for upload in service.uploads] == [True, False, False]
    assert [upload.sound for upload in service.uploads] == [SOUND] * 3
    assert outcome.heard == Heard(transcript=outcome.heard.transcript)
    assert outcome.heard.transcript == "Spoken as text."
    assert outcome.counted == (3, 2)


async def test_the_second_format_is_enough_when_it_is_accepted(service: Service, mp3: Path) -> None:
    """No third upload."""
    service.answer = lambda upload: (
        Answer(status=400, body=b"no verbose_json here")
        if upload.format == "verbose_json"
        else Answer(body={"text": "Ok."})
    )
    outcome = await send(service, mp3)
    assert outcome.heard.transcript == "Ok."
    assert outcome.counted == (2, 1)


async def test_when_every_format_is_refused_the_last_refusal_is_told(service: Service, mp3: Path) -> None:
    """Three uploads and no more."""
    service.answer = lambda upload: Answer(status=422, body=f"bad response_format {upload.format}".encode())
    outcome = await send(service, mp3)
    assert outcome.failed == Failed(reason="it answered with status 422: bad response_format text", status=422)
    assert outcome.counted == (3, 3)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, "invalid model"),
        (415, "Unsupported audio format"),
        (401, "response_format is fine, your key is not"),
        (403, "verbose_json"),
        (404, "not found"),
        (413, "too large for verbose_json"),
        (429, "slow down"),
        (500, "verbose_json failed"),
        (503, ""),
    ],
)
async def test_any_other_refusal_is_final_and_told_with_its_status(
    service: Service, mp3: Path, status: int, body: str
) -> None:
    """One upload; a word about the format in another status means nothing."""
    service.answer = lambda _: Answer(status=status, body=body.encode())
    outcome = await send(service, mp3)
    said = f": {body}" if body else ""
    assert outcome.failed == Failed(reason=f"it answered with status {status}{said}", status=status)
    assert outcome.counted == (1, 1)


async def test_a_redirect_is_not_followed(service: Service, mp3: Path) -> None:
    """The sound was meant for one address only."""
    service.answer = lambda _: Answer(status=307, headers={"Location": f"{service.endpoint}/elsewhere"})
    outcome = await send(service, mp3)
    assert outcome.failed.status == 307
    assert len(service.uploads) == 1
    assert outcome.counted == (1, 1)


async def test_words_of_the_service_are_short_clean_and_without_the_key(service: Service, mp3: Path) -> None:
    """At most 200 characters on one line, whatever it sends."""
    service.answer = lambda _: Answer(status=401, body=f"Wrong\n\n  key {KEY}\x1b[31m\u202e ".encode() + b"x" * 5_000)
    reason = (await send(service, mp3)).failed.reason
    start = "it answered with status 401: "
    assert reason.startswith(f"{start}Wrong key [removed] ")
    assert len(reason) == len(start) + 200
    assert KEY not in reason
    assert reason.isprintable()


@pytest.mark.parametrize("body", [b"<html><body>Bad Gateway</body></html>", b"\xff\xfe", b"   "])
async def test_markup_and_bytes_are_not_shown(service: Service, mp3: Path, body: bytes) -> None:
    """The status says enough."""
    service.answer = lambda _: Answer(status=502, body=body)
    assert "<" not in (await send(service, mp3)).failed.reason


async def test_a_key_that_a_service_sends_back_as_a_transcript_is_removed(service: Service, mp3: Path) -> None:
    """In passages and in plain text."""
    service.answer = lambda _: Answer(body={"segments": [{"text": f"key {KEY}", "start": 0}]})
    assert (await send(service, mp3)).heard.transcript == "[00:00] key [removed]"
    service.answer = lambda _: Answer(body={"text": f"key {KEY}"})
    assert (await send(service, mp3)).heard.transcript == "key [removed]"


@pytest.mark.parametrize(
    "body",
    [b"<!doctype html><p>Sign in</p>", b"not json", b"[]", b"{", b'{"text": null}', b'{"error": "busy"}', b"\xff"],
)
async def test_an_answer_without_a_transcript_is_a_failure(service: Service, mp3: Path, body: bytes) -> None:
    """A page of a portal is no speech, though its status is 200; nothing is uploaded again."""
    service.answer = lambda _: Answer(body=body)
    outcome = await send(service, mp3)
    assert outcome.failed == Failed(reason="its answer holds no transcript", status=200)
    assert outcome.counted == (1, 0)


async def test_an_answer_that_is_too_large_is_not_read(service: Service, mp3: Path) -> None:
    """A megabyte holds a day of speech."""
    service.answer = lambda _: Answer(body=b'{"text": "' + b"a" * MAX_REPLY_BYTES + b'"}')
    outcome = await send(service, mp3)
    assert "larger than" in outcome.failed.reason
    assert outcome.failed.status == 200


async def test_a_service_that_is_not_there_is_a_failure(service: Service, mp3: Path) -> None:
    """Counted as an upload without an answer."""
    outcome = await send(service, mp3, endpoint="http://127.0.0.1:1/v1")
    assert outcome.failed.status is None
    assert "127.0.0.1" not in outcome.failed.reason
    assert outcome.counted == (1, 1)


async def test_a_service_that_does_not_answer_is_given_up_when_the_time_is_over(service: Service, mp3: Path) -> None:
    """All uploads share the time that is left; without any, nothing is sent."""
    service.hold.clear()
    outcome = await send(service, mp3, timeout_s=0.2)
    assert "within" in outcome.failed.reason
    assert outcome.counted == (1, 1)
    service.uploads.clear()
    outcome = await send(service, mp3, timeout_s=0)
    assert (service.uploads, outcome.counted) == ([], (0, 0))


async def test_cancelling_ends_the_upload(service: Service, mp3: Path) -> None:
    """The connection goes with it."""
    service.hold.clear()
    work = asyncio.ensure_future(send(service, mp3))
    await asyncio.to_thread(service.asked.wait)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work


@pytest.mark.parametrize(
    "changes",
    [
        {"endpoint": "http://speech.test/v1"},
        {"endpoint": "ftp://127.0.0.1/v1"},
        {"endpoint": "https://user:word@speech.test/v1"},
        {"endpoint": "https://speech.test/v1", "key": None},
        {"endpoint": "https://speech.test/v1", "key": "two\nlines"},
        {"endpoint": "not an address"},
    ],
)
async def test_nothing_leaves_for_a_place_that_is_not_safe(
    service: Service, mp3: Path, changes: dict[str, Any]
) -> None:
    """Neither unencrypted to another machine, nor to a foreign one without the key that was meant for it."""
    outcome = await send(service, mp3, **changes)
    assert outcome.failed.reason.startswith("nothing was sent to the endpoint: ")
    assert outcome.counted == (0, 0)
    assert "word" not in outcome.failed.reason
    assert "lines" not in outcome.failed.reason


def test_the_key_is_not_part_of_what_a_service_is_called() -> None:
    """Neither when it is printed nor in the identity that cached work is kept under."""
    remote = RemoteSpeech(endpoint="https://speech.test/v1", model="m", key=KEY, language="DE")
    assert KEY not in repr(remote)
    assert remote.identity == "https://speech.test/v1 m de"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"Plain words.\n", "Plain words.\n"),
        (b'"Words as JSON."', "Words as JSON."),
        (b'"Quoted," she said.', '"Quoted," she said.'),
        (b'{"text": "An object all the same."}', "An object all the same."),
        (b"", ""),
    ],
)
def test_text_is_read_in_each_of_its_spellings(body: bytes, text: str) -> None:
    """Some services wrap it, some do not."""
    assert read_transcript(body, "text") == Said(text=text)


@pytest.mark.parametrize("body", [b"<!DOCTYPE html>", b"\n <html><body>Sign in", b"<?xml version='1.0'?>", b" {broken"])
def test_a_page_is_no_text_although_it_is_one(body: bytes) -> None:
    """What a portal answers must not be quoted as speech."""
    assert read_transcript(body, "text") is None


@given(st.binary(max_size=60), st.sampled_from(["verbose_json", "json", "text"]))
def test_no_bytes_break_the_reader(body: bytes, wanted: Any) -> None:
    """An answer is a transcript or none."""
    assert isinstance(read_transcript(body, wanted), Said | None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["text", "segments", "start", "end", "words", "no_speech_prob", "avg_logprob"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_no_value_in_an_answer_breaks_the_reader(value: Any) -> None:
    """Whatever stands where a number or a list should stand; all passages are read or counted."""
    body = {"segments": value, "text": "flat"}
    said = read_transcript(json.dumps(body).encode(), "verbose_json")
    assert said is not None
    if isinstance(value, list) and value:
        assert len(said.segments) + said.lost == len(value)
        assert said.text == ""
    else:
        assert said == Said(text="flat")


@given(st.integers(200, 599), st.text(max_size=40))
def test_only_three_statuses_can_be_about_the_format(status: int, words: str) -> None:
    """And only with a word about it."""
    named = any(part in words.lower().replace("_", "").replace(" ", "") for part in ("responseformat", "verbosejson"))
    if status not in (400, 415, 422):
        assert not refuses_format(status, f"{words} verbose_json".encode())
    elif not named:
        assert refuses_format(status, f"{words} response format".encode())
    assert not refuses_format(status, None)
