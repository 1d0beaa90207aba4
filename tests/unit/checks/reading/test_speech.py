"""What a sentence does: the rules. The labelled cases of ``abstention`` hold the phrases."""

from __future__ import annotations

import pytest

from service.checks.reading import speech
from service.checks.reading.speech_phrases import NEGATIONS, PHRASES, Act
from tests.unit.timing import cpu_seconds


def acts(text: str) -> list[str]:
    return [act.name for _, act in speech.read(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello! Team costs 34 €. Does that help?", ["CHATS", "ASSERTS", "ASKS"]),
        ("# Prices\n\nTeam costs 34 €.", ["SILENT", "ASSERTS"]),
        ("Ja. 34 €.", ["SILENT", "ASSERTS"]),
        ("The plans in short:", ["CHATS"]),
        ("I couldn't find it, but Team costs 34 €.", ["ASSERTS"]),
        ("I couldn't find it; sorry about that.", ["NO_ANSWER"]),
        ("Obwohl ich dazu nichts finde, kostet Team 34 €.", ["ASSERTS"]),
        ("I could **not** find it.", ["NO_ANSWER"]),
        ("I couldn’t find it [1].", ["NO_ANSWER"]),
    ],
)
def test_acts(text: str, expected: list[str]) -> None:
    assert acts(text) == expected


def test_every_refusal_holds_a_negation() -> None:
    """Else its row would be skipped: the rows of refusals are tried beside a negation only."""
    said = {
        "I couldn't find it.", "Das weiß ich nicht.", "Je ne sais pas.", "No lo sé.",
        "No mention of it.", "The documents are silent on this.", "It is unclear.",
        "I must decline.",
    }  # fmt: skip

    assert all(any(word in text.lower() for word in NEGATIONS) for text in said)
    assert all(acts(text) in (["NO_ANSWER"], ["DENIES"]) for text in said)


def test_every_trigger_can_be_found() -> None:
    """A trigger is looked up by the first four letters of a word of the text."""
    for phrase in PHRASES:
        for trigger in phrase.triggers:
            assert any(trigger in words for words in speech._BY_BEGINNING.values()), trigger


def test_own_phrases() -> None:
    own = speech.own_phrases(Act.NO_ANSWER, ("Bin ich ÜBERFRAGT", " "))

    assert len(own) == 1
    assert [act.name for _, act in speech.read("Da bin ich überfragt.", own)] == ["NO_ANSWER"]
    assert acts("Da bin ich überfragt.") != ["NO_ANSWER"]


HOSTILE = [
    "I could not find ", "keine angaben ", "the documents do not ", "für for to, ", "not , but ",
    "ich kann nicht ", "i ", "while, ", "in the ", "no information about ", "please ",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * length)[:length]
        return cpu_seconds(lambda: read_both(text), times=1)

    def read_both(text: str) -> None:
        speech.read.__wrapped__(text + ".")
        speech.read.__wrapped__(text.replace(" ", ". A") + ".")

    seconds(500)
    assert seconds(64_000) < 40 * max(seconds(8_000), 0.005)
