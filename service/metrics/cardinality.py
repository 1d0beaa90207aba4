"""How many series one process can come to have, counted off the declarations themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from prometheus_client import CollectorRegistry

from service.checks import CHECKS
from service.estimates.estimate import Estimate
from service.metrics.answers import AnswerMetrics
from service.metrics.declared import Declared, RateName
from service.metrics.durable import Calibrated, DurableMetrics, Measured
from service.metrics.releases import MAX_RELEASES, ReleaseSeries, create_feedback

RELEASES = MAX_RELEASES + 1
"""Of an app: those by name, and ``other``."""
CODES = 5
"""Classes of HTTP status that a route may answer."""

_SOME = Measured(Estimate(0.5, 0.4, 0.6), 1)


@dataclass(frozen=True, slots=True)
class Cardinality:
    """``fixed``: series whatever comes; the others each time for every app, release of an app."""

    fixed: int
    per_app: int
    per_release: int

    def bound(self, apps: int, routes: int = 0, partitions: int = 0) -> int:
        """The most series of a process. ``apps``: those of the policy and ``other``."""
        of_apps = apps * (self.per_app + RELEASES * self.per_release)
        return self.fixed + of_apps + routes * CODES + partitions


def cardinality() -> Cardinality:
    fixed, one_app, one_release = (_count(*world) for world in ((0, 0), (1, 0), (1, 1)))
    return Cardinality(fixed, one_app - fixed, one_release - one_app)


def series_of(registry: CollectorRegistry) -> int:
    """How many there are, those of ``process_*`` left out."""
    return sum(
        sample.name.startswith("groundwatch_")
        for metric in registry.collect()
        for sample in metric.samples
    )


def _count(apps: int, releases: int) -> int:
    """With everything in it that so many apps of so many releases each can bring."""
    declared = Declared()
    AnswerMetrics(declared)
    series, durable = ReleaseSeries(declared), DurableMetrics(declared)
    names = [f"app{n}" for n in range(apps)]
    for app in names:
        series.create_app(app)
        create_feedback(declared, app)
        for n in range(releases):
            series.create_answered(app, f"r{n}")
            series.create_judged(app, f"r{n}")
    durable.set_rates({app: dict.fromkeys(get_args(RateName), _SOME) for app in names})
    durable.set_silent_hours(dict.fromkeys(names, 0))
    durable.set_rulesets(dict.fromkeys(names, "1-aa"))
    durable.set_releases({(app, f"r{n}"): 0 for app in names for n in range(releases)})
    durable.set_judge_coverage(dict.fromkeys(names, 1.0))
    durable.set_calibrations(dict.fromkeys(names, Calibrated(_SOME, True, 1)))
    budget = {"tokens": 1.0, "money": 1.0, "calls": 1.0}
    durable.set_judge(0, 0, budget, budget, dict.fromkeys(names, 1.0))
    durable.set_precision(dict.fromkeys(CHECKS, _SOME))
    durable.set_agreement({"kappa": 0.5, "ac1": 0.5}, 1)
    durable.set_redis(up=True)
    return series_of(declared.registry)
