"""The whole system on labelled questions: what each answer was worth, and who owns a wrong one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.estimates.retrieval import retrieval_measures
from service.measuring.answered import Answered, Expectation
from service.measuring.diagnosis import Diagnosis, diagnose
from service.measuring.facts import read_facts
from service.measuring.lists import told_usage
from service.measuring.questions import Question
from service.measuring.rating import Rating
from service.measuring.runs import Outcome
from service.measuring.targets.port import TargetRequest


def expectation_of(question: Question, app: str, k: int, run: str) -> Expectation:
    """Raises :class:`~service.measuring.facts.FactError`."""
    return Expectation(
        TargetRequest(question.query, question.query_id, run, question.language, k),
        question.app or app,
        question.behaviour,
        read_facts(question.facts),
    )


@dataclass(frozen=True, slots=True)
class Measured:
    """One question with its answer and what it comes to."""

    question: Question
    answered: Answered
    outcome: Outcome

    @property
    def rating(self) -> Rating | None:
        got = self.answered.got
        return got if isinstance(got, Rating) else None

    @property
    def evidence(self) -> bool | None:
        return evidence_of(self.question.relevant, self.answered)

    @property
    def missing(self) -> tuple[str, ...]:
        """Needed refs that were not in the context."""
        rating = self.rating
        if rating is None or not self.answered.knows_retrieved:
            return ()
        return tuple(ref for ref in self.question.relevant if ref not in rating.context_refs)


def measured(questions: Sequence[Question], answered: Iterable[Answered], k: int) -> list[Measured]:
    """One a question, in order. ``answered``: of these questions, in this order."""
    return [
        Measured(question, one, _outcome(question, one, k))
        for question, one in zip(questions, answered, strict=True)
    ]


def evidence_of(relevant: Mapping[str, float], answered: Answered) -> bool | None:
    """Whether all refs that are needed reached the model; None where nobody knows what did."""
    got = answered.got
    if not isinstance(got, Rating) or not answered.knows_retrieved:
        return None
    return relevant.keys() <= got.context_refs


def diagnosis_of(relevant: Mapping[str, float], answered: Answered) -> Diagnosis | None:
    got = answered.got
    if not isinstance(got, Rating):
        return None
    evidence = evidence_of(relevant, answered)
    return diagnose(got.behaviour, got.label, evidence, got.correct, got.faithful, got.source_says)


def _outcome(question: Question, answered: Answered, k: int) -> Outcome:
    got = answered.got
    told: dict[str, Any] = {}
    retrieved: tuple[str, ...] = ()
    if isinstance(got, Rating):
        retrieved = tuple(chunk.ref for chunk in got.event.retrieved)
        told = answer_fields(got)
    else:
        told = {"error": got.reason.value}
    is_listed = isinstance(got, Rating) and answered.knows_retrieved
    return Outcome(
        query_id=question.query_id,
        query=question.query,
        tags=question.tags,
        language=question.language,
        critical=question.critical,
        behaviour=question.behaviour,
        relevant=question.relevant,
        retrieved=retrieved,
        measures=_of_retrieval(question, retrieved if is_listed else None, k)
        | answer_measures(got),
        diagnosis=diagnosis_of(question.relevant, answered),
        **told,
    )


def answer_fields(rating: Rating) -> dict[str, Any]:
    """Answer, usage and latency as a run file has them."""
    event = rating.event
    return {"answer": event.answer, "usage": told_usage(event), "latency_ms": event.latency_ms}


def answer_measures(got: Any) -> dict[str, float | None]:
    """``correct``, ``faithful``, ``findings``; all null without an answer."""
    if not isinstance(got, Rating):
        return dict.fromkeys(("correct", "faithful", "findings"))
    return {
        "correct": as_number(got.correct),
        "faithful": as_number(got.faithful),
        "findings": float(len(got.findings)),
    }


def as_number(word: bool | None) -> float | None:
    return None if word is None else float(word)


def _of_retrieval(
    question: Question, retrieved: Sequence[str] | None, k: int
) -> dict[str, float | None]:
    """Null where there is no list, and where there is nothing to find."""
    if retrieved is None or not question.relevant:
        return dict.fromkeys(retrieval_measures((), {"any": 1.0}, k))
    return dict(retrieval_measures(retrieved, question.relevant, k))
