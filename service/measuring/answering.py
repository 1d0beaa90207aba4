"""The answer step with retrieval held fixed: each case's own chunks go to the answer endpoint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from service.checks.model import Outcome as CheckOutcome
from service.checks.model import Severity
from service.estimates.wilson import wilson
from service.measuring.answered import Answered, Expectation
from service.measuring.cases import AnswerCase
from service.measuring.rating import Rating
from service.measuring.runs import Outcome
from service.measuring.system import answer_fields, answer_measures, as_number, diagnosis_of
from service.measuring.targets.port import TargetRequest


def expectation_of(case: AnswerCase, run: str) -> Expectation:
    event = case.event
    return Expectation(
        TargetRequest(
            event.query,
            case.case_id,
            run,
            event.language,
            retrieved=case.told["retrieved"],
            context=[{"kind": "user"} | item for item in case.told.get("context", ())],
        ),
        event.app,
        case.behaviour,
        case.facts,
    )


@dataclass(frozen=True, slots=True)
class Ruled:
    """``passed``: None where that is undetermined; ``why``: one line a fault, or why nobody can
    tell."""

    case: AnswerCase
    answered: Answered
    passed: bool | None
    why: tuple[str, ...]
    outcome: Outcome


def ruled(cases: Sequence[AnswerCase], answered: Iterable[Answered]) -> list[Ruled]:
    """One a case, in order. ``answered``: of these cases, in this order."""
    return [_ruled(case, one) for case, one in zip(cases, answered, strict=True)]


def _ruled(case: AnswerCase, answered: Answered) -> Ruled:
    got = answered.got
    if not isinstance(got, Rating):
        return Ruled(case, answered, None, (got.message,), _outcome(case, answered, None))
    faults = tuple(_faults(case, got))
    doubts = tuple(_doubts(case, got))
    passed = False if faults else None if doubts else True
    return Ruled(case, answered, passed, faults or doubts, _outcome(case, answered, passed))


def _faults(case: AnswerCase, rating: Rating) -> Iterable[str]:
    for fact in rating.unmet:
        yield f"says what it must not: {fact.words}" if fact.absent else f"lacks: {fact.words}"
    if rating.correct is False and not rating.unmet:
        yield f"expected {case.behaviour}, got {rating.label or 'an answer'}"
    for check in case.checks:
        result = rating.results.get(check)
        if result is not None and result.outcome is CheckOutcome.FAIL:
            yield f"fails {check}, as the former answer did"
    for finding in rating.findings:
        if finding.severity is Severity.HIGH and finding.check not in case.checks:
            yield f"{finding.check}: {finding.reason}"
    if rating.faithful is False:
        yield "not faithful to its chunks"


def _doubts(case: AnswerCase, rating: Rating) -> Iterable[str]:
    for fact in rating.undetermined:
        yield f"undetermined: {fact.words}"
    is_expected = bool(case.facts or case.checks or case.behaviour != "answer")
    if not is_expected and rating.faithful is None:
        yield "nothing is expected of it: give it facts, or configure a judge"


def _outcome(case: AnswerCase, answered: Answered, passed: bool | None) -> Outcome:
    got = answered.got
    told = answer_fields(got) if isinstance(got, Rating) else {"error": got.reason.value}
    needed = dict.fromkeys(case.needed, 1.0)
    return Outcome(
        query_id=case.case_id,
        query=case.event.query,
        tags=case.tags,
        language=case.event.language,
        critical=case.critical,
        behaviour=case.behaviour,
        relevant=needed,
        retrieved=tuple(chunk.ref for chunk in case.event.retrieved),
        measures={"passed": as_number(passed)} | answer_measures(got),
        diagnosis=diagnosis_of(needed, answered),
        **told,
    )


@dataclass(frozen=True, slots=True)
class PassRate:
    """``decided`` = passed + failed; [low, high]: the 95 % Wilson interval of passed / decided.
    ``undecided``: by reason, in no rate."""

    passed: int
    decided: int
    low: float
    high: float
    undecided: dict[str, int]


def pass_rate(found: Iterable[Ruled]) -> PassRate:
    found = list(found)
    passed = sum(one.passed is True for one in found)
    decided = sum(one.passed is not None for one in found)
    undecided = Counter(_why_undecided(one) for one in found if one.passed is None)
    return PassRate(passed, decided, *wilson(passed, decided), dict(undecided))


def _why_undecided(one: Ruled) -> str:
    if not isinstance(one.answered.got, Rating):
        return f"no answer ({one.answered.got.reason.value})"
    return "undetermined" if one.answered.got.undetermined else "nothing expected"
