"""Gates on their border: just within, just beyond, and not to be decided."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from service.estimates.bounds import Outcome, worst
from service.estimates.differences import against
from service.estimates.rates import Rate, Rates, rates_of
from service.estimates.strata import Stratum
from service.measuring.gate_reports import junit, markdown, verdict_lines
from service.measuring.gates import (
    Ruling,
    UnknownMeasure,
    Verdict,
    rule_on_measure,
    rule_on_rate,
    rule_on_ratio,
    rule_on_regression,
)
from service.measuring.rules import MeasureRule, RateRule, RegressionRule
from tests.unit.measuring.made_runs import made_run, with_outcomes


def hits(right: int, of: int, unmeasured: int = 0):
    values = [1.0] * right + [0.0] * (of - right) + [None] * unmeasured
    return made_run({f"q-{i}": {"hit@5": value} for i, value in enumerate(values)})


AT_LEAST = MeasureRule(measure="hit@5", of="run.jsonl", at_least=0.9)


@pytest.mark.parametrize(
    ("right", "of", "state"),
    [
        (27, 30, Outcome.PASS),  # 0.9 exactly
        (26, 30, Outcome.FAIL),
        (29, 29, Outcome.UNDECIDED),  # one question too few, however good
        (0, 29, Outcome.UNDECIDED),
    ],
)
def test_a_question_set_is_decided_by_its_mean_from_min_n_on(
    right: int, of: int, state: Outcome
) -> None:
    assert rule_on_measure(AT_LEAST, hits(right, of)).state is state


def test_at_most_is_the_other_side_of_the_border() -> None:
    rule = MeasureRule(measure="hit@5", of="r", at_most=0.9, min_n=10)
    assert rule_on_measure(rule, hits(9, 10)).state is Outcome.PASS
    assert rule_on_measure(rule, hits(10, 10)).state is Outcome.FAIL


def test_questions_without_a_value_do_not_make_up_the_number() -> None:
    found = rule_on_measure(AT_LEAST, hits(29, 29, unmeasured=5))
    assert found.state is Outcome.UNDECIDED
    assert "5 more have no value" in found.told


@pytest.mark.parametrize(
    ("right", "unanswered", "state"),
    [
        (40, 4, Outcome.PASS),  # 40 of 44 would do
        (40, 5, Outcome.UNDECIDED),  # 40 of 45 would not
        (35, 5, Outcome.FAIL),
    ],
)
def test_what_got_no_answer_makes_no_pass(right: int, unanswered: int, state: Outcome) -> None:
    run = hits(right, 40, unmeasured=unanswered)
    away = {f"q-{40 + i}": {"error": "timeout"} for i in range(unanswered)}
    assert rule_on_measure(AT_LEAST, with_outcomes(run, away)).state is state
    assert rule_on_measure(AT_LEAST, run).state is (Outcome.FAIL if right < 36 else Outcome.PASS)


def test_a_ceiling_is_not_known_to_hold_for_what_got_no_answer() -> None:
    rule = MeasureRule(measure="hit@5", of="r", at_most=0.9, min_n=10)
    away = with_outcomes(hits(9, 10, unmeasured=1), {"q-10": {"error": "timeout"}})
    found = rule_on_measure(rule, away)
    assert found.state is Outcome.UNDECIDED
    assert "1 of them for want of an answer" in found.told


def test_a_rule_may_speak_of_critical_questions_or_of_a_tag() -> None:
    run = with_outcomes(hits(1, 2), {"q-0": {"critical": True}, "q-1": {"tags": ("billing",)}})
    critical = MeasureRule(measure="hit@5", of="r", at_least=0.9, min_n=1, questions="critical")
    assert rule_on_measure(critical, run).state is Outcome.PASS
    tagged = MeasureRule(measure="hit@5", of="r", at_least=0.9, min_n=1, tag="billing")
    assert rule_on_measure(tagged, run).state is Outcome.FAIL


def test_a_measure_that_the_run_does_not_have_is_an_error_in_words() -> None:
    rule = MeasureRule(measure="recal@5", of="run.jsonl", at_least=0.9)
    with pytest.raises(
        UnknownMeasure, match=r"run.jsonl: no question has the measure recal@5.*hit"
    ):
        rule_on_measure(rule, hits(1, 1))


NO_REGRESSION = RegressionRule(no_regression_of="hit@5", of="new", against="old")
CRITICAL = NO_REGRESSION.model_copy(update={"questions": "critical"})


def test_one_question_that_lost_its_hit_fails_by_name_though_the_mean_rose() -> None:
    old = made_run({"a": {"hit@5": 1.0}, "b": {"hit@5": 0.0}, "c": {"hit@5": 0.0}})
    new = made_run({"a": {"hit@5": 0.0}, "b": {"hit@5": 1.0}, "c": {"hit@5": 1.0}})
    found = rule_on_regression(NO_REGRESSION, new, old)
    assert (found.state, found.questions) == (Outcome.FAIL, ("a",))
    assert rule_on_regression(NO_REGRESSION, old, old).state is Outcome.PASS


def test_a_question_that_either_run_calls_critical_counts() -> None:
    old = made_run({"a": {"hit@5": 1.0}, "b": {"hit@5": 1.0}})
    new = made_run({"a": {"hit@5": 0.0}, "b": {"hit@5": 1.0}})
    critical = {"a": {"critical": True}}
    assert rule_on_regression(CRITICAL, new, with_outcomes(old, critical)).state is Outcome.FAIL
    assert rule_on_regression(CRITICAL, with_outcomes(new, critical), old).state is Outcome.FAIL
    other = {"b": {"critical": True}}
    assert rule_on_regression(CRITICAL, with_outcomes(new, other), old).state is Outcome.PASS


def test_what_was_not_measured_again_is_no_pass() -> None:
    old = made_run({"a": {"hit@5": 1.0}, "b": {"hit@5": 1.0}})
    for new in (
        made_run({"a": {"hit@5": 1.0}}),
        made_run({"a": {"hit@5": 1.0}, "b": {"hit@5": None}}),
    ):
        found = rule_on_regression(NO_REGRESSION, new, old)
        assert (found.state, found.questions) == (Outcome.UNDECIDED, ("b",))
    assert rule_on_regression(CRITICAL, old, old).state is Outcome.UNDECIDED


def of(failed: int, answers: int) -> Rates:
    return rates_of({"citations:failed_answers": failed, "citations:answers": answers})


@pytest.mark.parametrize(
    ("bound", "state"),
    [("high", Outcome.PASS), ("below high", Outcome.UNDECIDED), ("low", Outcome.UNDECIDED),
     ("below low", Outcome.FAIL)],
)  # fmt: skip
def test_a_live_rate_is_decided_by_its_interval(bound: str, state: Outcome) -> None:
    low, high = Rate.of(8, 200).estimate.low, Rate.of(8, 200).estimate.high
    assert low is not None
    assert high is not None
    at_most = {"high": high, "below high": high - 1e-6, "low": low, "below low": low - 1e-6}[bound]
    found = rule_on_rate(RateRule(rate="unresolved", at_most=at_most), of(8, 200))
    assert found.state is state
    assert ("answers would" in found.told) == (state is Outcome.UNDECIDED)


@pytest.mark.parametrize(
    ("floor", "state"),
    [(0.01, Outcome.PASS), (0.04, Outcome.UNDECIDED), (0.2, Outcome.FAIL)],
)
def test_at_least_turns_the_interval_round(floor: float, state: Outcome) -> None:
    assert rule_on_rate(RateRule(rate="unresolved", at_least=floor), of(8, 200)).state is state


def test_more_confidence_decides_less() -> None:
    found = against(Rate.of(8, 200), 0.0)
    assert found is not None
    rule = RateRule(rate="unresolved", at_most=found.high)
    assert rule_on_rate(rule, of(8, 200)).state is Outcome.PASS
    sure = rule.model_copy(update={"confidence": 0.99})
    assert rule_on_rate(sure, of(8, 200)).state is Outcome.UNDECIDED
    assert rule_on_rate(rule, of(0, 0)).state is Outcome.UNDECIDED


RATIO = RateRule(rate="unresolved", at_most_ratio=1.1, margin=0.002)
HERE = Stratum("support", "1-a", "de")


@pytest.mark.parametrize(
    ("new", "old", "state"),
    [
        ((0, 20_000), (0, 20_000), Outcome.PASS),  # 0 against 0, by the margin
        ((0, 50), (0, 50), Outcome.UNDECIDED),
        ((20, 1_000), (20, 1_000), Outcome.UNDECIDED),
        ((60, 1_000), (20, 1_000), Outcome.FAIL),
        ((200, 100_000), (400, 100_000), Outcome.PASS),
    ],
)
def test_a_release_is_held_against_the_one_before(
    new: tuple[int, int], old: tuple[int, int], state: Outcome
) -> None:
    found = rule_on_ratio(RATIO, "r2", {HERE: of(*new)}, "r1", {HERE: of(*old)})
    assert found.state is state
    assert found.n == new[1] + old[1]


def test_another_ruleset_decides_nothing() -> None:
    other = Stratum("support", "2-b", "de")
    found = rule_on_ratio(RATIO, "r2", {other: of(5, 9)}, "r1", {HERE: of(0, 9)})
    assert found.state is Outcome.UNDECIDED
    assert "under one ruleset" in found.told


def test_a_gate_fails_before_it_is_undecided() -> None:
    assert worst([Outcome.PASS, Outcome.UNDECIDED, Outcome.FAIL]) is Outcome.FAIL
    assert worst([Outcome.PASS, Outcome.UNDECIDED]) is Outcome.UNDECIDED
    assert worst([Outcome.PASS]) is Outcome.PASS


HOSTILE = "q|<b>\x1b[2J`x`"
VERDICT = Verdict(
    "nightly",
    Outcome.FAIL,
    (Ruling("recall", Outcome.PASS, "0.95 over 30 questions"),
     Ruling("hits", Outcome.FAIL, f"1 of 30 regressed: {HOSTILE}", questions=(HOSTILE,)),
     Ruling("rate", Outcome.UNDECIDED, "can't tell")),
    "r2",
)  # fmt: skip


def test_junit_shows_what_failed_and_what_is_undecided() -> None:
    suite = ElementTree.fromstring(junit([VERDICT]))[0]  # noqa: S314 (our own)
    assert suite.attrib == {"name": "nightly", "tests": "3", "failures": "1", "errors": "1"}
    assert [child.tag for case in suite for child in case] == ["system-out", "failure", "error"]
    assert "q|<b>�[2J`x`" in str(suite[1][0].text)


def test_markdown_shows_names_as_text() -> None:
    text = markdown([VERDICT])
    assert "### ✗ Gate nightly: fail · release r2" in text
    assert "q\\|&lt;b>�\\[2J\\`x\\`" in text
    assert "| ? undecided | rate |" in text
    assert next(iter(verdict_lines([VERDICT]))) == "nightly: fail (release r2)"
