"""Properties of the two main checks over generated input."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from service.checks import citations, numbers
from service.checks.model import CheckInput, CheckResult
from service.checks.reading import digits, language
from service.checks.reading.reader import read
from service.events import AnswerEvent, Chunk, Citation
from service.policy import AppPolicy


def decide(answer: str, text: str, query: str = "") -> CheckResult:
    event = AnswerEvent(
        event_id="e", query=query, answer=answer, retrieved=[Chunk(ref="doc#1", text=text)]
    )
    return numbers.check(CheckInput(event, (text,), AppPolicy()))


# ── notations ─────────────────────────────────────────────────────────────────────────────────


def grouped(whole: int, mark: str) -> str:
    return f"{whole:,}".replace(",", mark)


def indian(whole: int) -> str:
    head, tail = divmod(whole, 1000)
    if not head:
        return str(whole)
    pairs = []
    while head:
        head, pair = divmod(head, 100)
        pairs.append(f"{pair:02d}" if head else str(pair))
    return ",".join([*reversed(pairs), f"{tail:03d}"])


ARABIC_INDIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
WIDE = str.maketrans("0123456789.,", "０１２３４５６７８９．，")

Notation = Callable[[int, int], str]
"""Whole part and hundredths → digits."""


def decimals(hundredths: int, mark: str) -> str:
    return f"{mark}{hundredths:02d}" if hundredths else ""


GERMAN = "Der Wert beträgt nach den Unterlagen {} Euro und wird mit der Rechnung fällig."
ENGLISH = "The value is {} euros according to the documents and is due with the invoice."
FRENCH = "La valeur est de {} euros selon les documents et elle est due avec la facture."
SPANISH = "El valor es de {} euros según los documentos y se paga con la factura."

NOTATIONS: dict[str, tuple[str, Notation]] = {
    "German points": (GERMAN, lambda w, h: grouped(w, ".") + decimals(h, ",")),
    "German plain": (GERMAN, lambda w, h: f"{w}" + decimals(h, ",")),
    "German spaces": (GERMAN, lambda w, h: grouped(w, "\u202f") + decimals(h, ",")),
    "Swiss": (GERMAN, lambda w, h: grouped(w, "’") + decimals(h, ".")),
    "English": (ENGLISH, lambda w, h: grouped(w, ",") + decimals(h, ".")),
    "English plain": (ENGLISH, lambda w, h: f"{w}" + decimals(h, ".")),
    "English cents": (ENGLISH, lambda w, h: grouped(w, ",") + f".{h:02d}"),
    "Indian": (ENGLISH, lambda w, h: indian(w) + decimals(h, ".")),
    "French": (FRENCH, lambda w, h: grouped(w, "\u00a0") + decimals(h, ",")),
    "French thin": (FRENCH, lambda w, h: grouped(w, "\u2009") + decimals(h, ",")),
    "Spanish": (SPANISH, lambda w, h: grouped(w, ".") + decimals(h, ",")),
    "Arabic-Indic": (ENGLISH, lambda w, h: (f"{w}" + decimals(h, ".")).translate(ARABIC_INDIC)),
    "full width": (ENGLISH, lambda w, h: f"{grouped(w, ',')}{decimals(h, '.')}".translate(WIDE)),
    "LaTeX": (ENGLISH, lambda w, h: "$" + grouped(w, "\\,") + decimals(h, ".") + "$"),
    "emphasis": (GERMAN, lambda w, h: f"**{grouped(w, '.')}{decimals(h, ',')}**"),
}  # fmt: skip

notations = st.sampled_from(sorted(NOTATIONS))
wholes = st.integers(min_value=2, max_value=9_999_999)
hundredths = st.integers(min_value=0, max_value=99)


@settings(max_examples=300, deadline=None)
@given(notations, notations, wholes, hundredths)
def test_a_number_is_found_in_every_notation(ours: str, theirs: str, whole: int, part: int) -> None:
    (answer, write), (text, spell) = NOTATIONS[ours], NOTATIONS[theirs]
    result = decide(answer.format(write(whole, part)), text.format(spell(whole, part)))
    assert result.findings == ()
    assert result.evaluated == 1


@settings(max_examples=300, deadline=None)
@given(notations, notations, wholes, hundredths, st.data())
def test_one_changed_digit_is_noticed(
    ours: str, theirs: str, whole: int, part: int, data: st.DataObject
) -> None:
    shown = f"{whole}{part:02d}"
    at = data.draw(st.integers(0, len(shown) - 1))
    digit = data.draw(st.sampled_from([d for d in "0123456789" if d != shown[at]]))
    changed = shown[:at] + digit + shown[at + 1 :]
    assume(not changed.startswith("0"))
    (answer, write), (text, spell) = NOTATIONS[ours], NOTATIONS[theirs]
    given_text = text.format(spell(whole, part))
    result = decide(answer.format(write(int(changed[:-2]), int(changed[-2:]))), given_text)
    assert len(result.findings) == 1


MONTHS = "January February March April May June July August September October November December"
MONATE = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"


@settings(max_examples=200, deadline=None)
@given(st.dates(min_value=date(1950, 1, 1), max_value=date(2060, 12, 31)))
def test_a_date_is_found_in_every_notation(day: date) -> None:
    name, name_de = MONTHS.split()[day.month - 1], MONATE.split()[day.month - 1]
    spelled = [
        f"Filed on {day.isoformat()} by the office.",
        f"Filed on {name} {day.day}, {day.year} by the office.",
        f"Filed on {day.day} {name} {day.year} by the office.",
        f"Eingereicht am {day.day}. {name_de} {day.year} beim Amt.",
        f"Eingereicht am {day.day:02d}.{day.month:02d}.{day.year} beim Amt.",
        f"于{day.year}年{day.month}月{day.day}日提交。",
    ]
    for answer in spelled:
        for text in spelled:
            assert decide(answer, text).findings == ()


# ── hostile input ─────────────────────────────────────────────────────────────────────────────

PIECES = st.sampled_from(
    [
        *(
            "1 12 1,234 1.234,56 0 ½ ² ⁹ ٣ ５ 三十 百分之 万 € $ % [ ] ( ) 【 】 † <cite> </cite> "
            "[1] [doc#1] [^2] [1–9] {{source:1}} \\cite{a} https://a.example/1 ` ``` İ ß ſ - – − + "
            "/ : . , ' x e9 ^ * _ # | KW Q3 v1. T- million zweiundsiebzig half past two halb drei "
            "July 29.07. 2026 21:45 Uhr Annex VI about minus a@b.example IBAN DE89 +49 30 1e999 "
            "10^400 \ud7ff 𝟙 ① Ⅳ"
        ).split(),
        *("\n", " ", "\t", "\u00a0", "\u200b", "\ue200"),
    ]
)
hostile = st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=120)


@settings(max_examples=400, deadline=None)
@given(hostile, hostile, hostile)
@example("1e999 10^400", "1e999", "")
def test_nothing_raises_and_offsets_slice_to_the_surface(
    answer: str, text: str, query: str
) -> None:
    event = AnswerEvent(
        event_id="e",
        query=query,
        answer=answer,
        retrieved=[Chunk(ref="doc#1", text=text), Chunk(ref="https://a.example/1", text=text)],
        citations=[Citation(ref="doc#1", start=1, end=3), Citation(ref=answer[:9] or "x")],
    )
    given_all = CheckInput(event, (text, text), AppPolicy())
    reading = citations.read(event, given_all.policy.citations)
    cited = citations.check(given_all, reading)
    counted = numbers.check(given_all, cited.owned, reading)
    for result in (cited, counted):
        for evidence in result.evidence:
            if evidence.start is not None:
                assert answer[evidence.start : evidence.end] == evidence.surface
            if evidence.chunk_start is not None and evidence.chunk_end is not None:
                assert 0 <= evidence.chunk_start <= evidence.chunk_end <= len(text)
        for finding in result.findings:
            if finding.start is not None:
                assert answer[finding.start : finding.end] == finding.surface
            if finding.near_start is not None and finding.near_end is not None:
                assert 0 <= finding.near_start <= finding.near_end <= len(text)


@settings(max_examples=300, deadline=None)
@given(hostile)
def test_the_short_path_reads_what_the_long_one_reads(text: str) -> None:
    short = read(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digits, "_plain_number", lambda text, start: None)
        assert read(text) == short


@given(hostile)
def test_every_text_has_a_language_or_none(text: str) -> None:
    assert language.detect(text) in {"de", "en", "fr", "es", "zh", "ja", "und"}
