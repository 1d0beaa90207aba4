"""What the judge ruled, joined with what audits say."""

from __future__ import annotations

from typing import Any

import pytest

from service.estimates.confusion import BAD, FINE
from service.estimates.stratified import Labelled, Stratum, stratified
from service.judging.calibration import (
    UNDECIDED,
    Audit,
    Calibration,
    Ruled,
    audit_of,
    calibrate,
    last_version,
    ruled_of,
    share_bad,
)
from service.review.labels import AnswerCall, Grounded, Label
from tests.unit.review.histories import SKIP, History

V1, V2 = "m/one/p", "m/two/p"


def ruled(key: str, word: str = "supported", **parts: Any) -> Ruled:
    usual: dict[str, Any] = {
        "app": "support", "language": "de", "hour": 10, "stratum": "rest", "pi": 0.1,
        "version": V1,
    }  # fmt: skip
    return Ruled(key=key, word=word, **usual | parts)


def audit(key: str, said: str | None = FINE, pi_audit: float = 0.01) -> Audit:
    return Audit(key, "support", "de", pi_audit, said)


def row(**parts: Any) -> dict[str, Any]:
    return {
        "key": "a@kafka@0@1", "app": "support", "language": "de", "hour": 7, "stratum": "rest",
        "pi": 0.5, "version": V1, "status": "judged", "claims": {"supported": 2}, "pi_audit": 0.01,
    } | parts  # fmt: skip


@pytest.mark.parametrize(
    ("claims", "word", "verdict"),
    [
        ({"supported": 3}, "supported", FINE),
        ({}, "supported", FINE),
        ({"supported": 1, "missing": 2}, "supported", FINE),
        ({"supported": 3, "unsupported": 1}, "unsupported", BAD),
        ({"unsupported": 1, "contradicted": 1}, "contradicted", BAD),
    ],
)
def test_an_answer_is_as_bad_as_its_worst_claim(
    claims: dict[str, int], word: str, verdict: str
) -> None:
    found = ruled_of(row(claims=claims))
    assert (found.word, found.verdict) == (word, verdict)


def test_an_answer_without_a_ruling_is_undecided_not_fine() -> None:
    failed = row(status="failed")
    del failed["claims"]
    assert ruled_of(failed).verdict == UNDECIDED


# ------------------------------------------------------------------------------ what people said


def grounded(said: Grounded) -> Label:
    return Label(answer=AnswerCall.CORRECT, grounded=said)


@pytest.mark.parametrize(
    ("label", "said"),
    [
        (grounded(Grounded.NO), BAD),
        (grounded(Grounded.YES), FINE),
        (grounded(Grounded.CANT_TELL), None),
        (Label(answer=AnswerCall.WRONG), None),
    ],
)
def test_an_audit_says_whether_the_answer_is_grounded(label: Label, said: str | None) -> None:
    task = History("task:t1")
    task.label(label)
    assert audit_of(task.changes) == Audit("t1@answers@0@17", "support", "de", 0.005, said)


def test_the_first_blind_label_counts_not_a_correction_after_it() -> None:
    task = History("task:t1")
    task.label(grounded(Grounded.YES), "ada")
    task.label(grounded(Grounded.NO), "ada")
    task.label(grounded(Grounded.NO), "ben")
    found = audit_of(task.changes)
    assert found is not None
    assert found.said == FINE


def test_a_skip_and_a_label_that_was_taken_back_are_missing() -> None:
    skipped, undone = History("task:t1"), History("task:t2")
    skipped.label(SKIP)
    undone.label(grounded(Grounded.NO))
    undone.undo(1, None)
    assert audit_of(skipped.changes) is None
    assert audit_of(undone.changes) is None
    assert audit_of([]) is None


# ------------------------------------------------------------------------------------- the joint


def test_an_answer_that_nobody_judged_with_this_version_is_no_label() -> None:
    found = calibrate([ruled("a"), ruled("b", version=V2)], [audit("a"), audit("b")], {}, V1)
    assert (found.labels, found.unmatched) == (1, 1)
    assert found.calibrated


def test_a_new_version_is_uncalibrated_until_there_are_labels_for_it() -> None:
    found = calibrate([ruled("a"), ruled("b", version=V2)], [audit("a")], {}, V2)
    assert (found.judged, found.labels, found.unmatched) == (1, 0, 1)
    assert not found.calibrated
    assert found.corrected.value is None
    assert found.judge_says.value == 0
    # For ± 2 points of a share that may be one half.
    assert found.needed == 2398


def test_what_people_could_not_tell_is_missing() -> None:
    found = calibrate([ruled("a"), ruled("b")], [audit("a", None), audit("b", BAD)], {}, V1)
    assert (found.labels, found.unsaid) == (1, 1)
    assert found.people_say.value == 1


def test_answers_that_the_judge_could_not_rule_on_are_still_answers() -> None:
    rows = [ruled("a"), ruled("b", UNDECIDED), ruled("c", UNDECIDED), ruled("d")]
    found = calibrate(rows, [audit("a"), audit("b", BAD)], {}, V1)
    assert (found.judged, found.undecided) == (2, 2)
    # Half are fine as people say, half may be anything that the one label leaves.
    assert found.corrected.value == pytest.approx(0.5)
    assert found.judge_says.value == 0
    # They are no part of the table.
    assert found.confusion.n == 1


def test_strata_count_by_all_their_answers_and_labels_by_their_chance() -> None:
    flagged = [ruled(f"f{n}", "unsupported" if n < 40 else "supported", stratum="flagged", pi=1.0)
               for n in range(100)]  # fmt: skip
    rest = [ruled(f"r{n}", "supported" if n else "unsupported", pi=0.01) for n in range(100)]
    audits = [audit(f"f{n}", BAD if n < 4 else FINE, pi_audit=0.1) for n in range(5)]
    audits += [audit(f"r{n}", BAD if n == 1 else FINE, pi_audit=0.05) for n in range(1, 11)]
    found = calibrate([*flagged, *rest], audits, {"flagged": 100, "rest": 9_900}, V1)
    strata = [
        Stratum(0.01, 100, {BAD: 0.4, FINE: 0.6}),
        Stratum(0.99, 100, {BAD: 0.01, FINE: 0.99}),
    ]
    labels = {BAD: Labelled(5, 4), FINE: Labelled(10, 1)}
    assert found.corrected == stratified(strata, labels)
    assert found.judge_says.value == pytest.approx((40 * 1 + 1 * 100) / (100 + 10_000))
    # Each label stands for 1/π_audit answers: 10 for the first five, 20 for the others.
    assert found.people_say.value == pytest.approx((4 * 10 + 1 * 20) / (5 * 10 + 10 * 20))


def test_a_chance_that_moved_makes_labels_worth_less() -> None:
    rows = [ruled("a"), ruled("b")]
    audits = [audit("a", BAD, pi_audit=0.1), audit("b", FINE, pi_audit=0.02)]
    found = calibrate(rows, audits, {}, V1)
    # Weights 10 and 50: a share of 1/6, worth 60² / 2600 labels.
    assert found.corrected.value == pytest.approx(1 / 6)
    assert found.by_word == {"supported": Labelled(2, 1)}


def test_without_counts_the_judged_ones_stand_for_what_they_were_drawn_from() -> None:
    rows = [ruled("a", "unsupported", stratum="flagged", pi=1.0), ruled("b", pi=0.1)]
    audits = [audit("a", BAD), audit("b", FINE)]
    by_pi = calibrate(rows, audits, {}, V1).corrected.value
    assert by_pi == pytest.approx(1 / 11)
    # A stratum that is not counted at all: the counts are not of these answers.
    assert calibrate(rows, audits, {"flagged": 5}, V1).corrected.value == by_pi


def test_errors_are_told_by_answer_in_the_order_of_the_audits() -> None:
    words = {"a": "supported", "b": "unsupported", "c": "supported", "d": "contradicted"}
    rows = [ruled(f"{name}@s@0@1", word) for name, word in words.items()]
    audits = [audit("a@s@0@1", BAD), audit("b@s@0@1", FINE), audit("c@s@0@1", BAD),
              audit("d@s@0@1", BAD)]  # fmt: skip
    found = calibrate(rows, audits, {}, V1)
    assert found.missed == ("a", "c")
    assert found.false_alarms == ("b",)
    assert found.confusion.count(FINE, BAD) == 2
    assert found.by_word == {
        "contradicted": Labelled(1, 1), "unsupported": Labelled(1, 0), "supported": Labelled(2, 2),
    }  # fmt: skip
    assert share_bad(found.by_word["supported"]).value == 1
    assert share_bad(Labelled()).value is None


def test_the_version_is_that_of_the_last_answer() -> None:
    rows = [ruled("a", hour=9), ruled("b", hour=10, version=V2), ruled("c", hour=8)]
    assert last_version(rows) == V2
    # While both judge, the one with more in the last hour.
    assert last_version([*rows, ruled("d", hour=10), ruled("e", hour=10)]) == V1
    assert last_version([]) == ""


def test_nothing_judged_is_nothing_known() -> None:
    found = calibrate([], [audit("a")], {}, "")
    assert found == Calibration(unmatched=1)
    assert not found.calibrated
