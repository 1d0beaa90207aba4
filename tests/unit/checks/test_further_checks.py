"""Limits, missing texts, details and policies of the further checks; the cases are elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from service.checks import (
    abstention,
    access,
    citation_coverage,
    citations,
    numbers,
    overlap,
    retrieval,
    scope,
)
from service.checks.model import CheckInput, CheckResult, NotEvaluated, Outcome, Severity
from service.policy import AccessPolicy, AppPolicy, CitationPolicy
from tests.unit.answers import as_event
from tests.unit.timing import cpu_seconds

POLICY = AppPolicy(citations=CitationPolicy(required=True))
CHECKS: dict[str, Callable[[CheckInput], CheckResult]] = {
    "abstention": abstention.check,
    "access": access.check,
    "citation_coverage": citation_coverage.check,
    "overlap": overlap.check,
    "retrieval": retrieval.check,
    "scope": scope.check,
}
PRICES = [
    {"ref": "p#1", "text": "Team costs 34 € per seat and month."},
    {"ref": "p#2", "text": "Support answers by e-mail on working days."},
]


def given(
    answer: str,
    chunks: list[dict[str, Any]] | None = None,
    policy: AppPolicy = POLICY,
    **event: Any,
) -> CheckInput:
    read = as_event(
        {
            "event_id": "e1",
            "query": "What does the Team plan cost per month?",
            "retrieved": PRICES if chunks is None else chunks,
            "answer": answer,
            **event,
        }
    )
    return CheckInput(read, tuple(chunk.text for chunk in read.retrieved), policy)


# limits


@pytest.mark.parametrize(
    ("check", "limit"),
    [
        ("abstention", abstention.MAX_ANSWER),
        ("citation_coverage", citation_coverage.MAX_ANSWER),
        ("overlap", overlap.MAX_ANSWER),
    ],
)
def test_too_large(check: str, limit: int) -> None:
    result = CHECKS[check](given("Team costs 34 €. " * (limit // 17 + 1)))

    assert result.outcome is Outcome.NOT_EVALUATED
    assert result.not_evaluated is NotEvaluated.TOO_LARGE


def test_too_many_sentences_for_overlap() -> None:
    within = given("Team costs much money. " * overlap.MAX_SENTENCES)
    past = given("Team costs much money. " * (overlap.MAX_SENTENCES + 1))

    assert overlap.check(within).outcome is Outcome.PASS
    assert overlap.check(past).not_evaluated is NotEvaluated.TOO_LARGE


def test_findings_of_coverage_are_capped_and_counted() -> None:
    count = citation_coverage.MAX_FINDINGS + 5
    result = citation_coverage.check(given("Team costs 34 € per seat. " * count))

    assert len(result.findings) == citation_coverage.MAX_FINDINGS
    assert (result.evaluated, result.failed) == (count, count)
    assert dict(result.measures) == {"share_covered": 0.0, "sentences": float(count)}


@pytest.mark.parametrize("check", sorted(CHECKS))
@pytest.mark.parametrize(
    "piece",
    ["a. ", "[1] ", "\n- A", "| a ", "Team 34 € ", "not ", "I could not. ", "## A\n", "„A. "],
)  # fmt: skip
def test_hostile_answers_take_linear_time(check: str, piece: str) -> None:
    def seconds(length: int) -> float:
        one = given((piece * length)[:length])
        return cpu_seconds(lambda: CHECKS[check](one), times=1)  # what was read is remembered

    seconds(500)
    assert seconds(64_000) < 40 * max(seconds(8_000), 0.005)


# missing texts


def test_a_missing_text_leaves_an_abstention_undecided_but_labelled() -> None:
    result = abstention.check(given("I couldn't find that.", [{"ref": "p#1"}]))

    assert result.not_evaluated is NotEvaluated.MISSING_TEXT
    assert result.label == "no_answer"


def test_a_missing_text_does_not_matter_to_an_answer() -> None:
    result = abstention.check(given("Team costs 34 €.", [{"ref": "p#1"}]))

    assert result.outcome is Outcome.PASS
    assert result.label == "answer"


def test_a_missing_text_leaves_overlap_undecided() -> None:
    result = overlap.check(given("Team costs 34 € per seat.", [*PRICES, {"ref": "p#3"}]))

    assert result.not_evaluated is NotEvaluated.MISSING_TEXT


def test_retrieval_and_access_need_no_texts() -> None:
    one = given(
        "Team costs 34 €.", [{"ref": "p#1", "acl": ["hr"]}, {"ref": "p#2"}], user={"groups": []}
    )

    assert dict(retrieval.check(one).measures)["duplicates"] == 0
    assert access.check(one).failed == 1


# a reading or evidence that is passed on is not read anew


def test_a_reading_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    one = given("Team costs 34 € per seat [1].", user={"groups": []})
    reading = citations.read(one.event, one.policy.citations)
    monkeypatch.setattr(citations, "read", None)

    assert citation_coverage.check(one, reading).outcome is Outcome.PASS
    assert dict(retrieval.check(one, reading).measures)["cited_share"] == 0.5
    assert dict(overlap.check(one, reading).measures)["mean_overlap"] == 1
    assert access.check(one).outcome is Outcome.NOT_APPLICABLE


def test_evidence_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    chunk = {"ref": "t", "text": "| Plan | Price |\n|---|---|\n| Team | 34 € |\n| Solo | 9 € |"}
    one = given("It costs 9 €.", [chunk])
    evidence = numbers.check(one).evidence
    monkeypatch.setattr(numbers, "check", None)
    result = scope.check(one, evidence)

    assert dict(result.measures) == {"mismatches": 1.0}
    number, name = result.evidence
    assert (number.kind, number.surface, number.ref) == ("other_scope", "9 €", "t")
    assert (name.kind, name.surface, name.start) == ("named_scope", "Team", None)
    assert chunk["text"][name.chunk_start : name.chunk_end] == "Team"


# what is reported


def test_access_names_readers_and_groups() -> None:
    one = given(
        "Team costs 34 € [1].",
        [{**PRICES[0], "acl": ["hr", "board"]}],
        user={"groups": ["staff"]},
        language="en",
    )
    (finding,) = access.check(one).findings

    assert finding.reason == access.FORBIDDEN_CHUNK_CITED
    assert finding.severity is Severity.HIGH
    assert finding.detail == "p#1 may be read by hr, board; the user is in staff."
    assert finding.cause == "p#1"


def test_access_names_tenants_in_german() -> None:
    one = given(
        "Team kostet 34 €.",
        [{**PRICES[0], "tenant": "süd"}],
        user={"tenant": "nord"},
        language="de",
    )
    (finding,) = access.check(one).findings

    assert finding.detail == "p#1 gehört dem Mandanten „süd“, gefragt hat „nord“."


def test_everyone_does_not_open_an_empty_acl() -> None:
    policy = AppPolicy(access=AccessPolicy(everyone=("public",)))
    one = given("Yes.", [{**PRICES[0], "acl": []}], policy, user={"groups": []})

    assert access.check(one).failed == 1


def test_coverage_says_how_much_is_covered() -> None:
    one = given("Team costs 34 € [1]. Support answers on working days.", language="en")
    (finding,) = citation_coverage.check(one).findings

    assert finding.detail == "No citation covers this sentence; 1 of 2 are covered."
    assert finding.cause == "some_cited"


def test_a_refusal_names_the_chunk_that_holds_the_words() -> None:
    one = given("I couldn't find that.", query="What are the costs of Team per seat and month?")
    (finding,) = abstention.check(one).findings

    assert finding.reason == abstention.REFUSED_DESPITE_EVIDENCE
    assert finding.severity is Severity.LOW
    assert finding.detail == "p#1 holds 100 % of the words that were asked about."
    assert finding.cause == "p#1"


def test_the_threshold_of_a_refusal_is_the_policys() -> None:
    policy = AppPolicy.model_validate({"abstention": {"refused_overlap": 0.5}})
    query = "Does Team cost more in Norway per month?"

    assert not abstention.check(given("I couldn't find that.", query=query)).findings
    assert abstention.check(given("I couldn't find that.", policy=policy, query=query)).findings


def test_the_words_of_the_policy_change_its_ruleset() -> None:
    own = AppPolicy.model_validate({"abstention": {"no_answer": ["bin überfragt"]}})
    open_groups = AppPolicy.model_validate({"access": {"everyone": ["public"]}})

    assert len({AppPolicy().ruleset, own.ruleset, open_groups.ruleset}) == 3


@pytest.mark.parametrize("check", sorted(CHECKS))
def test_details_are_one_printable_line(check: str) -> None:
    hostile = "a\n\u202e<b>" + "x" * 5_000
    chunks = [{"ref": hostile[:2_000], "text": "Team costs 34 €.", "acl": [hostile], "tenant": "t"}]
    one = given(
        "I couldn't find that.\n\nTeam costs 34 €." + hostile,
        chunks,
        user={"groups": [hostile], "tenant": hostile},
    )

    for finding in CHECKS[check](one).findings:
        assert finding.detail.isprintable()
        assert len(finding.detail) < 1_000
        assert len(finding.surface) <= 500
        assert len(finding.cause) <= 200


@hypothesis.given(
    st.text(alphabet='aZ1 .!?\n|-*#>`[]()„“"。:€not I find but,', max_size=90),
    st.text(alphabet="aZ1 .\n|-T€", max_size=60),
)
def test_any_answer_is_checked(answer: str, text: str) -> None:
    context = [{"name": "plan", "kind": "user", "text": "Z1"}]
    chunks = [{"ref": "p#1", "text": text, "acl": ["x"]}]
    one = given(answer, chunks, user={"groups": []}, context=context)
    for check in CHECKS.values():
        result = check(one)
        measures = dict(result.measures)

        for finding in result.findings:
            if finding.start is not None:
                assert answer[finding.start : finding.end] == finding.surface
        for share in ("share_covered", "mean_overlap", "min_sentence_overlap", "cited_share"):
            assert 0 <= measures.get(share, 0) <= 1
        assert len(result.findings) <= result.failed <= result.evaluated
