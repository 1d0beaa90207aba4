"""What a batch of answers did, and what people's feedback on them did, after the store took it."""

from __future__ import annotations

import threading
import time
from collections import Counter as Tally
from collections.abc import Iterable, Mapping, Sequence

from service.accounting import (
    EMPTY_RETRIEVAL,
    LIVE,
    MISLABELLED_PROBE,
    NO_EVIDENCE,
    Alike,
    Kind,
    Row,
    by_check,
)
from service.checks.citations import NAME as CITATIONS
from service.events import AnswerEvent, Rejection
from service.feedback import FeedbackOutcome
from service.metrics.declared import AGE_BUCKETS, Declared, Disposition
from service.metrics.histograms import observe_all
from service.metrics.releases import (
    Place,
    ReleaseLabels,
    ReleaseSeries,
    create_feedback,
)
from service.metrics.told import Told
from service.policy import OTHER
from service.review.labels import Action, Change

NO_THUMB = "none"
ANSWERING = "answer"

_LABELLED = {
    Action.LABELLED_IN_BULK: "bulk",
    Action.SKIPPED: "skip",
    Action.UNDONE: "undo",
}


class AnswerMetrics:
    """Releases come and go under the lock: in ``serve`` several requests observe at once."""

    def __init__(self, declared: Declared) -> None:
        self._declared = declared
        self._lock = threading.Lock()
        self._series = ReleaseSeries(declared)
        self._releases = ReleaseLabels(self._series)
        self._heard: set[str] = set()
        self.watch_feedback_of(OTHER)
        declared.feedback.labels(OTHER, NO_THUMB, FeedbackOutcome.REJECTED.value)

    def observe_rows(
        self,
        rows: Iterable[Row],
        events: Sequence[AnswerEvent | Rejection] = (),
        *,
        received: int | None = None,
        now_ms: int | None = None,
    ) -> None:
        """One batch of one partition, after its script succeeded.

        ``events``: of the rows, one each, for what they tell of latency, tokens and cost.
        ``received``: records that the poll returned (the number of rows when not given).
        ``now_ms``: milliseconds since 1970, for the age of the events.
        """
        declared, rows = self._declared, tuple(rows)
        now_ms = time.time_ns() // 1_000_000 if now_ms is None else now_ms
        count = len(rows) if received is None else received
        declared.batch_records.observe(count)
        declared.records.labels("received").inc(count)
        for kind, number in Tally(row.kind.value for row in rows).items():
            declared.records.labels(kind).inc(number)
        rejected = (row.reason for row in rows if row.kind is Kind.REJECTED)
        for reason, number in Tally(rejected).items():
            declared.rejected.labels(reason).inc(number)
        for selection, number in Tally(row.selection for row in rows if row.selection).items():
            declared.judge_selections.labels(selection).inc(number)
        mislabelled = (row.app for row in rows if row.purpose == MISLABELLED_PROBE)
        for app, number in Tally(mislabelled).items():
            declared.mislabelled_probes.labels(app).inc(number)
        ages = [
            max(0, now_ms - row.timestamp_ms) / 1000 for row in rows if row.kind is Kind.CHECKED
        ]
        observe_all(declared.event_age, AGE_BUCKETS, ages)
        with self._lock:
            self._observe_live(rows, events)

    def _observe_live(self, rows: Sequence[Row], events: Sequence[AnswerEvent | Rejection]) -> None:
        # Summed first: a labelled increment costs a lock and a look-up, an answer has a dozen.
        sums: dict[tuple[str, str, int], tuple[_Sums, Told]] = {}
        for n, row in enumerate(rows):
            if row.purpose != LIVE or row.kind not in (Kind.CHECKED, Kind.RECORDED):
                continue
            key = row.app, row.release, row.hour
            of_place = sums.get(key)
            if of_place is None:
                of_place = sums[key] = _Sums(), Told()
            of_place[0].add(row)
            if events and not isinstance(event := events[n], Rejection):
                of_place[1].add(event)
        for key, (counted, told) in sums.items():
            place = self._place(*key)
            counted.count(self._declared, place)
            told.count(self._declared, place)

    def _place(self, app: str, release: str, hour: int) -> Place:
        label = self._releases.label(app, release, hour)
        self._series.create_answered(app, label)
        return app, label

    def _judged_place(self, app: str, release: str, hour: int) -> Place:
        with self._lock:
            label = self._releases.label(app, release, hour)
            self._series.create_judged(app, label)
        return app, label

    def observe_gaps(self, offsets: int) -> None:
        """Offsets that never held a record for us: transaction markers, compaction."""
        self._declared.records.labels("gap").inc(offsets)

    def observe_lost(self, offsets: int) -> None:
        self._declared.records.labels("lost").inc(offsets)

    def observe_undecodable_batch(self) -> None:
        self._declared.undecodable_batches.inc()

    def observe_dead_letter(self, reason: str, number: int = 1) -> None:
        """``reason``: one of :data:`DEAD_LETTER_REASONS`."""
        self._declared.dead_letters.labels(reason).inc(number)

    def observe_check_error(self, check: str) -> None:
        self._declared.check_errors.labels(check).inc()

    def observe_check_seconds(self, by_check: Mapping[str, float]) -> None:
        """How long each check was at work on one batch."""
        for check, seconds in by_check.items():
            self._declared.check_seconds.labels(check).inc(seconds)

    def observe_cases(self, *, case: int = 0, suppressed: int = 0, auto_grouped: int = 0) -> None:
        """What the store decided about the flagged answers of a batch."""
        became: dict[Disposition, int] = {
            "case": case, "suppressed": suppressed, "auto_grouped": auto_grouped,
        }  # fmt: skip
        for disposition, number in became.items():
            self._declared.cases.labels(disposition).inc(number)

    # What people said.

    def observe_feedback(
        self,
        app: str,
        thumb: str,
        outcome: FeedbackOutcome,
        answer: tuple[str, int] | None = None,
    ) -> None:
        """One piece of feedback. ``thumb``: up, down, or none where it could not be read;
        ``answer``: release and hour of the answer that it was joined with, where they are known."""
        self.watch_feedback_of(app)
        self._declared.feedback.labels(app, thumb, outcome.value).inc()
        if answer is not None and outcome in (FeedbackOutcome.JOINED, FeedbackOutcome.GONE):
            with self._lock:
                place = self._place(app, *answer)
            self._declared.feedback_joined.labels(*place, thumb).inc()

    def watch_feedback_of(self, app: str) -> None:
        """Let the series of this app exist before its first feedback."""
        if app not in self._heard:
            self._heard.add(app)
            create_feedback(self._declared, app)

    def observe_redactions(self, masked: Mapping[tuple[str, str], int]) -> None:
        """``masked``: (app, kind) → values, after they were stored."""
        for (app, kind), number in masked.items():
            self._declared.redactions.labels(app, kind).inc(number)

    def observe_label(self, change: Change) -> None:
        """A change that was stored. Decisions on groups are no labels."""
        kind = _LABELLED.get(change.action)
        if change.action is Action.LABELLED:
            kind = "task" if change.subject.startswith("task:") else "case"
        if kind is not None:
            self._declared.labels.labels(kind).inc()


class _Sums:
    """Of the live answers of one batch and place. Equal ones are many: they are counted first, and
    worked out once."""

    __slots__ = ("_alike", "_findings", "_heads")

    def __init__(self) -> None:
        self._heads: Tally[tuple[str, str, tuple[str, ...]]] = Tally()
        self._alike = Alike()
        self._findings: Tally[tuple[str, str]] = Tally()

    def add(self, row: Row) -> None:
        self._heads[row.status, row.label, row.marks] += 1
        self._alike.add(row)
        for check, reason, *_ in row.causes:
            self._findings[check, reason] += 1

    def count(self, declared: Declared, place: Place) -> None:
        for (status, label, marks), number in self._heads.items():
            declared.answers.labels(*place, status).inc(number)
            if label:
                declared.answer_kinds.labels(*place, label).inc(number)
            if EMPTY_RETRIEVAL in marks:
                declared.empty_retrievals.labels(*place).inc(number)
            if NO_EVIDENCE in marks and label == ANSWERING:
                declared.without_evidence.labels(*place).inc(number)
        for (name, check), number in by_check(self._alike.outcomes()).items():
            declared.check_results.labels(*place, name, check.outcome).inc(number)
            if check.not_evaluated:
                declared.not_evaluated.labels(place[0], name, check.not_evaluated).inc(number)
            if name == CITATIONS and check.evaluated:
                for measure, value in _citation_sums(check.evaluated, check.failed):
                    declared.citation_sums.labels(*place, measure).inc(value * number)
        for finding, number in self._findings.items():
            declared.findings.labels(*place, *finding).inc(number)


def _citation_sums(m: int, x: int) -> tuple[tuple[str, int], ...]:
    """What one answer with ``m`` evaluated citations, ``x`` of them unresolvable, adds."""
    return (
        ("answers", 1),
        ("answers_unresolved", int(x > 0)),
        ("citations", m),
        ("unresolved", x),
        ("citations_squared", m * m),
        ("unresolved_squared", x * x),
        ("citations_times_unresolved", m * x),
    )
