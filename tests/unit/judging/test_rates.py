"""Compact rows as a sample of all answers."""

from __future__ import annotations

from typing import Any

from service.judging.rates import JudgedSample, judged_by_app


def row(**parts: Any) -> dict[str, Any]:
    return {
        "app": "support", "hour": 10, "status": "judged", "pi": 0.25, "sufficient": True,
        "partial": False, "claims": {"supported": 3, "missing": 1, "not_a_claim": 5},
    } | parts  # fmt: skip


def test_faithfulness_is_the_share_of_supported_claims() -> None:
    assert judged_by_app([row()], range(10, 11)) == {
        "support": JudgedSample([(0.75, 0.25)], [(1.0, 0.25)])
    }


def test_a_lower_bound_and_an_answer_without_claims_are_no_faithfulness() -> None:
    rows = [row(partial=True), row(claims={}, sufficient=False)]
    found = judged_by_app(rows, range(10, 11))["support"]
    assert found == JudgedSample([], [(1.0, 0.25), (0.0, 0.25)])


def test_what_was_not_judged_or_not_in_these_hours_is_no_sample() -> None:
    undetermined = row(status="undetermined")
    del undetermined["claims"]
    assert judged_by_app([undetermined, row(hour=9), row(hour=11)], range(10, 11)) == {}
