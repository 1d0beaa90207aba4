"""Which releases stand as labels, and the series that each of them brings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from prometheus_client import Counter, Histogram

from service.checks import REASONS
from service.checks.model import NotEvaluated, Outcome
from service.feedback import DOWN, UP, FeedbackOutcome
from service.judging.findings import REASONS as JUDGE_REASONS
from service.judging.judgement import Cause, Relevance, Status, Verdict
from service.metrics.declared import (
    ANSWER_KINDS,
    CITATION_SUMS,
    LATENCY_STAGES,
    STATUSES,
    THUMBS,
    TOKEN_KINDS,
    USAGE_FIELDS,
    WEIGHED,
    Declared,
)
from service.policy import OTHER
from service.redaction.kinds import Kind

MAX_RELEASES = 20
"""Releases an app may have as labels at a time, in one process."""
RELEASE_IDLE_HOURS = 24
"""A release unseen for so long (by the hour of the answers) gives its label to a newcomer."""
NO_RELEASE = "none"

Place = tuple[str, str]
"""(app, release), both as labels."""
_Series = tuple[Counter | Histogram, Sequence[tuple[str, ...]]]
"""A metric, and the values of its labels after app and release."""


class ReleaseLabels:
    """Which releases stand as labels: the last :data:`MAX_RELEASES` of each app, else ``other``.

    A flood of invented releases takes no label from one that is in use.
    """

    def __init__(self, series: ReleaseSeries) -> None:
        """``series``: where those of a label that is given up are dropped."""
        self._series = series
        self._last_hour: dict[str, dict[str, int]] = {}

    def label(self, app: str, release: str, hour: int) -> str:
        """The label of ``release`` in an answer of ``hour`` (hours since 1970)."""
        if release == OTHER:
            return OTHER
        release = release or NO_RELEASE
        known = self._last_hour.setdefault(app, {})
        if release not in known and len(known) >= MAX_RELEASES:
            idle = min(known, key=known.__getitem__)
            if hour - known[idle] < RELEASE_IDLE_HOURS:
                return OTHER
            del known[idle]
            self._series.drop(app, idle)
        known[release] = max(hour, known.get(release, hour))
        return release


class ReleaseSeries:
    """Series by app and release: all of them exist from the release's first answer, or judgement,
    on, and go with its label."""

    def __init__(self, declared: Declared) -> None:
        self._declared = declared
        self._of_answers = _of_answers(declared)
        self._of_judged = _of_judged(declared)
        self._answered: set[Place] = set()
        self._judged: set[Place] = set()
        self._apps: set[str] = set()

    def create_answered(self, app: str, release: str) -> None:
        if (app, release) not in self._answered:
            self._answered.add((app, release))
            _create(self._of_answers, app, release)
            self.create_app(app)

    def create_app(self, app: str) -> None:
        if app not in self._apps:
            self._apps.add(app)
            for check, why in product(REASONS, NotEvaluated):
                self._declared.not_evaluated.labels(app, check, why.value)
            for kind in Kind:
                self._declared.redactions.labels(app, kind.value)

    def create_judged(self, app: str, release: str) -> None:
        if (app, release) not in self._judged:
            self._judged.add((app, release))
            _create(self._of_judged, app, release)

    def drop(self, app: str, release: str) -> None:
        self._answered.discard((app, release))
        self._judged.discard((app, release))
        for metric, _ in (*self._of_answers, *self._of_judged):
            metric.remove_by_labels({"app": app, "release": release})


def create_feedback(declared: Declared, app: str) -> None:
    """The series of one app's feedback."""
    for thumb, outcome in product((UP, DOWN), FeedbackOutcome):
        if outcome is not FeedbackOutcome.REJECTED:
            declared.feedback.labels(app, thumb, outcome.value)


def _of_answers(declared: Declared) -> tuple[_Series, ...]:
    reasons = [(check, reason) for check, found in REASONS.items() for reason in found]
    outcomes = [(check, outcome.value) for check, outcome in product(REASONS, Outcome)]
    return (
        (declared.answers, _each(STATUSES)),
        (declared.answer_kinds, _each(ANSWER_KINDS)),
        (declared.answer_latency, _each(LATENCY_STAGES)),
        (declared.answer_tokens, _each(TOKEN_KINDS)),
        (declared.answer_cost, [()]),
        (declared.usage_reported, _each(USAGE_FIELDS)),
        (declared.empty_retrievals, [()]),
        (declared.without_evidence, [()]),
        (declared.citation_sums, _each(CITATION_SUMS)),
        (declared.feedback_joined, _each(THUMBS)),
        (declared.check_results, outcomes),
        (declared.findings, reasons),
    )


def _of_judged(declared: Declared) -> tuple[_Series, ...]:
    return (
        (declared.judgements, _each(Status)),
        (declared.judge_claims, _each(Verdict)),
        (declared.judge_causes, _each(Cause)),
        (declared.judge_findings, _each(JUDGE_REASONS)),
        (declared.judge_relevance, _each(Relevance)),
        (declared.judge_weighed, _each(WEIGHED)),
    )


def _each(values: Iterable[str]) -> list[tuple[str, ...]]:
    return [(str(value),) for value in values]


def _create(series: Iterable[_Series], app: str, release: str) -> None:
    for metric, tails in series:
        for tail in tails:
            metric.labels(app, release, *tail)
