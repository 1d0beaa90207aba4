"""The check ``quotes``: labelled cases, what a finding tells, limits, what belongs to others."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.checks import quotes
from service.checks.model import CheckInput, CheckResult, NotEvaluated, Outcome, Severity
from service.checks.reading.verbatim import Wording
from service.events import Citation
from service.policy import AppPolicy
from tests.unit.answers import as_event
from tests.unit.checks import labelled
from tests.unit.checks.labelled import reported, run, score
from tests.unit.timing import cpu_seconds

RULE = "A refund is paid within ten working days, provided that the plan was billed yearly."


def check(answer: str, *chunks: str | None, policy: AppPolicy | None = None) -> CheckResult:
    return run("quotes", labelled.given(answer, *(chunks or (RULE,)), policy=policy))


def structured(*citations: tuple[str, str], chunks: tuple[str | None, ...]) -> CheckResult:
    case = labelled.given("Paid.", *chunks)
    case.event.citations = [Citation(ref=ref, quote=quote) for ref, quote in citations]
    return quotes.check(case)


def test_the_labelled_cases() -> None:
    tally, wrong = score("quotes")

    assert wrong == []
    assert tally.lines >= 40


def test_a_finding_names_the_nearest_passage_and_the_difference() -> None:
    result = check(
        'It says "a refund is paid within two working days, provided that".', "No.", RULE
    )

    (finding,) = result.findings
    assert (finding.reason, finding.severity) == ("not_verbatim", Severity.MEDIUM)
    assert finding.detail == (
        '"a refund is paid within two working days, provided that" stands in no retrieved text '
        'word for word. Nearest in kb-2: "A refund is paid within ten working days, provided that" '
        '("two" instead of "ten").'
    )
    assert finding.cause == "a refund is paid within two working days provided that"


def test_a_difference_is_told_with_its_apostrophe() -> None:
    result = check(
        'They say "we gladly accept cash at the desk".', "We don’t accept cash at the desk."
    )

    assert result.findings[0].detail.endswith('("gladly" instead of "don\'t").')


def test_a_finding_speaks_german_about_a_german_answer() -> None:
    result = check("Es heißt: „Wir erstatten jeden Betrag ohne Frage“, und das ist alles.")

    (finding,) = result.findings
    assert (finding.reason, finding.severity) == ("not_found", Severity.HIGH)
    assert finding.detail == (
        "„Wir erstatten jeden Betrag ohne Frage“ steht in keinem abgerufenen Text, auch nichts "
        "Ähnliches."
    )


def test_evidence_says_where_the_quotation_stands() -> None:
    result = check('It says "within **ten**  working days".', "No.", RULE)

    (evidence,) = result.evidence
    assert (evidence.kind, evidence.ref) == ("grounded", "kb-2")
    assert RULE[evidence.chunk_start : evidence.chunk_end] == "within ten working days"


def test_the_words_of_the_user_are_evidence_from_the_query() -> None:
    case = labelled.given('You asked "where is my refund now".', RULE)
    case.event.query = "Where is my refund, now?"

    (evidence,) = quotes.check(case).evidence

    assert (evidence.kind, evidence.ref, evidence.chunk_start) == ("from_query", None, None)


def test_a_failed_quotation_owns_what_is_wrong_within_it() -> None:
    answer = 'It says "all refunds are paid on the spot, up to 900 €".'
    case = labelled.given(answer, RULE)

    (span,) = quotes.check(case).owned

    assert answer[slice(*span)] == '"all refunds are paid on the spot, up to 900 €"'
    assert run("numbers", case).outcome is Outcome.NOT_APPLICABLE


def test_a_number_that_alone_is_wrong_is_left_to_the_numbers() -> None:
    answer = 'It says "a refund is paid within 14 working days".'
    case = labelled.given(answer, RULE.replace("ten", "10"))

    assert quotes.check(case).outcome is Outcome.NOT_APPLICABLE
    (finding,) = run("numbers", case).findings
    assert finding.surface.startswith("14")


def test_it_is_not_left_to_the_numbers_where_they_are_not_checked_or_would_pass() -> None:
    answer = 'It says "a refund is paid within 14 working days".'
    rule = RULE.replace("ten", "10")
    off = AppPolicy(disabled_checks=frozenset({"numbers"}))

    assert check(answer, rule, policy=off).failed == 1
    assert check(answer, rule, "14 seats").failed == 1


def test_structured_quotes_name_the_chunk_that_holds_them() -> None:
    result = structured(("kb-2", "within ten working days"), chunks=(RULE, "Seats are free."))

    (finding,) = result.findings
    assert (finding.reason, finding.start, finding.end) == ("quote_not_in_ref", None, None)
    assert finding.detail == (
        '"within ten working days" is cited from kb-2, but does not stand there; it stands in kb-1.'
    )
    assert result.owned == ()


def test_a_structured_quote_may_be_short_and_its_ref_a_number_or_a_document() -> None:
    event = as_event(
        {
            "event_id": "e",
            "query": "?",
            "answer": "Paid.",
            "retrieved": [
                {"ref": "terms#seats", "text": "Seats are free."},
                {"ref": "terms#refunds", "text": RULE},
            ],
            "citations": [
                {"ref": "2", "quote": "ten"},
                {"ref": "terms", "quote": "billed yearly"},
            ],
        }
    )

    result = quotes.check(
        CheckInput(event, tuple(chunk.text for chunk in event.retrieved), AppPolicy())
    )

    assert (result.outcome, result.evaluated) == (Outcome.PASS, 2)


def test_a_text_that_could_hold_it_is_missing() -> None:
    result = check('It says "all refunds are paid on the spot".', RULE, None)

    assert result.not_evaluated is NotEvaluated.MISSING_TEXT
    assert check('It says "a refund is paid within ten".', RULE, None).outcome is Outcome.PASS


def test_the_limits() -> None:
    quotation = '"a refund is paid within ten". '

    assert check(quotation * quotes.MAX_QUOTES).outcome is Outcome.PASS
    for answer in (quotation * (quotes.MAX_QUOTES + 1), quotation + "a" * quotes.MAX_ANSWER):
        assert check(answer).not_evaluated is NotEvaluated.TOO_LARGE
    assert check(quotation, "a" * (5 << 20)).not_evaluated is NotEvaluated.TOO_LARGE


@pytest.mark.parametrize(
    "answer", ['"' * 100_000, "„" * 100_000, " 'a" * 50_000, '"a ' * 60_000, "“a” " * 40_000]
)
def test_marks_without_end_cost_linear_time(answer: str) -> None:
    assert cpu_seconds(lambda: check(answer), times=1) < 2


@given(st.text(), st.text())
@example('"\ufb01\u00df \u0130 a b c d"', "FI\u1e9e i\u0307 a b c d")
def test_no_input_raises_and_offsets_slice_to_the_surface(answer: str, chunk: str) -> None:
    quoted = f'{answer} "{chunk} a b c d"'
    for text in (answer, quoted):
        result = check(text, chunk, answer)
        for found in reported(result):
            assert text[found.start : found.end] == found.surface


@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1), min_size=4), st.data())
def test_a_run_of_whole_words_is_always_found(words: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first + 1, len(words)))
    text = Wording(", ".join(words))
    sought = Wording("\n".join(words[first:last]))
    if not len(sought):
        return

    found = text.find(sought.letters)

    assert found is not None
    assert text.words[slice(*found)] == sought.words or "".join(
        text.words[slice(*found)]
    ) == "".join(sought.words)
