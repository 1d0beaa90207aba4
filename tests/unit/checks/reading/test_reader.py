"""What the reader finds in a text, and where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.checks.reading import digits, evidence, reader
from service.checks.reading.content_words import VOCABULARIES, vocabulary
from service.checks.reading.hints import hint_of, together
from service.checks.reading.passage import Passage
from service.checks.reading.quantities import Form, Kind, Reading
from service.checks.reading.reader import read, read_known


def values(text: str) -> list[tuple[str, tuple[float, ...], str | None]]:
    """Surface, readings and unit of every number in a text."""
    return [
        (text[q.start : q.end], q.values, q.unit.name if q.unit else None)
        for q in read(text).quantities
        if q.kind is Kind.NUMBER
    ]


@pytest.mark.parametrize(
    ("text", "surface", "value", "unit"),
    [
        ("Es kostet 1.234,56 € im Jahr.", "1.234,56 €", 1234.56, "EUR"),
        ("It costs US$ 1,234.56 a year.", "US$ 1,234.56", 1234.56, "USD"),
        ("CHF 1’250.00 im Jahr", "CHF 1’250.00", 1250.0, "CHF"),
        ("1\u202f249,90\u00a0€ par an", "1\u202f249,90\u00a0€", 1249.9, "EUR"),
        ("12,34,567 rupees", "12,34,567 rupees", 1234567.0, "INR"),
        ("4.830 TEUR für das Jahr und der Rest ist nicht dabei", "4.830 TEUR", 4830000.0, "EUR"),
        ("1,2 Mrd. €", "1,2 Mrd. €", 1.2e9, "EUR"),
        ("$42M", "$42M", 42e6, "USD"),
        ("1億2000万円", "1億2000万円", 1.2e8, "JPY"),
        ("百分之三十", "百分之三十", 30.0, "%"),
        ("70 basis points", "70 basis points", 70.0, "bp"),
        ("zweieinhalb Jahre", "zweieinhalb Jahre", 2.5, "a"),
        ("eine Viertelstunde", "Viertelstunde", 15.0, "min"),
        ("deux heures et demie", "deux heures et demie", 2.5, "h"),
        ("2½ hours", "2½ hours", 2.5, "h"),
        ("3.0×10⁸ m/s", "3.0×10⁸ m/s", 3e8, "m/s"),
        ("120 m2", "120 m2", 120.0, "m²"),
        (",79 €", ",79 €", 0.79, "EUR"),
        ("zehn Pro-\nzent", "zehn Pro-\nzent", 10.0, "%"),
        ("$64.96\\,\\%$", "64.96\\,\\%", 64.96, "%"),
        ("10x faster", "10x", 10.0, "x"),
    ],
)
def test_numbers_are_read_with_unit_and_place(
    text: str, surface: str, value: float, unit: str
) -> None:
    assert values(text) == [(surface, (value,), unit)]


def test_the_reading_of_a_single_separator_follows_the_text() -> None:
    german = "Der Wert für die Anlage ist 2.750 und wird nicht geändert."
    english = "The value of the plant is 2.750 and will not be changed."
    assert values(german)[0][1] == (2750.0,)
    assert values(english)[0][1] == (2.75,)
    assert values("The price is 0,67 and the sum of it is 2.750 in this.")[0][1] == (0.67,)
    assert set(values("2.750")[0][1]) == {2750.0, 2.75}


def test_minus_and_range_are_told_apart() -> None:
    low, high = read("rated for -65 - 0 °C").quantities
    assert (low.sign, low.values, high.sign, high.values) == (-1, (65.0,), 0, (0.0,))
    assert low.unit is high.unit
    first, second = read("3-5 days").quantities
    assert (first.sign, second.sign) == (0, 0)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2026-07-29", (2026, 7, 29)),
        ("29.07.26", (2026, 7, 29)),
        ("29. Juli 2026", (2026, 7, 29)),
        ("July 29, 2026", (2026, 7, 29)),
        ("29 juillet 2026", (2026, 7, 29)),
        ("29 de julio de 2026", (2026, 7, 29)),
        ("2026年7月29日", (2026, 7, 29)),
        ("7/29/2026", (2026, 7, 29)),
        ("十二月三十一日", (None, 12, 31)),
        ("Juli 2026", (2026, 7, None)),
    ],
)
def test_dates(text: str, date: tuple[int | None, int | None, int | None]) -> None:
    (found,) = read(text).quantities
    assert (found.kind, found.dates) == (Kind.DATE, (date,))


def test_an_undecided_date_keeps_both_readings() -> None:
    (found,) = read("03/04/2025").quantities
    assert set(found.dates) == {(2025, 4, 3), (2025, 3, 4)}
    dispatched = read("Dates are in MM/DD/YYYY: 03/04/2025").quantities
    assert dispatched[-1].dates == ((2025, 3, 4),)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("21:45", (1305,)),
        ("9:45 pm", (1305,)),
        ("9:45", (585, 1305)),
        ("21.45 Uhr", (1305,)),
        ("12 Uhr am Folgetag", (720,)),
        ("12:00 a.m.", (0,)),
        ("halb drei am Nachmittag", (870,)),
        ("Viertel nach acht", (495, 1215)),
        ("fünf Uhr", (300, 1020)),
        ("晚上九点", (1260,)),
    ],
)
def test_times(text: str, minutes: tuple[int, ...]) -> None:
    (found,) = read(text).quantities
    assert (found.kind, found.minutes) == (Kind.TIME, minutes)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("T-48213", "t-48213"),
        ("v3.2.0", "3.2"),
        ("Version 3.0", "3"),
        ("+49 (40) 123-4567", "tel:49401234567"),
        ("DE89 3704 0044 0532 0130 00", "de89370400440532013000"),
        ("CO2", "co2"),
    ],
)
def test_names_are_kept_whole(text: str, code: str) -> None:
    (found,) = read(text).quantities
    assert (found.kind, found.code) == (Kind.CODE, code)


def test_commas_without_spaces_make_a_list() -> None:
    assert [q.values for q in read("1,1,1,1").quantities] == [(1.0,)] * 4


def test_digits_in_skipped_spans_are_passed_over() -> None:
    text = "5 [77] 6"
    assert [q.values for q in read(text, [(2, 6)]).quantities] == [(5.0,), (6.0,)]


@given(st.text("threVIhalb 12[]¹.\u00a0", max_size=30), st.lists(st.integers(0, 30), max_size=6))
def test_words_within_skipped_spans_say_nothing(text: str, ends: list[int]) -> None:
    ends = sorted({end for end in ends if end <= len(text)})
    skip = list(zip(ends[::2], ends[1::2], strict=False))
    outside = reader._outside(text, skip).split()
    assert reader._hint(text, skip) == together([h for one in outside if (h := hint_of(one))])


@pytest.mark.parametrize(
    ("text", "skip"), [("three [seven] days", [(6, 13)]), ("threeQ1 days", [(5, 7)])]
)
def test_a_word_outside_skipped_spans_is_sought(text: str, skip: list[tuple[int, int]]) -> None:
    hint = reader._hint(text, skip)
    assert hint is not None
    assert hint.number_words == ("three",)


def test_roman_numerals_count_where_they_number_something() -> None:
    (found,) = read("I read Annex VI").quantities
    assert (found.form, found.values) == (Form.ROMAN, (6.0,))


@given(
    st.text(
        alphabet="0123456789 .,-–:/%€$[](){}'\\\nTvxeE½一二十百万月日年点Aahmunds²", max_size=60
    )
)
def test_every_quantity_lies_inside_its_text(text: str) -> None:
    reading = read(text)
    assert len(reading.text) == len(text)
    last = 0
    for found in reading.quantities:
        assert last <= found.start < found.end <= len(text)
        assert found.start <= found.value_start < found.value_end <= found.end
        last = found.start


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    assert len(read(text).text) == len(text)


WORDS = (
    "three Three, THREE drei-und zwei, zweieinhalb Stunden halb drei half past two noon Annex VI V "
    "once un une ein elf quatre-vingt-dix three_years x3three fünfunddreißig fuenf twenty-one the "
    "(seventy-two) 24\\u00a0hours 3 Mrd. Dreißig ½ ⅓ 2⅔ Kapitel IX ½eleven elevenish eleven "
    "don’t 一百二十 三月五日"
).split(" ")


def as_known(text: str) -> Reading:
    """What is read of a text of which the vocabulary is known."""
    found = vocabulary(text)
    return read_known(text, found.hint, found.plain)


@given(
    st.lists(st.sampled_from(WORDS), max_size=30),
    st.sampled_from([" ", "\n", "\u00a0", "\u202f", "\u3000"]),
)
def test_a_text_reads_alike_where_its_vocabulary_is_known(words: list[str], gap: str) -> None:
    text = gap.join(words)

    assert as_known(text) == read(text)


@given(
    st.text(st.sampled_from("0123456789½⅓¾?ä€\u2028\ud800a ٣三分之百，’−\u00a0\\u"), max_size=40)
)
def test_signs_read_alike_where_the_vocabulary_is_known(text: str) -> None:
    assert as_known(text) == read(text)


def test_a_text_whose_words_are_known_is_not_sieved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The trial takes 3 weeks, which no other text says in these words."
    assert VOCABULARIES.of(text).hint is None
    monkeypatch.setattr(reader, "_HINTS", None)

    assert [found.values for found in evidence.Index(text).quantities] == [(3.0,)]


@given(st.text(st.sampled_from("0123456789½⅓?ä€\u2028\ud800a ٣"), max_size=40))
def test_every_place_where_a_number_may_begin_is_marked(text: str) -> None:
    passage = Passage(text)
    marks = digits._marks(passage)

    assert len(marks) == len(passage.text)
    for mark, char in zip(marks, passage.text, strict=True):
        if char in "0123456789" or char in digits._VULGAR:
            assert mark == digits._MARK
        elif char not in "?ä€\u2028\ud800":
            assert mark == "\0"


@pytest.mark.parametrize("text", ["1e300-Mrd ", "1e308 Billionen", "9e307 Mio. kg", "1e-300 Mrd."])
def test_no_power_of_ten_is_too_large(text: str) -> None:
    for quantity in read(text).quantities:
        assert text[quantity.start : quantity.end]
