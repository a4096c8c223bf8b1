"""Accounts in the upstream's three user forms, and the documents about them.

The three forms and their keys were observed live; the stub of an unavailable account is documented by the
vendor and was never seen in a real body.
"""

from __future__ import annotations

import re
from typing import Any

from .clock import code, digest, iso_date, legacy_date
from .records import Account, Link

Json = dict[str, Any]

_MENTION = re.compile(r"(?<![\w@])@([A-Za-z0-9_]{1,15})\b")
_AVATAR = "https://pbs.twimg.com/profile_images"
_BANNER = "https://pbs.twimg.com/profile_banners"


def avatar_url(account: Account) -> str:
    return f"{_AVATAR}/{account.id}/{code(8, 'avatar', account.id)}_normal.jpg"


def banner_url(account: Account) -> str | None:
    """Small accounts have no banner."""
    return None if account.crowd else f"{_BANNER}/{account.id}/{account.joined}"


def _link_entity(link: Link) -> Json:
    return {
        "display_url": link.display,
        "expanded_url": link.expanded,
        "indices": [0, len(link.short)],
        "url": link.short,
    }


def _affiliation(account: Account, *, camel: bool) -> Json:
    """The label of an organisation; its member names are camelCase in `user_about` only (observed live)."""
    if account.affiliate is None:
        return {}
    kind, display, target = (
        ("userLabelType", "userLabelDisplayType", "urlType")
        if camel
        else ("user_label_type", "user_label_display_type", "url_type")
    )
    owner = account.affiliate
    badge = f"{_AVATAR}/{owner.id}/{code(8, 'badge', owner.id)}_bigger.jpg"
    return {
        "label": {
            "badge": {"url": badge},
            "description": owner.name,
            "url": {"url": f"https://twitter.com/{owner.handle}", target: "DeepLink"},
            kind: "BusinessLabel",
            display: "Badge",
        }
    }


def author_form(account: Account) -> Json:
    """The camelCase user inside posts. Its `description` is empty: the bio sits in `profile_bio`."""
    mentions = [
        {"id_str": "0", "indices": [*match.span()], "name": "", "screen_name": match[1]}
        for match in _MENTION.finditer(account.bio)
    ]
    bio_entities: Json = {"description": {"hashtags": [], "symbols": [], "urls": [], "user_mentions": mentions}}
    if account.website is not None:
        bio_entities["url"] = {"urls": [_link_entity(account.website)]}
    return {
        "type": "user",
        "userName": account.handle,
        "url": f"https://x.com/{account.handle}",
        "twitterUrl": f"https://twitter.com/{account.handle}",
        "id": str(account.id),
        "name": account.name,
        "isVerified": False,
        "isBlueVerified": account.blue,
        "verifiedType": account.verified_type,
        "profilePicture": avatar_url(account),
        "coverPicture": banner_url(account),
        "description": "",
        "location": account.location,
        "followers": len(account.followers),
        "following": len(account.followings),
        "status": "",
        "canDm": digest("dm", account.id) % 3 == 0,
        "canMediaTag": True,
        "createdAt": legacy_date(account.joined),
        "entities": {"description": {"urls": []}, "url": {}},
        "fastFollowersCount": 0,
        "favouritesCount": account.likes_given,
        "hasCustomTimelines": True,
        "isTranslator": False,
        "mediaCount": account.media_count,
        "statusesCount": len(account.posts),
        "withheldInCountries": [],
        "affiliatesHighlightedLabel": _affiliation(account, camel=False),
        "possiblySensitive": False,
        "pinnedTweetIds": [str(account.pinned.id)] if account.pinned else [],
        "profile_bio": {"description": account.bio, "entities": bio_entities},
        "isAutomated": account.automated_by is not None,
        "automatedBy": account.automated_by,
    }


def profile_form(account: Account, *, short: bool = False) -> Json:
    """The user of `/twitter/user/info`; `short` leaves out what the people of a Space lack."""
    body: Json = {
        "id": str(account.id),
        "name": account.name,
        "userName": account.handle,
        "location": account.location,
        "url": account.website.short if account.website else None,
        "description": account.bio,
    }
    if not short:
        url = {"urls": [_link_entity(account.website)]} if account.website else {}
        body["entities"] = {"description": {"urls": []}, "url": url}
    body |= {
        "protected": account.state == "protected",
        "isVerified": False,
        "isBlueVerified": account.blue,
        "verifiedType": account.verified_type,
        "followers": len(account.followers),
        "following": len(account.followings),
        "favouritesCount": account.likes_given,
        "statusesCount": len(account.posts),
        "mediaCount": account.media_count,
        "createdAt": iso_date(account.joined),
        "coverPicture": banner_url(account),
        "profilePicture": avatar_url(account),
        "canDm": digest("dm", account.id) % 3 == 0,
        "affiliatesHighlightedLabel": _affiliation(account, camel=False),
        "isAutomated": account.automated_by is not None,
        "automatedBy": account.automated_by,
    }
    if not short:
        body["pinnedTweetIds"] = [str(account.pinned.id)] if account.pinned else []
    return body


def snake_form(account: Account, *, search: bool) -> Json:
    """The snake_case user of user/search, followers and followings.

    Search rows have `username: null` and no `userName`; the other two have `userName` and no
    `isBlueVerified`, and send the bio of a small account empty.
    """
    body: Json = {"id": str(account.id), "name": account.name, "screen_name": account.handle}
    if search:
        body["username"] = None
    else:
        body["userName"] = account.handle
    banner = banner_url(account)
    body |= {
        "location": account.location,
        "url": account.website.short if account.website else None,
        "description": account.bio if search or not account.crowd else "",
        "email": None,
        "protected": account.state == "protected",
        "verified": False,
    }
    if search:
        body["isBlueVerified"] = account.blue
    # Both spellings of the date were seen on user/search; lists of followers use the legacy one.
    iso = search and digest("date", account.id) % 4 != 0
    body |= {
        "followers_count": len(account.followers),
        "following_count": len(account.followings),
        "friends_count": len(account.followings),
        "favourites_count": account.likes_given,
        "statuses_count": len(account.posts),
        "media_tweets_count": account.media_count,
        "created_at": iso_date(account.joined) if iso else legacy_date(account.joined),
        "profile_banner_url": banner,
        "profile_image_url_https": avatar_url(account),
        "can_dm": digest("dm", account.id) % 3 == 0,
    }
    return body


def unavailable_form(account: Account) -> Json:
    """The stub of a gone account (documented by the vendor)."""
    return {
        "type": "user",
        "userName": account.handle,
        "id": str(account.id),
        "unavailable": True,
        "unavailableReason": "Suspended",
        "message": "User is suspended",
    }


def about_form(account: Account) -> Json:
    """The `data` of `/twitter/user_about`; counts and times are numeric strings (observed live)."""
    changes: Json = {"count": str(account.renames)}
    if account.renames:
        changes["last_changed_at_msec"] = str((account.joined + 40_000_000) * 1000 + 123)
    verified = account.verified_type is not None or account.affiliate is not None
    reason = {"verified_since_msec": str((account.joined + 9_000_000) * 1000)} if verified else {}
    source = ("Web", "Android App", "iOS App")[digest("source", account.id) % 3]
    return {
        "id": str(account.id),
        "name": account.name,
        "userName": account.handle,
        "createdAt": legacy_date(account.joined),
        "isVerified": False,
        "isBlueVerified": account.blue,
        "protected": account.state == "protected",
        "profilePicture": avatar_url(account),
        "verification_info": {
            "id": "VXNlclZlcmlmaWNhdGlvbkluZm86" + code(12, "verification", account.id),
            "is_identity_verified": verified,
            "reason": reason,
        },
        "affiliates_highlighted_label": _affiliation(account, camel=True),
        "about_profile": {
            "account_based_in": country(account),
            "location_accurate": digest("place", account.id) % 5 != 0,
            "created_country_accurate": True,
            "learn_more_url": "https://help.twitter.com/managing-your-account/about-twitter-verified-accounts",
            "affiliate_username": account.affiliate.handle if account.affiliate else "",
            "source": source,
            "username_changes": changes,
        },
        "identity_profile_labels_highlighted_label": {},
    }


def country(account: Account) -> str:
    """Where an account is based, by the language it writes in."""
    return {"es": "Spain", "ja": "Japan", "ar": "Jordan"}.get(account.lang, "United Kingdom")
