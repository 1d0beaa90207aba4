"""Labelled questions: read, mapped, selected, and refused in words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.measuring.lines import BadLine
from service.measuring.questions import (
    Question,
    QuestionSet,
    Selection,
    normalised,
    read_mapping,
    read_questions,
    select,
)


def read(*lines: Any, mapping=None) -> QuestionSet:
    raw = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return read_questions(raw.encode(), "set.jsonl", mapping)


def line(**fields: Any) -> dict[str, Any]:
    return {"query_id": "q-1", "query": "How long?", "relevant": ["a"]} | fields


def test_the_line_that_the_export_writes_is_a_question() -> None:
    exported = {"query_id": "q-001", "query": "Was kostet ein Platz?", "app": "support",
                "relevant": ["pricing#plans", "pricing#seats"], "labels": 2}  # fmt: skip
    (question,) = read(exported).questions
    assert question == Question(
        "q-001", "Was kostet ein Platz?", {"pricing#plans": 1.0, "pricing#seats": 1.0},
        app="support",
    )  # fmt: skip


def test_grades_are_kept_and_a_grade_of_zero_is_not_relevant() -> None:
    (question,) = read(line(relevant={"a": 3, "b": 0.5, "c": 0})).questions
    assert question.relevant == {"a": 3.0, "b": 0.5}


def test_every_part_of_a_question_is_read() -> None:
    (question,) = read(
        line(tags=["billing", "billing"], language="de", behaviour="no_answer", split="test",
             critical=True, facts=[{"value": "72 hours"}], metadata={"source": "mine"})
    ).questions  # fmt: skip
    assert (question.tags, question.language, question.behaviour) == (
        ("billing",),
        "de",
        "no_answer",
    )
    assert (question.split, question.critical) == ("test", True)
    assert question.facts == ({"value": "72 hours"},)


def test_without_an_id_the_normalised_words_make_one() -> None:
    first, second = read(
        {"query": "How  LONG\u00a0is it?", "relevant": ["a"]},
        {"query": "How short?", "relevant": []},
    ).questions
    (same,) = read({"query": "how long is it?", "relevant": []}).questions
    assert first.query_id == same.query_id != second.query_id
    assert normalised("Straße\u2003①") == "strasse 1"


def test_the_last_line_of_a_question_holds_and_the_earlier_ones_are_counted() -> None:
    found = read(line(), line(relevant=["b"]), line(query_id="q-2"), line(relevant=None))
    assert found.replaced == 2
    assert [(q.query_id, dict(q.relevant)) for q in found.questions] == [
        ("q-1", {}), ("q-2", {"a": 1.0}),
    ]  # fmt: skip


def test_the_file_is_known_by_its_hash() -> None:
    assert read(line()).sha256 != read(line(query="How wide?")).sha256
    assert len(read(line()).sha256) == 64


def test_evidence_becomes_refs() -> None:
    mapping = {"ev-1": ("a", "b"), "ev-2": ("b", "c"), "ev-3": ()}
    one, two = read(
        {"query_id": "1", "query": "x", "evidence": ["ev-1", "ev-2"]},
        {"query_id": "2", "query": "y", "evidence": ["ev-3", "ev-9"]},
        mapping=mapping,
    ).questions
    assert list(one.relevant) == ["a", "b", "c"]
    assert one.unmapped == ()
    assert two.unmapped == ("ev-3", "ev-9")


@pytest.mark.parametrize(
    "raw",
    [b'{"ev-1": ["a", "b"], "ev-2": "c"}',
     b'{"evidence": "ev-1", "refs": ["a"]}\n{"evidence": "ev-1", "refs": ["b", "a"]}\n'
     b'{"evidence": "ev-2", "refs": ["c"]}'],
    ids=["object", "lines"],
)  # fmt: skip
def test_a_mapping_is_an_object_or_lines(raw: bytes) -> None:
    assert read_mapping(raw, "m") == {"ev-1": ("a", "b"), "ev-2": ("c",)}


def test_a_mapping_of_one_line_is_read_as_such() -> None:
    assert read_mapping(b'{"evidence": "ev-1", "refs": ["a"]}', "m") == {"ev-1": ("a",)}


def test_a_bad_mapping_names_file_and_line() -> None:
    with pytest.raises(BadLine, match=r"^m\.json, line 2: refs: Input should be a valid array"):
        read_mapping(b'{"evidence": "e", "refs": []}\n{"evidence": "f", "refs": 7}', "m.json")


@pytest.mark.parametrize(
    ("raw", "message"),
    [(b'{\n"ev-1": ["a"],\n}', "m.json, line 2: not valid JSON at column 14"),
     (b'{"ev-1": ["a"], "ev-2": [7]}', "m.json, line 1: evidence 'ev-2': wanted a list of refs"),
     (b'{"evidence": "ev-1", "ref": ["a"]}', "m.json, line 1: "),
    ],
    ids=["json", "refs", "typo"],
)  # fmt: skip
def test_a_bad_mapping_of_one_object_is_told_as_one(raw: bytes, message: str) -> None:
    with pytest.raises(BadLine) as refused:
        read_mapping(raw, "m.json")
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("bad", "message"),
    [("{", "not valid JSON"),
     ("[]", "must be an object"),
     ({"query_id": "1"}, "query: Field required"),
     (line(relevent=["a"]), "unknown field 'relevent'; did you mean relevant?"),
     (line(zzz=1), "unknown field 'zzz'; known are app, behaviour, critical"),
     (line(relevant="a"), "relevant: must be a list of refs, or an object ref → grade"),
     (line(relevant={"a": -1}), "relevant.a: Input should be greater than or equal to 0"),
     (line(behaviour="refuse"), "behaviour: Input should be 'answer', 'clarify', 'no_answer'"),
     (line(evidence=["ev"]), "evidence: give it or relevant, not both"),
     ({"query": "x", "evidence": ["ev"]}, "evidence: needs a mapping from evidence ids to refs"),
     ({"query": " \u00a0"}, "query: says nothing"),
     (line(relevant={"a": 1e308}), "relevant.a: Input should be less than or equal to 1000000"),
     ('{"query": "x', "not valid JSON (EOF while parsing a string at column 12); each line is "),
    ],
    ids=["json", "object", "missing", "typo", "unknown", "relevant", "grade", "behaviour", "both",
         "no-mapping", "blank", "overflow", "cut"],
)  # fmt: skip
def test_a_bad_line_is_refused_by_file_line_and_field(bad: Any, message: str) -> None:
    with pytest.raises(BadLine) as refused:
        read(line(), "", bad)
    assert str(refused.value).startswith(f"set.jsonl, line 3: {message}")


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert [q.query_id for q in read("\ufeff" + json.dumps(line())).questions] == ["q-1"]
    assert read_mapping(b'\xef\xbb\xbf{"ev-1": "a"}', "m") == {"ev-1": ("a",)}


def test_no_value_of_a_bad_line_stands_in_its_error() -> None:
    with pytest.raises(BadLine) as refused:
        read(line(query={"secret": "geheim"}))
    assert "geheim" not in str(refused.value)


def test_a_file_without_questions_is_refused() -> None:
    with pytest.raises(BadLine, match="no question"):
        read("", "  ")


# --------------------------------------------------------------------------------- selecting

SET = (
    Question("measured", "1", {"a": 1.0}, split="test"),
    Question("deny", "2", {"a": 1.0}, behaviour="deny", split="test"),
    Question("unmapped", "3", {"a": 1.0}, unmapped=("ev-1",), split="test"),
    Question("unlabelled", "4", split="test"),
    Question("stale", "5", {"a": 1.0, "gone": 1.0}, split="test"),
    Question("dev", "6", {"a": 1.0}, split="dev"),
    Question("foreign", "7", {"a": 1.0}, split="test", app="sales"),
)


def names(selection: Selection) -> dict[str, list[str]]:
    return {
        reason: [question.query_id for question in questions]
        for reason, questions in selection.excluded.items()
    }


def test_each_question_is_measured_or_excluded_for_one_reason() -> None:
    found = select(SET, split="test", app="support", corpus={"a", "b"})
    assert [question.query_id for question in found.measured] == ["measured"]
    assert names(found) == {
        "split": ["dev"], "app": ["foreign"], "behaviour": ["deny"], "no mapping": ["unmapped"],
        "no relevant ref": ["unlabelled"], "ref not in corpus": ["stale"],
    }  # fmt: skip
    assert found.total == len(SET)
    assert found.counts["split"] == 1
    assert found.stale == {"stale": ("gone",)}


def test_without_a_corpus_nothing_is_stale_and_without_a_split_all_are_taken() -> None:
    found = select(SET)
    assert {question.query_id for question in found.measured} == {
        "measured", "stale", "dev", "foreign",
    }  # fmt: skip
    assert found.stale == {}


def test_the_whole_system_is_asked_what_it_should_not_answer_too() -> None:
    found = select(SET, answerable=False)
    assert "deny" in {question.query_id for question in found.measured}
    assert "behaviour" not in found.excluded


def test_two_apps_with_the_same_id_are_told_apart_or_refused() -> None:
    twins = (Question("1", "x", {"a": 1.0}, app="one"), Question("1", "x", {"a": 1.0}, app="two"))
    assert len(select(twins, app="one").measured) == 1
    with pytest.raises(ValueError, match="choose one app"):
        select(twins)
