"""Every metric, declared once: name, labels, meaning, an example query; and the closed sets of its
label values, of which the series exist from the start.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from math import isnan, nan
from typing import Literal, get_args

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric
from prometheus_client.registry import Collector

from service.accounting import CASE_STATES, EQUATIONS, TASK_STATES, Kind
from service.checks import CHECKS
from service.events import RejectReason
from service.feedback import DOWN, UP
from service.judging.calls import CallOutcome
from service.judging.judgement import Status
from service.review.cases import SEVERITY_ORDER
from service.sampling import BUDGET_SKIPPED, SAMPLED_OUT, SELECTED

Dependency = Literal["kafka", "redis"]
Stage = Literal["parse", "lookup", "check", "store", "produce"]
HaltReason = Literal["store_lost", "store_behind", "topic_recreated", "ahead_of_log", "rebuilding"]
Disposition = Literal["case", "suppressed", "auto_grouped"]
Statistic = Literal["value", "low", "high"]
LabelKind = Literal["case", "task", "bulk", "skip", "undo"]
RateName = Literal[
    "unresolvable_citations_per_answer",
    "unresolvable_citations_per_citation",
    "unsupported_numbers",
    "abstentions",
    "faithfulness",
    "context_sufficiency",
    "unsupported_claims",
    "contradicted_claims",
    "relevance",
    "context_precision",
    "citing",
    "not_evaluated",
]

PROBE_MEASURES = ("hit", "precision", "recall", "mrr", "ndcg", "correct", "faithful")

RECORD_KINDS = ("received", *(kind.value for kind in Kind), "lost", "gap")
DEAD_LETTER_REASONS = (*(reason.value for reason in RejectReason), "undecodable")

STATUSES = ("ok", "truncated", "error")
ANSWER_KINDS = ("answer", "no_answer", "clarify", "deny")
LATENCY_STAGES = ("retrieval", "rerank", "generation", "total")
TOKEN_KINDS = ("input", "output")
USAGE_FIELDS = ("tokens", "cost", "latency")
CITATION_SUMS = (
    "answers", "answers_unresolved", "citations", "unresolved", "citations_squared",
    "unresolved_squared", "citations_times_unresolved",
)  # fmt: skip
THUMBS = (UP, DOWN)

OTHER_REASON = "other"
JUDGE_FAILURES = (
    *(outcome.value for outcome in CallOutcome if outcome is not CallOutcome.ANSWERED),
    "deadline", "delimiter_collision", "no_sentences", "too_many_sentences",
    "answer_too_long", "payload_lost",
    OTHER_REASON,
)  # fmt: skip
WEIGHED = (
    "answers", "with_claims", "faithfulness", "sufficient", "citations", "citations_supported",
)  # fmt: skip
"""Sums over judged answers, each answer counted 1/π times."""
JUDGE_PURPOSES = ("ruling", "repair", "relevance", "again")
JUDGE_ATTEMPTS = (*(outcome.value for outcome in CallOutcome), OTHER_REASON)

AGE_BUCKETS = (0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200, 86400)
STAGE_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
LATENCY_BUCKETS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
JUDGE_BUCKETS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300)
RECORD_BUCKETS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)

# Each counter would otherwise be shadowed by a `_created` gauge: twice the series, used by nobody.
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]  # it has no types


@dataclass(frozen=True, slots=True)
class Definition:
    """One line of the reference. ``query``: an example in PromQL."""

    name: str
    kind: str
    labels: tuple[str, ...]
    meaning: str
    query: str


class Declared:
    """The metrics of one process, in a registry of their own unless one is given."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        self.definitions: list[Definition] = []
        self._declare_records()
        self._declare_checks()
        self._declare_answers()
        self._declare_consumer()
        self._declare_review()
        self._declare_people()
        self._declare_rates()
        self._declare_probes()
        self._declare_judge()
        self._declare_judging()
        self._declare_process()
        self._create_series()

    def _declare_records(self) -> None:
        self.records = self._counter(
            "records_total", ("kind",),
            "Records by what became of them. received = checked + recorded + rejected + duplicate; "
            "lost and gap are offsets that were never received.",
            "sum by (kind) (rate(groundwatch_records_total[5m]))",
        )  # fmt: skip
        self.rejected = self._counter(
            "rejected_total", ("reason",), "Records that are no valid answer event, by why.",
            "sum by (reason) (increase(groundwatch_rejected_total[1h]))",
        )  # fmt: skip
        self.dead_letters = self._counter(
            "dead_letters_total", ("reason",),
            "Records written to the dead-letter topic and acknowledged there.",
            "sum by (reason) (increase(groundwatch_dead_letters_total[1h]))",
        )  # fmt: skip
        self.undecodable_batches = self._counter(
            "undecodable_batches_total", (),
            "Kafka batches that could not be decoded and were skipped; their offsets are lost.",
            "increase(groundwatch_undecodable_batches_total[1h]) > 0",
        )  # fmt: skip
        self.event_age = self._histogram(
            "event_age_seconds", (), AGE_BUCKETS,
            "From the record's timestamp to the end of its checks. 0 where a clock runs ahead.",
            "histogram_quantile(0.99, sum by (le) "
            "(rate(groundwatch_event_age_seconds_bucket[5m])))",
        )  # fmt: skip

    def _declare_checks(self) -> None:
        self.check_results = self._counter(
            "check_results_total", ("app", "release", "check", "outcome"),
            "Outcomes of the checks of live answers, each answer once a check. Exact as counts of "
            "outcomes, not of truth.",
            "sum by (app, check) "
            '(rate(groundwatch_check_results_total{outcome="fail"}[1h]))',
        )  # fmt: skip
        self.findings = self._counter(
            "findings_total", ("app", "release", "check", "reason"),
            "Findings in live answers, by reason; an answer may have several.",
            "topk(5, sum by (app, check, reason) (increase(groundwatch_findings_total[1d])))",
        )  # fmt: skip
        self.not_evaluated = self._counter(
            "not_evaluated_total", ("app", "check", "reason"),
            "Live answers a check could not decide, by why. Never counted as a pass.",
            "sum by (app, reason) (rate(groundwatch_not_evaluated_total[1h]))",
        )  # fmt: skip
        self.check_errors = self._counter(
            "check_errors_total", ("check",), "Checks that raised: a defect of groundwatch.",
            "increase(groundwatch_check_errors_total[15m]) > 0",
        )  # fmt: skip

        self.check_seconds = self._counter(
            "check_seconds_total", ("check",),
            "Seconds that each check was at work. Over the answers it looked at: its time an "
            "answer.",
            "sum by (check) (rate(groundwatch_check_seconds_total[5m])) / on () group_left () "
            'sum(rate(groundwatch_records_total{kind="checked"}[5m]))',
        )  # fmt: skip

    def _declare_answers(self) -> None:
        self.answers = self._counter(
            "answers_total", ("app", "release", "status"),
            "Live answers by the status that their event told: ok, truncated, or error (recorded, "
            "not checked).",
            'sum by (app) (rate(groundwatch_answers_total{status="error"}[5m])) / '
            "sum by (app) (rate(groundwatch_answers_total[5m]))",
        )  # fmt: skip
        self.mislabelled_probes = self._counter(
            "mislabelled_probes_total", ("app",),
            "Events that said they were live and carried the id of a probe: the app does not copy "
            "the purpose that it is asked with. They are in no rate.",
            "sum by (app) (increase(groundwatch_mislabelled_probes_total[1d])) > 0",
        )  # fmt: skip
        self.answer_kinds = self._counter(
            "answer_kinds_total", ("app", "release", "kind"),
            "Checked live answers by what they do: answer, say that there is no answer (an "
            "abstention), ask back, or deny access. None where the abstention check is disabled.",
            'sum by (app) (increase(groundwatch_answer_kinds_total{kind="no_answer"}[1h])) / '
            "sum by (app) (increase(groundwatch_answer_kinds_total[1h]))",
        )  # fmt: skip
        self.answer_latency = self._histogram(
            "answer_latency_seconds", ("app", "release", "stage"), LATENCY_BUCKETS,
            "How long the watched application took, by stage, as its live answers told "
            "(latency_ms). Other stages than these, and negative times, are passed over.",
            "histogram_quantile(0.95, sum by (app, stage, le) "
            "(rate(groundwatch_answer_latency_seconds_bucket[5m])))",
        )  # fmt: skip
        self.answer_tokens = self._counter(
            "answer_tokens_total", ("app", "release", "kind"),
            "Tokens of the watched application, as its live answers told. A mean divides by "
            'answer_usage_reported_total{field="tokens"}: not every answer tells.',
            "sum by (app, kind) (increase(groundwatch_answer_tokens_total[1d]))",
        )  # fmt: skip
        self.answer_cost = self._counter(
            "answer_cost_usd_total", ("app", "release"),
            "US dollars that live answers cost, as they told.",
            "sum by (app) (increase(groundwatch_answer_cost_usd_total[1d])) / on (app) "
            'sum by (app) (increase(groundwatch_answer_usage_reported_total{field="cost"}[1d]))',
        )  # fmt: skip
        self.usage_reported = self._counter(
            "answer_usage_reported_total", ("app", "release", "field"),
            "Live answers that told their tokens, cost or latency: what means divide by.",
            'sum by (app) (rate(groundwatch_answer_usage_reported_total{field="tokens"}[1h]))',
        )  # fmt: skip
        self.empty_retrievals = self._counter(
            "empty_retrievals_total", ("app", "release"),
            "Checked live answers for which retrieval returned nothing.",
            "sum by (app) (increase(groundwatch_empty_retrievals_total[1h])) / "
            'sum by (app) (increase(groundwatch_answers_total{status!="error"}[1h]))',
        )  # fmt: skip
        self.without_evidence = self._counter(
            "answers_without_evidence_total", ("app", "release"),
            "Live answers that answer (kind answer), though the model was given nothing to answer "
            "from: no retrieved text and no context but its own earlier answers.",
            "sum by (app) (increase(groundwatch_answers_without_evidence_total[1h]))",
        )  # fmt: skip
        self.citation_sums = self._counter(
            "citation_sums_total", ("app", "release", "measure"),
            "Over live answers with m > 0 evaluated citations, x of them unresolvable: answers, "
            "answers_unresolved (x > 0), citations = Σm, unresolved = Σx, citations_squared = Σm², "
            "unresolved_squared = Σx², citations_times_unresolved = Σxm: enough for an interval of "
            "the per-citation rate that clusters by answer.",
            "sum by (app) "
            '(increase(groundwatch_citation_sums_total{measure="answers_unresolved"}[1d])) / '
            'sum by (app) (increase(groundwatch_citation_sums_total{measure="answers"}[1d]))',
        )  # fmt: skip

    def _declare_consumer(self) -> None:
        self.stage_seconds = self._histogram(
            "batch_stage_seconds", ("stage",), STAGE_BUCKETS,
            "Seconds that one batch spent in each stage.",
            "sum by (stage) (rate(groundwatch_batch_stage_seconds_sum[5m]))",
        )  # fmt: skip
        self.batch_records = self._histogram(
            "batch_records", (), RECORD_BUCKETS, "Records in one batch of one partition.",
            "rate(groundwatch_batch_records_sum[5m]) / rate(groundwatch_batch_records_count[5m])",
        )  # fmt: skip
        self.lag = self._gauge(
            "consumer_lag", ("partition",),
            "Records between this consumer's position and the end of the log.",
            "sum(groundwatch_consumer_lag)",
        )  # fmt: skip
        self.last_turn = self._gauge(
            "consumer_last_turn_timestamp_seconds", (),
            "When the loop of this consumer last went round, in seconds since 1970. Only from "
            "`consume`. Lag and counters stand still with a loop that hangs; this one tells.",
            "time() - min(groundwatch_consumer_last_turn_timestamp_seconds)", once_told=True,
        )  # fmt: skip
        self.halted = self._gauge(
            "partition_halted", ("reason",),
            "Partitions of this process that wait for a person, by why (see the runbooks).",
            "sum by (reason) (groundwatch_partition_halted) > 0",
        )  # fmt: skip
        self.store_conflicts = self._counter(
            "store_conflicts_total", (),
            "Batches that the store refused because its checkpoint was elsewhere: a replay or a "
            "zombie.",
            "rate(groundwatch_store_conflicts_total[15m])",
        )  # fmt: skip
        self.outages = self._counter(
            "outages_total", ("dependency",), "Outages begun, by what was away.",
            "increase(groundwatch_outages_total[1h])",
        )  # fmt: skip
        self.commit_failures = self._counter(
            "commit_failures_total", (),
            "Commits to Kafka that failed. They are hints: the checkpoint in the store is the "
            "truth.",
            "rate(groundwatch_commit_failures_total[15m])",
        )  # fmt: skip

    def _declare_review(self) -> None:
        self.cases = self._counter(
            "cases_total", ("disposition",),
            "Flagged answers by what became of them: a case, or counted in their group without a "
            "payload.",
            "sum by (disposition) (increase(groundwatch_cases_total[1d]))",
        )  # fmt: skip
        self.feedback = self._counter(
            "feedback_total", ("app", "thumb", "outcome"),
            "Feedback of users by what became of it: joined; unmatched (no answer of that id in "
            "the window, and no case); repeated (read again after a crash); gone (joined, but the "
            "answer is not to be had for a case or the judge); rejected (unreadable: thumb none).",
            'sum by (outcome) (increase(groundwatch_feedback_total{thumb="down"}[1d]))',
        )  # fmt: skip
        self.open_cases = self._gauge(
            "open_cases", ("severity",), "Open cases in the queue. Only from `serve`.",
            "max by (severity) (groundwatch_open_cases)",
        )  # fmt: skip
        self.oldest_open_case = self._gauge(
            "oldest_open_case_seconds", ("severity",),
            "Age of the oldest open case of each severity; 0 when there is none. Only from "
            "`serve`.",
            "max by (severity) (groundwatch_oldest_open_case_seconds) / 3600",
        )  # fmt: skip
        self.imbalance = self._gauge(
            "accounting_imbalance", ("equation",),
            "Left minus right side of an equation of the books. Anything but 0 is a defect or a "
            "loss.",
            "max by (equation) (abs(groundwatch_accounting_imbalance)) != 0",
        )  # fmt: skip

    def _declare_people(self) -> None:
        self.feedback_joined = self._counter(
            "feedback_joined_total", ("app", "release", "thumb"),
            "Feedback of users that was joined with its answer, by the answer's release.",
            'sum by (app, release) (increase(groundwatch_feedback_joined_total{thumb="down"}[1d])) '
            "/ sum by (app, release) (increase(groundwatch_feedback_joined_total[1d]))",
        )  # fmt: skip
        self.redactions = self._counter(
            "redactions_total", ("app", "kind"),
            "Values that were masked before an answer, feedback on it or a reviewer's note was "
            "kept, by kind: email, phone, iban, card, ip, custom (the policy's own patterns), "
            "unreadable (a text that is masked as a whole).",
            "sum by (app, kind) (increase(groundwatch_redactions_total[1d]))",
        )  # fmt: skip
        self.labels = self._counter(
            "labels_total", ("kind",),
            "What people said, after it was stored: labels of cases and of audit tasks, labels "
            "that came with a whole group (bulk), skips, undos. Only from `serve`.",
            'sum(increase(groundwatch_labels_total{kind=~"case|task|bulk"}[1d]))',
        )  # fmt: skip
        self.cases_by_state = self._gauge(
            "cases", ("state",),
            "Cases by where they stand: open, claimed (a reviewer has it), withheld (until its "
            "audit is done), resolved, expired, erased. Only from `serve`.",
            "max by (state) (groundwatch_cases)",
            apart=True,
        )  # fmt: skip
        self.check_precision = self._gauge(
            "check_precision", ("check", "statistic"),
            "Share of a check's findings that people called real, of those they called in opened "
            "cases of the last 60 days, with its 95 % interval (value, low, high). 1 - value is "
            "the false-alarm rate. Absent without a label. Only from `serve`.",
            '1 - max by (check) (groundwatch_check_precision{statistic="high"}) > 0.2',
        )  # fmt: skip
        self.check_labelled = self._gauge(
            "check_labelled_findings", ("check",),
            "Findings that this precision rests on. Only from `serve`.",
            "max by (check) (groundwatch_check_labelled_findings)",
        )  # fmt: skip
        self.agreement = self._gauge(
            "reviewer_agreement", ("statistic",),
            "How far two people agree on whether an answer is correct, over audit tasks of the "
            "last 60 days that both labelled blind: Cohen's kappa and Gwet's AC1. Absent where "
            "they do not define one. Only from `serve`.",
            'max(groundwatch_reviewer_agreement{statistic="ac1"})',
        )  # fmt: skip
        self.agreement_pairs = self._gauge(
            "reviewer_agreement_pairs", (),
            "Pairs of labels that this agreement rests on. Only from `serve`.",
            "max(groundwatch_reviewer_agreement_pairs)",
        )  # fmt: skip

    def _declare_rates(self) -> None:
        self.rate = self._gauge(
            "rate", ("app", "rate", "statistic"),
            "Rates over the running hour and the 23 before it, from the store's counters, so that "
            "a restart loses nothing: value, low and high (95 % interval), n (trials). "
            "unresolvable_citations_per_answer, unresolvable_citations_per_citation (clustered by "
            "answer), unsupported_numbers, abstentions, citing, not_evaluated (citations that "
            "could not be read) are counted; faithfulness, context_sufficiency, unsupported_claims "
            "and contradicted_claims (of claims, clustered by answer), relevance and "
            "context_precision are the judge's, weighted by 1/π. Absent without data. Only from "
            "`serve`.",
            "max by (app) "
            '(groundwatch_rate{rate="unresolvable_citations_per_answer",statistic="value"})',
        )  # fmt: skip
        self.hours_without_data = self._gauge(
            "hours_without_data", ("app",),
            "Of the last 24 whole hours, those without a checked live answer of this app, from its "
            "first answer on. Absent for an app that never had one. Only from `serve`.",
            "max by (app) (groundwatch_hours_without_data) > 0",
        )  # fmt: skip
        self.release_first_seen = self._gauge(
            "release_first_seen_timestamp_seconds", ("app", "release"),
            "When the first live answer of a release was given, seconds since 1970; of each app's "
            "last releases. Only from `serve`.",
            "time() - max by (app, release) (groundwatch_release_first_seen_timestamp_seconds) "
            "< 3600",
        )  # fmt: skip

    def _declare_probes(self) -> None:
        self.probe_measure = self._gauge(
            "probe_measure", ("app", "release", "measure", "statistic"),
            "What the last probe of an app found over its labelled questions: the mean of hit, "
            "precision, recall, mrr, ndcg (at the probe's k), correct and faithful, with its 95 % "
            "interval (value, low, high). Absent where it was not measured. Only from `serve`.",
            'max by (app) (groundwatch_probe_measure{measure="recall",statistic="value"})',
        )  # fmt: skip
        self.probe_questions = self._gauge(
            "probe_questions", ("app", "release", "state"),
            "Questions of this probe: answered, or failed (the target gave no answer: they are in "
            "no mean). Only from `serve`.",
            'max by (app) (groundwatch_probe_questions{state="failed"}) > 0',
        )  # fmt: skip
        self.probe_critical_lost = self._gauge(
            "probe_critical_without_hit", ("app", "release"),
            "Critical questions of this probe for which no relevant ref was retrieved. Only from "
            "`serve`.",
            "max by (app) (groundwatch_probe_critical_without_hit) > 0",
        )  # fmt: skip
        self.probe_unanswerable_answered = self._gauge(
            "probe_unanswerable_answered", ("app", "release"),
            "Questions of this probe that have no answer, or must not get one, and got one. Only "
            "from `serve`.",
            "max by (app) (groundwatch_probe_unanswerable_answered) > 0",
        )  # fmt: skip
        self.probe_finished = self._gauge(
            "probe_finished_timestamp_seconds", ("app", "release"),
            "When this probe ended, seconds since 1970. Only from `serve`.",
            "time() - max by (app) (groundwatch_probe_finished_timestamp_seconds) > 93600",
        )  # fmt: skip

    def _declare_judge(self) -> None:
        self.judge_selections = self._counter(
            "judge_selections_total", ("disposition",),
            "Draws for the judge among live answers, by what they said; none where no judge is "
            "configured. An answer that negative feedback's second draw chooses counts once more.",
            "sum by (disposition) (rate(groundwatch_judge_selections_total[1h]))",
        )  # fmt: skip
        self.judge_refused = self._counter(
            "judge_refused_total", (),
            "Of the selected answers, those that the full backlog refused: counted as "
            "budget_skipped in the books.",
            "increase(groundwatch_judge_refused_total[1h])",
        )  # fmt: skip
        self.judgements = self._counter(
            "judge_judgements_total", ("app", "release", "status"),
            "Answers that the judge is done with: judged, undetermined (answered, but unusably) or "
            "failed (no answer by the deadline). Only judged ones enter rates.",
            "sum by (status) (rate(groundwatch_judge_judgements_total[1h]))",
        )  # fmt: skip
        self.judge_failures = self._counter(
            "judge_failures_total", ("status", "reason"),
            "Why an answer was not judged.",
            "topk(5, increase(groundwatch_judge_failures_total[1h]))",
        )  # fmt: skip
        self.judge_calls = self._counter(
            "judge_calls_total", ("purpose", "outcome"),
            "Calls to the endpoint by what they were for (ruling, repair, relevance, or again: to "
            "measure flips) and what came of them. Every one debits the budget.",
            "sum by (outcome) (rate(groundwatch_judge_calls_total[15m]))",
        )  # fmt: skip
        self.judge_tokens = self._counter(
            "judge_tokens_total", ("kind",), "Tokens of the judge's calls (prompt, completion).",
            "sum by (kind) (increase(groundwatch_judge_tokens_total[1d]))",
        )  # fmt: skip
        self.judge_money = self._counter(
            "judge_money_total", (),
            "What the judge's calls cost by the price table, in its currency.",
            "increase(groundwatch_judge_money_total[1d])",
        )  # fmt: skip
        self.judge_seconds = self._histogram(
            "judge_seconds", (), JUDGE_BUCKETS,
            "Seconds from the first to the last call for one answer.",
            "histogram_quantile(0.95, sum by (le) (rate(groundwatch_judge_seconds_bucket[15m])))",
        )  # fmt: skip
        self.judge_backlog = self._gauge(
            "judge_backlog", (), "Answers that wait for the judge. Only from `serve`.",
            "max(groundwatch_judge_backlog)",
        )  # fmt: skip
        self.judge_oldest = self._gauge(
            "judge_oldest_job_seconds", (),
            "How long the oldest of them waits; 0 when there is none. Only from `serve`.",
            "max(groundwatch_judge_oldest_job_seconds) / 3600",
        )  # fmt: skip
        self.judge_budget_left = self._gauge(
            "judge_budget_left", ("kind",),
            "What is left of today's budget (tokens, money, calls of this minute), where "
            "there is a bound. Only from `serve`.",
            "min by (kind) (groundwatch_judge_budget_left)",
        )  # fmt: skip
        self.judge_budget = self._gauge(
            "judge_budget", ("kind",),
            "The bound: tokens and money of a UTC day, calls of a minute. Absent where there "
            "is none. Only from `serve`.",
            "min by (kind) (groundwatch_judge_budget_left) / "
            "max by (kind) (groundwatch_judge_budget)",
        )  # fmt: skip
        self.judge_factor = self._gauge(
            "judge_factor", ("app",),
            "What scales an app's inclusion probabilities to the budget: 1 is the policy's own, "
            "less is slower. Only from `serve`.",
            "min by (app) (groundwatch_judge_factor)",
        )  # fmt: skip
        self.judge_coverage = self._gauge(
            "judge_coverage", ("app",),
            "selected / (selected + budget_skipped) of the answers of the last 24 hours. What is "
            "skipped is not skipped at random: read it beside every judged rate. Absent for an app "
            "of which nothing was drawn. Only from `serve`.",
            "min by (app) (groundwatch_judge_coverage) < 0.95",
        )  # fmt: skip
        self.corrected_rate = self._gauge(
            "corrected_bad_answers", ("app", "statistic"),
            "Share of answers with a claim that their sources do not carry, as people's audits "
            "correct what the judge says: value, low, high (95 % interval), over the days of "
            "CALIBRATION_DAYS. Absent while the judge is uncalibrated. Only from `serve`.",
            'max by (app) (groundwatch_corrected_bad_answers{statistic="low"}) > 0.1',
        )  # fmt: skip
        self.judge_calibrated = self._gauge(
            "judge_calibrated", ("app",),
            "1 where people labelled audits that this judge version (model, prompt, schema, "
            "parameters) ruled on, 0 until then. Absent without a judged answer. Only from "
            "`serve`.",
            "min by (app) (groundwatch_judge_calibrated) == 0",
        )  # fmt: skip
        self.judge_labels = self._gauge(
            "judge_labels", ("app",),
            "Audit labels that this judge version is held against. Only from `serve`.",
            "max by (app) (groundwatch_judge_labels)",
        )  # fmt: skip
        self.judge_labels_needed = self._gauge(
            "judge_labels_needed", ("app",),
            "Audit labels still needed to know the corrected rate to ± 2 points. Absent where too "
            "few answers were judged for any number. Only from `serve`.",
            "max by (app) (groundwatch_judge_labels_needed)",
        )  # fmt: skip
        self.judge_breaker = self._gauge(
            "judge_breaker_open", (),
            "1 while this process holds back its calls, since the endpoint kept failing.",
            "max(groundwatch_judge_breaker_open)",
        )  # fmt: skip
        self.tasks = self._gauge(
            "audit_tasks", ("state",), "Audit tasks by state. Only from `serve`.",
            "max by (state) (groundwatch_audit_tasks)",
        )  # fmt: skip

    def _declare_judging(self) -> None:
        self.judge_claims = self._counter(
            "judge_claims_total", ("app", "release", "verdict"),
            "Claims of judged answers by verdict. Not weighted: the sample is drawn unevenly.",
            "sum by (app, verdict) (increase(groundwatch_judge_claims_total[1d]))",
        )  # fmt: skip
        self.judge_causes = self._counter(
            "judge_causes_total", ("app", "release", "cause"),
            "Bad claims by whose fault they are.",
            "sum by (app, cause) (increase(groundwatch_judge_causes_total[1d]))",
        )  # fmt: skip
        self.judge_findings = self._counter(
            "judge_findings_total", ("app", "release", "reason"),
            "Judged answers with a finding of this kind.",
            "sum by (app, reason) (increase(groundwatch_judge_findings_total[1d]))",
        )  # fmt: skip
        self.judge_relevance = self._counter(
            "judge_relevance_total", ("app", "release", "relevance"),
            "Judged answers by how far they answer the question. Not weighted.",
            "sum by (app, relevance) (increase(groundwatch_judge_relevance_total[1d]))",
        )  # fmt: skip
        self.judge_weighed = self._counter(
            "judge_weighed_total", ("app", "release", "measure"),
            "Sums over judged answers, each counted 1/π times: what all answers would sum to. "
            "Faithfulness = faithfulness / with_claims, and never without context sufficiency = "
            "sufficient / answers beside it; citation support = citations_supported / citations.",
            'sum by (app) (increase(groundwatch_judge_weighed_total{measure="faithfulness"}[1d])) '
            '/ sum by (app) '
            '(increase(groundwatch_judge_weighed_total{measure="with_claims"}[1d]))',
        )  # fmt: skip
        self.judge_flips = self._counter(
            "judge_flips_total", ("result",),
            "Answers that were judged twice, by whether a verdict differed.",
            'sum(increase(groundwatch_judge_flips_total{result="flipped"}[7d])) / '
            "sum(increase(groundwatch_judge_flips_total[7d]))",
        )  # fmt: skip

    def _declare_process(self) -> None:
        self.http_requests = self._counter(
            "http_requests_total", ("route", "code"),
            "HTTP requests by route template and class of status (2xx, 4xx, …).",
            'sum by (route) (rate(groundwatch_http_requests_total{code="5xx"}[5m]))',
        )  # fmt: skip
        self.build_info = self._gauge(
            "build_info", ("version",), "Always 1; the version is its label.",
            "count by (version) (groundwatch_build_info)",
        )  # fmt: skip
        self.ruleset_info = self._gauge(
            "ruleset_info", ("app", "ruleset"),
            "Always 1; which ruleset judges which app, so that a new rule is not mistaken for a "
            "bad release.",
            "count by (app, ruleset) (groundwatch_ruleset_info)",
        )  # fmt: skip
        self.redis_up = self._gauge(
            "redis_up", (),
            "1 while the store answers. Only from `serve`.",
            "min(groundwatch_redis_up) == 0", once_told=True,
        )  # fmt: skip
        self.redis_memory_used = self._gauge(
            "redis_memory_used_bytes", (),
            "Memory that Redis uses; 0 for the embedded store. Only from `serve`.",
            "max(groundwatch_redis_memory_used_bytes) / "
            "(max(groundwatch_redis_memory_max_bytes) > 0)",
        )  # fmt: skip
        self.redis_memory_max = self._gauge(
            "redis_memory_max_bytes", (),
            "Its maxmemory; 0 where there is no limit. Only from `serve`.",
            "max(groundwatch_redis_memory_max_bytes)",
        )  # fmt: skip

    def _create_series(self) -> None:
        _create(self.records, RECORD_KINDS)
        _create(self.rejected, (reason.value for reason in RejectReason))
        _create(self.dead_letters, DEAD_LETTER_REASONS)
        _create(self.check_errors, CHECKS)
        _create(self.check_seconds, CHECKS)
        _create(self.stage_seconds, get_args(Stage))
        _create(self.halted, get_args(HaltReason))
        _create(self.outages, get_args(Dependency))
        _create(self.cases, get_args(Disposition))
        _create(self.cases_by_state, CASE_STATES)
        _create(self.imbalance, EQUATIONS)
        _create(self.open_cases, SEVERITY_ORDER)
        _create(self.oldest_open_case, SEVERITY_ORDER)
        _create(self.labels, get_args(LabelKind))
        _create(self.judge_selections, (SELECTED, SAMPLED_OUT, BUDGET_SKIPPED))
        for purpose in JUDGE_PURPOSES:
            for outcome in JUDGE_ATTEMPTS:
                self.judge_calls.labels(purpose, outcome)
        _create(self.judge_tokens, ("prompt", "completion"))
        _create(self.judge_flips, ("flipped", "same"))
        _create(self.tasks, TASK_STATES)
        for status in (Status.UNDETERMINED, Status.FAILED):
            for reason in JUDGE_FAILURES:
                self.judge_failures.labels(status.value, reason)
        self.build_info.labels(version("groundwatch")).set(1)

    def _counter(self, name: str, labels: tuple[str, ...], meaning: str, query: str) -> Counter:
        name = self._define(name, "counter", labels, meaning, query)
        return Counter(name, meaning, labels, registry=self.registry)

    def _gauge(
        self,
        name: str,
        labels: tuple[str, ...],
        meaning: str,
        query: str,
        *,
        apart: bool = False,
        once_told: bool = False,
    ) -> Gauge:
        """``apart``: a counter is named like it, but for its ``_total``. ``once_told``: has no
        sample before it is set, since a 0 from a process that never sets it would be a lie."""
        name = self._define(name, "gauge", labels, meaning, query)
        if not (apart or once_told):
            return Gauge(name, meaning, labels, registry=self.registry)
        gauge = Gauge(name, meaning, labels, registry=None)
        self.registry.register(_OnceTold(gauge) if once_told else _Apart(gauge))
        return gauge

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


class _Apart(Collector):
    """A gauge that the registry does not compare with the other names: it takes ``cases`` for the
    family of ``cases_total``, as OpenMetrics would. We answer in the text format, where they are
    two."""

    def __init__(self, gauge: Gauge) -> None:
        self._gauge = gauge

    def collect(self) -> Iterable[Metric]:
        return self._gauge.collect()


class _OnceTold(Collector):
    """A gauge without labels that has no sample until somebody sets it."""

    def __init__(self, gauge: Gauge) -> None:
        gauge.set(nan)
        self._gauge = gauge

    def collect(self) -> Iterable[Metric]:
        for metric in self._gauge.collect():
            metric.samples = [sample for sample in metric.samples if not isnan(sample.value)]
            yield metric


def _create(metric: Counter | Gauge | Histogram, values: Iterable[str]) -> None:
    for value in values:
        metric.labels(value)
