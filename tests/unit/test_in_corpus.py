"""A number that retrieval did not bring, but the corpus holds: a hint on the case."""

from __future__ import annotations

import json

import pytest

from service.documents import Documents
from service.ingest import Ingest
from service.metrics import Metrics
from service.pipeline import Batch, Effects, read_items
from service.records import Record
from service.store import Caps, Store, connect
from tests.unit.answers import TERMS, raw

CORPUS = [("pricing#add-ons", "An extra seat is 54,00 € a month."), ("faq", "No number here.")]


def effects_of(value: bytes, corpus: str = "") -> Effects:
    connection = connect("memory://")
    store = Store.over(connection, Caps(), ("numbers",))
    documents = Documents(connection)
    documents.load(CORPUS, corpus)
    ingest = Ingest(store, documents, lambda: TERMS, Metrics())
    items = read_items([Record(0, 0, 1_796_000_000_000, None, value)], TERMS)
    return ingest.prepare(Batch("t", 0, "id", 0, 0, 1, 1, 0, {}, items), ingest.stages())


@pytest.mark.parametrize(
    ("language", "hint"),
    [
        ("en", "The corpus has it in pricing#add-ons, which was not retrieved."),
        ("de", "Im Korpus steht es in pricing#add-ons; das wurde nicht abgerufen."),
    ],
)
def test_the_finding_names_the_chunk(language: str, hint: str) -> None:
    wrong = raw("a", answer="It is 54 € [pricing#plans].", language=language)
    [case] = effects_of(wrong).cases
    body = json.loads(case.record)
    [finding] = body["findings"]
    assert finding["in_corpus"] == "pricing#add-ons"
    assert finding["detail"].endswith(hint)
    assert body["headline"] == finding["detail"]


def test_an_answer_of_another_corpus_gets_no_hint() -> None:
    wrong = raw("a", answer="It is 54 € [pricing#plans].", release={"corpus": "2026-10"})
    [case] = effects_of(wrong, corpus="2026-11").cases
    assert "in_corpus" not in json.loads(case.record)["findings"][0]


def test_a_number_that_stands_nowhere_gets_none() -> None:
    [case] = effects_of(raw("a", answer="It is 987 € [pricing#plans].")).cases
    assert "in_corpus" not in json.loads(case.record)["findings"][0]


def test_a_chunk_that_was_retrieved_is_no_hint() -> None:
    wrong = raw(
        "a",
        answer="It is 54 € [pricing#add-ons].",
        retrieved=[{"ref": "pricing#add-ons", "text": "Another version: ask us."}],
    )
    [case] = effects_of(wrong).cases
    assert "in_corpus" not in json.loads(case.record)["findings"][0]
