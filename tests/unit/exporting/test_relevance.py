"""One line a question, with the refs that people ticked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.exporting.part import EXPIRED, HELD
from service.exporting.relevance import relevance_export
from service.review.labels import Label
from tests.unit.exporting.made import EVENT, Made, case, task
from tests.unit.review.histories import WRONG, History

BOTH = Label(needed=("pricing#plans",), needed_elsewhere=("pricing#seats",))
NONE = Label(needed=())


def ask(made: Made, answer_id: str, label: Label, at_ms: int, reviewer="ada", **event: Any):
    history = made.histories.get(f"task:{answer_id}")
    if history is None:
        history = made.add(History(f"task:{answer_id}", at_ms=at_ms))
        made.tasks[answer_id] = task(answer_id, EVENT | event, "done")
    history.label(label, reviewer)
    return history


@pytest.fixture
def made() -> Made:
    made = Made()
    ask(made, "t1", BOTH, 10_000)
    return made


def read(made: Made, after=None) -> dict[str, list[str] | None]:
    """Query id (or query) → refs, as somebody would who measures retrieval with them."""
    options = {} if after is None else {"after": after}
    lines = made.lines(relevance_export(resumed=after is not None), **options)
    rows = [json.loads(line) for line in lines]
    return {row["query_id"] or row["query"]: row["relevant"] for row in rows}


def test_the_refs_come_back_as_they_were_ticked(made: Made) -> None:
    ask(made, "t2", Label(needed=("a#b", 'ü"\u2028\n=1')), 20_000, query_id=None, query="Why\n?")
    assert read(made) == {
        "q-1": ["pricing#plans", "pricing#seats"],
        "Why\n?": sorted(["a#b", 'ü"\u2028\n=1']),
    }


def test_a_line_says_whose_question_it_is_and_how_many_labels_it_rests_on(made: Made) -> None:
    (line,) = made.lines(relevance_export(resumed=False))
    assert json.loads(line) == {
        "query_id": "q-1", "query": EVENT["query"], "app": "support", "labels": 1,
        "relevant": ["pricing#plans", "pricing#seats"],
    }  # fmt: skip


def test_the_labels_of_one_question_are_one_line(made: Made) -> None:
    ask(made, "t2", Label(needed=("pricing#faq",)), 20_000, event_id="e-2")
    ask(made, "t2", Label(needed_elsewhere=("terms",)), 20_000, "ben")
    made.add(History("case:c3", at_ms=30_000)).label(Label(needed=("pricing#plans",)))
    made.cases["c3"] = case("c3", EVENT | {"query": "Was kostet ein Platz!"})
    assert read(made) == {"q-1": ["pricing#faq", "pricing#plans", "pricing#seats", "terms"]}


def test_a_question_of_another_app_is_another_question(made: Made) -> None:
    ask(made, "t2", NONE, 20_000, app="sales")
    assert len(made.lines(relevance_export(resumed=False))) == 2


def test_nothing_needed_is_said_and_nothing_asked_is_not(made: Made) -> None:
    ask(made, "t2", NONE, 20_000, query_id="q-2")
    ask(made, "t3", WRONG, 30_000, query_id="q-3")
    assert read(made) == {"q-1": ["pricing#plans", "pricing#seats"], "q-2": []}


def test_bulk_labels_and_skips_say_nothing(made: Made) -> None:
    made.add(History("case:c1", at_ms=20_000)).label(BOTH, group="g1")
    made.cases["c1"] = case("c1", EVENT | {"query_id": "q-2"})
    ask(made, "t3", Label(needed=("a",), skipped=True), 30_000, query_id="q-3")
    assert list(read(made)) == ["q-1"]


def test_a_later_run_brings_touched_questions_whole_and_takes_back(made: Made) -> None:
    ask(made, "t2", NONE, 20_000, query_id="q-2")
    end = made.run(relevance_export(resumed=False))[-1].cursor
    assert read(made, end) == {}
    ask(made, "t3", Label(needed=("terms",)), 30_000)
    made.histories["task:t2"].at_ms = 40_000
    made.histories["task:t2"].undo(1, None)
    assert read(made, end) == {"q-1": ["pricing#plans", "pricing#seats", "terms"], "q-2": None}
    assert read(made) == {"q-1": ["pricing#plans", "pricing#seats", "terms"]}


def test_a_question_is_new_though_an_old_answer_follows(made: Made) -> None:
    ask(made, "t2", Label(needed=("terms",)), 20_000)
    ask(made, "t3", NONE, 30_000)
    made.tasks["t2"] = task("t2", EVENT, "open")
    end = made.run(relevance_export(resumed=False))[-1].cursor
    made.tasks["t2"] = task("t2", EVENT, "expired")
    assert read(made, end) == {"q-1": ["pricing#plans", "pricing#seats", "terms"]}


def test_no_cursor_before_the_lines_are_out(made: Made) -> None:
    """What was only read must be read again by a run that goes on."""
    ask(made, "t2", NONE, 20_000, query_id="q-2")
    parts = made.run(relevance_export(resumed=False))
    assert [bool(part.lines) for part in parts] == [False, False, True]
    assert [part.cursor is None for part in parts] == [True, True, False]


def test_what_gives_no_line_is_counted(made: Made) -> None:
    ask(made, "t2", BOTH, 20_000)
    ask(made, "t3", BOTH, 30_000)
    made.tasks["t2"] = task("t2", EVENT, "open")
    del made.tasks["t3"]
    export = relevance_export(resumed=False)
    assert len(made.lines(export)) == 1
    assert +export.left == {HELD: 1, EXPIRED: 1}
