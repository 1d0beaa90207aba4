"""Test cases of the answer step: checkable, complete, with what people agree on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.checking import check_line
from service.exporting.answer_cases import INCOMPLETE, cases_export
from service.exporting.part import EXPIRED
from service.policy import Policy
from service.review.labels import (
    AnswerCall,
    Behaviour,
    Fault,
    FindingCall,
    FindingLabel,
    Label,
    Why,
)
from tests.unit.exporting.made import EVENT, Made, case, task
from tests.unit.review.histories import History

REAL = FindingLabel("numbers", "absent", "54 €", 13, FindingCall.REAL)
FALSE = FindingLabel("citations", "form", "[x]", None, FindingCall.FALSE_ALARM, Why.FORMAT)
LABEL = Label(
    (REAL, FALSE), AnswerCall.WRONG, Fault.GENERATION, Behaviour.ANSWER, needed=("pricing#plans",)
)


@pytest.fixture
def made() -> Made:
    made = Made()
    made.add(History("case:c1")).label(LABEL)
    made.cases["c1"] = case("c1", EVENT)
    return made


def only(made: Made) -> dict[str, Any]:
    (line,) = made.lines(cases_export())
    return json.loads(line)


def test_a_case_holds_the_chunks_and_what_people_expect(made: Made) -> None:
    found = only(made)
    assert found["event"]["retrieved"] == EVENT["retrieved"]
    assert found["event"]["query"] == EVENT["query"]
    assert found["checks"] == ["numbers"], "a false alarm asks nothing of a new answer"
    assert found["expect"] == {"behaviour": "answer", "needed": ["pricing#plans"]}
    recorded = found["recorded"]
    assert (recorded["call"], recorded["fault"], recorded["grounded"]) == (
        "wrong", "generation", None,
    )  # fmt: skip
    assert [(f["check"], f["call"], f["why"]) for f in recorded["findings"]] == [
        ("numbers", "real", None), ("citations", "false_alarm", "format"),
    ]  # fmt: skip
    assert (found["labels"], found["disputed"]) == (1, [])


def test_check_reads_it_and_a_mended_answer_passes(made: Made) -> None:
    line = only(made)
    assert check_line(json.dumps(line), Policy())["checks"]["numbers"] == "fail"
    line["event"]["answer"] = "Im Pro-Tarif 45 € [pricing#plans]."
    assert check_line(json.dumps(line), Policy())["checks"]["numbers"] == "pass"


def test_who_asked_and_when_stays_here(made: Made) -> None:
    event = only(made)["event"]
    assert event["user"] == {"tenant": "acme", "groups": ["staff"]}, "the access check needs these"
    assert not {"session_id", "tags"} & set(event)


def test_what_people_do_not_agree_on_is_not_expected(made: Made) -> None:
    labels = made.add(History("task:c1", at_ms=50_000))
    made.tasks["c1"] = task("c1", EVENT, "done")
    labels.label(Label(answer=AnswerCall.WRONG, behaviour=Behaviour.CLARIFY), "ben")
    found = only(made)
    assert found["expect"]["behaviour"] is None
    assert found["recorded"]["call"] == "wrong"
    assert (found["labels"], found["disputed"]) == (2, ["behaviour"])


def test_what_nobody_opened_is_no_test_case(made: Made) -> None:
    made.add(History("case:c2", at_ms=10_000)).label(LABEL, group="g1")
    made.cases["c2"] = case("c2", EVENT)
    assert only(made)["id"] == "c1"


@pytest.mark.parametrize(
    ("event", "reduced", "written"),
    [
        (EVENT | {"retrieved": [{"ref": "a", "text": None}]}, False, 0),
        (EVENT | {"retrieved": [{"ref": "a", "text": None, "in_prompt": False}]}, False, 1),
        (EVENT, True, 0),
    ],
)
def test_only_whole_answers_are_test_cases(
    made: Made, event: dict[str, Any], reduced: bool, written: int
) -> None:
    made.cases["c1"] = case("c1", event, reduced)
    export = cases_export()
    assert len(made.lines(export)) == written
    assert export.left[INCOMPLETE] == 1 - written


def test_what_has_expired_is_counted(made: Made) -> None:
    made.cases.clear()
    export = cases_export()
    assert made.lines(export) == []
    assert +export.left == {EXPIRED: 1}
