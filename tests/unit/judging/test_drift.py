"""Two judge versions on the same answers."""

from __future__ import annotations

from service.judging.drift import Twice, drift_of


def test_what_changed_is_told_and_both_are_held_against_people() -> None:
    answers = [
        Twice("a", "fine", "bad", "bad"),
        Twice("b", "bad", "bad", "bad"),
        Twice("c", "fine", "fine", "fine"),
        Twice("d", "fine", "undecided", "bad"),
        Twice("e", "bad", "fine", "bad"),
    ]
    found = drift_of(answers)
    assert (found.answers, found.undecided) == (4, 1)
    assert [one.answer_id for one in found.changed] == ["a", "e"]
    assert found.agreement.observed.value == 0.5
    assert found.before.sensitivity.value == found.now.sensitivity.value == 2 / 3
    assert found.now.specificity.value == 1


def test_of_nothing_nothing_is_known() -> None:
    found = drift_of([])
    assert (found.answers, found.changed) == (0, ())
    assert found.now.sensitivity.value is None
