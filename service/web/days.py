"""The counters by day, remembered: pages read rates from here, not from the store each time."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from service.access.roles import ALL, Grant
from service.accounting import parse_field
from service.web.ports import CounterReader

FRESH_S = 5.0
"""How long a day is remembered that still grows."""
OLD_S = 600.0
"""How long one is that only late answers and the judge still change; then each request reads one
such day again, so that nobody waits for all of them."""
OLDEST_S = 3600.0
"""After which a day is read again in any case."""
GROWING_DAYS = 2
MEASURES = ("checked", "flagged", "kind:", "citations:", "numbers:", "judge:cause:",
            "judge:selected:", "judge:sampled_out:", "judge:budget_skipped:")  # fmt: skip
"""What the pages show begins like this; the rest is not kept."""


class Place(NamedTuple):
    """Where an answer is counted."""

    app: str
    release: str
    ruleset: str
    language: str
    tags: str = ""


@dataclass(slots=True)
class Day:
    """``places``: measures by place; ``hours``: (app, hours since 1970) in which answers were
    checked; of a day whose hours were rolled up, only its first."""

    places: dict[Place, Counter[str]] = field(default_factory=dict)
    hours: set[tuple[str, int]] = field(default_factory=set)

    def within(self, grant: Grant) -> Day:
        """Of these apps alone."""
        return Day(
            {place: found for place, found in self.places.items() if grant.covers(place.app)},
            {(app, hour) for app, hour in self.hours if grant.covers(app)},
        )


class Days:
    """Days since 1970 → what was counted. Safe to be asked by several threads. ``counters``: of all
    apps, since everybody shares one memory; ``granted``: the apps of whoever asks now;
    ``monotonic``: seconds, by which a memory ages. Raises :class:`service.outage.Outage` while the
    store is away."""

    def __init__(
        self,
        counters: CounterReader,
        monotonic: Callable[[], float],
        granted: Callable[[], Grant] = lambda: ALL,
    ) -> None:
        self._counters = counters
        self._monotonic = monotonic
        self._granted = granted
        self._known: dict[int, tuple[float, Day]] = {}
        self._reading = threading.Lock()

    def between(self, first: int, last: int, today: int) -> dict[int, Day]:
        """Each day from ``first`` to ``last``, both included."""
        wanted = range(first, last + 1)
        with self._reading:
            now = self._monotonic()
            stale = [day for day in wanted if self._age(day, now) > _keeps(day, today)]
            aging = [day for day in wanted if day not in stale and self._age(day, now) > OLD_S]
            stale = sorted([*stale, *aging[:1]])
            for start, end in _runs(stale):
                read = _by_day(self._counters.counters(start * 24, (end + 1) * 24))
                for day in range(start, end + 1):
                    self._known[day] = now, read.get(day, Day())
            self._forget(now)
            found = {day: self._known[day][1] for day in wanted}
        grant = self._granted()
        return found if grant.everything else {day: found[day].within(grant) for day in wanted}

    def _age(self, day: int, now: float) -> float:
        return now - self._known[day][0] if day in self._known else math.inf

    def _forget(self, now: float) -> None:
        """Days of a period that somebody once compared are not kept for ever."""
        for day in [day for day, (read, _) in self._known.items() if now - read > 2 * OLDEST_S]:
            del self._known[day]


def _keeps(day: int, today: int) -> float:
    return FRESH_S if day > today - GROWING_DAYS else OLDEST_S


def _runs(days: list[int]) -> list[tuple[int, int]]:
    """Days without a gap between them → first and last."""
    runs: list[tuple[int, int]] = []
    for day in days:
        if runs and runs[-1][1] == day - 1:
            runs[-1] = runs[-1][0], day
        else:
            runs.append((day, day))
    return runs


def _by_day(counters: Mapping[tuple[str, int], Mapping[str, int]]) -> dict[int, Day]:
    days: dict[int, Day] = {}
    for (app, hour), fields in counters.items():
        day = days.setdefault(hour // 24, Day())
        for name, number in fields.items():
            release, ruleset, language, tags, measure = parse_field(name)
            if not measure.startswith(MEASURES):
                continue
            place = Place(app, release, ruleset, language, tags)
            counted = day.places.get(place)
            if counted is None:
                counted = day.places[place] = Counter()
            counted[measure] += number
            if measure == "checked":
                day.hours.add((app, hour))
    return days
