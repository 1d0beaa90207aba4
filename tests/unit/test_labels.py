"""Labels survive their JSON, and what a policy requires is missed when it is missing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.review.labels import (
    CASE_PARTS,
    PARTS,
    TASK_PARTS,
    Action,
    AnswerCall,
    Change,
    FindingCall,
    FindingLabel,
    Label,
    decode_change,
    decode_label,
    encode_change,
    encode_label,
    missing_parts,
)

labels = st.from_type(Label)
changes = st.builds(
    Change,
    label=st.none() | labels,
    decision=st.none() | st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
    context=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
)


@given(labels)
def test_a_label_survives_its_json(label: Label) -> None:
    assert decode_label(json.loads(json.dumps(encode_label(label)))) == label


@given(changes)
def test_a_change_survives_its_json(change: Change) -> None:
    assert decode_change(json.loads(json.dumps(encode_change(change)))) == change


@pytest.mark.parametrize("broken", [{}, {"answer": "perhaps"}, {"findings": [{}]}])
def test_what_is_no_label_is_refused(broken: dict[str, Any]) -> None:
    data = {**encode_label(Label()), **broken} if broken else {}
    with pytest.raises((KeyError, TypeError, ValueError)):
        decode_label(data)


def test_one_key_settles_a_case() -> None:
    assert missing_parts(Label(), CASE_PARTS) == ("answer",)
    assert missing_parts(Label(answer=AnswerCall.WRONG), CASE_PARTS) == ()


def test_an_audit_asks_for_more_but_for_no_fault_of_a_correct_answer() -> None:
    wrong = Label(answer=AnswerCall.WRONG)
    assert missing_parts(wrong, TASK_PARTS) == ("fault", "needed", "grounded", "helpful")
    correct = Label(answer=AnswerCall.CORRECT)
    assert missing_parts(correct, TASK_PARTS) == ("needed", "grounded", "helpful")
    assert missing_parts(Label(answer=AnswerCall.CORRECT, needed=()), ("needed",)) == ()


def test_all_findings_are_called_where_they_are_required() -> None:
    one = FindingLabel("numbers", "absent", "45", 3, FindingCall.REAL)
    assert missing_parts(Label(findings=(one,)), ("findings",), findings=2) == ("findings",)
    assert missing_parts(Label(findings=(one, one)), ("findings",), findings=2) == ()


def test_a_skipped_one_owes_nothing() -> None:
    assert missing_parts(Label(skipped=True), PARTS, findings=3) == ()


def test_actions_are_a_closed_set() -> None:
    assert {action.value for action in Action} == {
        "labelled", "skipped", "undone", "labelled_in_bulk", "decided", "reopened",
    }  # fmt: skip
