"""Raw arguments become one checked request, or one refusal that says everything wrong with them."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twitter_tool.errors import RequestError
from twitter_tool.modes.registry import MODES
from twitter_tool.modes.request import CallRequest, parse

OWN: dict[str, dict[str, Any]] = {
    "posts": {
        "allowed_x_handles": ["ann"],
        "excluded_x_handles": ["bob"],
        "from_date": "2026-09-01",
        "to_date": "2026-09-02",
        "queryType": "Top",
        "count": 5,
    },
    "users": {"count": 5},
    "thread": {"tweet": "7"},
    "user": {"user": "ann", "userId": "42", "includeReplies": True, "limit": 5},
    "trends": {"woeid": 1, "count": 30},
    "replies": {"tweet": "7", "replySort": "Latest", "limit": 5, "sinceTime": 1, "untilTime": 2},
    "quotes": {"tweet": "7", "sinceTime": 1, "untilTime": 2, "includeReplies": False, "limit": 5},
    "mentions": {"user": "ann", "sinceTime": 1, "untilTime": 2, "limit": 5},
    "followers": {"user": "ann", "pageSize": 20, "limit": 5},
    "followings": {"user": "ann", "pageSize": 20, "limit": 5},
    "profile": {"user": "ann"},
    "about": {"user": "ann"},
    "tweets": {"ids": ["7"]},
    "retweeters": {"tweet": "7", "limit": 5},
    "community": {"communityId": "1", "limit": 5},
    "list": {"listId": "1", "limit": 5},
    "space": {"spaceId": "1"},
    "article": {"tweet": "7"},
}
NEEDED = {
    "posts": {},
    "users": {},
    "thread": {"tweet": "7"},
    "user": {"user": "ann"},
    "trends": {"woeid": 1},
    "replies": {"tweet": "7"},
    "quotes": {"tweet": "7"},
    "mentions": {"user": "ann"},
    "followers": {"user": "ann"},
    "followings": {"user": "ann"},
    "profile": {"user": "ann"},
    "about": {"user": "ann"},
    "tweets": {"ids": ["7"]},
    "retweeters": {"tweet": "7"},
    "community": {"communityId": "1"},
    "list": {"listId": "1"},
    "space": {"spaceId": "1"},
    "article": {"tweet": "7"},
}
NAMES = sorted({name for own in OWN.values() for name in own})


def accepted(mode: str, **own: Any) -> CallRequest:
    return parse({"query": "q", "mode": mode, **NEEDED[mode], **own})


def refused(arguments: Any) -> RequestError:
    with pytest.raises(RequestError) as caught:
        parse(arguments)
    error = caught.value
    assert error.code == "invalid_request"
    assert error.retryable is False
    assert "\n" not in error.message
    return error


def refused_in(mode: str, **own: Any) -> RequestError:
    return refused({"query": "q", "mode": mode, **NEEDED[mode], **own})


def test_the_modes_are_a_closed_set_and_posts_is_the_default() -> None:
    """Eighteen modes; without one, posts are searched."""
    assert set(MODES) == set(OWN)
    assert len(MODES) == 18
    assert parse({"query": "q"}).mode.name == "posts"
    assert parse({"query": "q", "mode": None}).mode.name == "posts"


@pytest.mark.parametrize("mode", ["search", "Posts", "", 1, ["posts"], True])
def test_an_unknown_mode_is_refused_with_the_list_of_modes(mode: Any) -> None:
    """Whatever else is wrong, the mode comes first and all legal ones are named."""
    error = refused({"mode": mode, "colour": "red"})
    assert all(name in error.message for name in MODES)


def test_a_mistyped_mode_gets_the_nearest_one_in_the_hint() -> None:
    """A near miss is worth a suggestion."""
    assert "'replies'" in str(refused({"query": "q", "mode": "replys"}).hint)


@pytest.mark.parametrize("query", ["", "   ", "\n\t", None, 5, ["q"], True, {"a": 1}])
@pytest.mark.parametrize("mode", sorted(OWN))
def test_a_question_is_needed_in_every_mode(mode: str, query: Any) -> None:
    """Even where another parameter would locate the data."""
    assert "query" in refused({"query": query, "mode": mode, **NEEDED[mode]}).message


def test_the_question_is_trimmed() -> None:
    """What is sent and echoed has no blanks around it."""
    assert parse({"query": "  two words \n"}).query == "two words"


@pytest.mark.parametrize("mode", sorted(OWN))
def test_both_kinds_of_output_work_in_every_mode_and_answers_are_the_default(mode: str) -> None:
    """The two output values are legal everywhere."""
    assert accepted(mode).output == "answer"
    assert accepted(mode, output=None).output == "answer"
    assert accepted(mode, output="answer").output == "answer"
    assert accepted(mode, output="posts").output == "posts"


@pytest.mark.parametrize("output", ["text", "Posts", "", 1, True, ["posts"]])
def test_another_output_is_refused(output: Any) -> None:
    """Nothing is guessed from an unknown output."""
    assert "output" in refused_in("posts", output=output).message


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", sorted(OWN))
def test_each_mode_takes_its_own_parameters_and_refuses_all_others(mode: str, name: str) -> None:
    """The matrix of modes and parameters, cell by cell, with a value that is legal elsewhere and with null."""
    value = next(own[name] for own in OWN.values() if name in own)
    if name in OWN[mode]:
        own = {"untilTime": 9, name: value} if name == "untilTime" else {name: value}
        accepted(mode, **{**own, name: OWN[mode][name]})
        return
    for given_value in (value, None):
        error = refused_in(mode, **{name: given_value})
        assert name in error.message
        assert repr(mode) in error.message
        owners = [other for other, own in OWN.items() if name in own]
        assert all(owner in str(error.hint) for owner in owners)


def test_every_misplaced_parameter_is_named_at_once() -> None:
    """One refusal for all of them, whatever their values."""
    error = refused({"query": "q", "mode": "users", "excluded_x_handles": ["spam"], "from_date": "2026-09-01"})
    assert "excluded_x_handles" in error.message
    assert "from_date" in error.message


def test_a_name_that_no_mode_has_is_refused_with_the_nearest_known_one() -> None:
    """Null does not excuse it."""
    assert "'replySort'" in str(refused_in("replies", reply_sort="Latest").hint)
    assert "colour" in refused_in("replies", colour=None).message


@pytest.mark.parametrize(("mode", "name"), [(mode, name) for mode in NEEDED for name in NEEDED[mode]])
@pytest.mark.parametrize("value", ["absent", None, "", "   "])
def test_a_missing_or_blank_required_parameter_is_named(mode: str, name: str, value: Any) -> None:
    """Absent, null and blank are the same."""
    own = {key: kept for key, kept in NEEDED[mode].items() if key != name}
    given_own = own if value == "absent" else {**own, name: value}
    assert name in refused({"query": "q", "mode": mode, **given_own}).message


@pytest.mark.parametrize("user", ["@", " @@ ", "@ "])
@pytest.mark.parametrize("mode", ["user", "mentions", "followers", "followings", "profile", "about"])
def test_a_handle_of_nothing_but_at_signs_is_blank(mode: str, user: str) -> None:
    """It names nobody."""
    assert "user" in refused_in(mode, user=user).message


def test_one_account_parameter_is_enough_for_a_timeline() -> None:
    """A blank handle beside an id is not in the way; two blanks are."""
    assert parse({"query": "q", "mode": "user", "userId": " 42 "}).params.model_dump()["userId"] == "42"
    parse({"query": "q", "mode": "user", "user": "", "userId": "42"})
    refused({"query": "q", "mode": "user", "user": " ", "userId": " "})
    refused({"query": "q", "mode": "user", "userId": ""})
    refused({"query": "q", "mode": "user", "user": None, "userId": None})


def test_null_counts_as_left_out_where_the_parameter_applies() -> None:
    """For callers whose schema forces every name to be present."""
    nulls = dict.fromkeys(OWN["posts"])
    assert accepted("posts", **nulls).params == accepted("posts").params
    assert accepted("quotes", sinceTime=None, untilTime=5).params.model_dump()["sinceTime"] is None
    assert accepted("replies", replySort=None).params.model_dump()["replySort"] is None


LIMITS = [
    ("posts", "count", 1, 50),
    ("users", "count", 1, 50),
    ("trends", "count", 30, 10_000),
    ("trends", "woeid", -5, 0),
    ("followers", "pageSize", 20, 200),
    ("followings", "pageSize", 20, 200),
    *((mode, "limit", 1, 1000) for mode in OWN if "limit" in OWN[mode]),
]
OUTSIDE = [
    ("posts", "count", [0, 51, -1]),
    ("users", "count", [0, 51]),
    ("trends", "count", [10, 29]),
    ("followers", "pageSize", [19, 201]),
    ("followings", "pageSize", [19, 201]),
    *((mode, "limit", [0, 1001, -1]) for mode in OWN if "limit" in OWN[mode]),
]


@pytest.mark.parametrize(("mode", "name", "low", "high"), LIMITS)
def test_both_ends_of_a_range_are_legal_also_as_integral_floats(mode: str, name: str, low: int, high: int) -> None:
    """``20.0`` is the integer 20."""
    for value in (low, high):
        assert accepted(mode, **{name: value}).params.model_dump()[name] == value
        read = accepted(mode, **{name: float(value)}).params.model_dump()[name]
        assert read == value
        assert type(read) is int


@pytest.mark.parametrize(("mode", "name", "values"), OUTSIDE)
def test_numbers_outside_their_range_are_refused_with_the_range(mode: str, name: str, values: list[int]) -> None:
    """The message gives what is allowed and what was given."""
    for value in values:
        message = refused_in(mode, **{name: value}).message
        assert name in message
        assert str(value) in message


NO_INTEGERS = [True, False, "5", "", 1.5, math.nan, math.inf, -math.inf, [5], {"a": 1}, 10**400, 1e300]


@pytest.mark.parametrize("value", NO_INTEGERS)
@pytest.mark.parametrize(
    ("mode", "name"),
    [
        ("posts", "count"),
        ("trends", "woeid"),
        ("list", "limit"),
        ("followers", "pageSize"),
        ("quotes", "sinceTime"),
        ("replies", "untilTime"),
    ],
)
def test_what_is_no_whole_number_is_refused_wherever_one_is_expected(mode: str, name: str, value: Any) -> None:
    """Booleans, strings, fractions and numbers beyond reason are never coerced."""
    message = refused_in(mode, **{name: value}).message
    told = (f"{name} must be a whole number, not ", f"{name} must be a smaller number", f"mode '{mode}' needs {name}")
    assert message.startswith(told)


@pytest.mark.parametrize("value", ["true", 1, 0, "", []])
@pytest.mark.parametrize("mode", ["user", "quotes"])
def test_a_switch_is_a_boolean(mode: str, value: Any) -> None:
    """Nothing stands for true or false but true and false."""
    assert "includeReplies" in refused_in(mode, includeReplies=value).message


@pytest.mark.parametrize(
    ("mode", "name", "value"),
    [
        ("posts", "queryType", "latest"),
        ("posts", "queryType", "Likes"),
        ("posts", "queryType", ["Top"]),
        ("replies", "replySort", "likes"),
        ("replies", "replySort", ""),
        ("replies", "replySort", 1),
    ],
)
def test_closed_value_sets_are_case_sensitive(mode: str, name: str, value: Any) -> None:
    """Only the listed spellings."""
    assert name in refused_in(mode, **{name: value}).message


@pytest.mark.parametrize("name", ["allowed_x_handles", "excluded_x_handles"])
def test_handles_are_trimmed_lose_one_at_sign_and_keep_case_and_repetition(name: str) -> None:
    """They are written as the caller knows them."""
    found = accepted("posts", **{name: [" @Ann_1 ", "bob", "bob", "x" * 15]}).params.model_dump()[name]
    assert found == ("Ann_1", "bob", "bob", "x" * 15)
    assert accepted("posts", **{name: []}).params == accepted("posts").params


@pytest.mark.parametrize(
    "entry", ["a b", "@@a", "", " ", "@", "x" * 16, "ann\nbob", "\uff11\uff12", "a\u0301", "é", "a-b", 5, None, ["a"]]
)
@pytest.mark.parametrize("name", ["allowed_x_handles", "excluded_x_handles"])
def test_what_is_no_handle_spoils_the_list(name: str, entry: Any) -> None:
    """The entry is quoted in the refusal."""
    message = refused_in("posts", **{name: ["ann", entry]}).message
    assert name in message
    assert repr(entry)[:70] in message


@pytest.mark.parametrize("name", ["allowed_x_handles", "excluded_x_handles"])
def test_a_handle_list_has_at_most_twenty_entries_before_any_clean_up(name: str) -> None:
    """Repeated and even unusable entries count."""
    accepted("posts", **{name: ["a"] * 20})
    assert "21" in refused_in("posts", **{name: ["a"] * 21}).message
    assert "21" in refused_in("posts", **{name: ["??"] * 21}).message
    refused_in("posts", **{name: "ann"})


def test_the_two_handle_lists_exclude_each_other() -> None:
    """An empty list counts as not given."""
    refused_in("posts", allowed_x_handles=["a"], excluded_x_handles=["b"])
    accepted("posts", allowed_x_handles=["a"], excluded_x_handles=[])


@pytest.mark.parametrize("mode", ["mentions", "followers", "followings", "profile", "about"])
def test_an_account_loses_blanks_and_every_at_sign_and_nothing_else_is_checked(mode: str) -> None:
    """The upstream knows which handles exist."""
    assert accepted(mode, user=" @@alice ").params.model_dump()["user"] == "alice"
    assert accepted(mode, user="a b-\u00e9" + "x" * 40).params.model_dump()["user"] == "a b-\u00e9" + "x" * 40
    refused_in(mode, user=5)


@pytest.mark.parametrize(
    ("mode", "name"),
    [("profile", "user"), ("user", "userId"), ("list", "listId"), ("community", "communityId"), ("space", "spaceId")],
)
def test_a_name_is_no_longer_than_an_address_can_carry(mode: str, name: str) -> None:
    """The refusal gives both lengths and not the text."""
    accepted(mode, **{name: "x" * 1000})
    message = refused_in(mode, **{name: "x" * 70_000}).message
    assert name in message
    assert "70000" in message
    assert len(message) < 200


POST_REFERENCES = [
    (" 12345 ", "12345"),
    ("007", "007"),
    ("9" * 25, "9" * 25),
    ("https://twitter.com/a/statuses/12345", "12345"),
    ("https://mobile.twitter.com/a/status/12345/photo/1?s=20", "12345"),
    ("https://x.com/i/web/status/12345", "12345"),
    ("https://X.COM/a/status/7", "7"),
    ("http://u:p@x.com/a/status/7", "7"),
    ("https://x.com/a/status/" + "1" * 40, "1" * 40),
    (" https://x.com/a/status/7#x ", "7"),
]
NO_POST_REFERENCES = [
    "https://x.com/a/status/12345garbage",
    "https://x.com/search?q=/status/12345",
    "https://x.com/a#/status/12345",
    "x.com/a/status/12345",
    "//x.com/a/status/12345",
    "https://example.org/a/status/1",
    "https://fxtwitter.com/a/status/1",
    "https://x.com.evil.test/a/status/1",
    "https://evil-x.com/a/status/1",
    "https://x.com@evil.test/a/status/1",
    "https://x.com/i/article/12345",
    "https://x.com/a/status/",
    "9" * 26,
    "-1",
    "1.0",
    "\uff11\uff12",
    "12\n34",
    "nope",
    "https://x.com/a/status/" + "1" * 2048,
]


@pytest.mark.parametrize(("reference", "post"), POST_REFERENCES)
def test_a_post_is_named_by_its_id_or_by_a_link_to_it(reference: str, post: str) -> None:
    """Only the id is used afterwards; leading zeros stay."""
    for mode in ("thread", "replies", "quotes", "retweeters", "article"):
        assert accepted(mode, tweet=reference).params.model_dump()["tweet"] == post
    assert accepted("tweets", ids=[reference]).params.model_dump()["ids"] == (post,)


@pytest.mark.parametrize("reference", NO_POST_REFERENCES)
def test_what_names_no_post_is_refused_and_quoted(reference: str) -> None:
    """One bad entry fails the whole call."""
    for mode in ("thread", "replies", "quotes", "retweeters", "article"):
        assert repr(reference)[:70] in refused_in(mode, tweet=reference).message
    assert repr(reference)[:70] in refused_in("tweets", ids=["1", reference]).message


@pytest.mark.parametrize("value", [7, True, ["7"], {"id": "7"}])
def test_a_post_reference_is_a_string(value: Any) -> None:
    """A JSON number may have lost digits on its way."""
    for mode in ("thread", "article"):
        assert "tweet" in refused_in(mode, tweet=value).message
    assert "tweet" in refused_in("posts", tweet=value).message
    assert "ids" in refused_in("tweets", ids=[value]).message


def test_ids_are_told_apart_after_they_are_read_and_then_counted() -> None:
    """A hundred different posts are the limit, however often they are named."""
    twice = accepted("tweets", ids=["1", "https://x.com/a/status/1", "01", "2"]).params.model_dump()["ids"]
    assert twice == ("1", "01", "2")
    hundred = [str(number) for number in range(100)]
    assert len(accepted("tweets", ids=hundred + hundred[:20]).params.model_dump()["ids"]) == 100
    assert "101" in refused_in("tweets", ids=[*hundred, "100"]).message


@pytest.mark.parametrize("value", [[], "7", {}, 7, [[]]])
def test_ids_are_a_list_with_something_in_it(value: Any) -> None:
    """Anything else is refused by name."""
    assert "ids" in refused_in("tweets", ids=value).message


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("2026-9-1", "date such as"),
        ("  ", "date such as"),
        ("20260901", "date such as"),
        ("2026-09-01T00:00", "date such as"),
        ("\uff12026-09-01", "date such as"),
        (20260901, "date such as"),
        ("2026-99-99", "not a real date"),
        ("2025-02-29", "not a real date"),
        ("0000-01-01", "not a real date"),
    ],
)
@pytest.mark.parametrize("name", ["from_date", "to_date"])
def test_a_day_has_one_spelling_and_must_exist(name: str, value: Any, told: str) -> None:
    """The two failures are told apart."""
    message = refused_in("posts", **{name: value}).message
    assert name in message
    assert told in message


def test_days_may_be_padded_empty_equal_or_one_sided() -> None:
    """An empty string counts as not given."""
    accepted("posts", from_date=" 2024-02-29 ")
    assert accepted("posts", from_date="", to_date="").params == accepted("posts").params
    accepted("posts", from_date="2026-09-01", to_date="2026-09-01")
    refused_in("posts", from_date="2026-09-02", to_date="2026-09-01")


@pytest.mark.parametrize("mode", ["quotes", "mentions"])
def test_time_bounds_of_quotes_and_mentions_may_be_equal_and_have_no_upper_end(mode: str) -> None:
    """Zero is a time; milliseconds pass."""
    accepted(mode, sinceTime=0)
    accepted(mode, sinceTime=5, untilTime=5)
    accepted(mode, sinceTime=1_792_246_746_000)
    refused_in(mode, sinceTime=5, untilTime=1)
    refused_in(mode, sinceTime=-1)


@pytest.mark.parametrize(
    "own",
    [
        {"sinceTime": 0},
        {"untilTime": 1},
        {"sinceTime": 253_402_300_799},
        {"sinceTime": 1.0},
        {"sinceTime": 1, "replySort": "Latest"},
        {"sinceTime": 1, "untilTime": 2},
        {"replySort": "Relevance"},
        {"replySort": None},
    ],
)
def test_dated_replies_accept(own: dict[str, Any]) -> None:
    """Whole seconds from 0 to the end of the year 9999, with no sort but newest first."""
    accepted("replies", **own)


@pytest.mark.parametrize(
    ("own", "named"),
    [
        ({"untilTime": 0}, "untilTime"),
        ({"sinceTime": 100, "untilTime": 100}, "untilTime"),
        ({"sinceTime": 101, "untilTime": 100}, "untilTime"),
        ({"sinceTime": 253_402_300_800}, "sinceTime"),
        ({"sinceTime": 1_792_246_746_000}, "sinceTime"),
        ({"sinceTime": None}, "sinceTime"),
        ({"untilTime": None}, "untilTime"),
        ({"sinceTime": 5, "untilTime": None}, "untilTime"),
        ({"sinceTime": "100"}, "sinceTime"),
        ({"sinceTime": 2**53}, "sinceTime"),
        ({"sinceTime": -1}, "sinceTime"),
    ],
)
def test_dated_replies_refuse_times_that_are_not_plain_seconds_in_order(own: dict[str, Any], named: str) -> None:
    """A null date is not a date left out: the date picks the route."""
    assert named in refused_in("replies", **own).message


@pytest.mark.parametrize("sort", ["Relevance", "Likes", "latest", "", None, 5, ["Latest"]])
def test_a_sort_beside_a_date_is_refused_with_advice_to_drop_either(sort: Any) -> None:
    """Whatever its value, unless it is the order that the dated route has anyway."""
    error = refused_in("replies", sinceTime=1, replySort=sort)
    assert "replySort" in error.message
    assert "Drop the dates or drop replySort" in str(error.hint)


@pytest.mark.parametrize("arguments", [None, 5, "posts", [], ["query"], {1: "q"}, {None: 1, "query": "q"}])
def test_arguments_are_one_object_with_names(arguments: Any) -> None:
    """Anything else is the same refusal."""
    refused(arguments)


def test_half_a_surrogate_pair_in_an_argument_becomes_a_replacement_character() -> None:
    """No encoder would take it later."""
    assert parse({"query": "a\ud800b"}).query == "a\ufffdb"
    assert "\ufffd" in refused_in("tweets", ids=["\udfff"]).message


def test_values_too_large_or_too_deep_to_be_shown_are_refused_all_the_same() -> None:
    """A refusal never fails over what it refuses."""
    deep: list[Any] = []
    for _ in range(50_000):
        deep = [deep]
    refused({"query": deep})
    refused({"query": 10**5000})
    refused_in("posts", allowed_x_handles=deep)
    refused_in("tweets", ids=[deep])
    refused_in("posts", count=10**5000)
    refused_in("posts", from_date=deep)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["7", "ann", "2026-09-01", "Latest", "posts", "https://x.com/a/status/7", "\ud800"])
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


def outcome(arguments: Any) -> str:
    """``request``, or the code of the refusal; any other exception goes through."""
    try:
        return "request" if isinstance(parse(arguments), CallRequest) else "something else"
    except RequestError as error:
        return error.code


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(OWN)) | VALUES,
    st.dictionaries(st.sampled_from([*NAMES, "output", "query", "colour"]) | st.text(max_size=8), VALUES, max_size=6),
)
def test_any_arguments_give_a_request_or_a_refusal_and_nothing_else(mode: Any, own: dict[str, Any]) -> None:
    """No other exception, whatever is passed."""
    needed = NEEDED.get(mode, {}) if isinstance(mode, str) else {}
    assert outcome({"query": "q", "mode": mode, **needed, **own}) in ("request", "invalid_request")


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(OWN)), st.data())
def test_any_value_in_a_parameter_of_its_own_mode_gives_a_request_or_a_refusal(mode: str, data: st.DataObject) -> None:
    """As above, aimed at the checks of values."""
    own = data.draw(st.dictionaries(st.sampled_from(sorted(OWN[mode])), VALUES, max_size=4))
    assert outcome({"query": "q", "mode": mode, **NEEDED[mode], **own}) in ("request", "invalid_request")


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ({"mode": "posts", "limit": 3}, "In mode 'posts' it is count."),
        ({"mode": "users", "limit": 3}, "In mode 'users' it is count."),
        ({"mode": "user", "user": "ann", "count": 3}, "In mode 'user' it is limit."),
        ({"mode": "profile", "user": "ann", "count": 3}, "count works in modes posts, users and trends."),
    ],
)
def test_how_much_is_read_has_the_name_that_the_mode_gives_it(arguments: dict[str, Any], advice: str) -> None:
    """One of two names is easily taken for the other."""
    with pytest.raises(RequestError) as caught:
        parse({"query": "what?", **arguments})
    assert str(caught.value.hint).startswith(advice)


@pytest.mark.parametrize(
    ("mode", "own"),
    [
        ("thread", {"tweet": 2117157262773450634}),
        ("tweets", {"ids": ["7", 2117157262773450634]}),
        ("user", {"userId": 2117157262773450634}),
        ("list", {"listId": 2117157262773450634}),
    ],
)
def test_an_id_that_came_as_a_number_is_shown_in_the_quotes_it_needs(mode: str, own: dict[str, Any]) -> None:
    """Most programs that write JSON would have rounded it."""
    with pytest.raises(RequestError) as caught:
        parse({"query": "what?", "mode": mode, **own})
    assert '"2117157262773450634"' in f"{caught.value.message} {caught.value.hint}"
    assert "digits" in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize("name", ["sinceTime", "untilTime"])
def test_a_day_in_the_place_of_seconds_is_translated(name: str) -> None:
    """To the second at which it begins, and the command that knows the caller's zone."""
    with pytest.raises(RequestError) as caught:
        parse({"query": "what?", "mode": "replies", "tweet": "7", name: "2026-11-01"})
    assert "1793491200" in str(caught.value.hint)
    assert "`date -d 2026-11-01 +%s`" in str(caught.value.hint)
    for odd in ("2026-02-31", "0000-01-01", "yesterday", "2026-11-01; rm", 1.5):
        with pytest.raises(RequestError) as caught:
            parse({"query": "what?", "mode": "replies", "tweet": "7", name: odd})
        assert "date -d" not in str(caught.value.hint)
