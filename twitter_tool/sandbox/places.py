"""What trends in which place of the invented world."""

from __future__ import annotations

from typing import Final

from .clock import Dice, digest
from .documents import Place

_NAMES: Final = (
    "#Line7",
    "Marrowick",
    "#FrostWatch",
    "Sallow Lock",
    "#line7",
    "Lantern Square",
    "Wanderers",
    "#COYW",
    "Jody Rusk",
    "kelpie 2.1",
    "#buildtools",
    "Ember Quay",
    "#ReadingHour",
    "Repair Café",
    "#RightToRepair",
    "Glad Row",
    "Amber Lamps",
    "Honey Buns",
    "#BatNight",
    "River Heat Pump",
    "District Heating",
    "Night Trams",
    "Night trams",
    "Foundry Bank",
    "#TramTalk",
    "Queen's Gambit Night",
    "Letterpress",
    "Oldbarrow",
    "Foxholt Town",
    "Spring Tide",
    "#Sourdough",
    "Agnes the Starter",
    "Ivy Honey",
    "Town Hall Clock",
    "The Swan",
    "#FogMorning",
    "Level Boarding",
    "Weekly Ticket",
    "Valdeluna",
    "#TranvíaNuevo",
    "路面電車",
    "#くるみパン",
    "ترام",
    "#قهوة_الصباح",
)
_PLACES: Final = {
    1: "Worldwide",
    23424977: "United States",
    23424975: "United Kingdom",
    23424856: "Japan",
    23424848: "India",
    23424950: "Spain",
    2418046: "Harrisburg",
}
_ROWS: Final = 36


def places() -> dict[int, Place]:
    """The places that have trends, by their woeid."""
    found = {}
    for woeid, name in _PLACES.items():
        dice = Dice(digest("trends", woeid))
        first = ("#Line7", "Night Trams", "#line7") if woeid == 1 else ()
        rest = [trend for trend in dice.some(_NAMES, len(_NAMES)) if trend not in first]
        found[woeid] = Place(woeid=woeid, name=name, trends=(*first, *rest)[:_ROWS])
    return found
