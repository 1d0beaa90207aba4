"""Cases as the export writes them and as people do; who is in the rate, and what passes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.measuring.answered import Answered
from service.measuring.answering import expectation_of, pass_rate, ruled
from service.measuring.cases import LACKS_NEEDED, NEEDED_UNKNOWN, CaseSet, read_cases
from service.measuring.facts import Met
from service.measuring.lines import BadLine
from service.measuring.rating import Rating, rate
from service.measuring.targets.port import FailureReason, TargetAnswer, TargetFailure, event_of
from service.policy import AppPolicy

CHUNK = {"ref": "exports#formats", "text": "Download links are valid for 72 hours."}
EVENT = {"query": "How long is a link valid?", "retrieved": [CHUNK]}
EXPORTED = {
    "format": 1,
    "id": "5f1c",
    "event": EVENT | {"event_id": "01J", "app": "support", "answer": "54 hours.", "user": {}},
    "checks": ["numbers"],
    "expect": {"behaviour": "answer", "needed": ["exports#formats"]},
    "recorded": {"call": "wrong", "fault": None, "grounded": None, "findings": []},
    "disputed": [],
    "labels": 1,
}


def read(*lines: dict[str, Any]) -> CaseSet:
    return read_cases("\n".join(map(json.dumps, lines)).encode(), "cases.jsonl")


def one(**more: Any):
    return read({"id": "c-1", "event": EVENT} | more).cases[0]


def answered(case, answer: str) -> Answered:
    expected = expectation_of(case, "run")
    event = event_of(expected.request, TargetAnswer(answer=answer), expected.app)
    return Answered(expected, rate(event, AppPolicy(), case.facts, case.behaviour))


def outcome(case, answer: str):
    (found,) = ruled([case], [answered(case, answer)])
    return found


def test_an_exported_case_is_asked_with_its_own_chunks():
    (case,) = read(EXPORTED).cases
    request = expectation_of(case, "run").request.as_json()
    assert request["retrieved"] == [CHUNK]
    assert (request["query"], request["query_id"], request["purpose"]) == (
        "How long is a link valid?", "5f1c", "probe",
    )  # fmt: skip
    assert (case.event.app, case.checks, case.needed) == (
        "support", ("numbers",), ("exports#formats",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("expect", "left_out"),
    [
        ({"needed": ["exports#formats"]}, ""),
        ({"needed": ["exports#formats", "exports#other"]}, LACKS_NEEDED),
        ({"needed": []}, ""),
        ({"needed": None}, NEEDED_UNKNOWN),
        ({"needed": None, "behaviour": "no_answer"}, ""),
        ({}, ""),
    ],
)
def test_who_is_in_the_rate(expect, left_out):
    assert one(expect=expect).left_out == left_out


def test_a_chunk_that_did_not_reach_the_model_is_not_there():
    event = EVENT | {"retrieved": [CHUNK | {"in_prompt": False}]}
    assert one(event=event, expect={"needed": ["exports#formats"]}).left_out == LACKS_NEEDED


def test_the_last_line_of_a_case_holds_and_reasons_are_counted():
    found = read(EXPORTED, EXPORTED | {"expect": {"needed": None}}, {"id": "2", "event": EVENT})
    assert (found.replaced, len(found.cases), len(found.measured)) == (1, 2, 1)
    assert found.excluded == {NEEDED_UNKNOWN: 1}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"event": EVENT}, "id: Field required"),
        ({"id": "x", "event": {"query": "?"}}, "event: retrieved: required, but missing"),
        ({"id": "x", "event": EVENT, "fact": []}, "unknown field 'fact'; did you mean facts?"),
        ({"id": "x", "event": EVENT, "facts": [{"value": "soon"}]}, "facts: fact 1: value 'soon'"),
        (
            {"id": "x", "event": EVENT | {"retrieved": [{"ref": "a"}]}},
            "event.retrieved[0]: has no text",
        ),
        ({"id": "x", "event": EVENT, "expect": {"behaviour": "refuse"}}, "expect.behaviour: Input"),
        (
            {"id": "x", "event": EVENT, "checks": ["citatoins"]},
            "checks: unknown check 'citatoins'; did you mean citations?",
        ),
    ],
    ids=["id", "retrieved", "typo", "fact", "text", "behaviour", "check"],
)
def test_a_bad_line_names_file_and_line(line, says):
    with pytest.raises(BadLine) as refused:
        read(EXPORTED, line)
    assert str(refused.value).startswith(f"cases.jsonl, line 2: {says}")


def test_a_number_of_any_size_may_stand_where_nothing_reads_it():
    assert len(read({"id": "x", "event": EVENT | {"build": 10**30}}).cases) == 1


def test_an_empty_file_is_no_set_of_cases():
    with pytest.raises(BadLine, match="no case"):
        read_cases(b"\n", "cases.jsonl")


FACTS = [{"value": "72 hours"}]


@pytest.mark.parametrize(
    ("case", "answer", "passed", "why"),
    [
        (one(facts=FACTS), "Three days [exports#formats].", True, ()),
        (one(facts=FACTS), "48 hours.", False, ("lacks: 72 hours",)),
        (one(facts=FACTS), "Not 72 hours.", None, ("undetermined: 72 hours",)),
        (
            one(facts=[{"value": "72 hours", "absent": True}]), "72 hours.", False,
            ("says what it must not: 72 hours",),
        ),
        (one(facts=FACTS), "I do not know.", False, ("lacks: 72 hours",)),
        (
            one(expect={"behaviour": "no_answer"}), "72 hours.", False,
            ("expected no_answer, got answer",),
        ),
        (one(expect={"behaviour": "no_answer"}), "The documents do not say.", True, ()),
        (one(checks=["numbers"]), "72 hours.", True, ()),
        (
            one(checks=["numbers"]), "54 hours.", False,
            ("fails numbers, as the former answer did",),
        ),
        (one(facts=FACTS), "72 hours [made#up].", False, ("citations: unknown_ref",)),
        (one(), "72 hours.", None,
         ("nothing is expected of it: give it facts, or configure a judge",)),
    ],
    ids=["value", "wrong", "negated", "forbidden", "refused", "invented", "declined", "check",
         "check-again", "grave", "nothing"],
)  # fmt: skip
def test_what_passes_and_why_not(case, answer, passed, why):
    found = outcome(case, answer)
    assert found.passed is passed
    assert found.why[: len(why)] == why
    assert bool(found.why) == bool(why)
    assert found.outcome.measures["passed"] == (None if passed is None else float(passed))


def test_the_rate_is_over_what_was_decided_and_the_others_are_counted_by_reason():
    away = TargetFailure(FailureReason.TIMEOUT, "late")
    cases = [one(facts=FACTS)] * 4 + [one()]
    said = ["72 hours", "three days", "48 hours", "not 72 hours", "72 hours"]
    answers = [answered(case, text) for case, text in zip(cases, said, strict=True)]
    found = ruled([*cases, cases[0]], [*answers, Answered(expectation_of(cases[0], "r"), away)])
    rate = pass_rate(found)
    assert (rate.passed, rate.decided) == (2, 3)
    # Wilson, z = 1.96: (2 + 1.9207 ± 1.96 √(2·1/3 + 0.9604)) / (3 + 3.8415)
    assert (rate.low, rate.high) == pytest.approx((0.2077, 0.9385), abs=1e-4)
    assert rate.undecided == {
        "undetermined": 1, "nothing expected": 1, "no answer (timeout)": 1,
    }  # fmt: skip
    assert found[-1].outcome.error == "timeout"


def test_a_judge_s_word_settles_what_code_left_open():
    case = one(facts=[{"text": "It is short."}, {"text": "It is free.", "absent": True}])
    rating = answered(case, "It is short.").got
    assert isinstance(rating, Rating)
    assert [met for _, met in rating.facts] == [Met.UNDETERMINED] * 2
    assert rating.correct is None
    assert rating.with_stated([True, False]).correct is True
    assert rating.with_stated([True, True]).correct is False
    assert rating.with_stated([None, False]).correct is None
