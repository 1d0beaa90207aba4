"""How often a check was right, by the people who opened its cases."""

from __future__ import annotations

import random
from typing import Any

import pytest

from service.estimates.estimate import Estimate
from service.estimates.precision import Precision, precisions
from service.estimates.wilson import wilson
from service.review.labels import FindingCall, FindingLabel, Label, Why
from service.review.standing import standing_everywhere
from tests.unit.review.histories import History


def real(check: str = "numbers", reason: str = "absent") -> FindingLabel:
    return FindingLabel(check, reason, "54", 3, FindingCall.REAL)


def false_alarm(why: Why | None = None, check: str = "numbers") -> FindingLabel:
    return FindingLabel(check, "absent", "54", 3, FindingCall.FALSE_ALARM, why)


def case(number: int, *findings: FindingLabel, group: str = "", **context: Any) -> History:
    history = History(f"case:c{number}", **context)
    history.label(Label(findings=findings), group=group)
    return history


def stands(*cases: History):
    return standing_everywhere([change for one in cases for change in one.changes])


def test_real_of_all_that_people_called() -> None:
    cases = [case(n, real()) for n in range(17)]
    cases += [case(17 + n, false_alarm(Why.FORMAT)) for n in range(3)]
    row = precisions(stands(*cases))["numbers",]
    assert (row.real, row.false_alarms, row.findings, row.cases) == (17, 3, 20, 20)
    assert row.precision == Estimate(0.85, *wilson(17, 20))
    assert row.false_alarm_rate.value == pytest.approx(0.15)
    assert (row.false_alarm_rate.low, row.false_alarm_rate.high) == pytest.approx(
        (0.052368745896216595, 0.3604188647407569)
    ), "statsmodels on 3 of 20"
    assert row.why == {"format": 3}


def test_what_nobody_opened_counts_for_nothing() -> None:
    opened, bulk = case(1, real()), [case(n, false_alarm(), group="g1") for n in range(2, 50)]
    row = precisions(stands(opened, *bulk))["numbers",]
    assert (row.real, row.false_alarms) == (1, 0)


def test_a_bulk_label_that_somebody_opened_and_corrected_counts() -> None:
    history = case(1, false_alarm(), group="g1")
    history.label(Label(findings=(real(),)), "ben")
    assert precisions(stands(history))["numbers",].real == 1


def test_skips_and_what_was_taken_back_count_for_nothing() -> None:
    skipped, undone = History("case:c1"), case(2, real())
    skipped.label(Label(findings=(real(),), skipped=True))
    undone.undo(1, None)
    assert precisions(stands(skipped, undone)) == {}


def test_rows_by_check_reason_and_ruleset() -> None:
    old = case(1, real(), false_alarm(check="citations"), ruleset="1.a")
    new = case(2, real(reason="unit_mismatch"), ruleset="2.b")
    rows = precisions(stands(old, new), ("check", "reason", "ruleset"))
    assert {cut: (row.real, row.false_alarms) for cut, row in rows.items()} == {
        ("citations", "absent", "1.a"): (0, 1),
        ("numbers", "absent", "1.a"): (1, 0),
        ("numbers", "unit_mismatch", "2.b"): (1, 0),
    }


def test_without_a_called_finding_nothing_is_said() -> None:
    assert Precision().precision == Estimate(None)
    assert precisions(stands(case(1))) == {}


def test_findings_of_one_case_are_worth_less_than_as_many_cases() -> None:
    apart = precisions(stands(*(case(n, real()) for n in range(12))))["numbers",]
    together = precisions(stands(case(1, *[real()] * 12)))["numbers",]
    assert (apart.effective, together.effective) == (12, 1)
    assert together.precision == Estimate(1.0, *wilson(1, 1))
    uneven = precisions(stands(case(1, *[real()] * 4), case(2, real()), case(3, real())))
    assert uneven["numbers",].effective == pytest.approx(36 / 18)


def coverage(draw: random.Random, alike: bool, truth: float = 0.85) -> float:
    """How often the interval holds the truth, in 400 samples of 60 cases with 1 to 5 findings.
    ``alike``: those of one case are all real, or all false alarms."""
    hits = 0
    for _ in range(400):
        row = Precision()
        for number in range(60):
            chance = draw.random()
            for _ in range(draw.randint(1, 5)):
                found = (chance if alike else draw.random()) < truth
                row.real += found
                row.false_alarms += not found
                row.by_case[f"case:{number}"] += 1
        estimate = row.precision
        assert estimate.low is not None
        assert estimate.high is not None
        hits += estimate.low <= truth <= estimate.high
    return hits / 400


def test_the_interval_covers_where_findings_of_a_case_are_alike() -> None:
    """95 % is wanted; plain Wilson over the findings covers 72 % here."""
    assert coverage(random.Random(5), alike=True) >= 0.93
    assert coverage(random.Random(6), alike=False) >= 0.95, "wider than need be"
