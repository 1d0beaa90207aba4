"""Evidence in the context × answer correct, and what lies beside the four."""

from __future__ import annotations

import pytest

from service.measuring.diagnosis import GRAVITY, SEVERE, Diagnosis, correctness, diagnose
from service.measuring.facts import Fact, Met

HOURS, NEVER = Fact(value="72 hours"), Fact(value="48 hours", absent=True)


@pytest.mark.parametrize(
    ("evidence", "correct", "faithful", "expected"),
    [
        (True, True, None, "success"),
        (True, True, False, "success"),
        (True, False, None, "generation_failure"),
        (True, False, False, "generation_failure"),
        (True, False, True, "source_wrong"),
        (False, False, None, "retrieval_failure"),
        (False, False, True, "retrieval_failure"),
        (False, True, None, "correct_without_evidence"),
        (True, None, True, None),
        (None, False, True, None),
    ],
)
def test_of_a_question_that_has_an_answer(evidence, correct, faithful, expected):
    assert diagnose("answer", "answer", evidence, correct, faithful) == expected


def test_what_the_source_says_rightly_is_no_fault_of_the_source():
    told = diagnose("answer", "answer", True, False, True, source_says=True)
    assert told is Diagnosis.GENERATION_FAILURE


def test_a_refusal_is_faithful_to_everything_and_proves_no_wrong_source():
    assert diagnose("answer", "no_answer", True, False, True) is Diagnosis.GENERATION_FAILURE


@pytest.mark.parametrize(
    ("behaviour", "label", "correct", "expected"),
    [
        ("no_answer", "no_answer", True, "success"),
        ("no_answer", "deny", True, "success"),
        ("deny", "no_answer", True, "success"),
        ("no_answer", "answer", False, "invented_answer"),
        ("deny", "answer", False, "invented_answer"),
        ("clarify", "clarify", True, "success"),
        ("clarify", "no_answer", False, "wrong_behaviour"),
        ("no_answer", "", None, None),
    ],
)
def test_of_a_question_that_is_not_to_be_answered(behaviour, label, correct, expected):
    assert correctness(behaviour, label, ()) is correct
    assert diagnose(behaviour, label, None, correct) == expected


@pytest.mark.parametrize(
    ("label", "facts", "correct"),
    [
        ("answer", [(HOURS, Met.MET)], True),
        ("answer", [(HOURS, Met.MET), (NEVER, Met.MET)], True),
        ("answer", [(HOURS, Met.MET), (NEVER, Met.NOT_MET)], False),
        ("answer", [(HOURS, Met.MET), (HOURS, Met.UNDETERMINED)], None),
        ("answer", [(HOURS, Met.NOT_MET), (HOURS, Met.UNDETERMINED)], False),
        ("answer", [], None),
        ("no_answer", [], False),
        ("no_answer", [(NEVER, Met.MET)], False),
        ("no_answer", [(HOURS, Met.UNDETERMINED)], False),
        ("no_answer", [(HOURS, Met.MET)], True),
        ("", [(HOURS, Met.MET)], True),
    ],
)
def test_an_answer_is_correct_where_every_fact_is_met(label, facts, correct):
    assert correctness("answer", label, facts) is correct


def test_of_the_facts_only_forbidden_ones_count_where_no_answer_is_wanted():
    assert correctness("no_answer", "no_answer", [(HOURS, Met.NOT_MET)]) is True
    assert correctness("no_answer", "no_answer", [(NEVER, Met.NOT_MET)]) is False


def test_the_gravest_comes_first():
    assert GRAVITY[0] in SEVERE
    assert GRAVITY[-1] is Diagnosis.SUCCESS
