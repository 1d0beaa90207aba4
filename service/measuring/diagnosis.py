"""Whose fault a wrong answer is: of retrieval, of generation, of the source, or of nobody. Pure.

The four diagnoses are evidence in the context × answer correct. *Correct* is held against the
expected facts, *faithful* against the context: two judgements, so that an answer that says
faithfully what a wrong or outdated source says can be told from a misreading.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from service.checks.abstention import ANSWER, CLARIFY
from service.measuring.facts import Fact, Met
from service.measuring.questions import Behaviour


class Diagnosis(StrEnum):
    """Of one question; the gravest first."""

    INVENTED_ANSWER = "invented_answer"
    """The question has no answer in the corpus, or must not get one, and got one. Severe."""
    SOURCE_WRONG = "source_wrong"
    """Faithful but wrong, and the context does not say what is expected, though all that is needed
    was there: the source is wrong or outdated (or the expected fact is)."""
    GENERATION_FAILURE = "generation_failure"
    """All that is needed was in the context, and the answer is wrong."""
    RETRIEVAL_FAILURE = "retrieval_failure"
    """Something that is needed was not in the context, and the answer is wrong."""
    WRONG_BEHAVIOUR = "wrong_behaviour"
    """It neither invented an answer nor did what was expected: declined instead of asking back, or
    said nothing at all."""
    CORRECT_WITHOUT_EVIDENCE = "correct_without_evidence"
    """Right, but not from what was retrieved: by luck, from memory, or the label lacks a ref."""
    SUCCESS = "success"


SEVERE = frozenset({Diagnosis.INVENTED_ANSWER})
GRAVITY = tuple(Diagnosis)
"""The gravest first."""


def correctness(behaviour: Behaviour, label: str, facts: Sequence[tuple[Fact, Met]]) -> bool | None:
    """Whether an answer is correct; None where that is undetermined, as without any fact.

    ``label``: what the check ``abstention`` called the answer, empty where it was not evaluated. A
    question that is not to be answered is answered correctly by declining, one that needs more from
    the user (``clarify``) by asking back; of the facts, only forbidden ones count there.
    """
    if any(met is Met.NOT_MET and (fact.absent or behaviour == "answer") for fact, met in facts):
        return False
    if behaviour != "answer":
        return None if not label else _declined(behaviour, label)
    states = any(met is Met.MET and not fact.absent for fact, met in facts)
    if label not in ("", ANSWER) and not states:
        return False
    if not facts or any(met is Met.UNDETERMINED for _, met in facts):
        return None
    return True


def _declined(behaviour: Behaviour, label: str) -> bool:
    return label == CLARIFY if behaviour == "clarify" else label != ANSWER


def diagnose(
    behaviour: Behaviour,
    label: str,
    evidence: bool | None,
    correct: bool | None,
    faithful: bool | None = None,
    source_says: bool = False,
) -> Diagnosis | None:
    """None where it cannot be told. ``evidence``: whether all refs that are needed were in the
    context; None where the target does not say what was. ``faithful``: None where nobody judged.
    ``source_says``: whether the context states what the answer lacks; then to have said something
    else, however faithfully, is no fault of the source."""
    if correct is None:
        return None
    if behaviour != "answer":
        if correct:
            return Diagnosis.SUCCESS
        return Diagnosis.INVENTED_ANSWER if label == ANSWER else Diagnosis.WRONG_BEHAVIOUR
    if evidence is None:
        return None
    if correct:
        return Diagnosis.SUCCESS if evidence else Diagnosis.CORRECT_WITHOUT_EVIDENCE
    if not evidence:
        return Diagnosis.RETRIEVAL_FAILURE
    says_the_source = faithful is True and not source_says and label in ("", ANSWER)
    return Diagnosis.SOURCE_WRONG if says_the_source else Diagnosis.GENERATION_FAILURE
