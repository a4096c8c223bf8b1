"""Look-ups of one or two requests: posts by id, trends, accounts, Spaces, articles."""

from __future__ import annotations

from typing import Any

import pytest
from wire_bodies import Body, Run, figures, ids, raw_post

from twitter_tool.errors import SetupError, TwitterToolError, UpstreamError
from twitter_tool.records import Account, Article, Document, Trend

ARTICLE = {"mode": "article", "tweet": "50"}
ANN = {"userName": "ann", "id": "9"}
BODY = {"article": {"title": "T", "author": ANN, "contents": [{"text": "A"}, {"text": "B"}]}, "status": "success"}
SOURCE = {"tweets": [raw_post(50, author=ANN)], "status": "success"}


def tweets(*names: Any) -> dict[str, Any]:
    return {"mode": "tweets", "ids": [str(name) for name in names]}


async def failed(run: Run) -> TwitterToolError:
    with pytest.raises(TwitterToolError) as caught:
        await run()
    return caught.value


def rejected(**more: Any) -> UpstreamError:
    return UpstreamError("upstream_rejected", "down", **more)


async def test_batches_run_one_after_another_and_keep_upstream_s_order() -> None:
    """Sixty ids are two requests; the result is not sorted into the order of the request."""
    run = Run(tweets(*range(1, 61)), [{"tweets": [raw_post(3), raw_post(1)]}, {"tweets": [raw_post(60)]}])
    reading = await run()
    assert [sent["tweet_ids"].split(",") for sent in run.script.sent] == [
        [str(number) for number in range(1, 51)],
        [str(number) for number in range(51, 61)],
    ]
    assert ids(reading) == ["3", "1", "60"]
    assert (reading.stop, reading.pages) == ("single", 2)
    assert run.events == ["reading posts batch 1/2", "reading posts batch 2/2"]
    assert run.usage.posts_returned == 3


async def test_a_failed_batch_fails_the_whole_look_up() -> None:
    """Nothing of the first batch is shown, and no id is called missing."""
    for second in (rejected(http_status=500), {}, {"tweets": "x"}):
        error = await failed(Run(tweets(*range(1, 61)), [{"tweets": [raw_post(1)]}, second]))
        assert error.pages_accepted == 1
        assert "51" not in error.message
    error = await failed(Run(tweets(1), [rejected(http_status=500)]))
    assert error.pages_accepted is None


async def test_a_failed_first_batch_is_the_last_one() -> None:
    """The second is not tried."""
    run = Run(tweets(*range(1, 61)), [rejected(), {"tweets": []}])
    await failed(run)
    assert run.script.left == 1


async def test_ids_that_did_not_come_back_are_named_in_the_order_asked() -> None:
    """All of them, however many."""
    reading = await Run(tweets(5, 1, 2, 4, 3), [{"tweets": [raw_post(number) for number in (3, 1, 2)]}])()
    assert figures(reading)["ids_missing"] == {"count": 2, "ids": ["5", "4"]}
    reading = await Run(tweets(*range(40)), [{"tweets": []}])()
    assert len(figures(reading)["ids_missing"]["ids"]) == 40


@pytest.mark.parametrize(
    ("asked", "row", "missing"),
    [
        (["9"], {"url": "https://x.com/a/status/9", "text": "x"}, None),
        (["1", "https://x.com/a/status/1"], raw_post(1), None),
        (["9"], {"id": 9, "url": "https://x.com/a/status/9", "text": "x"}, None),
        (["9"], {"id": "8", "url": "https://x.com/a/status/9", "text": "x"}, ["9"]),
        (["9"], {"id": "nine", "url": "https://x.com/a/status/9", "text": "x"}, ["9"]),
        (["9"], {"url": "https://e.org/a/status/9", "text": "x"}, ["9"]),
        (["9"], {"id": "9"}, ["9"]),
        (["7", "007"], raw_post("007"), ["7"]),
    ],
)
async def test_an_id_came_back_when_a_post_has_it_or_has_no_other_and_links_to_it(
    asked: list[str], row: Body, missing: list[str] | None
) -> None:
    """Places in the answer do not matter."""
    found = figures(await Run({"mode": "tweets", "ids": asked}, [{"tweets": [row]}])())
    assert found.get("ids_missing", {}).get("ids") == missing


async def test_a_post_that_two_batches_returned_is_one() -> None:
    """Its id came back, both times."""
    answers = [{"tweets": [raw_post(1)]}, {"tweets": [raw_post(1), {}]}]
    run = Run(tweets(*range(1, 61)), answers)
    reading = await run()
    assert ids(reading) == ["1"]
    assert run.usage.posts_returned == 3
    assert figures(reading)["read_from"] == {"what": "tweets", "count": 1, "pages": 2}


async def test_null_rows_of_a_look_up_are_none() -> None:
    """An absent list is malformed."""
    assert (await Run(tweets(1), [{"tweets": None}])()).records == ()
    assert (await failed(Run(tweets(1), [{}]))).code == "upstream_malformed"
    assert (await Run({"mode": "trends", "woeid": 1}, [{"trends": None}])()).records == ()
    for body in ({}, {"trends": {}}, {"data": []}):
        error = await failed(Run({"mode": "trends", "woeid": 1}, [body]))
        assert (error.code, error.http_status) == ("upstream_malformed", 200)
        assert "trends" in error.message


async def test_trends_are_read_whole_whatever_count_was_asked_for() -> None:
    """The count is upstream's business."""
    rows = [{"trend": {"name": f"n{number}"}} for number in range(40)]
    run = Run({"mode": "trends", "woeid": 1, "count": 30}, [{"trends": [*rows, rows[0]]}])
    reading = await run()
    assert len(reading.records) == 40
    assert all(isinstance(record, Trend) for record in reading.records)
    assert (reading.stop, run.usage.trends_returned) == ("single", 41)
    assert run.events == ["reading trends of place 1"]
    assert figures(reading) == {}


PROFILE = {"mode": "profile", "user": "grok"}
ABOUT = {"mode": "about", "user": "grok"}


@pytest.mark.parametrize(("arguments", "kind"), [(PROFILE, Account), (ABOUT, Document)])
async def test_one_account_is_looked_up_once(arguments: dict[str, Any], kind: type) -> None:
    """As an account, or as the fields of its about page."""
    run = Run(arguments, [{"data": {"userName": "grok"}, "status": "success"}])
    reading = await run()
    assert [type(record) for record in reading.records] == [kind]
    assert (reading.stop, run.usage.accounts_returned) == ("single", 1)
    assert figures(reading)["read_from"] == {"what": arguments["mode"], "handle": "grok", "count": 1, "pages": 1}
    assert len(run.events) == 1
    assert run.events[0].startswith("reading the ")


@pytest.mark.parametrize("arguments", [PROFILE, ABOUT])
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"data": None}, "not_found"),
        ({"data": {}}, "not_found"),
        ({"data": {"name": "x", "userName": None}}, "not_found"),
        ({}, "upstream_malformed"),
        ({"data": []}, "upstream_malformed"),
        ({"data": "x"}, "upstream_malformed"),
    ],
)
async def test_an_account_that_did_not_come_is_not_found_or_the_answer_is_malformed(
    arguments: dict[str, Any], body: Body, code: str
) -> None:
    """The error names who was asked for."""
    error = await failed(Run(arguments, [body]))
    assert (error.code, error.http_status, error.retryable) == (code, 200, False)
    assert "@grok" in error.message


async def test_an_about_page_may_stand_at_the_top() -> None:
    """Unless data says null."""
    body = {"userName": "grok", "status": "success"}
    assert len((await Run(ABOUT, [body])()).records) == 1
    assert (await failed(Run(ABOUT, [{**body, "data": None}]))).code == "not_found"
    assert (await failed(Run(PROFILE, [body]))).code == "upstream_malformed"


def gone(**raw: Any) -> Body:
    return {"status": "success", "data": {"userName": "bob", "id": "5", "unavailable": True, **raw}}


async def test_an_unavailable_profile_is_an_error_with_upstream_s_reason() -> None:
    """No placeholder, one request."""
    run = Run({"mode": "profile", "user": "bob"}, [gone(unavailableReason="Suspended", message="m")])
    error = await failed(run)
    assert (error.code, error.http_status, error.retryable) == ("account_unavailable", 200, False)
    assert "@bob" in error.message
    assert "Suspended" in error.message
    assert "claim" in str(error.hint)
    assert len(run.script.requests) == 1


@pytest.mark.parametrize("raw", [{}, {"unavailableReason": 5}, {"unavailableReason": "<b>gone</b>"}, {"message": " "}])
async def test_a_reason_that_is_missing_or_unsafe_is_left_out(raw: Body) -> None:
    """The message stays neutral."""
    error = await failed(Run({"mode": "profile", "user": "bob"}, [gone(**raw)]))
    assert error.message == "upstream says that @bob is unavailable"


async def test_a_reason_is_one_short_line_without_the_key() -> None:
    """Even when upstream repeats it."""
    hostile = "x\n[1] @evil\u202e\x1b[31m secret-key-1 " + "y" * 300
    run = Run({"mode": "profile", "user": "bob"}, [gone(unavailableReason=hostile)], secrets=("secret-key-1",))
    message = (await failed(run)).message
    reason = message.partition("unavailable: ")[2]
    assert len(reason) <= 100
    assert reason.startswith("x \u23ce [1] @evil [removed] yyy")
    assert message.isprintable()


@pytest.mark.parametrize("flag", [False, "true", 1, None])
async def test_only_true_makes_a_profile_unavailable(flag: Any) -> None:
    """Anything else is a profile."""
    reading = await Run({"mode": "profile", "user": "bob"}, [gone(unavailable=flag, unavailableReason="x")])()
    assert isinstance(reading.records[0], Account)


async def test_unavailable_is_a_matter_of_profiles_only() -> None:
    """An about page is shown with what it has."""
    assert len((await Run({"mode": "about", "user": "bob"}, [gone()])()).records) == 1


SPACE = {"mode": "space", "spaceId": "1Ab"}


@pytest.mark.parametrize(
    "body",
    [
        {"detail": {"title": "Live"}},
        {"data": {"title": "Live"}},
        {"detail": {"title": "Live"}, "data": {"title": "other"}},
        {"detail": None, "data": {"title": "Live"}},
        {"detail": "words", "data": {"title": "Live"}},
    ],
)
async def test_a_space_stands_under_detail_or_data(body: Body) -> None:
    """Detail first, when it is an object."""
    run = Run(SPACE, [body])
    (record,) = (await run()).records
    assert isinstance(record, Document)
    assert [(field.key, field.value) for field in record.fields] == [("title", "Live")]
    assert run.events == ["reading Space 1Ab"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"detail": None}, "not_found"),
        ({"data": None, "status": "success"}, "not_found"),
        ({}, "upstream_malformed"),
        ({"detail": []}, "upstream_malformed"),
        ({"data": "x"}, "upstream_malformed"),
    ],
)
async def test_a_space_without_detail_is_an_error(body: Body, code: str) -> None:
    """Null is nothing; another shape is malformed."""
    error = await failed(Run(SPACE, [body]))
    assert (error.code, error.http_status) == (code, 200)
    assert "1Ab" in error.message


async def test_a_space_with_nothing_to_read_is_an_empty_result() -> None:
    """No document without fields."""
    reading = await Run(SPACE, [{"detail": {"title": "", "x": None}}])()
    assert (reading.records, reading.stop) == ((), "single")


async def test_an_article_is_read_and_then_the_post_that_vouches_for_it() -> None:
    """In that order, with the same id, each at most a mebibyte, without echoing upstream's words."""
    run = Run(ARTICLE, [BODY, SOURCE], settings={"max_pages": 2})
    reading = await run()
    assert [(request.path, dict(request.params)) for request in run.script.requests] == [
        ("/twitter/article", {"tweet_id": "50"}),
        ("/twitter/tweets", {"tweet_ids": "50"}),
    ]
    assert all(request.max_bytes == 1024 * 1024 and not request.echo_detail for request in run.script.requests)
    (record,) = reading.records
    assert isinstance(record, Article)
    assert (record.permalink, [block.text for block in record.blocks]) == ("https://x.com/ann/status/50", ["A", "B"])
    assert (reading.stop, reading.pages, figures(reading)) == ("single", 2, {})
    assert run.events == ["reading article", "reading source post"]
    assert (run.usage.upstream_attempts, run.usage.posts_returned) == (2, 1)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (rejected(http_status=500), "upstream_rejected"),
        (UpstreamError("upstream_malformed", "x", body_fault="oversize"), "upstream_malformed"),
        ({"article": None}, "not_found"),
        ({"article": {}}, "not_found"),
        ({"article": {"contents": [{"type": "image"}]}}, "not_found"),
        ({"article": []}, "upstream_malformed"),
        ({}, "upstream_malformed"),
    ],
)
async def test_a_failed_article_is_not_followed_by_a_look_up(answer: Any, code: str) -> None:
    """One request, and nothing was accepted before it."""
    run = Run(ARTICLE, [answer, SOURCE])
    error = await failed(run)
    assert (error.code, error.pages_accepted, run.script.left) == (code, None, 1)


async def test_an_article_with_a_title_and_no_blocks_is_shown() -> None:
    """It is partial, not missing."""
    (record,) = (await Run(ARTICLE, [{"article": {"title": "T", "author": ANN}}, SOURCE])()).records
    assert isinstance(record, Article)
    assert (record.title, record.blocks) == ("T", ())


BAD_PROVENANCE: list[tuple[Any, str]] = [
    ({"tweets": []}, "missing"),
    ({"tweets": None}, "missing"),
    ({"tweets": [raw_post(51)]}, "missing"),
    ({"tweets": [raw_post(50, author={"userName": "bob"})]}, "conflicting"),
    ({"tweets": [raw_post(50, url=None, author=ANN)]}, "invalid"),
    ({"tweets": [raw_post(50), raw_post(50, url="https://x.com/bob/status/50")]}, "ambiguous"),
    ({}, "malformed"),
    ({"tweets": {}}, "malformed"),
    (UpstreamError("upstream_malformed", "x", body_fault="malformed"), "malformed"),
    (UpstreamError("upstream_malformed", "x", body_fault="oversize"), "oversize"),
    (UpstreamError("upstream_rejected", "x", body_fault="failed"), "failed"),
    (UpstreamError("not_found", "x", body_fault="not_found"), "missing"),
]


@pytest.mark.parametrize(("second", "reason"), BAD_PROVENANCE)
async def test_bad_provenance_keeps_the_body_without_a_source_and_says_why(second: Any, reason: str) -> None:
    """The text is there, only its origin is not proven."""
    reading = await Run(ARTICLE, [BODY, second])()
    (record,) = reading.records
    assert isinstance(record, Article)
    assert (record.permalink, len(record.blocks)) == (None, 2)
    assert figures(reading) == {"article_source": {"reason": reason}}


@pytest.mark.parametrize(
    "second",
    [
        rejected(http_status=500),
        UpstreamError("not_found", "x", http_status=404),
        UpstreamError("upstream_unavailable", "x", retryable=True),
        SetupError("credits_exhausted", "x", http_status=402),
    ],
)
async def test_a_failed_provenance_request_fails_the_call(second: TwitterToolError) -> None:
    """The article was accepted before it, and may be billed again."""
    error = await failed(Run(ARTICLE, [BODY, second]))
    assert error is second
    assert error.pages_accepted == 1


async def test_a_caller_s_own_words_are_cleaned_in_progress_and_errors() -> None:
    """They reach a terminal."""
    run = Run({"mode": "profile", "user": "a\nb\x1b[31m"}, [{"data": None}])
    error = await failed(run)
    assert error.message.isprintable()
    assert all(event.isprintable() for event in run.events)
    run = Run({"mode": "profile", "user": "a\nb"}, [gone(unavailableReason="x")])
    assert (await failed(run)).message.isprintable()
