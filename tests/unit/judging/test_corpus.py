"""Whether the corpus holds a claim's evidence: most of its words, and all of its numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.judging.corpus import ENOUGH, CorpusIndex

TEXTS = {
    "preise": "Ein zusätzlicher Platz kostet im Pro-Tarif 54,00 € im Monat.",
    "termine": "Rechnungen werden zum 1. März 2026 um 14:30 Uhr verschickt.",
    "limits": "The export holds at most twelve thousand rows and five columns.",
    "release": "Release v2.3.1 fixes the broken export.",
}
INDEX = CorpusIndex(TEXTS)


@pytest.mark.parametrize(
    ("claim", "ref"),
    [
        ("Ein zusätzlicher Platz kostet 54 Euro im Monat.", "preise"),
        ("Ein zusätzlicher Platz kostet vierundfünfzig Euro im Pro-Tarif.", "preise"),
        ("Ein zusätzlicher Platz kostet 45 Euro im Monat.", None),
        ("Rechnungen werden am 01.03.2026 verschickt.", "termine"),
        ("Rechnungen werden am 02.03.2026 verschickt.", None),
        ("The export holds 12,000 rows.", "limits"),
        ("The export holds 12,000 rows and 6 columns.", None),
        ("The export holds many rows of gold and silver.", None),
        ("Release v2.3.1 fixes the export.", "release"),
        ("Release v2.3.2 fixes the export.", None),
        ("54 Euro", None),  # a number alone is found everywhere
        ("Nein.", None),
        ("", None),
    ],
)
def test_examples(claim: str, ref: str | None) -> None:
    assert INDEX.holds(claim) == ref


def test_the_share_of_words_is_at_least_enough() -> None:
    words = ["alpha", "bravo", "charlie", "delta", "foxtrot"]
    index = CorpusIndex({"a": " ".join(words[:4]), "b": " ".join(words[:3])})
    assert ENOUGH == 4 / 5
    assert index.holds(" ".join(words)) == "a"
    assert CorpusIndex({"b": " ".join(words[:3])}).holds(" ".join(words)) is None


def test_the_best_chunk_wins_and_of_equals_the_first_by_name() -> None:
    texts = {
        "c": "alpha bravo charlie delta",
        "b": "alpha bravo charlie delta foxtrot",
        "a": "alpha bravo charlie delta foxtrot",
    }
    claim = "alpha bravo charlie delta foxtrot"
    assert CorpusIndex(texts).holds(claim) == "a"
    assert CorpusIndex(dict(reversed(texts.items()))).holds(claim) == "a"


def test_a_corpus_that_is_too_large_is_refused_and_not_cut() -> None:
    size = sum(map(len, TEXTS.values()))
    assert CorpusIndex(TEXTS, max_chars=size).holds("Release v2.3.1 fixes the export.")
    with pytest.raises(ValueError, match=f"{size} characters, more than the {size - 1}"):
        CorpusIndex(TEXTS, max_chars=size - 1)


WORDS = ["alpha", "bravo", "charlie", "delta", "foxtrot", "golf", "7", "19"]
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)


@given(st.dictionaries(st.sampled_from("abcdef"), SENTENCES), SENTENCES)
def test_the_index_finds_what_reading_every_chunk_finds(texts: dict[str, str], claim: str) -> None:
    words = {word for word in claim.split() if word.isalpha()}
    numbers = {word for word in claim.split() if word.isdigit()}
    held: list[tuple[int, str]] = []
    for ref, text in sorted(texts.items()):
        shared = len(words & set(text.split()))
        if shared >= ENOUGH * len(words) and numbers <= set(text.split()):
            held.append((-shared, ref))
    asked = len(words) + len([word for word in claim.split() if word.isdigit()])
    assert CorpusIndex(texts).holds(claim) == (min(held)[1] if held and asked >= 2 else None)
