"""What code alone can say of an answer."""

from __future__ import annotations

import pytest

from service.measuring.rating import rate
from service.policy import AppPolicy
from tests.unit.answers import as_event


@pytest.mark.parametrize(
    ("answer", "correct"),
    [("I could not find that in the help pages.", True), ("", False), (" \n", False)],
)
def test_saying_nothing_is_not_declining(answer: str, correct: bool) -> None:
    event = as_event({"event_id": "e", "query": "How long?", "answer": answer, "retrieved": []})
    assert rate(event, AppPolicy(), (), "no_answer").correct is correct
