"""Agreement on the parts of labels that two people gave to the same tasks."""

from __future__ import annotations

from service.estimates.double_labels import SCALES, agreement_on, blind_pair
from service.review.labels import AnswerCall, Fault, Grounded, Label
from tests.unit.review.histories import SKIP, History

CORRECT, WRONG = Label(answer=AnswerCall.CORRECT), Label(answer=AnswerCall.WRONG)


def test_both_words_are_compared_on_the_whole_scale() -> None:
    found = agreement_on("answer", [(CORRECT, CORRECT)] * 3 + [(CORRECT, WRONG)])
    assert found.table.categories == ("correct", "partly", "wrong", "cant_tell")
    assert found.table.counts[0] == (3, 0, 1, 0)
    assert found.observed.value == 0.75


def test_what_one_of_them_did_not_say_is_missing() -> None:
    grounded = Label(answer=AnswerCall.CORRECT, grounded=Grounded.YES)
    skipped = Label(answer=AnswerCall.WRONG, skipped=True)
    pairs = [(grounded, CORRECT), (grounded, grounded), (skipped, WRONG)]
    assert agreement_on("grounded", pairs).n == 1
    assert agreement_on("answer", pairs).n == 2


def test_every_part_that_is_one_word_has_a_scale() -> None:
    words = Label(answer=AnswerCall.WRONG, fault=Fault.RETRIEVAL)
    for part in SCALES:
        assert agreement_on(part, [(words, words)]).n == (part in ("answer", "fault"))


# -------------------------------------------------------------------------------- which labels


def test_two_people_are_a_pair_one_is_none() -> None:
    task = History("task:t1")
    assert blind_pair([]) is None
    task.label(WRONG, "ada")
    assert blind_pair(task.changes) is None
    task.label(SKIP, "cleo")
    assert blind_pair(task.changes) is None
    task.label(CORRECT, "ben")
    assert blind_pair(task.changes) == (WRONG, CORRECT)
    task.label(WRONG, "dora")
    assert blind_pair(task.changes) == (WRONG, CORRECT)


def test_a_correction_in_sight_of_the_findings_makes_no_agreement() -> None:
    task = History("task:t1")
    task.label(CORRECT, "ada")
    task.label(WRONG, "ben")
    task.label(WRONG, "ada")
    assert blind_pair(task.changes) == (CORRECT, WRONG)


def test_a_label_after_a_skip_is_not_known_to_be_blind() -> None:
    task = History("task:t1")
    task.label(SKIP, "ada")
    task.label(WRONG, "ben")
    task.label(CORRECT, "ada")
    assert blind_pair(task.changes) is None


def test_what_was_taken_back_is_no_label() -> None:
    task = History("task:t1")
    task.label(CORRECT, "ada")
    task.label(WRONG, "ben")
    task.undo(2, None, "ben")
    assert blind_pair(task.changes) is None


def test_cases_are_not_labelled_blind() -> None:
    case = History("case:c1", blind=True)
    case.label(CORRECT, "ada")
    case.label(WRONG, "ben")
    assert blind_pair(case.changes) is None
