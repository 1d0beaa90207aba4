"""Folding leaves the length, and a text that has nothing to fold, as it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from service.checks.reading.folding import beyond_ascii, fold

ANY = st.text(st.characters(codec=None))


@given(ANY)
def test_what_is_beyond_ascii(text: str) -> None:
    assert beyond_ascii(text) == "".join(char for char in text if ord(char) > 127)


@given(ANY)
def test_folding_keeps_the_length(text: str) -> None:
    assert len(fold(text)) == len(text)


def test_folded_characters() -> None:
    assert fold("４５\u202f€ – ü") == "45 € – ü"
    assert fold("Preis: 45 € für größere Räume") == "Preis: 45 € für größere Räume"
