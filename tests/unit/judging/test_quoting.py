"""A quote stands in a text or it does not; where it does, its place in the raw text is right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.judging.quoting import MAX_QUOTE, Folded


def found(text: str, quote: str) -> str | None:
    span = Folded(text).find(quote)
    return None if span is None else text[slice(*span)]


@pytest.mark.parametrize(
    ("text", "quote", "raw"),
    [
        ("Pro: 45 € a seat.", "45 € a seat", "45 € a seat"),
        ("Pro: 45 € a seat.", "pro: 45 € a seat", "Pro: 45 € a seat"),
        ("Pro: 45 €\n  a seat.", "45 € a seat.", "45 €\n  a seat"),
        ("Pro: 45\u00a0€ a seat.", "45 € a seat", "45\u00a0€ a seat"),
        ("Ver\u00adfüg\u200bbar ab Mai", "Verfügbar ab Mai", "Ver\u00adfüg\u200bbar ab Mai"),
        ("Er sagt „so geht das nicht“.", 'sagt "so geht das', "sagt „so geht das"),
        ("That isn’t paid.", "isn't paid", "isn’t paid"),
        ("open 9 – 17 h", "9 - 17 h", "9 – 17 h"),
        ("wait … then go", "wait ... then go", "wait … then go"),
        ("Pro: **45 €** a `seat`", "Pro: 45 € a seat", "Pro: **45 €** a `seat"),
        ("Fu\u0308r Mu\u0308ll", "Für Müll", "Fu\u0308r Mu\u0308ll"),
        ("Für Müll", "Fu\u0308r Mu\u0308ll", "Für Müll"),
        ("Das Menü. Mehr", "das Menu\u0308", "Das Menü"),
        ("料金は百円です", "料金は百円", "料金は百円"),
        ("code ISO-9001 holds", "9001 holds", "9001 holds"),
        ("Ende gut.", '"Ende gut."', "Ende gut"),
    ],
)
def test_copying_changes_do_not_count(text: str, quote: str, raw: str) -> None:
    assert found(text, quote) == raw


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Pro: 45 € a seat.", "54 € a seat"),
        ("Pro: 45 € a seat.", "5 € a seat"),  # a number that was cut
        ("costs 1,54 €", "54 €"),
        ("costs 1.540 €", "costs 1"),
        ("10–20 €", "20 €"),
        ("it is -5 °C", "5 °C"),
        ("not refundable", "refund"),  # a word that was cut
        ("das Für und Wider", "das Fu"),
        ("the price is paid", "the price … paid"),  # two pieces
        ("the price is paid", "the"),  # says nothing
        ("the price is paid", ""),
        ("the price is paid", " .,\u200b"),
        ("the price is paid", "is paid the price"),
        ("x² metres", "x2 metres"),
        ("", "price"),
    ],
)
def test_everything_else_does(text: str, quote: str) -> None:
    assert found(text, quote) is None


def test_a_whole_place_is_found_behind_a_cut_one() -> None:
    assert Folded("145 € and 45 €").find("45 €") == (10, 14)


def test_an_endless_quote_is_none() -> None:
    text = "price " * MAX_QUOTE
    assert found(text, text) is None
    assert found(text, "price " * 100) is not None


WORDS = st.lists(st.sampled_from(["price", "Größe", "45", "“so”", "a\u0308b", "—", "円", "1,5"]))
GAPS = st.sampled_from([" ", "\n", "\u00a0", " \u200b", "\u00ad ", " ** "])


@given(WORDS, WORDS, WORDS, st.data())
def test_a_copied_run_of_words_is_found_where_it_stands(
    before: list[str], copied: list[str], behind: list[str], data: st.DataObject
) -> None:
    def spaced(words: list[str]) -> str:
        return "".join(word + data.draw(GAPS) for word in words)

    text = spaced(["start", *before, *copied, *behind, "end"])
    quote = " ".join(["price", *copied]) if not copied else " ".join(copied)
    span = Folded(text).find(quote)
    if copied and {"price", "Größe", "45", "1,5"} & set(copied):
        assert span is not None
    if span is not None:
        raw = text[slice(*span)]
        assert Folded(raw).text.strip(" \"'.,;:") == Folded(quote).text.strip(" \"'.,;:")
