"""Words about how far a piece of work is."""

from __future__ import annotations

from scripted_host import HandClock

from twitter_tool.media.timing import TOLD_EVERY_S, Pace


def told(unit: str, *states: tuple[float, float, float | None]) -> list[str]:
    """What is said when the work is at these states: the time, what is done, and of how much."""
    by_hand, words = HandClock(), list[str]()
    pace = Pace(by_hand.clock, words.append, unit=unit)
    for at, done, total in states:
        by_hand.now = at
        pace(done, total)
    return words


def test_the_time_left_is_that_of_the_rest_at_the_speed_so_far() -> None:
    """A quarter took two seconds, so three more quarters take six."""
    assert told("bytes", (0, 0, 8e6), (2, 2e6, 8e6))[-1] == "2.0 of 8.0 MB · 6 s left"


def test_what_was_prepared_before_the_first_state_is_no_work() -> None:
    """A model that took twenty seconds to load does not transcribe slowly."""
    assert told("seconds", (20, 0, 60), (21, 10, 60))[-1] == "10.0 of 60.0 s · 5 s left"


def test_no_time_is_named_before_anything_has_moved() -> None:
    """A guess from nothing would be a wild one."""
    assert told("seconds", (5, 3, 60)) == ["3.0 of 60.0 s"]
    assert told("bytes", (1, 0, None), (2, 5e6, None)) == ["0.0 MB", "5.0 MB"]


def test_it_speaks_at_most_twice_a_second() -> None:
    """However often the work reports."""
    step = TOLD_EVERY_S / 10
    assert len(told("bytes", *((step * n, n * 1e5, 1e7) for n in range(1, 41)))) == 4
