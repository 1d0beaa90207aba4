"""What the judge said lately and how far people confirm it, read from the store and remembered.

One reading serves the pages, the JSON API, the gauges and ``groundwatch judge-check``, so that they
tell the same.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from sys import intern
from typing import Any, Protocol

from service.access.roles import ALL, Grant
from service.estimates.coverage import Coverage, coverage_of, eligible_by_stratum
from service.judging.calibration import (
    Audit,
    Calibration,
    Ruled,
    audit_of,
    calibrate,
    last_version,
    ruled_of,
)
from service.judging.families import shared_family
from service.judging.rates import (
    JudgedRate,
    JudgedRateName,
    JudgedSample,
    add,
    is_judged,
    judged_rates,
)
from service.makeup import PARTS, Makeup
from service.review.cases import DAY_MS
from service.review.labels import Change
from service.store import Store
from service.web.days import Day, Days

REMEMBERED_S = 60.0
MOST_ROWS = 50_000
"""Judged answers that are read at most, the newest first: some 40 MB."""
MOST_AUDITS = 10_000
MOST_VERSIONS = 5
"""Earlier judge versions that are told of."""
MOST_CUTS = 20
"""Apps, and languages, that are told apart."""


class JudgedReader(Protocol):
    def rows(self, day: int) -> list[dict[str, Any]]:
        """Of a day since 1970; raises ``service.outage.Outage`` while the store is away."""
        ...


class AuditReader(Protocol):
    def histories(self, since_ms: int, most: int) -> list[list[Change]]: ...


class Placed(Protocol):
    """What tells of which answers it is."""

    @property
    def app(self) -> str | None: ...
    @property
    def language(self) -> str | None: ...


class MakeupReader(Protocol):
    def makeups(self, app: str) -> Sequence[Makeup]: ...


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """Everything that the judge's rates are to be read with.

    ``first_day``, ``last_day``: since 1970, both included; the first is later than asked for where
    more answers were judged than are read. ``rates``: of the judge version that judged last, as
    ``calibration`` is; ``earlier``: of the versions before it, the last one first; ``coverage``: of
    what was drawn for the judge; ``rulesets``: that checked these answers; ``generators``: models
    that wrote them, as far as they are told; ``family``: of the judge, where one of them shares it,
    else empty; ``by_app``, ``by_language``: where there is more than one.
    """

    first_day: int
    last_day: int
    rates: Mapping[JudgedRateName, JudgedRate]
    calibration: Calibration
    earlier: tuple[Calibration, ...]
    coverage: Coverage
    rulesets: tuple[str, ...]
    generators: tuple[str, ...]
    family: str
    by_app: Mapping[str, Calibration]
    by_language: Mapping[str, Calibration]

    @property
    def days(self) -> int:
        return self.last_day - self.first_day + 1


@dataclass(frozen=True, slots=True)
class JudgeScope:
    """Which answers: of one app, one language, or of any; ``grant``: of these apps alone."""

    app: str | None = None
    language: str | None = None
    grant: Grant = ALL

    def holds(self, one: Placed) -> bool:
        return (
            self.app in (None, one.app)
            and self.language in (None, one.language)
            and self.grant.covers(one.app or "")
        )


_Of = tuple[str, str, str]
"""App, language, judge version."""


@dataclass(frozen=True, slots=True)
class _Reading:
    first_day: int
    ruled: list[Ruled]
    samples: Mapping[_Of, JudgedSample]
    audits: list[Audit]

    def within(self, scope: JudgeScope) -> _Reading:
        if scope == JudgeScope():
            return self
        return _Reading(
            self.first_day,
            [one for one in self.ruled if scope.holds(one)],
            {of: one for of, one in self.samples.items() if scope.holds(JudgeScope(*of[:2]))},
            [audit for audit in self.audits if scope.holds(audit)],
        )

    def sample(self, version: str) -> JudgedSample:
        """Of one judge version: two are not to be mixed."""
        total = JudgedSample()
        for of, sample in self.samples.items():
            if of[-1] == version:
                for name in JudgedSample.__dataclass_fields__:
                    getattr(total, name).extend(getattr(sample, name))
        return total


class Calibrations:
    """Of the last ``days`` days, today's included. Safe to be asked by several threads. Every
    method raises ``service.outage.Outage`` while the store is away. ``now``: seconds since 1970;
    ``monotonic``: seconds, by which a memory ages."""

    def __init__(
        self,
        judged: JudgedReader,
        audits: AuditReader,
        counted: Days,
        makeups: MakeupReader,
        days: int,
        now: Callable[[], float],
        monotonic: Callable[[], float],
    ) -> None:
        self._judged = judged
        self._audits = audits
        self._counted = counted
        self._makeups = makeups
        self._days = days
        self._now = now
        self._monotonic = monotonic
        self._read_at: float | None = None
        self._reading = _Reading(0, [], {}, [])
        self._known: dict[JudgeScope, JudgeFigures] = {}
        self._lock = threading.Lock()

    def within(self, grant: Grant) -> GrantedCalibrations:
        """The same for somebody who may see these apps alone; everybody shares one memory."""
        return GrantedCalibrations(self, grant)

    def of(self, scope: JudgeScope = JudgeScope()) -> JudgeFigures:
        with self._lock:
            now = self._monotonic()
            if self._read_at is None or now - self._read_at > REMEMBERED_S:
                self._reading = self._read()
                self._known, self._read_at = {}, now
            if len(self._known) > 2 * MOST_CUTS:
                self._known = {}
            if scope not in self._known:
                self._known[scope] = self._figures(scope)
            return self._known[scope]

    def by_app(self) -> dict[str, JudgeFigures]:
        """Each app of which anything was judged."""
        self.of()
        with self._lock:
            apps = sorted({one.app for one in self._reading.ruled})
        return {app: self.of(JudgeScope(app)) for app in apps}

    def labelled(self, scope: JudgeScope = JudgeScope()) -> list[tuple[Ruled, Audit]]:
        """Audited answers that some judge version ruled on and people called bad or fine, those
        audited last first."""
        self.of()
        with self._lock:
            reading = self._reading.within(scope)
        by_key = {one.key: one for one in reading.ruled}
        return [
            (by_key[audit.key], audit)
            for audit in reading.audits
            if audit.said is not None and audit.key in by_key
        ]

    # ── reading ───────────────────────────────────────────────────────────────────────────────

    def _read(self) -> _Reading:
        today = int(self._now()) // 86_400
        ruled: list[Ruled] = []
        samples: dict[_Of, JudgedSample] = {}
        first = today
        for day in range(today, today - self._days, -1):
            rows = self._judged.rows(day)
            if len(ruled) + len(rows) > MOST_ROWS and ruled:
                break
            first = day
            for row in rows:
                one = _interned(ruled_of(row))
                ruled.append(one)
                if is_judged(row):
                    of = one.app, one.language, one.version
                    add(samples.setdefault(of, JudgedSample()), row)
        found = map(audit_of, self._audits.histories(first * DAY_MS, MOST_AUDITS))
        return _Reading(first, ruled, samples, [audit for audit in found if audit is not None])

    # ── telling ───────────────────────────────────────────────────────────────────────────────

    def _figures(self, scope: JudgeScope) -> JudgeFigures:
        today = int(self._now()) // 86_400
        days = self._counted.between(self._reading.first_day, today, today)
        reading = self._reading.within(scope)
        version = last_version(reading.ruled)
        generators = self._generators(scope, reading)
        apps = _several(one.app for one in reading.ruled)
        languages = _several(one.language for one in reading.ruled)
        return JudgeFigures(
            first_day=reading.first_day,
            last_day=today,
            rates=judged_rates(reading.sample(version)),
            calibration=_calibration(reading, days, scope, version),
            earlier=tuple(
                _calibration(reading, days, scope, earlier)
                for earlier in _earlier(reading.ruled, version)
            ),
            coverage=coverage_of(_summed(days, scope, 0)),
            rulesets=_rulesets(days, scope),
            generators=generators,
            family=shared_family(version.partition("/")[0], generators) or "",
            by_app={
                app: _calibration(reading, days, replace(scope, app=app), version) for app in apps
            },
            by_language={
                language: _calibration(reading, days, replace(scope, language=language), version)
                for language in languages
            },
        )

    def _generators(self, scope: JudgeScope, reading: _Reading) -> tuple[str, ...]:
        apps = sorted({one.app for one in reading.ruled} if scope.app is None else {scope.app})
        model = PARTS.index("model")
        apps = [app for app in apps if scope.grant.covers(app)][:MOST_CUTS]
        told = {made.parts[model] for app in apps for made in self._makeups.makeups(app)}
        return tuple(sorted(told - {""}))[:MOST_CUTS]


@dataclass(frozen=True, slots=True)
class GrantedCalibrations:
    """What :class:`Calibrations` tells of some apps."""

    whole: Calibrations
    grant: Grant

    def of(self, scope: JudgeScope = JudgeScope()) -> JudgeFigures:
        return self.whole.of(replace(scope, grant=self.grant))

    def by_app(self) -> dict[str, JudgeFigures]:
        apps = [app for app in self.whole.by_app() if self.grant.covers(app)]
        return {app: self.of(JudgeScope(app)) for app in apps}

    def labelled(self, scope: JudgeScope = JudgeScope()) -> list[tuple[Ruled, Audit]]:
        return self.whole.labelled(replace(scope, grant=self.grant))


def calibrations_over(
    store: Store,
    days: int,
    now: Callable[[], float],
    monotonic: Callable[[], float],
) -> Calibrations:
    counted = Days(store.archive, monotonic)
    return Calibrations(
        store.judgements, store.audits, counted, store.archive, days, now, monotonic
    )


def _interned(one: Ruled) -> Ruled:
    """Of many rows the same few words are kept once."""
    return one._replace(
        app=intern(one.app),
        language=intern(one.language),
        stratum=intern(one.stratum),
        version=intern(one.version),
    )


def _calibration(
    reading: _Reading, days: Mapping[int, Day], scope: JudgeScope, version: str
) -> Calibration:
    mine = reading.within(scope)
    hours = (one.hour for one in mine.ruled if one.version == version)
    answers = eligible_by_stratum(_summed(days, scope, min(hours, default=0) // 24))
    return calibrate(mine.ruled, mine.audits, answers, version)


def _earlier(ruled: Iterable[Ruled], version: str) -> list[str]:
    last: dict[str, int] = defaultdict(int)
    for one in ruled:
        last[one.version] = max(last[one.version], one.hour)
    found = sorted(last.keys() - {version}, key=lambda name: (-last[name], name))
    return found[:MOST_VERSIONS]


def _several(names: Iterable[str]) -> list[str]:
    """The most frequent ones, in their order; none where there is only one."""
    found = Counter(names).most_common(MOST_CUTS)
    return sorted(name for name, _ in found) if len(found) > 1 else []


def _summed(days: Mapping[int, Day], scope: JudgeScope, since: int) -> Counter[str]:
    """Over the days from ``since`` on."""
    total: Counter[str] = Counter()
    for number, day in days.items():
        if number >= since:
            for place, measures in day.places.items():
                if scope.holds(place):
                    total.update(measures)
    return total


def _rulesets(days: Mapping[int, Day], scope: JudgeScope) -> tuple[str, ...]:
    places = (place for day in days.values() for place in day.places)
    return tuple(sorted({place.ruleset for place in places if scope.holds(place)} - {""}))
