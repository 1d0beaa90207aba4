"""The check ``links``: labelled cases, what a finding tells, limits, what belongs to others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.checks import links
from service.checks.model import CheckInput, CheckResult, NotEvaluated, Outcome, Severity
from service.policy import AppPolicy
from tests.unit.checks import labelled
from tests.unit.checks.labelled import reported, run, score
from tests.unit.timing import cpu_seconds

PAGE = "Print it at https://returns.kalmia.test/label or write to desk@kalmia.test."


def check(answer: str, *chunks: str | None, policy: AppPolicy | None = None) -> CheckResult:
    return run("links", labelled.given(answer, *(chunks or (PAGE,)), policy=policy))


def test_the_labelled_cases() -> None:
    tally, wrong = score("links")

    assert wrong == []
    assert tally.lines >= 40


@pytest.mark.parametrize(
    ("answer", "reason", "severity", "detail"),
    [
        (
            "See https://returns.kalmia.test/labels.",
            "unknown_link",
            Severity.MEDIUM,
            "https://returns.kalmia.test/labels stands in no retrieved text. "
            "Nearest in kb-1: https://returns.kalmia.test/label (another page).",
        ),
        (
            "See https://returns.kalmla.test/label.",
            "unknown_link",
            Severity.HIGH,
            "https://returns.kalmla.test/label stands in no retrieved text. "
            "Nearest in kb-1: https://returns.kalmia.test/label (another host).",
        ),
        (
            "Schreiben Sie bitte an die Adresse hilfe@kalmia.test.",
            "unknown_email",
            Severity.HIGH,
            "hilfe@kalmia.test steht in keinem abgerufenen Text. "
            "Am nächsten kommt kb-1: desk@kalmia.test (ein anderes Postfach).",
        ),
    ],
)
def test_a_finding_names_the_nearest_address(
    answer: str, reason: str, severity: Severity, detail: str
) -> None:
    (finding,) = check(answer).findings

    assert (finding.reason, finding.severity, finding.detail) == (reason, severity, detail)


def test_alike_findings_share_a_cause() -> None:
    causes = {
        finding.cause
        for answer in ("http://www.Kalmia.test/x/", "See <https://kalmia.test/x>.")
        for finding in check(answer).findings
    }

    assert causes == {"kalmia.test/x"}


def test_evidence_says_where_the_address_stands() -> None:
    (evidence,) = check("Go to http://returns.kalmia.test/label/.").evidence

    assert (evidence.kind, evidence.ref) == ("grounded", "kb-1")
    assert PAGE[evidence.chunk_start : evidence.chunk_end] == "https://returns.kalmia.test/label"


def test_a_source_may_write_a_name_or_run_words_together() -> None:
    source = "Ask Kalmia.com or desk@kalmia.comContact us. Not xhelp@kalmia.com or sub.kalmia.org."

    assert check("kalmia.com, desk@kalmia.com", source).outcome is Outcome.PASS
    assert check("kalmia.org, help@kalmia.com", source).failed == 2


def test_a_link_that_cites_belongs_to_the_citations() -> None:
    case = labelled.given("See [1](https://nowhere.test/x) and https://other.test/y.", PAGE)

    result = run("links", case)

    assert [finding.surface for finding in result.findings] == ["https://other.test/y"]


def test_digits_of_an_address_are_no_numbers() -> None:
    case = labelled.given("See https://other.test/2031/77 or help.other.com/4711.", PAGE)

    assert run("links", case).failed == 2
    assert run("numbers", case).outcome is Outcome.NOT_APPLICABLE


def test_the_policy_allows_hosts_with_their_subdomains() -> None:
    policy = AppPolicy.model_validate({"links": {"allowed_hosts": ["Kalmia.test"]}})
    answer = "https://kalmia.test/a https://www.kalmia.test/b https://x.kalmia.test https://kalmia.test.evil.test"

    result = check(answer, policy=policy)

    assert [finding.surface for finding in result.findings] == ["https://kalmia.test.evil.test"]
    assert check("desk2@kalmia.test", policy=policy).failed == 1


def test_a_text_that_could_hold_it_is_missing() -> None:
    assert check("https://other.test/y", PAGE, None).not_evaluated is NotEvaluated.MISSING_TEXT
    assert check("Mail desk@kalmia.test", PAGE, None).outcome is Outcome.PASS


def test_only_what_was_in_the_prompt_counts() -> None:
    case = labelled.given("Mail desk@kalmia.test", PAGE)
    case.event.retrieved[0].in_prompt = False
    hidden = CheckInput(case.event, case.texts, case.policy)

    assert run("links", hidden).failed == 1


def test_the_limits() -> None:
    def many(count: int) -> str:
        return " ".join(f"https://h{number}.test/x" for number in range(count))

    assert check(many(links.MAX_ADDRESSES)).outcome is Outcome.FAIL
    for answer, chunk in (
        (many(links.MAX_ADDRESSES + 1), PAGE),
        ("https://h.test/x" + " " * links.MAX_ANSWER, PAGE),
        ("https://h.test/x", many(links.MAX_KNOWN + 1)),
        ("https://h.test/x", "a" * (5 << 20)),
    ):
        assert check(answer, chunk).not_evaluated is NotEvaluated.TOO_LARGE


@pytest.mark.parametrize(
    "answer",
    ["@" * 200_000, "a.com." * 30_000, "a@" * 90_000, "https://" * 25_000, "tel:0" * 40_000,
     "www." * 50_000, ".com" * 50_000, "https://a\\_" * 18_000, "a" * 190_000 + ".com"],
)  # fmt: skip
def test_hostile_addresses_cost_linear_time(answer: str) -> None:
    assert cpu_seconds(lambda: check(answer), times=1) < 3


@given(st.text(st.sampled_from("a.@/:\\-_&<>()[]com%?#é1 ")), st.text())
def test_no_input_raises_and_offsets_slice_to_the_surface(tail: str, chunk: str) -> None:
    for answer in (tail, f"https://{tail}", f"www.{tail}", f"a@b.de{tail}", chunk):
        result = check(answer, chunk)
        for found in reported(result):
            assert answer[found.start : found.end] == found.surface
        if result.evaluated:
            assert check(answer, answer).failed == 0
