"""The labelled cases of the further checks, every one of them, as a careful human expects them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from service.checks import (
    abstention,
    access,
    citation_coverage,
    overlap,
    retrieval,
    scope,
)
from service.checks.model import CheckInput, CheckResult, Outcome
from service.events import AnswerEvent, parse_event
from tests.unit.checks.labelled import CASES, POLICY, evaluated, faults

CHECKS: dict[str, Callable[[CheckInput], CheckResult]] = {
    "abstention": abstention.check,
    "access": access.check,
    "citation_coverage": citation_coverage.check,
    "overlap": overlap.check,
    "retrieval": retrieval.check,
    "scope": scope.check,
}
MEASURING = {"overlap", "retrieval", "scope"}


def lines(check: str) -> list[dict[str, Any]]:
    text = (CASES / f"{check}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def given(case: dict[str, Any]) -> CheckInput:
    event = parse_event(json.dumps({"event_id": case["id"], **case["event"]}).encode())
    assert isinstance(event, AnswerEvent), event
    texts = tuple(chunk.text for chunk in event.retrieved)
    return CheckInput(event, texts, POLICY.of(event.app))


def surfaces(result: CheckResult) -> list[str]:
    return sorted(finding.surface for finding in result.findings)


ALL = [pytest.param(check, case, id=case["id"]) for check in CHECKS for case in lines(check)]


@pytest.mark.parametrize("check", sorted(CHECKS))
def test_as_labelled(check: str) -> None:
    """Every line is scored, and as labelled."""
    evaluation = evaluated(check)

    assert faults(evaluation) == []
    assert evaluation.unnamed == 0
    findings, values = evaluation.checks, evaluation.values.checks
    assert {row.split()[0] for row in [*findings, *values]} == {check}
    scored = [score.lines for score in findings.values()]
    scored += [score.lines for score in values.values()]
    assert max(scored) <= len(lines(check)) <= sum(scored)


@pytest.mark.parametrize(("check", "case"), ALL)
def test_surfaces_are_exact_and_what_is_not_expected_is_not_there(
    check: str, case: dict[str, Any]
) -> None:
    """Stricter than the product's scoring, which takes an overlap for a hit."""
    result = CHECKS[check](given(case))

    assert surfaces(result) == sorted(case["expect"].get(check, []))
    assert bool(result.label) == (f"{check}_label" in case["expect"])
    assert result.outcome is not Outcome.NOT_EVALUATED


@pytest.mark.parametrize(("check", "case"), ALL)
def test_offsets_slice_to_the_surface(check: str, case: dict[str, Any]) -> None:
    one = given(case)

    for finding in CHECKS[check](one).findings:
        if finding.start is not None:
            assert one.event.answer[finding.start : finding.end] == finding.surface


@pytest.mark.parametrize("check", sorted(CHECKS))
def test_there_are_enough_cases(check: str) -> None:
    cases = lines(check)

    assert len(cases) >= 40
    assert len({case["id"] for case in cases}) == len(cases)
    assert 3 * sum(case["lang"] == "de" for case in cases) >= len(cases)
    assert all(set(case) == {"id", "lang", "kind", "note", "event", "expect"} for case in cases)


@pytest.mark.parametrize("check", sorted(set(CHECKS) - MEASURING))
def test_half_of_the_cases_are_clean(check: str) -> None:
    cases = lines(check)
    flagged = sum(bool(case["expect"][check]) for case in cases)

    assert 0 < flagged <= len(cases) / 2


@pytest.mark.parametrize("check", sorted(MEASURING))
def test_a_measuring_check_never_fails(check: str) -> None:
    assert all(not CHECKS[check](given(case)).findings for case in lines(check))
