"""What the numbers check decides. Each row: a text, an answer, and the surfaces that are wrong."""

from __future__ import annotations

import pytest

from service.checks import numbers
from service.checks.model import CheckInput, CheckResult, NotEvaluated, Outcome
from service.events import AnswerEvent, Chunk, ContextItem
from service.policy import AppPolicy, NumberPolicy


def decide(
    answer: str,
    *texts: str | None,
    query: str = "",
    owned: tuple[tuple[int, int], ...] = (),
    context: tuple[ContextItem, ...] = (),
    in_prompt: bool = True,
    policy: AppPolicy | None = None,
) -> CheckResult:
    event = AnswerEvent(
        event_id="e",
        query=query,
        answer=answer,
        retrieved=[
            Chunk(ref=f"doc#{i}", text=text, in_prompt=in_prompt) for i, text in enumerate(texts)
        ],
        context=list(context),
    )
    return numbers.check(CheckInput(event, texts, policy or AppPolicy()), owned)


def wrong(result: CheckResult) -> list[str]:
    return [finding.surface for finding in result.findings]


SAME = [
    # separators
    ("Der Preis beträgt 1.234,56 € im Jahr.", "Es kostet 1234,56 Euro pro Jahr."),
    ("Es kostet 0,99 €.", "Es kostet 99 Cent."),
    ("The price is $1,234.56 a year.", "It costs 1234.56 dollars a year."),
    ("Le prix est de 1 234,56 € par an.", "Der Preis ist 1.234,56 €."),
    ("Die Gebühr beträgt 1'234.50 Franken.", "The fee is CHF 1,234.50."),
    ("The grant is Rs. 12,34,567 in total.", "The grant is ₹1,234,567."),
    ("The fund holds 25 lakh rupees.", "The fund holds 2,500,000 rupees."),
    ("The plant cost 3 crore rupees.", "The plant cost 30 million rupees."),
    ("売上は1億2000万円でした。", "The revenue was 120 million yen."),
    ("参加者は3万人でした。", "参加者は30,000人でした。"),
    ("Das Gerät wiegt ,67 kg.", "Es wiegt 0,67 kg."),
    # money
    ("Der Platz kostet 45,00 € im Monat.", "The seat is €45 a month."),
    ("Der Platz kostet EUR 45 im Monat.", "Der Platz kostet 45 Euro."),
    ("Revenue was $1.5 million.", "Revenue was 1,500,000 dollars."),
    ("Der Umsatz lag bei 1,5 Mio. Euro.", "Revenue was €1.5M."),
    ("Der Umsatz lag bei 412 T€.", "Der Umsatz lag bei 412.000 €."),
    ("Ingresos de 3 mil millones de euros.", "Revenue of €3 billion."),
    ("Un budget de 2 milliards d'euros.", "Ein Budget von 2 Mrd. Euro."),
    # words
    ("Innerhalb von zweiundsiebzig Stunden.", "Within 72 hours."),
    ("Die Frist beträgt anderthalb Jahre.", "The period is 1.5 years."),
    ("Ein Dutzend Stühle wird geliefert.", "Es werden 12 Stühle geliefert."),
    ("Two hundred and fifty guests came.", "250 guests came."),
    ("Nous avons soixante-quinze places.", "Wir haben 75 Plätze."),
    ("Il y a quatre-vingt-dix-sept marches.", "There are 97 steps."),
    ("La sala tiene treinta y cinco asientos.", "The room has 35 seats."),
    ("El plazo es de veintidós días.", "The term is 22 days."),
    ("Hay quinientos socios.", "There are 500 members."),
    ("The course lasts an hour and a half.", "The course lasts 90 minutes."),
    ("Cuesta ciento veinte euros.", "Cuesta 120 €."),
    ("A third of the users.", "33% of the users."),
    ("It takes half an hour.", "It takes 30 minutes."),
    ("Le trajet dure deux heures et demie.", "The trip takes 2.5 hours."),
    ("Die Sitzung dauert eine halbe Stunde.", "Die Sitzung dauert 30 Minuten."),
    ("Der Vertrag ist dreimonatig kündbar.", "Kündbar mit 3 Monaten."),
    ("The index is tenfold faster.", "The index is 10x faster."),
    ("It is the third edition.", "It is the 3rd edition."),
    ("Das zwanzigste Jahr.", "The 20th year."),
    # shares
    ("The rate is 50 per cent.", "The rate is 50 %."),
    ("La tasa es del 12,5 por ciento.", "The rate is 12.5%."),
    ("The content is 5‰.", "The content is 0.5 %."),
    ("The rate rose by 25 basis points.", "The rate rose by 0.25 percentage points."),
    # conversions
    ("The reply takes 72 hours.", "The reply takes 3 days."),
    ("Die Garantie gilt 24 Monate.", "The warranty is 2 years."),
    ("The rope is 1.5 km long.", "The rope is 1,500 m long."),
    ("The disk holds 2 TB.", "The disk holds 2,000 GB."),
    ("Bake at 350 °F.", "Bake at 177 °C."),
    ("The track is 5 miles long.", "The track is 8 km long."),
    # fractions, exponents
    ("Add 1½ cups of flour.", "Add 1 1/2 cups of flour."),
    ("Add ¾ cup of milk.", "Add 3/4 cup of milk."),
    ("The count is 1.2e6 cells.", "The count is 1.2 million cells."),
    ("Roughly 6×10^4 cells.", "60,000 cells."),
    # dates
    ("Start: 2026-07-29.", "It starts on 29.07.2026."),
    ("Start: 2026-07-29.", "It starts on July 29, 2026."),
    ("Start: 29/07/2026.", "Es beginnt am 29. Juli 2026."),
    ("Le 1er juin 2026.", "On 1 June 2026."),
    ("El 3 de mayo de 2025.", "On May 3rd, 2025."),
    ("开始于2026年7月29日。", "It starts on 29 July 2026."),
    ("Open from 2 to 5 May 2026.", "Open 2–5 May 2026."),
    ("Founded on March 4, 1999.", "Founded in 1999."),
    # times
    ("We close at 21:45.", "We close at 9:45 pm."),
    ("Wir schließen um 21.45 Uhr.", "We close at 21:45."),
    ("Ouvert jusqu'à 20h30.", "Open until 8:30 p.m."),
    ("Beginn um 14:30 Uhr.", "Beginn um halb drei nachmittags."),
    ("Starts at 2:15 pm.", "Starts at quarter past two."),
    ("营业到晚上九点。", "营业到21:00。"),
    ("Open 9 am to 5 pm.", "Open 9–17 Uhr."),
    # one-token things
    ("Fixed in version 3.2.0.", "Fixed in v3.2.0."),
    ("See ticket T-48213.", "The ticket is T-48213."),
    ("Call +49 40 123 4567.", "Call +49 (40) 123-4567."),
    ("As RFC 7231 says.", "See RFC 7231."),
    ("See Annex IV.", "See Annex 4."),
    ("IBAN DE89 3704 0044 0532 0130 00.", "IBAN: DE89370400440532013000."),
    # signs
    ("Der Verlust lag bei 3,2 Mio. €.", "Das Ergebnis war −3,2 Mio. €."),
    ("It works down to -20 °C.", "It works at minus 20 °C."),
    # scripts and markup
    ("手数料は３５０円です。", "The fee is 350 yen."),
    ("السعر ٤٥ €.", "The price is 45 €."),
    ("The fee is 45 €.", "The fee is **45** €."),
    ("There are 12,500 rows.", "There are $12\\,500$ rows."),
    ("两年保修", "保修期为2年"),
    ("Die Summe beträgt 1.250.\n000 Euro.", "Die Summe beträgt 1.250.000 Euro."),
    # ranges
    ("Versand in 3 bis 5 Werktagen.", "Shipping takes 3–5 working days."),
    ("Between 10 and 20 percent.", "Between 10% and 20%."),
    # approximations
    ("There are 1,234 members.", "There are about 1,200 members."),
    ("Es waren 4.987 Gäste.", "Es waren rund 5.000 Gäste."),
    ("The value is 3.14159.", "The value is ≈ 3.14."),
    ("It has 10,250 users.", "It has over 10,000 users."),
    # arithmetic
    ("Base 30 €, option 12 €.", "30 € plus 12 € are 42 €."),
    ("40 of the 200 rooms are free.", "40 of 200 rooms, i.e. 20 %, are free."),
]


@pytest.mark.parametrize(("text", "answer"), SAME)
def test_the_same_value_in_another_spelling_is_grounded(text: str, answer: str) -> None:
    result = decide(answer, text)
    assert wrong(result) == []
    assert result.outcome is Outcome.PASS
    assert result.evidence


DIFFERENT = [
    ("Es kostet 45 € im Monat.", "Es kostet 54 € im Monat.", "54 €", "transposed"),
    ("The fee is $99.", "The fee is £99.", "£99", "unit_mismatch"),
    ("The fee is 42% of the sum.", "It brought in $42M.", "$42M", "absent"),
    ("Der Umsatz lag bei 4.830 TEUR.", "Der Umsatz lag bei 4.830 Euro.", "4.830 Euro", "magnitude"),
    ("The dose is 1.25 mg.", "The dose is 12.5 mg.", "12.5 mg", "magnitude"),
    ("Die Gebühr ist 0,5 %.", "Die Gebühr ist 5 %.", "5 %", "magnitude"),
    ("It was -5 °C.", "It was 5 °C.", "5 °C", "sign"),
    ("Der Raum hat 45 m³.", "Der Raum hat 45 m².", "45 m²", "unit_mismatch"),
    ("Die Frist ist 36 Stunden.", "Die Frist ist 2 Tage.", "2 Tage", "absent"),
    ("Die Frist ist 14 Tage.", "Die Frist ist 14 Monate.", "14 Monate", "unit_mismatch"),
    (
        "Der Anteil stieg um 5 %.",
        "Er stieg um 5 Prozentpunkte.",
        "5 Prozentpunkte",
        "unit_mismatch",
    ),
    ("Founded in 2035 rooms.", "It has 35 rooms.", "35", "absent"),
    ("The share is 35%.", "There are 35 rooms.", "35", "unit_mismatch"),
    ("See T-35 for more.", "There are 35 rooms.", "35", "absent"),
    ("The length is 1.35 m.", "There are 35 rooms.", "35", "absent"),
    ("Start: 2026-07-29.", "It starts on 29 June 2026.", "29 June", "absent"),
    ("Start: 2026-07-29.", "It starts on 29 July 2027.", "2027", "absent"),
    ("We close at 21:45.", "We close at 20:45.", "20:45", "absent"),
    ("It ends at 12:00 a.m.", "It ends at 12:00 noon.", "12:00 noon", "absent"),
    ("See ticket T-48213.", "See ticket T-48231.", "T-48231", "transposed"),
    ("Fixed in version 3.2.0.", "Fixed in version 3.3.0.", "3.3.0", "absent"),
    ("Call 0800 123 4567.", "Call 0800 123 4576.", "0800 123 4576", "transposed"),
    ("In the third quarter.", "In the fourth quarter.", "fourth", "absent"),
    ("See Annex VI.", "See Annex 4.", "4", "absent"),
    ("Lieferung in KW 31.", "Lieferung in KW 13.", "KW 13", "transposed"),
    ("Versand in 3 bis 5 Tagen.", "Versand in 3–7 Tagen.", "7 Tagen", "absent"),
    ("Es sind fünfzehn Minuten.", "Es sind 50 Minuten.", "50 Minuten", "absent"),
    ("Es kommen zwölf Gäste.", "Es kommen zwanzig Gäste.", "zwanzig", "absent"),
    ("Rated 4.5 out of 5.", "Rated 4.8 out of 5.", "4.8", "absent"),
    ("There are 1,234 members.", "There are about 1,300 members.", "1,300", "absent"),
    ("There are 1,234 members.", "There are 1,200 members.", "1,200", "absent"),
    ("Speed is 3e8 m/s.", "Speed is 3e6 m/s.", "3e6 m/s", "magnitude"),
    ("营收1.5亿元。", "营收1500万元。", "1500万元", "magnitude"),
    ("Es kostet 14 € ab 40 Plätzen.", "Es kostet 40 €.", "40 €", "unit_mismatch"),
]


@pytest.mark.parametrize(("text", "answer", "surface", "reason"), DIFFERENT)
def test_another_value_is_a_finding(text: str, answer: str, surface: str, reason: str) -> None:
    result = decide(answer, text)
    assert [(finding.surface, finding.reason) for finding in result.findings] == [(surface, reason)]
    finding = result.findings[0]
    assert finding.start is not None
    assert answer[finding.start : finding.end] == surface
    assert len(finding.cause) <= 200
    assert "\n" not in finding.detail
    assert result.outcome is Outcome.FAIL
    assert result.failed == 1


NO_STATEMENT = [
    "1. Open the page\n2. Choose the option\n3) Save\n(4) Close",
    "## 1. Request\n\n### 2.3 Forms\n**Step 1:** copy\n**Schritt 2:** send",
    "1️⃣ Open it\n2️⃣ Close it",
    "As [1] and [2, 3] and [4–6] and [^7] say.",
    "According to passage 1, passages 2 and 3, and (Source 4).",
    "See https://example.org/v2/5530?id=17 or write to team24@example.org.",
    "Our B2B papers are A4, CO₂ neutral, on an H200 for COVID-19.",
    "It listens on [::1], see [02:30] and [call](tel:+49301234567).",
    "One of them is a good one.",
    "Eine davon ist eine gute.",
    "The first and the second half.",
    "```\nx = rows[17]\n```",
    "Nothing here.",
    "",
]


@pytest.mark.parametrize("answer", NO_STATEMENT)
def test_what_is_no_statement_is_not_checked(answer: str) -> None:
    result = decide(answer, "No numbers in this text.")
    assert result.outcome is Outcome.NOT_APPLICABLE
    assert result.evaluated == 0


def test_spans_of_citations_are_left_alone() -> None:
    answer = "The fee is 45 € {{77}}."
    start = answer.index("{{")
    assert wrong(decide(answer, "It is 45 €.")) == ["77"]
    assert wrong(decide(answer, "It is 45 €.", owned=((start, start + 6),))) == []


def test_evidence_says_where_a_number_stands() -> None:
    texts = ("Nothing.", "The Pro plan costs 45 € a month.")
    answer = "Pro is 45 Euro."
    (evidence,) = decide(answer, *texts).evidence
    assert (evidence.kind, evidence.ref, evidence.surface) == ("grounded", "doc#1", "45 Euro")
    assert evidence.chunk_start is not None
    assert texts[1][evidence.chunk_start : evidence.chunk_end] == "45 €"
    assert answer[evidence.start : evidence.end] == "45 Euro"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("That takes 3 days.", "derived"),
        ("That takes 72 hours.", "grounded"),
        ("For 250 people.", "from_query"),
        ("On plan 7.", "from_context"),
        ("It has about 1,200 members.", "approximate"),
    ],
)
def test_kinds_of_evidence(answer: str, kind: str) -> None:
    result = decide(
        answer,
        "It takes 72 hours. It has 1,234 members.",
        query="We are 250 people.",
        context=(ContextItem(name="plan", text="plan 7"),),
    )
    assert [evidence.kind for evidence in result.evidence] == [kind]


def test_earlier_answers_of_the_assistant_are_no_evidence() -> None:
    said = ContextItem(name="turn", kind="assistant", text="It costs 77 €.")
    assert wrong(decide("It costs 77 €.", "Nothing.", context=(said,))) == ["77 €"]


def test_chunks_outside_the_prompt_are_no_evidence() -> None:
    assert wrong(decide("It costs 77 €.", "It costs 77 €.", in_prompt=False)) == ["77 €"]


def test_a_missing_text_matters_only_when_something_is_not_found() -> None:
    assert decide("It costs 45 €.", "It costs 45 €.", None).outcome is Outcome.PASS
    result = decide("It costs 54 €.", "It costs 45 €.", None)
    assert result.outcome is Outcome.NOT_EVALUATED
    assert result.not_evaluated is NotEvaluated.MISSING_TEXT
    assert result.findings == ()


def test_code_can_be_left_out() -> None:
    answer = "Set `timeout = 90` please."
    assert wrong(decide(answer, "Set a timeout.")) == ["90"]
    policy = AppPolicy(numbers=NumberPolicy(in_code=False))
    assert decide(answer, "Set a timeout.", policy=policy).outcome is Outcome.NOT_APPLICABLE


def test_the_detail_names_the_nearest_thing_and_its_chunk() -> None:
    (finding,) = decide("It costs 54 €.", "Pro: 45 € a month.").findings
    assert finding.detail == (
        '"54 €" stands in no retrieved text. Nearest: "45 €" in doc#0 (digits swapped).'
    )


def test_alike_findings_share_their_cause() -> None:
    causes = {
        decide(answer, "Nothing.").findings[0].cause
        for answer in ("It is 54 €.", "It is 54,00 Euro.", "It is EUR 54.")
    }
    assert len(causes) == 1


@pytest.mark.parametrize("unit", ["1,", "1,111,", "[1", "two ", "5 € ", "1/2/", "一", "-5 "])
def test_hostile_sizes_are_refused_or_decided_in_bounded_work(unit: str) -> None:
    assert decide(unit * (1_000_000 // len(unit)), "5").not_evaluated is NotEvaluated.TOO_LARGE
    huge = decide("It is 7.", unit * (5_000_000 // len(unit)))
    assert huge.not_evaluated is NotEvaluated.TOO_LARGE
    assert decide(unit * 2_000, unit * 2_000).outcome is not Outcome.NOT_EVALUATED


def test_evidence_full_of_numbers_is_read_up_to_a_bound() -> None:
    assert decide("It is 7.", "two " * 60_000).not_evaluated is NotEvaluated.TOO_LARGE


def test_ten_thousand_numbers_are_too_many() -> None:
    result = decide(" ".join(str(i) for i in range(10_000)), "Nothing.")
    assert result.not_evaluated is NotEvaluated.TOO_LARGE


FILLER = "Nothing else is said about it in this part of the manual. " * 6


@pytest.mark.parametrize(
    ("stands", "said", "is_wrong"),
    [
        ("It holds 45 GB.", "It holds 45 gigabytes.", False),
        ("It holds 45\nGB.", "It holds 45 gigabytes.", False),
        ("It holds 45 GB.", "It holds 45 days.", True),
        # the unit stands before the number, behind what looks like the end of a sentence
        ("It costs Fr. 45 in all.", "It takes 45 days.", True),
        ("Part 1245, then 145 files, then 45 GB.", "It holds 45 gigabytes.", False),
    ],
)
def test_a_number_amid_a_long_text_is_read_with_what_stands_around_it(
    stands: str, said: str, is_wrong: bool
) -> None:
    text = FILLER + stands + " " + FILLER
    result = decide(said, text)
    assert bool(wrong(result)) is is_wrong
    if not is_wrong:
        [evidence] = result.evidence
        assert text[evidence.chunk_start : evidence.chunk_end].split() == ["45", "GB"]


def test_a_number_is_not_what_is_left_of_a_longer_one_at_the_edge_of_what_is_read() -> None:
    text = "It holds 45 files." + " -" * 54 + " 17 000 45 000 GB " + FILLER
    assert wrong(decide("It holds 17 GB.", text)) == ["17 GB"]
