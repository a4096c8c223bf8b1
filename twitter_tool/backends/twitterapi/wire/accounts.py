"""Accounts in their three forms, the about page, and what stands for an account that is gone."""

from __future__ import annotations

from typing import Any, Final

from twitter_tool import links
from twitter_tool.backends.twitterapi.wire.values import (
    as_dict,
    as_list,
    boolean,
    field,
    moment,
    number,
    one_line,
    string,
)
from twitter_tool.records import Account, Document, Field, Scalar, Source
from twitter_tool.text import Block, Line, field_block, handle_line, line

MAX_PINS: Final = 20
BIO_CAP: Final = 700


def handle_of(raw: dict[str, Any]) -> str | None:
    """The handle as sent, trimmed: the first of three spellings that is not blank."""
    for name in ("screen_name", "userName", "username"):
        found = string(raw.get(name))
        if found:
            return found.strip()
    return None


def account(raw: Any) -> Account | None:
    """An account, or ``None`` without a handle, since nothing can be linked to it then."""
    if type(raw) is not dict:
        return None
    raw_handle = handle_of(raw)
    if raw_handle is None:
        return None
    handle, changed = handle_line(raw_handle)
    if not handle:
        return None
    bio, shortened = _bio(raw)
    raw_id = string(raw.get("id"))
    return Account(
        handle=handle,
        id=one_line(raw_id, 100),
        name=field(raw.get("name"), 200),
        profile=None if changed else links.profile_url(raw_handle),
        bio=bio,
        bio_shortened=shortened,
        location=field(raw.get("location"), 200),
        created=moment(string(raw.get("created_at")) or raw.get("createdAt")),
        verified=raw.get("isBlueVerified") is True or raw.get("verified") is True,
        website=_website(raw),
        pinned_ids=_pinned(raw.get("pinnedTweetIds")),
        followers=_first(raw, "followers_count", "followers"),
        following=_first(raw, "following_count", "following"),
        posts=_first(raw, "statuses_count", "statusesCount"),
        media=_first(raw, "media_count", "mediaCount"),
        identities=(raw_id, raw_handle.lower()),
    )


def unavailable_reason(raw: dict[str, Any]) -> str | None:
    """The upstream's reason for an unavailable profile, as sent (documented, never seen live)."""
    return string(raw.get("unavailableReason")) or string(raw.get("message"))


def about(data: dict[str, Any], asked: str) -> Document | None:
    """The about page as ``key: value`` fields; explicit false and zero are kept. ``None`` without a handle."""
    raw_handle = handle_of(data)
    handle, changed = handle_line(raw_handle) if raw_handle else (Line(""), False)
    if raw_handle is None or not handle:
        return None
    profile = as_dict(data.get("about_profile"))
    changes = as_dict(profile.get("username_changes"))
    verification = as_dict(data.get("verification_info"))
    created = moment(string(data.get("createdAt")) or data.get("created_at"))
    flags = [boolean(data.get(name)) for name in ("isBlueVerified", "isVerified", "verified")]
    picture = links.link(data.get("profilePicture"))
    values: list[tuple[str, Scalar | None]] = [
        ("id", field(data.get("id"), 100)),
        ("name", field(data.get("name"), 200)),
        ("handle", Block(handle)),
        ("bio", _bio(data)[0]),
        ("createdAt", Block(created.iso or created.text or "") or None),
        ("profilePicture", Block(picture) if picture else None),
        ("verified", any(flags) if any(flag is not None for flag in flags) else None),
        ("protected", boolean(data.get("protected"))),
        ("accountBasedIn", field(profile.get("account_based_in"), 200)),
        ("source", field(profile.get("source"), 200)),
        ("locationAccurate", boolean(profile.get("location_accurate"))),
        ("createdCountryAccurate", boolean(profile.get("created_country_accurate"))),
        ("usernameChanges.count", number(changes.get("count"))),
        ("usernameChanges.lastChangedAtMsec", number(changes.get("last_changed_at_msec"))),
        ("isIdentityVerified", boolean(verification.get("is_identity_verified"))),
        ("verifiedSinceMsec", number(as_dict(verification.get("reason")).get("verified_since_msec"))),
    ]
    fields = tuple(Field(Line(key), value) for key, value in values if value is not None)
    address = None if changed else links.profile_url(raw_handle)
    return Document(
        mode="about",
        asked=line(asked, 120),
        fields=fields,
        total_fields=len(fields),
        source=Source(address, "profile") if address else None,
    )


def _bio(raw: dict[str, Any]) -> tuple[Block | None, bool]:
    text = string(raw.get("description")) or string(raw.get("bio"))
    text = text or string(as_dict(raw.get("profile_bio")).get("description"))
    if text is None:
        return None, False
    bio, shortened = field_block(text, BIO_CAP)
    return bio or None, shortened


def _website(raw: dict[str, Any]) -> links.Link | None:
    entities = as_dict(as_dict(raw.get("entities")).get("url"))
    for entry in as_list(entities.get("urls")):
        found = links.link(as_dict(entry).get("expanded_url"))
        if found:
            return found
    return links.link(raw.get("url"))


def _pinned(raw: Any) -> tuple[Line, ...]:
    ids = dict.fromkeys(Line(entry) for entry in as_list(raw) if type(entry) is str and links.is_post_id(entry))
    return tuple(ids)[:MAX_PINS]


def _first(raw: dict[str, Any], *names: str) -> int | float | None:
    for name in names:
        found = number(raw.get(name))
        if found is not None:
            return found
    return None
