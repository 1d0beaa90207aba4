"""Which answers an export sees, in which order, and what stays in the store."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.exporting.answers import Step, Stored, labelled_answers
from service.exporting.cursor import START, Cursor, decode_cursor, encode_cursor
from tests.unit.exporting.made import EVENT, Made, case, task
from tests.unit.review.histories import CORRECT, SKIP, WRONG, History


@pytest.fixture
def made() -> Made:
    """Three labelled cases, c1 first."""
    made = Made()
    for number in (1, 2, 3):
        made.add(History(f"case:c{number}", at_ms=10_000 * number)).label(WRONG)
        made.cases[f"c{number}"] = case(f"c{number}", EVENT)
    return made


def walk(made: Made, after: Cursor = START, **options) -> list[Step]:
    return list(labelled_answers(made.sources, after, **options))


def ids(steps: list[Step]) -> list[str | None]:
    return [step.answer.answer_id if step.answer else None for step in steps]


def test_each_answer_comes_once_by_its_last_change(made: Made) -> None:
    made.histories["case:c1"].at_ms = 90_000
    made.histories["case:c1"].label(CORRECT, "ben")
    steps = walk(made)
    assert ids(steps) == ["c2", "c3", "c1"]
    assert [step.done for step in steps] == [1, 2, 3]
    assert {step.total for step in steps} == {3}
    assert steps[-1].answer is not None
    assert [change.label for change in steps[-1].answer.labels] == [CORRECT]


@pytest.mark.parametrize("stop", [0, 1, 2])
def test_it_goes_on_where_it_stopped(made: Made, stop: int) -> None:
    whole = walk(made)
    rest = walk(made, whole[stop].cursor)
    assert ids(rest) == ids(whole)[stop + 1 :]


def test_later_changes_come_at_the_next_time_and_those_alone(made: Made) -> None:
    end = walk(made)[-1].cursor
    assert walk(made, end) == []
    made.histories["case:c2"].at_ms = 90_000
    made.histories["case:c2"].label(CORRECT)
    assert ids(walk(made, end)) == ["c2"]
    assert [(step.new, ids([step])[0]) for step in walk(made, end, old_too=True)] == [
        (False, "c1"), (False, "c3"), (True, "c2"),
    ]  # fmt: skip


def test_reading_what_is_old_turns_no_cursor_back(made: Made) -> None:
    """Not even where the last answer was erased since."""
    end = walk(made)[-1].cursor
    del made.histories["case:c3"]
    assert [step.cursor for step in walk(made, end, old_too=True)] == [end, end]


def test_changes_of_one_millisecond_are_told_apart(made: Made) -> None:
    """A bulk label writes many at once."""
    for name in "dcba":
        made.add(History(f"case:{name}", at_ms=50_000)).label(WRONG, group="g1")
    steps = walk(made)
    assert ids(steps)[3:] == ["a", "b", "c", "d"]
    assert ids(walk(made, steps[4].cursor)) == ["c", "d"]


def test_only_one_app(made: Made) -> None:
    made.add(History("case:c9", at_ms=5_000, app="sales")).label(WRONG)
    assert ids(walk(made, app="sales")) == ["c9"]
    assert ids(walk(made, app="support")) == ["c1", "c2", "c3"]


def test_group_decisions_are_no_answers(made: Made) -> None:
    made.add(History("group:g1", at_ms=1)).label(WRONG)
    assert ids(walk(made)) == ["c1", "c2", "c3"]


# ------------------------------------------------------------------------------- open audits


def test_of_an_open_audit_nothing_leaves_the_store(made: Made) -> None:
    """Neither the first of two labels, nor the label of its flagged twin."""
    made.tasks["c2"] = task("c2", EVENT, "open")
    made.add(History("task:c2", at_ms=60_000)).label(WRONG, "ada")
    steps = walk(made)
    assert ids(steps) == ["c1", "c3", None]
    assert steps[-1].cursor.held == ("c2",)


def test_what_was_held_back_comes_once_its_audit_is_over_without_another_change(
    made: Made,
) -> None:
    made.tasks["c1"] = task("c1", EVENT, "open")
    end = walk(made)[-1].cursor
    assert ids(walk(made, end)) == [None], "still open"
    made.tasks["c1"] = task("c1", EVENT, "expired")
    steps = walk(made, end)
    assert ids(steps) == ["c1"]
    assert steps[0].new
    assert steps[0].cursor.held == ()
    assert steps[0].cursor.place == end.place
    assert walk(made, steps[0].cursor) == []


def test_both_labels_of_a_task_come_when_the_second_is_there(made: Made) -> None:
    labels = made.add(History("task:t1", at_ms=60_000))
    labels.label(WRONG, "ada")
    made.tasks["t1"] = task("t1", EVENT, "open")
    end = walk(made)[-1].cursor
    labels.label(CORRECT, "ben")
    made.tasks["t1"] = task("t1", EVENT, "done")
    (step,) = walk(made, end)
    assert step.answer is not None
    assert [(c.reviewer, c.label) for c in step.answer.labels] == [("ada", WRONG), ("ben", CORRECT)]
    assert step.answer.stored() == Stored(EVENT, False)


def test_held_back_and_erased_meanwhile(made: Made) -> None:
    made.tasks["c1"] = task("c1", EVENT, "open")
    end = walk(made)[-1].cursor
    del made.tasks["c1"], made.histories["case:c1"], made.cases["c1"]
    (step,) = walk(made, end)
    assert step.answer is not None
    assert (step.answer.changes, step.answer.app, step.answer.stored()) == ((), "", None)


# ------------------------------------------------------------------------------------ details


def test_the_whole_event_is_taken_where_one_of_two_is_reduced(made: Made) -> None:
    made.cases["c1"] = case("c1", {**EVENT, "answer": "Im"}, reduced=True)
    made.tasks["c1"] = task("c1", EVENT, "done")
    answer = walk(made)[0].answer
    assert answer is not None
    assert answer.stored() == Stored(EVENT, False)


def test_skips_and_bulk_labels_are_not_what_people_said_of_it(made: Made) -> None:
    made.add(History("case:c4", at_ms=70_000)).label(WRONG, group="g1")
    made.add(History("case:c5", at_ms=80_000)).label(SKIP)
    answers = [step.answer for step in walk(made)]
    assert [len(answer.judged) for answer in answers if answer] == [1, 1, 1, 0, 0]
    assert [len(answer.labels) for answer in answers if answer] == [1, 1, 1, 1, 1]


@given(st.integers(0, 2**53), st.text(max_size=40), st.lists(st.text(max_size=20), max_size=3))
def test_a_cursor_survives_its_word(at_ms: int, name: str, held: list[str]) -> None:
    cursor = Cursor((at_ms, name), tuple(held))
    assert decode_cursor(encode_cursor(cursor)) == cursor


WORD = encode_cursor(START)


@pytest.mark.parametrize("word", ["", "x", "!!", "WzEsMl0", "bnVsbA", WORD[:-3], "!" + WORD])
def test_what_is_no_cursor_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="not one that an export printed"):
        decode_cursor(word)
