"""Agreement on the parts of labels that two people gave to the same tasks."""

from __future__ import annotations

from service.estimates.double_labels import SCALES, agreement_on
from service.review.labels import AnswerCall, Fault, Grounded, Label

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
