"""How many live answers each app will still give today, by stratum. Pure.

Read from the counters of the last seven days, by the hour of ``occurred_at``; a day is a UTC day.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from service.accounting import measure_of
from service.sampling import STRATA

HOUR_MS = 3_600_000
WEEK_HOURS = 7 * 24
SHORTEST_H = 0.25
"""An app is not judged by less than a quarter of an hour: its first answers come in a burst."""
CAUTION = 2.0
"""On the first day, what is to come is taken for this many times what there was: nobody knows yet
whether it was night."""
RECENT_HOURS = 3
_MEASURE = "stratum:"

Hours = Mapping[tuple[str, int], Mapping[str, int]]
"""(app label, hour since 1970) → stratum → live answers."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """One app's live answers. ``per_day``: expected in a whole day; ``rest``: stratum → expected
    until midnight; ``today``: so far; ``known``: it was watched for at least 24 hours."""

    per_day: float
    rest: Mapping[str, float]
    today: int
    known: bool


Forecast = Mapping[str, Traffic]
"""App label → its traffic. Apps without any in the last seven days are absent."""


def strata_of(counter: Mapping[str, int]) -> Counter[str]:
    """Stratum → answers, from the counters of one app and hour (see :mod:`service.accounting`)."""
    strata: Counter[str] = Counter()
    for name, number in counter.items():
        measure = measure_of(name)
        stratum = measure.removeprefix(_MEASURE)
        if measure != stratum and stratum in STRATA:
            strata[stratum] += number
    return strata


def forecast(hours: Hours, now_ms: int) -> Forecast:
    """Each app's expected traffic.

    A whole day is expected to bring the mean of the last seven or what the last 24 hours brought,
    whichever is more: a Monday is not a Sunday. The rest of today also goes by the last three
    hours, where they were certainly (by two standard deviations) busier than the week says: a
    launch is noticed at once. It is spread over the hours as the week was, and over the strata as
    the last 24 hours were. An app that was watched for less than a day goes on as it began, twice
    over.
    """
    now = now_ms // HOUR_MS
    apps: dict[str, dict[int, Mapping[str, int]]] = {}
    for (app, hour), strata in hours.items():
        if now - WEEK_HOURS <= hour <= now and any(strata.values()):
            apps.setdefault(app, {})[hour] = strata
    return {app: _traffic(found, now, now_ms % HOUR_MS / HOUR_MS) for app, found in apps.items()}


def _traffic(hours: Mapping[int, Mapping[str, int]], now: int, gone: float) -> Traffic:
    """``now``: this hour, of which the share ``gone`` is over."""
    sums = {hour: sum(strata.values()) for hour, strata in hours.items()}
    first, day_began = min(hours), now - now % 24
    known = first <= now - 24
    if known:
        profile = _profile(sums, first, now)
        week = sum(profile)
        per_day = max(week, _between(sums, now - 24, now))
        pace = max(per_day, week * _surge(sums, profile, now, gone))
    else:
        profile = [1.0] * 24
        per_day = sum(sums.values()) * 24 / max(now - first + gone, SHORTEST_H)
        pace = CAUTION * per_day
    left = pace * _left_of_day(profile, now % 24, gone)
    mix = _mix(hours[hour] for hour in hours if hour >= now - 24) or _mix(hours.values())
    rest = {stratum: left * share for stratum, share in mix.items()}
    return Traffic(per_day, rest, _between(sums, day_began, now + 1), known)


def _between(sums: Mapping[int, int], start: int, end: int) -> int:
    return sum(n for hour, n in sums.items() if start <= hour < end)


def _profile(sums: Mapping[int, int], first: int, now: int) -> list[float]:
    """Mean answers by hour of the day, over the whole hours from ``first`` to before ``now``
    (at least 24)."""
    seen: list[list[int]] = [[] for _ in range(24)]
    for hour in range(first, now):
        seen[hour % 24].append(sums.get(hour, 0))
    return [sum(numbers) / len(numbers) for numbers in seen]


def _surge(sums: Mapping[int, int], profile: list[float], now: int, gone: float) -> float:
    """How many times the usual the last hours brought at least."""
    since = now - RECENT_HOURS + 1
    usual = gone * profile[now % 24] + sum(profile[hour % 24] for hour in range(since, now))
    came = _between(sums, since, now + 1)
    return (came - 2 * math.sqrt(came)) / usual if usual else 0.0


def _left_of_day(profile: list[float], hour: int, gone: float) -> float:
    """The share of a day that lies after ``hour`` and its share ``gone``."""
    whole = sum(profile)
    if not whole:
        return 1 - (hour + gone) / 24
    return ((1 - gone) * profile[hour] + sum(profile[hour + 1 :])) / whole


def _mix(hours: Iterable[Mapping[str, int]]) -> dict[str, float]:
    """Stratum → its share of the answers; empty without any."""
    total: Counter[str] = Counter()
    for strata in hours:
        total.update(strata)
    whole = total.total()
    return {stratum: n / whole for stratum, n in total.items()}
