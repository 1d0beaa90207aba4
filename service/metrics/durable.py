"""What stands in the store, shown as gauges; by ``serve`` alone, or each process would show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client import Gauge

from service.accounting import CASE_STATES, TASK_STATES, Books
from service.estimates.estimate import Estimate
from service.measuring.probed import ProbeResult
from service.metrics.declared import PROBE_MEASURES, Declared, RateName
from service.review.cases import SEVERITY_ORDER


class Shown:
    """A gauge whose series are replaced as a whole. Those that stay are never away in between: a
    scrape may come at any time."""

    def __init__(self, gauge: Gauge) -> None:
        self._gauge = gauge
        self._labels: set[tuple[str, ...]] = set()

    def show(self, values: Mapping[tuple[str, ...], float]) -> None:
        """Labels → value; series not named are dropped."""
        for labels, value in values.items():
            self._gauge.labels(*labels).set(value)
        for labels in self._labels - values.keys():
            self._gauge.remove(*labels)
        self._labels = set(values)


@dataclass(frozen=True, slots=True)
class Measured:
    """``n``: trials that the estimate rests on."""

    estimate: Estimate
    n: int

    def statistics(self) -> Iterator[tuple[str, float]]:
        """value, low and high, where the data define them."""
        estimate = self.estimate
        for name, number in (
            ("value", estimate.value), ("low", estimate.low), ("high", estimate.high),
        ):  # fmt: skip
            if number is not None:
                yield name, number


@dataclass(frozen=True, slots=True)
class Calibrated:
    """``corrected``: with the number of labels it rests on; ``needed``: labels still needed, None
    where no number would do."""

    corrected: Measured
    calibrated: bool
    needed: int | None


class DurableMetrics:
    def __init__(self, declared: Declared) -> None:
        self._declared = declared
        self._rulesets = Shown(declared.ruleset_info)
        self._budget = Shown(declared.judge_budget)
        self._budget_left = Shown(declared.judge_budget_left)
        self._factors = Shown(declared.judge_factor)
        self._coverage = Shown(declared.judge_coverage)
        self._corrected = Shown(declared.corrected_rate)
        self._calibrated = Shown(declared.judge_calibrated)
        self._judge_labels = Shown(declared.judge_labels)
        self._labels_needed = Shown(declared.judge_labels_needed)
        self._precision = Shown(declared.check_precision)
        self._labelled = Shown(declared.check_labelled)
        self._agreement = Shown(declared.agreement)
        self._rates = Shown(declared.rate)
        self._silent_hours = Shown(declared.hours_without_data)
        self._first_seen = Shown(declared.release_first_seen)
        self._probe_measure = Shown(declared.probe_measure)
        self._probe_questions = Shown(declared.probe_questions)
        self._probe_lost = Shown(declared.probe_critical_lost)
        self._probe_answered = Shown(declared.probe_unanswerable_answered)
        self._probe_finished = Shown(declared.probe_finished)

    def set_books(self, books: Books) -> None:
        for equation in books.equations:
            self._declared.imbalance.labels(equation.name).set(equation.imbalance)

    def set_cases(self, by_state: Mapping[str, int]) -> None:
        for state in CASE_STATES:
            self._declared.cases_by_state.labels(state).set(by_state.get(state, 0))

    def set_open_cases(self, by_severity: Mapping[str, int], oldest_s: Mapping[str, float]) -> None:
        """The queue's depth by severity, and the age in seconds of its oldest case of each (0 where
        there is none)."""
        for severity in SEVERITY_ORDER:
            self._declared.open_cases.labels(severity).set(by_severity.get(severity, 0))
            self._declared.oldest_open_case.labels(severity).set(oldest_s.get(severity, 0))

    def set_tasks(self, by_state: Mapping[str, int]) -> None:
        for state in TASK_STATES:
            self._declared.tasks.labels(state).set(by_state.get(state, 0))

    def set_judge(
        self,
        backlog: int,
        oldest_s: float,
        budget: Mapping[str, float],
        budget_left: Mapping[str, float],
        factors: Mapping[str, float],
    ) -> None:
        """The durable state of judging. ``budget``: kind → its bound, of the kinds that have one;
        ``budget_left``: what it still holds; ``factors``: app → what scales its inclusion
        probabilities."""
        self._declared.judge_backlog.set(backlog)
        self._declared.judge_oldest.set(oldest_s)
        self._budget.show(_labelled(budget))
        self._budget_left.show(_labelled(budget_left))
        self._factors.show(_labelled(factors))

    def set_judge_coverage(self, by_app: Mapping[str, float]) -> None:
        """App → share of what was drawn that the judge was given. Apps without a draw are absent:
        no data is neither 0 nor 1."""
        self._coverage.show(_labelled(by_app))

    def set_calibrations(self, by_app: Mapping[str, Calibrated]) -> None:
        """Of the judge version that ruled last on each app's answers."""
        self._corrected.show(
            {
                (app, statistic): value
                for app, found in by_app.items()
                for statistic, value in found.corrected.statistics()
            }
        )
        self._calibrated.show({(app,): found.calibrated for app, found in by_app.items()})
        self._judge_labels.show({(app,): found.corrected.n for app, found in by_app.items()})
        self._labels_needed.show(
            {(app,): one.needed for app, one in by_app.items() if one.needed is not None}
        )

    def set_rulesets(self, by_app: Mapping[str, str]) -> None:
        """App → ruleset in force."""
        self._rulesets.show({(app, ruleset): 1 for app, ruleset in by_app.items()})

    def set_probes(self, latest: Iterable[ProbeResult]) -> None:
        """``latest``: of each app the last one: an alert ends with the probe that passes."""
        results = {(result.app, result.release): result for result in latest}
        self._probe_measure.show(
            {
                (*place, measure, statistic): value
                for place, result in results.items()
                for measure, statistic, value in _probe_statistics(result)
            }
        )
        self._probe_questions.show(
            {
                (*place, state): number
                for place, result in results.items()
                for state, number in (
                    ("answered", result.questions - result.failed), ("failed", result.failed),
                )
            }
        )  # fmt: skip
        self._probe_lost.show({place: found.lost for place, found in results.items()})
        self._probe_answered.show({place: found.answered for place, found in results.items()})
        self._probe_finished.show({place: found.at_ms / 1000 for place, found in results.items()})

    def set_precision(self, by_check: Mapping[str, Measured]) -> None:
        self._precision.show(
            {
                (check, statistic): value
                for check, measured in by_check.items()
                for statistic, value in measured.statistics()
            }
        )
        self._labelled.show({(check,): measured.n for check, measured in by_check.items()})

    def set_agreement(self, coefficients: Mapping[str, float | None], pairs: int) -> None:
        """``coefficients``: kappa and ac1, None where the pairs do not define one."""
        self._agreement.show(
            {(name,): value for name, value in coefficients.items() if value is not None}
        )
        self._declared.agreement_pairs.set(pairs)

    def set_rates(self, by_app: Mapping[str, Mapping[RateName, Measured]]) -> None:
        """Rates without a value are left out: no data is no rate of 0."""
        known = (
            (app, name, measured)
            for app, rates in by_app.items()
            for name, measured in rates.items()
            if measured.estimate.value is not None
        )
        self._rates.show(
            {
                (app, name, statistic): value
                for app, name, measured in known
                for statistic, value in (*measured.statistics(), ("n", measured.n))
            }
        )

    def set_silent_hours(self, by_app: Mapping[str, int]) -> None:
        """App → whole hours of the last 24 without an answer."""
        self._silent_hours.show(_labelled(by_app))

    def set_releases(self, first_seen_s: Mapping[tuple[str, str], float]) -> None:
        """(app, release) → seconds since 1970."""
        self._first_seen.show({(app, name): at for (app, name), at in first_seen_s.items()})

    def set_redis(self, *, up: bool) -> None:
        self._declared.redis_up.set(up)

    def set_memory(self, used: int, most: int) -> None:
        """Bytes; ``most`` is 0 where there is no limit."""
        self._declared.redis_memory_used.set(used)
        self._declared.redis_memory_max.set(most)


def _probe_statistics(result: ProbeResult) -> Iterator[tuple[str, str, float]]:
    """Of the measures that have a label value: ``recall@5`` is ``recall``."""
    for name, share in result.shares.items():
        measure = name.partition("@")[0]
        if measure in PROBE_MEASURES:
            yield measure, "value", share.mean
            yield measure, "low", share.low
            yield measure, "high", share.high


def _labelled(values: Mapping[str, float]) -> dict[tuple[str, ...], float]:
    return {(name,): value for name, value in values.items()}
