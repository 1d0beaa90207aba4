"""Every check of an answer: order of ownership, disabled checks, checks that raise."""

from __future__ import annotations

from typing import Any, NoReturn, get_args

import pytest

from service.checks import (
    CHECKS,
    TOGETHER,
    citations,
    numbers,
    run_checks,
    run_together,
    running,
)
from service.checks.citations import read
from service.checks.model import CheckInput, CheckResult, NotEvaluated, Outcome
from service.policy import AppPolicy, CheckName
from tests.unit.answers import as_event

SECRET = "ada@example.org wrote that"


def given(answer: str, **policy: Any) -> CheckInput:
    event = as_event(
        {
            "event_id": "e1",
            "query": "How long?",
            "retrieved": [{"ref": "kb-101", "text": "Backups are kept for 35 days."}],
            "answer": answer,
        }
    )
    texts = tuple(chunk.text for chunk in event.retrieved)
    return CheckInput(event, texts, AppPolicy(**policy))


def test_every_check_has_one_result_in_order() -> None:
    results = run_checks(given("They are kept for 35 days [1]."))

    assert tuple(results) == CHECKS == get_args(CheckName)
    assert results["citations"].outcome is results["numbers"].outcome is Outcome.PASS
    failed = [name for name, result in results.items() if result.outcome is Outcome.FAIL]
    assert failed == []


def test_what_citations_own_is_no_number() -> None:
    results = run_checks(given("They are kept for 35 days [9]."))

    assert results["citations"].outcome is Outcome.FAIL
    assert results["numbers"].outcome is Outcome.PASS
    assert results["numbers"].evaluated == 1


@pytest.mark.parametrize(
    ("answer", "links", "found"),
    [
        ("1,234.56https://a.example/c", ["https://a.example/c"], ["1,234.56"]),
        ("At 12:30a@b.example today.", ["30a@b.example"], ["12"]),
        ("Am 1. Jan. 2026a@b.example schon.", ["2026a@b.example"], ["1. Jan"]),
        ("It takes 5 m@x.example then.", ["m@x.example"], ["5"]),
        ("5 kghttps://a.example/c, 6 kg", ["https://a.example/c"], ["5", "6 kg"]),
    ],
)
def test_a_number_ends_where_a_link_begins(answer: str, links: list[str], found: list[str]) -> None:
    results = run_checks(given(answer))

    owned = {
        name: [answer[start:end] for start, end in results[name].owned]
        for name in ("links", "numbers")
    }
    assert owned == {"links": links, "numbers": found}
    assert [finding.surface for finding in results["numbers"].findings] == found


def test_owned_spans_reach_the_numbers_check(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []

    def check(given: CheckInput, owned: object = (), reading: object = None) -> CheckResult:
        seen.append(owned)
        return CheckResult(Outcome.PASS)

    monkeypatch.setattr(numbers, "check", check)
    run_checks(given("Text [1]."))

    assert seen == [((5, 8),)]


def test_a_disabled_check_is_not_run() -> None:
    results = run_checks(given("41 days [9].", disabled_checks=frozenset({"citations"})))

    assert results["citations"] == CheckResult(Outcome.DISABLED)
    assert results["numbers"].outcome is Outcome.FAIL


def test_a_reading_is_passed_on() -> None:
    case = given("Text [9].")
    other = read(given("Text.").event, case.policy.citations)

    assert run_checks(case, other)["citations"].outcome is Outcome.NOT_APPLICABLE


def test_a_check_that_raises_is_an_error_of_that_check_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def check(*_: object) -> NoReturn:
        raise KeyError(SECRET)

    monkeypatch.setattr(citations, "check", check)
    results = run_checks(given(f"{SECRET} 35 days [1]."))

    broken = results["citations"]
    assert broken.outcome is Outcome.NOT_EVALUATED
    assert broken.not_evaluated is NotEvaluated.CHECK_ERROR
    line = check.__code__.co_firstlineno + 1
    assert broken.error == f"KeyError at test_run_checks.py:{line}"
    assert results["numbers"].outcome is Outcome.PASS


def test_exhausted_recursion_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(*args: object) -> CheckResult:
        return check(*args)

    monkeypatch.setattr(numbers, "check", check)
    error = run_checks(given("35 days [1]."))["numbers"].error

    assert error is not None
    assert error.startswith("RecursionError at test_run_checks.py:")


def test_an_interrupt_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(citations, "check", check)
    with pytest.raises(KeyboardInterrupt):
        run_checks(given("Text."))


def test_the_registry_covers_the_names() -> None:
    assert set(running._CHECKS) == set(CHECKS)


def test_answers_that_are_checked_together_keep_their_own_spans_readings_and_policies() -> None:
    few: list[tuple[CheckInput, citations.CitationReading | None]] = [
        (given(f"They are kept for {days} days [{mark}]."), None)
        for days, mark in ((35, 1), (35, 9), (41, 1), (41, 9))
    ]
    few.append((given("41 days [9].", disabled_checks=frozenset({"citations"})), None))
    few.append((given("35 days [9]."), citations.CitationReading()))
    assert len(few) <= TOGETHER

    together = run_together(few)

    assert together == [run_checks(case, reading) for case, reading in few]
    assert len({str(results) for results in together}) == len(few)
    assert run_together([]) == []
