"""Every metric, named and described once. docs/metrics.md is :func:`reference`, written to a file.

Labels are bounded: apps by the policy, releases by :class:`ReleaseLabels`, the rest by closed sets.
Failure series exist at 0 from the start: ``increase()`` does not see a series that is born at 5.
Counters grow after the store's script succeeded, never before.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter as Tally
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal, get_args

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from service.accounting import EQUATIONS, TASK_STATES, Books, Kind, Row
from service.checks import REASONS
from service.checks.model import NotEvaluated, Outcome
from service.events import RejectReason
from service.feedback import DOWN, UP, FeedbackOutcome
from service.judging.calls import CallOutcome
from service.judging.findings import REASONS as JUDGE_REASONS
from service.judging.judgement import Cause, Judgement, Relevance, Status, Verdict
from service.judging.results import Judged
from service.policy import OTHER
from service.review.cases import SEVERITY_ORDER
from service.sampling import BUDGET_SKIPPED, SAMPLED_OUT, SELECTED

Dependency = Literal["kafka", "redis"]
Stage = Literal["parse", "lookup", "check", "store", "produce"]
HaltReason = Literal["store_lost", "store_behind", "topic_recreated", "ahead_of_log", "rebuilding"]
Disposition = Literal["case", "suppressed", "auto_grouped"]
_DISPOSITIONS: dict[str, Disposition] = {
    "opened": "case", "suppressed": "suppressed", "grouped": "auto_grouped",
}  # fmt: skip

RECORD_KINDS = ("received", *(kind.value for kind in Kind), "lost", "gap")
DEAD_LETTER_REASONS = (*(reason.value for reason in RejectReason), "undecodable")

OTHER_REASON = "other"
JUDGE_FAILURES = (
    *(outcome.value for outcome in CallOutcome if outcome is not CallOutcome.ANSWERED),
    "deadline", "delimiter_collision", "no_sentences", "too_many_sentences", "payload_lost",
    OTHER_REASON,
)  # fmt: skip
WEIGHED = (
    "answers", "with_claims", "faithfulness", "sufficient", "citations", "citations_supported",
)  # fmt: skip
"""Sums over judged answers, each answer counted 1/π times."""

MAX_RELEASES = 20
"""Releases an app may have as labels at a time, in one process."""
RELEASE_IDLE_HOURS = 24
"""A release unseen for so long (by the hour of the answers) gives its label to a newcomer."""
NO_RELEASE = "none"
NO_THUMB = "none"

AGE_BUCKETS = (0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200, 86400)
STAGE_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
JUDGE_BUCKETS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300)
RECORD_BUCKETS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)

# Each counter would otherwise be shadowed by a `_created` gauge: twice the series, used by nobody.
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class Definition:
    """One line of the reference. ``query``: an example in PromQL."""

    name: str
    kind: str
    labels: tuple[str, ...]
    meaning: str
    query: str


class ReleaseLabels:
    """Which releases stand as labels: the last :data:`MAX_RELEASES` of each app, else ``other``.

    A flood of invented releases takes no label from one that is in use.
    """

    def __init__(self, dropped: Callable[[str, str], None]) -> None:
        """``dropped(app, release)`` is called when a label is given up."""
        self._dropped = dropped
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
            self._dropped(app, idle)
        known[release] = max(hour, known.get(release, hour))
        return release


class Metrics:
    """The metrics of one process, in a registry of their own unless one is given."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        self.definitions: list[Definition] = []
        self._heard: set[str] = set()
        self._declare_records()
        self._declare_checks()
        self._declare_consumer()
        self._declare_review()
        self._declare_judge()
        self._declare_judging()
        self._declare_process()
        self._create_series()
        self._lock = threading.Lock()
        self._releases = ReleaseLabels(self._drop_release)
        self._declared: set[tuple[str, str]] = set()
        self._judged: set[tuple[str, str]] = set()
        ProcessCollector(registry=self.registry)

    def exposition(self) -> tuple[bytes, str]:
        """What ``/metrics`` answers: body and content type."""
        return generate_latest(self.registry), CONTENT_TYPE_LATEST

    # What a batch did, after the store took it.

    def observe_rows(
        self, rows: Iterable[Row], *, received: int | None = None, now_ms: int | None = None
    ) -> None:
        """One batch of one partition, after its script succeeded.

        ``received``: records that the poll returned (the number of rows when not given).
        ``now_ms``: milliseconds since 1970, for the age of the events.
        """
        rows = tuple(rows)
        now_ms = time.time_ns() // 1_000_000 if now_ms is None else now_ms
        count = len(rows) if received is None else received
        self._batch_records.observe(count)
        self._records.labels("received").inc(count)
        for kind, number in Tally(row.kind.value for row in rows).items():
            self._records.labels(kind).inc(number)
        rejected = (row.reason for row in rows if row.kind is Kind.REJECTED)
        for reason, number in Tally(rejected).items():
            self._rejected.labels(reason).inc(number)
        for selection, number in Tally(row.selection for row in rows if row.selection).items():
            self._judge_selections.labels(selection).inc(number)
        # Releases come and go under this lock: in `serve` several requests observe at once.
        with self._lock:
            self._observe_checked([row for row in rows if row.kind is Kind.CHECKED], now_ms)

    def _observe_checked(self, rows: list[Row], now_ms: int) -> None:
        # Summed first: a labelled increment costs a lock and a look-up, an answer has a dozen.
        results: Tally[tuple[str, str, str, str]] = Tally()
        findings: Tally[tuple[str, str, str, str]] = Tally()
        not_evaluated: Tally[tuple[str, str, str]] = Tally()
        for row in rows:
            self._event_age.observe(max(0, now_ms - row.timestamp_ms) / 1000)
            if row.purpose != "live":
                continue
            release = self._releases.label(row.app, row.release, row.hour)
            self._create_release(row.app, release)
            for name, check in row.checks.items():
                results[row.app, release, name, check.outcome] += 1
                if check.not_evaluated:
                    not_evaluated[row.app, name, check.not_evaluated] += 1
            for check_name, reason, *_ in row.causes:
                findings[row.app, release, check_name, reason] += 1
        for labels, number in results.items():
            self._check_results.labels(*labels).inc(number)
        for labels, number in findings.items():
            self._findings.labels(*labels).inc(number)
        for why, number in not_evaluated.items():
            self._not_evaluated.labels(*why).inc(number)

    def observe_gaps(self, offsets: int) -> None:
        """Offsets that never held a record for us: transaction markers, compaction."""
        self._records.labels("gap").inc(offsets)

    def observe_lost(self, offsets: int) -> None:
        self._records.labels("lost").inc(offsets)

    def observe_undecodable_batch(self) -> None:
        self._undecodable_batches.inc()

    def observe_dead_letter(self, reason: str, number: int = 1) -> None:
        """``reason``: one of :data:`DEAD_LETTER_REASONS`."""
        self._dead_letters.labels(reason).inc(number)

    def observe_check_error(self, check: str) -> None:
        self._check_errors.labels(check).inc()

    def observe_cases(self, *, case: int = 0, suppressed: int = 0, auto_grouped: int = 0) -> None:
        """What the store decided about the flagged answers of a batch."""
        self._cases.labels("case").inc(case)
        self._cases.labels("suppressed").inc(suppressed)
        self._cases.labels("auto_grouped").inc(auto_grouped)

    def observe_feedback(self, app: str, thumb: str, outcome: FeedbackOutcome) -> None:
        """One piece of feedback. ``thumb``: up, down, or none where it could not be read."""
        self.watch_feedback_of(app)
        self._feedback.labels(app, thumb, outcome.value).inc()

    def watch_feedback_of(self, app: str) -> None:
        """Let the series of this app exist before its first feedback."""
        if app not in self._heard:
            self._heard.add(app)
            for thumb in (UP, DOWN):
                for outcome in FeedbackOutcome:
                    if outcome is not FeedbackOutcome.REJECTED:
                        self._feedback.labels(app, thumb, outcome.value)

    # What the judge did, after the store took it.

    def observe_refused(self, jobs: int) -> None:
        """Of the answers drawn for the judge, those that found its backlog full."""
        self._judge_refused.inc(jobs)

    def observe_second_draw(self, *, refused: bool) -> None:
        """An answer that negative feedback's draw chose; ``refused``: by the full backlog."""
        self._judge_selections.labels(SELECTED).inc()
        self._judge_refused.inc(refused)

    def observe_judgement(self, judged: Judged, became: str) -> None:
        """One judgement. ``became``: what the store says of its case (opened, enriched, suppressed,
        or empty)."""
        answer, judgement = judged.answer, judged.judgement
        with self._lock:
            release = self._releases.label(answer.app, answer.release, answer.hour)
            self._create_judged(answer.app, release)
        self._judgements.labels(answer.app, release, judgement.status.value).inc()
        if judgement.reason:
            reason = judgement.reason if judgement.reason in JUDGE_FAILURES else OTHER_REASON
            self._judge_failures.labels(judgement.status.value, reason).inc()
        for finding_reason in {finding.reason for finding in judged.findings}:
            self._judge_findings.labels(answer.app, release, finding_reason).inc()
        if disposition := _DISPOSITIONS.get(became):
            self._cases.labels(disposition).inc()
        self._observe_effort(judgement)
        self._observe_assessment(judged, release)

    def _observe_effort(self, judgement: Judgement) -> None:
        for attempt in judgement.attempts:
            purpose, _, outcome = attempt.rpartition(":")
            self._judge_calls.labels(
                purpose if purpose in _PURPOSES else "ruling",
                outcome if outcome in _ATTEMPTS else OTHER_REASON,
            ).inc()
        self._judge_tokens.labels("prompt").inc(judgement.usage.prompt_tokens)
        self._judge_tokens.labels("completion").inc(judgement.usage.completion_tokens)
        self._judge_money.inc(judgement.cost_micros / 1e6)
        self._judge_seconds.observe(judgement.latency_ms / 1000)
        if judgement.flipped is not None:
            self._judge_flips.labels("flipped" if judgement.flipped else "same").inc()

    def _observe_assessment(self, judged: Judged, release: str) -> None:
        app, assessment = judged.answer.app, judged.judgement.assessment
        if assessment is None or judged.judgement.status is not Status.JUDGED:
            return
        for claim in assessment.claims:
            self._judge_claims.labels(app, release, claim.verdict.value).inc()
            if claim.cause is not None:
                self._judge_causes.labels(app, release, claim.cause.value).inc()
        if judged.judgement.relevance is not None:
            self._judge_relevance.labels(app, release, judged.judgement.relevance.value).inc()
        sums = {
            "answers": 1.0,
            "sufficient": float(assessment.context_sufficient),
            "citations": float(len(assessment.citings)),
            "citations_supported": float(sum(cited.supports for cited in assessment.citings)),
        }
        if assessment.faithfulness is not None and not assessment.partial:
            sums |= {"with_claims": 1.0, "faithfulness": assessment.faithfulness}
        for measure, value in sums.items():
            self._judge_weighed.labels(app, release, measure).inc(value / judged.answer.pi)

    def set_judge(
        self,
        backlog: int,
        oldest_s: float,
        budget_left: Mapping[str, float],
        factors: Mapping[str, float],
    ) -> None:
        """The durable state of judging. ``budget_left``: kind → what today's budget still holds;
        ``factors``: app → what scales its inclusion probabilities."""
        self._judge_backlog.set(backlog)
        self._judge_oldest.set(oldest_s)
        self._judge_budget_left.clear()
        for kind, left in budget_left.items():
            self._judge_budget_left.labels(kind).set(left)
        self._judge_factor.clear()
        for app, factor in factors.items():
            self._judge_factor.labels(app).set(factor)

    def set_judge_coverage(self, by_app: Mapping[str, float]) -> None:
        """App → share of what was drawn that the judge was given. Apps without a draw are absent:
        no data is neither 0 nor 1."""
        self._judge_coverage.clear()
        for app, share in by_app.items():
            self._judge_coverage.labels(app).set(share)

    def set_breaker(self, is_open: bool) -> None:
        self._judge_breaker.set(is_open)

    def set_tasks(self, by_state: Mapping[str, int]) -> None:
        for state in TASK_STATES:
            self._tasks.labels(state).set(by_state.get(state, 0))

    # How the machine is doing.

    def time_stage(self, stage: Stage) -> AbstractContextManager[object]:
        """``with metrics.time_stage("store"): …`` observes the seconds one batch spends there."""
        return self._stage_seconds.labels(stage).time()

    def observe_conflict(self) -> None:
        self._store_conflicts.inc()

    def observe_outage(self, dependency: Dependency) -> None:
        """Once at the start of an outage, not at every retry."""
        self._outages.labels(dependency).inc()

    def observe_commit_failure(self) -> None:
        self._commit_failures.inc()

    def observe_request(self, route: str, status: int) -> None:
        """``route`` is the template of the path (``/cases/{case_id}``), never the path."""
        self._http_requests.labels(route, f"{status // 100}xx").inc()

    def set_lag(self, records: Mapping[int, int]) -> None:
        """Partition → records behind the log's end; partitions not named are no longer ours."""
        self._lag.clear()
        for partition, number in records.items():
            self._lag.labels(str(partition)).set(number)

    def set_halted(self, partitions: Mapping[HaltReason, int]) -> None:
        """Reason → how many partitions of this process are halted for it; 0 where not named."""
        for reason in get_args(HaltReason):
            self._halted.labels(reason).set(partitions.get(reason, 0))

    def set_books(self, books: Books) -> None:
        for equation in books.equations:
            self._imbalance.labels(equation.name).set(equation.imbalance)

    def set_open_cases(self, by_severity: Mapping[str, int], oldest_s: float) -> None:
        """The queue's depth by severity, and the age in seconds of its oldest case (0: none)."""
        for severity in SEVERITY_ORDER:
            self._open_cases.labels(severity).set(by_severity.get(severity, 0))
        self._oldest_open_case.set(oldest_s)

    def set_rulesets(self, by_app: Mapping[str, str]) -> None:
        """App → ruleset in force."""
        self._ruleset_info.clear()
        for app, ruleset in by_app.items():
            self._ruleset_info.labels(app, ruleset).set(1)

    # Definitions.

    def _declare_records(self) -> None:
        self._records = self._counter(
            "records_total", ("kind",),
            "Records by what became of them. received = checked + recorded + rejected + duplicate; "
            "lost and gap are offsets that were never received.",
            "sum by (kind) (rate(groundwatch_records_total[5m]))",
        )  # fmt: skip
        self._rejected = self._counter(
            "rejected_total", ("reason",), "Records that are no valid answer event, by why.",
            "sum by (reason) (increase(groundwatch_rejected_total[1h]))",
        )  # fmt: skip
        self._dead_letters = self._counter(
            "dead_letters_total", ("reason",),
            "Records written to the dead-letter topic and acknowledged there.",
            "sum by (reason) (increase(groundwatch_dead_letters_total[1h]))",
        )  # fmt: skip
        self._undecodable_batches = self._counter(
            "undecodable_batches_total", (),
            "Kafka batches that could not be decoded and were skipped; their offsets are lost.",
            "increase(groundwatch_undecodable_batches_total[1h]) > 0",
        )  # fmt: skip
        self._event_age = self._histogram(
            "event_age_seconds", (), AGE_BUCKETS,
            "From the record's timestamp to the end of its checks. 0 where a clock runs ahead.",
            "histogram_quantile(0.99, sum by (le) "
            "(rate(groundwatch_event_age_seconds_bucket[5m])))",
        )  # fmt: skip

    def _declare_checks(self) -> None:
        self._check_results = self._counter(
            "check_results_total", ("app", "release", "check", "outcome"),
            "Outcomes of the checks of live answers, each answer once a check. Exact as counts of "
            "outcomes, not of truth.",
            "sum by (app, check) "
            '(rate(groundwatch_check_results_total{outcome="fail"}[1h]))',
        )  # fmt: skip
        self._findings = self._counter(
            "findings_total", ("app", "release", "check", "reason"),
            "Findings in live answers, by reason; an answer may have several.",
            "topk(5, sum by (app, check, reason) (increase(groundwatch_findings_total[1d])))",
        )  # fmt: skip
        self._not_evaluated = self._counter(
            "not_evaluated_total", ("app", "check", "reason"),
            "Live answers a check could not decide, by why. Never counted as a pass.",
            "sum by (app, reason) (rate(groundwatch_not_evaluated_total[1h]))",
        )  # fmt: skip
        self._check_errors = self._counter(
            "check_errors_total", ("check",), "Checks that raised: a defect of groundwatch.",
            "increase(groundwatch_check_errors_total[15m]) > 0",
        )  # fmt: skip

    def _declare_consumer(self) -> None:
        self._stage_seconds = self._histogram(
            "batch_stage_seconds", ("stage",), STAGE_BUCKETS,
            "Seconds that one batch spent in each stage.",
            "sum by (stage) (rate(groundwatch_batch_stage_seconds_sum[5m]))",
        )  # fmt: skip
        self._batch_records = self._histogram(
            "batch_records", (), RECORD_BUCKETS, "Records in one batch of one partition.",
            "rate(groundwatch_batch_records_sum[5m]) / rate(groundwatch_batch_records_count[5m])",
        )  # fmt: skip
        self._lag = self._gauge(
            "consumer_lag", ("partition",),
            "Records between this consumer's position and the end of the log.",
            "sum(groundwatch_consumer_lag)",
        )  # fmt: skip
        self._halted = self._gauge(
            "partition_halted", ("reason",),
            "Partitions of this process that wait for a person, by why (see the runbooks).",
            "sum by (reason) (groundwatch_partition_halted) > 0",
        )  # fmt: skip
        self._store_conflicts = self._counter(
            "store_conflicts_total", (),
            "Batches that the store refused because its checkpoint was elsewhere: a replay or a "
            "zombie.",
            "rate(groundwatch_store_conflicts_total[15m])",
        )  # fmt: skip
        self._outages = self._counter(
            "outages_total", ("dependency",), "Outages begun, by what was away.",
            "increase(groundwatch_outages_total[1h])",
        )  # fmt: skip
        self._commit_failures = self._counter(
            "commit_failures_total", (),
            "Commits to Kafka that failed. They are hints: the checkpoint in the store is the "
            "truth.",
            "rate(groundwatch_commit_failures_total[15m])",
        )  # fmt: skip

    def _declare_review(self) -> None:
        self._cases = self._counter(
            "cases_total", ("disposition",),
            "Flagged answers by what became of them: a case, or counted in their group without a "
            "payload.",
            "sum by (disposition) (increase(groundwatch_cases_total[1d]))",
        )  # fmt: skip
        self._feedback = self._counter(
            "feedback_total", ("app", "thumb", "outcome"),
            "Feedback of users by what became of it: joined; unmatched (no answer of that id in "
            "the window, and no case); repeated (read again after a crash); gone (joined, but the "
            "answer is not to be had for a case or the judge); rejected (unreadable: thumb none).",
            'sum by (outcome) (increase(groundwatch_feedback_total{thumb="down"}[1d]))',
        )  # fmt: skip
        self._open_cases = self._gauge(
            "open_cases", ("severity",), "Open cases in the queue. Only from `serve`.",
            "max by (severity) (groundwatch_open_cases)",
        )  # fmt: skip
        self._oldest_open_case = self._gauge(
            "oldest_open_case_seconds", (),
            "Age of the oldest open case; 0 when there is none. Only from `serve`.",
            "max(groundwatch_oldest_open_case_seconds) / 3600",
        )  # fmt: skip
        self._imbalance = self._gauge(
            "accounting_imbalance", ("equation",),
            "Left minus right side of an equation of the books. Anything but 0 is a defect or a "
            "loss.",
            "max by (equation) (abs(groundwatch_accounting_imbalance)) != 0",
        )  # fmt: skip

    def _declare_judge(self) -> None:
        self._judge_selections = self._counter(
            "judge_selections_total", ("disposition",),
            "Draws for the judge among live answers, by what they said; none where no judge is "
            "configured. An answer that negative feedback's second draw chooses counts once more.",
            "sum by (disposition) (rate(groundwatch_judge_selections_total[1h]))",
        )  # fmt: skip
        self._judge_refused = self._counter(
            "judge_refused_total", (),
            "Of the selected answers, those that the full backlog refused: counted as "
            "budget_skipped in the books.",
            "increase(groundwatch_judge_refused_total[1h])",
        )  # fmt: skip
        self._judgements = self._counter(
            "judge_judgements_total", ("app", "release", "status"),
            "Answers that the judge is done with: judged, undetermined (answered, but unusably) or "
            "failed (no answer by the deadline). Only judged ones enter rates.",
            "sum by (status) (rate(groundwatch_judge_judgements_total[1h]))",
        )  # fmt: skip
        self._judge_failures = self._counter(
            "judge_failures_total", ("status", "reason"),
            "Why an answer was not judged.",
            "topk(5, increase(groundwatch_judge_failures_total[1h]))",
        )  # fmt: skip
        self._judge_calls = self._counter(
            "judge_calls_total", ("purpose", "outcome"),
            "Calls to the endpoint by what they were for (ruling, repair, relevance, or again: to "
            "measure flips) and what came of them. Every one debits the budget.",
            "sum by (outcome) (rate(groundwatch_judge_calls_total[15m]))",
        )  # fmt: skip
        self._judge_tokens = self._counter(
            "judge_tokens_total", ("kind",), "Tokens of the judge's calls (prompt, completion).",
            "sum by (kind) (increase(groundwatch_judge_tokens_total[1d]))",
        )  # fmt: skip
        self._judge_money = self._counter(
            "judge_money_total", (),
            "What the judge's calls cost by the price table, in its currency.",
            "increase(groundwatch_judge_money_total[1d])",
        )  # fmt: skip
        self._judge_seconds = self._histogram(
            "judge_seconds", (), JUDGE_BUCKETS,
            "Seconds from the first to the last call for one answer.",
            "histogram_quantile(0.95, sum by (le) (rate(groundwatch_judge_seconds_bucket[15m])))",
        )  # fmt: skip
        self._judge_backlog = self._gauge(
            "judge_backlog", (), "Answers that wait for the judge. Only from `serve`.",
            "max(groundwatch_judge_backlog)",
        )  # fmt: skip
        self._judge_oldest = self._gauge(
            "judge_oldest_job_seconds", (),
            "How long the oldest of them waits; 0 when there is none. Only from `serve`.",
            "max(groundwatch_judge_oldest_job_seconds) / 3600",
        )  # fmt: skip
        self._judge_budget_left = self._gauge(
            "judge_budget_left", ("kind",),
            "What is left of today's budget (tokens, money, calls of this minute), where "
            "there is a bound. Only from `serve`.",
            "min by (kind) (groundwatch_judge_budget_left)",
        )  # fmt: skip
        self._judge_factor = self._gauge(
            "judge_factor", ("app",),
            "What scales an app's inclusion probabilities to the budget: 1 is the policy's own, "
            "less is slower. Only from `serve`.",
            "min by (app) (groundwatch_judge_factor)",
        )  # fmt: skip
        self._judge_coverage = self._gauge(
            "judge_coverage", ("app",),
            "selected / (selected + budget_skipped) of the answers of the last 24 hours. What is "
            "skipped is not skipped at random: read it beside every judged rate. Absent for an app "
            "of which nothing was drawn. Only from `serve`.",
            "min by (app) (groundwatch_judge_coverage) < 0.95",
        )  # fmt: skip
        self._judge_breaker = self._gauge(
            "judge_breaker_open", (),
            "1 while this process holds back its calls, since the endpoint kept failing.",
            "max(groundwatch_judge_breaker_open)",
        )  # fmt: skip
        self._tasks = self._gauge(
            "audit_tasks", ("state",), "Audit tasks by state. Only from `serve`.",
            "max by (state) (groundwatch_audit_tasks)",
        )  # fmt: skip

    def _declare_judging(self) -> None:
        self._judge_claims = self._counter(
            "judge_claims_total", ("app", "release", "verdict"),
            "Claims of judged answers by verdict. Not weighted: the sample is drawn unevenly.",
            "sum by (app, verdict) (increase(groundwatch_judge_claims_total[1d]))",
        )  # fmt: skip
        self._judge_causes = self._counter(
            "judge_causes_total", ("app", "release", "cause"),
            "Bad claims by whose fault they are.",
            "sum by (app, cause) (increase(groundwatch_judge_causes_total[1d]))",
        )  # fmt: skip
        self._judge_findings = self._counter(
            "judge_findings_total", ("app", "release", "reason"),
            "Judged answers with a finding of this kind.",
            "sum by (app, reason) (increase(groundwatch_judge_findings_total[1d]))",
        )  # fmt: skip
        self._judge_relevance = self._counter(
            "judge_relevance_total", ("app", "release", "relevance"),
            "Judged answers by how far they answer the question. Not weighted.",
            "sum by (app, relevance) (increase(groundwatch_judge_relevance_total[1d]))",
        )  # fmt: skip
        self._judge_weighed = self._counter(
            "judge_weighed_total", ("app", "release", "measure"),
            "Sums over judged answers, each counted 1/π times: what all answers would sum to. "
            "Faithfulness = faithfulness / with_claims, and never without context sufficiency = "
            "sufficient / answers beside it; citation support = citations_supported / citations.",
            'sum by (app) (increase(groundwatch_judge_weighed_total{measure="faithfulness"}[1d])) '
            '/ sum by (app) '
            '(increase(groundwatch_judge_weighed_total{measure="with_claims"}[1d]))',
        )  # fmt: skip
        self._judge_flips = self._counter(
            "judge_flips_total", ("result",),
            "Answers that were judged twice, by whether a verdict differed.",
            'sum(increase(groundwatch_judge_flips_total{result="flipped"}[7d])) / '
            "sum(increase(groundwatch_judge_flips_total[7d]))",
        )  # fmt: skip

    def _declare_process(self) -> None:
        self._http_requests = self._counter(
            "http_requests_total", ("route", "code"),
            "HTTP requests by route template and class of status (2xx, 4xx, …).",
            'sum by (route) (rate(groundwatch_http_requests_total{code="5xx"}[5m]))',
        )  # fmt: skip
        self._build_info = self._gauge(
            "build_info", ("version",), "Always 1; the version is its label.",
            "count by (version) (groundwatch_build_info)",
        )  # fmt: skip
        self._ruleset_info = self._gauge(
            "ruleset_info", ("app", "ruleset"),
            "Always 1; which ruleset judges which app, so that a new rule is not mistaken for a "
            "bad release.",
            "count by (app, ruleset) (groundwatch_ruleset_info)",
        )  # fmt: skip

    def _create_series(self) -> None:
        _create(self._records, RECORD_KINDS)
        _create(self._rejected, (reason.value for reason in RejectReason))
        _create(self._dead_letters, DEAD_LETTER_REASONS)
        _create(self._check_errors, REASONS)
        _create(self._stage_seconds, get_args(Stage))
        _create(self._halted, get_args(HaltReason))
        _create(self._outages, get_args(Dependency))
        _create(self._cases, get_args(Disposition))
        _create(self._imbalance, EQUATIONS)
        _create(self._open_cases, SEVERITY_ORDER)
        self.watch_feedback_of(OTHER)
        self._feedback.labels(OTHER, NO_THUMB, FeedbackOutcome.REJECTED.value)
        _create(self._judge_selections, (SELECTED, SAMPLED_OUT, BUDGET_SKIPPED))
        for purpose in _PURPOSES:
            for outcome in _ATTEMPTS:
                self._judge_calls.labels(purpose, outcome)
        _create(self._judge_tokens, ("prompt", "completion"))
        _create(self._judge_flips, ("flipped", "same"))
        _create(self._tasks, TASK_STATES)
        for status in (Status.UNDETERMINED, Status.FAILED):
            for reason in JUDGE_FAILURES:
                self._judge_failures.labels(status.value, reason)
        self._build_info.labels(version("groundwatch")).set(1)

    def _create_release(self, app: str, release: str) -> None:
        if (app, release) in self._declared:
            return
        self._declared.add((app, release))
        for check, reasons in REASONS.items():
            for outcome in Outcome:
                self._check_results.labels(app, release, check, outcome.value)
            for reason in reasons:
                self._findings.labels(app, release, check, reason)
            for why in NotEvaluated:
                self._not_evaluated.labels(app, check, why.value)

    def _create_judged(self, app: str, release: str) -> None:
        if (app, release) in self._judged:
            return
        self._judged.add((app, release))
        for metric, values in (
            (self._judgements, Status),
            (self._judge_claims, Verdict),
            (self._judge_causes, Cause),
            (self._judge_findings, JUDGE_REASONS),
            (self._judge_relevance, Relevance),
            (self._judge_weighed, WEIGHED),
        ):
            for value in values:
                metric.labels(app, release, str(value))

    def _drop_release(self, app: str, release: str) -> None:
        self._declared.discard((app, release))
        self._judged.discard((app, release))
        for metric in (
            self._check_results,
            self._findings,
            self._judgements,
            self._judge_claims,
            self._judge_causes,
            self._judge_findings,
            self._judge_relevance,
            self._judge_weighed,
        ):
            metric.remove_by_labels({"app": app, "release": release})

    def _counter(self, name: str, labels: tuple[str, ...], meaning: str, query: str) -> Counter:
        name = self._define(name, "counter", labels, meaning, query)
        return Counter(name, meaning, labels, registry=self.registry)

    def _gauge(self, name: str, labels: tuple[str, ...], meaning: str, query: str) -> Gauge:
        name = self._define(name, "gauge", labels, meaning, query)
        return Gauge(name, meaning, labels, registry=self.registry)

    def _histogram(
        self,
        name: str,
        labels: tuple[str, ...],
        buckets: tuple[float, ...],
        meaning: str,
        query: str,
    ) -> Histogram:
        name = self._define(name, "histogram", labels, meaning, query)
        return Histogram(name, meaning, labels, buckets=buckets, registry=self.registry)

    def _define(
        self, name: str, kind: str, labels: tuple[str, ...], meaning: str, query: str
    ) -> str:
        name = f"groundwatch_{name}"
        self.definitions.append(Definition(name, kind, labels, meaning, query))
        return name


_PURPOSES = ("ruling", "repair", "relevance", "again")
_ATTEMPTS = (*(outcome.value for outcome in CallOutcome), OTHER_REASON)


def _create(metric: Counter | Gauge | Histogram, values: Iterable[str]) -> None:
    for value in values:
        metric.labels(value)


_REFERENCE_HEAD = f"""\
# Metrics

Written by `python -m service.metrics`; a test holds this file to the code.

Every process answers `/metrics` in the Prometheus text format, with the usual `process_*` metrics
beside these. Units are base units. Labels are bounded: an app that the policy does not list is
`other`; of each app the last {MAX_RELEASES} releases stand by name, the rest is `other` (a release
unseen for {RELEASE_IDLE_HOURS} hours gives way to a new one), an answer without a release is
`{NO_RELEASE}`. Failure series exist at 0 from the start, those with an app and a release from the
first answer of that release on. Counters grow after the store took a batch, never before.
"""


def reference() -> str:
    """The text of docs/metrics.md."""
    parts = [_REFERENCE_HEAD]
    for definition in Metrics(CollectorRegistry()).definitions:
        labels = ", ".join(f"`{label}`" for label in definition.labels) or "none"
        parts.append(
            f"## {definition.name}\n\n{definition.meaning}\n\n"
            f"Type: {definition.kind} · Labels: {labels}\n\n"
            f"```promql\n{definition.query}\n```\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(reference())
