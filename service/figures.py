"""What the last day was, as gauges: from the store, which a restart does not forget."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from service import bootstrap
from service.bootstrap import Parts
from service.calibrations import calibrations_over
from service.estimates.by_app import Counters, measures_by_app, silent_hours
from service.estimates.coverage import coverage_by_app
from service.estimates.double_labels import agreement_on
from service.estimates.precision import precisions
from service.estimates.rates import Rate, Rates, rates_of
from service.judging.rates import JudgedSample, judged_by_app, judged_rates
from service.measuring.probed import latest_of
from service.metrics import MAX_RELEASES, Calibrated, Measured, RateName
from service.policy import OTHER
from service.review.standing import standing_everywhere
from service.web.labelled import RecentChanges, blind_pairs

EVERY_S = 15.0
HOURS = 24
AGREED_PART = "answer"
"""Of a label: the part whose agreement is one number for an alert. The labels page has all."""


class FigureKeeper:
    """Not thread-safe. ``now``: seconds since 1970."""

    def __init__(self, parts: Parts, now: Callable[[], float]) -> None:
        self._parts = parts
        self._now = now
        self._due = time.monotonic()
        self._changes = RecentChanges(bootstrap.desk(parts, lambda: None), time.monotonic)
        self._calibrations = calibrations_over(
            parts.store, parts.settings.calibration_days, now, time.monotonic
        )

    def refresh(self) -> None:
        """Where it is time to: a day of counters is not read with every turn. Raises
        :class:`service.outage.Outage`."""
        if time.monotonic() < self._due:
            return
        hour = int(self._now()) // 3600
        counters = self._parts.store.archive.counters(hour - HOURS, hour + 1)
        # The running hour may still bring an answer: it is in the rates, and no silence yet.
        latest, whole = range(hour - HOURS + 1, hour + 1), range(hour - HOURS, hour)
        recent = {place: fields for place, fields in counters.items() if place[1] in latest}
        self._show_rates(recent, latest)
        self._show_coverage(recent)
        self._show_silence(counters, whole)
        self._show_releases()
        self._show_people()
        self._show_probes()
        self._show_calibrations()
        self._due = time.monotonic() + EVERY_S

    def _show_rates(self, counters: Counters, hours: range) -> None:
        judgements = self._parts.store.judgements
        days = range(hours.start // 24, hours[-1] // 24 + 1)
        judged = judged_by_app((row for day in days for row in judgements.rows(day)), hours)
        measures = measures_by_app(counters)
        self._parts.metrics.set_rates(
            {
                app: _counted(rates_of(measures.get(app, Counter())))
                | _judged(judged.get(app, JudgedSample()))
                for app in measures.keys() | judged.keys()
            }
        )

    def _show_coverage(self, counters: Counters) -> None:
        shares = {app: found.value for app, found in coverage_by_app(counters).items()}
        known = {app: share for app, share in shares.items() if share is not None}
        self._parts.metrics.set_judge_coverage(known)

    def _show_silence(self, counters: Counters, hours: range) -> None:
        before = self._parts.store.archive.apps_counted(hours.start)
        self._parts.metrics.set_silent_hours(silent_hours(counters, hours, before))

    def _show_releases(self) -> None:
        apps = [*self._parts.terms().policy.apps, OTHER]
        found = self._parts.store.archive.releases_first_seen(apps, MAX_RELEASES)
        self._parts.metrics.set_releases({place: ms / 1000 for place, ms in found.items()})

    def _show_probes(self) -> None:
        self._parts.metrics.set_probes(latest_of(self._parts.store.probes.results()))

    def _show_people(self) -> None:
        changes, metrics = self._changes.since(0), self._parts.metrics
        rows = precisions(standing_everywhere(changes))
        metrics.set_precision(
            {check: Measured(row.precision, row.findings) for (check,), row in rows.items()}
        )
        agreed = agreement_on(AGREED_PART, blind_pairs(changes))
        coefficients = {"kappa": agreed.kappa.value, "ac1": agreed.ac1.value}
        metrics.set_agreement(coefficients, agreed.n)

    def _show_calibrations(self) -> None:
        found = {app: one.calibration for app, one in self._calibrations.by_app().items()}
        self._parts.metrics.set_calibrations(
            {
                app: Calibrated(Measured(one.corrected, one.labels), one.calibrated, one.needed)
                for app, one in found.items()
            }
        )


def _counted(rates: Rates) -> dict[RateName, Measured]:
    named: dict[RateName, Rate] = {
        "unresolvable_citations_per_answer": rates.unresolved_answers,
        "unresolvable_citations_per_citation": rates.unresolved_citations,
        "unsupported_numbers": rates.unsupported,
        "abstentions": rates.abstained,
        "citing": rates.citing,
        "not_evaluated": rates.unread_citations,
    }
    return {name: Measured(rate.estimate, rate.trials) for name, rate in named.items()}


def _judged(sample: JudgedSample) -> dict[RateName, Measured]:
    return {
        name: Measured(rate.estimate, rate.answers) for name, rate in judged_rates(sample).items()
    }
