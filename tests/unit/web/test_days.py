"""Counters by day: summed over hours and apart by place, read again only when they may be other."""

from __future__ import annotations

from collections import Counter

from service.accounting import prefix_of
from service.estimates.strata import Stratum
from service.web.days import FRESH_S, OLD_S, OLDEST_S, Days, Place
from service.web.overview import Scope, strata_between
from tests.unit.web.world import MemoryCounters

PREFIX = prefix_of("r1", "1-a", "de")
HERE = Place("support", "r1", "1-a", "de")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def days(**hours: int) -> tuple[Days, MemoryCounters, Clock]:
    """``h240=3``: three answers checked in hour 240."""
    counters = MemoryCounters(
        {("support", int(name[1:])): {PREFIX + "checked": n} for name, n in hours.items()}
    )
    clock = Clock()
    return Days(counters, clock), counters, clock


def test_hours_become_days() -> None:
    read, _, _ = days(h240=3, h263=4, h264=5)
    found = read.between(9, 11, today=11)
    assert found[9].places == {}
    assert found[10].places == {HERE: Counter(checked=7)}
    assert found[10].hours == {("support", 240), ("support", 263)}
    assert found[11].places == {HERE: Counter(checked=5)}


def test_places_stay_apart_and_other_measures_are_left_out() -> None:
    other = prefix_of("r2", "1-b", "en")
    fields = {PREFIX + "checked": 1, other + "checked": 2, other + "judge:cause:retrieval": 3,
              other + "stratum:rest": 9}  # fmt: skip
    read = Days(MemoryCounters({("sales", 24): fields}), Clock())
    assert read.between(1, 1, today=1)[1].places == {
        Place("sales", "r1", "1-a", "de"): Counter(checked=1),
        Place("sales", "r2", "1-b", "en"): Counter({"checked": 2, "judge:cause:retrieval": 3}),
    }


def test_counted_tags_are_places_of_their_own_and_strata_of_a_comparison() -> None:
    web = prefix_of("r1", "1-a", "de", "channel=web")
    fields = {PREFIX + "checked": 1, web + "checked": 2}
    read = Days(MemoryCounters({("sales", 24): fields}), Clock())
    found = read.between(1, 1, today=1)
    assert found[1].places == {
        Place("sales", "r1", "1-a", "de"): Counter(checked=1),
        Place("sales", "r1", "1-a", "de", "channel=web"): Counter(checked=2),
    }
    assert strata_between(found, Scope(), by_ruleset=False) == {
        Stratum("sales", "", "de"): Counter(checked=1),
        Stratum("sales", "", "de", "channel=web"): Counter(checked=2),
    }


def test_a_growing_day_is_read_again_soon_and_an_old_one_late() -> None:
    read, counters, clock = days(h24=1, h240=1)
    read.between(1, 10, today=10)
    assert counters.reads == 1
    counters.all["support", 24] = {PREFIX + "checked": 100}
    counters.all["support", 240] = {PREFIX + "checked": 100}
    clock.now = FRESH_S + 1
    found = read.between(1, 10, today=10)
    assert counters.reads == 2
    assert found[10].places[HERE]["checked"] == 100
    assert found[1].places[HERE]["checked"] == 1
    clock.now = OLD_S + FRESH_S
    assert read.between(1, 10, today=10)[1].places[HERE]["checked"] == 100


def test_old_days_are_read_again_one_by_one() -> None:
    read, counters, clock = days(**{f"h{24 * day}": 1 for day in range(1, 9)})
    read.between(1, 10, today=10)
    for hour in counters.all:
        counters.all[hour] = {PREFIX + "checked": 2}

    def again() -> int:
        found = read.between(1, 10, today=10)
        return sum(found[day].places[HERE]["checked"] == 2 for day in range(1, 9))

    clock.now = OLD_S + 1
    assert [again() for _ in range(3)] == [1, 2, 3]
    clock.now = OLDEST_S + 1
    assert again() == 8


def test_what_is_fresh_is_not_read() -> None:
    read, counters, _ = days(h240=1)
    for _ in range(3):
        read.between(1, 10, today=10)
    assert counters.reads == 1
    read.between(5, 12, today=12)
    assert counters.reads == 2


def test_a_period_that_nobody_asks_for_any_more_is_forgotten() -> None:
    read, _, clock = days(h24=1)
    read.between(1, 1, today=400)
    clock.now = 2 * OLDEST_S + 1
    read.between(400, 400, today=400)
    assert list(read._known) == [400]
