"""Compact rows as a sample of all answers."""

from __future__ import annotations

from typing import Any

import pytest

from service.judging.rates import JudgedSample, judged_by_app, judged_rates


def row(**parts: Any) -> dict[str, Any]:
    return {
        "app": "support", "hour": 10, "status": "judged", "pi": 0.25, "sufficient": True,
        "partial": False, "claims": {"supported": 3, "missing": 1, "not_a_claim": 5},
    } | parts  # fmt: skip


def test_faithfulness_is_the_share_of_supported_claims() -> None:
    found = judged_by_app([row()], range(10, 11))["support"]
    assert found.faithfulness == [(0.75, 0.25)]
    assert found.sufficiency == [(1.0, 0.25)]


def test_bad_claims_are_counted_of_all_that_are_claims() -> None:
    claims = {"supported": 2, "unsupported": 1, "contradicted": 2, "missing": 1, "not_a_claim": 9}
    found = judged_by_app([row(claims=claims)], range(10, 11))["support"]
    assert found.unsupported == [(1, 6, 0.25)]
    assert found.contradicted == [(2, 6, 0.25)]


def test_relevance_and_precision_are_those_that_were_told() -> None:
    rows = [row(relevance="partial_but_useful", precision=0.4), row(precision=None)]
    found = judged_by_app(rows, range(10, 11))["support"]
    assert found.relevance == [(0.7, 0.25)]
    assert found.precision == [(0.4, 0.25)]


def test_a_lower_bound_and_an_answer_without_claims_are_no_faithfulness() -> None:
    rows = [row(partial=True), row(claims={}, sufficient=False)]
    found = judged_by_app(rows, range(10, 11))["support"]
    assert found == JudgedSample([], [(1.0, 0.25), (0.0, 0.25)])


def test_what_was_not_judged_or_not_in_these_hours_is_no_sample() -> None:
    undetermined = row(status="undetermined")
    del undetermined["claims"]
    assert judged_by_app([undetermined, row(hour=9), row(hour=11)], range(10, 11)) == {}


def test_the_rates_are_weighted_and_never_of_zero_width() -> None:
    rows = [row(pi=1.0, claims={"unsupported": 4}), row(pi=0.25, claims={"supported": 1})]
    rates = judged_rates(judged_by_app(rows, range(10, 11))["support"])
    assert rates["faithfulness"].estimate.value == pytest.approx(4 / 5)
    assert rates["unsupported_claims"].estimate.value == pytest.approx(4 / 8)
    assert (rates["contradicted_claims"].estimate.value, rates["contradicted_claims"].answers) == (
        0.0, 2,
    )  # fmt: skip
    for name in ("faithfulness", "unsupported_claims", "contradicted_claims"):
        estimate = rates[name].estimate
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.high - estimate.low > 0.1
    assert rates["relevance"].estimate.value is None
