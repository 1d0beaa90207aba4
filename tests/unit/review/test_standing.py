"""Whose label stands, after corrections, skips and undos."""

from __future__ import annotations

from service.review.standing import standing, standing_everywhere
from tests.unit.review.histories import CORRECT, SKIP, WRONG, History


def test_of_nothing_nothing_stands() -> None:
    assert standing([]) == []


def test_a_case_has_one_label_the_last_one() -> None:
    case = History()
    case.label(WRONG, "ada")
    second = case.label(CORRECT, "ben")
    assert standing(case.changes) == [second]


def test_a_task_has_one_of_each_reviewer() -> None:
    task = History("task:t1")
    ada = task.label(WRONG, "ada")
    task.label(WRONG, "ben")
    ben = task.label(CORRECT, "ben")
    assert standing(task.changes) == [ada, ben]


def test_an_undo_back_to_nothing_leaves_nothing() -> None:
    case = History()
    case.label(WRONG)
    case.undo(1, None)
    assert standing(case.changes) == []


def test_an_undo_brings_back_the_label_with_its_author_and_how_it_was_given() -> None:
    case = History()
    bulk = case.label(WRONG, "ada", group="g1")
    case.label(CORRECT, "ben")
    case.undo(2, WRONG, "ben")
    assert standing(case.changes) == [bulk]
    assert standing(case.changes)[0].group == "g1", "nobody opened it"


def test_an_undone_undo_puts_the_later_label_back() -> None:
    case = History()
    case.label(WRONG)
    second = case.label(CORRECT)
    case.undo(2, WRONG)
    case.undo(3, CORRECT)
    assert standing(case.changes) == [second]


def test_the_undo_of_one_reviewer_leaves_the_other_one_of_a_task() -> None:
    task = History("task:t1")
    ada = task.label(WRONG, "ada")
    task.label(CORRECT, "ben")
    task.undo(2, None, "ben")
    assert standing(task.changes) == [ada]


def test_a_skip_stands_beside_no_label_of_a_case() -> None:
    case = History()
    skip = case.label(SKIP, "ada")
    assert standing(case.changes) == [skip]
    label = case.label(WRONG, "ben")
    case.label(SKIP, "cleo")
    assert standing(case.changes) == [label]
    case.undo(3, WRONG, "cleo")
    assert standing(case.changes) == [label]


def test_a_skip_that_was_taken_back_is_gone() -> None:
    case = History()
    case.label(SKIP, "ada")
    case.undo(1, None, "ada")
    assert standing(case.changes) == []


def test_a_skipped_task_is_missing_for_one_reviewer() -> None:
    task = History("task:t1")
    ada = task.label(SKIP, "ada")
    ben = task.label(WRONG, "ben")
    assert standing(task.changes) == [ada, ben]


def test_many_histories_in_any_order_and_twice() -> None:
    one, two = History("case:c1"), History("task:t1")
    one.label(WRONG)
    stands = one.label(CORRECT)
    labelled = two.label(WRONG, "ben")
    changes = [*reversed(one.changes), *two.changes, *one.changes]
    assert standing_everywhere(changes) == [stands, labelled]
