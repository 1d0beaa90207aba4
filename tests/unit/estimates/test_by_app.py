"""Hourly counters by app, and the hours in which nothing came."""

from __future__ import annotations

from service.accounting import prefix_of
from service.estimates.by_app import measures_by_app, silent_hours

PREFIX = prefix_of("r1", "1-a", "de")
CHECKED = {PREFIX + "checked": 2}


def test_measures_are_summed_over_hours_and_releases() -> None:
    counters = {
        ("support", 10): CHECKED,
        ("support", 11): {PREFIX + "checked": 1, prefix_of("r2", "1-a", "en") + "checked": 4},
        ("sales", 10): {PREFIX + "status:error": 3},
    }
    assert measures_by_app(counters) == {
        "support": {"checked": 7},
        "sales": {"status:error": 3},
    }


def test_an_hour_without_a_checked_answer_is_silent() -> None:
    counters = {("support", 10): CHECKED, ("support", 12): {PREFIX + "status:error": 3}}
    assert silent_hours(counters, range(10, 14), {"support"}) == {"support": 3}


def test_hours_before_the_first_answer_are_no_silence() -> None:
    counters = {("new", 12): CHECKED, ("never", 12): {PREFIX + "status:error": 1}}
    assert silent_hours(counters, range(10, 14), ()) == {"new": 1}


def test_an_app_that_fell_silent_before_is_silent_all_the_time() -> None:
    assert silent_hours({}, range(10, 14), {"support"}) == {"support": 4}


def test_hours_outside_are_passed_over() -> None:
    assert silent_hours({("support", 14): CHECKED}, range(10, 14), {"support"}) == {"support": 4}
