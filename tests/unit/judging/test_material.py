"""The answer's sentences and its sources, numbered; which citation belongs to which sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.checks.reading import sentences
from service.judging.jobs import JobCitation
from service.judging.material import Material, material_of
from tests.unit.judging.made import job

ABC = {"a": "Text of a.", "b": "Text of b.", "c": "Text of c."}


def cited(answer: str) -> list[tuple[str, set[int] | None]]:
    return [
        (one.text, None if one.cited is None else set(one.cited))
        for one in material_of(job(answer, ABC)).sentences
    ]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("A is so [a]. B is so.", [("A is so [a].", {1}), ("B is so.", None)]),
        ("A is so. [a] B is so [b].", [("A is so. [a]", {1}), ("B is so [b].", {2})]),
        ("A is so [a][c].", [("A is so [a][c].", {1, 3})]),
        ("A is so.\n\n[a][b]", [("A is so.", {1, 2})]),
        ("A is so.\n\nSource: [b]", [("A is so.", {2})]),
        ("A is so [a].\n\nSources: [b]", [("A is so [a].", {1, 2})]),
        # under a paragraph of several it says of none which of them supports it
        ("A is so. B is so.\n\nSource: [a]", [("A is so.", None), ("B is so.", None)]),
        ("[a]\n\nA is so.", [("A is so.", None)]),
        ("- one [a]\n- two\n- three [b]", [("one [a]", {1}), ("two", None), ("three [b]", {2})]),
        ("| Plan | Price |\n|---|---|\n| Pro | 45 € [c] |", [
            ("| Plan | Price |", None), ("| Pro | 45 € [c] |", {3}),
        ]),
    ],
)  # fmt: skip
def test_a_citation_belongs_to_the_sentence_it_stands_in_or_follows(
    answer: str, expected: list[tuple[str, set[int] | None]]
) -> None:
    assert cited(answer) == expected


def test_a_structured_citation_belongs_to_every_sentence_it_spans() -> None:
    answer = "Seats cost money. Plans cost less. Nothing is free."
    one = replace(job(answer, ABC), citations=(JobCitation(0, 25, ("b",)),))
    assert [line.cited for line in material_of(one).sentences] == [{2}, {2}, None]


def test_context_that_calls_itself_retrieved_is_no_chunk() -> None:
    one = job("Seats cost money.", ABC, context=[{"name": "b", "kind": "retrieved", "text": "x"}])
    told = material_of(one).passages[-1]
    assert (told.text, told.kind, told.retrieved) == ("x", "other", False)


@pytest.mark.parametrize(("ref", "line"), [("kb-101", "Quelle: kb-101"), ("u", "【1†u】")])
def test_a_line_of_sources_is_no_sentence(ref: str, line: str) -> None:
    answer = f"Seats cost money.\n\n{line}"
    one = JobCitation(answer.index(line), len(answer), (ref,))
    [found] = material_of(replace(job(answer, {ref: "Text."}), citations=(one,))).sentences
    assert (found.text, found.cited) == ("Seats cost money.", frozenset({1}))


def test_code_and_what_holds_no_word_is_left_out() -> None:
    answer = "# Setup\n\nRun this:\n\n```\nrm -rf /\n```\n\n👍\n\n---\n\nDone."
    found = material_of(job(answer)).sentences
    assert [one.text for one in found] == ["Setup", "Run this:", "Done."]
    assert [one.number for one in found] == [1, 2, 3]


@given(st.text(alphabet="aB1 .!?\n-#|>*`[]é\u200b", max_size=80))
def test_sentences_are_those_of_the_checks_in_their_order(answer: str) -> None:
    found = material_of(job(answer, ABC)).sentences
    read = [(one.start, one.end) for one in sentences.read(answer)]
    places = [(one.start, one.end) for one in found]
    assert set(places) <= set(read)
    assert places == sorted(places)
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    assert all(one.text == answer[one.start : one.end] for one in found)


def test_passages_are_chunks_then_context_but_for_earlier_answers() -> None:
    context = [
        {"name": "plan", "kind": "user", "text": "pro"},
        {"name": "turn", "kind": "assistant", "text": "It was 40 € once."},
    ]
    material = material_of(job("So.", ABC, context=context))
    assert [(one.number, one.ref, one.kind) for one in material.passages] == [
        (1, "a", "retrieved"), (2, "b", "retrieved"), (3, "c", "retrieved"), (4, "plan", "user"),
    ]  # fmt: skip
    assert material.said_before == ("It was 40 € once.",)
    assert not material.partial


def test_a_chunk_in_two_pieces_is_cited_as_both() -> None:
    material = material_of(job("So [a].", [("a", "One."), ("b", "Two."), ("a", "Three.")]))
    assert material.sentences[0].cited == frozenset({1, 3})


def test_context_that_is_named_like_a_chunk_is_not_cited() -> None:
    context = [{"name": "a", "kind": "user", "text": "pro"}]
    assert material_of(job("So [a].", ABC, context=context)).sentences[0].cited == frozenset({1})


def test_a_cited_chunk_without_a_text_is_unseen_and_the_material_partial() -> None:
    material = material_of(job("So [a]. And so [b].", {"a": None, "b": "Two."}))
    first, second = material.sentences
    assert (first.cited, first.unseen) == (frozenset(), True)
    assert (second.cited, second.unseen) == (frozenset({1}), False)
    assert material.partial


def size(material: Material) -> int:
    texts = (material.query, material.answer, *material.said_before)
    return sum(map(len, texts)) + sum(len(one.text) for one in material.passages)


def test_the_last_chunks_go_first_and_context_stays() -> None:
    whole = job("So [c].", ABC, context=[{"name": "plan", "kind": "user", "text": "pro"}])
    assert material_of(whole, 10_000) == material_of(whole)
    cut = material_of(whole, size(material_of(whole)) - 1)
    assert [(one.number, one.ref) for one in cut.passages] == [(1, "a"), (2, "b"), (3, "plan")]
    assert cut.partial
    assert cut.sentences[0].unseen


@given(st.integers(0, 200))
def test_what_is_left_fits_or_is_all_that_may_not_go(max_chars: int) -> None:
    material = material_of(job("So [c].", ABC), max_chars)
    assert size(material) <= max_chars or not material.passages
    assert material.partial == (len(material.passages) < 3)
