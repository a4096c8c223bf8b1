"""The accounts of the invented world and who follows whom."""

from __future__ import annotations

from typing import Any, Final

from .builder import Builder, link_to
from .clock import DAY, Dice, digest, unix
from .lore import LANGUAGES, people
from .records import Account, AccountState

CROWD: Final = 600
_STATES: Final[dict[str, AccountState]] = {
    "protected": "protected",
    "suspended": "suspended",
    "unavailable": "unavailable",
}
_ADJECTIVES: Final = (
    "amber", "brisk", "cedar", "dusty", "early", "faint", "green", "heavy", "inky", "jolly", "keen", "loud",
    "misty", "noble", "olive", "plain", "quick", "rusty", "salty", "tidy", "ultra", "vivid", "wooly", "young",
)  # fmt: skip
_NOUNS: Final = (
    "acorn", "brook", "crane", "daisy", "eagle", "finch", "grain", "heron", "islet", "jetty", "knoll", "lamp",
    "maple", "nest", "otter", "pebbl", "quail", "reed", "stone", "tulip", "umber", "vixen", "wharf", "yarn",
    "zebra",
)  # fmt: skip
_FIRST: Final = (
    "Ada", "Bran", "Cleo", "Dov", "Elke", "Femi", "Gita", "Hal", "Ines", "Jory", "Kaja", "Leif", "Mina", "Nils",
    "Orla", "Pia", "Quinn", "Remy", "Suki", "Tove", "Uma", "Vic", "Wilma", "Xan", "Yara", "Zeno",
)  # fmt: skip
_LAST: Final = (
    "Ashdown", "Birk", "Calder", "Drumm", "Ells", "Fenn", "Garrow", "Hythe", "Inman", "Jessop", "Kerr", "Loam",
    "Marsh", "Nettle", "Orme", "Pask", "Quarry", "Rudd", "Spall", "Thorne", "Upton", "Vail", "Wick", "Yarrow",
)  # fmt: skip
_BIOS: Final = (
    "Here for the trams.",
    "Tea first.",
    "Mostly reading.",
    "Father of two, owner of none of my evenings.",
    "Opinions on bread.",
    "Night shift.",
    "Gardens, gates, grandchildren.",
    "I walk along the river.",
    "New in town.",
    "",
)


def add_people(builder: Builder) -> list[Account]:
    """The accounts that have something to say."""
    found: list[Account] = []
    marks: dict[str, list[str]] = {}
    for handle, name, topics, lang, joined, mark, location, website, bio in people():
        given = mark.split()
        bot = next((item[4:] for item in given if item.startswith("bot:")), None)
        more: dict[str, Any] = {
            "topics": tuple(topics.split()),
            "lang": lang,
            "location": "" if location == "-" else location,
            "bio": "" if bio == "-" else bio,
            "website": None if website == "-" else link_to(f"https://{website}"),
            "blue": "blue" in given,
            "verified_type": "Business" if "org" in given and "blue" in given else None,
            "automated_by": bot,
            "org": "org" in given or bot is not None,
            "renames": 2 if "renamed" in given else 0,
            "state": next((_STATES[item] for item in given if item in _STATES), "open"),
        }
        found.append(builder.account(handle, name, unix(joined), **more))
        marks[handle] = given
    for account in found:
        owner = next((item[3:] for item in marks[account.handle] if item.startswith("of:")), None)
        if owner is not None:
            account.affiliate = builder.accounts[owner]
    return found


def add_crowd(builder: Builder) -> list[Account]:
    """Small accounts, so that lists of followers have pages and posts have readers."""
    found = []
    for number in range(CROWD):
        adjective, noun = _ADJECTIVES[number % 24], _NOUNS[(number // 24) % 25]
        salt = digest("crowd", number)
        name = f"{_FIRST[salt % len(_FIRST)]} {_LAST[(salt >> 8) % len(_LAST)]}"
        lang = LANGUAGES[(number // 12) % 3] if number % 12 == 5 else "en"
        found.append(
            builder.account(
                f"{adjective}{noun}_sbx",
                name,
                unix("2019-01-01") + (salt >> 16) % (2_500 * DAY),
                bio=_BIOS[(salt >> 40) % len(_BIOS)],
                lang=lang,
                crowd=True,
            )
        )
    return found


def connect(rich: list[Account], crowd: list[Account]) -> None:
    """Who follows whom; newest first in every list."""
    open_rich = [account for account in rich if account.state in ("open", "protected")]
    well_known = [account for account in open_rich if account.verified_type is not None]
    for account in [*open_rich, *crowd]:
        dice = Dice(digest("follows", account.handle))
        chosen: dict[int, Account] = {}
        for other in well_known:
            if dice.chance(78):
                chosen[other.id] = other
        for other in dice.some(open_rich, dice.between(3, 9) if account.crowd else dice.between(14, 30)):
            chosen[other.id] = other
        if not account.crowd:
            for other in dice.some(crowd, dice.between(2, 24)):
                chosen[other.id] = other
        chosen.pop(account.id, None)
        account.followings = dice.some(list(chosen.values()), len(chosen))
        for other in account.followings:
            other.followers.append(account)
    for account in rich:
        dice = Dice(digest("followers", account.handle))
        account.followers = dice.some(account.followers, len(account.followers))
