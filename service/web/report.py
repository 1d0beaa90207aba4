"""The monthly report: what a month's counters, judgements and labels come to. Pure."""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Self

from service.calibrations import JudgeFigures
from service.estimates.estimate import Estimate
from service.estimates.rates import RATES, Rate, Rates
from service.measuring.probed import ProbeResult
from service.review.cases import DAY_MS, Case
from service.review.labels import Action, Change, FindingCall
from service.review.standing import standing_everywhere
from service.web.days import Day
from service.web.overview import Overview, Scope, overview
from service.web.plots import date_of, number_of

EXCERPT = 700
"""Characters of a question or an answer that are shown."""
_MONTH = re.compile(r"(2\d{3})-(0[1-9]|1[0-2])", re.ASCII)


@dataclass(frozen=True, slots=True)
class Month:
    """``first``, ``last``: days since 1970, both included; ``last`` is today in a running month."""

    name: str
    first: int
    last: int
    running: bool

    @classmethod
    def of(cls, name: str, today: int) -> Self:
        """``name``: ``2026-11``. Raises ValueError for anything else, and for one to come."""
        found = _MONTH.fullmatch(name)
        if found is None:
            raise ValueError("a month is written as 2026-11")
        year, month = int(found[1]), int(found[2])
        first = number_of(date(year, month, 1))
        if first > today:
            raise ValueError(f"{name} has not begun")
        last = first + calendar.monthrange(year, month)[1] - 1
        return cls(name, first, min(last, today), last >= today)

    @classmethod
    def before(cls, today: int) -> str:
        """The name of the last whole month."""
        return f"{date_of(number_of(date_of(today).replace(day=1)) - 1):%Y-%m}"

    @property
    def length(self) -> int:
        return self.last - self.first + 1

    @property
    def since_ms(self) -> int:
        return self.first * DAY_MS

    @property
    def until_ms(self) -> int:
        """When it ends: the first moment that is not in it."""
        return (self.last + 1) * DAY_MS

    @property
    def days_needed(self) -> tuple[int, int]:
        """Itself, and as many days before it."""
        return self.first - self.length, self.last


@dataclass(slots=True)
class Decided:
    """What people did in the month. ``labels``: given, by kind (case, task, group); those that
    stand say ``answers`` (correct, wrong …), ``faults`` and ``grounded``; ``reviewers``: how many
    people; ``incomplete``: more was done than is read."""

    labels: Counter[str] = field(default_factory=Counter)
    skipped: int = 0
    undone: int = 0
    decisions: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    grounded: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    reviewers: int = 0
    incomplete: bool = False

    @property
    def spent(self) -> int:
        return sum(self.labels.values())


@dataclass(frozen=True, slots=True)
class Worst:
    """``query``, ``answer``: a stranger's text, cut."""

    case_id: str
    app: str
    release: str
    severity: str
    headline: str
    query: str
    answer: str
    occurred_ms: int


@dataclass(frozen=True, slots=True)
class RateRow:
    """``left_out``: answers that were checked and that the rate says nothing of."""

    name: str
    rate: Rate
    left_out: int


@dataclass(frozen=True, slots=True)
class Report:
    """``judged``: None where nothing was judged; ``probes``: of this month; ``made_ms``: when it
    was put together, ms since 1970."""

    month: Month
    scope: Scope
    shown: Overview
    rates: tuple[RateRow, ...]
    judged: JudgeFigures | None
    probes: tuple[ProbeResult, ...]
    decided: Decided
    worst: tuple[Worst, ...]
    made_ms: int

    @property
    def silent_days(self) -> int:
        """Without any answer, from the first one in the month on."""
        days = [rates is not None for rates in self.shown.days.values()]
        return days[days.index(True) :].count(False) if True in days else len(days)


def shown_of(days: Mapping[int, Day], scope: Scope, month: Month) -> Overview:
    """``days``: all of :attr:`Month.days_needed`."""
    return overview(days, scope, month.length, month.last * 24 + 23, month.length)


def rate_rows(rates: Rates) -> tuple[RateRow, ...]:
    named = [(name, part(rates)) for name, part in RATES.items()]
    return tuple(RateRow(name, rate, rates.checked - rate.answers) for name, rate in named)


def decided_of(changes: Sequence[Change], scope: Scope, incomplete: bool = False) -> Decided:
    """``changes``: of the month."""
    mine = [one for one in changes if scope.app in (None, one.context.get("app"))]
    found = Decided(reviewers=len({one.reviewer for one in mine}), incomplete=incomplete)
    for change in mine:
        _count(found, change)
    for change in standing_everywhere(mine):
        if change.label is not None and not change.label.skipped:
            _count_standing(found, change)
    return found


def _count(found: Decided, change: Change) -> None:
    match change.action:
        case Action.LABELLED | Action.LABELLED_IN_BULK:
            found.labels[change.subject.partition(":")[0]] += 1
        case Action.SKIPPED:
            found.skipped += 1
        case Action.UNDONE:
            found.undone += 1
        case Action.DECIDED | Action.REOPENED:
            found.decisions[change.action.value] += 1


def _count_standing(found: Decided, change: Change) -> None:
    label = change.label
    if label is None:
        return
    for counter, said in (
        (found.answers, label.answer),
        (found.faults, label.fault),
        (found.grounded, label.grounded),
    ):
        if said is not None:
            counter[said.value] += 1
    for finding in label.findings:
        found.findings["real" if finding.call is FindingCall.REAL else "false_alarm"] += 1


def worst_of(case: Case) -> Worst:
    summary, answer = case.summary, case.event.get("answer")
    return Worst(
        summary.case_id,
        summary.app,
        summary.release,
        summary.severity,
        summary.headline,
        _cut(summary.query),
        _cut(answer if isinstance(answer, str) else ""),
        summary.occurred_ms,
    )


def _cut(text: str) -> str:
    return text if len(text) <= EXCERPT else text[:EXCERPT] + " …"


COLUMNS = ("month", "app", "language", "section", "name", "of", "value", "low", "high", "hits", "n",
           "answers", "left_out", "definition")  # fmt: skip


def csv_rows(report: Report, definition: Mapping[str, str]) -> Iterator[list[str]]:
    """Head first. ``definition``: name → text. A share is between 0 and 1; empty: no data."""
    yield list(COLUMNS)
    head = [report.month.name, report.scope.app or "", report.scope.language or ""]
    for cells in (*_counted(report), *_judged(report), *_probed(report), *_decided(report)):
        yield [*head, *cells, definition.get(cells[1], "")]


def _counted(report: Report) -> Iterator[list[str]]:
    shown = report.shown
    yield ["counted", "checked", "all", str(shown.now.checked), "", "", "", "", "", ""]
    for row in report.rates:
        yield ["counted", row.name, "all", *_rate(row.rate), str(row.left_out)]
    for release in shown.releases:
        of = f"release {release.app} {release.release}"
        for row in rate_rows(release.rates):
            yield ["counted", row.name, of, *_rate(row.rate), str(row.left_out)]
    for day, rates in shown.days.items():
        for row in rate_rows(rates) if rates is not None else ():
            of = f"day {date_of(day).isoformat()}"
            yield ["counted", row.name, of, *_rate(row.rate), str(row.left_out)]


def _judged(report: Report) -> Iterator[list[str]]:
    if report.judged is None:
        return
    found = report.judged.calibration
    of = f"judge {found.version}"
    if found.calibrated:
        labels = str(found.labels)
        yield ["corrected", "bad_answers", of, *_estimate(found.corrected), "", labels, labels, ""]
    for name, rate in report.judged.rates.items():
        answers = str(rate.answers)
        yield ["weighted", name, of, *_estimate(rate.estimate), "", answers, answers, ""]


def _probed(report: Report) -> Iterator[list[str]]:
    for result in report.probes:
        of = f"probe {result.app} {result.release}"
        for name, share in result.shares.items():
            bounds = _estimate(Estimate(share.mean, share.low, share.high))
            yield ["questions", name, of, *bounds, "", str(share.questions), "", ""]


def _decided(report: Report) -> Iterator[list[str]]:
    done = report.decided
    for section, counts in (("labels", done.labels), ("answers", done.answers),
                            ("faults", done.faults), ("grounded", done.grounded),
                            ("findings", done.findings)):  # fmt: skip
        for name, number in sorted(counts.items()):
            yield [f"people: {section}", name, "all", str(number), "", "", "", "", "", ""]


def _rate(rate: Rate) -> list[str]:
    return [*_estimate(rate.estimate), str(rate.hits), str(rate.trials), str(rate.answers)]


def _estimate(estimate: Estimate) -> list[str]:
    return [_cell(end) for end in (estimate.value, estimate.low, estimate.high)]


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def in_month(results: Iterable[ProbeResult], month: Month, app: str | None) -> list[ProbeResult]:
    return [
        result
        for result in results
        if month.since_ms <= result.at_ms < month.until_ms and app in (None, result.app)
    ]
