"""What a finding and a piece of evidence of the numbers check tell the reviewer."""

from __future__ import annotations

import pytest

from service.checks import citations, numbers
from service.checks.model import CheckInput, CheckResult
from service.events import AnswerEvent, Chunk
from service.policy import AppPolicy


def decide(answer: str, *texts: str, query: str = "?", language: str | None = None) -> CheckResult:
    chunks = [Chunk(ref=f"doc#{place}", text=text) for place, text in enumerate(texts)]
    event = AnswerEvent(
        event_id="e", query=query, answer=answer, retrieved=chunks, language=language
    )
    given = CheckInput(event, texts, AppPolicy())
    reading = citations.read(event, given.policy.citations)
    cited = citations.check(given, reading)
    return numbers.check(given, cited.owned, reading)


@pytest.mark.parametrize(
    ("text", "answer", "near"),
    [
        ("A seat costs 45 € a month.", "It costs $45.", "45 €"),
        ("The tank holds 12.5 litres.", "It holds 125 litres.", "12.5 litres"),
        ("It took 4,180 days.", "It took 4,810 days.", "4,180 days"),
        ("Filed on 3 May 2024.", "It was filed on 3 May 2023.", "3 May 2024"),
        ("The train leaves at 9:15 am.", "It leaves at 9:45 am.", "9:15 am"),
    ],
)
def test_the_nearest_thing_has_a_place(text: str, answer: str, near: str) -> None:
    (finding,) = decide(answer, "Nothing is said here.", text).findings
    assert finding.near_ref == "doc#1"
    assert text[finding.near_start : finding.near_end] == near
    assert near in finding.detail


def test_nothing_near_has_no_place() -> None:
    (finding,) = decide("It was founded in 1932.", "The bakery sells bread.").findings
    assert (finding.near_ref, finding.near_start, finding.near_end) == (None, None, None)


def test_one_digit_is_no_slip_of_the_first() -> None:
    (finding,) = decide("Ab dem 10. Tag gilt das.", "Am ersten Tag gilt nichts.").findings
    assert finding.reason == "absent"


def test_german_answers_are_explained_in_german() -> None:
    (finding,) = decide("Der Platz kostet 54 € im Monat.", "Der Platz kostet 45 €.").findings
    assert finding.detail == (
        "„54 €“ steht in keinem der gefundenen Texte. "
        "Am nächsten kommt „45 €“ in doc#0 (Ziffern vertauscht)."
    )


def test_the_language_that_the_event_names_wins() -> None:
    (finding,) = decide("54 €", "45 €", language="de-AT").findings
    assert finding.detail.startswith("„54 €“")
    (finding,) = decide("Der Platz kostet 54 €", "45 €", language="fr").findings
    assert finding.detail.startswith('"54 €"')


def kinds(answer: str, *texts: str) -> list[tuple[str, str | None]]:
    result = decide(answer, *texts)
    assert not result.findings
    return [(evidence.kind, evidence.ref) for evidence in result.evidence]


PRICE, TERM = "A seat costs 45 € a month.", "Notice is 30 days."


@pytest.mark.parametrize(
    "answer",
    ["A seat costs 45 € [1].", "A seat costs 45 €. [1]", "A seat costs 45 € [doc].", "It is 45 €."],
)
def test_a_number_in_the_cited_chunk_is_grounded(answer: str) -> None:
    assert kinds(answer, PRICE, TERM) == [("grounded", "doc#0")]


def test_a_number_in_another_chunk_is_elsewhere() -> None:
    assert kinds("A seat costs 45 € [2]. Notice is 30 days [1].", PRICE, TERM) == [
        ("elsewhere", "doc#0"),
        ("elsewhere", "doc#1"),
    ]


def test_the_cited_chunk_is_preferred() -> None:
    assert kinds("A seat costs 45 € [2].", PRICE, "Seats: forty-five euros.") == [
        ("grounded", "doc#1")
    ]


def test_each_sentence_has_its_own_citations() -> None:
    answer = "A seat costs 45 €. [1] Notice is 30 days. [2]"
    assert kinds(answer, PRICE, TERM) == [("grounded", "doc#0"), ("grounded", "doc#1")]
