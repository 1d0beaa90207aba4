"""Lists joined with the questions they belong to, and what is said of them."""

from __future__ import annotations

import json

import pytest

from service.events import AnswerEvent, parse_event
from service.measuring.lines import BadLine
from service.measuring.lists import RetrievedList, join, of_event, read_lists
from service.measuring.questions import Question, QuestionSet, Selection, select
from service.measuring.report import retrieval_json, retrieval_text
from service.measuring.retrieval import Missing, missing, outcome_of, with_lists
from service.measuring.runs import Outcome, QuestionsUsed, Run, RunHeader
from service.measuring.summary import by_tag, denominator, means

ASKED = (
    Question("q-1", "Was kostet ein Platz?", {"a": 1.0, "b": 1.0}, tags=("billing",)),
    Question("q-2", "Wie lange?", {"c": 1.0}, tags=("billing", "data"), critical=True),
    Question("q-3", "Wer?", {"d": 1.0}, app="sales"),
)


def ranked(*refs: str, query_id: str | None = None, query: str = "", app: str | None = None):
    return RetrievedList(query_id, query, refs, app)


def test_lists_are_joined_by_id_and_else_by_their_words() -> None:
    found = join(ASKED, [
        ranked("a", query_id="q-1", query="other words"),
        ranked("c", query_id="of the app's own", query="WIE  LANGE?"),
    ])  # fmt: skip
    assert {name: each.refs for name, each in found.lists.items()} == {
        "q-1": ("a",), "q-2": ("c",),
    }  # fmt: skip
    assert (found.by_words, found.unasked, found.repeated) == (1, 0, 0)


def test_the_last_list_of_a_question_counts_and_the_others_are_told() -> None:
    lists = [ranked("x", query_id="q-1"), ranked("a", query_id="q-1"), ranked(query="nobody asks")]
    found = join(ASKED, lists)
    assert found.lists["q-1"].refs == ("a",)
    assert (found.repeated, found.unasked) == (1, 1)


def test_an_answer_of_another_app_is_none_to_the_question() -> None:
    found = join(ASKED, [ranked("d", query_id="q-3", app="support")])
    assert (found.lists, found.unasked) == ({}, 1)
    assert join(ASKED, [ranked("d", query_id="q-3", app="sales")]).lists.keys() == {"q-3"}


def test_an_event_gives_all_that_was_retrieved_and_what_it_cost() -> None:
    event = parse_event(json.dumps({
        "event_id": "e", "query": "?", "query_id": "q-1", "answer": "", "app": "support",
        "retrieved": [{"ref": "a"}, {"ref": "b", "in_prompt": False}],
        "release": {"id": "r1", "model": "m"}, "usage": {"input_tokens": 3},
        "latency_ms": {"total": 9},
    }).encode())  # fmt: skip
    assert isinstance(event, AnswerEvent)
    assert of_event(event) == RetrievedList(
        "q-1", "?", ("a", "b"), "support", {"id": "r1", "model": "m"},
        {"input_tokens": 3, "output_tokens": None, "cost_usd": None}, {"total": 9.0},
    )  # fmt: skip


def test_a_file_of_lists_is_read_or_refused_by_line() -> None:
    good = b'{"query_id": "q-1", "retrieved": ["a"]}\n{"query": "x", "retrieved": []}\n'
    assert [each.refs for each in read_lists(good, "r")] == [("a",), ()]
    for bad, message in (
        (b'{"retrieved": []}', "r, line 3: query_id: give it, or query"),
        (b'{"query_id": "x"}', "r, line 3: retrieved: Field required"),
    ):
        with pytest.raises(BadLine, match=message):
            list(read_lists(good + bad, "r"))


# ------------------------------------------------------------------------------ what is said


def run_of(lists: dict[str, RetrievedList], k: int = 3) -> tuple[Run, Selection]:
    selection = with_lists(select(ASKED, corpus={"a", "b", "c"}), lists)
    outcomes = tuple(outcome_of(q, lists[q.query_id], k) for q in selection.measured)
    used = QuestionsUsed.of(QuestionSet("set.jsonl", "00", ASKED), selection)
    header = RunHeader(
        kind="retrieval", run="r", app="support", questions=used, started_at="", groundwatch="0",
    )  # fmt: skip
    return Run(header, outcomes), selection


def test_a_question_without_a_list_is_excluded_and_an_empty_list_is_measured() -> None:
    run, selection = run_of({"q-1": ranked()})
    assert [outcome.query_id for outcome in run.outcomes] == ["q-1"]
    assert run.outcomes[0].measures["recall@3"] == 0
    assert selection.counts == {"ref not in corpus": 1, "no retrieved list": 1}
    assert denominator(run.header.questions) == (
        "3 questions, 1 measured, 2 excluded: 1 ref not in the corpus, 1 nothing retrieved for it."
    )


def test_what_is_missing_is_told_question_by_question() -> None:
    run, _ = run_of({"q-1": ranked("x", "b", "y", "a"), "q-2": ranked("c")})
    assert missing(run.outcomes, 3) == (Missing("q-1", 1, 2, ("a",), critical=False),)
    assert missing(run.outcomes, 4) == ()


def test_the_text_says_it_all() -> None:
    run, selection = run_of({"q-1": ranked("a", "x", "y"), "q-2": ranked("x")})
    text = retrieval_text(run, selection, 3)
    assert text[1] == "3 questions, 2 measured, 1 excluded: 1 ref not in the corpus."
    assert "q-1 1/2 missing: b" in text
    assert "q-2 0/1 missing: c (critical)" in text
    assert "recall@3     0.250  [0.027,0.802]          2" in text
    assert any(line.startswith("data             1  0.00 [") for line in text)
    assert text[-2:] == ["Stale labels: they name refs that the corpus does not have.", "  q-3: d"]


def test_lists_that_are_all_too_short_are_told() -> None:
    told = "No list holds more than 2 refs, so nothing is known of the places behind."
    run, selection = run_of({"q-1": ranked("a", "b"), "q-2": ranked("c")})
    assert told in retrieval_text(run, selection, 3)
    run, selection = run_of({"q-1": ranked("a", "b", "c")})
    assert told not in retrieval_text(run, selection, 3)


def test_the_object_says_the_same() -> None:
    run, selection = run_of({"q-1": ranked("a")})
    found = retrieval_json(run, selection, 3)
    assert found["means"]["recall@3"]["mean"] == 0.5
    assert found["by_tag"].keys() == {"billing"}
    assert found["excluded"] == {"ref not in corpus": ["q-3"], "no retrieved list": ["q-2"]}
    assert found["stale"] == {"q-3": ["d"]}


def outcome(name: str, value: float | None, *tags: str) -> Outcome:
    return Outcome(name, "?", {"correct": value}, tags)


def test_what_was_not_measured_is_in_no_mean() -> None:
    outcomes = [outcome("1", 1.0, "a"), outcome("2", None, "a", "b"), outcome("3", 0.0)]
    found = means(outcomes)["correct"]
    assert (found.estimate.value, found.questions) == (0.5, 2)
    tags = by_tag(outcomes)
    assert tags["a"]["correct"].questions == 1
    assert tags["b"]["correct"].estimate.value is None
