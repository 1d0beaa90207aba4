"""Unserved questions become gaps."""

from __future__ import annotations

import json
import time

from hypothesis import given
from hypothesis import strategies as st

from service.exporting.gap_rows import csv_lines, json_lines
from service.questions import Question, decode_question, encode_question
from service.review.gaps import gaps_of, merged


def asked(query: str, *why: str, app: str = "support", at: int = 1_000, name: str = "") -> Question:
    return Question(
        name or f"{query}{at}", ("answers", 0, 1), app, "r1", "en", query, why or ("abstained",), at
    )


def test_the_same_question_is_one_gap_however_it_is_written() -> None:
    [gap] = gaps_of([
        asked("Can I pay by invoice?", at=3),
        asked("can I pay by invoice", "empty", "abstained", at=1),
        asked("  CAN I PAY: by  invoice?!", at=2),
    ])  # fmt: skip
    assert (gap.questions, gap.first_ms, gap.last_ms) == (3, 1, 3)
    assert gap.why == {"abstained": 3, "empty": 1}
    assert len(gap.wordings) == 3


def test_questions_that_share_half_of_their_words_are_alike() -> None:
    gaps = gaps_of([
        asked("How do I cancel a yearly subscription?", at=1),
        asked("Cancel yearly subscription now", at=2),
        asked("How do I export my invoices?", at=3),
    ])  # fmt: skip
    assert [gap.questions for gap in gaps] == [2, 1]
    assert gaps[1].query == "How do I export my invoices?"


def test_the_most_asked_come_first_then_the_last() -> None:
    gaps = gaps_of([asked("alpha beta", at=1), asked("gamma delta", at=9), asked("one two", at=5),
                    asked("one two", at=6)])  # fmt: skip
    assert [gap.query for gap in gaps] == ["one two", "gamma delta", "alpha beta"]


def test_apps_are_not_mixed() -> None:
    assert len(gaps_of([asked("alpha beta"), asked("alpha beta", app="sales")])) == 2


def test_a_question_of_one_word_is_only_like_itself() -> None:
    gaps = gaps_of([asked("pricing?"), asked("pricing plans?"), asked("Pricing", at=2)])
    assert sorted(gap.questions for gap in gaps) == [1, 2]


def test_a_disliked_answer_counts_once_with_both_reasons() -> None:
    kept = [asked("alpha beta", name="a1"), asked("gamma delta", name="a2")]
    found = merged(kept, [asked("alpha beta", "disliked", name="a1"),
                          asked("epsilon", "disliked", name="a3")])  # fmt: skip
    assert [one.why for one in found] == [("abstained", "disliked"), ("abstained",), ("disliked",)]


@given(st.lists(st.tuples(st.text(max_size=20), st.sampled_from(["a", "b"]))))
def test_every_question_is_in_one_gap(questions: list[tuple[str, str]]) -> None:
    gaps = gaps_of([asked(query, app=app) for query, app in questions])
    assert sum(gap.questions for gap in gaps) == len(questions)


def test_ten_thousand_questions_take_no_minute() -> None:
    questions = [asked(f"word{n % 900} thing{n % 7} other{n % 13}", at=n) for n in range(10_000)]
    begun = time.process_time()
    gaps = gaps_of(questions)
    assert sum(gap.questions for gap in gaps) == 10_000
    assert time.process_time() - begun < 20


def test_half_a_surrogate_pair_is_kept_as_a_question_mark() -> None:
    question = asked("a\ud800b", name="a1")
    assert decode_question(encode_question(question)).query == "a?b"
    plain = asked("ä", "empty", "abstained")
    assert decode_question(encode_question(plain)) == plain


def test_lines_for_machines_and_for_spreadsheets() -> None:
    gaps = gaps_of([asked("=cmd() alpha"), asked("=cmd() alpha", "empty")])
    [row] = map(json.loads, json_lines(gaps))
    assert (row["query"], row["questions"], row["why"]) == (
        "=cmd() alpha", 2, {"abstained": 1, "empty": 1},
    )  # fmt: skip
    head, line = csv_lines(gaps)
    assert head.startswith('"app","query","questions","empty","abstained","unused","disliked"')
    assert line.startswith('"support","\'=cmd() alpha","2","1","1","0","0"')
