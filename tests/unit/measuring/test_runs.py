"""The run file goes out and comes back as it was, and is refused in words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.measuring.lines import BadLine
from service.measuring.runs import Outcome, QuestionsUsed, Run, RunHeader, read_run, write_run

RUN = Run(
    RunHeader(
        kind="retrieval",
        run="retrieval-2026-12-01",
        app="support",
        release={"id": "2026-12-01.1", "retrieval_params": {"top_k": 5}},
        k=5,
        questions=QuestionsUsed("relevance.jsonl", "ab" * 32, 25, 2, {"behaviour": 23}),
        started_at="2026-12-01T03:00:00Z",
        groundwatch="0.1.0",
    ),
    (
        Outcome("q-1", "Wie lange?", {"hit@5": 1.0, "correct": None}, ("billing",), "de",
                critical=True, relevant={"a": 1.0, "b": 0.5}, retrieved=("b", "x"),
                usage={"input_tokens": 12, "cost_usd": 0.5}, latency_ms={"total": 3.5}),
        Outcome("q-2", "?", {}, behaviour="no_answer", error="timeout"),
    ),
)  # fmt: skip


def lines() -> list[bytes]:
    return list(write_run(RUN))


def test_a_run_comes_back_as_it_was() -> None:
    assert read_run(lines(), "r") == RUN
    assert RUN.by_id["q-2"].error == "timeout"


def test_the_header_says_first_what_it_is() -> None:
    assert lines()[0].startswith(b'{"format":1,"kind":"retrieval"')
    assert json.loads(lines()[1])["measures"] == {"hit@5": 1.0, "correct": None}


def altered(number: int, **fields: Any) -> list[bytes]:
    found = lines()
    found[number] = json.dumps(json.loads(found[number]) | fields).encode()
    return found


@pytest.mark.parametrize(
    ("bad", "message"),
    [([], "r, line 1: empty; a run file begins with its header"),
     (lines()[1:], "r, line 1: no header of a run file"),
     (altered(0, format=2), "r, line 1: format: this release reads run files of format 1"),
     (altered(0, kind="other"), "r, line 1: kind: Input should be 'retrieval', 'answers'"),
     (lines()[:2], "r, line 2: its header counts 2 questions, and 1 stand here"),
     (lines()[:1], "r, line 1: its header counts 2 questions, and 0 stand here"),
     (altered(2, mesures={}), "r, line 3: unknown field 'mesures'; did you mean measures?"),
     (altered(2, measures={"x": "high"}), "r, line 3: measures.x: Input should be a valid number"),
     (altered(2, query_id="q-1"), "r, line 3: query_id: an earlier line has the same"),
     ([*lines(), b"{"], "r, line 4: not valid JSON"),
    ],
    ids=["empty", "headless", "format", "kind", "cut", "alone", "unknown", "measure", "twice",
         "json"],
)  # fmt: skip
def test_what_is_no_run_is_refused_by_file_line_and_field(bad: list[bytes], message: str) -> None:
    with pytest.raises(BadLine) as refused:
        read_run(bad, "r")
    assert str(refused.value).startswith(message)
