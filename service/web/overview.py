"""What the overview shows, from counters by day. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from service.estimates.coverage import Coverage, coverage_of
from service.estimates.differences import Difference, difference
from service.estimates.rates import RATES, Rate, Rates, rates_of
from service.estimates.strata import Stratum
from service.judging.judgement import Cause
from service.thresholds import Band, thresholds
from service.web.days import Day, Place

LINE_DAYS = 30
PERIODS = (1, 7, 30)
"""Days that the figures may be of; today is the last of them."""
HOURS_KNOWN = 13 * 24
"""Older hours may have been rolled into their day."""
FAULTS = tuple(cause.value for cause in Cause)

_BANDED = {"unresolved": "unresolvable_citations", "unsupported": "unsupported_numbers"}


def band_of(name: str, rate: Rate) -> Band | None:
    """Of one of the rates that have bands, by the bounds of the alerts; None where it is below."""
    low = rate.estimate.low
    return None if low is None else thresholds().band(_BANDED[name], low, rate.answers)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which answers: of one app, one language, or of any."""

    app: str | None = None
    language: str | None = None
    release: str | None = None

    def holds(self, place: Place) -> bool:
        return (
            self.app in (None, place.app)
            and self.language in (None, place.language)
            and self.release in (None, place.release)
        )


@dataclass(frozen=True, slots=True)
class Introduced:
    """A release or a ruleset of an app, and the first of the days shown on which it was seen; not
    those of the first day that is read, which may be older."""

    day: int
    kind: str
    app: str
    name: str


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """A release of an app in the period. ``last_day``: on which it was last seen; ``faults``: what
    the judge said was the cause of bad claims, ``coverage``: of what was drawn for it."""

    app: str
    release: str
    last_day: int
    rates: Rates
    faults: Mapping[str, int]
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Silence:
    """``missing`` of ``hours`` whole hours had no checked answer; ``since_hour``: the first of
    those that last until now, hours since 1970, None while answers come or where none ever did."""

    missing: int
    hours: int
    since_hour: int | None


@dataclass(frozen=True, slots=True)
class Overview:
    """``now``, ``before``: the period's rates, and those of the period before it; ``pace``: answers
    an hour as a ratio of both, None without any before; ``days``: the last 30, None for one without
    an answer; ``coverage``: of what was drawn for the judge in the period."""

    period: tuple[int, int]
    now: Rates
    before: Rates
    today: Rates
    pace: float | None
    days: Mapping[int, Rates | None]
    by_app: Mapping[str, Mapping[int, Rates | None]]
    introduced: tuple[Introduced, ...]
    releases: tuple[ReleaseRow, ...]
    silence: Silence
    coverage: Coverage
    apps: tuple[str, ...]
    languages: tuple[str, ...]
    changes: Mapping[str, Difference | None] = field(default_factory=dict)


def first_day_needed(today: int, length: int) -> int:
    return today - max(LINE_DAYS, 2 * length) + 1


def overview(
    days: Mapping[int, Day],
    scope: Scope,
    length: int,
    now_hour: int,
    line_days: int = LINE_DAYS,
) -> Overview:
    """``days``: all from :func:`first_day_needed` to today; ``length``: of the period in days,
    today's included; ``now_hour``: the running hour, since 1970; ``line_days``: of
    the lines."""
    today = now_hour // 24
    period = range(today - length + 1, today + 1)
    previous = range(today - 2 * length + 1, today - length + 1)
    line = range(today - line_days + 1, today + 1)
    now, before = _rates(days, period, scope), _rates(days, previous, scope)
    places = {place for day in days.values() for place in day.places}
    shown = sorted({place.app for place in places if scope.holds(place)})
    return Overview(
        period=(period[0], today),
        now=now,
        before=before,
        today=_rates(days, range(today, today + 1), scope),
        pace=_pace(days, previous, scope, now, before, (now_hour % 24 + 1) / 24 + length - 1),
        days=_line(days, line, scope),
        by_app={app: _line(days, line, Scope(app, scope.language, scope.release)) for app in shown},
        introduced=tuple(one for one in _introduced(days, sorted(days), scope) if one.day in line),
        releases=_releases(days, period, scope),
        silence=_silence(days, scope, length, now_hour),
        coverage=coverage_of(_summed(days, period, scope)),
        apps=tuple(sorted({place.app for place in places})),
        languages=tuple(sorted({place.language for place in places if place.language})),
        changes={name: difference(part(before), part(now)) for name, part in RATES.items()},
    )


def rates_between(days: Mapping[int, Day], scope: Scope) -> Rates:
    """Over all the days."""
    return _rates(days, days, scope)


def strata_between(days: Mapping[int, Day], scope: Scope, by_ruleset: bool) -> dict[Stratum, Rates]:
    """Over all the days, by app and language; ``by_ruleset``: by ruleset too."""
    found: dict[Stratum, Counter[str]] = {}
    for _, place, measures in _counted(days, days):
        if scope.holds(place):
            stratum = Stratum(place.app, place.ruleset if by_ruleset else "", place.language)
            found.setdefault(stratum, Counter()).update(measures)
    return {stratum: rates_of(measures) for stratum, measures in found.items()}


def measures_between(days: Mapping[int, Day], scope: Scope) -> Mapping[str, int]:
    """Summed over all the days."""
    return _summed(days, days, scope)


def _rates(days: Mapping[int, Day], over: Iterable[int], scope: Scope) -> Rates:
    return rates_of(_summed(days, over, scope))


def _summed(days: Mapping[int, Day], over: Iterable[int], scope: Scope) -> Counter[str]:
    total: Counter[str] = Counter()
    for _, place, measures in _counted(days, over):
        if scope.holds(place):
            total.update(measures)
    return total


def _counted(
    days: Mapping[int, Day], over: Iterable[int]
) -> Iterator[tuple[int, Place, Counter[str]]]:
    for day in over:
        for place, measures in days[day].places.items():
            yield day, place, measures


def _line(days: Mapping[int, Day], over: Iterable[int], scope: Scope) -> dict[int, Rates | None]:
    rates = {day: _rates(days, (day,), scope) for day in over}
    return {day: found if found.checked else None for day, found in rates.items()}


def _pace(
    days: Mapping[int, Day],
    previous: range,
    scope: Scope,
    now: Rates,
    before: Rates,
    elapsed_days: float,
) -> float | None:
    """A running day is not held against a whole one; neither are days from before the first."""
    full = [day for day in previous if any(scope.holds(place) for place in days[day].places)]
    if not before.checked or len(full) < len(previous):
        return None
    return (now.checked / elapsed_days) / (before.checked / len(previous))


def _introduced(days: Mapping[int, Day], over: Sequence[int], scope: Scope) -> Iterator[Introduced]:
    begun: set[str] = set()
    seen: set[tuple[str, str, str]] = set()
    for day in over:
        new_apps = set()
        for place in sorted(days[day].places):
            if not scope.holds(place):
                continue
            for kind, name in (("release", place.release), ("ruleset", place.ruleset)):
                if name and (place.app, kind, name) not in seen:
                    seen.add((place.app, kind, name))
                    if place.app in begun:
                        yield Introduced(day, kind, place.app, name)
            new_apps.add(place.app)
        begun |= new_apps


def _releases(days: Mapping[int, Day], over: Iterable[int], scope: Scope) -> tuple[ReleaseRow, ...]:
    """By app, the release that was seen last first; of those of one day the busiest."""
    totals: dict[tuple[str, str], Counter[str]] = {}
    last: dict[tuple[str, str], int] = {}
    for day, place, measures in _counted(days, over):
        if scope.holds(place):
            of = place.app, place.release
            totals.setdefault(of, Counter()).update(measures)
            last[of] = day
    rows = [
        ReleaseRow(*of, last[of], rates_of(total), _faults(total), coverage_of(total))
        for of, total in totals.items()
    ]
    rows.sort(key=lambda row: (row.app, -row.last_day, -row.rates.checked, row.release))
    return tuple(rows)


def _faults(measures: Mapping[str, int]) -> dict[str, int]:
    return {cause: measures.get(f"judge:cause:{cause}", 0) for cause in FAULTS}


def _silence(days: Mapping[int, Day], scope: Scope, length: int, now_hour: int) -> Silence:
    """Of the whole hours of the period, as far back as hours are known, from the first one that
    ever had an answer. The running hour may still get one, so it only ends a silence."""
    apps = {place.app for day in days.values() for place in day.places if scope.holds(place)}
    heard = {hour for day in days.values() for app, hour in day.hours if app in apps}
    if not heard:
        return Silence(0, 0, None)
    first = max(now_hour - HOURS_KNOWN, (now_hour // 24 - length + 1) * 24, min(heard))
    whole = range(first, now_hour)
    last = max(heard)
    return Silence(
        sum(hour not in heard for hour in whole),
        len(whole),
        last + 1 if last < now_hour - 1 else None,
    )
