from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.accounting import (
    EQUATIONS,
    MISLABELLED_PROBE,
    Books,
    CheckRow,
    Equation,
    Kind,
    Row,
)
from service.checks import CHECKS, REASONS, citations, numbers
from service.estimates.estimate import Estimate
from service.events import AnswerEvent, RejectReason, parse_event
from service.feedback import FeedbackOutcome
from service.judging.judgement import Cause, Judgement, Verdict
from service.judging.results import Judged, judged_of
from service.measuring.probed import ProbeResult, Share
from service.metrics import JUDGE_FAILURES, MAX_RELEASES, Calibrated, Measured, Metrics
from service.metrics.reference import reference
from service.review.labels import Action, Change
from tests.contract.judged import GOOD, LOST, claim, judgement
from tests.unit.judging import made

ROOT = Path(__file__).resolve().parents[2]
HOUR = 498_000


def samples(metrics: Metrics) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    text = metrics.exposition()[0].decode()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(metrics: Metrics, name: str, **labels: str) -> float:
    """Raises KeyError for a series that does not exist."""
    return samples(metrics)[f"groundwatch_{name}", frozenset(labels.items())]


def row(kind: Kind = Kind.CHECKED, **parts: Any) -> Row:
    checks = {
        "citations": CheckRow("pass", 2, 0),
        "numbers": CheckRow("fail", 3, 1),
    }
    given: dict[str, Any] = {
        "offset": 0, "kind": kind, "app": "support", "release": "r1", "purpose": "live",
        "hour": HOUR, "timestamp_ms": 10_000, "checks": checks if kind is Kind.CHECKED else {},
        "causes": (("numbers", "absent", "54", "high", "54 €"),) if kind is Kind.CHECKED else (),
    }  # fmt: skip
    return Row(**(given | parts))


def test_a_batch_is_counted_by_kind_outcome_and_reason() -> None:
    metrics = Metrics()
    rows = [row(), row(), row(Kind.RECORDED), row(Kind.DUPLICATE)]
    metrics.observe_rows([*rows, row(Kind.REJECTED, reason="schema")], now_ms=12_500)
    names = ("received", "checked", "recorded", "rejected", "duplicate", "lost", "gap")
    kinds = {kind: value(metrics, "records_total", kind=kind) for kind in names}
    assert kinds == {"received": 5, "checked": 2, "recorded": 1, "rejected": 1, "duplicate": 1,
                     "lost": 0, "gap": 0}  # fmt: skip
    assert value(metrics, "rejected_total", reason="schema") == 1
    labels = {"app": "support", "release": "r1"}
    assert value(metrics, "check_results_total", check="numbers", outcome="fail", **labels) == 2
    assert value(metrics, "check_results_total", check="citations", outcome="pass", **labels) == 2
    assert value(metrics, "findings_total", check="numbers", reason="absent", **labels) == 2
    assert value(metrics, "event_age_seconds_count") == 2
    assert value(metrics, "event_age_seconds_sum") == 5
    assert value(metrics, "batch_records_sum") == 5


def test_a_record_dropped_on_the_way_shows_between_received_and_its_kinds() -> None:
    metrics = Metrics()
    metrics.observe_rows([row()], received=2, now_ms=0)
    assert value(metrics, "records_total", kind="received") == 2
    assert value(metrics, "records_total", kind="checked") == 1


def test_not_evaluated_is_counted_by_why() -> None:
    metrics = Metrics()
    check = CheckRow("not_evaluated", not_evaluated="missing_text")
    metrics.observe_rows([row(checks={"numbers": check}, causes=())])
    assert (
        value(metrics, "not_evaluated_total", app="support", check="numbers", reason="missing_text")
        == 1
    )


def test_probes_and_shadows_stay_out_of_the_rates() -> None:
    metrics = Metrics()
    metrics.observe_rows([row(purpose="probe"), row(purpose="shadow")])
    assert value(metrics, "records_total", kind="checked") == 2
    assert "check_results_total{" not in metrics.exposition()[0].decode()


def test_a_clock_that_runs_ahead_is_no_negative_age() -> None:
    metrics = Metrics()
    metrics.observe_rows([row(timestamp_ms=5_000)], now_ms=0)
    assert value(metrics, "event_age_seconds_sum") == 0


def releases(metrics: Metrics) -> set[str]:
    return {
        dict(labels)["release"]
        for name, labels in samples(metrics)
        if name == "groundwatch_check_results_total"
    }


def test_a_flood_of_releases_stays_bounded_and_loses_no_answer() -> None:
    metrics = Metrics()
    metrics.observe_rows([row(release=f"r{number}") for number in range(5_000)])
    assert releases(metrics) == {f"r{number}" for number in range(MAX_RELEASES)} | {"other"}
    counted = sum(
        number
        for (name, labels), number in samples(metrics).items()
        if name == "groundwatch_check_results_total" and ("check", "numbers") in labels
    )
    assert counted == 5_000


def test_a_flood_of_one_app_takes_no_label_from_another() -> None:
    metrics = Metrics()
    metrics.observe_rows([row(release=f"r{number}") for number in range(100)])
    metrics.observe_rows([row(app="shop", release="s1")])
    assert "s1" in releases(metrics)


def test_a_release_out_of_use_gives_its_label_to_a_new_one() -> None:
    metrics = Metrics()
    metrics.observe_rows([row(release=f"r{number}") for number in range(MAX_RELEASES)])
    metrics.observe_rows([row(release="r0", hour=HOUR + 24), row(release="new", hour=HOUR + 24)])
    assert {"r0", "new"} <= releases(metrics)
    assert "r1" not in releases(metrics)
    metrics.observe_rows([row(release="late", hour=HOUR + 1)])
    assert "late" not in releases(metrics)
    metrics.observe_rows([row(release="new", hour=HOUR + 24)])
    assert (
        value(
            metrics,
            "findings_total",
            app="support",
            release="new",
            check="numbers",
            reason="absent",
        )
        == 2
    )


def test_an_answer_without_a_release_says_so() -> None:
    metrics = Metrics()
    metrics.observe_rows([row(release="")])
    assert releases(metrics) == {"none"}


def judged(said: Judgement, pi: float = 1.0, partial: bool = False) -> Judged:
    asked = made.job("A seat costs 45 € a month.")
    answer = replace(asked.answer, pi=pi, app="support", release="r1", hour=HOUR)
    asked = replace(asked, answer=answer)
    if said.assessment is not None:
        said = replace(said, assessment=replace(said.assessment, partial=partial))
    return judged_of(asked, said)


MIXED = judgement(claim(Verdict.SUPPORTED), claim(Verdict.CONTRADICTED, cause=Cause.GENERATION))
PLACE = {"app": "support", "release": "r1"}


def weighed(metrics: Metrics, measure: str) -> float:
    return value(metrics, "judge_weighed_total", measure=measure, **PLACE)


def test_a_judgement_is_counted_by_status_verdict_and_reason() -> None:
    metrics = Metrics()
    metrics.observe_judgement(judged(MIXED), "opened")
    assert value(metrics, "judge_judgements_total", status="judged", **PLACE) == 1
    assert value(metrics, "judge_claims_total", verdict="supported", **PLACE) == 1
    assert value(metrics, "judge_claims_total", verdict="contradicted", **PLACE) == 1
    assert value(metrics, "judge_causes_total", cause="generation", **PLACE) == 1
    assert value(metrics, "judge_findings_total", reason="contradicted", **PLACE) == 1
    assert value(metrics, "judge_relevance_total", relevance="complete", **PLACE) == 1
    assert value(metrics, "judge_calls_total", purpose="ruling", outcome="answered") == 1
    assert value(metrics, "judge_calls_total", purpose="relevance", outcome="answered") == 1
    assert value(metrics, "judge_tokens_total", kind="prompt") == 900
    assert value(metrics, "judge_money_total") == pytest.approx(12e-6)
    assert value(metrics, "judge_seconds_sum") == pytest.approx(0.7)
    assert value(metrics, "cases_total", disposition="case") == 1


def test_judged_sums_weigh_each_answer_by_its_chance() -> None:
    metrics = Metrics()
    metrics.observe_judgement(judged(MIXED, pi=0.25), "")
    metrics.observe_judgement(judged(GOOD), "")
    assert weighed(metrics, "answers") == 5
    assert weighed(metrics, "sufficient") == 5
    assert weighed(metrics, "faithfulness") / weighed(metrics, "with_claims") == 0.6


def test_a_lower_bound_is_no_faithfulness() -> None:
    metrics = Metrics()
    metrics.observe_judgement(judged(GOOD, partial=True), "")
    assert (weighed(metrics, "answers"), weighed(metrics, "with_claims")) == (1, 0)


@pytest.mark.parametrize("reason", ["timeout", "deadline", "no_sentences", "never heard of"])
def test_what_is_not_judged_enters_no_rate(reason: str) -> None:
    metrics = Metrics()
    lost = replace(LOST, reason=reason, attempts=("timeout", "again:timeout", "??"))
    metrics.observe_judgement(judged(lost), "")
    known = reason if reason in JUDGE_FAILURES else "other"
    assert value(metrics, "judge_failures_total", status="failed", reason=known) == 1
    assert value(metrics, "judge_calls_total", purpose="again", outcome="timeout") == 1
    assert value(metrics, "judge_calls_total", purpose="ruling", outcome="other") == 1
    assert weighed(metrics, "answers") == 0


def test_what_the_draw_said_is_counted() -> None:
    metrics = Metrics()
    metrics.observe_rows([row(selection="selected"), row(selection="sampled_out"), row()])
    metrics.observe_refused(1)
    assert value(metrics, "judge_selections_total", disposition="selected") == 1
    assert value(metrics, "judge_selections_total", disposition="sampled_out") == 1
    assert value(metrics, "judge_refused_total") == 1
    metrics.observe_second_draw(refused=False)
    metrics.observe_second_draw(refused=True)
    assert value(metrics, "judge_selections_total", disposition="selected") == 3
    assert value(metrics, "judge_refused_total") == 2


def test_a_corrected_rate_is_shown_with_its_labels_and_not_without_any() -> None:
    metrics = Metrics()
    rate = Measured(Estimate(0.08, 0.05, 0.12), 120)
    none = Measured(Estimate(None), 0)
    metrics.set_calibrations(
        {"support": Calibrated(rate, True, 40), "sales": Calibrated(none, False, None)}
    )
    assert value(metrics, "corrected_bad_answers", app="support", statistic="high") == 0.12
    assert value(metrics, "judge_calibrated", app="support") == 1
    assert value(metrics, "judge_calibrated", app="sales") == 0
    assert value(metrics, "judge_labels", app="support") == 120
    assert value(metrics, "judge_labels_needed", app="support") == 40
    told = metrics.exposition()[0].decode()
    assert 'corrected_bad_answers{app="sales"' not in told
    assert 'judge_labels_needed{app="sales"' not in told


def test_coverage_is_of_the_apps_that_have_one() -> None:
    metrics = Metrics()
    assert "judge_coverage{" not in metrics.exposition()[0].decode()
    metrics.set_judge_coverage({"support": 0.85, "sales": 1.0})
    assert value(metrics, "judge_coverage", app="support") == 0.85
    metrics.set_judge_coverage({"sales": 0.5})
    assert value(metrics, "judge_coverage", app="sales") == 0.5
    assert 'app="support"' not in metrics.exposition()[0].decode()


def told(**parts: Any) -> AnswerEvent:
    raw = {"event_id": "a", "query": "q?", "answer": "So.", "retrieved": []} | parts
    event = parse_event(json.dumps(raw).encode())
    assert isinstance(event, AnswerEvent)
    return event


def test_answers_are_counted_by_status_and_kind() -> None:
    metrics = Metrics()
    rows = [row(label="answer", status="ok"), row(label="no_answer", status="truncated")]
    metrics.observe_rows([*rows, row(Kind.RECORDED, status="error"), row(Kind.DUPLICATE)])
    found = {
        status: value(metrics, "answers_total", status=status, **PLACE)
        for status in ("ok", "truncated", "error")
    }
    assert found == {"ok": 1, "truncated": 1, "error": 1}
    kinds = {
        kind: value(metrics, "answer_kinds_total", kind=kind, **PLACE)
        for kind in ("answer", "no_answer", "clarify", "deny")
    }
    assert kinds == {"answer": 1, "no_answer": 1, "clarify": 0, "deny": 0}


def test_an_answer_without_evidence_counts_where_it_answers() -> None:
    metrics = Metrics()
    nothing = ("empty_retrieval", "no_evidence")
    metrics.observe_rows(
        [row(label="answer", marks=nothing), row(label="no_answer", marks=nothing), row()]
    )
    assert value(metrics, "empty_retrievals_total", **PLACE) == 2
    assert value(metrics, "answers_without_evidence_total", **PLACE) == 1


def test_citations_are_summed_so_that_an_interval_clusters_by_answer() -> None:
    metrics = Metrics()
    evaluated = [CheckRow("fail", 4, 1), CheckRow("fail", 2, 2), CheckRow("pass", 3, 0)]
    rows = [row(checks={"citations": check}, causes=()) for check in evaluated]
    metrics.observe_rows([*rows, row(checks={"citations": CheckRow("not_applicable")}, causes=())])
    sums = {
        measure: value(metrics, "citation_sums_total", measure=measure, **PLACE)
        for measure in ("answers", "answers_unresolved", "citations", "unresolved",
                        "citations_squared", "unresolved_squared", "citations_times_unresolved")
    }  # fmt: skip
    assert list(sums.values()) == [3, 2, 9, 3, 16 + 4 + 9, 1 + 4, 4 + 4]


def test_what_answers_told_of_themselves_is_summed_beside_how_many_did() -> None:
    metrics = Metrics()
    usage = {"input_tokens": 2000, "output_tokens": 100, "cost_usd": 0.25}
    events = [
        told(usage=usage, latency_ms={"retrieval": 120, "total": 1500, "thinking": 9}),
        told(usage={"output_tokens": 50}),
        told(),
    ]
    metrics.observe_rows([row(), row(), row(Kind.RECORDED, status="error")], events)
    assert value(metrics, "answer_tokens_total", kind="input", **PLACE) == 2000
    assert value(metrics, "answer_tokens_total", kind="output", **PLACE) == 150
    assert value(metrics, "answer_cost_usd_total", **PLACE) == 0.25
    fields = {
        field: value(metrics, "answer_usage_reported_total", field=field, **PLACE)
        for field in ("tokens", "cost", "latency")
    }
    assert fields == {"tokens": 2, "cost": 1, "latency": 1}
    seconds = {
        stage: value(metrics, "answer_latency_seconds_sum", stage=stage, **PLACE)
        for stage in ("retrieval", "rerank", "generation", "total")
    }
    assert seconds == {"retrieval": 0.12, "rerank": 0, "generation": 0, "total": 1.5}
    buckets = [
        value(metrics, "answer_latency_seconds_bucket", stage="total", le=le, **PLACE)
        for le in ("1.0", "2.5", "30.0", "+Inf")
    ]
    assert buckets == [0, 1, 1, 1]


@pytest.mark.parametrize(
    "parts",
    [
        {"usage": {"input_tokens": -1, "cost_usd": -0.1}, "latency_ms": {"total": -5}},
        {"usage": {"input_tokens": 10**400, "cost_usd": 1e300}, "latency_ms": {"total": 1e300}},
    ],
)
def test_numbers_that_no_answer_has_count_as_not_told(parts: dict[str, Any]) -> None:
    metrics = Metrics()
    metrics.observe_rows([row()], [told(**parts)])
    for field in ("tokens", "cost", "latency"):
        assert value(metrics, "answer_usage_reported_total", field=field, **PLACE) == 0
    assert value(metrics, "answer_cost_usd_total", **PLACE) == 0
    assert value(metrics, "answer_latency_seconds_count", stage="total", **PLACE) == 0


def test_feedback_counts_under_the_release_of_its_answer() -> None:
    metrics = Metrics()
    metrics.observe_feedback("support", "down", FeedbackOutcome.JOINED, ("r1", HOUR))
    metrics.observe_feedback("support", "down", FeedbackOutcome.GONE, ("r1", HOUR))
    metrics.observe_feedback("support", "down", FeedbackOutcome.REPEATED)
    metrics.observe_feedback("support", "up", FeedbackOutcome.UNMATCHED)
    assert value(metrics, "feedback_joined_total", thumb="down", **PLACE) == 2
    assert value(metrics, "feedback_joined_total", thumb="up", **PLACE) == 0


@pytest.mark.parametrize(
    ("subject", "action", "kind"),
    [
        ("case:c", Action.LABELLED, "case"),
        ("task:t", Action.LABELLED, "task"),
        ("case:c", Action.LABELLED_IN_BULK, "bulk"),
        ("task:t", Action.SKIPPED, "skip"),
        ("case:c", Action.UNDONE, "undo"),
        ("group:g", Action.DECIDED, None),
    ],
)
def test_labels_are_counted_by_kind(subject: str, action: Action, kind: str | None) -> None:
    metrics = Metrics()
    metrics.observe_label(Change(subject, 1, 0, "ada", action))
    counted = {
        each: value(metrics, "labels_total", kind=each)
        for each in ("case", "task", "bulk", "skip", "undo")
    }
    assert {each for each, number in counted.items() if number} == ({kind} if kind else set())


def test_a_statistic_without_a_value_has_no_series() -> None:
    metrics = Metrics()
    metrics.set_rates({"support": {"abstentions": Measured(Estimate(None), 0)}})
    metrics.set_agreement({"kappa": None, "ac1": 0.5}, 3)
    assert value(metrics, "reviewer_agreement", statistic="ac1") == 0.5
    for name, labels in (
        ("rate", {"app": "support", "rate": "abstentions", "statistic": "n"}),
        ("reviewer_agreement", {"statistic": "kappa"}),
    ):
        with pytest.raises(KeyError):
            value(metrics, name, **labels)


def test_cases_by_state_stand_beside_the_counter_of_the_same_name() -> None:
    metrics = Metrics()
    metrics.observe_cases(case=2)
    metrics.set_cases({"open": 1, "resolved": 1})
    assert value(metrics, "cases", state="open") == 1
    assert value(metrics, "cases", state="erased") == 0
    assert value(metrics, "cases_total", disposition="case") == 2


def test_failure_series_exist_before_the_first_failure() -> None:
    metrics = Metrics()
    for reason in RejectReason:
        assert value(metrics, "rejected_total", reason=reason.value) == 0
        assert value(metrics, "dead_letters_total", reason=reason.value) == 0
    assert value(metrics, "dead_letters_total", reason="undecodable") == 0
    for check in REASONS:
        assert value(metrics, "check_errors_total", check=check) == 0
    for dependency in ("kafka", "redis"):
        assert value(metrics, "outages_total", dependency=dependency) == 0
    for why in ("store_lost", "store_behind", "topic_recreated", "ahead_of_log", "rebuilding"):
        assert value(metrics, "partition_halted", reason=why) == 0
    for stage in ("parse", "lookup", "check", "store", "produce"):
        assert value(metrics, "batch_stage_seconds_count", stage=stage) == 0
    for equation in EQUATIONS:
        assert value(metrics, "accounting_imbalance", equation=equation) == 0
    for name in ("undecodable_batches", "store_conflicts", "commit_failures"):
        assert value(metrics, f"{name}_total") == 0
    for disposition in ("case", "suppressed", "auto_grouped"):
        assert value(metrics, "cases_total", disposition=disposition) == 0


def test_the_first_answer_of_a_release_makes_its_failure_series() -> None:
    metrics = Metrics()
    passed = {"citations": CheckRow("pass"), "numbers": CheckRow("pass")}
    metrics.observe_rows([row(checks=passed, causes=())])
    labels = {"app": "support", "release": "r1"}
    for check, reasons in REASONS.items():
        assert value(metrics, "check_results_total", check=check, outcome="fail", **labels) == 0
        for reason in reasons:
            assert value(metrics, "findings_total", check=check, reason=reason, **labels) == 0


def test_the_reasons_are_those_of_the_checks() -> None:
    assert set(REASONS) == set(CHECKS)
    assert set(REASONS["citations"]) == set(citations.SEVERITY)
    assert set(REASONS["numbers"]) == set(numbers.SEVERITY)


def test_gauges_forget_what_is_no_longer_said() -> None:
    metrics = Metrics()
    metrics.set_lag({0: 5, 1: 7})
    metrics.set_lag({1: 3})
    assert value(metrics, "consumer_lag", partition="1") == 3
    with pytest.raises(KeyError):
        value(metrics, "consumer_lag", partition="0")
    metrics.set_halted({"store_lost": 2})
    metrics.set_halted({"rebuilding": 1})
    assert value(metrics, "partition_halted", reason="store_lost") == 0
    assert value(metrics, "partition_halted", reason="rebuilding") == 1
    metrics.set_rulesets({"support": "1-aa"})
    metrics.set_rulesets({"support": "2-bb"})
    assert value(metrics, "ruleset_info", app="support", ruleset="2-bb") == 1
    with pytest.raises(KeyError):
        value(metrics, "ruleset_info", app="support", ruleset="1-aa")


def test_the_rest_is_counted_where_it_is_told() -> None:
    metrics = Metrics()
    metrics.observe_gaps(2)
    metrics.observe_lost(3)
    metrics.observe_dead_letter("undecodable")
    metrics.observe_check_error("numbers")
    metrics.observe_cases(case=4, suppressed=5)
    metrics.observe_outage("redis")
    metrics.observe_request("/queue", 404)
    metrics.set_open_cases({"high": 6}, {"high": 7.5})
    metrics.set_books(Books((Equation("records", {"received": 2}, {"checked": 1}),), (), {}))
    metrics.observe_stage("store", 0.25)
    assert value(metrics, "records_total", kind="gap") == 2
    assert value(metrics, "records_total", kind="lost") == 3
    assert value(metrics, "dead_letters_total", reason="undecodable") == 1
    assert value(metrics, "check_errors_total", check="numbers") == 1
    assert value(metrics, "cases_total", disposition="case") == 4
    assert value(metrics, "cases_total", disposition="suppressed") == 5
    assert value(metrics, "outages_total", dependency="redis") == 1
    assert value(metrics, "http_requests_total", route="/queue", code="4xx") == 1
    assert value(metrics, "open_cases", severity="high") == 6
    assert value(metrics, "oldest_open_case_seconds", severity="high") == 7.5
    assert value(metrics, "accounting_imbalance", equation="records") == 1
    assert value(metrics, "batch_stage_seconds_count", stage="store") == 1
    assert value(metrics, "batch_stage_seconds_sum", stage="store") == 0.25


def test_two_in_one_process_do_not_meet() -> None:
    first, second = Metrics(), Metrics()
    first.observe_conflict()
    assert value(second, "store_conflicts_total") == 0


def test_only_who_asks_redis_says_whether_it_is_up() -> None:
    metrics = Metrics()
    assert "groundwatch_redis_up" not in {name for name, _ in samples(metrics)}
    metrics.set_redis(up=False)
    assert value(metrics, "redis_up") == 0


def test_nothing_is_exposed_that_is_not_defined() -> None:
    metrics = Metrics()
    metrics.observe_rows([row()])
    defined = {definition.name for definition in metrics.definitions}
    exposed = re.findall(r"^# TYPE (groundwatch_\S+) ", metrics.exposition()[0].decode(), re.M)
    assert set(exposed) == defined
    assert not [name for name in exposed if name.endswith("_created")]


def test_example_queries_ask_for_metrics_that_exist() -> None:
    metrics = Metrics()
    metrics.observe_rows([row()])
    metrics.set_lag({0: 1})
    metrics.set_rulesets({"support": "1-aa"})
    metrics.observe_request("/queue", 200)
    metrics.observe_judgement(judged(MIXED), "")
    metrics.set_judge_coverage({"support": 0.85})
    metrics.set_calibrations(
        {"support": Calibrated(Measured(Estimate(0.1, 0.05, 0.2), 9), True, 99)}
    )
    metrics.set_judge(1, 2.0, {"tokens": 9.0}, {"tokens": 5.0}, {"support": 0.5})
    metrics.set_precision({"numbers": Measured(Estimate(0.9, 0.8, 0.95), 10)})
    metrics.set_agreement({"kappa": 0.5, "ac1": 0.7}, 12)
    metrics.set_rates({"support": {"abstentions": Measured(Estimate(0.1, 0.05, 0.2), 90)}})
    metrics.set_silent_hours({"support": 1})
    metrics.set_releases({("support", "r1"): 1.8e9})
    metrics.set_probes([probe_result()])
    metrics.observe_rows([row(purpose=MISLABELLED_PROBE)])
    metrics.set_redis(up=True)
    metrics.observe_turn()
    metrics.observe_redactions({("support", "email"): 1})
    series = {name for name, _ in samples(metrics)}
    for definition in metrics.definitions:
        asked = set(re.findall(r"groundwatch_\w+", definition.query))
        assert asked, definition.name
        assert asked <= series, definition.name


def probe_result(**fields: Any) -> ProbeResult:
    share = Share(0.5, 0.25, 0.75, 4, (2, 0, 0, 0, 0, 0, 0, 0, 0, 2))
    known: dict[str, Any] = {
        "app": "support", "release": "r1", "run": "probe-r1", "at_ms": 5_000, "k": 5,
        "questions": 6, "failed": 1, "lost": 2, "answered": 1,
        "shares": {"recall@5": share, "findings": share},
    }  # fmt: skip
    return ProbeResult(**(known | fields))


def test_the_last_probe_of_each_app_is_shown_and_an_older_one_goes() -> None:
    metrics = Metrics()
    metrics.set_probes([probe_result()])
    place = {"app": "support", "release": "r1"}
    assert value(metrics, "probe_measure", measure="recall", statistic="low", **place) == 0.25
    assert value(metrics, "probe_questions", state="answered", **place) == 5
    assert value(metrics, "probe_questions", state="failed", **place) == 1
    assert value(metrics, "probe_critical_without_hit", **place) == 2
    assert value(metrics, "probe_unanswerable_answered", **place) == 1
    assert value(metrics, "probe_finished_timestamp_seconds", **place) == 5
    assert 'measure="findings"' not in metrics.exposition()[0].decode(), "no closed set holds it"
    metrics.set_probes([probe_result(release="r2", lost=0)])
    told = metrics.exposition()[0].decode()
    assert 'groundwatch_probe_critical_without_hit{app="support",release="r2"} 0.0' in told
    assert 'probe_critical_without_hit{app="support",release="r1"}' not in told


def test_the_reference_is_current() -> None:
    path = ROOT / "docs" / "metrics.md"
    assert path.read_text(encoding="utf-8") == reference(), (
        "write it again: python -m service.metrics > docs/metrics.md"
    )


def test_the_module_writes_the_reference() -> None:
    written = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "service.metrics"],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True, timeout=30,
    )  # fmt: skip
    assert written.stdout == reference()
