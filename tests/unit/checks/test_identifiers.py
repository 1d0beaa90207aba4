"""The check ``identifiers``: labelled cases, what a finding tells, limits, other checks' spans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.checks import identifiers
from service.checks.model import CheckResult, NotEvaluated, Outcome, Severity
from service.policy import AppPolicy
from tests.unit.checks import labelled
from tests.unit.checks.labelled import reported, run, score
from tests.unit.timing import cpu_seconds

GUIDE = "Run `ferrykit replay --dry-run`; a token needs the scope telemetry:write."


def check(answer: str, *chunks: str | None, policy: AppPolicy | None = None) -> CheckResult:
    return run("identifiers", labelled.given(answer, *(chunks or (GUIDE,)), policy=policy))


def test_the_labelled_cases() -> None:
    tally, wrong = score("identifiers")

    assert wrong == []
    assert tally.lines >= 40


def test_a_slip_of_a_known_name_is_worse_and_names_it() -> None:
    (slip,) = check("Add --dryrun to it.").findings
    (other,) = check("Sie brauchen dafür das Recht konto:loeschen.").findings

    assert (slip.reason, slip.severity) == ("unknown_identifier", Severity.HIGH)
    assert slip.detail == (
        "--dryrun stands in no retrieved text. Nearest in kb-1: --dry-run (another name)."
    )
    assert (other.reason, other.severity) == ("unknown_identifier", Severity.MEDIUM)
    assert other.detail == "konto:loeschen steht in keinem abgerufenen Text."


def test_evidence_says_where_the_name_stands() -> None:
    (evidence,) = check("You need `telemetry:write`.", "No.", GUIDE).evidence

    assert (evidence.kind, evidence.ref) == ("grounded", "kb-2")
    assert GUIDE[evidence.chunk_start : evidence.chunk_end] == "telemetry:write"


def test_what_other_checks_own_is_left_alone() -> None:
    answer = 'See https://x.test/max_age, ops_team@x.test, and "never set max_age on a weekend".'
    case = labelled.given(answer, GUIDE)

    assert run("links", case).failed == 2
    assert run("quotes", case).failed == 1
    assert run("identifiers", case).outcome is Outcome.NOT_APPLICABLE


def test_names_with_a_digit_belong_to_the_numbers() -> None:
    assert check("Use --retry3 and MAX_V2 and tier2:write.").outcome is Outcome.NOT_APPLICABLE


def test_the_policy_allows_names() -> None:
    policy = AppPolicy.model_validate({"identifiers": {"allowed": ["--Verbose", "log_level"]}})

    assert check("Use --verbose and LOG_LEVEL.", policy=policy).outcome is Outcome.NOT_APPLICABLE
    assert check("Use --verbose and LOG_LEVEL.").failed == 2


def test_a_text_that_could_hold_it_is_missing() -> None:
    assert check("Use --fast.", GUIDE, None).not_evaluated is NotEvaluated.MISSING_TEXT
    assert check("Use --dry-run.", GUIDE, None).outcome is Outcome.PASS


def test_a_name_is_found_whole_only() -> None:
    longer = "Set xmax_age, max_ages, --fast-mode, logs:read:all and /etc/app.yaml.bak."

    result = check("Set max_age, --fast, logs:read, /etc/app.yaml.", longer)

    assert result.failed == 4


def test_the_limits() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"

    def many(count: int) -> str:
        names = (f"{a}{b}_{c}xy" for a in letters for b in letters for c in letters)
        return " ".join(name for name, _ in zip(names, range(count), strict=False))

    assert check(many(identifiers.MAX_IDENTIFIERS)).outcome is Outcome.FAIL
    for answer, chunk in (
        (many(identifiers.MAX_IDENTIFIERS + 1), GUIDE),
        ("Use --fast." + " " * identifiers.MAX_ANSWER, GUIDE),
        ("Use --fast.", "a" * (5 << 20)),
    ):
        assert check(answer, chunk).not_evaluated is NotEvaluated.TOO_LARGE


@pytest.mark.parametrize(
    "answer",
    ["`" * 200_000, "a.b" * 60_000, "_a" * 90_000, "--" * 90_000, "/a" * 90_000, "~~~" * 60_000,
     "a:b:" * 50_000, "\\a" * 90_000, "()" * 90_000, "`a`" * 60_000, "```\n" * 50_000],
)  # fmt: skip
def test_hostile_names_cost_linear_time(answer: str) -> None:
    assert cpu_seconds(lambda: check(answer), times=1) < 3


@given(st.text(st.sampled_from("abZ_-.:/\\`~*() \n${}<>1é")), st.text())
def test_no_input_raises_and_offsets_slice_to_the_surface(answer: str, chunk: str) -> None:
    for text in (answer, chunk, f"`{answer}`", f"```\n{answer}\n```"):
        result = check(text, chunk)
        for found in reported(result):
            assert text[found.start : found.end] == found.surface


@given(
    st.sampled_from(
        ["--{}-{}", "{}_{}", "{}:{}", "/{}/{}", "{}.yaml", "`{}.{}`", "{}()", "`{}-{}`"]
    ),
    st.text("bcdfgh", min_size=4, max_size=9),
    st.text("klmnpq", min_size=4, max_size=9),
)
def test_a_name_that_stands_there_is_found_and_a_changed_one_noticed(
    shape: str, one: str, other: str
) -> None:
    name = shape.format(one, other)
    changed = shape.format(one + "z", other + "z")

    assert check(f"Use {name} here.", f"There is {name}, too.").outcome is Outcome.PASS
    assert check(f"Use {changed} here.", f"There is {name}, too.").failed == 1
